//! Keccak-f[1600] (FIPS 202, section 3) in 64-bit words.

use core::cmp::Ordering;
use core::hint::black_box;

/// Words of 32 bits that Keccak-256 absorbs per permutation.
pub(super) const RATE: usize = 34;

/// The lane that ends the rate, and the padding's last bit in it.
pub(super) const LAST_LANE: usize = 16;
pub(super) const LAST_BIT: u64 = 1 << 63;

/// `[f(0), ..., f(24)]`; unlike a loop, it never needs the optimizer to make indices constant.
macro_rules! lanes {
    ($f:ident) => {
        lanes!($f 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24)
    };
    ($f:ident $($i:literal)*) => { [$($f($i)),*] };
}

/// A way to compute Keccak-f[1600]: in software, or by asking the machine.
pub trait KeccakF1600: Copy + Default {
    /// Permutes a state; lane `(x, y)` of FIPS 202 is word `x + 5 y`.
    fn permute(state: &mut [u64; 25]);

    /// The first eight words of the permuted state: what a digest of 256 bits is of it. Nothing is
    /// promised about what `state` holds afterwards.
    #[inline(always)]
    fn squeeze(state: &mut [u64; 25]) -> [u32; 8] {
        Self::permute(state);
        words(&[state[0], state[1], state[2], state[3]])
    }

    /// Keccak-256 of the words `word(0), ..., word(WORDS - 1)`, which are one block with their
    /// padding.
    ///
    /// `word` should be cheap and may be called for an index more than once.
    ///
    /// # Panics
    /// If `WORDS` is not below 34.
    #[inline(always)]
    fn block<const WORDS: usize>(word: impl Fn(usize) -> u32) -> [u32; 8] {
        assert!(WORDS < RATE, "{WORDS} words and padding in one block");
        // Known zeros would become calls that clear memory, for less memory than a call is worth.
        let zero = black_box(0);
        let lane = |i: usize| match padded::<WORDS>(&word, i) {
            0 if 2 * i > WORDS => zero,
            lane => lane,
        };
        Self::squeeze(&mut lanes!(lane))
    }
}

/// The permutation in portable code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoftKeccakF;

/// Round constants (FIPS 202, section 3.2.5).
pub(crate) const ROUND_CONSTANTS: [u64; 24] = round_constants();

/// Rotation of lane `x + 5 y` (FIPS 202, section 3.2.2).
const ROTATIONS: [u32; 25] = rotations();

/// Algorithms 5 and 6 of FIPS 202: the bits `2^j - 1` of a round's constant come from a linear
/// feedback shift register over `x^8 + x^6 + x^5 + x^4 + 1`.
const fn round_constants() -> [u64; 24] {
    let mut constants = [0; 24];
    let mut register: u8 = 1;
    let mut round = 0;
    while round < 24 {
        let mut j = 0;
        while j < 7 {
            constants[round] |= ((register & 1) as u64) << ((1 << j) - 1);
            register = (register << 1) ^ ((register >> 7) * 0x71);
            j += 1;
        }
        round += 1;
    }
    constants
}

/// Algorithm 2 of FIPS 202: the lanes are walked by `(x, y) -> (y, 2x + 3y)`, and rotations are the
/// triangular numbers.
const fn rotations() -> [u32; 25] {
    let mut rotations = [0; 25];
    let (mut x, mut y) = (1, 0);
    let mut t: u32 = 0;
    while t < 24 {
        rotations[x + 5 * y] = (t + 1) * (t + 2) / 2 % 64;
        (x, y) = (y, (2 * x + 3 * y) % 5);
        t += 1;
    }
    rotations
}

impl KeccakF1600 for SoftKeccakF {
    #[inline]
    fn permute(state: &mut [u64; 25]) {
        permute(state);
    }

    #[inline]
    fn squeeze(state: &mut [u64; 25]) -> [u32; 8] {
        squeeze(state)
    }

    #[inline]
    fn block<const WORDS: usize>(word: impl Fn(usize) -> u32) -> [u32; 8] {
        assert!(WORDS < RATE, "{WORDS} words and padding in one block");
        let mut state = [0; 25];
        first_round::<WORDS>(&word, &mut state);
        rest(&mut state)
    }
}

/// Lane `i` of the block of so many words and their padding; zero behind it.
#[inline(always)]
fn padded<const WORDS: usize>(word: &impl Fn(usize) -> u32, i: usize) -> u64 {
    let part = |at: usize| match at.cmp(&WORDS) {
        Ordering::Less => word(at),
        Ordering::Equal => 1,
        Ordering::Greater => 0,
    };
    let last = if i == LAST_LANE { LAST_BIT } else { 0 };
    lane(part(2 * i), part(2 * i + 1)) ^ last
}

#[inline(always)]
pub(super) fn lane(low: u32, high: u32) -> u64 {
    u64::from(low) | (u64::from(high) << 32)
}

/// A digest as words, low halves first.
#[inline(always)]
fn words(lanes: &[u64; 4]) -> [u32; 8] {
    core::array::from_fn(|i| (lanes[i / 2] >> (32 * (i % 2))) as u32)
}

/// The lanes that the rounds keep complemented: with these, chi needs a complement in a row only
/// where it needed five. From the Keccak team's "Keccak implementation overview", section 2.2.
const COMPLEMENTED: [usize; 6] = [1, 2, 8, 12, 17, 20];

/// Out of line: the permutation is far longer than a call.
#[inline(never)]
fn permute(state: &mut [u64; 25]) {
    // Two rounds a turn, from the state to a copy and back, so that no lane moves just to make
    // room.
    let [first, turns @ .., last] = &ROUND_CONSTANTS;
    let mut other = [0; 25];
    complement(state);
    // Ahead of the loop, so that the compiler sees that `other` need not be cleared.
    round(state, &mut other, *first);
    for &[first, second] in turns.as_chunks::<2>().0 {
        round(&other, state, first);
        round(state, &mut other, second);
    }
    round(&other, state, *last);
    complement(state);
}

/// The digest in the permuted state.
#[inline(never)]
fn squeeze(state: &mut [u64; 25]) -> [u32; 8] {
    let mut next = [0; 25];
    complement(state);
    round(state, &mut next, ROUND_CONSTANTS[0]);
    rest(&mut next)
}

/// All rounds but the first, from a state with complemented lanes to the digest.
#[inline(never)]
fn rest(state: &mut [u64; 25]) -> [u32; 8] {
    let [_, second, turns @ .., last_but_one, last] = &ROUND_CONSTANTS;
    let mut other = [0; 25];
    // Ahead of the loop, so that the compiler sees that `other` need not be cleared.
    round(state, &mut other, *second);
    for &[first, second] in turns.as_chunks::<2>().0 {
        round(&other, state, first);
        round(state, &mut other, second);
    }
    round(&other, state, *last_but_one);
    words(&last_round(state, *last))
}

#[inline(always)]
fn complement(state: &mut [u64; 25]) {
    for lane in COMPLEMENTED {
        state[lane] = !state[lane];
    }
}

/// The first round of a padded block. Most of its lanes are constants, which fold into the code.
#[inline(always)]
fn first_round<const WORDS: usize>(word: &impl Fn(usize) -> u32, e: &mut [u64; 25]) {
    let lane = |word: &_, i: usize| {
        let lane = padded::<WORDS>(word, i);
        if COMPLEMENTED.contains(&i) {
            !lane
        } else {
            lane
        }
    };
    let d = theta(|i| lane(word, i));
    // As in `round`.
    let word = black_box(word);
    chi(|i| lane(word, i), &d, e, ROUND_CONSTANTS[0]);
}

/// One round (FIPS 202, section 3.3) from `a` to `e`, with complemented lanes.
#[inline(always)]
fn round(a: &[u64; 25], e: &mut [u64; 25], constant: u64) {
    let d = theta(|i| a[i]);
    // Lanes are read again where they are used: no machine has registers for all of them, and a
    // compiler that tries to keep them writes every one to its stack.
    let a = black_box(a);
    chi(|i| a[i], &d, e, constant);
}

/// The lanes of a round's result that are in a digest, not complemented.
#[inline(always)]
fn last_round(a: &[u64; 25], constant: u64) -> [u64; 4] {
    let d = theta(|i| a[i]);
    let a = black_box(a);
    let b = plane::<0>(&|i| a[i], &d);
    [
        b[0] ^ (b[1] | b[2]) ^ constant,
        !(b[1] ^ (!b[2] | b[3])),
        !(b[2] ^ (b[3] & b[4])),
        b[3] ^ (b[4] | b[0]),
    ]
}

/// What theta adds to each lane of a column.
#[inline(always)]
fn theta(a: impl Fn(usize) -> u64) -> [u64; 5] {
    let parity = |x: usize| a(x) ^ a(x + 5) ^ a(x + 10) ^ a(x + 15) ^ a(x + 20);
    let c = [parity(0), parity(1), parity(2), parity(3), parity(4)];
    [
        c[4] ^ c[1].rotate_left(1),
        c[0] ^ c[2].rotate_left(1),
        c[1] ^ c[3].rotate_left(1),
        c[2] ^ c[4].rotate_left(1),
        c[3] ^ c[0].rotate_left(1),
    ]
}

/// The rest of a round: `d` is added, lanes are rotated and moved, and rows are mixed.
#[inline(always)]
fn chi(a: impl Fn(usize) -> u64, d: &[u64; 5], e: &mut [u64; 25], constant: u64) {
    let b = plane::<0>(&a, d);
    e[0] = b[0] ^ (b[1] | b[2]) ^ constant;
    e[1] = b[1] ^ (!b[2] | b[3]);
    e[2] = b[2] ^ (b[3] & b[4]);
    e[3] = b[3] ^ (b[4] | b[0]);
    e[4] = b[4] ^ (b[0] & b[1]);

    let b = plane::<1>(&a, d);
    e[5] = b[0] ^ (b[1] | b[2]);
    e[6] = b[1] ^ (b[2] & b[3]);
    e[7] = b[2] ^ (b[3] | !b[4]);
    e[8] = b[3] ^ (b[4] | b[0]);
    e[9] = b[4] ^ (b[0] & b[1]);

    let b = plane::<2>(&a, d);
    let not = !b[3];
    e[10] = b[0] ^ (b[1] | b[2]);
    e[11] = b[1] ^ (b[2] & b[3]);
    e[12] = b[2] ^ (not & b[4]);
    e[13] = not ^ (b[4] | b[0]);
    e[14] = b[4] ^ (b[0] & b[1]);

    let b = plane::<3>(&a, d);
    let not = !b[3];
    e[15] = b[0] ^ (b[1] & b[2]);
    e[16] = b[1] ^ (b[2] | b[3]);
    e[17] = b[2] ^ (not | b[4]);
    e[18] = not ^ (b[4] & b[0]);
    e[19] = b[4] ^ (b[0] | b[1]);

    let b = plane::<4>(&a, d);
    let not = !b[1];
    e[20] = b[0] ^ (not & b[2]);
    e[21] = not ^ (b[2] | b[3]);
    e[22] = b[2] ^ (b[3] & b[4]);
    e[23] = b[3] ^ (b[4] | b[0]);
    e[24] = b[4] ^ (b[0] & b[1]);
}

/// What chi makes plane `Y` of: its lane `X` comes from lane `(X + 3 Y, X)`.
#[inline(always)]
fn plane<const Y: usize>(a: &impl Fn(usize) -> u64, d: &[u64; 5]) -> [u64; 5] {
    let lane = |x: usize| {
        let from = (x + 3 * Y) % 5;
        (a(from + 5 * x) ^ d[from]).rotate_left(ROTATIONS[from + 5 * x])
    };
    [lane(0), lane(1), lane(2), lane(3), lane(4)]
}
