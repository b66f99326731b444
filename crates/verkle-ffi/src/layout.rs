//! Lengths and encodings.

use prova_verkle::{Commitment, PointError};
use rayon::prelude::*;

use crate::status::Failure;

/// Bytes of a compressed point: x big-endian, of the representative with the larger y.
pub const PROVA_VERKLE_POINT_LEN: usize = 32;
/// Bytes of an uncompressed point: x, then y, both little-endian. Two encodings stand for the same
/// point, so compare compressed ones.
pub const PROVA_VERKLE_POINT_UNCOMPRESSED_LEN: usize = 64;
/// Bytes of a scalar: little-endian, below the order of the group.
pub const PROVA_VERKLE_SCALAR_LEN: usize = 32;
/// Values of a polynomial, and generators of a commitment.
pub const PROVA_VERKLE_WIDTH: usize = 256;
/// Bytes of one change of a committed value: old scalar, new scalar, position in one byte.
pub const PROVA_VERKLE_UPDATE_LEN: usize = 65;
/// Bytes of a prover's query: compressed commitment, 256 scalars, point z in one byte, the scalar
/// y = f(z).
pub const PROVA_VERKLE_PROVER_QUERY_LEN: usize = 8257;
/// Bytes of a prover's query with an uncompressed commitment.
pub const PROVA_VERKLE_PROVER_QUERY_UNCOMPRESSED_LEN: usize = 8289;
/// Bytes of a verifier's query: compressed commitment, point z in one byte, the scalar y.
pub const PROVA_VERKLE_VERIFIER_QUERY_LEN: usize = 65;
/// Bytes of a verifier's query with an uncompressed commitment.
pub const PROVA_VERKLE_VERIFIER_QUERY_UNCOMPRESSED_LEN: usize = 97;
/// Bytes of a proof: the points D, L_0 to L_7, R_0 to R_7, compressed, and a scalar.
pub const PROVA_VERKLE_PROOF_LEN: usize = 576;
/// Bytes of a proof whose 17 points are uncompressed.
pub const PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN: usize = 1120;

const POLYNOMIAL_LEN: usize = PROVA_VERKLE_WIDTH * PROVA_VERKLE_SCALAR_LEN;
/// Points of a proof.
pub(crate) const PROOF_POINTS: usize = 17;

const _: () = {
    let (point, wide, scalar) = (
        PROVA_VERKLE_POINT_LEN,
        PROVA_VERKLE_POINT_UNCOMPRESSED_LEN,
        PROVA_VERKLE_SCALAR_LEN,
    );
    assert!(PROVA_VERKLE_PROVER_QUERY_LEN == point + POLYNOMIAL_LEN + 1 + scalar);
    assert!(PROVA_VERKLE_PROVER_QUERY_UNCOMPRESSED_LEN == wide + POLYNOMIAL_LEN + 1 + scalar);
    assert!(PROVA_VERKLE_VERIFIER_QUERY_LEN == point + 1 + scalar);
    assert!(PROVA_VERKLE_VERIFIER_QUERY_UNCOMPRESSED_LEN == wide + 1 + scalar);
    assert!(PROVA_VERKLE_PROOF_LEN == PROOF_POINTS * point + scalar);
    assert!(PROVA_VERKLE_PROOF_LEN == prova_verkle::multiproof::PROOF_LEN);
    assert!(PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN == PROOF_POINTS * wide + scalar);
    assert!(PROVA_VERKLE_UPDATE_LEN == 2 * scalar + 1);
};

/// How the points of one call are encoded.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 32 bytes. Points that are read are checked.
    Compressed = 0,
    /// 64 bytes. Points that are read are checked to be on the curve and in the subgroup.
    Uncompressed = 1,
    /// 64 bytes, taken on trust: only the range of the coordinates is checked. With a pair that is
    /// no point, a verifier can be made to accept what is false. For bytes this process wrote.
    UncompressedUnchecked = 2,
}

impl Format {
    /// A C caller may pass any number.
    pub(crate) fn new(value: u32) -> Result<Self, Failure> {
        [
            Self::Compressed,
            Self::Uncompressed,
            Self::UncompressedUnchecked,
        ]
        .into_iter()
        .find(|format| *format as u32 == value)
        .ok_or(Failure::Format(value))
    }

    pub(crate) fn point_len(self) -> usize {
        match self {
            Self::Compressed => PROVA_VERKLE_POINT_LEN,
            Self::Uncompressed | Self::UncompressedUnchecked => PROVA_VERKLE_POINT_UNCOMPRESSED_LEN,
        }
    }

    pub(crate) fn proof_len(self) -> usize {
        match self {
            Self::Compressed => PROVA_VERKLE_PROOF_LEN,
            Self::Uncompressed | Self::UncompressedUnchecked => PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN,
        }
    }

    pub(crate) fn prover_query_len(self) -> usize {
        self.point_len() + POLYNOMIAL_LEN + 1 + PROVA_VERKLE_SCALAR_LEN
    }

    pub(crate) fn verifier_query_len(self) -> usize {
        self.point_len() + 1 + PROVA_VERKLE_SCALAR_LEN
    }

    pub(crate) fn encode(self, point: &Commitment) -> Vec<u8> {
        match self {
            Self::Compressed => point.as_bytes().to_vec(),
            Self::Uncompressed | Self::UncompressedUnchecked => point.to_uncompressed_le().to_vec(),
        }
    }

    /// Decodes all, or names the first that is wrong.
    pub(crate) fn decode(self, points: &[&[u8]]) -> Result<Vec<Commitment>, (usize, PointError)> {
        let decode_one = match self {
            Self::Compressed => return decode_compressed(points),
            Self::Uncompressed => Commitment::from_uncompressed_le,
            Self::UncompressedUnchecked => Commitment::from_uncompressed_le_unchecked,
        };
        // All are decoded before the first error is looked for: which one is named must not depend
        // on the threads.
        let decoded: Vec<Result<Commitment, PointError>> =
            points.par_iter().map(|point| decode_one(point)).collect();
        decoded
            .into_iter()
            .enumerate()
            .map(|(index, point)| point.map_err(|error| (index, error)))
            .collect()
    }
}

fn decode_compressed(points: &[&[u8]]) -> Result<Vec<Commitment>, (usize, PointError)> {
    let encodings = points
        .iter()
        .enumerate()
        .map(|(index, point)| {
            <[u8; PROVA_VERKLE_POINT_LEN]>::try_from(*point).map_err(|_| {
                let expected = PROVA_VERKLE_POINT_LEN;
                let got = point.len();
                (index, PointError::Length { expected, got })
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    Commitment::decode_all(&encodings)
}
