//! Messages as digits: which position of each chain a signature reveals.

use crate::blake2s::{Blake2s, Compress};
use crate::layout::{Ethereum, Layout, Purpose};
use crate::params::{CHAINS, DIGIT_BITS, MESSAGE_BYTES, RANDOMIZER_BYTES, TARGET_SUM};
use crate::tweak::{Sponge, Words, to_words};

/// One digit of three bits a chain, of sum [`TARGET_SUM`].
pub type Digits = [u8; CHAINS];

/// Why a randomizer gives a message no encoding. An ordinary event: about one randomizer in
/// thirty thousand does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmissible {
    /// One of the two bits that no digit uses is set.
    #[error("a spare bit of the encoding is set, expected both clear")]
    SpareBit,
    /// The digits have another sum.
    #[error("the digits of the encoding sum to {0}, expected {TARGET_SUM}")]
    Sum(u32),
}

/// The digits of a message under a randomizer, in the layout [`Ethereum`].
///
/// # Errors
/// If the randomizer is not admissible.
pub fn encode(
    parameter: &[u8; 16],
    epoch: u32,
    message: &[u8; MESSAGE_BYTES],
    randomizer: &[u8; RANDOMIZER_BYTES],
) -> Result<Digits, NotAdmissible> {
    let parameter = to_words(parameter);
    encode_with::<Ethereum>(&mut Blake2s, parameter, epoch, message, randomizer)
}

pub(crate) fn encode_with<L: Layout>(
    hasher: &mut impl Compress,
    parameter: Words,
    epoch: u32,
    message: &[u8; MESSAGE_BYTES],
    randomizer: &[u8; RANDOMIZER_BYTES],
) -> Result<Digits, NotAdmissible> {
    let tweak = L::tweak(Purpose::Encoding, 0, epoch);
    let mut sponge = Sponge::new(hasher, tweak, parameter);
    for quarter in message.as_chunks::<16>().0 {
        sponge.push(to_words(quarter));
    }
    for quarter in randomizer_words(randomizer) {
        sponge.push(quarter);
    }
    digits(sponge.finish())
}

/// The randomizer and eight zero bytes.
pub(crate) fn randomizer_words(randomizer: &[u8; RANDOMIZER_BYTES]) -> [Words; 2] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(randomizer.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let [a, b, c, d, e, f, g, h] = words;
    [[a, b, c, d], [e, f, g, h]]
}

/// Low, middle and high bits of the 21 digits of a word.
const DIGIT_MASK: u64 = 0o111_111_111_111_111_111_111;

/// The two words of a digest, 21 digits each and a spare bit.
#[inline]
fn halves([a, b, c, d]: Words) -> [u64; 2] {
    [
        u64::from(a) | (u64::from(b) << 32),
        u64::from(c) | (u64::from(d) << 32),
    ]
}

/// Whether both spare bits are clear and the digits have the target sum.
#[inline]
pub(crate) fn check(digest: Words) -> Result<(), NotAdmissible> {
    let halves = halves(digest);
    if halves.iter().any(|half| half >> 63 != 0) {
        return Err(NotAdmissible::SpareBit);
    }
    let bits = |shift: usize| -> u32 {
        let count = |half: &u64| ((half >> shift) & DIGIT_MASK).count_ones();
        halves.iter().map(count).sum()
    };
    let sum = bits(0) + 2 * bits(1) + 4 * bits(2);
    if sum == TARGET_SUM {
        Ok(())
    } else {
        Err(NotAdmissible::Sum(sum))
    }
}

/// The digits of an encoding's digest.
pub(crate) fn digits(digest: Words) -> Result<Digits, NotAdmissible> {
    check(digest)?;
    let mut digits = [0; CHAINS];
    let halves = halves(digest);
    for (chunk, half) in digits
        .as_chunks_mut::<{ CHAINS / 2 }>()
        .0
        .iter_mut()
        .zip(halves)
    {
        for (r, digit) in chunk.iter_mut().enumerate() {
            [*digit, ..] = ((half >> (DIGIT_BITS * r)) & 7).to_le_bytes();
        }
    }
    Ok(digits)
}
