//! Straus's method with the endomorphism and non-adjacent forms: for few points.

use alloc::vec::Vec;

use crate::curve::glv::{self, HALF_BITS, Half};
use crate::curve::{Affine, Extended};
use crate::field::Fr;

/// The most points that this is used for.
pub(super) const MAX: usize = 48;

/// Bits of a digit of the non-adjacent form, and how many odd multiples there are up to the
/// largest digit.
const WIDTH: u32 = 5;
pub(crate) const MULTIPLES: usize = 1 << (WIDTH - 2);

/// Digits of a half; the form may be one digit longer than the integer.
pub(crate) const DIGITS: usize = HALF_BITS as usize + 1;

/// `scalar` times `point`, of a Banderwagon class.
pub(crate) fn scalar_mul(point: &Extended, scalar: Fr) -> Extended {
    sum(&terms(point, scalar))
}

/// Σ scalars\[i\]·points\[i\].
pub(super) fn straus(points: &[Affine], scalars: &[Fr]) -> Extended {
    let terms: Vec<Term> = points
        .iter()
        .zip(scalars)
        .flat_map(|(point, scalar)| terms(&point.extended(), *scalar))
        .collect();
    sum(&terms)
}

/// Odd multiples of a point, and digits.
struct Term {
    multiples: [Extended; MULTIPLES],
    digits: [i8; DIGITS],
}

fn terms(point: &Extended, scalar: Fr) -> [Term; 2] {
    let [first, second] = glv::split(scalar);
    let term = |point: &Extended, half: Half| {
        let point = if half.negative { -*point } else { *point };
        Term {
            multiples: odd_multiples(&point),
            digits: non_adjacent_form(half.magnitude),
        }
    };
    [term(point, first), term(&point.endomorphism(), second)]
}

/// 1, 3, 5, … times a point.
pub(crate) fn odd_multiples(point: &Extended) -> [Extended; MULTIPLES] {
    let twice = point.double();
    let mut multiples = [*point; MULTIPLES];
    for i in 1..MULTIPLES {
        multiples[i] = multiples[i - 1] + twice;
    }
    multiples
}

/// Odd or zero digits below 2^(WIDTH − 1) in magnitude, of an integer below 2^HALF_BITS.
pub(crate) fn non_adjacent_form(mut value: u128) -> [i8; DIGITS] {
    let mut digits = [0; DIGITS];
    for digit in &mut digits {
        if value & 1 == 1 {
            let low = (value & ((1 << WIDTH) - 1)) as i8;
            *digit = if low < 1 << (WIDTH - 1) {
                low
            } else {
                low - (1 << WIDTH)
            };
            value = value.wrapping_sub(i128::from(*digit).cast_unsigned());
        }
        value >>= 1;
    }
    digits
}

fn sum(terms: &[Term]) -> Extended {
    let mut sum = Extended::IDENTITY;
    for place in (0..DIGITS).rev() {
        sum = sum.double();
        for term in terms {
            let digit = term.digits[place];
            let multiple = term.multiples[usize::from(digit.unsigned_abs() / 2)];
            match digit.signum() {
                1 => sum += multiple,
                -1 => sum -= multiple,
                _ => {}
            }
        }
    }
    sum
}
