//! Sums of words over the rows that have a given bit: `S[lane][b] = sum_{j: bit b of w_j} f_lane(j)`
//! for the 192 bits `b` of an element `w_j` a row.
//!
//! A product of bit matrices, `192 x rows` by `rows x 64`, for every lane. The portable kernel adds
//! words into one bucket for every value of every nibble of `w_j`; where the processor multiplies
//! 8 x 8 bit matrices, the other kernel takes eight rows at a time.

use p3_field::PrimeCharacteristicRing;
use prova_binary_pcs::field::to_limbs;
use rayon::prelude::*;

use crate::lanes::Lanes;
use crate::{E, K};

/// Bits of an element of E.
pub(crate) const BITS: usize = 192;

/// One sum a bit.
pub(crate) type BitSums = [K; BITS];

/// Lanes that the portable kernel takes together.
const LANE_GROUP: usize = 8;

/// The sums of every lane, over the rows from `start` on, one for each of `weights`.
pub(crate) fn sums(lanes: &Lanes<'_>, start: usize, weights: &[E]) -> Vec<BitSums> {
    let chunk = weights
        .len()
        .div_ceil(16 * rayon::current_num_threads())
        .next_multiple_of(512);
    weights
        .par_chunks(chunk)
        .enumerate()
        .map(|(i, weights)| chunk_sums(lanes, start + i * chunk, weights))
        .reduce_with(|mut a, b| {
            let pairs = a.as_flattened_mut().iter_mut().zip(b.as_flattened());
            pairs.for_each(|(a, &b)| *a += b);
            a
        })
        .unwrap_or_default()
}

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "gfni",
    target_feature = "avx512f",
    target_feature = "avx512bw",
    target_feature = "avx512vbmi"
))]
use gfni::chunk_sums;
#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "gfni",
    target_feature = "avx512f",
    target_feature = "avx512bw",
    target_feature = "avx512vbmi"
)))]
use portable_sums as chunk_sums;

/// The portable kernel.
#[cfg_attr(
    all(
        not(test),
        target_arch = "x86_64",
        target_feature = "gfni",
        target_feature = "avx512f",
        target_feature = "avx512bw",
        target_feature = "avx512vbmi"
    ),
    expect(dead_code, reason = "the reference of the kernel for bit matrices")
)]
fn portable_sums(lanes: &Lanes<'_>, start: usize, weights: &[E]) -> Vec<BitSums> {
    let mut sums = vec![[K::ZERO; BITS]; lanes.count()];
    for (group, sums) in sums.chunks_mut(LANE_GROUP).enumerate() {
        let parts: [&[K]; LANE_GROUP] = core::array::from_fn(|i| {
            let lane = group * LANE_GROUP + i;
            lanes.part(lane, start, start + weights.len())
        });
        let mut buckets = vec![[[K::ZERO; LANE_GROUP]; 16]; BITS / 4];
        for (j, &weight) in weights.iter().enumerate() {
            let words = parts.map(|part| part.get(j).copied().unwrap_or(K::ZERO));
            add_to_buckets(&mut buckets, &words, weight);
        }
        for (nibble, bucket) in buckets.iter().enumerate() {
            for (value, words) in bucket.iter().enumerate() {
                for bit in (0..4).filter(|bit| value >> bit & 1 == 1) {
                    for (sums, &word) in sums.iter_mut().zip(words) {
                        sums[4 * nibble + bit] += word;
                    }
                }
            }
        }
    }
    sums
}

/// Adds a row's words to the bucket of each nibble of its weight.
fn add_to_buckets(buckets: &mut [[[K; LANE_GROUP]; 16]], row: &[K; LANE_GROUP], weight: E) {
    for (limb, buckets) in to_limbs(weight)
        .into_iter()
        .zip(buckets.chunks_exact_mut(16))
    {
        for (nibble, bucket) in buckets.iter_mut().enumerate() {
            let bucket = &mut bucket[(limb >> (4 * nibble) & 15) as usize];
            bucket
                .iter_mut()
                .zip(row)
                .for_each(|(sum, &word)| *sum += word);
        }
    }
}

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "gfni",
    target_feature = "avx512f",
    target_feature = "avx512bw",
    target_feature = "avx512vbmi"
))]
mod gfni {
    //! Products of 8 x 8 bit matrices, 64 bytes at a time.

    use core::arch::x86_64::*;

    use super::*;

    /// Bytes of an element.
    const BYTES: usize = BITS / 8;

    /// Groups of eight rows between two visits of a lane's accumulators.
    const GROUPS: usize = 64;

    /// For one lane: in accumulator `t`, byte `k` has in bit `i` the bit `k` of sum `8 t + i`.
    #[derive(Clone, Copy)]
    struct Accumulators([__m512i; BYTES]);

    pub(super) fn chunk_sums(lanes: &Lanes<'_>, start: usize, weights: &[E]) -> Vec<BitSums> {
        // SAFETY: the module is compiled for processors with AVX-512F only.
        let zero = unsafe { Accumulators([_mm512_setzero_si512(); BYTES]) };
        let mut all = vec![zero; lanes.count()];
        let mut matrices = Vec::with_capacity(GROUPS);
        for (i, weights) in weights.chunks(8 * GROUPS).enumerate() {
            matrices.clear();
            matrices.extend(weights.chunks(8).map(bit_matrices));
            let from = start + i * 8 * GROUPS;
            for (lane, accumulators) in all.iter_mut().enumerate() {
                accumulate(
                    accumulators,
                    &matrices,
                    lanes.part(lane, from, from + weights.len()),
                );
            }
        }
        all.iter().map(finish).collect()
    }

    /// For every byte of the elements, the matrix that takes bits of eight rows to eight sums:
    /// in its byte `7 - i`, bit `j` is bit `i` of the byte of row `j`.
    fn bit_matrices(weights: &[E]) -> [u64; BYTES] {
        let mut rows = [[0; BYTES]; 8];
        for (row, &weight) in rows.iter_mut().zip(weights) {
            *row = prova_binary_pcs::field::to_bytes(weight);
        }
        core::array::from_fn(|byte| {
            let bytes: [u8; 8] = core::array::from_fn(|j| rows[j][byte]);
            transpose(u64::from_le_bytes(bytes)).swap_bytes()
        })
    }

    /// Exchanges bit `i` of byte `j` with bit `j` of byte `i` (Hacker's Delight, section 7-3).
    fn transpose(mut x: u64) -> u64 {
        for (shift, mask) in [
            (7, 0x00aa_00aa_00aa_00aa),
            (14, 0x0000_cccc_0000_cccc),
            (28, 0x0000_0000_f0f0_f0f0),
        ] {
            let t = (x ^ x >> shift) & mask;
            x ^= t ^ t << shift;
        }
        x
    }

    fn accumulate(accumulators: &mut Accumulators, matrices: &[[u64; BYTES]], words: &[K]) {
        let Accumulators(mut sums) = *accumulators;
        for (matrices, words) in matrices.iter().zip(words.chunks(8)) {
            let mut padded = [0; 8];
            padded
                .iter_mut()
                .zip(words)
                .for_each(|(to, word)| *to = word.to_bits());
            // SAFETY: the module is compiled for processors with AVX-512F, AVX-512BW, AVX-512VBMI
            // and GFNI only, and the load reads the 64 bytes of `padded`.
            unsafe {
                // Byte `8 b + r` of `bytes` is byte `b` of word `7 - r`; taken as matrices and
                // applied to the unit vectors, that is the transposed bit matrix.
                let bytes =
                    _mm512_permutexvar_epi8(order(), _mm512_loadu_si512(padded.as_ptr().cast()));
                let units = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
                let rows = _mm512_gf2p8affine_epi64_epi8::<0>(units, bytes);
                for (sum, &matrix) in sums.iter_mut().zip(matrices) {
                    let matrix = _mm512_set1_epi64(matrix.cast_signed());
                    let product = _mm512_gf2p8affine_epi64_epi8::<0>(rows, matrix);
                    *sum = _mm512_xor_si512(*sum, product);
                }
            }
        }
        *accumulators = Accumulators(sums);
    }

    /// At byte `8 b + r` the index of byte `b` of word `7 - r`.
    fn order() -> __m512i {
        const ORDER: [u8; 64] = {
            let mut order = [0; 64];
            let mut i = 0;
            while i < 64 {
                order[i] = (8 * (7 - i % 8) + i / 8) as u8;
                i += 1;
            }
            order
        };
        // SAFETY: the load reads the 64 bytes of `ORDER`, on a processor with AVX-512F.
        unsafe { _mm512_loadu_si512(ORDER.as_ptr().cast()) }
    }

    fn finish(accumulators: &Accumulators) -> BitSums {
        core::array::from_fn(|bit| {
            // SAFETY: the module is compiled for processors with AVX-512BW only.
            let sum = unsafe {
                let mask = _mm512_set1_epi8((1_u8 << (bit % 8)).cast_signed());
                _mm512_test_epi8_mask(accumulators.0[bit / 8], mask)
            };
            K::new(sum)
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn both_kernels_sum_the_words_with_a_set_bit() {
        let mut rng = StdRng::seed_from_u64(1);
        // Rows that fill no group of eight, lanes that fill no group either, a last lane that ends.
        let words: Vec<K> = (0..(17 << 10) - 100).map(|_| rng.random()).collect();
        let lanes = Lanes::new(&words, 16);
        for (start, rows) in [(0, 1024), (512, 512), (1000, 3), (0, 1)] {
            let weights: Vec<E> = (0..rows).map(|_| rng.random()).collect();
            let naive: Vec<BitSums> = (0..lanes.count())
                .map(|lane| {
                    core::array::from_fn(|bit| {
                        let words = lanes.part(lane, start, start + rows).iter().zip(&weights);
                        let set = |w: E| to_limbs(w)[bit / 64] >> (bit % 64) & 1 == 1;
                        words
                            .filter(|(_, weight)| set(**weight))
                            .map(|(&word, _)| word)
                            .sum()
                    })
                })
                .collect();
            assert_eq!(sums(&lanes, start, &weights), naive);
            assert_eq!(portable_sums(&lanes, start, &weights), naive);
        }
    }
}
