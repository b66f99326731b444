//! The tweakable hash: BLAKE2s over tweak, public parameter and payload.

use crate::blake2s::{Blake2s, Compress, INITIAL_STATE};
use crate::layout::{Layout, Purpose, ethereum_tweak};

/// A digest as four little-endian words.
pub(crate) type Words = [u32; 4];

/// Bytes of four words.
const QUARTER: u64 = 16;

/// Little-endian words of sixteen bytes.
#[inline]
pub(crate) fn to_words(bytes: &[u8; 16]) -> Words {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *bytes;
    [
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
        u32::from_le_bytes([i, j, k, l]),
        u32::from_le_bytes([m, n, o, p]),
    ]
}

/// The bytes of little-endian words.
#[inline]
pub(crate) fn to_bytes(words: Words) -> [u8; 16] {
    let mut bytes = [0; 16];
    let (chunks, _) = bytes.as_chunks_mut::<4>();
    for (to, word) in chunks.iter_mut().zip(words) {
        *to = word.to_le_bytes();
    }
    bytes
}

/// A hash call whose input is a whole number of sixteen-byte quarters of a block, as all of the
/// scheme are. It keeps the last block back until it knows that it is the last.
pub(crate) struct Sponge<'a, H> {
    hasher: &'a mut H,
    state: [u32; 8],
    block: [u32; 16],
    /// Quarters of `block` in use, up to 4.
    filled: usize,
    bytes: u64,
}

impl<'a, H: Compress> Sponge<'a, H> {
    /// Starts with the tweak and the public parameter.
    #[inline]
    pub(crate) fn new(hasher: &'a mut H, tweak: Words, parameter: Words) -> Self {
        let [a, b, c, d] = tweak;
        let [e, f, g, h] = parameter;
        Self {
            hasher,
            state: INITIAL_STATE,
            block: [a, b, c, d, e, f, g, h, 0, 0, 0, 0, 0, 0, 0, 0],
            filled: 2,
            bytes: 2 * QUARTER,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, words: Words) {
        let (quarters, _) = self.block.as_chunks_mut::<4>();
        match quarters.get_mut(self.filled) {
            Some(quarter) => *quarter = words,
            None => {
                self.hasher
                    .compress(&mut self.state, &self.block, self.bytes, false);
                let [a, b, c, d] = words;
                self.block = [a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
                self.filled = 0;
            }
        }
        self.filled += 1;
        self.bytes += QUARTER;
    }

    /// The first sixteen bytes of the digest.
    #[inline]
    pub(crate) fn finish(mut self) -> Words {
        self.hasher
            .compress(&mut self.state, &self.block, self.bytes, true);
        let [a, b, c, d, ..] = self.state;
        [a, b, c, d]
    }
}

/// One chain step, from position `sub mod 8` of chain `sub / 8`.
#[inline]
pub(crate) fn step<L: Layout>(
    hasher: &mut impl Compress,
    parameter: Words,
    sub: u32,
    epoch: u32,
    value: Words,
) -> Words {
    let tweak = L::tweak(Purpose::ChainStep, sub, epoch);
    let mut sponge = Sponge::new(hasher, tweak, parameter);
    sponge.push(value);
    sponge.finish()
}

/// The inner node `index` of `level`.
#[inline]
pub(crate) fn node<L: Layout>(
    hasher: &mut impl Compress,
    parameter: Words,
    level: u32,
    index: u32,
    left: Words,
    right: Words,
) -> Words {
    let tweak = L::tweak(Purpose::Node, level, index);
    let mut sponge = Sponge::new(hasher, tweak, parameter);
    sponge.push(left);
    sponge.push(right);
    sponge.finish()
}

/// No tweak has this type byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tweak types are 0 to 7, got {0}")]
pub struct UnknownTweakType(pub u8);

/// The tweakable hash of the layout [`Ethereum`](crate::Ethereum) on any payload: the first
/// sixteen bytes of BLAKE2s over tweak, public parameter and payload.
///
/// # Errors
/// If `kind` is above 7.
pub fn tweak_hash(
    parameter: &[u8; 16],
    kind: u8,
    sub: u32,
    index: u32,
    payload: &[u8],
) -> Result<[u8; 16], UnknownTweakType> {
    if kind > 7 {
        return Err(UnknownTweakType(kind));
    }
    let hasher = &mut Blake2s;
    let tweak = ethereum_tweak(kind, sub, index);
    let mut sponge = Sponge::new(hasher, tweak, to_words(parameter));
    let (quarters, rest) = payload.as_chunks::<16>();
    for quarter in quarters {
        sponge.push(to_words(quarter));
    }
    if !rest.is_empty() {
        let mut padded = [0; 16];
        for (to, from) in padded.iter_mut().zip(rest) {
            *to = *from;
        }
        sponge.push(to_words(&padded));
        sponge.bytes -= QUARTER;
        sponge.bytes += rest.len() as u64;
    }
    Ok(to_bytes(sponge.finish()))
}
