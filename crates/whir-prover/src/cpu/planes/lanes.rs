//! Operations on packed vectors that the field crate has no generic form of.

use p3_field::{Field, PackedField, PackedValue};

/// Splits the `2 * WIDTH` lanes of `(a, b)` into those of even and of odd position.
#[inline(always)]
pub(crate) fn deinterleave<P: PackedValue>(a: P, b: P) -> (P, P) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
    if size_of::<P>() == 64 && P::WIDTH == 16 {
        use core::arch::x86_64::{__m512i, _mm512_permutex2var_epi32, _mm512_set_epi32};
        // SAFETY: both types are 64 plain bytes, AVX-512F is enabled at compile time, and lanes
        // are only moved, so every lane of the results is one of the inputs' valid values.
        unsafe {
            let even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
            let odd = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
            let a: __m512i = core::mem::transmute_copy(&a);
            let b: __m512i = core::mem::transmute_copy(&b);
            let even = _mm512_permutex2var_epi32(a, even, b);
            let odd = _mm512_permutex2var_epi32(a, odd, b);
            return (
                core::mem::transmute_copy(&even),
                core::mem::transmute_copy(&odd),
            );
        }
    }
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if size_of::<P>() == 32 && P::WIDTH == 8 {
        use core::arch::x86_64::{
            __m256, __m256i, _mm256_castps_si256, _mm256_permute4x64_epi64, _mm256_shuffle_ps,
        };
        // SAFETY: both types are 32 plain bytes, AVX2 is enabled at compile time, and lanes are
        // only moved, so every lane of the results is one of the inputs' valid values.
        unsafe {
            let a: __m256 = core::mem::transmute_copy(&a);
            let b: __m256 = core::mem::transmute_copy(&b);
            let even = _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b));
            let odd = _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(a, b));
            let even: __m256i = _mm256_permute4x64_epi64::<0xd8>(even);
            let odd: __m256i = _mm256_permute4x64_epi64::<0xd8>(odd);
            return (
                core::mem::transmute_copy(&even),
                core::mem::transmute_copy(&odd),
            );
        }
    }
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    if size_of::<P>() == 16 && P::WIDTH == 4 {
        use core::arch::aarch64::{uint32x4_t, vuzp1q_u32, vuzp2q_u32};
        // SAFETY: both types are 16 plain bytes, NEON is enabled at compile time, and lanes are
        // only moved, so every lane of the results is one of the inputs' valid values.
        unsafe {
            let a: uint32x4_t = core::mem::transmute_copy(&a);
            let b: uint32x4_t = core::mem::transmute_copy(&b);
            let even = vuzp1q_u32(a, b);
            let odd = vuzp2q_u32(a, b);
            return (
                core::mem::transmute_copy(&even),
                core::mem::transmute_copy(&odd),
            );
        }
    }
    deinterleave_portable(a, b)
}

/// [`deinterleave`] through arrays.
#[inline]
pub(super) fn deinterleave_portable<P: PackedValue>(a: P, b: P) -> (P, P) {
    let pick = |i: usize| {
        if i < P::WIDTH {
            a.extract(i)
        } else {
            b.extract(i - P::WIDTH)
        }
    };
    (P::from_fn(|i| pick(2 * i)), P::from_fn(|i| pick(2 * i + 1)))
}

/// Sum of the lanes.
#[inline]
pub(crate) fn lane_sum<F: Field>(v: F::Packing) -> F {
    v.as_slice().iter().copied().sum()
}

macro_rules! fixed_lengths {
    ($n:expr, $dot:ident, $a:expr, $b:expr, [$($len:literal)*]) => {
        match $n {
            0 => P::ZERO,
            $($len => P::$dot::<$len>(
                $a[..$len].try_into().expect("length is fixed"),
                $b[..$len].try_into().expect("length is fixed"),
            ),)*
            _ => unreachable!("a block of a dot product has at most ten terms"),
        }
    };
}

/// `sum_i a[i] * b[i]` over the first `n <= 10` entries, reduced as late as the packing can.
#[inline(always)]
pub(crate) fn dot<P: PackedField>(n: usize, a: &[P], b: &[P]) -> P {
    fixed_lengths!(n, dot_product, a, b, [1 2 3 4 5 6 7 8 9 10])
}

/// `sum_i a[i] * b[i]` with scalar `b`, over the first `n <= 10` entries, reduced as late as the
/// packing can.
#[inline(always)]
pub(crate) fn mixed_dot<F: Field, P: PackedField<Scalar = F>>(n: usize, a: &[P], b: &[F]) -> P {
    fixed_lengths!(n, mixed_dot_product, a, b, [1 2 3 4 5 6 7 8 9 10])
}

/// Adds `sum_i a[i] * b[d][i]` to `sums[d]` for every `d`, over the first `n <= 10` entries.
///
/// Written out for each `d`, so that the products of different `d` overlap and share what is done
/// to `a`.
#[inline(always)]
pub(crate) fn add_mixed_dots<F: Field, P: PackedField<Scalar = F>, const D: usize>(
    n: usize,
    sums: &mut [P; D],
    a: &[P],
    b: [&[F]; D],
) {
    macro_rules! each {
        ($($d:literal)*) => {
            $(if $d < D {
                sums[$d] += mixed_dot(n, a, b[$d]);
            })*
        };
    }
    const { assert!(D <= 5, "extension degrees go up to five") }
    each!(0 1 2 3 4);
}

/// `out[i * D + d] = cols[d][i]`.
pub(super) fn interleave_columns<F: Field, const D: usize>(cols: [&[F]; D], out: &mut [F]) {
    const ROWS: usize = 16;
    let len = cols[0].len();
    let whole = len - len % ROWS;
    for (block, out) in out[..whole * D].chunks_exact_mut(ROWS * D).enumerate() {
        let cols: [&[F; ROWS]; D] = cols.map(|col| {
            col[block * ROWS..][..ROWS]
                .try_into()
                .expect("a block is ROWS long")
        });
        for i in 0..ROWS {
            for d in 0..D {
                out[i * D + d] = cols[d][i];
            }
        }
    }
    for i in whole..len {
        for d in 0..D {
            out[i * D + d] = cols[d][i];
        }
    }
}
