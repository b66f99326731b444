//! Four lanes a register.

use core::arch::aarch64::*;

use super::Lanes;

const WIDTH: usize = 4;

#[inline]
#[target_feature(enable = "neon")]
fn splat(x: u32) -> uint32x4_t {
    vdupq_n_u32(x)
}
#[inline]
#[target_feature(enable = "neon")]
fn add(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
    vaddq_u32(a, b)
}
#[inline]
#[target_feature(enable = "neon")]
fn xor(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
    veorq_u32(a, b)
}
#[inline]
#[target_feature(enable = "neon")]
fn rot16(a: uint32x4_t) -> uint32x4_t {
    vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(a)))
}
#[inline]
#[target_feature(enable = "neon")]
fn rot12(a: uint32x4_t) -> uint32x4_t {
    vsriq_n_u32::<12>(vshlq_n_u32::<20>(a), a)
}
#[inline]
#[target_feature(enable = "neon")]
fn rot8(a: uint32x4_t) -> uint32x4_t {
    vsriq_n_u32::<8>(vshlq_n_u32::<24>(a), a)
}
#[inline]
#[target_feature(enable = "neon")]
fn rot7(a: uint32x4_t) -> uint32x4_t {
    vsriq_n_u32::<7>(vshlq_n_u32::<25>(a), a)
}
#[inline]
#[target_feature(enable = "neon")]
fn load(a: &Lanes, group: usize) -> uint32x4_t {
    let lanes = &a.0.as_chunks::<WIDTH>().0[group];
    // SAFETY: these lanes are 16 readable bytes.
    unsafe { vld1q_u32(lanes.as_ptr()) }
}
#[inline]
#[target_feature(enable = "neon")]
fn store(to: &mut Lanes, group: usize, a: uint32x4_t) {
    let lanes = &mut to.0.as_chunks_mut::<WIDTH>().0[group];
    // SAFETY: these lanes are 16 writable bytes.
    unsafe { vst1q_u32(lanes.as_mut_ptr(), a) };
}

blake2s_kernel!(
    #[target_feature(enable = "neon")]
    uint32x4_t,
    Lanes,
    super::LANES / WIDTH
);
