//! Merkle trees of BLAKE2s-256 over the rows of a codeword, many hashes at a time.
//!
//! A leaf is the hash of a row's image, words in little-endian order: `zero_words` zero words, then
//! the row. A node is the hash of its children's 64 bytes, which is one compression.

use p3_blake2s::Blake2s256;
use p3_symmetric::CryptographicHasher;
use prova_binary_pcs::merkle::{DIGEST_BYTES, Digest};
use rayon::prelude::*;

use crate::midstate::{AfterZeros, BLOCK_BYTES};
use crate::{K, cast};

/// Hashes that one task does; whole groups of lanes on every target.
const TASK: usize = 256;

/// A tree: all its digests, leaves first.
#[derive(Clone, Debug)]
pub struct Tree {
    levels: Vec<Vec<Digest>>,
}

impl Tree {
    /// The tree over given leaf digests.
    ///
    /// # Panics
    /// If their number is not a power of two.
    #[must_use]
    pub fn new(leaves: Vec<Digest>) -> Self {
        assert!(leaves.len().is_power_of_two(), "{} leaves", leaves.len());
        let depth = leaves.len().ilog2() as usize;
        let mut levels = Vec::with_capacity(depth + 1);
        levels.push(leaves);
        for level in 0..depth {
            let below = &levels[level];
            let mut nodes = prova_pages::filled([0; DIGEST_BYTES], below.len() / 2);
            nodes
                .par_chunks_mut(TASK)
                .zip(below.par_chunks(2 * TASK))
                .for_each(|(nodes, below)| Blake2s256.hash_many(below.as_flattened(), nodes));
            levels.push(nodes);
        }
        Self { levels }
    }

    /// Levels of nodes above the leaves.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> Digest {
        self.levels[self.depth()][0]
    }

    /// The siblings that lead from the leaves at `positions` to the root: bottom-up, left to right,
    /// each sent only when it does not follow from what is known.
    ///
    /// `positions` ascend without repetition.
    #[must_use]
    pub fn siblings(&self, positions: &[usize]) -> Vec<Digest> {
        let mut siblings = Vec::new();
        let mut known = positions.to_vec();
        for level in &self.levels[..self.depth()] {
            let mut at = 0;
            let mut parents = Vec::with_capacity(known.len());
            while let Some(&position) = known.get(at) {
                at += 1;
                if known.get(at) == Some(&(position ^ 1)) {
                    at += 1;
                } else {
                    siblings.push(level[position ^ 1]);
                }
                parents.push(position / 2);
            }
            known = parents;
        }
        siblings
    }
}

/// Hashes rows of `width` words, each after `zero_words` zero words, into `leaves`.
///
/// # Panics
/// If there are not as many rows as `leaves`, or images with zero words are not whole blocks.
pub fn hash_rows(rows: &[K], width: usize, zero_words: usize, leaves: &mut [Digest]) {
    assert_eq!(
        rows.len(),
        width * leaves.len(),
        "{} rows of {width} words",
        leaves.len()
    );
    const BLOCK_WORDS: usize = BLOCK_BYTES / 8;
    assert!(
        zero_words == 0 || (zero_words + width).is_multiple_of(BLOCK_WORDS),
        "images of {} words",
        zero_words + width
    );
    // What is left of the image after the blocks that are zero in every leaf.
    let zero_blocks = zero_words / BLOCK_WORDS;
    let after_zeros = AfterZeros::new(zero_blocks);
    let zero_words = zero_words % BLOCK_WORDS;
    let image = zero_words + width;
    let tasks = leaves
        .par_chunks_mut(TASK)
        .zip(rows.par_chunks(TASK * width));
    tasks.for_each_init(Vec::new, |images: &mut Vec<K>, (leaves, rows)| {
        // Copied even when nothing is put in front: the hashes read many rows at a time, which
        // memory is slow at, the copy reads one after the other.
        images.resize(image * leaves.len(), K::default());
        let pairs = images.chunks_exact_mut(image).zip(rows.chunks_exact(width));
        pairs.for_each(|(image, row)| image[zero_words..].copy_from_slice(row));
        if zero_blocks == 0 {
            Blake2s256.hash_many(cast::bytes(images), leaves);
        } else {
            after_zeros.hash_many(cast::bytes(images), leaves);
        }
    });
}
