//! Arithmetic in 64-bit lanes, and the external rounds.
//!
//! Wide lanes make every addition of the linear layers a single instruction: a lane holds a sum of
//! dozens of elements, and the 52-bit products take such sums as they are.
//!
//! Bounds, with `p < 2^31`. A product of `a` and `b` is below `2 p + a b / 2^52`. An external
//! S-box returns less than `2^37`, its linear layer for `WIDTH <= 24` multiplies by at most 49, so
//! a state element stays below `2^43`, a square below `2^35`, and a cube or fourth power below
//! `2^32`: `2 p + 2^26` is, for both primes.

use core::arch::x86_64::*;

use crate::poseidon2::params::Poseidon2Field;
use crate::poseidon2::scaled::{Rescale, cheap_last, neg_inverse};

pub(super) type V = __m512i;

/// `1 - 2^-52 mod p`.
const fn bias(p: u64) -> u64 {
    let half = p.div_ceil(2);
    let mut x = 1u64;
    let mut i = 0;
    while i < 52 {
        x = x * half % p;
        i += 1;
    }
    (p + 1 - x) % p
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn splat(x: u64) -> V {
    _mm512_set1_epi64(x as i64)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn add(a: V, b: V) -> V {
    _mm512_add_epi64(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn sub(a: V, b: V) -> V {
    _mm512_sub_epi64(a, b)
}

/// `-b / p mod 2^52`, the second form of a factor `b` that [`mul`] takes.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn quotient<F: Poseidon2Field<W>, const W: usize>(b: V) -> V {
    let neg_inv = splat(const { neg_inverse(F::ORDER_U64) });
    _mm512_madd52lo_epu64(_mm512_setzero_si512(), b, neg_inv)
}

/// `start + (a * b + 1) * 2^-52 - 1`, up to a multiple of `p`, with `bq` the [`quotient`] of `b`.
///
/// Reducing `a b + 1` in place of `a b` makes the carry out of the low half certain, so the low
/// half is not needed; callers put the constant difference into `start`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn mul_from<F: Poseidon2Field<W>, const W: usize>(start: V, a: V, b: V, bq: V) -> V {
    let neg_inv = splat(const { neg_inverse(F::ORDER_U64) });
    let q = _mm512_madd52lo_epu64(neg_inv, a, bq);
    let high = _mm512_madd52hi_epu64(start, a, b);
    _mm512_madd52hi_epu64(high, q, splat(F::ORDER_U64))
}

/// `a * b * 2^-52`, below `2 p + a b / 2^52`; `a, b < 2^52`, `bq` the [`quotient`] of `b`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn mul<F: Poseidon2Field<W>, const W: usize>(a: V, b: V, bq: V) -> V {
    mul_from::<F, W>(splat(const { bias(F::ORDER_U64) }), a, b, bq)
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn rescale<F: Poseidon2Field<W>, const W: usize>(x: V, r: &Rescale) -> V {
    mul_from::<F, W>(splat(r.start), x, splat(r.factor), splat(r.quotient))
}

/// A value below `p + 2^-5 p` congruent to `x < 2^47`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn reduce<F: Poseidon2Field<W>, const W: usize>(x: V) -> V {
    let estimate = splat((1 << 52) / F::ORDER_U64);
    let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, estimate);
    sub(x, _mm512_mul_epu32(quotient, splat(F::ORDER_U64)))
}

/// The canonical value of `x < 4 p`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn canonical<F: Poseidon2Field<W>, const W: usize>(x: V) -> V {
    let x = _mm512_min_epu64(x, sub(x, splat(2 * F::ORDER_U64)));
    _mm512_min_epu64(x, sub(x, splat(F::ORDER_U64)))
}

/// `x^D`, losing `2^(52 (D - 1))`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn sbox_internal<F: Poseidon2Field<W>, const W: usize>(x: V) -> V {
    let xq = quotient::<F, W>(x);
    let x2 = mul::<F, W>(x, x, xq);
    let x3 = mul::<F, W>(x2, x, xq);
    if F::SBOX == 3 {
        return x3;
    }
    let x3q = quotient::<F, W>(x3);
    let x4 = mul::<F, W>(x3, x, xq);
    mul::<F, W>(x4, x3, x3q)
}

/// Elements whose S-boxes run in lock step, to keep the multipliers busy.
const STEP: usize = 4;

/// `(x + rc)^D`, with the offset and the scale that `ScaledConstants` expects.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sbox_external<F: Poseidon2Field<W>, const W: usize>(s: &mut [V; STEP], rc: &[u64; STEP]) {
    let zero = _mm512_setzero_si512();
    let p = splat(F::ORDER_U64);
    let neg_inv = splat(const { neg_inverse(F::ORDER_U64) });
    let bias = splat(const { bias(F::ORDER_U64) });
    let (mut x, mut xq) = ([zero; STEP], [zero; STEP]);
    for i in 0..STEP {
        x[i] = add(s[i], splat(rc[i]));
    }
    for i in 0..STEP {
        xq[i] = _mm512_madd52lo_epu64(zero, x[i], neg_inv);
    }
    let (mut high, mut q) = ([zero; STEP], [zero; STEP]);
    macro_rules! times_x {
        ($a:ident) => {{
            for i in 0..STEP {
                q[i] = _mm512_madd52lo_epu64(neg_inv, $a[i], xq[i]);
            }
            for i in 0..STEP {
                high[i] = _mm512_madd52hi_epu64(bias, $a[i], x[i]);
            }
            for i in 0..STEP {
                high[i] = _mm512_madd52hi_epu64(high[i], q[i], p);
            }
            high
        }};
    }
    let x2 = times_x!(x);
    let x3 = times_x!(x2);
    if F::SBOX == 3 {
        *s = x3;
        return;
    }
    let x4 = times_x!(x3);
    if !const { cheap_last::<F, W>() } {
        for i in 0..STEP {
            s[i] = mul::<F, W>(x4[i], x3[i], quotient::<F, W>(x3[i]));
        }
        return;
    }
    // y 2^-27 = (y >> 27) - 15 (y mod 2^27) as 15 2^27 = -1; the complement of the low bits turns
    // the difference into a sum that lacks 15 (1 - 2^27) = 16.
    let mut product = [zero; STEP];
    for i in 0..STEP {
        product[i] = _mm512_mul_epu32(x3[i], x4[i]);
    }
    for i in 0..STEP {
        let up = _mm512_srli_epi64::<27>(product[i]);
        let low = _mm512_andnot_si512(product[i], splat((1 << 27) - 1));
        s[i] = _mm512_madd52lo_epu64(up, low, splat(15));
    }
}

/// `M4` on four elements, which also go into the column sums.
#[inline]
#[target_feature(enable = "avx512f")]
fn mix_four(s: &mut [V; STEP], sums: &mut [V; 4]) {
    let [x0, x1, x2, x3] = *s;
    let t01 = add(x0, x1);
    let t23 = add(x2, x3);
    let t = add(t01, t23);
    let t1 = add(t, x1);
    let t3 = add(t, x3);
    *s = [
        add(t1, t01),
        add(t1, add(x2, x2)),
        add(t3, t23),
        add(t3, add(x0, x0)),
    ];
    for k in 0..4 {
        sums[k] = add(sums[k], s[k]);
    }
}

/// The external linear layer (`M4` on each four elements, then every column sum added) up to the
/// last additions: element `i` still lacks the returned sum `i % 4`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn mix<const W: usize>(s: &mut [V; W]) -> [V; 4] {
    let mut sums = [_mm512_setzero_si512(); 4];
    for four in s.as_chunks_mut().0 {
        mix_four(four, &mut sums);
    }
    sums
}

/// External rounds of `G` groups, on states that lack their column sums before and after.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn external_rounds<F: Poseidon2Field<W>, const W: usize, const G: usize>(
    rounds: &[[u64; W]],
    state: &mut [[V; W]; G],
    sums: &mut [[V; 4]; G],
) {
    for rc in rounds {
        for (s, sums) in state.iter_mut().zip(sums.iter_mut()) {
            let before = *sums;
            let mut after = [_mm512_setzero_si512(); 4];
            for (four, rc) in s.as_chunks_mut::<STEP>().0.iter_mut().zip(rc.as_chunks().0) {
                let mut x = *four;
                for i in 0..STEP {
                    x[i] = add(x[i], before[i]);
                }
                sbox_external::<F, W>(&mut x, rc);
                mix_four(&mut x, &mut after);
                *four = x;
            }
            *sums = after;
        }
    }
}
