//! The seam between the prover loop and the machine that does the work.
//!
//! A back end owns everything that is large: codewords, trees and sumcheck tables. The loop sees
//! only roots, round messages, opened rows and challenges, so a device can keep the rest.

use p3_multilinear_util::point::Point;
use prova_whir::Order;

use crate::error::BackendError;
use crate::observer::{Observer, Stopwatch};
use crate::suite::ProverSuite;

/// A column of the committed table: `2^v` base-field values that fill an aligned slot of the
/// stacked polynomial.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a, F> {
    /// The values.
    pub values: &'a [F],
    /// Index of the first one in the stacked polynomial, a multiple of their number.
    pub offset: usize,
}

/// The committed message: columns in their slots, zeros elsewhere.
#[derive(Clone, Debug)]
pub struct Message<'a, F> {
    /// Variables of the stacked polynomial.
    pub num_variables: usize,
    /// Every column, by ascending offset.
    pub columns: Vec<Column<'a, F>>,
}

/// What a back end needs beside its data.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Attributes time to stages.
    pub stopwatch: &'a Stopwatch,
    /// Asked for cancellation inside long stages.
    pub observer: &'a dyn Observer,
    /// Variable order of the run.
    pub order: Order,
    /// Whether codewords are kept for opening, or rows computed again from the message.
    pub keep_codeword: bool,
}

/// Rows opened from a codeword, and the siblings that authenticate them.
#[derive(Clone, Debug)]
pub struct Opened<T, D> {
    /// One row a queried index, in query order, duplicates included.
    pub rows: Vec<Vec<T>>,
    /// Sibling digests in the wire order of `p3-merkle-tree`'s pruned paths.
    pub siblings: Vec<D>,
}

/// New claims of a round, to be added to the weights with their batching coefficients.
#[derive(Clone, Debug, Default)]
pub struct Claims<EF> {
    /// Out-of-domain points `y`, standing for `(y^(2^(n-1)), ..., y^2, y)`, and coefficients.
    pub out_of_domain: Vec<(EF, EF)>,
    /// Queried positions of a domain of size `2^log_domain`, and coefficients: position `i` is
    /// the point `g^i`, `g` the generator of the domain.
    pub queries: Vec<(usize, EF)>,
    /// `log2` of the queried domain's size.
    pub log_domain: usize,
}

/// An equality weight over a slot: `coefficient * eq(point, x)` for every `x` of the slot.
#[derive(Clone, Debug)]
pub struct SlotWeight<EF> {
    /// First index of the slot in the folded table.
    pub offset: usize,
    /// Point; coordinate 0 belongs to the highest index bit of the slot.
    pub point: Point<EF>,
    /// Factor.
    pub coefficient: EF,
}

/// Partial evaluation of a column at a point with `k` low coordinates left open.
pub type Partial<EF> = Vec<EF>;

/// A machine that commits, folds and opens.
///
/// Shapes: a commitment with folding factor `k` and `log2(1/rho) = r` of a table of `2^n` values
/// has `2^(n-k+r)` rows of `2^k` values. All methods are deterministic.
///
/// Every method may fail with [`BackendError::Cancelled`] when the observer asks for it, and with
/// [`BackendError::Device`] when the machine gives up; the run then ends without another call.
pub trait Backend<S: ProverSuite>: Send + Sync {
    /// Commitment to the base-field message: codeword (or the means to open it) and tree, and
    /// whatever of the message the machine keeps.
    type Base;
    /// Commitment to a folded table.
    type Folded;
    /// The two sumcheck tables: the folded polynomial and the weights.
    type Tables;

    /// Commits to the message.
    ///
    /// # Errors
    /// See the trait.
    fn commit(
        &self,
        ctx: Context<'_>,
        message: &Message<'_, S::F>,
        fold: usize,
        log_inv_rate: usize,
    ) -> Result<(S::Digest, Self::Base), BackendError>;

    /// For each column of `columns`: the table `g[j] = sum_x eq(z_high, x) f[x * 2^k + j]`, where
    /// `z_high` is all but the last `k` coordinates of `point`. Suffix order only.
    ///
    /// # Errors
    /// See the trait.
    fn partial_evaluations(
        &self,
        ctx: Context<'_>,
        base: &Self::Base,
        columns: &[Column<'_, S::F>],
        point: &Point<S::EF>,
        fold: usize,
    ) -> Result<Vec<Partial<S::EF>>, BackendError>;

    /// Folds the message behind `base` at the first round's challenges (in sampling order, lowest
    /// index bit first) and starts the weights as the sum of `weights`. Suffix order only.
    ///
    /// # Errors
    /// See the trait.
    fn fold_message(
        &self,
        ctx: Context<'_>,
        base: &Self::Base,
        message: &Message<'_, S::F>,
        challenges: &[S::EF],
        weights: &[SlotWeight<S::EF>],
    ) -> Result<Self::Tables, BackendError>;

    /// Takes over tables that were folded elsewhere.
    ///
    /// # Errors
    /// See the trait.
    fn load(&self, evaluations: &[S::EF], weights: &[S::EF]) -> Result<Self::Tables, BackendError>;

    /// Commits to the folded polynomial.
    ///
    /// # Errors
    /// See the trait.
    fn commit_folded(
        &self,
        ctx: Context<'_>,
        tables: &Self::Tables,
        fold: usize,
        log_inv_rate: usize,
    ) -> Result<(S::Digest, Self::Folded), BackendError>;

    /// The folded polynomial at the out-of-domain point `(y^(2^(n-1)), ..., y^2, y)`:
    /// `sum_b f[b] eq(point, b)`.
    ///
    /// # Errors
    /// See the trait.
    fn evaluate(&self, tables: &Self::Tables, y: S::EF) -> Result<S::EF, BackendError>;

    /// Adds the weights of new claims.
    ///
    /// # Errors
    /// See the trait; the tables are then unusable.
    fn add_claims(
        &self,
        tables: &mut Self::Tables,
        claims: &Claims<S::EF>,
    ) -> Result<(), BackendError>;

    /// `[h(0), h(inf)]` of the next round's polynomial.
    ///
    /// # Errors
    /// See the trait.
    fn round_message(
        &self,
        ctx: Context<'_>,
        tables: &Self::Tables,
    ) -> Result<[S::EF; 2], BackendError>;

    /// Binds the next variable to `r`. When `more`, also returns the message of the round that
    /// follows, measured in the same pass.
    ///
    /// # Errors
    /// See the trait; the tables are then unusable.
    fn bind(
        &self,
        ctx: Context<'_>,
        tables: &mut Self::Tables,
        r: S::EF,
        more: bool,
    ) -> Result<Option<[S::EF; 2]>, BackendError>;

    /// The folded polynomial, when it is small enough to send.
    ///
    /// # Errors
    /// See the trait.
    fn values(&self, tables: &Self::Tables) -> Result<Vec<S::EF>, BackendError>;

    /// Opens rows of the message's codeword.
    ///
    /// # Errors
    /// See the trait.
    fn open(
        &self,
        base: &Self::Base,
        message: &Message<'_, S::F>,
        indices: &[usize],
    ) -> Result<Opened<S::F, S::Digest>, BackendError>;

    /// Opens rows of a folded table's codeword.
    ///
    /// # Errors
    /// See the trait.
    fn open_folded(
        &self,
        folded: &Self::Folded,
        indices: &[usize],
    ) -> Result<Opened<S::EF, S::Digest>, BackendError>;
}
