//! Sums of the witness bits over instances: `sum_t w_t z_t[j]` for each of the block's 2^14 columns.

use crate::arm::Arm;
use crate::circuit::{BLOCK_BITS, BLOCK_WORDS};
use crate::field::{E, from_limbs};
use crate::linear::{Padded, accumulate, add_bytes, byte_table};
#[cfg(target_arch = "x86_64")]
use crate::linear::{add_bytes_avx2, stored};
use crate::witness::GROUP;
use rayon::prelude::*;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::_mm256_setzero_si256;

/// Instances whose bits are joined before the running sums are touched.
const BATCH: usize = 8 * GROUP;
/// Instances of the smallest task.
const TASK: usize = 1 << 9;

/// The weighted column sums of `z`, which has 256 words for each weight.
pub(crate) fn column_sums(z: &[u64], weights: &[E], arm: Arm) -> Vec<E> {
    match arm.usable() {
        #[cfg(target_arch = "x86_64")]
        Arm::Gfni => {
            let planes = sum_tasks(z, weights, 24 * 8 * BLOCK_WORDS, |z, weights, sums| {
                // SAFETY: the arm is offered only on CPUs with these features.
                unsafe { gfni::add_batch(z, weights, sums.as_chunks_mut().0) }
            });
            gfni::elements(planes.as_chunks().0)
        }
        arm => {
            let sums = sum_tasks(z, weights, 4 * BLOCK_BITS, |z, weights, sums| {
                add_batch(arm, z, weights, sums.as_chunks_mut().0);
            });
            sums.chunks_exact(4)
                .map(|entry| from_limbs([entry[0], entry[1], entry[2]]))
                .collect()
        }
    }
}

/// Runs `add` over batches of at most [`BATCH`] instances, with one vector of `len` words of sums a
/// task, and xors the vectors.
fn sum_tasks(
    z: &[u64],
    weights: &[E],
    len: usize,
    add: impl Fn(&[u64], &[E], &mut [u64]) + Sync,
) -> Vec<u64> {
    z.par_chunks(TASK * BLOCK_WORDS)
        .zip(weights.par_chunks(TASK))
        .fold(
            || vec![0; len],
            |mut sums, (z, weights)| {
                for (z, weights) in z.chunks(BATCH * BLOCK_WORDS).zip(weights.chunks(BATCH)) {
                    add(z, weights, &mut sums);
                }
                sums
            },
        )
        .reduce_with(|mut x, y| {
            for (x, y) in x.iter_mut().zip(y) {
                *x ^= y;
            }
            x
        })
        .unwrap_or_else(|| vec![0; len])
}

fn add_batch(arm: Arm, z: &[u64], weights: &[E], sums: &mut [Padded]) {
    match arm {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the arm is offered only on CPUs with AVX2.
        Arm::Avx2 => unsafe { add_batch_avx2(z, weights, sums) },
        _ => add_batch_tables(z, weights, sums),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_batch_avx2(z: &[u64], weights: &[E], sums: &mut [Padded]) {
    let tables = batch_tables(weights);
    for (slot, sums) in sums.chunks_exact_mut(64).enumerate() {
        let stripes = stripes_of(z, slot);
        for (column, sum) in sums.iter_mut().enumerate() {
            let bytes = std::array::from_fn(|group| stripes[group][column]);
            let added = add_bytes_avx2(_mm256_setzero_si256(), bytes, &tables);
            accumulate(sum, &stored(added));
        }
    }
}

fn add_batch_tables(z: &[u64], weights: &[E], sums: &mut [Padded]) {
    let tables = batch_tables(weights);
    for (slot, sums) in sums.chunks_exact_mut(64).enumerate() {
        let stripes = stripes_of(z, slot);
        for (column, sum) in sums.iter_mut().enumerate() {
            let bytes = std::array::from_fn(|group| stripes[group][column]);
            add_bytes(sum, bytes, &tables);
        }
    }
}

/// One table for each group of a batch; absent groups have zero stripes.
fn batch_tables(weights: &[E]) -> Box<[[Padded; 256]; BATCH / GROUP]> {
    let mut tables = Box::new([[[0; 4]; 256]; BATCH / GROUP]);
    for (table, weights) in tables.iter_mut().zip(weights.chunks(GROUP)) {
        *table = byte_table(weights);
    }
    tables
}

/// The stripes of one slot for the groups of a batch; absent groups are zero.
fn stripes_of(z: &[u64], slot: usize) -> [[u8; 64]; BATCH / GROUP] {
    let mut stripes = [[0; 64]; BATCH / GROUP];
    for (stripe, group) in stripes.iter_mut().zip(z.chunks_exact(GROUP * BLOCK_WORDS)) {
        *stripe = stripe_of(&std::array::from_fn(|i| group[BLOCK_WORDS * i + slot]));
    }
    stripes
}

/// Byte `j` holds bit `j` of the eight words, the first word's lowest.
#[inline(always)]
fn stripe_of(words: &[u64; GROUP]) -> [u8; 64] {
    let mut stripe = [0; 64];
    for byte in 0..8 {
        let mut block = 0;
        for (i, word) in words.iter().enumerate() {
            block |= (word >> (8 * byte) & 0xff) << (8 * i);
        }
        stripe[8 * byte..8 * byte + 8].copy_from_slice(&transpose_bits(block).to_le_bytes());
    }
    stripe
}

/// Transposes an 8x8 bit matrix, one row a byte (Hacker's Delight, section 7-3).
#[inline(always)]
fn transpose_bits(x: u64) -> u64 {
    let swap = |x: u64, by: u32, mask: u64| {
        let t = (x ^ x >> by) & mask;
        x ^ t ^ t << by
    };
    let x = swap(x, 7, 0x00aa_00aa_00aa_00aa);
    let x = swap(x, 14, 0x0000_cccc_0000_cccc);
    swap(x, 28, 0x0000_0000_f0f0_f0f0)
}

#[cfg(target_arch = "x86_64")]
mod gfni {
    use super::{BLOCK_WORDS, E, GROUP, from_limbs};
    use crate::linear::byte_matrices;
    use crate::simd512::{affine, load, store, transpose_bytes, transpose_words};
    use std::arch::x86_64::*;

    /// The 24 byte planes of 64 columns.
    pub(super) type Planes = [[u64; 8]; 24];

    /// Adds a batch to the planes of every slot.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
    pub(super) fn add_batch(z: &[u64], weights: &[E], sums: &mut [[u64; 8]]) {
        // The bit transposition below puts the first instance's bit on top.
        let matrices: Vec<[u64; 24]> = weights
            .chunks(GROUP)
            .map(|w| byte_matrices(&w.iter().rev().copied().collect::<Vec<_>>()))
            .collect();
        let (sums, _) = sums.as_chunks_mut::<24>();
        for (tile, sums) in sums.chunks_exact_mut(8).enumerate() {
            let mut stripes = [[_mm512_setzero_si512(); 8]; 8];
            for (stripes, group) in stripes.iter_mut().zip(z.chunks_exact(GROUP * BLOCK_WORDS)) {
                *stripes = stripes_of(group, tile);
            }
            for (slot, planes) in sums.iter_mut().enumerate() {
                add_slot(&matrices, &stripes, slot, planes);
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
    fn add_slot(
        matrices: &[[u64; 24]],
        stripes: &[[__m512i; 8]; 8],
        slot: usize,
        planes: &mut Planes,
    ) {
        let mut sums = [_mm512_setzero_si512(); 24];
        for (sum, plane) in sums.iter_mut().zip(&*planes) {
            *sum = load(plane);
        }
        for (matrices, stripes) in matrices.iter().zip(stripes) {
            let stripe = stripes[slot];
            for (sum, &matrix) in sums.iter_mut().zip(matrices) {
                *sum = _mm512_xor_si512(*sum, affine(stripe, matrix));
            }
        }
        for (sum, plane) in sums.into_iter().zip(planes) {
            store(sum, plane);
        }
    }

    /// For each slot of a tile the bits of eight instances, one byte a column.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
    fn stripes_of(group: &[u64], tile: usize) -> [__m512i; 8] {
        let (words, _) = group.as_chunks::<8>();
        let mut rows = [_mm512_setzero_si512(); 8];
        for (i, row) in rows.iter_mut().enumerate() {
            let at = BLOCK_WORDS / 8 * i + tile;
            let ahead = words[at].as_ptr().wrapping_add(GROUP * BLOCK_WORDS);
            _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
            *row = load(&words[at]);
        }
        // The affine instruction with the data as its matrix transposes 8x8 bits.
        let unit = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
        let mut blocks = transpose_bytes(transpose_words(rows));
        for block in &mut blocks {
            *block = _mm512_gf2p8affine_epi64_epi8::<0>(unit, *block);
        }
        blocks
    }

    /// The elements of all columns.
    pub(super) fn elements(planes: &[[u64; 8]]) -> Vec<E> {
        let (slots, _) = planes.as_chunks::<24>();
        let element = |planes: &Planes, column: usize| {
            let byte = |i: usize| planes[i][column / 8] >> (8 * (column % 8)) & 0xff;
            from_limbs(std::array::from_fn(|limb| {
                (0..8).fold(0, |word, i| word | byte(8 * limb + i) << (8 * i))
            }))
        };
        slots
            .iter()
            .flat_map(|planes| (0..64).map(move |column| element(planes, column)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_util::{random_elements, random_words};

    #[test]
    fn arms_sum_like_the_definition() {
        for instances in [8, 16, 64, 128, 1024] {
            let z = random_words(30, instances * BLOCK_WORDS);
            let weights = random_elements(31, instances);
            let sums: Vec<Vec<E>> = Arm::all_available()
                .into_iter()
                .map(|arm| column_sums(&z, &weights, arm))
                .collect();
            assert!(sums.iter().all(|s| *s == sums[0]));
            for column in [0, 63, 64, 777, BLOCK_BITS - 1] {
                let expected: E = (0..instances)
                    .filter(|t| z[BLOCK_WORDS * t + column / 64] >> (column % 64) & 1 == 1)
                    .map(|t| weights[t])
                    .sum();
                assert_eq!(sums[0][column], expected);
            }
        }
    }
}
