//! Decoding, normalising and mapping of many elements at once.

use alloc::vec::Vec;

use crate::curve::Affine;
use crate::element::{Commitment, Element, PointError, to_scalar};
use crate::field::{Fp, Fr, batch_invert};

impl Commitment {
    /// Decodes many encodings, each checked as [`Commitment::from_bytes`] does.
    ///
    /// # Errors
    /// The index of the first bad encoding, and what is wrong with it.
    pub fn decode_all(encodings: &[[u8; 32]]) -> Result<Vec<Self>, (usize, PointError)> {
        encodings
            .iter()
            .enumerate()
            .map(|(index, bytes)| Self::from_bytes(bytes).map_err(|error| (index, error)))
            .collect()
    }

    /// Encodes many elements, with one inversion a chunk.
    #[must_use]
    pub fn normalise(elements: &[Element]) -> Vec<Self> {
        let mut inverses: Vec<Fp> = elements.iter().map(|element| element.0.z).collect();
        batch_invert(&mut inverses);
        elements
            .iter()
            .zip(inverses)
            .map(|(element, inverse)| {
                Self::from_affine(Affine {
                    x: element.0.x * inverse,
                    y: element.0.y * inverse,
                })
            })
            .collect()
    }

    /// [`Commitment::map_to_scalar`] of many, with one inversion a chunk.
    #[must_use]
    pub fn map_all_to_scalar(commitments: &[Self]) -> Vec<Fr> {
        let mut inverses: Vec<Fp> = commitments.iter().map(|c| c.point.y).collect();
        batch_invert(&mut inverses);
        commitments
            .iter()
            .zip(inverses)
            .map(|(commitment, inverse)| to_scalar(commitment.point.x * inverse))
            .collect()
    }
}
