//! The 512-bit kernel: 64 groups of eight rows in the byte lanes of a register.
//!
//! The extension is a circular convolution over the additive group of 64 indices. Its byte part
//! (eight input bytes, eight blocks of output bytes) goes by Karatsuba's trick once for each of
//! three index bits, with 27 bit matrices instead of 64 for every output residue.

use super::{BLOCK_ROWS, BlockValues, GROUP_BLOCKS, Tables, VALUES, extension};
use crate::field::{E, geometric, phi8};
use crate::linear::byte_matrices;
use crate::simd512::{
    affine, bit_matrix, load, store, transpose_64x64, transpose_bytes, transpose_words,
};
use p3_field::PrimeCharacteristicRing;
use std::arch::x86_64::*;

/// Rows handled at a time: 64 lanes of eight rows.
const TILE_ROWS: usize = 512;
/// Outer blocks of a tile.
const TILE_BLOCKS: usize = TILE_ROWS / BLOCK_ROWS;

pub(super) struct GfniKernel {
    /// For each residue of the output index modulo 8, the matrices of the 27 partial products.
    extension: [[u64; 27]; 8],
    /// The map of sixteen bytes to `E`: `sum_m G^m phi8(byte_m)`.
    medium: [[u64; 24]; 16],
}

impl GfniKernel {
    pub(super) fn new() -> Self {
        let f = extension();
        // Digit 0 of the Karatsuba step takes both kernels, digit 1 the odd, digit 2 the even one.
        let in_digit = |digit: usize, bit: usize| digit == 0 || (digit == 1) == (bit == 1);
        let matrix = |residue: usize, product: usize| {
            let digits = [product % 3, product / 3 % 3, product / 9];
            bit_matrix(|t| {
                (0..8usize)
                    .filter(|d| (0..3).all(|q| in_digit(digits[q], d >> q & 1)))
                    .fold(0, |sum, d| sum ^ f[(8 * d) | (residue ^ t)])
            })
        };
        Self {
            extension: std::array::from_fn(|l| std::array::from_fn(|p| matrix(l, p))),
            medium: std::array::from_fn(|m| {
                let power = geometric().exp_u64(m as u64);
                let weights: Vec<E> = (0..8).map(|t| power * E::from(phi8(1 << t))).collect();
                byte_matrices(&weights)
            }),
        }
    }

    pub(super) fn group(&self, tables: Tables<'_>, out: &mut [BlockValues; GROUP_BLOCKS]) {
        for (tile, out) in out.chunks_exact_mut(TILE_BLOCKS).enumerate() {
            let tables = tables.map(|t| &t[TILE_ROWS * tile..][..TILE_ROWS]);
            // SAFETY: this kernel is built only on CPUs with the features of the arm.
            unsafe { self.tile(tables, out) };
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
    fn tile(&self, tables: Tables<'_>, out: &mut [BlockValues]) {
        let mut planes = [[_mm512_setzero_si512(); 64]; 3];
        for (planes, words) in planes.iter_mut().zip(tables) {
            byte_planes(words, planes);
        }
        let mut values = [_mm512_setzero_si512(); VALUES];
        let two = _mm512_set1_epi8(2);
        for row in (0..8).rev() {
            let mut inputs = [[_mm512_setzero_si512(); 8]; 3];
            for (inputs, planes) in inputs.iter_mut().zip(&planes) {
                subset_sums(&planes[8 * row..8 * row + 8], inputs);
            }
            for (residue, matrices) in self.extension.iter().enumerate() {
                let a = extend(&inputs[0], matrices);
                let b = extend(&inputs[1], matrices);
                let z = extend(&inputs[2], matrices);
                for block in 0..8 {
                    let value = &mut values[8 * block + residue];
                    let sum = _mm512_xor_si512(_mm512_gf2p8mul_epi8(a[block], b[block]), z[block]);
                    *value = _mm512_xor_si512(sum, _mm512_gf2p8mul_epi8(*value, two));
                }
            }
        }
        transpose_64x64(&mut values);
        for (values, out) in values.chunks_exact(16).zip(out) {
            self.combine(values, out);
        }
    }

    /// Sixteen registers of 64 bytes to 64 elements.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
    fn combine(&self, values: &[__m512i], out: &mut BlockValues) {
        let mut sums = [_mm512_setzero_si512(); 24];
        for (&value, matrices) in values.iter().zip(&self.medium) {
            for (sum, &matrix) in sums.iter_mut().zip(matrices) {
                *sum = _mm512_xor_si512(*sum, affine(value, matrix));
            }
        }
        let (bytes, _) = sums.as_chunks::<8>();
        for (limb, out) in out.iter_mut().enumerate() {
            let words = transpose_bytes(transpose_words(bytes[limb]));
            let (chunks, _) = out.as_chunks_mut::<8>();
            for (word, chunk) in words.into_iter().zip(chunks) {
                store(word, chunk);
            }
        }
    }
}

/// Register `8 row + byte` holds that byte of row `8 lane + row`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
fn byte_planes(words: &[u64], planes: &mut [__m512i; 64]) {
    let (chunks, _) = words.as_chunks::<8>();
    for (plane, chunk) in planes.iter_mut().zip(chunks) {
        *plane = load(chunk);
    }
    transpose_64x64(planes);
}

/// Entry `mask`: the sum of the bytes whose number is a submask.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
fn subset_sums(bytes: &[__m512i], sums: &mut [__m512i; 8]) {
    sums.copy_from_slice(bytes);
    for bit in [1, 2, 4] {
        for i in 0..8 {
            if i & bit != 0 {
                sums[i] = _mm512_xor_si512(sums[i], sums[i ^ bit]);
            }
        }
    }
}

/// The eight outputs of one residue.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
fn extend(inputs: &[__m512i; 8], matrices: &[u64; 27]) -> [__m512i; 8] {
    /// Which subset sum a product takes: digit 0 the even input, digits 1 and 2 the sum.
    const INPUT: [usize; 27] = {
        let mut input = [0; 27];
        let mut p = 0;
        while p < 27 {
            input[p] = (p % 3 != 0) as usize
                | ((p / 3 % 3 != 0) as usize) << 1
                | ((p / 9 != 0) as usize) << 2;
            p += 1;
        }
        input
    };
    let zero = _mm512_setzero_si512();
    let mut products = [zero; 27];
    for (p, product) in products.iter_mut().enumerate() {
        *product = affine(inputs[INPUT[p]], matrices[p]);
    }
    let mut top = [[zero; 9]; 2];
    let mut middle = [[zero; 3]; 4];
    let mut out = [zero; 8];
    for (bit, top) in top.iter_mut().enumerate() {
        for (i, top) in top.iter_mut().enumerate() {
            *top = _mm512_xor_si512(products[i], products[9 * (1 + bit) + i]);
        }
    }
    for (bits, middle) in middle.iter_mut().enumerate() {
        let top = &top[bits / 2];
        for (i, middle) in middle.iter_mut().enumerate() {
            *middle = _mm512_xor_si512(top[i], top[3 * (1 + bits % 2) + i]);
        }
    }
    for (bits, out) in out.iter_mut().enumerate() {
        let middle = &middle[bits / 2];
        *out = _mm512_xor_si512(middle[0], middle[1 + bits % 2]);
    }
    out
}
