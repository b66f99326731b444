//! Moving lanes between vectors.

use p3_field::PackedValue;

/// Splits both vectors into chunks of `chunk` elements and swaps the odd chunks of `a` with the
/// even chunks of `b`: with chunks `a = [a0, a1, ..]`, `b = [b0, b1, ..]` the result is
/// `([a0, b0, a2, b2, ..], [a1, b1, a3, b3, ..])`. `chunk` is a power of two below the width.
#[inline(always)]
pub(super) fn interleave<P: PackedValue>(a: P, b: P, chunk: usize) -> (P, P) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if let Some(pair) = x86::interleave(a, b, chunk) {
        return pair;
    }
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    if let Some(pair) = neon::interleave(a, b, chunk) {
        return pair;
    }
    let pick = |odd: usize| {
        P::from_fn(|lane| {
            let from = (lane & !chunk) | (odd * chunk);
            if lane & chunk == 0 {
                a.as_slice()[from]
            } else {
                b.as_slice()[from]
            }
        })
    };
    (pick(0), pick(1))
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod x86 {
    use core::mem::transmute_copy;

    use p3_field::PackedValue;
    #[cfg(not(target_feature = "avx512f"))]
    use p3_field::interleave::{interleave_u32, interleave_u64, interleave_u128};
    #[cfg(target_feature = "avx512f")]
    use p3_field::interleave::{interleave_u32, interleave_u64, interleave_u128, interleave_u256};

    #[cfg(not(target_feature = "avx512f"))]
    type Raw = core::arch::x86_64::__m256i;
    #[cfg(target_feature = "avx512f")]
    type Raw = core::arch::x86_64::__m512i;

    #[inline(always)]
    pub(super) fn interleave<P: PackedValue>(a: P, b: P, chunk: usize) -> Option<(P, P)> {
        if size_of::<P>() != size_of::<Raw>() || size_of::<P::Value>() != 4 {
            return None;
        }
        // SAFETY: equal sizes, and both types are plain lanes of 32 bits; the result only moves
        // lanes, so each is a valid element again.
        unsafe {
            let (a, b): (Raw, Raw) = (transmute_copy(&a), transmute_copy(&b));
            let (a, b) = match chunk {
                1 => interleave_u32(a, b),
                2 => interleave_u64(a, b),
                4 => interleave_u128(a, b),
                #[cfg(target_feature = "avx512f")]
                8 => interleave_u256(a, b),
                _ => return None,
            };
            Some((transmute_copy(&a), transmute_copy(&b)))
        }
    }
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon {
    use core::arch::aarch64::uint32x4_t;
    use core::mem::transmute_copy;

    use p3_field::PackedValue;
    use p3_field::interleave::{interleave_u32, interleave_u64};

    #[inline(always)]
    pub(super) fn interleave<P: PackedValue>(a: P, b: P, chunk: usize) -> Option<(P, P)> {
        if size_of::<P>() != size_of::<uint32x4_t>() || size_of::<P::Value>() != 4 {
            return None;
        }
        // SAFETY: equal sizes, and both types are plain lanes of 32 bits; the result only moves
        // lanes, so each is a valid element again.
        unsafe {
            let (a, b): (uint32x4_t, uint32x4_t) = (transmute_copy(&a), transmute_copy(&b));
            let (a, b) = match chunk {
                1 => interleave_u32(a, b),
                2 => interleave_u64(a, b),
                _ => return None,
            };
            Some((transmute_copy(&a), transmute_copy(&b)))
        }
    }
}
