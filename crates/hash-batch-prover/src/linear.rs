//! Linear maps from packed bits to `E`, in the form each arm likes.
//!
//! The image of bit `t` of a byte is a weight of `E`. The table form holds the image of every
//! byte value, padded to 32 bytes; the matrix form holds one 8x8 bit matrix for each byte of `E`.

use crate::field::{E, to_limbs};
use crate::simd512::bit_matrix;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Limbs of an element and one word of padding.
pub(crate) type Padded = [u64; 4];

/// The limbs of an element, padded.
pub(crate) fn padded(value: E) -> Padded {
    let [c0, c1, c2] = to_limbs(value);
    [c0, c1, c2, 0]
}

/// The images of all byte values under the map with these bit weights.
pub(crate) fn byte_table(weights: &[E]) -> [Padded; 256] {
    let mut table = [[0; 4]; 256];
    for (bit, &weight) in weights.iter().take(8).enumerate() {
        let weight = padded(weight);
        for low in 0..1 << bit {
            table[1 << bit | low] = std::array::from_fn(|i| table[low][i] ^ weight[i]);
        }
    }
    table
}

/// Adds the images of bytes, each under its own table.
#[inline(always)]
pub(crate) fn add_bytes<const N: usize>(
    sum: &mut Padded,
    bytes: [u8; N],
    tables: &[[Padded; 256]; N],
) {
    for (byte, table) in bytes.into_iter().zip(tables) {
        accumulate(sum, &table[usize::from(byte)]);
    }
}

/// [`add_bytes`] with the sum in a register.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn add_bytes_avx2<const N: usize>(
    mut sum: __m256i,
    bytes: [u8; N],
    tables: &[[Padded; 256]; N],
) -> __m256i {
    for (byte, table) in bytes.into_iter().zip(tables) {
        let entry = &table[usize::from(byte)];
        // SAFETY: the reference covers 32 readable bytes; the load needs no alignment.
        let entry = unsafe { _mm256_loadu_si256(entry.as_ptr().cast()) };
        sum = _mm256_xor_si256(sum, entry);
    }
    sum
}

/// The sum in a register as words.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn stored(sum: __m256i) -> Padded {
    let mut out = [0; 4];
    // SAFETY: the array covers 32 writable bytes; the store needs no alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), sum) };
    out
}

/// The 24 bit matrices of the map with these bit weights, lowest byte of the image first.
pub(crate) fn byte_matrices(weights: &[E]) -> [u64; 24] {
    let weights: [[u64; 3]; 8] =
        std::array::from_fn(|t| weights.get(t).map_or([0; 3], |&w| to_limbs(w)));
    std::array::from_fn(|byte| bit_matrix(|t| (weights[t][byte / 8] >> (8 * (byte % 8))) as u8))
}

/// Adds a table entry to a running sum.
#[inline(always)]
pub(crate) fn accumulate(sum: &mut Padded, entry: &Padded) {
    for i in 0..4 {
        sum[i] ^= entry[i];
    }
}
