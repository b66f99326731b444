//! The reference back end: Plonky3's transform and trees, plain loops for the rest.
//!
//! It is the oracle the other back ends are tested against, and slow.

use p3_commit::Mmcs;
use p3_dft::{Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, TwoAdicField};
use p3_matrix::dense::{DenseMatrix, RowMajorMatrix};
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use prova_whir::{Order, Suite};

use crate::backend::{Backend, Claims, Column, Context, Message, Opened, Partial, SlotWeight};
use crate::error::BackendError;
use crate::observer::Stage;
use crate::suite::ProverSuite;

/// The reference back end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

/// Sumcheck tables in plain form.
#[derive(Clone, Debug)]
pub struct Tables<EF> {
    values: Vec<EF>,
    weights: Vec<EF>,
}

impl<EF> Tables<EF> {
    fn num_variables(&self) -> usize {
        self.values.len().trailing_zeros() as usize
    }
}

type Tree<S> =
    <<S as Suite>::Mmcs as Mmcs<<S as Suite>::F>>::ProverData<DenseMatrix<<S as Suite>::F>>;

fn commit<S: ProverSuite>(
    ctx: Context<'_>,
    mut message: Vec<S::F>,
    width: usize,
    log_inv_rate: usize,
) -> (S::Digest, Tree<S>) {
    message.resize(message.len() << log_inv_rate, S::F::ZERO);
    let padded = RowMajorMatrix::new(message, width);
    let codeword: RowMajorMatrix<S::F> = {
        use p3_matrix::Matrix;
        Radix2DFTSmallBatch::default()
            .dft_batch(padded)
            .to_row_major_matrix()
    };
    let (commitment, tree) = ctx
        .stopwatch
        .time(Stage::Merkle, || S::mmcs().commit_matrix(codeword));
    (S::root(&commitment).expect("cap height is zero"), tree)
}

fn open<S: ProverSuite>(tree: &Tree<S>, indices: &[usize]) -> Opened<S::F, S::Digest> {
    let (rows, proof) = S::mmcs().open_multi_batch(indices, tree);
    Opened {
        rows: rows.into_iter().flatten().collect(),
        siblings: S::siblings(&proof).to_vec(),
    }
}

/// The stacked message with zeros outside every column.
fn stacked<F: PrimeCharacteristicRing + Copy>(message: &Message<'_, F>) -> Vec<F> {
    let mut out = vec![F::ZERO; 1 << message.num_variables];
    for column in &message.columns {
        out[column.offset..column.offset + column.values.len()].copy_from_slice(column.values);
    }
    out
}

impl<S: ProverSuite> Backend<S> for Reference {
    type Base = Tree<S>;
    type Folded = Tree<S>;
    type Tables = Tables<S::EF>;

    fn commit(
        &self,
        ctx: Context<'_>,
        message: &Message<'_, S::F>,
        fold: usize,
        log_inv_rate: usize,
    ) -> Result<(S::Digest, Self::Base), BackendError> {
        Ok(commit::<S>(ctx, stacked(message), 1 << fold, log_inv_rate))
    }

    fn partial_evaluations(
        &self,
        _ctx: Context<'_>,
        _base: &Self::Base,
        columns: &[Column<'_, S::F>],
        point: &Point<S::EF>,
        fold: usize,
    ) -> Result<Vec<Partial<S::EF>>, BackendError> {
        let (high, _) = point.split_at(point.num_variables() - fold);
        let eq = Poly::new_from_point(high.as_slice(), S::EF::ONE);
        Ok(columns
            .iter()
            .map(|column| {
                let mut partial = S::EF::zero_vec(1 << fold);
                for (row, &e) in column.values.chunks_exact(1 << fold).zip(eq.as_slice()) {
                    for (g, &f) in partial.iter_mut().zip(row) {
                        *g += e * f;
                    }
                }
                partial
            })
            .collect())
    }

    fn fold_message(
        &self,
        _ctx: Context<'_>,
        _base: &Self::Base,
        message: &Message<'_, S::F>,
        challenges: &[S::EF],
        weights: &[SlotWeight<S::EF>],
    ) -> Result<Self::Tables, BackendError> {
        let fold = challenges.len();
        let point: Vec<S::EF> = challenges.iter().rev().copied().collect();
        let eq = Poly::new_from_point(&point, S::EF::ONE);
        let values = stacked(message)
            .chunks_exact(1 << fold)
            .map(|row| row.iter().zip(eq.as_slice()).map(|(&f, &e)| e * f).sum())
            .collect();
        let mut table = S::EF::zero_vec(1 << (message.num_variables - fold));
        for weight in weights {
            let eq = Poly::new_from_point(weight.point.as_slice(), weight.coefficient);
            for (w, &e) in table[weight.offset..].iter_mut().zip(eq.as_slice()) {
                *w += e;
            }
        }
        Ok(Tables {
            values,
            weights: table,
        })
    }

    fn load(&self, evaluations: &[S::EF], weights: &[S::EF]) -> Result<Self::Tables, BackendError> {
        Ok(Tables {
            values: evaluations.to_vec(),
            weights: weights.to_vec(),
        })
    }

    fn commit_folded(
        &self,
        ctx: Context<'_>,
        tables: &Self::Tables,
        fold: usize,
        log_inv_rate: usize,
    ) -> Result<(S::Digest, Self::Folded), BackendError> {
        let (columns, rows) = (1 << fold, tables.values.len() >> fold);
        let flat = (0..rows)
            .flat_map(|x| (0..columns).map(move |j| (x, j)))
            .flat_map(|(x, j)| {
                let value = match ctx.order {
                    Order::Suffix => &tables.values[x * columns + j],
                    Order::Prefix => &tables.values[j * rows + x],
                };
                value.as_basis_coefficients_slice().iter().copied()
            })
            .collect();
        let degree = <S::EF as BasedVectorSpace<S::F>>::DIMENSION;
        Ok(commit::<S>(ctx, flat, columns * degree, log_inv_rate))
    }

    fn evaluate(&self, tables: &Self::Tables, y: S::EF) -> Result<S::EF, BackendError> {
        let variables = tables.num_variables();
        let point = Point::expand_from_univariate(y, variables);
        let eq = Poly::new_from_point(point.as_slice(), S::EF::ONE);
        Ok(tables
            .values
            .iter()
            .zip(eq.as_slice())
            .map(|(&f, &e)| f * e)
            .sum())
    }

    fn add_claims(
        &self,
        tables: &mut Self::Tables,
        claims: &Claims<S::EF>,
    ) -> Result<(), BackendError> {
        let variables = tables.num_variables();
        for &(y, coefficient) in &claims.out_of_domain {
            let point = Point::expand_from_univariate(y, variables);
            let eq = Poly::new_from_point(point.as_slice(), coefficient);
            tables
                .weights
                .iter_mut()
                .zip(eq.as_slice())
                .for_each(|(w, &e)| *w += e);
        }
        let generator = S::F::two_adic_generator(claims.log_domain);
        for &(index, coefficient) in &claims.queries {
            let z = generator.exp_u64(index as u64);
            for (w, power) in tables.weights.iter_mut().zip(z.powers()) {
                *w += coefficient * power;
            }
        }
        Ok(())
    }

    fn round_message(
        &self,
        ctx: Context<'_>,
        tables: &Self::Tables,
    ) -> Result<[S::EF; 2], BackendError> {
        let half = tables.values.len() / 2;
        let (step, low, high) = match ctx.order {
            Order::Suffix => (2, 0, 1),
            Order::Prefix => (1, 0, half),
        };
        let mut message = [S::EF::ZERO; 2];
        for i in 0..half {
            let (a, b) = (step * i + low, step * i + high);
            let (f, w) = (&tables.values, &tables.weights);
            message[0] += f[a] * w[a];
            message[1] += (f[b] - f[a]) * (w[b] - w[a]);
        }
        Ok(message)
    }

    fn bind(
        &self,
        ctx: Context<'_>,
        tables: &mut Self::Tables,
        r: S::EF,
        more: bool,
    ) -> Result<Option<[S::EF; 2]>, BackendError> {
        let half = tables.values.len() / 2;
        for table in [&mut tables.values, &mut tables.weights] {
            for i in 0..half {
                let (low, high) = match ctx.order {
                    Order::Suffix => (table[2 * i], table[2 * i + 1]),
                    Order::Prefix => (table[i], table[i + half]),
                };
                table[i] = low + r * (high - low);
            }
            table.truncate(half);
        }
        more.then(|| Backend::<S>::round_message(self, ctx, tables))
            .transpose()
    }

    fn values(&self, tables: &Self::Tables) -> Result<Vec<S::EF>, BackendError> {
        Ok(tables.values.clone())
    }

    fn open(
        &self,
        base: &Self::Base,
        _message: &Message<'_, S::F>,
        indices: &[usize],
    ) -> Result<Opened<S::F, S::Digest>, BackendError> {
        Ok(open::<S>(base, indices))
    }

    fn open_folded(
        &self,
        folded: &Self::Folded,
        indices: &[usize],
    ) -> Result<Opened<S::EF, S::Digest>, BackendError> {
        let degree = <S::EF as BasedVectorSpace<S::F>>::DIMENSION;
        let opened = open::<S>(folded, indices);
        let rows = opened
            .rows
            .into_iter()
            .map(|row| {
                row.chunks_exact(degree)
                    .map(|c| S::EF::from_basis_coefficients_fn(|i| c[i]))
                    .collect()
            })
            .collect();
        Ok(Opened {
            rows,
            siblings: opened.siblings,
        })
    }
}
