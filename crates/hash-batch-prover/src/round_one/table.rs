//! The kernels that extend rows by look-ups: portable, and 256-bit with nibble-tower products.

use super::tower::{Tower, multiply_bytes, times_x};
use super::{BLOCK_ROWS, BlockValues, GROUP_BLOCKS, Tables, VALUES, extension};
use crate::arm::Arm;
use crate::field::{E, geometric, phi8};
use crate::linear::{Padded, add_bytes, byte_table};
#[cfg(target_arch = "x86_64")]
use crate::linear::{add_bytes_avx2, stored};
use p3_field::PrimeCharacteristicRing;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::_mm256_setzero_si256;

/// The 64 coset values that a byte at position 0 of a word contributes, as words. A byte at
/// position `b` contributes the same values with the word index changed by `xor b`.
type Extension = [[u64; 8]; 256];

pub(super) struct TableKernel {
    arm: Arm,
    tower: Tower,
    extension: Box<Extension>,
    /// `sum_m G^m phi8(byte_m)`: a table for each of the sixteen bytes.
    medium: Box<[[Padded; 256]; 16]>,
}

impl TableKernel {
    /// With [`Arm::Avx2`] all byte-field values are in the tower basis.
    pub(super) fn new(arm: Arm) -> Self {
        let tower = Tower::new();
        let in_tower = arm == Arm::Avx2;
        let f = extension().map(|byte| {
            if in_tower {
                tower.image[usize::from(byte)]
            } else {
                byte
            }
        });
        let mut extension = Box::new([[0; 8]; 256]);
        for (byte, out) in extension.iter_mut().enumerate() {
            for i in 0..VALUES {
                let value = (0..8)
                    .filter(|t| byte >> t & 1 == 1)
                    .fold(0, |sum, t| sum ^ f[i ^ t]);
                out[i / 8] |= u64::from(value) << (8 * (i % 8));
            }
        }
        // The byte of the usual basis that bit `t` stands for.
        let unit = |t: usize| {
            let unit = 1 << t;
            let usual = || {
                tower
                    .image
                    .iter()
                    .position(|&image| image == unit)
                    .unwrap_or_default()
            };
            if in_tower { usual() as u8 } else { unit }
        };
        let mut medium = Box::new([[[0; 4]; 256]; 16]);
        for (m, table) in (0..).zip(medium.iter_mut()) {
            let power = geometric().exp_u64(m);
            let weights: Vec<E> = (0..8).map(|t| power * E::from(phi8(unit(t)))).collect();
            *table = byte_table(&weights);
        }
        Self {
            arm,
            tower,
            extension,
            medium,
        }
    }

    pub(super) fn group(&self, tables: Tables<'_>, out: &mut [BlockValues; GROUP_BLOCKS]) {
        for (block, out) in out.iter_mut().enumerate() {
            let tables = tables.map(|t| &t[BLOCK_ROWS * block..][..BLOCK_ROWS]);
            match self.arm {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the arm is offered only on CPUs with AVX2.
                Arm::Avx2 => unsafe { self.block_avx2(tables, out) },
                _ => {
                    let bytes = std::array::from_fn(|m| self.octave(tables, m));
                    for i in 0..VALUES {
                        let mut sum = [0; 4];
                        add_bytes(&mut sum, column(&bytes, i), &self.medium);
                        put_value(out, i, sum);
                    }
                }
            }
        }
    }

    /// Coset values of a word.
    #[inline(always)]
    fn extend(&self, word: u64) -> [u8; 64] {
        let mut sums = [0; 8];
        for (b, byte) in word.to_le_bytes().into_iter().enumerate() {
            let entry = &self.extension[usize::from(byte)];
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum ^= entry[i ^ b];
            }
        }
        let mut bytes = [0; 64];
        for (out, sum) in bytes.chunks_exact_mut(8).zip(sums) {
            out.copy_from_slice(&sum.to_le_bytes());
        }
        bytes
    }

    /// Eight rows joined by Horner's rule.
    fn octave(&self, tables: Tables<'_>, m: usize) -> [u8; 64] {
        let mut sum = [0; 64];
        for row in (8 * m..8 * m + 8).rev() {
            let [a, b, z] = tables.map(|t| self.extend(t[row]));
            let product = multiply_bytes(&a, &b);
            for i in 0..64 {
                sum[i] = times_x(sum[i]) ^ product[i] ^ z[i];
            }
        }
        sum
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn block_avx2(&self, tables: Tables<'_>, out: &mut BlockValues) {
        let shuffles = avx2::Shuffles::new(&self.tower);
        let mut bytes = [[0; 64]; 16];
        for (m, bytes) in bytes.iter_mut().enumerate() {
            let rows = tables.map(|t| &t[8 * m..8 * m + 8]);
            avx2::octave(&self.extension, &shuffles, rows, bytes);
        }
        for i in 0..VALUES {
            let sum = add_bytes_avx2(_mm256_setzero_si256(), column(&bytes, i), &self.medium);
            put_value(out, i, stored(sum));
        }
    }
}

/// The sixteen bytes that belong to a value.
#[inline(always)]
fn column(bytes: &[[u8; 64]; 16], i: usize) -> [u8; 16] {
    let mut column = [0; 16];
    for (byte, bytes) in column.iter_mut().zip(bytes) {
        *byte = bytes[i];
    }
    column
}

#[inline(always)]
fn put_value(out: &mut BlockValues, i: usize, value: Padded) {
    for (limb, value) in out.iter_mut().zip(value) {
        limb[i] = value;
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Extension, Tower};
    use crate::simd256::{nibbles, twice};
    use std::arch::x86_64::*;

    /// The tower's tables, one in each half of a register.
    pub(super) struct Shuffles {
        log: __m256i,
        both: __m256i,
        high: __m256i,
        scaled: __m256i,
        times_x: [__m256i; 2],
    }

    impl Shuffles {
        #[target_feature(enable = "avx2")]
        pub(super) fn new(tower: &Tower) -> Self {
            Self {
                log: twice(&tower.log),
                both: twice(&tower.both),
                high: twice(&tower.high),
                scaled: twice(&tower.scaled),
                times_x: [twice(&tower.times_x[0]), twice(&tower.times_x[1])],
            }
        }

        /// Logarithms of the low nibbles, the high nibbles and their sums.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn logs(&self, x: __m256i) -> [__m256i; 3] {
            let [low, high] = nibbles(x);
            [low, high, _mm256_xor_si256(low, high)]
                .map(|nibble| _mm256_shuffle_epi8(self.log, nibble))
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        fn product(&self, a: __m256i, b: __m256i) -> __m256i {
            let (a, b) = (self.logs(a), self.logs(b));
            let exponent = |i: usize| {
                let sum = _mm256_adds_epu8(a[i], b[i]);
                _mm256_min_epu8(sum, _mm256_sub_epi8(sum, _mm256_set1_epi8(15)))
            };
            let low = _mm256_shuffle_epi8(self.both, exponent(0));
            let high = _mm256_shuffle_epi8(self.scaled, exponent(1));
            let cross = _mm256_shuffle_epi8(self.high, exponent(2));
            _mm256_xor_si256(_mm256_xor_si256(low, high), cross)
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        fn times_x(&self, x: __m256i) -> __m256i {
            let [low, high] = nibbles(x);
            _mm256_xor_si256(
                _mm256_shuffle_epi8(self.times_x[0], low),
                _mm256_shuffle_epi8(self.times_x[1], high),
            )
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_half(words: &[u64; 8], half: usize) -> __m256i {
        let (halves, _) = words.as_chunks::<4>();
        // SAFETY: the reference covers 32 readable bytes; the load needs no alignment.
        unsafe { _mm256_loadu_si256(halves[half].as_ptr().cast()) }
    }

    /// Coset values of a word: sums by the byte's position modulo 4, permuted once each.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn extend(table: &Extension, word: u64) -> [__m256i; 2] {
        let bytes = word.to_le_bytes();
        let sums: [[__m256i; 2]; 4] = std::array::from_fn(|b| {
            let (near, far) = (
                &table[usize::from(bytes[b])],
                &table[usize::from(bytes[b + 4])],
            );
            std::array::from_fn(|half| {
                _mm256_xor_si256(load_half(near, half), load_half(far, 1 - half))
            })
        });
        std::array::from_fn(|half| {
            let moved = [
                sums[0][half],
                _mm256_permute4x64_epi64::<0xb1>(sums[1][half]),
                _mm256_permute4x64_epi64::<0x4e>(sums[2][half]),
                _mm256_permute4x64_epi64::<0x1b>(sums[3][half]),
            ];
            _mm256_xor_si256(
                _mm256_xor_si256(moved[0], moved[1]),
                _mm256_xor_si256(moved[2], moved[3]),
            )
        })
    }

    /// Eight rows joined by Horner's rule.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn octave(
        table: &Extension,
        shuffles: &Shuffles,
        rows: [&[u64]; 3],
        out: &mut [u8; 64],
    ) {
        let mut sums = [_mm256_setzero_si256(); 2];
        for row in (0..8).rev() {
            let [a, b, z] = [
                extend(table, rows[0][row]),
                extend(table, rows[1][row]),
                extend(table, rows[2][row]),
            ];
            for half in 0..2 {
                let value = _mm256_xor_si256(shuffles.product(a[half], b[half]), z[half]);
                sums[half] = _mm256_xor_si256(shuffles.times_x(sums[half]), value);
            }
        }
        for (sum, out) in sums.into_iter().zip(out.chunks_exact_mut(32)) {
            // SAFETY: the chunk covers 32 writable bytes; the store needs no alignment.
            unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), sum) };
        }
    }
}
