//! One message at a time; the reference of the lanes.

use super::{BLOCK_BYTES, LANES, Lanes, initial_state};

#[inline(always)]
fn splat(x: u32) -> u32 {
    x
}
#[inline(always)]
fn add(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}
#[inline(always)]
fn xor(a: u32, b: u32) -> u32 {
    a ^ b
}
#[inline(always)]
fn rot16(a: u32) -> u32 {
    a.rotate_right(16)
}
#[inline(always)]
fn rot12(a: u32) -> u32 {
    a.rotate_right(12)
}
#[inline(always)]
fn rot8(a: u32) -> u32 {
    a.rotate_right(8)
}
#[inline(always)]
fn rot7(a: u32) -> u32 {
    a.rotate_right(7)
}
#[inline(always)]
fn load(a: &u32, _: usize) -> u32 {
    *a
}
#[inline(always)]
fn store(to: &mut u32, _: usize, a: u32) {
    *to = a;
}

blake2s_kernel!(u32, u32, 1);

/// The lanes one after another.
pub(super) fn compress_lanes(
    state: &mut [Lanes; 8],
    block: &[Lanes; 16],
    counter: u64,
    last: bool,
) {
    for lane in 0..LANES {
        let mut h = core::array::from_fn(|w| state[w].0[lane]);
        let m = core::array::from_fn(|w| block[w].0[lane]);
        compress(&mut h, &m, counter, last);
        for (to, word) in state.iter_mut().zip(h) {
            to.0[lane] = word;
        }
    }
}

/// The first 64 bytes, or what there is and zeros, as little-endian words.
pub(super) fn block_words(bytes: &[u8]) -> [u32; 16] {
    let mut block = [0; BLOCK_BYTES];
    let len = bytes.len().min(BLOCK_BYTES);
    block[..len].copy_from_slice(&bytes[..len]);
    let (words, _) = block.as_chunks::<4>();
    core::array::from_fn(|w| u32::from_le_bytes(words[w]))
}

/// The unkeyed 32-byte digest of a message.
#[must_use]
pub fn hash(message: &[u8]) -> [u8; 32] {
    let mut hasher = Blake2s::new();
    hasher.update(message);
    hasher.finalize()
}

/// BLAKE2s with 32-byte digests, fed piece by piece.
#[derive(Clone, Debug)]
pub struct Blake2s {
    state: [u32; 8],
    /// Bytes of the compressed blocks.
    counter: u64,
    /// Held back even when full: it may be the last.
    block: [u8; BLOCK_BYTES],
    filled: usize,
}

impl Blake2s {
    /// Unkeyed.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: initial_state(0),
            counter: 0,
            block: [0; BLOCK_BYTES],
            filled: 0,
        }
    }

    /// With a key of 32 bytes.
    #[must_use]
    pub fn keyed(key: &[u8; 32]) -> Self {
        let mut block = [0; BLOCK_BYTES];
        block[..32].copy_from_slice(key);
        Self {
            state: initial_state(32),
            counter: 0,
            block,
            filled: BLOCK_BYTES,
        }
    }

    /// Appends to the message.
    pub fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.filled == BLOCK_BYTES {
                self.counter += BLOCK_BYTES as u64;
                let words = block_words(&self.block);
                compress(&mut self.state, &words, self.counter, false);
                self.filled = 0;
            }
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK_BYTES - self.filled));
            self.block[self.filled..][..now.len()].copy_from_slice(now);
            self.filled += now.len();
            bytes = later;
        }
    }

    /// The digest of the whole message.
    #[must_use]
    pub fn finalize(mut self) -> [u8; 32] {
        let words = block_words(&self.block[..self.filled]);
        let counter = self.counter + self.filled as u64;
        compress(&mut self.state, &words, counter, true);
        let mut digest = [0; 32];
        for (to, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(self.state) {
            *to = word.to_le_bytes();
        }
        digest
    }
}

impl Default for Blake2s {
    fn default() -> Self {
        Self::new()
    }
}
