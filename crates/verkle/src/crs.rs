//! The common reference string: 256 elements nobody knows a relation between, and Q.

use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use crate::curve::{Affine, GENERATOR};
use crate::element::{Commitment, Element};
use crate::field::Fp;
use crate::lagrange::DOMAIN;

/// x ‖ y, little-endian, of what [`Crs::generate`] gives for [`SEED`]; a test compares.
static TABLE: &[u8; 64 * DOMAIN] = include_bytes!("crs.bin");

/// The seed of the Verkle specification.
pub const SEED: &[u8] = b"eth_verkle_oct_2021";

/// The generators of vector commitments.
#[derive(Clone, Debug)]
pub struct Crs {
    pub(crate) points: Vec<Affine>,
    pub(crate) q: Affine,
}

impl Crs {
    /// The generators all Verkle clients use.
    #[must_use]
    pub fn ethereum() -> Self {
        let (words, _) = TABLE.as_chunks::<32>();
        let points = words
            .as_chunks::<2>()
            .0
            .iter()
            .map(|[x, y]| Affine {
                // Canonical, as the test that generates them shows.
                x: Fp::from_le_bytes_reduced(x),
                y: Fp::from_le_bytes_reduced(y),
            })
            .collect();
        Self {
            points,
            q: GENERATOR,
        }
    }

    /// Derives generators from a seed: for k = 0, 1, …, SHA-256(seed ‖ k as 8 big-endian bytes),
    /// read big-endian modulo p, is taken as an encoding; the first 256 that decode are taken. Q is
    /// the generator of Bandersnatch.
    #[must_use]
    pub fn generate(seed: &[u8]) -> Self {
        let points = (0u64..)
            .filter_map(|k| {
                let mut digest: [u8; 32] = Sha256::new_with_prefix(seed)
                    .chain_update(k.to_be_bytes())
                    .finalize()
                    .into();
                digest.reverse();
                let x = Fp::from_le_bytes_reduced(&digest).to_be_bytes();
                Commitment::from_bytes(&x).ok().map(|c| c.point)
            })
            .take(DOMAIN)
            .collect();
        Self {
            points,
            q: GENERATOR,
        }
    }

    /// The generators with their encodings.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = Commitment> + '_ {
        self.points
            .iter()
            .map(|point| Commitment::from_affine(*point))
    }

    /// The generator that inner products are committed with.
    #[must_use]
    pub fn q(&self) -> Element {
        Element(self.q.extended())
    }
}
