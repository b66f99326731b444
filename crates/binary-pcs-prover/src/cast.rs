//! Views of field words as bytes and of extension elements as words.
//!
//! All three types are plain little-endian words in memory on the targets that are supported.

use crate::{E, K};

#[cfg(target_endian = "big")]
compile_error!("codewords are hashed where they lie, which needs little-endian words");

/// The words as the bytes that are hashed.
pub(crate) fn bytes(words: &[K]) -> &[u8] {
    // SAFETY: `Poly64` is `repr(transparent)` over `u64`: eight initialised bytes without padding,
    // and a byte has no alignment. The lifetime is that of the borrowed slice.
    unsafe { core::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

/// The coefficients of `1, y, y^2` of every element, one element after the other.
pub(crate) fn words(elements: &[E]) -> &[K] {
    // SAFETY: `Poly192` is `repr(transparent)` over `[Poly64; 3]`, so it has the alignment of a
    // word and the layout of three. The lifetime is that of the borrowed slice.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), 3 * elements.len()) }
}
