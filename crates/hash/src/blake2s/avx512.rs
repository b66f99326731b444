//! Sixteen lanes a register.

use core::arch::x86_64::*;

use super::Lanes;

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(x: u32) -> __m512i {
    _mm512_set1_epi32(x.cast_signed())
}
#[inline]
#[target_feature(enable = "avx512f")]
fn add(a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi32(a, b)
}
#[inline]
#[target_feature(enable = "avx512f")]
fn xor(a: __m512i, b: __m512i) -> __m512i {
    _mm512_xor_si512(a, b)
}
#[inline]
#[target_feature(enable = "avx512f")]
fn rot16(a: __m512i) -> __m512i {
    _mm512_ror_epi32::<16>(a)
}
#[inline]
#[target_feature(enable = "avx512f")]
fn rot12(a: __m512i) -> __m512i {
    _mm512_ror_epi32::<12>(a)
}
#[inline]
#[target_feature(enable = "avx512f")]
fn rot8(a: __m512i) -> __m512i {
    _mm512_ror_epi32::<8>(a)
}
#[inline]
#[target_feature(enable = "avx512f")]
fn rot7(a: __m512i) -> __m512i {
    _mm512_ror_epi32::<7>(a)
}
#[inline]
#[target_feature(enable = "avx512f")]
fn load(a: &Lanes, _: usize) -> __m512i {
    // SAFETY: the lanes are 64 readable bytes, aligned to 64.
    unsafe { _mm512_load_si512(a.0.as_ptr().cast()) }
}
#[inline]
#[target_feature(enable = "avx512f")]
fn store(to: &mut Lanes, _: usize, a: __m512i) {
    // SAFETY: the lanes are 64 writable bytes, aligned to 64.
    unsafe { _mm512_store_si512(to.0.as_mut_ptr().cast(), a) };
}

blake2s_kernel!(
    #[target_feature(enable = "avx512f")]
    __m512i,
    Lanes,
    1
);
