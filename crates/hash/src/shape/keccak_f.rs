//! Keccak-f[1600] (FIPS 202, section 3) in 64-bit words.

use core::hint::black_box;

/// A way to compute Keccak-f[1600]: in software, or by asking the machine.
pub trait KeccakF1600: Copy + Default {
    /// Permutes a state; lane `(x, y)` of FIPS 202 is word `x + 5 y`.
    fn permute(state: &mut [u64; 25]);
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
}

/// The lanes that the rounds keep complemented: with these, chi needs a complement in a row only
/// where it needed five. From the Keccak team's "Keccak implementation overview", section 2.2.
const COMPLEMENTED: [usize; 6] = [1, 2, 8, 12, 17, 20];

/// Out of line: the permutation is far longer than a call.
#[inline(never)]
fn permute(state: &mut [u64; 25]) {
    // Two rounds a turn, from the state to a copy and back, so that no lane moves just to make
    // room.
    let mut other = [0; 25];
    for lane in COMPLEMENTED {
        state[lane] = !state[lane];
    }
    for &[first, second] in ROUND_CONSTANTS.as_chunks::<2>().0 {
        round(state, &mut other, first);
        round(&other, state, second);
    }
    for lane in COMPLEMENTED {
        state[lane] = !state[lane];
    }
}

/// One round (FIPS 202, section 3.3) from `a` to `e`, with complemented lanes.
#[inline(always)]
fn round(a: &[u64; 25], e: &mut [u64; 25], constant: u64) {
    let parity = |x: usize| a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    let c = [parity(0), parity(1), parity(2), parity(3), parity(4)];
    let d = [
        c[4] ^ c[1].rotate_left(1),
        c[0] ^ c[2].rotate_left(1),
        c[1] ^ c[3].rotate_left(1),
        c[2] ^ c[4].rotate_left(1),
        c[3] ^ c[0].rotate_left(1),
    ];
    // Lanes are read again where they are used: no machine has registers for all of them, and a
    // compiler that tries to keep them writes every one to its stack.
    let a = black_box(a);

    let b = plane::<0>(a, &d);
    e[0] = b[0] ^ (b[1] | b[2]) ^ constant;
    e[1] = b[1] ^ (!b[2] | b[3]);
    e[2] = b[2] ^ (b[3] & b[4]);
    e[3] = b[3] ^ (b[4] | b[0]);
    e[4] = b[4] ^ (b[0] & b[1]);

    let b = plane::<1>(a, &d);
    e[5] = b[0] ^ (b[1] | b[2]);
    e[6] = b[1] ^ (b[2] & b[3]);
    e[7] = b[2] ^ (b[3] | !b[4]);
    e[8] = b[3] ^ (b[4] | b[0]);
    e[9] = b[4] ^ (b[0] & b[1]);

    let b = plane::<2>(a, &d);
    let not = !b[3];
    e[10] = b[0] ^ (b[1] | b[2]);
    e[11] = b[1] ^ (b[2] & b[3]);
    e[12] = b[2] ^ (not & b[4]);
    e[13] = not ^ (b[4] | b[0]);
    e[14] = b[4] ^ (b[0] & b[1]);

    let b = plane::<3>(a, &d);
    let not = !b[3];
    e[15] = b[0] ^ (b[1] & b[2]);
    e[16] = b[1] ^ (b[2] | b[3]);
    e[17] = b[2] ^ (not | b[4]);
    e[18] = not ^ (b[4] & b[0]);
    e[19] = b[4] ^ (b[0] | b[1]);

    let b = plane::<4>(a, &d);
    let not = !b[1];
    e[20] = b[0] ^ (not & b[2]);
    e[21] = not ^ (b[2] | b[3]);
    e[22] = b[2] ^ (b[3] & b[4]);
    e[23] = b[3] ^ (b[4] | b[0]);
    e[24] = b[4] ^ (b[0] & b[1]);
}

/// What chi makes plane `Y` of: its lane `X` comes from lane `(X + 3 Y, X)`.
#[inline(always)]
fn plane<const Y: usize>(a: &[u64; 25], d: &[u64; 5]) -> [u64; 5] {
    let lane = |x: usize| {
        let from = (x + 3 * Y) % 5;
        (a[from + 5 * x] ^ d[from]).rotate_left(ROTATIONS[from + 5 * x])
    };
    [lane(0), lane(1), lane(2), lane(3), lane(4)]
}
