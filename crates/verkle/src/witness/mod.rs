//! Execution witnesses: the part of the state that a block reads, with a proof against the root
//! of the tree before the block.
//!
//! The format is that of EIP-6800's `ExecutionWitness` as the Kaustinen test networks' blocks carry
//! it. The verifying part knows nothing of JSON; reading and writing that is in the feature
//! `witness`.
//!
//! # What a witness shows, and what it cannot
//!
//! A tree has inner nodes, which commit to the scalars of up to 256 children, and leaf nodes, which
//! commit to 1, the stem, and the scalars of two commitments to values. For every stem of the
//! witness [`verify_prestate`] checks the children on its path, and the 1 and the stem of the leaf
//! node at its end. Nothing in the format shows that a node which is passed as an inner node *is*
//! one. A leaf node's positions from 4 on are zero, so whoever makes the proof can pass the leaf
//! node of a stem as an inner node that has no child there, and so "show" that the stem is absent;
//! and where stems can be chosen freely, a stem that equals the scalar of a made-up commitment lets
//! them hang a made-up subtree below its leaf node. Deployed verifiers accept both. Since the set
//! of openings is part of the format, this one cannot ask for more; but often other openings of the
//! same proof rule it out (a leaf node has no non-zero child at position 4 or above), and
//! [`Summary::ambiguous`] names the stems for which none does. Their state is established only if
//! the proof was made honestly.

mod error;
#[cfg(feature = "witness")]
mod json;
pub(crate) mod layout;
pub(crate) mod verify;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::element::Commitment;
use crate::field::Fr;
use crate::ipa::{IpaProof, ROUNDS};
use crate::multiproof::MultiProof;

pub use error::WitnessError;
pub use verify::{Summary, verify_prestate};

/// The first 31 bytes of a key, which name a leaf node.
pub type Stem = [u8; 31];
/// A key: a stem and a suffix.
pub type Key = [u8; 32];
/// A value.
pub type Value = [u8; 32];

/// The label of the transcript of a witness's proof.
pub(crate) const LABEL: &[u8] = b"vt";

/// A part of the state before a block, what the block makes of it, and a proof of the former.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "witness",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "camelCase")
)]
pub struct ExecutionWitness {
    /// What is read and written, by stem, in ascending order.
    pub state_diff: Vec<StemDiff>,
    /// The proof of all current values.
    pub verkle_proof: VerkleProof,
}

/// What is read and written under one stem.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "witness",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "camelCase")
)]
pub struct StemDiff {
    /// The stem.
    #[cfg_attr(feature = "witness", serde(with = "json::bytes"))]
    pub stem: Stem,
    /// What is read and written, by suffix, in ascending order.
    pub suffix_diffs: Vec<SuffixDiff>,
}

/// What is read and written under one key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "witness",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "camelCase")
)]
pub struct SuffixDiff {
    /// The last byte of the key.
    #[cfg_attr(feature = "witness", serde(with = "json::suffix"))]
    pub suffix: u8,
    /// The value before the block; `None` where the key is absent.
    #[cfg_attr(feature = "witness", serde(with = "json::optional"))]
    pub current_value: Option<Value>,
    /// The value after the block; `None` where it does not change. The proof says nothing of it.
    #[cfg_attr(feature = "witness", serde(with = "json::optional"))]
    pub new_value: Option<Value>,
}

/// Where the stems of a witness stand in the tree, and the multiproof over all openings that
/// follow from it. Elements and the scalar are as they came; [`verify_prestate`] decodes them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "witness",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "camelCase")
)]
pub struct VerkleProof {
    /// Stems, in ascending order, whose leaf nodes stand where absent stems would, and which are
    /// not in the difference themselves.
    #[cfg_attr(feature = "witness", serde(with = "json::list"))]
    pub other_stems: Vec<Stem>,
    /// For each stem of the difference a byte: the depth of its leaf node (the number of bytes on
    /// the path to it) times 8, plus 0 if there is no node at that depth, 1 if there is the leaf
    /// node of another stem, 2 if it is present.
    #[cfg_attr(feature = "witness", serde(with = "json::string"))]
    pub depth_extension_present: Vec<u8>,
    /// The commitments of all nodes on the paths, without the root, ordered by path.
    #[cfg_attr(feature = "witness", serde(with = "json::list"))]
    pub commitments_by_path: Vec<[u8; 32]>,
    /// D of the multiproof.
    #[cfg_attr(feature = "witness", serde(with = "json::bytes"))]
    pub d: [u8; 32],
    /// The inner product argument of the multiproof.
    pub ipa_proof: IpaBytes,
}

/// An encoded inner product argument.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "witness",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "camelCase")
)]
pub struct IpaBytes {
    /// L of every round.
    #[cfg_attr(feature = "witness", serde(with = "json::array"))]
    pub cl: [[u8; 32]; ROUNDS],
    /// R of every round.
    #[cfg_attr(feature = "witness", serde(with = "json::array"))]
    pub cr: [[u8; 32]; ROUNDS],
    /// The final scalar, big-endian: the other way round than in the 576 bytes of
    /// [`MultiProof::to_bytes`].
    #[cfg_attr(feature = "witness", serde(with = "json::scalar"))]
    pub final_evaluation: [u8; 32],
}

impl VerkleProof {
    /// The multiproof, decoded.
    ///
    /// # Errors
    /// An encoding that is not an element or not a scalar; the error says which.
    pub fn multiproof(&self) -> Result<MultiProof, WitnessError> {
        let IpaBytes {
            cl,
            cr,
            final_evaluation,
        } = &self.ipa_proof;
        Ok(MultiProof {
            d: decode(&self.d, || "verkleProof.d".into())?,
            ipa: IpaProof {
                l: decode_rounds(cl, "cl")?,
                r: decode_rounds(cr, "cr")?,
                a: Fr::from_be_bytes(final_evaluation).ok_or_else(|| WitnessError::Scalar {
                    path: "verkleProof.ipaProof.finalEvaluation".into(),
                })?,
            },
        })
    }

    /// Puts a multiproof in the place of the present one.
    pub fn set_multiproof(&mut self, proof: &MultiProof) {
        self.d = *proof.d.as_bytes();
        self.ipa_proof = IpaBytes {
            cl: proof.ipa.l.map(|l| *l.as_bytes()),
            cr: proof.ipa.r.map(|r| *r.as_bytes()),
            final_evaluation: proof.ipa.a.to_be_bytes(),
        };
    }
}

fn decode(bytes: &[u8; 32], path: impl FnOnce() -> String) -> Result<Commitment, WitnessError> {
    Commitment::from_bytes(bytes).map_err(|error| WitnessError::Point {
        path: path(),
        error,
    })
}

fn decode_rounds(
    rounds: &[[u8; 32]; ROUNDS],
    name: &str,
) -> Result<[Commitment; ROUNDS], WitnessError> {
    let mut decoded = [Commitment::IDENTITY; ROUNDS];
    for (round, (commitment, bytes)) in decoded.iter_mut().zip(rounds).enumerate() {
        *commitment = decode(bytes, || format!("verkleProof.ipaProof.{name}[{round}]"))?;
    }
    Ok(decoded)
}
