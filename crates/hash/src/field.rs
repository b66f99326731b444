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

    /// The elements stored as `words`; `None` if a word is not below the modulus.
    fn from_words(words: &[u32]) -> Option<&[Self]> {
        const { assert!(size_of::<Self>() == 4 && align_of::<Self>() == 4) };
        if !stored::<Self>(words) {
            return None;
        }
        // SAFETY: the sealed implementors are `repr(transparent)` around a `u32`, and every word
        // is a valid stored value.
        Some(unsafe { core::slice::from_raw_parts(words.as_ptr().cast(), words.len()) })
    }

    /// The elements stored as `words`, in the same allocation; `None` if a word is not below the
    /// modulus.
    fn from_word_vec(words: Vec<u32>) -> Option<Vec<Self>> {
        const { assert!(size_of::<Self>() == 4 && align_of::<Self>() == 4) };
        if !stored::<Self>(&words) {
            return None;
        }
        let mut words = core::mem::ManuallyDrop::new(words);
        let (pointer, len, capacity) = (words.as_mut_ptr(), words.len(), words.capacity());
        // SAFETY: the words are valid stored values as in `from_words`; elements have the size and
        // alignment of words, so the allocation is one that a vector of elements would make, and
        // its first owner never drops it.
        Some(unsafe { Vec::from_raw_parts(pointer.cast(), len, capacity) })
    }

    /// The stored words of a slice as bytes in native order.
    fn bytes(values: &[Self]) -> &[u8] {
        let words = Self::words(values);
        // SAFETY: any `u32` is four initialised bytes, and bytes have no alignment.
        unsafe { core::slice::from_raw_parts(words.as_ptr().cast(), 4 * words.len()) }
    }
}

/// Whether every word is one that an element of `F` can be stored as.
fn stored<F: PrimeField32>(words: &[u32]) -> bool {
    words.iter().all(|&word| word < F::ORDER_U32)
}

impl HashField for BabyBear {}
impl HashField for KoalaBear {}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<F: HashField>() {
        let values: Vec<F> = [0, 1, 2, 3, 0x1234_5678, F::ORDER_U32 - 1]
            .map(F::from_u32)
            .to_vec();
        let words = F::words(&values).to_vec();
        for (&word, value) in words.iter().zip(&values) {
            // Stored as `x * 2^32 mod p`.
            let expected = (u64::from(value.as_canonical_u32()) << 32) % F::ORDER_U64;
            assert_eq!(u64::from(word), expected);
        }
        assert_eq!(F::from_words(&words), Some(values.as_slice()));
        let pointer = words.as_ptr();
        let back = F::from_word_vec(words).unwrap();
        assert_eq!(back, values);
        assert_eq!(F::words(&back).as_ptr(), pointer, "the allocation is kept");
        assert_eq!(F::from_words(&[]), Some([].as_slice()));
        assert_eq!(F::from_word_vec(Vec::new()), Some(Vec::new()));

        for over in [F::ORDER_U32, F::ORDER_U32 + 1, u32::MAX] {
            for at in 0..3 {
                let mut words = vec![F::ORDER_U32 - 1; 3];
                assert!(F::from_words(&words).is_some());
                words[at] = over;
                assert!(F::from_words(&words).is_none());
                assert!(F::from_word_vec(words).is_none());
            }
        }
    }

    #[test]
    fn words_round_trip() {
        round_trip::<BabyBear>();
        round_trip::<KoalaBear>();
    }
}
