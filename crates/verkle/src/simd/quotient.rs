//! Sums of quotients of polynomials given by their values.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_or_si512, _mm512_set1_epi64,
    _mm512_setzero_si512, _mm512_slli_epi64, _mm512_srli_epi64, _mm512_sub_epi64,
};

use crate::arm::Arm;
use crate::field::Fr;
use crate::lagrange::{DOMAIN, Weights};

use super::mac::{
    BLOCKS, LANES, MASK, MODULUS, add_product, canonical, carry, limbs, load, load_scalars,
    montgomery, splat, split, store, transpose, write,
};

/// Polynomials in one sum: the integers that are added are below 1.3·r, and 64 of them below
/// 2^260.
pub(crate) const LIMIT: usize = 64;

/// Writes the sum of the values of (f(X) − f(z))/(X − z) for at most [`LIMIT`] pairs of z and f.
///
/// # Panics
/// If there are more, or the CPU lacks the instructions.
pub(crate) fn sum_of_quotients<'a>(
    weights: &Weights,
    polynomials: impl Iterator<Item = (u8, &'a [Fr; DOMAIN])>,
    sum: &mut [Fr; DOMAIN],
) {
    assert!(Arm::Ifma.is_available(), "no AVX-512 IFMA");
    let mut sums = [[[0; LANES]; 5]; BLOCKS];
    let mut diagonal = [Fr::ZERO; DOMAIN];
    for (count, (point, values)) in polynomials.enumerate() {
        assert!(count < LIMIT, "the sums would overflow");
        // SAFETY: the instructions are there.
        let others = unsafe { add_quotient(weights, point, values, &mut sums) };
        // Both factors of the products in `others` are Montgomery forms, and the reduction divides
        // by 2^260: 2^4 is missing.
        let point = usize::from(point);
        diagonal[point] -= others * Fr::from_u64(1 << 4) * weights.derivative()[point];
    }
    // SAFETY: the instructions are there.
    unsafe { reduce(&sums, sum) };
    for (sum, diagonal) in sum.iter_mut().zip(diagonal) {
        *sum += diagonal;
    }
}

/// Five limbs of eight positions, for every block.
type Sums = [[[u64; LANES]; 5]; BLOCKS];

/// Adds the quotient except at `point`, where it adds zero, and returns the sum of the quotient's
/// other values over A'(j), divided by 2^4.
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_quotient(weights: &Weights, point: u8, values: &[Fr; DOMAIN], sums: &mut Sums) -> Fr {
    let point = usize::from(point);
    // f − f(z) + r, which is below 2·r.
    let mut offset = splat(MODULUS);
    for (offset, y) in offset.iter_mut().zip(splat(split(values[point].0))) {
        *offset = _mm512_sub_epi64(*offset, y);
    }
    let (inverses, _) = weights.inverse[DOMAIN - 1 - point..].as_chunks::<LANES>();
    let (weights, _) = weights.derivative_inverse.as_chunks::<LANES>();
    let (values, _) = values.as_chunks::<LANES>();
    let mut others = [_mm512_setzero_si512(); 10];
    for (((values, inverses), weights), sums) in values.iter().zip(inverses).zip(weights).zip(sums)
    {
        let mut difference = limbs(load_scalars(values));
        for (limb, offset) in difference.iter_mut().zip(offset) {
            *limb = _mm512_add_epi64(masked(*limb), offset);
        }
        // The product is 32·r² at most, a 141st of which times 2^-260 is left: below 1.3·r.
        let mut product = [_mm512_setzero_si512(); 10];
        add_product(
            &mut product,
            carry(difference),
            times16(load_scalars(inverses)),
        );
        let quotient = montgomery(product);
        for (sum, limb) in sums.iter_mut().zip(quotient) {
            store(sum, _mm512_add_epi64(load(sum), limb));
        }
        // At most nine numbers below 2^52 for each of 32 blocks.
        add_product(&mut others, quotient, limbs(load_scalars(weights)));
    }
    let mut lanes = [Fr::ZERO; LANES];
    write(&mut lanes, canonical(montgomery(others)));
    lanes.into_iter().sum()
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn reduce(sums: &Sums, sum: &mut [Fr; DOMAIN]) {
    // 2^260 modulo r, so that the reduction leaves the integer as it is.
    const ONE: [u64; 5] = split(Fr::from_limbs([1 << 4, 0, 0, 0]).0);
    let (blocks, _) = sum.as_chunks_mut::<LANES>();
    for (block, sums) in blocks.iter_mut().zip(sums) {
        let mut limbs = [_mm512_setzero_si512(); 5];
        for (limb, sum) in limbs.iter_mut().zip(sums) {
            *limb = load(sum);
        }
        let mut product = [_mm512_setzero_si512(); 10];
        add_product(&mut product, carry(limbs), splat(ONE));
        write(block, canonical(montgomery(product)));
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn masked(limb: __m512i) -> __m512i {
    _mm512_and_si512(limb, _mm512_set1_epi64(MASK.cast_signed()))
}

/// [`limbs`] of 16 times the integers.
#[inline]
#[target_feature(enable = "avx512f")]
fn times16(words: [__m512i; 4]) -> [__m512i; 5] {
    let [word0, word1, word2, word3] = transpose(words);
    [
        _mm512_slli_epi64::<4>(word0),
        _mm512_or_si512(
            _mm512_srli_epi64::<48>(word0),
            _mm512_slli_epi64::<16>(word1),
        ),
        _mm512_or_si512(
            _mm512_srli_epi64::<36>(word1),
            _mm512_slli_epi64::<28>(word2),
        ),
        _mm512_or_si512(
            _mm512_srli_epi64::<24>(word2),
            _mm512_slli_epi64::<40>(word3),
        ),
        _mm512_srli_epi64::<12>(word3),
    ]
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn check(polynomials: &[(u8, [Fr; DOMAIN])]) {
        if !Arm::Ifma.is_available() {
            return;
        }
        let weights = Weights::new();
        let mut expected = [Fr::ZERO; DOMAIN];
        for (point, values) in polynomials {
            for (sum, q) in expected.iter_mut().zip(weights.quotient(values, *point)) {
                *sum += q;
            }
        }
        let mut sum = [Fr::ONE; DOMAIN];
        let polynomials = polynomials.iter().map(|(point, values)| (*point, values));
        sum_of_quotients(&weights, polynomials, &mut sum);
        assert!(sum == expected);
    }

    #[test]
    fn agrees_with_quotients_one_by_one() {
        let random = |seed: u64| Fr::from_u64(seed).pow(&[seed, 99]);
        for count in [0u64, 1, 2, 17, LIMIT as u64] {
            let polynomials: Vec<(u8, [Fr; DOMAIN])> = (0..count)
                .map(|i| {
                    let values = core::array::from_fn(|j| random(1000 * i + j as u64));
                    ((i * 85 % 256) as u8, values)
                })
                .collect();
            check(&polynomials);
        }
    }

    #[test]
    fn bounds_hold_at_the_extremes() {
        let largest = -Fr::from_mont([1, 0, 0, 0]);
        for point in [0, 1, 128, 255] {
            let mut values = [largest; DOMAIN];
            check(&[(point, values); LIMIT]);
            values[usize::from(point)] = Fr::ZERO;
            check(&[(point, values); LIMIT]);
            let mut values = [Fr::ZERO; DOMAIN];
            check(&[(point, values); LIMIT]);
            values[usize::from(point)] = largest;
            check(&[(point, values); LIMIT]);
        }
    }

    #[test]
    #[should_panic(expected = "overflow")]
    fn more_than_the_limit_is_refused() {
        if !Arm::Ifma.is_available() {
            panic!("no kernel, no overflow");
        }
        check(&[(0, [Fr::ONE; DOMAIN]); LIMIT + 1]);
    }
}
