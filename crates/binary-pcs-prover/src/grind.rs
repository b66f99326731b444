//! Grinding: the smallest nonce that is good for a number of bits.

use p3_blake2s::Blake2s256;
use p3_symmetric::CryptographicHasher;
use prova_binary_pcs::field::{E, embed};
use prova_binary_pcs::transcript::{ChainV0, Transcript};
use rayon::prelude::*;

use crate::error::ProveError;

/// A transcript whose nonces can be searched for.
pub trait Grinding: Transcript {
    /// The smallest nonce that is good for `bits` bits at the transcript's state.
    ///
    /// # Errors
    /// [`ProveError::Grinding`] when no nonce below `2^64` is.
    fn grind(&self, bits: u32) -> Result<E, ProveError>;
}

/// Nonces that are hashed together.
const BATCH: u64 = 256;

/// Batches that are shared out before the first good nonce among them is taken: a part of those
/// that are expected to be needed, so that little is hashed in vain.
fn window(bits: u32) -> u64 {
    (1_u64 << bits.min(32)).div_ceil(8 * BATCH)
}

/// The tag of the block that holds a nonce.
const NONCE_TAG: u64 = 6;

impl Grinding for ChainV0 {
    fn grind(&self, bits: u32) -> Result<E, ProveError> {
        if bits == 0 {
            return Ok(embed(0));
        }
        let base = self.grinding_base();
        let size = window(bits);
        (0..u64::MAX / (BATCH * size))
            .find_map(|window| {
                let batches = window * size..(window + 1) * size;
                let found = batches
                    .into_par_iter()
                    .map(|batch| search(base, batch * BATCH, bits));
                found.find_first(Option::is_some).flatten()
            })
            .map(embed)
            .ok_or(ProveError::Grinding { bits })
    }
}

/// The first good nonce of a batch.
fn search(base: [u64; 4], first: u64, bits: u32) -> Option<u64> {
    let mut blocks = [[0; 64]; BATCH as usize];
    for (block, nonce) in blocks.iter_mut().zip(first..) {
        let words = base.into_iter().chain([nonce, 0, 0, NONCE_TAG]);
        for (bytes, word) in block.as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
    }
    let mut digests = [[0; 32]; BATCH as usize];
    Blake2s256.hash_many(blocks.as_flattened(), &mut digests);
    let good = |digest: &[u8; 32]| {
        let (word, _) = digest
            .split_first_chunk::<8>()
            .expect("a digest of 32 bytes");
        u64::from_le_bytes(*word).trailing_zeros() >= bits
    };
    digests
        .iter()
        .zip(first..)
        .find(|(digest, _)| good(digest))
        .map(|(_, nonce)| nonce)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_good_nonce_is_found() {
        for bits in [0, 1, 9, 11, 15] {
            let chain = ChainV0::new(&[bits as u8]);
            let nonce = chain.grind(bits).expect("a nonce");
            let good =
                |nonce: &u64| ChainV0::is_good_nonce(chain.grinding_base(), embed(*nonce), bits);
            assert_eq!(Some(nonce), (0..1 << 20).find(good).map(embed));
            assert!(chain.clone().check_grinding(nonce, bits));
        }
    }
}
