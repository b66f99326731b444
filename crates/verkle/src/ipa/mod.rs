//! The inner product argument over 256 generators: eight rounds, 544 bytes.
//!
//! Statement: a vector committed as C = Σ a_i·G_i has inner product y with the evaluation vector
//! of a point. The protocol is that of go-ipa and rust-verkle: Bulletproofs' (Bünz et al., 2017)
//! without blinding, folding the evaluation vector and the generators with the inverse challenge.

#[cfg(feature = "prove")]
mod prove;
mod verify;

use alloc::vec::Vec;

use crate::element::{Commitment, PointError};
use crate::field::Fr;

#[cfg(feature = "prove")]
pub use prove::prove;
pub use verify::verify;
pub(crate) use verify::{Check, check};

/// Rounds: the binary logarithm of the number of generators.
pub const ROUNDS: usize = 8;
/// Length of an encoded proof.
pub const PROOF_LEN: usize = 32 * (2 * ROUNDS + 1);

/// A proof of an inner product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpaProof {
    /// L of every round.
    pub l: [Commitment; ROUNDS],
    /// R of every round.
    pub r: [Commitment; ROUNDS],
    /// The vector folded to one scalar.
    pub a: Fr,
}

/// Why bytes are not a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The number of bytes is wrong.
    #[error("expected {expected} bytes, got {got}")]
    Length {
        /// Right number.
        expected: usize,
        /// What came.
        got: usize,
    },
    /// One of the elements is malformed.
    #[error("element {index}, at byte {offset}: {error}", offset = 32 * index)]
    Point {
        /// Position among the 32-byte words of the proof.
        index: usize,
        /// What is wrong with it.
        error: PointError,
    },
    /// The final scalar is not below r.
    #[error("the final scalar, at byte {offset}, is not below the group's order")]
    Scalar {
        /// Where it stands.
        offset: usize,
    },
}

impl IpaProof {
    /// L_0‥L_7 ‖ R_0‥R_7 ‖ a, elements in their encoding, the scalar little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; PROOF_LEN] {
        let mut bytes = [0; PROOF_LEN];
        let (words, _) = bytes.as_chunks_mut::<32>();
        let points = self.l.iter().chain(&self.r);
        for (word, point) in words.iter_mut().zip(points) {
            *word = *point.as_bytes();
        }
        words[2 * ROUNDS] = self.a.to_le_bytes();
        bytes
    }

    /// Decodes and checks every element and the scalar.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        if bytes.len() != PROOF_LEN {
            return Err(DecodeError::Length {
                expected: PROOF_LEN,
                got: bytes.len(),
            });
        }
        let (points, a) = decode_words(bytes)?;
        Ok(Self::from_parts(&mut points.into_iter(), a))
    }

    /// The next 16 elements, which there are, and the scalar.
    pub(crate) fn from_parts(points: &mut impl Iterator<Item = Commitment>, a: Fr) -> Self {
        let mut next = || points.next().unwrap_or(Commitment::IDENTITY);
        Self {
            l: core::array::from_fn(|_| next()),
            r: core::array::from_fn(|_| next()),
            a,
        }
    }
}

/// Words that are elements, and a last one that is a scalar.
pub(crate) fn decode_words(bytes: &[u8]) -> Result<(Vec<Commitment>, Fr), DecodeError> {
    let (words, rest) = bytes.as_chunks::<32>();
    let Some((scalar, words)) = words.split_last().filter(|_| rest.is_empty()) else {
        return Err(DecodeError::Length {
            expected: PROOF_LEN,
            got: bytes.len(),
        });
    };
    let points = Commitment::decode_all(words)
        .map_err(|(index, error)| DecodeError::Point { index, error })?;
    let scalar = Fr::from_le_bytes(scalar).ok_or(DecodeError::Scalar {
        offset: 32 * words.len(),
    })?;
    Ok((points, scalar))
}

/// What both sides absorb first, and the factor of Q that is drawn from it.
fn start(transcript: &mut crate::Transcript, commitment: &Commitment, point: Fr, value: Fr) -> Fr {
    transcript.domain_separator(b"ipa");
    transcript.append_point(b"C", commitment);
    transcript.append_scalar(b"input point", point);
    transcript.append_scalar(b"output point", value);
    transcript.challenge(b"w")
}

/// Absorbs one round and draws its challenge.
fn round(transcript: &mut crate::Transcript, l: &Commitment, r: &Commitment) -> Fr {
    transcript.append_point(b"L", l);
    transcript.append_point(b"R", r);
    transcript.challenge(b"x")
}
