//! Square roots in [`Fp`], whose multiplicative group has order 2^32·m for an odd m.
//!
//! A power of the argument gives a root up to an element of the subgroup of order 2^32. That
//! element is found from its discrete logarithm, eight bits at a time by table (P. Sarkar,
//! "Computing square roots faster than the Tonelli-Shanks/Bernstein algorithm", eprint 2020/1407).

use super::limbs::mont_mul;
use super::{BaseModulus, Fp, Modulus, gcd};

/// A generator of the subgroup of order 2^32.
pub(crate) const ROOT_OF_UNITY: Fp = Fp::from_limbs([
    0x3829_971f_439f_0d2b,
    0xb636_8350_8c22_80b9,
    0xd09b_6819_22c8_13b4,
    0x16a2_a19e_dfe8_1f20,
]);

/// (m − 1)/2.
const ODD_HALF: [u64; 4] = [
    0x7fff_2dff_7fff_ffff,
    0x04d0_ec02_a9de_d201,
    0x94ce_bea4_199c_ec04,
    0x0000_0000_39f6_d3a9,
];

/// Bits of a window of the exponent.
const WINDOW: usize = 5;
/// Odd powers below 2^[`WINDOW`].
pub(crate) const ODD_POWERS: usize = 1 << (WINDOW - 1);

/// One step of the power (m − 1)/2: square so often, then multiply by the odd power of this index,
/// that is by the power 2·index + 1.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub squarings: u8,
    pub index: u8,
}

/// The index of the odd power to start with, and the steps that follow.
pub(crate) const START: usize = PLAN.0;
/// See [`START`].
pub(crate) static STEPS: [Step; PLAN.2] = {
    let mut steps = [Step {
        squarings: 0,
        index: 0,
    }; PLAN.2];
    let mut i = 0;
    while i < steps.len() {
        steps[i] = PLAN.1[i];
        i += 1;
    }
    steps
};

const PLAN: (usize, [Step; 64], usize) = plan();

/// Sliding windows over [`ODD_HALF`], whose lowest bit is set.
const fn plan() -> (usize, [Step; 64], usize) {
    const fn bit(i: usize) -> usize {
        (ODD_HALF[i / 64] >> (i % 64)) as usize & 1
    }
    let mut steps = [Step {
        squarings: 0,
        index: 0,
    }; 64];
    let (mut start, mut count) = (0, 0);
    let mut started = false;
    let mut squarings = 0;
    let mut end = 256;
    while end > 0 {
        if bit(end - 1) == 0 {
            squarings += 1;
            end -= 1;
            continue;
        }
        let mut low = end.saturating_sub(WINDOW);
        while bit(low) == 0 {
            low += 1;
        }
        let mut digit = 0;
        while end > low {
            end -= 1;
            digit = digit << 1 | bit(end);
            squarings += 1;
        }
        if started {
            steps[count] = Step {
                squarings,
                index: (digit >> 1) as u8,
            };
            count += 1;
        } else {
            start = digit >> 1;
            started = true;
        }
        squarings = 0;
    }
    (start, steps, count)
}

/// Entry j of row k: g^(−j·2^(8k)) for the generator g of the subgroup of order 2^32.
pub(crate) static INVERSE_POWERS: [[Fp; 256]; 4] = [row(0), row(1), row(2), row(3)];

const fn times(a: Fp, b: Fp) -> Fp {
    Fp::from_mont(mont_mul(&a.0, &b.0, &BaseModulus::MODULUS, Fp::INV))
}

/// `value` to the power 2^`count`.
const fn square_often(value: Fp, count: usize) -> Fp {
    let mut value = value;
    let mut i = 0;
    while i < count {
        value = times(value, value);
        i += 1;
    }
    value
}

const fn row(k: usize) -> [Fp; 256] {
    // The inverse is the power 2^32 − 1.
    let mut base = Fp::ONE;
    let mut i = 0;
    while i < 32 {
        base = times(times(base, base), ROOT_OF_UNITY);
        i += 1;
    }
    let base = square_often(base, 8 * k);
    let mut row = [Fp::ONE; 256];
    let mut j = 1;
    while j < 256 {
        row[j] = times(row[j - 1], base);
        j += 1;
    }
    row
}

/// Bits of an index of [`LOGARITHMS`].
const HASH_BITS: u32 = 11;
/// Times the lowest limb, keeps the 256 elements of the subgroup apart in the top bits; found by
/// search, checked by [`logarithms`].
const HASH: u64 = 0xd4d4_ae36_b5f6_42c9;

/// Logarithms to the base g^(2^24), which has order 256, by hash.
static LOGARITHMS: [u8; 1 << HASH_BITS] = logarithms();

const fn hash(value: &Fp) -> usize {
    (value.0[0].wrapping_mul(HASH) >> (64 - HASH_BITS)) as usize
}

const fn logarithms() -> [u8; 1 << HASH_BITS] {
    let base = square_often(ROOT_OF_UNITY, 24);
    let mut table = [0; 1 << HASH_BITS];
    let mut taken = [false; 1 << HASH_BITS];
    let mut value = Fp::ONE;
    let mut j = 0;
    while j < 256 {
        let slot = hash(&value);
        assert!(!taken[slot], "two elements with one hash");
        taken[slot] = true;
        table[slot] = j as u8;
        value = times(value, base);
        j += 1;
    }
    table
}

/// t for the element g^(2^24·t).
pub(crate) fn logarithm(value: &Fp) -> usize {
    usize::from(LOGARITHMS[hash(value)])
}

/// g^(−t/2) for the element g^t, given with its powers 2^8, 2^16 and 2^24; `None` if t is odd.
fn inverse_root([element, e8, e16, e24]: [Fp; 4]) -> Option<Fp> {
    let powers = &INVERSE_POWERS;
    let t0 = logarithm(&e24);
    if t0 % 2 == 1 {
        return None;
    }
    let t1 = logarithm(&(e16 * powers[2][t0]));
    let t2 = logarithm(&(e8 * powers[1][t0] * powers[2][t1]));
    let t3 = logarithm(&(element * powers[0][t0] * powers[1][t1] * powers[2][t2]));
    let half = (t0 | t1 << 8 | t2 << 16 | t3 << 24) >> 1;
    let digit = |k: usize| (half >> (8 * k)) & 255;
    Some(powers[0][digit(0)] * powers[1][digit(1)] * powers[2][digit(2)] * powers[3][digit(3)])
}

#[inline(always)]
fn square_each<const K: usize>(mut values: [Fp; K], count: u8) -> [Fp; K] {
    for _ in 0..count {
        for value in &mut values {
            *value = value.square();
        }
    }
    values
}

#[inline(always)]
fn multiply_each<const K: usize>(mut values: [Fp; K], others: &[Fp; K]) -> [Fp; K] {
    for (value, other) in values.iter_mut().zip(others) {
        *value *= *other;
    }
    values
}

/// The power (m − 1)/2.
fn odd_half_power<const K: usize>(values: [Fp; K]) -> [Fp; K] {
    let squares = square_each(values, 1);
    let mut odd = [values; ODD_POWERS];
    for i in 1..ODD_POWERS {
        odd[i] = multiply_each(odd[i - 1], &squares);
    }
    let mut powers = odd[START];
    for step in &STEPS {
        powers = square_each(powers, step.squarings);
        powers = multiply_each(powers, &odd[usize::from(step.index)]);
    }
    powers
}

impl Fp {
    /// A square root, or `None` if there is none. Which of the two is not defined.
    #[must_use]
    pub fn sqrt(self) -> Option<Self> {
        let [root] = Self::square_roots([self]);
        root
    }

    /// [`Self::sqrt`] of several, side by side.
    pub(crate) fn square_roots<const K: usize>(values: [Self; K]) -> [Option<Self>; K] {
        let halves = odd_half_power(values);
        // root² = value·residue, and residue is in the subgroup of order 2^32.
        let roots = multiply_each(halves, &values);
        let residues = multiply_each(halves, &roots);
        let e8 = square_each(residues, 8);
        let e16 = square_each(e8, 8);
        let e24 = square_each(e16, 8);
        core::array::from_fn(|i| {
            if values[i].is_zero() {
                return Some(Self::ZERO);
            }
            inverse_root([residues[i], e8[i], e16[i], e24[i]]).map(|root| root * roots[i])
        })
    }

    /// Whether this is zero or has a square root.
    #[must_use]
    pub fn is_square(self) -> bool {
        // The factor 2^256 of the Montgomery form is a square.
        gcd::is_residue(&self.0, &BaseModulus::MODULUS)
    }

    /// Whether the canonical integer is above (p − 1)/2: the "positive" one of ±y in Banderwagon.
    #[must_use]
    pub fn is_positive(self) -> bool {
        const HALF_PLUS_ONE: [u64; 4] = [
            0x7fff_ffff_8000_0001,
            0xa9de_d201_7fff_2dff,
            0x199c_ec04_04d0_ec02,
            0x39f6_d3a9_94ce_bea4,
        ];
        !super::limbs::is_below(&self.to_limbs(), &HALF_PLUS_ONE)
    }
}
