//! Why an input is not a valid proof, with a number for each reason.

use prova_proof_file::{Failure, FileError};

/// The verdict of this crate.
pub type Verdict<T = ()> = Result<T, Failure<Rejection, Malformed>>;

/// An input that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The container.
    #[error(transparent)]
    File(#[from] FileError),
    /// Bytes that are not at a multiple of four, so that they cannot be read as words in place.
    #[error("{what} must start at a multiple of 4 bytes and consist of whole words")]
    Alignment {
        /// Which input.
        what: &'static str,
    },
    /// A section of the proof file, or the key, has a wrong length.
    #[error("{what}: expected {expected} words, got {got}")]
    Length {
        /// Which part.
        what: &'static str,
        /// Words it must have.
        expected: usize,
        /// Words it has.
        got: usize,
    },
    /// A word that must be a field element is not below the modulus.
    #[error("{what}: word {word} is {got:#x}, not a field element")]
    NotCanonical {
        /// Which part.
        what: &'static str,
        /// The word's place in the part.
        word: usize,
        /// The word.
        got: u32,
    },
    /// A nonce that no work was asked for is not zero.
    #[error("the unused nonce {which} must be zero, got {got:#x}")]
    UnusedNonce {
        /// Which nonce: out-of-domain, batching, query, then one a folding round.
        which: usize,
        /// Its value.
        got: u32,
    },
    /// The input is not a verifying key of a version that this program reads.
    #[error("not a verifying key of version 1")]
    NotAKey,
    /// A number in the key is out of range.
    #[error("verifying key: {field} must be {least} to {most}, got {got}")]
    KeyField {
        /// Which number.
        field: &'static str,
        /// Least allowed value.
        least: u32,
        /// Greatest allowed value.
        most: u32,
        /// The value.
        got: u32,
    },
    /// The key's padding is not zero.
    #[error("verifying key: padding must be zero")]
    KeyPadding,
    /// The key belongs to other constraints, or to others of their versions.
    #[error("verifying key: it is for other constraints than this verifier's")]
    OtherAir,
}

/// A phase with a proof of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Before the out-of-domain point.
    OutOfDomain,
    /// Before the challenge that batches the openings.
    Batching,
    /// Before the challenge of a folding round.
    Folding(usize),
    /// Before the queries.
    Query,
}

/// A proof that was read and does not prove its statement under the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// The proof was made for another key.
    #[error("the proof names another verifying key")]
    OtherKey,
    /// A nonce does not prove the work that was asked for.
    #[error("proof of work {0:?} does not hold")]
    Work(Work),
    /// The out-of-domain point lies in the trace domain.
    #[error("the out-of-domain point lies in the trace domain")]
    PointInDomain,
    /// The constraints do not match the quotient at the out-of-domain point.
    #[error("the constraints do not match the quotient at the out-of-domain point")]
    Constraints,
    /// A query point is an opening point.
    #[error("a query point is an opening point")]
    QueryIsPoint,
    /// Two queries of one leaf were opened to different rows.
    #[error("tree {tree}: two openings of one row differ")]
    RowsDiffer {
        /// The tree: trace, quotient, preprocessed if any, then the folding rounds.
        tree: usize,
    },
    /// The last folded value is not the final polynomial's.
    #[error("a folded value is not the final polynomial's")]
    FinalPolynomial,
    /// A multi-opening has a wrong number of siblings for the drawn queries.
    #[error("tree {tree}: the number of siblings does not fit the queries, got {got}")]
    Siblings {
        /// The tree, as above.
        tree: usize,
        /// Siblings in the proof.
        got: usize,
    },
    /// Opened rows and siblings do not give the committed root.
    #[error("tree {tree}: the opened rows do not lie under the commitment")]
    Root {
        /// The tree, as above.
        tree: usize,
    },
}

impl Malformed {
    /// A number for this reason, with which a guest halts; no two reasons share one, and none ever
    /// changes. From 256 on: malformed input.
    #[must_use]
    pub const fn code(&self) -> u32 {
        match self {
            Self::File(_) => 256,
            Self::Alignment { .. } => 257,
            Self::Length { .. } => 258,
            Self::NotCanonical { .. } => 259,
            Self::UnusedNonce { .. } => 260,
            Self::NotAKey => 261,
            Self::KeyField { .. } => 262,
            Self::KeyPadding => 263,
            Self::OtherAir => 264,
        }
    }
}

impl Rejection {
    /// A number for this reason, with which a guest halts; no two reasons share one, and none ever
    /// changes. From 512 on: rejections.
    #[must_use]
    pub const fn code(&self) -> u32 {
        match self {
            Self::OtherKey => 512,
            Self::Work(_) => 513,
            Self::PointInDomain => 514,
            Self::Constraints => 515,
            Self::QueryIsPoint => 516,
            Self::RowsDiffer { .. } => 517,
            Self::FinalPolynomial => 518,
            Self::Siblings { .. } => 519,
            Self::Root { .. } => 520,
        }
    }
}

/// The number of a verdict: zero for a valid proof.
#[must_use]
pub const fn code<T>(verdict: &Verdict<T>) -> u32 {
    match verdict {
        Ok(_) => 0,
        Err(Failure::Rejected(reason)) => reason.code(),
        Err(Failure::Malformed(error)) => error.code(),
    }
}
