//! Kernels for x86-64 CPUs: with AVX-512 IFMA, eight field elements or points at a time; with ADX,
//! a faster multiplication.
//!
//! Functions of the former are marked with the target features they need. Their entry points are
//! methods of [`Ifma`], which exists only where the CPU has them, or look for them first.

pub(crate) mod adx;
mod character;
mod decode;
pub(crate) mod field;
pub(crate) mod fixed;
#[cfg(feature = "prove")]
pub(crate) mod mac;
pub(crate) mod msm;
pub(crate) mod point;
#[cfg(feature = "prove")]
pub(crate) mod quotient;
mod words;

use crate::arm::Arm;

/// Shows that the CPU has AVX-512 IFMA and CD.
#[derive(Clone, Copy)]
pub(crate) struct Ifma(());

impl Ifma {
    /// `None` unless the arm is this one, and can run.
    #[inline]
    pub(crate) fn new(arm: Arm) -> Option<Self> {
        (arm == Arm::Ifma && arm.is_available()).then_some(Self(()))
    }
}

/// Asks for the cache lines of the first and of the last byte of a value.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let first: *const i8 = (&raw const *value).cast();
    // SAFETY: the last byte is of the same value, and a prefetch reads nothing.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(first);
        _mm_prefetch::<_MM_HINT_T0>(first.add(size_of::<T>().saturating_sub(1)));
    }
}
