//! BLAKE2s-256, unkeyed, over little-endian words.

use crate::blake2s::{compress, initial_state};

use super::MerkleHash;

/// Words of a block.
const BLOCK: usize = 16;

/// BLAKE2s-256 of Merkle shapes; equal to the general function over the words' bytes.
///
/// Nodes are the digest's eight little-endian words. A parent is one compression: the 64 bytes of
/// its children are one block, and the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blake2s;

impl MerkleHash for Blake2s {
    type Word = u32;
    type Node = [u32; 8];

    #[inline]
    fn parent(&self, left: &[u32; 8], right: &[u32; 8]) -> [u32; 8] {
        let mut block = [0; BLOCK];
        let (first, second) = block.split_at_mut(8);
        first.copy_from_slice(left);
        second.copy_from_slice(right);
        let mut state = initial_state(0);
        compress(&mut state, &block, 4 * BLOCK as u64, true);
        state
    }

    #[inline]
    fn leaf(&self, row: &[u32]) -> [u32; 8] {
        let mut state = initial_state(0);
        // A full block that ends the row is the last, so it is set apart.
        let plain = row.len().saturating_sub(1) / BLOCK;
        let (blocks, tail) = row.split_at(plain * BLOCK);
        let mut counter = 0;
        for block in blocks.as_chunks::<BLOCK>().0 {
            counter += 4 * BLOCK as u64;
            compress(&mut state, block, counter, false);
        }
        counter += 4 * tail.len() as u64;
        if let Ok(block) = tail.try_into() {
            compress(&mut state, block, counter, true);
        } else {
            let mut block = [0; BLOCK];
            for (to, &word) in block.iter_mut().zip(tail) {
                *to = word;
            }
            compress(&mut state, &block, counter, true);
        }
        state
    }

    #[inline]
    fn leaf_array<const N: usize>(&self, row: &[u32; N]) -> [u32; 8] {
        if N > BLOCK {
            return self.leaf(row);
        }
        let mut block = [0; BLOCK];
        for (to, &word) in block.iter_mut().zip(row) {
            *to = word;
        }
        let mut state = initial_state(0);
        compress(&mut state, &block, 4 * N as u64, true);
        state
    }
}
