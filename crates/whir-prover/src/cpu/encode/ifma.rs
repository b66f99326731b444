//! AVX-512 IFMA arithmetic for 31-bit primes.
//!
//! Between load and store an element is a 64-bit lane holding an integer congruent to its
//! representative, less than 2^37 and never negative. A product by a constant `w < P` takes its
//! quotient from `w' ~ w 2^52 / P`: `q = floor(b w' / 2^52)`, and `b w - q P`, computed modulo
//! 2^52, lies in `[0, P + P 2^-11)`. Sums are not reduced: a tile's at most [`MAX_LAYERS`] layers
//! change a value by less than `2 P` each, and [`Ifma::load_biased`] adds `BIAS` to the one input
//! that every later value inherits through additions, so that differences stay positive. Only
//! a tile's last butterfly reduces.
//!
//! Nothing here depends on which multiple of the value represents it (Montgomery's, say), as a
//! butterfly is linear and the twiddle is taken as the plain integer.

use core::arch::x86_64::*;
use core::mem::transmute_copy;

use p3_field::{PackedValue, PrimeField32, TwoAdicField};

use super::kernel::Arith;
use super::twiddles::Twiddles;

/// Layers of a tile that the bias allows for.
const MAX_LAYERS: u64 = 14;
const _: () = assert!(super::job::MAX_TILE_LAYERS as u64 <= MAX_LAYERS);

/// 16 elements: the even lanes, the odd lanes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Value(__m512i, __m512i);

/// `w` and about `w 2^52 / P`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Twiddle {
    w: u64,
    quotient: u64,
}

/// A [`Twiddle`] in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    w: __m512i,
    quotient: __m512i,
}

/// This module's arithmetic; see [`Ifma::applies`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Ifma;

impl Ifma {
    /// Whether `F` is a field of 31 bits whose elements are stored as canonical 32-bit multiples,
    /// by 2^32, of their values (Montgomery form), 16 of them to a vector.
    pub(super) fn applies<F: PrimeField32>() -> bool {
        size_of::<F>() == 4
            && align_of::<F>() == 4
            && F::Packing::WIDTH == 16
            && F::ORDER_U32 > 1 << 30
            && F::ORDER_U32 < 1 << 31
            && (0..40).all(|i| {
                let value = F::from_u64(0x9E37_79B9_7F4A_7C15u64.wrapping_mul(i) >> 8);
                let want = ((value.as_canonical_u32() as u64) << 32) % F::ORDER_U64;
                // SAFETY: four bytes of a plain value.
                want == unsafe { transmute_copy::<F, u32>(&value) } as u64
            })
    }
}

/// `2^52 - P` in all lanes: adding its product modulo 2^52 subtracts.
#[inline(always)]
fn minus_p<F: PrimeField32>() -> __m512i {
    // SAFETY: AVX-512F.
    unsafe { _mm512_set1_epi64((1 << 52) - F::ORDER_U32 as i64) }
}

/// `b w mod P` as an integer in `[0, P + P 2^-11)`, modulo 2^52.
#[inline(always)]
fn product<F: PrimeField32>(b: __m512i, t: Factor) -> __m512i {
    // SAFETY: AVX-512 IFMA.
    unsafe {
        let zero = _mm512_setzero_si512();
        let q = _mm512_madd52hi_epu64(zero, b, t.quotient);
        let r = _mm512_madd52lo_epu64(zero, b, t.w);
        _mm512_madd52lo_epu64(r, q, minus_p::<F>())
    }
}

/// The even lanes' low halves of `even`, and those of `odd` in the odd lanes.
#[inline(always)]
fn pack(even: __m512i, odd: __m512i) -> __m512i {
    // SAFETY: AVX-512F.
    unsafe {
        _mm512_castps_si512(_mm512_mask_moveldup_ps(
            _mm512_castsi512_ps(even),
            0xAAAA,
            _mm512_castsi512_ps(odd),
        ))
    }
}

/// Subtracts `P` from 32-bit lanes below `2 P` that are not below `P`.
#[inline(always)]
fn correct<F: PrimeField32>(x: __m512i) -> __m512i {
    // SAFETY: AVX-512F.
    unsafe {
        _mm512_min_epu32(
            x,
            _mm512_sub_epi32(x, _mm512_set1_epi32(F::ORDER_U32 as i32)),
        )
    }
}

impl<F: TwoAdicField + PrimeField32> Arith<F> for Ifma {
    type Value = Value;
    type Twiddle = Twiddle;
    type Factor = Factor;

    fn zero() -> Value {
        // SAFETY: AVX-512F.
        unsafe { Value(_mm512_setzero_si512(), _mm512_setzero_si512()) }
    }

    fn one() -> Twiddle {
        Twiddle { w: 0, quotient: 0 }
    }

    fn fill(
        twiddles: &Twiddles<F>,
        node: usize,
        from: usize,
        to: usize,
        plain: &mut [F],
        out: &mut [Twiddle],
    ) {
        if from >= to {
            return;
        }
        assert!(plain.len() == out.len() && out.len() >= 1 << to && out.len().is_multiple_of(16));
        // Divided by 2^32, the representative is the plain integer.
        let factor = F::from_u64(1 << 32).inverse();
        twiddles.fill(node, from, to, factor, plain);
        for at in ((1 << from) & !15..1 << to).step_by(8) {
            // SAFETY: eight elements and eight twiddles from `at` are in bounds; AVX-512 IFMA.
            unsafe {
                let w = _mm512_cvtepu32_epi64(
                    plain.as_ptr().add(at).cast::<__m256i>().read_unaligned(),
                );
                // w 2^20 floor(2^82 / P) / 2^52, times 4: short of w 2^52 / P by less than 8.
                let reciprocal = _mm512_set1_epi64(((1u128 << 82) / F::ORDER_U64 as u128) as i64);
                let zero = _mm512_setzero_si512();
                let q = _mm512_madd52hi_epu64(zero, _mm512_slli_epi64(w, 20), reciprocal);
                let q = _mm512_slli_epi64(q, 2);
                let idx_low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
                let idx_high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
                let out = out.as_mut_ptr().add(at).cast::<__m512i>();
                out.write_unaligned(_mm512_permutex2var_epi64(w, idx_low, q));
                out.add(1)
                    .write_unaligned(_mm512_permutex2var_epi64(w, idx_high, q));
            }
        }
    }

    #[inline(always)]
    fn broadcast(twiddle: Twiddle) -> Factor {
        // SAFETY: AVX-512F.
        unsafe {
            Factor {
                w: _mm512_set1_epi64(twiddle.w as i64),
                quotient: _mm512_set1_epi64(twiddle.quotient as i64),
            }
        }
    }

    #[inline(always)]
    fn load(x: F::Packing) -> Value {
        // SAFETY: 16 lanes of 32 bits, by `applies`; AVX-512F.
        unsafe {
            let x: __m512i = transmute_copy(&x);
            Value(
                _mm512_and_si512(x, _mm512_set1_epi64(0xFFFF_FFFF)),
                _mm512_srli_epi64::<32>(x),
            )
        }
    }

    #[inline(always)]
    fn load_biased(x: F::Packing) -> Value {
        let Value(even, odd) = <Self as Arith<F>>::load(x);
        // SAFETY: AVX-512F.
        unsafe {
            let bias = _mm512_set1_epi64((2 * MAX_LAYERS * F::ORDER_U64) as i64);
            Value(_mm512_add_epi64(even, bias), _mm512_add_epi64(odd, bias))
        }
    }

    #[inline(always)]
    fn butterfly(a: Value, b: Value, t: Factor) -> (Value, Value) {
        let (even, odd) = (product::<F>(b.0, t), product::<F>(b.1, t));
        // SAFETY: AVX-512F.
        unsafe {
            (
                Value(_mm512_add_epi64(a.0, even), _mm512_add_epi64(a.1, odd)),
                Value(_mm512_sub_epi64(a.0, even), _mm512_sub_epi64(a.1, odd)),
            )
        }
    }

    #[inline(always)]
    fn last_butterfly(a: Value, b: Value, t: Factor) -> (F::Packing, F::Packing) {
        // SAFETY: AVX-512 IFMA; the results are canonical, and 16 lanes by `applies`.
        unsafe {
            let zero = _mm512_setzero_si512();
            let one_over_p = _mm512_set1_epi64(((1u64 << 52) / F::ORDER_U64) as i64);
            let reduce = |a| {
                let q = _mm512_madd52hi_epu64(zero, a, one_over_p);
                _mm512_madd52lo_epu64(a, q, minus_p::<F>())
            };
            let a = correct::<F>(pack(reduce(a.0), reduce(a.1)));
            let b = correct::<F>(pack(product::<F>(b.0, t), product::<F>(b.1, t)));
            let p = _mm512_set1_epi32(F::ORDER_U32 as i32);
            let sum = correct::<F>(_mm512_add_epi32(a, b));
            let difference = _mm512_sub_epi32(a, b);
            let difference = _mm512_min_epu32(difference, _mm512_add_epi32(difference, p));
            (transmute_copy(&sum), transmute_copy(&difference))
        }
    }
}
