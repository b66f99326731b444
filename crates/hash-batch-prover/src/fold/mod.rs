//! Folds bit planes into `E`: the value of a row of words at the univariate-skip point, and, for
//! the first multilinear rounds, of several rows at the challenges drawn since.
//!
//! Folding from the bits again and again keeps the tables at one bit an entry until they have
//! shrunk; only then are elements of `E` stored.

#[cfg(target_arch = "x86_64")]
mod avx2;

use crate::arm::Arm;
use crate::circuit::BLOCK_WORDS;
use crate::field::{E, Octet, eq_table};
#[cfg(target_arch = "x86_64")]
use crate::linear::byte_matrices;
use crate::linear::{Padded, add_bytes, byte_table};
use crate::witness::GROUP;

/// Octets that are folded at a time.
pub(crate) const TILE: usize = 8;

/// A linear map from `2^depth` neighbouring words to one element of `E`.
pub(crate) struct BitFold {
    depth: usize,
    kernel: Kernel,
}

/// The images of the values of each byte of a word.
type WordTables = [[Padded; 256]; 8];

enum Kernel {
    /// One set for each word.
    Tables(Vec<WordTables>),
    /// For every word and byte of it what the byte's halves add.
    #[cfg(target_arch = "x86_64")]
    Nibbles(Vec<[avx2::Images; 8]>),
    /// For every word and byte of it the matrices of the 24 image bytes.
    #[cfg(target_arch = "x86_64")]
    Matrices(Vec<[[u64; 24]; 8]>),
}

impl BitFold {
    /// The map with weight `skip[bit] * eq(challenges)[word]` (64 skip weights).
    pub(crate) fn new(skip: &[E], challenges: &[E], arm: Arm) -> Self {
        let words = eq_table(challenges);
        let weights = |word: &E, byte: usize| -> Vec<E> {
            skip[8 * byte..8 * byte + 8]
                .iter()
                .map(|&s| s * *word)
                .collect()
        };
        let kernel = match arm.usable() {
            #[cfg(target_arch = "x86_64")]
            Arm::Gfni => Kernel::Matrices(
                words
                    .iter()
                    .map(|w| std::array::from_fn(|byte| byte_matrices(&weights(w, byte))))
                    .collect(),
            ),
            #[cfg(target_arch = "x86_64")]
            Arm::Avx2 => Kernel::Nibbles(
                words
                    .iter()
                    .map(|w| std::array::from_fn(|byte| avx2::images(&weights(w, byte))))
                    .collect(),
            ),
            _ => Kernel::Tables(
                words
                    .iter()
                    .map(|w| std::array::from_fn(|byte| byte_table(&weights(w, byte))))
                    .collect(),
            ),
        };
        Self {
            depth: challenges.len(),
            kernel,
        }
    }

    /// Logarithm of the words that become one element.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Octets `8 tile .. 8 tile + 8` of the `256 >> depth` that the words of one group of eight
    /// instances fold into.
    #[inline]
    pub(crate) fn tile(&self, words: &[u64], tile: usize, out: &mut [Octet; TILE]) {
        debug_assert_eq!(words.len(), GROUP * BLOCK_WORDS);
        debug_assert!(TILE * tile < BLOCK_WORDS >> self.depth);
        match &self.kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this form is built only on CPUs with the features of the arm.
            Kernel::Matrices(matrices) => unsafe { gfni::tile(matrices, words, tile, out) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Nibbles(images) => unsafe { avx2::tile(images, words, tile, out) },
            Kernel::Tables(tables) => tile_tables(tables, words, tile, out),
        }
    }
}

fn tile_tables(tables: &[WordTables], words: &[u64], tile: usize, out: &mut [Octet; TILE]) {
    let rows = tables.len();
    for (slot, out) in out.iter_mut().enumerate() {
        let mut limbs = [[0; GROUP]; 3];
        for instance in 0..GROUP {
            let words = slot_words(words, rows, instance, TILE * tile + slot);
            let mut sum = [0; 4];
            for (word, tables) in words.iter().zip(tables) {
                add_bytes(&mut sum, word.to_le_bytes(), tables);
            }
            put_limbs(&mut limbs, instance, sum);
        }
        *out = Octet::from_limbs(&limbs);
    }
}

/// The words that fold into one slot of an instance.
#[inline(always)]
fn slot_words(words: &[u64], rows: usize, instance: usize, slot: usize) -> &[u64] {
    &words[instance * BLOCK_WORDS + slot * rows..][..rows]
}

#[inline(always)]
fn put_limbs(limbs: &mut [[u64; GROUP]; 3], instance: usize, sum: Padded) {
    for (limb, value) in limbs.iter_mut().zip(sum) {
        limb[instance] = value;
    }
}

#[cfg(target_arch = "x86_64")]
mod gfni {
    use super::{BLOCK_WORDS, GROUP, Octet, TILE};
    use crate::simd512::{affine, load, store, transpose_bytes, transpose_words};
    use crate::witness::GROUP_WORDS;
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
    pub(super) fn tile(
        matrices: &[[[u64; 24]; 8]],
        words: &[u64],
        tile: usize,
        out: &mut [Octet; TILE],
    ) {
        match matrices.len() {
            1 => tile_of::<1>(matrices, words, tile, out),
            2 => tile_of::<2>(matrices, words, tile, out),
            4 => tile_of::<4>(matrices, words, tile, out),
            8 => tile_of::<8>(matrices, words, tile, out),
            _ => tile_of::<16>(matrices, words, tile, out),
        }
    }

    /// One byte a lane: lane `8 s + instance` belongs to output slot `8 tile + s`.
    ///
    /// Not inlined, so that shallow folds do not set up the stack frame of the deepest.
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
    fn tile_of<const ROWS: usize>(
        matrices: &[[[u64; 24]; 8]],
        words: &[u64],
        tile: usize,
        out: &mut [Octet; TILE],
    ) {
        let mut sums = [_mm512_setzero_si512(); 24];
        for (position, &inputs) in gather::<ROWS>(words, tile).iter().enumerate() {
            let planes = transpose_bytes(transpose_words(transpose_bytes(inputs)));
            for (plane, matrices) in planes.into_iter().zip(&matrices[row_at::<ROWS>(position)]) {
                for (sum, &matrix) in sums.iter_mut().zip(matrices) {
                    *sum = _mm512_xor_si512(*sum, affine(plane, matrix));
                }
            }
        }
        let (bytes, _) = sums.as_chunks::<8>();
        for (limb, &bytes) in bytes.iter().enumerate() {
            let values = transpose_bytes(transpose_words(bytes));
            for (out, value) in out.iter_mut().zip(values) {
                let mut words = [0; 8];
                store(value, &mut words);
                out.set_limb(limb, &words);
            }
        }
    }

    /// Number of the row that [`gather`] puts at a position: the position with its bits reversed.
    fn row_at<const ROWS: usize>(position: usize) -> usize {
        position
            .reverse_bits()
            .checked_shr(usize::BITS - ROWS.ilog2())
            .unwrap_or(0)
    }

    /// Word `ROWS * (8 tile + s) + row` of every instance: lane `s` of the register that the row's
    /// position and the instance name.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
    fn gather<const ROWS: usize>(words: &[u64], tile: usize) -> [[__m512i; GROUP]; ROWS] {
        let even = load(&[0, 2, 4, 6, 8, 10, 12, 14]);
        let odd = load(&[1, 3, 5, 7, 9, 11, 13, 15]);
        let mut out = [[_mm512_setzero_si512(); GROUP]; ROWS];
        for instance in 0..GROUP {
            let words = &words[instance * BLOCK_WORDS + 8 * ROWS * tile..][..8 * ROWS];
            let (chunks, _) = words.as_chunks::<8>();
            let mut rows = [_mm512_setzero_si512(); ROWS];
            for (row, chunk) in rows.iter_mut().zip(chunks) {
                // Eight streams a block apart are more than the hardware follows.
                let ahead = chunk.as_ptr().wrapping_add(GROUP_WORDS);
                _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
                *row = load(chunk);
            }
            // Every pass parts even from odd words inside blocks of `width` registers.
            let mut width = ROWS;
            while width > 1 {
                let whole = rows;
                for start in (0..ROWS).step_by(width) {
                    for i in 0..width / 2 {
                        let (x, y) = (whole[start + 2 * i], whole[start + 2 * i + 1]);
                        rows[start + i] = _mm512_permutex2var_epi64(x, even, y);
                        rows[start + width / 2 + i] = _mm512_permutex2var_epi64(x, odd, y);
                    }
                }
                width /= 2;
            }
            for (out, row) in out.iter_mut().zip(rows) {
                out[instance] = row;
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_util::{random_elements, random_words};
    use crate::zerocheck::MOST_ROUNDS_FROM_BITS;
    use p3_field::PrimeCharacteristicRing;
    use prova_lean_vm::blake2s::skip::lagrange_weights;

    #[test]
    fn arms_fold_like_the_definition() {
        let words = random_words(7, GROUP * BLOCK_WORDS);
        let challenges = random_elements(8, MOST_ROUNDS_FROM_BITS);
        let skip = lagrange_weights(6, challenges[0]);
        for depth in 0..=MOST_ROUNDS_FROM_BITS {
            let eq = eq_table(&challenges[..depth]);
            for arm in Arm::all_available() {
                let fold = BitFold::new(&skip, &challenges[..depth], arm);
                let mut out = vec![Octet::ZERO; BLOCK_WORDS >> depth];
                for (tile, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                    fold.tile(&words, tile, out);
                }
                for (slot, instance) in [(0, 0), (1, 5), (9, 7), (15, 2)] {
                    let mut expected = E::ZERO;
                    for (j, &eq) in eq.iter().enumerate() {
                        let word = words[instance * BLOCK_WORDS + (slot << depth) + j];
                        for (bit, &weight) in skip.iter().enumerate() {
                            if word >> bit & 1 == 1 {
                                expected += weight * eq;
                            }
                        }
                    }
                    assert_eq!(out[slot].lane(instance), expected, "{arm:?} {depth}");
                }
            }
        }
    }
}
