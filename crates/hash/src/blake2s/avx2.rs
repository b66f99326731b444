//! Eight lanes a register. Rotations by whole bytes are shuffles.

use core::arch::x86_64::*;

use super::Lanes;

const WIDTH: usize = 8;

/// Two registers, so that one's work hides the latency of the other's.
type Pair = [__m256i; 2];

#[inline]
#[target_feature(enable = "avx2")]
fn splat(x: u32) -> Pair {
    [_mm256_set1_epi32(x.cast_signed()); 2]
}
#[inline]
#[target_feature(enable = "avx2")]
fn add([a, b]: Pair, [c, d]: Pair) -> Pair {
    [_mm256_add_epi32(a, c), _mm256_add_epi32(b, d)]
}
#[inline]
#[target_feature(enable = "avx2")]
fn xor([a, b]: Pair, [c, d]: Pair) -> Pair {
    [_mm256_xor_si256(a, c), _mm256_xor_si256(b, d)]
}
#[inline]
#[target_feature(enable = "avx2")]
fn rot16([a, b]: Pair) -> Pair {
    let order = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13,
    ));
    [_mm256_shuffle_epi8(a, order), _mm256_shuffle_epi8(b, order)]
}
#[inline]
#[target_feature(enable = "avx2")]
fn rot12([a, b]: Pair) -> Pair {
    [
        _mm256_or_si256(_mm256_srli_epi32::<12>(a), _mm256_slli_epi32::<20>(a)),
        _mm256_or_si256(_mm256_srli_epi32::<12>(b), _mm256_slli_epi32::<20>(b)),
    ]
}
#[inline]
#[target_feature(enable = "avx2")]
fn rot8([a, b]: Pair) -> Pair {
    let order = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12,
    ));
    [_mm256_shuffle_epi8(a, order), _mm256_shuffle_epi8(b, order)]
}
#[inline]
#[target_feature(enable = "avx2")]
fn rot7([a, b]: Pair) -> Pair {
    [
        _mm256_or_si256(_mm256_srli_epi32::<7>(a), _mm256_slli_epi32::<25>(a)),
        _mm256_or_si256(_mm256_srli_epi32::<7>(b), _mm256_slli_epi32::<25>(b)),
    ]
}
#[inline]
#[target_feature(enable = "avx2")]
fn load(a: &Lanes, _: usize) -> Pair {
    let (low, high) = a.0.split_at(WIDTH);
    // SAFETY: these lanes are 32 readable bytes, aligned to 32 in a word aligned to 64.
    unsafe {
        [
            _mm256_load_si256(low.as_ptr().cast()),
            _mm256_load_si256(high.as_ptr().cast()),
        ]
    }
}
#[inline]
#[target_feature(enable = "avx2")]
fn store(to: &mut Lanes, _: usize, [a, b]: Pair) {
    let (low, high) = to.0.split_at_mut(WIDTH);
    // SAFETY: these lanes are 32 writable bytes, aligned to 32 in a word aligned to 64.
    unsafe {
        _mm256_store_si256(low.as_mut_ptr().cast(), a);
        _mm256_store_si256(high.as_mut_ptr().cast(), b);
    }
}

blake2s_kernel!(
    #[target_feature(enable = "avx2")]
    Pair,
    Lanes,
    1
);
