//! The multipoint argument: one proof of 576 bytes that many committed polynomials have the
//! claimed values at points of the domain.
//!
//! The protocol is Dankrad Feist's "PCS multiproofs using random evaluation" (2021) as go-ipa and
//! rust-verkle have it; `docs/transcript-verkle.md` lists what is absorbed, in order.

mod aggregate;
mod batch;
#[cfg(feature = "prove")]
mod prove;
mod verify;

use crate::element::Commitment;
use crate::field::Fr;
use crate::ipa::{self, DecodeError, IpaProof};
use crate::lagrange::DOMAIN;

pub use batch::{BatchError, BatchItem, verify_batch};
#[cfg(feature = "prove")]
pub use prove::prove;
pub use verify::verify;

/// Length of an encoded proof.
pub const PROOF_LEN: usize = 32 + ipa::PROOF_LEN;

/// A polynomial that is opened, by its values on the domain. Borrowed, never copied.
#[derive(Clone, Copy, Debug)]
pub enum Polynomial<'a> {
    /// All 256 values.
    Dense(&'a [Fr; DOMAIN]),
    /// All 256 values, 32 little-endian bytes each, which must be canonical.
    Bytes(&'a [u8; 32 * DOMAIN]),
    /// The values that are not zero, by position; a position given twice counts with the sum.
    Sparse(&'a [(u8, Fr)]),
}

/// What a prover opens: a committed polynomial at a point of the domain.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// The commitment of the polynomial. Not recomputed: a wrong one gives a proof that does not
    /// verify.
    pub commitment: &'a Commitment,
    /// The polynomial.
    pub polynomial: Polynomial<'a>,
    /// The point.
    pub point: u8,
}

/// 32 little-endian bytes of an integer below r.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScalarBytes([u8; 32]);

impl ScalarBytes {
    /// Zero.
    pub const ZERO: Self = Self([0; 32]);

    /// Checks that the integer is below r; `None` if it is not.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Option<Self> {
        Fr::from_le_bytes(&bytes).map(|_| Self(bytes))
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<Fr> for ScalarBytes {
    fn from(value: Fr) -> Self {
        Self(value.to_le_bytes())
    }
}

impl From<ScalarBytes> for Fr {
    fn from(value: ScalarBytes) -> Self {
        // Canonical, so nothing is reduced.
        Self::from_le_bytes_reduced(&value.0)
    }
}

impl core::fmt::Debug for ScalarBytes {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        Fr::from(*self).fmt(f)
    }
}

/// What a verifier checks: that a committed polynomial has a value at a point of the domain.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The commitment of the polynomial.
    pub commitment: &'a Commitment,
    /// The point.
    pub point: u8,
    /// The claimed value.
    pub value: ScalarBytes,
}

/// A proof of many openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultiProof {
    /// The commitment to the sum of quotients.
    pub d: Commitment,
    /// The inner product argument for the aggregated opening.
    pub ipa: IpaProof,
}

impl MultiProof {
    /// D ‖ L_0‥L_7 ‖ R_0‥R_7 ‖ a, elements in their encoding, the scalar little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; PROOF_LEN] {
        let mut bytes = [0; PROOF_LEN];
        bytes[..32].copy_from_slice(self.d.as_bytes());
        bytes[32..].copy_from_slice(&self.ipa.to_bytes());
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
        let (points, a) = ipa::decode_words(bytes)?;
        let mut points = points.into_iter();
        Ok(Self {
            d: points.next().unwrap_or(Commitment::IDENTITY),
            ipa: IpaProof::from_parts(&mut points, a),
        })
    }
}

/// Why nothing was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// There is nothing to open.
    #[error("no openings")]
    NoOpenings,
    /// A value of a polynomial given by bytes is not canonical.
    #[error("opening {opening}: value {position} is not below the group's order")]
    NotCanonical {
        /// Which opening.
        opening: usize,
        /// Which value.
        position: usize,
    },
    /// A challenge cannot be used. It happens by chance with probability below 2^-240.
    #[error("a challenge is zero or in the domain")]
    ZeroChallenge,
}

/// Why a proof was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// There is nothing to verify.
    #[error("no openings")]
    NoOpenings,
    /// A challenge cannot be used. It happens by chance with probability below 2^-240.
    #[error("a challenge is zero or in the domain")]
    ZeroChallenge,
    /// The proof does not show the openings.
    #[error("the proof does not show the claimed openings")]
    Rejected,
}
