//! Opening claims on the committed table, recorded without precomputed accumulators.
//!
//! A claim's weight factors as `eq(z_low, j) * eq(z_high, x)` over the index `x * 2^k + j`. One
//! pass over the column leaves `g[j] = sum_x eq(z_high, x) f[x, j]`, and the first `k` sumcheck
//! rounds are then an ordinary sumcheck over tables of `2^k` values a claim: the messages are the
//! same as those from the accumulators of eprint 2025/1117 that the stock prover keeps.

use std::sync::Arc;

use p3_challenger::fs::TranscriptField;
use p3_challenger::{FieldChallenger, GrindingChallenger};
use p3_field::{ExtensionField, Field, PrimeCharacteristicRing};
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::layout::{
    Layout, LayoutStrategy, PrefixProver, StackedClaims, SuffixProver, Table, TablePlacement,
    Witness, plan_stacked_layout,
};
use p3_sumcheck::product_polynomial::ProductPolynomial;
use p3_sumcheck::strategy::{Basis, SumcheckProver, VariableOrder};
use p3_sumcheck::table::TableShape;
use p3_sumcheck::transcript::{ProverTranscript, SumcheckShape};
use p3_sumcheck::{OpeningBatch, OpeningEvals, OpeningRequest, SumcheckData};

use crate::backend::{Backend, Column, Context, Message, Partial, SlotWeight};
use crate::error::BackendError;
use crate::suite::ProverSuite;

/// Columns of a table layout as the committed message.
pub fn message<'a, F: Field>(
    tables: impl Fn(usize) -> &'a Table<F>,
    shapes: &[TableShape],
) -> Message<'a, F> {
    let (num_variables, placements) = plan_stacked_layout(shapes);
    let columns = placements
        .iter()
        .flat_map(|placement| {
            let table = tables(placement.idx());
            placement
                .selectors()
                .iter()
                .enumerate()
                .map(move |(column, selector)| {
                    let values = table
                        .column(column)
                        .as_dense()
                        .expect("a witness stores its columns as field elements");
                    Column {
                        values,
                        offset: selector.index() << table.num_variables(),
                    }
                })
        })
        .collect();
    Message {
        num_variables,
        columns,
    }
}

/// One claimed value: the column's partial evaluation and where its weight lives.
struct Claim<EF> {
    partial: Partial<EF>,
    /// Coordinates bound in the first `k` rounds; the last belongs to the lowest index bit.
    low: Point<EF>,
    /// Weights of the remaining variables at unit coefficient.
    slots: Vec<SlotWeight<EF>>,
}

/// A layout whose recording may have failed.
///
/// Plonky3's recording methods return values, not results. One that fails returns zeros, which
/// must not be used: whoever records looks here after each call.
pub trait Recording<F: Field, EF: ExtensionField<F>>: Layout<F, EF> {
    /// The first failure so far.
    ///
    /// # Errors
    /// The back end's.
    fn check(&self) -> Result<(), BackendError>;
}

/// Stock layouts record on their own.
impl<F: Field, EF: ExtensionField<F>> Recording<F, EF> for SuffixProver<F, EF> {
    fn check(&self) -> Result<(), BackendError> {
        Ok(())
    }
}

/// Stock layouts record on their own.
impl<F: Field, EF: ExtensionField<F>> Recording<F, EF> for PrefixProver<F, EF> {
    fn check(&self) -> Result<(), BackendError> {
        Ok(())
    }
}

/// The back end that a layout records on, and what is committed there.
struct BackendRef<'a, S: ProverSuite, B: Backend<S>> {
    backend: &'a B,
    ctx: Context<'a>,
    base: Arc<B::Base>,
}

/// Claims of a suffix-order run on a back end.
pub struct DirectLayout<'a, S: ProverSuite, B: Backend<S>> {
    inner: SuffixProver<S::F, S::EF>,
    shapes: Vec<TableShape>,
    placements: Vec<TablePlacement>,
    num_variables: usize,
    fold: usize,
    backend: Option<BackendRef<'a, S, B>>,
    /// Set by the first failure; nothing is asked of the back end after it.
    failure: Option<BackendError>,
    /// Per source table, in order of recording.
    claims: Vec<Vec<Claim<S::EF>>>,
    virtual_claims: Vec<Claim<S::EF>>,
}

impl<'a, S: ProverSuite, B: Backend<S>> DirectLayout<'a, S, B> {
    /// A layout without claims over the tables of `inner`.
    pub fn new(
        inner: SuffixProver<S::F, S::EF>,
        fold: usize,
        backend: &'a B,
        ctx: Context<'a>,
        base: Arc<B::Base>,
    ) -> Self {
        Self {
            backend: Some(BackendRef { backend, ctx, base }),
            fold,
            ..Self::over(inner)
        }
    }

    fn over(inner: SuffixProver<S::F, S::EF>) -> Self {
        let shapes = inner.table_shapes();
        let (num_variables, placements) = plan_stacked_layout(&shapes);
        Self {
            fold: inner.folding(),
            claims: shapes.iter().map(|_| Vec::new()).collect(),
            virtual_claims: Vec::new(),
            backend: None,
            failure: None,
            inner,
            shapes,
            placements,
            num_variables,
        }
    }

    /// The committed message.
    pub fn message(&self) -> Message<'_, S::F> {
        message(|id| self.inner.table(id), &self.shapes)
    }

    /// [`Backend::partial_evaluations`] of columns of the message, unless recording failed before.
    fn partials(
        &self,
        columns: &[Column<'_, S::F>],
        point: &Point<S::EF>,
    ) -> Result<Vec<Partial<S::EF>>, BackendError> {
        self.check()?;
        let BackendRef { backend, ctx, base } = self
            .backend
            .as_ref()
            .expect("claims are recorded on a back end");
        backend.partial_evaluations(*ctx, base, columns, point, self.fold)
    }

    /// The partial evaluation of the whole stacked polynomial.
    fn stacked_partial(&self, point: &Point<S::EF>) -> Result<Partial<S::EF>, BackendError> {
        let mut sum: Partial<S::EF> = S::EF::zero_vec(1 << self.fold);
        for column in &self.message().columns {
            let local = column.values.len().trailing_zeros() as usize;
            let (selector, local_point) = point.split_at(self.num_variables - local);
            let slot = Point::<S::F>::hypercube(column.offset >> local, self.num_variables - local);
            let weight = Point::eval_eq::<S::EF>(slot.as_slice(), selector.as_slice());
            for partial in self.partials(&[*column], &local_point)? {
                for (total, term) in sum.iter_mut().zip(partial) {
                    *total += weight * term;
                }
            }
        }
        Ok(sum)
    }

    /// Splits a point over a column at `offset` into open and folded coordinates.
    fn split(
        &self,
        point: &Point<S::EF>,
        offset: usize,
        weight: S::EF,
    ) -> (Point<S::EF>, SlotWeight<S::EF>) {
        let high = point.num_variables() - self.fold;
        let (high, low) = point.split_at(high);
        (
            low,
            SlotWeight {
                offset: offset >> self.fold,
                point: high,
                coefficient: weight,
            },
        )
    }

    /// Folds the message at the challenges that [`Self::play`] drew, with the weights it left.
    ///
    /// # Errors
    /// The back end's.
    ///
    /// # Panics
    /// If the layout has no back end.
    pub fn fold_message(
        &self,
        challenges: &[S::EF],
        weights: &[SlotWeight<S::EF>],
    ) -> Result<B::Tables, BackendError> {
        self.check()?;
        let BackendRef { backend, ctx, base } =
            self.backend.as_ref().expect("the layout has a back end");
        backend.fold_message(*ctx, base, &self.message(), challenges, weights)
    }

    /// Draws the batching challenge and plays the first `fold` rounds. Recording must not have
    /// failed: see [`Recording::check`].
    ///
    /// # Returns
    /// The challenges in sampling order, and the weights of the remaining variables.
    pub fn play<Ch>(
        &self,
        data: &mut SumcheckData<S::F, S::EF>,
        pow_bits: usize,
        challenger: &mut Ch,
    ) -> (Vec<S::EF>, Vec<SlotWeight<S::EF>>)
    where
        Ch: FieldChallenger<S::F> + GrindingChallenger<Witness = S::F>,
    {
        let alpha: S::EF = self.batching_challenge(challenger);
        // Coefficients follow placement order, then recording order; virtual claims come last.
        let claims: Vec<&Claim<S::EF>> = self
            .placements
            .iter()
            .flat_map(|placement| &self.claims[placement.idx()])
            .chain(&self.virtual_claims)
            .collect();
        let coefficients: Vec<S::EF> = alpha.powers().take(claims.len()).collect();

        let mut tables: Vec<(Vec<S::EF>, Vec<S::EF>)> = claims
            .iter()
            .zip(&coefficients)
            .map(|(claim, &coefficient)| {
                let weights = Poly::new_from_point(claim.low.as_slice(), coefficient);
                (claim.partial.clone(), weights.as_slice().to_vec())
            })
            .collect();
        let shape = SumcheckShape::new(self.fold, pow_bits, Basis::Evaluation);
        let mut transcript = ProverTranscript::<Ch, S::F, S::EF>::new(challenger, shape);
        let mut challenges = Vec::with_capacity(self.fold);
        for _ in 0..self.fold {
            let mut message = [S::EF::ZERO; 2];
            for (values, weights) in &tables {
                for (f, w) in values.chunks_exact(2).zip(weights.chunks_exact(2)) {
                    message[0] += f[0] * w[0];
                    message[1] += (f[1] - f[0]) * (w[1] - w[0]);
                }
            }
            let r = data.observe_and_sample(&mut transcript, message[0], message[1]);
            for (values, weights) in &mut tables {
                bind_lowest(values, r);
                bind_lowest(weights, r);
            }
            challenges.push(r);
        }
        transcript.finish();

        let weights = claims
            .iter()
            .zip(&tables)
            .flat_map(|(claim, (_, bound))| {
                // What is left of a claim's weight table is `coefficient * eq(low, challenges)`.
                claim.slots.iter().map(|slot| SlotWeight {
                    coefficient: slot.coefficient * bound[0],
                    ..slot.clone()
                })
            })
            .collect();
        (challenges, weights)
    }
}

/// Binds the lowest index bit of a small table.
fn bind_lowest<EF: Field>(table: &mut Vec<EF>, r: EF) {
    let half = table.len() / 2;
    for i in 0..half {
        table[i] = table[2 * i] + r * (table[2 * i + 1] - table[2 * i]);
    }
    table.truncate(half);
}

impl<S: ProverSuite, B: Backend<S>> Layout<S::F, S::EF> for DirectLayout<'_, S, B> {
    fn from_witness(witness: Witness<S::F>) -> Self {
        Self::over(SuffixProver::<S::F, S::EF>::from_witness(witness))
    }

    fn new_witness(tables: Vec<Table<S::F>>, folding: usize) -> Witness<S::F> {
        SuffixProver::<S::F, S::EF>::new_witness(tables, folding)
    }

    fn write_message(witness: &Witness<S::F>, folding: usize, message: &mut [S::F]) {
        SuffixProver::<S::F, S::EF>::write_message(witness, folding, message);
    }

    fn borrowed_message(witness: &Witness<S::F>) -> Option<&[S::F]> {
        SuffixProver::<S::F, S::EF>::borrowed_message(witness)
    }

    /// The stock claim state; this layout records nothing in it.
    fn claims(&self) -> &StackedClaims<S::F, S::EF> {
        self.inner.claims()
    }

    fn num_claims(&self) -> usize {
        self.claims.iter().map(Vec::len).sum()
    }

    fn num_virtual_claims(&self) -> usize {
        self.virtual_claims.len()
    }

    fn strategy() -> LayoutStrategy {
        SuffixProver::<S::F, S::EF>::strategy()
    }

    fn record_opening(
        &mut self,
        table_idx: usize,
        batch: &OpeningRequest,
        point: &Point<S::EF>,
    ) -> OpeningEvals<S::EF> {
        assert!(
            batch.next().is_empty(),
            "successor claims take the stock layout"
        );
        let table = self.inner.table(table_idx);
        let placement = self
            .placements
            .iter()
            .find(|placement| placement.idx() == table_idx)
            .expect("every table has a placement");
        let columns: Vec<Column<'_, S::F>> = batch
            .current()
            .iter()
            .map(|&column| Column {
                values: table.column(column).as_dense().expect("columns are dense"),
                offset: placement.selectors()[column].index() << table.num_variables(),
            })
            .collect();
        let (partials, failure) = match self.partials(&columns, point) {
            Ok(partials) => (partials, None),
            Err(error) => {
                let zeros = vec![S::EF::zero_vec(1 << self.fold); columns.len()];
                (zeros, Some(error))
            }
        };
        let mut evaluations = Vec::with_capacity(columns.len());
        let mut claims = Vec::with_capacity(columns.len());
        for (column, partial) in columns.iter().zip(partials) {
            let (low, slot) = self.split(point, column.offset, S::EF::ONE);
            evaluations.push(value(&partial, &low));
            claims.push(Claim {
                partial,
                low,
                slots: vec![slot],
            });
        }
        self.claims[table_idx].extend(claims);
        self.failure = self.failure.take().or(failure);
        OpeningBatch::new(evaluations, Vec::new())
    }

    fn record_opening_known(
        &mut self,
        table_idx: usize,
        batch: &OpeningRequest,
        point: &Point<S::EF>,
        _evals: &OpeningEvals<S::EF>,
    ) {
        // The first rounds need the partial evaluations, which a value alone does not carry.
        self.record_opening(table_idx, batch, point);
    }

    fn record_virtual(&mut self, point: &Point<S::EF>) -> S::EF {
        let (sum, failure) = match self.stacked_partial(point) {
            Ok(sum) => (sum, None),
            Err(error) => (S::EF::zero_vec(1 << self.fold), Some(error)),
        };
        self.failure = self.failure.take().or(failure);
        let (low, slot) = self.split(point, 0, S::EF::ONE);
        let evaluation = value(&sum, &low);
        self.virtual_claims.push(Claim {
            partial: sum,
            low,
            slots: vec![slot],
        });
        evaluation
    }

    fn into_sumcheck<Ch>(
        self,
        sumcheck_data: &mut SumcheckData<S::F, S::EF>,
        pow_bits: usize,
        challenger: &mut Ch,
    ) -> (SumcheckProver<S::F, S::EF>, Point<S::EF>)
    where
        S::F: TranscriptField,
        Ch: FieldChallenger<S::F> + GrindingChallenger<Witness = S::F>,
    {
        // Recording replaces only the first rounds; a caller that wants stock tables gets a
        // stock prover over them. One that ignores a failed `check` proves what is refused.
        let (challenges, weights) = self.play(sumcheck_data, pow_bits, challenger);
        let variables = self.num_variables - self.fold;
        let mut folded = Poly::<S::EF>::zero(variables);
        let eq = Poly::new_from_point(
            &challenges.iter().rev().copied().collect::<Vec<_>>(),
            S::EF::ONE,
        );
        for column in &self.message().columns {
            for (x, row) in column.values.chunks_exact(1 << self.fold).enumerate() {
                let sum = row.iter().zip(eq.as_slice()).map(|(&f, &e)| e * f).sum();
                folded.as_mut_slice()[(column.offset >> self.fold) + x] = sum;
            }
        }
        let mut table = Poly::<S::EF>::zero(variables);
        for weight in &weights {
            let eq = Poly::new_from_point(weight.point.as_slice(), weight.coefficient);
            let slot = &mut table.as_mut_slice()[weight.offset..];
            slot.iter_mut()
                .zip(eq.as_slice())
                .for_each(|(w, &e)| *w += e);
        }
        let sum = folded
            .as_slice()
            .iter()
            .zip(table.as_slice())
            .map(|(&f, &w)| f * w)
            .sum();
        let product = ProductPolynomial::new_unpacked(VariableOrder::Suffix, folded, table);
        (SumcheckProver::new(product, sum), Point::new(challenges))
    }
}

impl<S: ProverSuite, B: Backend<S>> Recording<S::F, S::EF> for DirectLayout<'_, S, B> {
    fn check(&self) -> Result<(), BackendError> {
        self.failure.clone().map_or(Ok(()), Err)
    }
}

/// `sum_j eq(low, j) partial[j]`.
fn value<EF: Field>(partial: &[EF], low: &Point<EF>) -> EF {
    let eq = Poly::new_from_point(low.as_slice(), EF::ONE);
    partial
        .iter()
        .zip(eq.as_slice())
        .map(|(&g, &e)| g * e)
        .sum()
}
