//! Look-ups of nibbles in 256-bit registers.

use std::arch::x86_64::*;

/// A table of sixteen bytes in each half of a register.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn twice(table: &[u8; 16]) -> __m256i {
    // SAFETY: the reference covers 16 readable bytes; the load needs no alignment.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}

/// The low nibble of every byte, and the high one.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn nibbles(x: __m256i) -> [__m256i; 2] {
    let mask = _mm256_set1_epi8(15);
    [
        _mm256_and_si256(x, mask),
        _mm256_and_si256(_mm256_srli_epi64::<4>(x), mask),
    ]
}
