//! The y of Bandersnatch points with given x, eight at a time.

use core::array;

use crate::curve::D;
use crate::element::PointError;
use crate::field::sqrt::{INVERSE_POWERS, ODD_POWERS, START, STEPS, logarithm};
use crate::field::{BaseModulus, Fp, batch_invert_with};

use super::Ifma;
use super::character::are_squares;
use super::field::Lanes;

type F = Lanes<BaseModulus>;

/// Most elements at once; they share an inversion.
pub(crate) const LIMIT: usize = 64;
const GROUPS: usize = LIMIT / 8;
/// Groups that are worked on side by side, to hide latencies.
const ABREAST: usize = 2;

impl Ifma {
    /// A y for every x, of which there are at most [`LIMIT`], or what is wrong with the x.
    pub(crate) fn solve(self, xs: &[Fp], ys: &mut [Result<Fp, PointError>; LIMIT]) {
        // SAFETY: `self` shows that the CPU has the features.
        unsafe { solve(xs, ys) }
    }
}

#[target_feature(enable = "avx512f,avx512cd,avx512ifma")]
fn solve(xs: &[Fp], ys: &mut [Result<Fp, PointError>; LIMIT]) {
    let mut characters = [F::one(); GROUPS];
    let mut squares = [F::one(); GROUPS];
    let used = xs.len().min(LIMIT).div_ceil(8);
    y_squared(xs, &mut characters[..used], &mut squares[..used]);
    let (characters, _) = characters.as_chunks::<ABREAST>();
    let (squares, _) = squares.as_chunks::<ABREAST>();
    let (ys, _) = ys.as_chunks_mut::<{ 8 * ABREAST }>();
    let used = used.div_ceil(ABREAST);
    for ((characters, squares), ys) in characters.iter().zip(squares).zip(ys).take(used) {
        roots(*characters, *squares, ys);
    }
}

/// 1 + 5·x², and y² = (1 + 5·x²)/(1 − d·x²), both below twice the modulus.
#[target_feature(enable = "avx512f,avx512ifma")]
fn y_squared(xs: &[Fp], characters: &mut [F], squares: &mut [F]) {
    // Below 2 moduli each, denominators below 3, and numerators below 7 before they are reduced.
    let one = F::one();
    let d = F::splat(D).reduce();
    let mut denominators = [one; GROUPS];
    let mut before = [one; GROUPS];
    let mut product = one;
    for (g, xs) in xs.chunks(8).take(GROUPS).enumerate() {
        let mut lanes = [Fp::ZERO; 8];
        lanes[..xs.len()].copy_from_slice(xs);
        let square = F::load(&lanes).reduce().square();
        characters[g] = square.times5_plus(one).reduce();
        denominators[g] = one.sub::<2>(d.mul(square));
        before[g] = product;
        product = product.mul(denominators[g]);
    }
    let mut lanes = [Fp::ZERO; 8];
    product.store(&mut lanes);
    batch_invert_with(&mut lanes, &mut [Fp::ZERO; 8]);
    let mut inverse = F::load(&lanes).reduce();
    for g in (0..squares.len()).rev() {
        squares[g] = characters[g].mul(inverse.mul(before[g]));
        inverse = inverse.mul(denominators[g]);
    }
}

/// Square roots, as [`Fp::sqrt`] computes them, of elements that are not zero, where the characters
/// are squares.
#[target_feature(enable = "avx512f,avx512cd,avx512ifma")]
fn roots(
    characters: [F; ABREAST],
    squares: [F; ABREAST],
    ys: &mut [Result<Fp, PointError>; 8 * ABREAST],
) {
    // Below twice the modulus, and 2^260 is a square: the words stand for the same character.
    let in_subgroup = are_squares(array::from_fn::<_, ABREAST, _>(|k| {
        characters[k].to_words()
    }));
    let halves = odd_half_power(squares);
    let (ys, _) = ys.as_chunks_mut::<8>();
    for (k, ys) in ys.iter_mut().enumerate() {
        let root = halves[k].mul(squares[k]);
        let (correction, even) = inverse_root(root.mul(halves[k]));
        let mut lanes = [Fp::ZERO; 8];
        root.mul(correction).store(&mut lanes);
        for (i, (y, root)) in ys.iter_mut().zip(lanes).enumerate() {
            *y = if !even[i] {
                Err(PointError::NotOnCurve)
            } else if in_subgroup[k] >> i & 1 == 0 {
                Err(PointError::NotInSubgroup)
            } else {
                Ok(root)
            };
        }
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn odd_half_power(values: [F; ABREAST]) -> [F; ABREAST] {
    let mut odd = [values; ODD_POWERS];
    let squares = square(values);
    for i in 1..ODD_POWERS {
        odd[i] = mul(odd[i - 1], squares);
    }
    let mut powers = odd[START];
    for step in &STEPS {
        for _ in 0..step.squarings {
            powers = square(powers);
        }
        powers = mul(powers, odd[usize::from(step.index)]);
    }
    powers
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn square(mut values: [F; ABREAST]) -> [F; ABREAST] {
    for value in &mut values {
        *value = value.square();
    }
    values
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn mul(mut values: [F; ABREAST], others: [F; ABREAST]) -> [F; ABREAST] {
    for (value, other) in values.iter_mut().zip(others) {
        *value = value.mul(other);
    }
    values
}

/// g^(−t/2) for elements g^t of the subgroup of order 2^32, and where t is even.
#[target_feature(enable = "avx512f,avx512ifma")]
fn inverse_root(element: F) -> (F, [bool; 8]) {
    let e8 = square_8(element);
    let e16 = square_8(e8);
    let t0 = logarithms(square_8(e16));
    let t1 = logarithms(times_power(e16, 2, t0));
    let t2 = logarithms(times_power(times_power(e8, 1, t0), 2, t1));
    let rest = times_power(times_power(element, 0, t0), 1, t1);
    let t3 = logarithms(times_power(rest, 2, t2));
    let mut halves = [[0; 8]; 4];
    for i in 0..8 {
        let half = (t0[i] | t1[i] << 8 | t2[i] << 16 | t3[i] << 24) >> 1;
        for (k, halves) in halves.iter_mut().enumerate() {
            halves[i] = (half >> (8 * k)) & 255;
        }
    }
    let mut root = F::one();
    for (k, halves) in halves.into_iter().enumerate() {
        root = times_power(root, k, halves);
    }
    (root, t0.map(|t| t % 2 == 0))
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn square_8(mut value: F) -> F {
    for _ in 0..8 {
        value = value.square();
    }
    value
}

/// The logarithm of each lane, as [`logarithm`] finds it.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn logarithms(values: F) -> [usize; 8] {
    let mut lanes = [Fp::ZERO; 8];
    values.store(&mut lanes);
    lanes.each_ref().map(logarithm)
}

/// Times the entries of row `k` of [`INVERSE_POWERS`] with these indices.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn times_power(value: F, k: usize, indices: [usize; 8]) -> F {
    let row = &INVERSE_POWERS[k];
    // Below 16 moduli, and `value` is below 2: the product is too.
    value.mul(F::load_each(indices.map(|i| &row[i])))
}
