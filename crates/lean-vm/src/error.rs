//! Why a VM proof is not accepted.

use prova_binary_pcs::{Malformed, Rejection as OpeningRejection};
use prova_proof_file::Failure;

/// What a verification ends with when it does not accept: malformed input, or a rejection.
pub type VerifyError = Failure<Rejection, Malformed>;

/// What a verification step ends with.
pub type Outcome<T> = Result<T, VerifyError>;

/// The step that found a proof false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// The multisets on the bus differ.
    #[error("bus: expected equal push and pull products, got different ones")]
    Unbalanced,
    /// A counter is zero.
    #[error("bus: expected a product of counters that is not zero, got zero")]
    ZeroCounter,
    /// A layer of the grand products.
    #[error("bus: layer {layer} of the grand products does not multiply to the one above")]
    BusLayer {
        /// The layer, counted from the roots.
        layer: usize,
    },
    /// The closing identity of the table sumcheck.
    #[error("table sumcheck: the column values do not give the last claim")]
    Tables,
    /// The first two memory cells.
    #[error("public input: the first two memory cells do not hold it")]
    PublicInput,
    /// The closing identity of the BLAKE2s constraint system.
    #[error("BLAKE2s constraints: the column claims do not give the last claim of the lincheck")]
    Lincheck,
    /// The opening of the committed polynomial.
    #[error(transparent)]
    Opening(#[from] OpeningRejection),
}

/// A [`Rejection`] as a failed step.
pub(crate) const fn reject<T>(rejection: Rejection) -> Outcome<T> {
    Err(Failure::Rejected(rejection))
}
