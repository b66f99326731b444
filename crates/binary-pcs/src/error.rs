//! Why an opening is not accepted.

use prova_proof_file::{FileError, TapeError};

use crate::params::ParamsError;

/// What a verification step ends with: its value, a rejection, or malformed input.
pub type Outcome<T, R = Rejection> = Result<T, prova_proof_file::Failure<R, Malformed>>;

/// The bytes of a proof could not be read as a proof of the shape the verifier derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The bytes end early, go on too long, or hold a value that is not allowed at its place.
    #[error(transparent)]
    Tape(#[from] TapeError),
    /// The container of the proof.
    #[error(transparent)]
    File(#[from] FileError),
    /// No ladder exists for the announced sizes.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// A count written in the proof differs from the one the verifier derived.
    #[error("wrong count at offset {offset}: expected {expected} {what}, got {got}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// Offset of the count in the body.
        offset: usize,
        /// The derived count.
        expected: usize,
        /// The count in the proof.
        got: u64,
    },
    /// A size that the proof announces leads to one that is not supported.
    #[error("unsupported size: expected {what} from {least} to {most}, got {got}")]
    Size {
        /// What is measured.
        what: &'static str,
        /// The smallest supported value.
        least: u64,
        /// The largest supported value.
        most: u64,
        /// The value.
        got: u64,
    },
}

/// The step of an opening that found it false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// A nonce does not have the grinding bits asked for.
    #[error("opening level {level}: expected a nonce good for {bits} grinding bits")]
    Grinding {
        /// The level of the ladder.
        level: usize,
        /// The bits asked for.
        bits: u32,
    },
    /// The opened rows and siblings do not lead to the level's root.
    #[error("opening level {level}: the opened rows do not hash to the root of their oracle")]
    Root {
        /// The level of the ladder.
        level: usize,
    },
    /// The closing identity: claim = weight at the terminal point times the residual there.
    #[error("opening: the last claim is not the weight times the residual at the terminal point")]
    Terminal,
}
