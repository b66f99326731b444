//! Access to the words in which a 31-bit Montgomery field element is stored.

use p3_baby_bear::BabyBear;
use p3_field::PrimeField32;
use p3_koala_bear::KoalaBear;

mod sealed {
    pub trait Sealed {}
    impl Sealed for p3_baby_bear::BabyBear {}
    impl Sealed for p3_koala_bear::KoalaBear {}
}

/// A 31-bit prime field stored as one `u32` a value, `x * 2^32 mod p` in `[0, p)`.
///
/// Sealed: the kernels reinterpret slices of elements as slices of words, which is sound only for
/// types with that layout.
pub trait HashField: PrimeField32 + sealed::Sealed {
    /// The stored words of a slice.
    fn words(values: &[Self]) -> &[u32] {
        const { assert!(size_of::<Self>() == 4 && align_of::<Self>() == 4) };
        // SAFETY: the sealed implementors are `repr(transparent)` around a `u32`.
        unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
    }

    /// The stored words of a slice as bytes in native order.
    fn bytes(values: &[Self]) -> &[u8] {
        let words = Self::words(values);
        // SAFETY: any `u32` is four initialised bytes, and bytes have no alignment.
        unsafe { core::slice::from_raw_parts(words.as_ptr().cast(), 4 * words.len()) }
    }
}

impl HashField for BabyBear {}
impl HashField for KoalaBear {}
