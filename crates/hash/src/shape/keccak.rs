//! Keccak-256, the hash of the original submission (padding `0x01`), over little-endian words.

use core::marker::PhantomData;

use super::keccak_f::{LAST_BIT, LAST_LANE, RATE, lane};
use super::{KeccakF1600, MerkleHash, SoftKeccakF};

/// The bytes absorbed per permutation.
const RATE_BYTES: usize = 4 * RATE;

/// Keccak-256 of Merkle shapes; equal to `sha3::Keccak256` over the words' little-endian bytes.
///
/// Nodes are the digest's eight little-endian words. A parent hashes the 64 bytes of its children, a
/// leaf the bytes of its row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keccak256<P = SoftKeccakF>(PhantomData<P>);

impl<P: KeccakF1600> Keccak256<P> {
    /// The hash function.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }

    /// The digest of words that lie in several places.
    #[inline]
    #[must_use]
    pub fn hash_parts(&self, parts: &[&[u32]]) -> [u32; 8] {
        let mut sponge = Sponge::<P>::new();
        for part in parts {
            sponge.absorb(part);
        }
        sponge.finalize()
    }

    /// The digest of bytes.
    ///
    /// Where the message is words, [`MerkleHash::leaf`] reads four bytes at a time on any machine.
    #[inline]
    #[must_use]
    pub fn hash_bytes(&self, message: &[u8]) -> [u32; 8] {
        let mut state = [0; 25];
        let (blocks, tail) = message.as_chunks::<RATE_BYTES>();
        for block in blocks {
            for (lane, &bytes) in state.iter_mut().zip(block.as_chunks::<8>().0) {
                *lane ^= u64::from_le_bytes(bytes);
            }
            P::permute(&mut state);
        }
        let (lanes, rest) = tail.as_chunks::<8>();
        for (lane, &bytes) in state.iter_mut().zip(lanes) {
            *lane ^= u64::from_le_bytes(bytes);
        }
        let last = rest
            .iter()
            .rev()
            .fold(1, |last: u64, &byte| (last << 8) | u64::from(byte));
        state[lanes.len()] ^= last;
        state[LAST_LANE] ^= LAST_BIT;
        P::squeeze(&mut state)
    }
}

impl<P: KeccakF1600> MerkleHash for Keccak256<P> {
    type Word = u32;
    type Node = [u32; 8];

    #[inline]
    fn parent(&self, left: &[u32; 8], right: &[u32; 8]) -> [u32; 8] {
        P::block::<16>(|i| if i < 8 { left[i] } else { right[i - 8] })
    }

    #[inline]
    fn leaf(&self, row: &[u32]) -> [u32; 8] {
        let mut state = [0; 25];
        let (blocks, tail) = row.as_chunks::<RATE>();
        if let Some((first, more)) = blocks.split_first() {
            // Nothing to be added to yet.
            for (to, &[low, high]) in state.iter_mut().zip(first.as_chunks::<2>().0) {
                *to = lane(low, high);
            }
            P::permute(&mut state);
            for block in more {
                add_pairs(&mut state, block.as_chunks::<2>().0);
                P::permute(&mut state);
            }
        }
        let (pairs, odd) = tail.as_chunks::<2>();
        add_pairs(&mut state, pairs);
        // The padding's first bit follows the last word.
        state[pairs.len()] ^= odd.first().map_or(1, |&low| lane(low, 1));
        state[LAST_LANE] ^= LAST_BIT;
        P::squeeze(&mut state)
    }

    #[inline]
    fn leaf_array<const N: usize>(&self, row: &[u32; N]) -> [u32; 8] {
        if N >= RATE {
            return self.leaf(row);
        }
        P::block::<N>(|i| row[i])
    }
}

/// Keccak-256 of words that come piece by piece; they go straight into the state.
#[derive(Clone, Debug)]
pub struct Sponge<P = SoftKeccakF> {
    state: [u64; 25],
    /// Words in the current block, below the rate.
    filled: usize,
    permutation: PhantomData<P>,
}

impl<P: KeccakF1600> Sponge<P> {
    /// Nothing absorbed.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: [0; 25],
            filled: 0,
            permutation: PhantomData,
        }
    }

    /// Appends words to the message.
    pub fn absorb(&mut self, mut words: &[u32]) {
        if self.filled % 2 == 1
            && let Some((&high, rest)) = words.split_first()
        {
            self.state[self.filled / 2] ^= lane(0, high);
            self.advance(1);
            words = rest;
        }
        while words.len() > 1 {
            let free = RATE - self.filled;
            let (now, later) = words.split_at(free.min(words.len() & !1));
            add_pairs(&mut self.state[self.filled / 2..], now.as_chunks::<2>().0);
            self.advance(now.len());
            words = later;
        }
        if let Some(&low) = words.first() {
            self.state[self.filled / 2] ^= u64::from(low);
            self.advance(1);
        }
    }

    /// The digest of all that was absorbed.
    #[must_use]
    pub fn finalize(mut self) -> [u32; 8] {
        self.state[self.filled / 2] ^= 1 << (32 * (self.filled % 2));
        self.state[LAST_LANE] ^= LAST_BIT;
        P::squeeze(&mut self.state)
    }

    #[inline]
    fn advance(&mut self, words: usize) {
        self.filled += words;
        if self.filled == RATE {
            P::permute(&mut self.state);
            self.filled = 0;
        }
    }
}

impl<P: KeccakF1600> Default for Sponge<P> {
    fn default() -> Self {
        Self::new()
    }
}

#[inline(always)]
fn add_pairs(state: &mut [u64], pairs: &[[u32; 2]]) {
    for (to, &[low, high]) in state.iter_mut().zip(pairs) {
        *to ^= lane(low, high);
    }
}
