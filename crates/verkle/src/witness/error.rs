//! Why a witness was not accepted.

use alloc::string::String;

use super::Stem;
use crate::element::PointError;
use crate::multiproof::VerifyError;

/// Why a witness was not accepted. Indices count from 0; `stem` indices are positions in
/// `stateDiff`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WitnessError {
    /// The text is not a witness in JSON.
    #[error("{path}: {message}")]
    Json {
        /// Where, as `executionWitness.verkleProof.ipaProof.cl[3]`.
        path: String,
        /// What was expected and what came, with line and column.
        message: String,
    },
    /// 32 bytes are not an element.
    #[error("{path}: {error}")]
    Point {
        /// Which.
        path: String,
        /// What is wrong with it.
        error: PointError,
    },
    /// The final scalar is not canonical.
    #[error("{path}: not below the group's order")]
    Scalar {
        /// Which.
        path: String,
    },
    /// The stems do not ascend.
    #[error("stateDiff[{index}]: the stem is not above the one before")]
    StemOrder {
        /// Position of the later one.
        index: usize,
    },
    /// The suffixes under a stem do not ascend.
    #[error("stateDiff[{stem}].suffixDiffs[{index}]: the suffix is not above the one before")]
    SuffixOrder {
        /// Position of the stem.
        stem: usize,
        /// Position of the later suffix.
        index: usize,
    },
    /// A stem without suffixes says nothing.
    #[error("stateDiff[{index}]: no suffixes")]
    NoSuffixes {
        /// Position of the stem.
        index: usize,
    },
    /// There must be one byte of depth and status for each stem.
    #[error("depthExtensionPresent: expected {expected} bytes, one a stem, got {got}")]
    StatusCount {
        /// The number of stems.
        expected: usize,
        /// What came.
        got: usize,
    },
    /// The depth is not in 1..=31, or the status not in 0..=2.
    #[error(
        "depthExtensionPresent[{index}]: {byte:#04x} is not a depth in 1..=31 times 8 plus a status in 0..=2"
    )]
    Status {
        /// Which.
        index: usize,
        /// The byte.
        byte: u8,
    },
    /// A value is claimed for a stem that is absent.
    #[error("stateDiff[{stem}].suffixDiffs[{index}]: a value under a stem that is absent")]
    ValueOfAbsentStem {
        /// Position of the stem.
        stem: usize,
        /// Position of the suffix.
        index: usize,
    },
    /// The other stems do not ascend.
    #[error("otherStems[{index}]: not above the one before")]
    OtherStemOrder {
        /// Position of the later one.
        index: usize,
    },
    /// An other stem is a stem of the difference.
    #[error("otherStems[{index}]: is a stem of the difference")]
    OtherStemInDifference {
        /// Which.
        index: usize,
    },
    /// No absent stem needs this other stem.
    #[error("otherStems[{index}]: stands on no absent stem's place")]
    OtherStemUnused {
        /// Which.
        index: usize,
    },
    /// The place of an absent stem is said to be taken, and no stem is given that stands there.
    #[error(
        "stateDiff[{stem}]: no other stem begins with the {depth} bytes that lead to where it would be"
    )]
    OtherStemMissing {
        /// Position of the absent stem.
        stem: usize,
        /// The depth of the place.
        depth: usize,
    },
    /// Two stems give the same place in the tree different contents.
    #[error("two stems disagree on the node at depth {depth} on the path of {stem:02x?}")]
    Conflict {
        /// The path, as the stem that begins with it, padded with zeros.
        stem: Stem,
        /// Its length.
        depth: usize,
    },
    /// The number of commitments is not what the stems ask for.
    #[error("commitmentsByPath: expected {expected}, got {got}")]
    CommitmentCount {
        /// The number of nodes on the paths, without the root.
        expected: usize,
        /// What came.
        got: usize,
    },
    /// A node is given the commitment of nothing.
    #[error("commitmentsByPath[{index}]: the identity, which is no node's commitment")]
    EmptyNode {
        /// Which.
        index: usize,
    },
    /// The multiproof does not show the openings.
    #[error(transparent)]
    Proof(#[from] VerifyError),
}

impl WitnessError {
    /// Whether the witness was read and found wrong (`true`), rather than not readable (`false`):
    /// text that is no witness, encodings that are no elements or scalars.
    #[must_use]
    pub fn is_rejection(&self) -> bool {
        !matches!(
            self,
            Self::Json { .. } | Self::Point { .. } | Self::Scalar { .. }
        )
    }
}
