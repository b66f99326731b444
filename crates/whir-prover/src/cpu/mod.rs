//! The CPU back end.
//!
//! Codewords are stored in bit-reversed row order, so that neither the transform nor the tree
//! ever permutes anything: natural row `i` lies at the reversed bits of `i`, and sibling leaves
//! lie half a layer apart. Rows are hashed as soon as the transform finishes them.

pub mod encode;
pub mod eval;
pub mod planes;
mod rows;
pub mod sumcheck;
pub mod weights;

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::borrow::Cow;
use std::time::{Duration, Instant};

use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing};
use p3_multilinear_util::point::Point;
use p3_whir::WhirShape;
use prova_hash::TreeHasher;
use prova_merkle::{Tree, TreeBuilder};
use prova_whir::Order;
use prova_whir::derive::query_phases;

use self::encode::Encoder;
use self::eval::Functional;
use self::planes::Planes;
use crate::backend::{Backend, Claims, Column, Context, Message, Opened, Partial, SlotWeight};
use crate::error::BackendError;
use crate::observer::{Cancelled, Stage};
use crate::suite::ProverSuite;

/// The CPU back end of a suite.
#[derive(Clone, Debug)]
pub struct Cpu<S: ProverSuite> {
    encoder: Encoder<S::F>,
    hasher: S::Hasher,
}

/// A committed codeword: rows of `width` base-field elements in bit-reversed order, and its tree.
#[derive(Clone, Debug)]
pub struct Commitment<F, D> {
    /// Absent when opened rows are evaluated from the message again.
    codeword: Option<Vec<F>>,
    tree: Tree<D>,
    width: usize,
    log_rows: usize,
}

/// Sumcheck tables.
#[derive(Debug)]
pub struct Tables<F> {
    values: Planes<F>,
    weights: Planes<F>,
}

impl<F: Field> Tables<F> {
    /// Variables of the folded polynomial.
    #[must_use]
    pub fn num_variables(&self) -> usize {
        self.values.log_len()
    }

    /// The folded polynomial as the rows of the matrix that is encoded: `2^fold` elements a row,
    /// coefficients of an element side by side.
    #[must_use]
    pub fn message_rows(&self, order: Order, fold: usize) -> Vec<F> {
        let mut message = F::zero_vec(self.values.len() * self.values.degree());
        match order {
            Order::Suffix => self.values.write_interleaved(&mut message),
            Order::Prefix => rows::write_transposed(&self.values, fold, &mut message),
        }
        message
    }
}

/// The position of natural row `i` among `2^log_rows` stored rows, and the other way round.
const fn reverse(i: usize, log_rows: usize) -> usize {
    match log_rows {
        0 => i,
        _ => i.reverse_bits() >> (usize::BITS as usize - log_rows),
    }
}

const fn order(order: Order) -> planes::Order {
    match order {
        Order::Suffix => planes::Order::Suffix,
        Order::Prefix => planes::Order::Prefix,
    }
}

impl<S: ProverSuite> Cpu<S> {
    /// A back end with the tables that a run of this shape needs.
    #[must_use]
    pub fn for_run(run: &WhirShape) -> Self {
        let largest = query_phases(run)
            .iter()
            .map(|phase| phase.log_height)
            .max()
            .unwrap_or(0);
        Self {
            encoder: Encoder::new(largest),
            hasher: S::hasher(),
        }
    }

    /// Encodes and hashes; the codeword is kept when asked for.
    fn commit_matrix(
        &self,
        ctx: Context<'_>,
        message: &[S::F],
        width: usize,
        log_inv_rate: usize,
        keep_codeword: bool,
    ) -> Result<(S::Digest, Commitment<S::F, S::Digest>), Cancelled> {
        let rows = (message.len() / width) << log_inv_rate;
        let log_rows = rows.trailing_zeros() as usize;
        // Without the codeword leaves are worth keeping: an opening then evaluates no sibling rows.
        let builder = if keep_codeword {
            TreeBuilder::new(log_rows)
        } else {
            TreeBuilder::keeping_leaves(log_rows)
        };
        let hashing = AtomicU64::new(0);
        let stop = AtomicBool::new(false);
        let start = Instant::now();
        let sink = |s: usize, lower: &[S::F], upper: &[S::F]| {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let begun = Instant::now();
            builder.absorb_pair(&self.hasher, s, lower, upper, width);
            hashing.fetch_add(nanos(begun.elapsed()), Ordering::Relaxed);
            if ctx.observer.cancelled() {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let mut codeword = Vec::new();
        if keep_codeword {
            let len = message.len() << log_inv_rate;
            codeword.reserve_exact(len);
            let cells = &mut codeword.spare_capacity_mut()[..len];
            self.encoder
                .encode_uninit(message, width, log_inv_rate, cells, sink);
            // SAFETY: `encode_uninit` initialises every cell it is given.
            unsafe { codeword.set_len(len) };
        } else {
            let alone = |s: usize, rows: &[S::F]| {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let begun = Instant::now();
                builder.absorb_rows(&self.hasher, s, rows, width);
                hashing.fetch_add(nanos(begun.elapsed()), Ordering::Relaxed);
                if ctx.observer.cancelled() {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            let mut scratch = Vec::new();
            if !self
                .encoder
                .encode_alone(message, width, log_inv_rate, &mut scratch, alone)
            {
                self.encoder
                    .encode_discarding(message, width, log_inv_rate, &mut scratch, sink);
            }
        }
        let encoded = start.elapsed();
        if stop.into_inner() {
            return Err(Cancelled);
        }
        // Blocks are hashed on every worker while the transform goes on: hashing's share of the
        // wall time is its share of the workers' time.
        let workers = rayon::current_num_threads().max(1) as u64;
        let share = Duration::from_nanos(hashing.into_inner() / workers).min(encoded);
        let mut tree = ctx
            .stopwatch
            .time(Stage::Merkle, || builder.finish::<S::F, _>(&self.hasher));
        if keep_codeword {
            // Half of what is left of the tree, for a few hashes an opening.
            tree.drop_below(2);
        }
        ctx.stopwatch.give(Stage::Merkle, share);
        let root = tree.root();
        let codeword = keep_codeword.then_some(codeword);
        Ok((
            root,
            Commitment {
                codeword,
                tree,
                width,
                log_rows,
            },
        ))
    }

    /// Rows at natural indices, duplicates included, and their siblings.
    fn open_rows(
        &self,
        commitment: &Commitment<S::F, S::Digest>,
        indices: &[usize],
        recompute: impl FnOnce(&[usize]) -> Vec<Vec<S::F>>,
    ) -> Opened<S::F, S::Digest> {
        let Commitment {
            codeword,
            tree,
            width,
            log_rows,
        } = commitment;
        match codeword {
            Some(codeword) => {
                let row = |i: usize| &codeword[reverse(i, *log_rows) * width..][..*width];
                Opened {
                    rows: indices.iter().map(|&i| row(i).to_vec()).collect(),
                    siblings: tree.open(indices, |level, i| self.digest(level, i, *width, &row)),
                }
            }
            None => {
                let mut wanted = indices.to_vec();
                wanted.sort_unstable();
                wanted.dedup();
                let rows = recompute(&wanted);
                let row = |i: usize| {
                    let at = wanted.binary_search(&i);
                    rows[at.expect("opened rows were asked for, and leaves are kept")].as_slice()
                };
                Opened {
                    rows: indices.iter().map(|&i| row(i).to_vec()).collect(),
                    siblings: tree.open(indices, |level, i| self.digest(level, i, *width, &row)),
                }
            }
        }
    }

    /// [`Backend::partial_evaluations`] from the columns themselves.
    #[must_use]
    pub fn partials(
        &self,
        columns: &[Column<'_, S::F>],
        point: &Point<S::EF>,
        fold: usize,
    ) -> Vec<Partial<S::EF>> {
        let functional = [Functional::Multilinear(point.as_slice())];
        columns
            .iter()
            .map(|column| {
                let [evaluated] = eval::base_evals(column.values, &functional, fold)
                    .try_into()
                    .expect("one result a functional");
                evaluated.columns
            })
            .collect()
    }

    /// [`Backend::fold_message`] from the message itself.
    #[must_use]
    pub fn fold(
        &self,
        ctx: Context<'_>,
        message: &Message<'_, S::F>,
        challenges: &[S::EF],
        weights: &[SlotWeight<S::EF>],
    ) -> Tables<S::F> {
        let fold = challenges.len();
        let variables = message.num_variables - fold;
        let degree = <S::EF as BasedVectorSpace<S::F>>::DIMENSION;
        let values = match message.columns[..] {
            [Column { values, .. }] if values.len() == 1 << message.num_variables => {
                eval::compress(values, challenges)
            }
            _ => {
                let mut folded = Planes::zeros(variables, degree);
                for column in &message.columns {
                    let part = eval::compress(column.values, challenges);
                    for d in 0..degree {
                        folded.plane_mut(d)[column.offset >> fold..][..part.len()]
                            .copy_from_slice(part.plane(d));
                    }
                }
                folded
            }
        };
        let mut table = Planes::zeros(variables, degree);
        ctx.stopwatch
            .time(Stage::Weights, || add_slots::<S>(&mut table, weights));
        Tables {
            values,
            weights: table,
        }
    }

    /// Digest of a node whose level the tree does not keep, from the rows below it.
    fn digest<'a>(
        &self,
        level: usize,
        index: usize,
        width: usize,
        row: &impl Fn(usize) -> &'a [S::F],
    ) -> S::Digest
    where
        S::F: 'a,
    {
        let mut digest = [S::Digest::default()];
        if level == 0 {
            self.hasher.hash_rows(row(index), width, &mut digest);
        } else {
            let [left, right] =
                [0, 1].map(|side| self.digest(level - 1, 2 * index + side, width, row));
            self.hasher.compress(&[left], &[right], &mut digest);
        }
        digest[0]
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The stacked message: borrowed where one column fills it.
fn stacked<'a, F: PrimeCharacteristicRing + Copy>(message: &Message<'a, F>) -> Cow<'a, [F]> {
    let len = 1 << message.num_variables;
    if let [Column { values, .. }] = message.columns[..]
        && values.len() == len
    {
        return Cow::Borrowed(values);
    }
    let mut out = F::zero_vec(len);
    for column in &message.columns {
        out[column.offset..][..column.values.len()].copy_from_slice(column.values);
    }
    Cow::Owned(out)
}

/// Weights that cover slots of one size, as tables of that size.
fn add_slots<S: ProverSuite>(table: &mut Planes<S::F>, weights: &[SlotWeight<S::EF>]) {
    let full: Vec<_> = weights
        .iter()
        .filter(|weight| 1 << weight.point.num_variables() == table.len())
        .map(|weight| (weight.point.as_slice(), weight.coefficient))
        .collect();
    if !full.is_empty() {
        weights::add_eq(table, &full);
    }
    let mut partial: Vec<_> = weights
        .iter()
        .filter(|weight| 1 << weight.point.num_variables() != table.len())
        .collect();
    partial.sort_by_key(|weight| (weight.offset, weight.point.num_variables()));
    let same_slot = |a: &&SlotWeight<S::EF>, b: &&SlotWeight<S::EF>| {
        (a.offset, a.point.num_variables()) == (b.offset, b.point.num_variables())
    };
    for slot in partial.chunk_by(same_slot) {
        let list: Vec<_> = slot
            .iter()
            .map(|weight| (weight.point.as_slice(), weight.coefficient))
            .collect();
        let mut local = Planes::zeros(slot[0].point.num_variables(), table.degree());
        weights::add_eq(&mut local, &list);
        for d in 0..table.degree() {
            let cells = &mut table.plane_mut(d)[slot[0].offset..];
            cells
                .iter_mut()
                .zip(local.plane(d))
                .for_each(|(cell, &weight)| *cell += weight);
        }
    }
}

impl<S: ProverSuite> Backend<S> for Cpu<S> {
    type Base = Commitment<S::F, S::Digest>;
    type Folded = Commitment<S::F, S::Digest>;
    type Tables = Tables<S::F>;

    fn commit(
        &self,
        ctx: Context<'_>,
        message: &Message<'_, S::F>,
        fold: usize,
        log_inv_rate: usize,
    ) -> Result<(S::Digest, Self::Base), BackendError> {
        let values = stacked(message);
        Ok(self.commit_matrix(ctx, &values, 1 << fold, log_inv_rate, ctx.keep_codeword)?)
    }

    fn partial_evaluations(
        &self,
        _ctx: Context<'_>,
        _base: &Self::Base,
        columns: &[Column<'_, S::F>],
        point: &Point<S::EF>,
        fold: usize,
    ) -> Result<Vec<Partial<S::EF>>, BackendError> {
        Ok(self.partials(columns, point, fold))
    }

    fn fold_message(
        &self,
        ctx: Context<'_>,
        _base: &Self::Base,
        message: &Message<'_, S::F>,
        challenges: &[S::EF],
        weights: &[SlotWeight<S::EF>],
    ) -> Result<Self::Tables, BackendError> {
        Ok(self.fold(ctx, message, challenges, weights))
    }

    fn load(&self, evaluations: &[S::EF], weights: &[S::EF]) -> Result<Self::Tables, BackendError> {
        Ok(Tables {
            values: Planes::from_ext(evaluations),
            weights: Planes::from_ext(weights),
        })
    }

    fn commit_folded(
        &self,
        ctx: Context<'_>,
        tables: &Self::Tables,
        fold: usize,
        log_inv_rate: usize,
    ) -> Result<(S::Digest, Self::Folded), BackendError> {
        let degree = <S::EF as BasedVectorSpace<S::F>>::DIMENSION;
        let message = tables.message_rows(ctx.order, fold);
        Ok(self.commit_matrix(ctx, &message, degree << fold, log_inv_rate, true)?)
    }

    fn evaluate(&self, tables: &Self::Tables, y: S::EF) -> Result<S::EF, BackendError> {
        let point = Point::expand_from_univariate(y, tables.values.log_len());
        Ok(eval::evaluate(&tables.values, &[Functional::Multilinear(point.as_slice())])[0])
    }

    fn add_claims(
        &self,
        tables: &mut Self::Tables,
        claims: &Claims<S::EF>,
    ) -> Result<(), BackendError> {
        let variables = tables.values.log_len();
        let points: Vec<_> = claims
            .out_of_domain
            .iter()
            .map(|&(y, coefficient)| (Point::expand_from_univariate(y, variables), coefficient))
            .collect();
        let equalities: Vec<_> = points
            .iter()
            .map(|(point, coefficient)| (point.as_slice(), *coefficient))
            .collect();
        let select = weights::Select {
            log_order: claims.log_domain,
            terms: &claims.queries,
        };
        weights::add_constraints(&mut tables.weights, &equalities, select);
        Ok(())
    }

    fn round_message(
        &self,
        ctx: Context<'_>,
        tables: &Self::Tables,
    ) -> Result<[S::EF; 2], BackendError> {
        if tables.values.len() < 2 {
            // No round follows; the message is never sent.
            return Ok([S::EF::ZERO; 2]);
        }
        Ok(sumcheck::measure(
            &tables.values,
            &tables.weights,
            order(ctx.order),
        ))
    }

    fn bind(
        &self,
        ctx: Context<'_>,
        tables: &mut Self::Tables,
        r: S::EF,
        more: bool,
    ) -> Result<Option<[S::EF; 2]>, BackendError> {
        let Tables { values, weights } = tables;
        let order = order(ctx.order);
        if more {
            return Ok(Some(sumcheck::bind_and_measure(values, weights, r, order)));
        }
        sumcheck::bind(values, r, order);
        sumcheck::bind(weights, r, order);
        Ok(None)
    }

    fn values(&self, tables: &Self::Tables) -> Result<Vec<S::EF>, BackendError> {
        Ok(tables.values.to_ext())
    }

    fn open(
        &self,
        base: &Self::Base,
        message: &Message<'_, S::F>,
        indices: &[usize],
    ) -> Result<Opened<S::F, S::Digest>, BackendError> {
        Ok(self.open_rows(base, indices, |wanted| {
            rows::evaluate(&stacked(message), base.width, base.log_rows, wanted)
        }))
    }

    fn open_folded(
        &self,
        folded: &Self::Folded,
        indices: &[usize],
    ) -> Result<Opened<S::EF, S::Digest>, BackendError> {
        let degree = <S::EF as BasedVectorSpace<S::F>>::DIMENSION;
        let opened = self.open_rows(folded, indices, |_| Vec::new());
        let extension = |row: Vec<S::F>| {
            row.chunks_exact(degree)
                .map(|c| S::EF::from_basis_coefficients_fn(|d| c[d]))
                .collect()
        };
        Ok(Opened {
            rows: opened.rows.into_iter().map(extension).collect(),
            siblings: opened.siblings,
        })
    }
}
