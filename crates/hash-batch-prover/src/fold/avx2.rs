//! Folding by look-ups of nibbles inside registers: a byte's image is the sum of those of its
//! halves, and one shuffle looks up 32 of them. Tables of whole bytes would not fit the first cache.

use super::{GROUP, Octet, TILE};
use crate::circuit::BLOCK_WORDS;
use crate::field::{E, to_limbs};
use crate::simd256::{nibbles as halves_of, twice};
use crate::witness::GROUP_WORDS;
use std::arch::x86_64::*;

/// For each byte of an element what the low and the high nibbles of an input byte add to it.
pub(super) type Images = [[[u8; 16]; 2]; 24];

/// Instances whose words share a register.
const LANES: usize = 4;

/// Groups of [`LANES`] instances.
const HALVES: usize = GROUP / LANES;

/// The images under the map with these eight bit weights.
pub(super) fn images(weights: &[E]) -> Images {
    let mut images = [[[0; 16]; 2]; 24];
    for (bit, &weight) in weights.iter().take(8).enumerate() {
        let bytes = to_limbs(weight).map(u64::to_le_bytes);
        for (image, &byte) in images.iter_mut().zip(bytes.as_flattened()) {
            for (value, sum) in image[bit / 4].iter_mut().enumerate() {
                if value >> (bit % 4) & 1 == 1 {
                    *sum ^= byte;
                }
            }
        }
    }
    images
}

/// See `BitFold::tile`; `images` has those of the eight bytes of every row.
#[target_feature(enable = "avx2")]
pub(super) fn tile(images: &[[Images; 8]], words: &[u64], tile: usize, out: &mut [Octet; TILE]) {
    match images.len() {
        1 => tile_of::<1>(images, words, tile, out),
        2 => tile_of::<2>(images, words, tile, out),
        4 => tile_of::<4>(images, words, tile, out),
        8 => tile_of::<8>(images, words, tile, out),
        _ => tile_of::<16>(images, words, tile, out),
    }
}

/// Not inlined, so that shallow folds do not set up the stack frame of the deepest.
#[inline(never)]
#[target_feature(enable = "avx2")]
fn tile_of<const ROWS: usize>(
    images: &[[Images; 8]],
    words: &[u64],
    tile: usize,
    out: &mut [Octet; TILE],
) {
    let zero = _mm256_setzero_si256();
    // Low and high nibbles of every byte of every row.
    let mut nibbles = [[[[zero; 2]; HALVES]; 8]; ROWS];
    for half in 0..HALVES {
        let columns = gather::<ROWS>(words, tile, half);
        for (row, nibbles) in nibbles.iter_mut().enumerate() {
            let planes = bytes_of(std::array::from_fn(|slot| columns[slot][row]));
            for (nibbles, plane) in nibbles.iter_mut().zip(planes) {
                nibbles[half] = halves_of(plane);
            }
        }
    }
    for limb in 0..3 {
        let mut planes = [[zero; 8]; HALVES];
        // As many sums at a time as there are registers for.
        for part in 0..2 {
            let mut sums = [[zero; HALVES]; 4];
            let inputs = nibbles.as_flattened().iter();
            for (nibbles, images) in inputs.zip(images.as_flattened()) {
                let images = &images[8 * limb + 4 * part..][..4];
                for (sums, image) in sums.iter_mut().zip(images) {
                    let [low, high] = [twice(&image[0]), twice(&image[1])];
                    for (sum, nibbles) in sums.iter_mut().zip(nibbles) {
                        let low = _mm256_shuffle_epi8(low, nibbles[0]);
                        let high = _mm256_shuffle_epi8(high, nibbles[1]);
                        *sum = _mm256_xor_si256(*sum, _mm256_xor_si256(low, high));
                    }
                }
            }
            for (byte, sums) in sums.into_iter().enumerate() {
                for (planes, sum) in planes.iter_mut().zip(sums) {
                    planes[4 * part + byte] = sum;
                }
            }
        }
        let mut limbs = [[0; GROUP]; TILE];
        for (half, planes) in planes.into_iter().enumerate() {
            for (limbs, values) in limbs.iter_mut().zip(words_of(planes)) {
                let to = &mut limbs[LANES * half..][..LANES];
                // SAFETY: these are 32 writable bytes, and the store needs no alignment.
                unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), values) };
            }
        }
        for (out, limbs) in out.iter_mut().zip(&limbs) {
            out.set_limb(limb, limbs);
        }
    }
}

/// Row `r` of slot `s` of four instances: lane `i` of `[s][r]` is word `ROWS * (8 tile + s) + r` of
/// instance `4 half + i`.
#[inline]
#[target_feature(enable = "avx2")]
fn gather<const ROWS: usize>(words: &[u64], tile: usize, half: usize) -> [[__m256i; ROWS]; TILE] {
    let mut columns = [[_mm256_setzero_si256(); ROWS]; TILE];
    let instances: [&[u64]; LANES] = std::array::from_fn(|i| {
        &words[(LANES * half + i) * BLOCK_WORDS + TILE * ROWS * tile..][..TILE * ROWS]
    });
    let fours = columns.as_flattened_mut().as_chunks_mut::<4>().0;
    for (index, columns) in fours.iter_mut().enumerate() {
        let mut rows = [_mm256_setzero_si256(); LANES];
        for (row, words) in rows.iter_mut().zip(instances) {
            let words = &words[4 * index..][..4];
            if index % 2 == 0 {
                // Eight streams a block apart are more than the hardware follows.
                let ahead = words.as_ptr().wrapping_add(GROUP_WORDS);
                _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
            }
            // SAFETY: these are 32 readable bytes, and the load needs no alignment.
            *row = unsafe { _mm256_loadu_si256(words.as_ptr().cast()) };
        }
        let [a, b, c, d] = rows;
        let (e, f) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let (g, h) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
        *columns = [
            _mm256_permute2x128_si256::<0x20>(e, g),
            _mm256_permute2x128_si256::<0x20>(f, h),
            _mm256_permute2x128_si256::<0x31>(e, g),
            _mm256_permute2x128_si256::<0x31>(f, h),
        ];
    }
    columns
}

/// Byte `b` of all words, those of a slot in neighbouring lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn bytes_of(mut words: [__m256i; 8]) -> [__m256i; 8] {
    // Equal bytes of the two words of a half register side by side.
    let pairs = _mm256_setr_epi8(
        0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, //
        0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15,
    );
    for word in &mut words {
        *word = _mm256_shuffle_epi8(*word, pairs);
    }
    transpose(words)
}

/// The reverse of [`bytes_of`].
#[inline]
#[target_feature(enable = "avx2")]
fn words_of(planes: [__m256i; 8]) -> [__m256i; 8] {
    let words = _mm256_setr_epi8(
        0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15, //
        0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15,
    );
    let mut out = transpose(planes);
    for word in &mut out {
        *word = _mm256_shuffle_epi8(*word, words);
    }
    out
}

/// Swaps the number of a register with that of a pair of bytes, in each half.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(mut v: [__m256i; 8]) -> [__m256i; 8] {
    // Register and pair have three bits each; a pass rotates the six by one.
    for _ in 0..3 {
        let before = v;
        for i in 0..4 {
            v[2 * i] = _mm256_unpacklo_epi16(before[i], before[i + 4]);
            v[2 * i + 1] = _mm256_unpackhi_epi16(before[i], before[i + 4]);
        }
    }
    v
}
