//! Weighted sums of many vectors of 256 scalars, reduced once at the end.
//!
//! Products of 5×5 limbs of 52 bits go to ten columns. A lane holds one position, so eight
//! positions are one block; the columns of a block stay in registers for a batch of vectors, which
//! are read as so many streams.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_cmplt_epi64_mask, _mm512_loadu_si512,
    _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_mask_mov_epi64, _mm512_or_si512,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_shuffle_i64x2, _mm512_slli_epi64,
    _mm512_srai_epi64, _mm512_srli_epi64, _mm512_storeu_si512, _mm512_sub_epi64,
    _mm512_test_epi64_mask, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
};

use crate::arm::Arm;
use crate::field::{Fr, Modulus, ScalarModulus};
use crate::lagrange::{DOMAIN, Vector};

/// Vectors in one sum. Every product adds at most 2·5 − 1 = 9 numbers below 2^52 to a column, and
/// the reduction as many again and a carry below 2^12: columns stay below
/// (9·448 + 9 + 1)·2^52 < 2^64.
pub(crate) const LIMIT: usize = 448;

/// Vectors whose products are added while the columns of a block are in registers.
const BATCH: usize = 8;
pub(super) const LANES: usize = 8;
pub(super) const BLOCKS: usize = DOMAIN / LANES;
pub(super) const MASK: u64 = (1 << 52) - 1;
/// Position in its block of each lane, as [`transpose`] leaves them.
const LANE_POSITION: [usize; LANES] = [0, 2, 1, 3, 4, 6, 5, 7];

/// Ten columns of eight positions, for every block.
type Columns = [[[u64; LANES]; 10]; BLOCKS];

/// A weight in limbs of 52 bits and the vector it goes with.
type Term<'a> = ([u64; 5], &'a [u8; 32 * DOMAIN]);

/// Writes the sum of at most [`LIMIT`] vectors, each times its weight.
///
/// # Panics
/// If there are more, or the CPU lacks the instructions.
pub(crate) fn weighted_sum<'a>(
    terms: impl Iterator<Item = (Fr, Vector<'a>)>,
    sum: &mut [Fr; DOMAIN],
) {
    const NONE: Term<'_> = ([0; 5], &[0; 32 * DOMAIN]);
    // The reduction divides by 2^260 and Montgomery form is a multiple of 2^256: 2^4 is missing,
    // and for plain integers 2^260.
    const SCALARS: Fr = Fr::from_limbs([1 << 4, 0, 0, 0]);
    const BYTES: Fr = Fr::from_limbs(SCALARS.0);
    assert!(Arm::Ifma.is_available(), "no AVX-512 IFMA");
    let mut columns = [[[0; LANES]; 10]; BLOCKS];
    let mut batch = [NONE; BATCH];
    let mut count = 0;
    for (weight, vector) in terms {
        assert!(count < LIMIT, "the columns would overflow");
        let (scale, bytes) = match vector {
            Vector::Scalars(scalars) => (SCALARS, as_bytes(scalars)),
            Vector::Bytes(bytes) => (BYTES, bytes),
        };
        batch[count % BATCH] = (split((weight * scale).0), bytes);
        count += 1;
        if count % BATCH == 0 {
            // SAFETY: the instructions are there.
            unsafe { add_products(&mut columns, &batch) };
        }
    }
    if count == 0 {
        *sum = [Fr::ZERO; DOMAIN];
        return;
    }
    // SAFETY: the instructions are there.
    unsafe {
        add_products(&mut columns, &batch[..count % BATCH]);
        reduce(&columns, sum);
    }
}

fn as_bytes(scalars: &[Fr; DOMAIN]) -> &[u8; 32 * DOMAIN] {
    // SAFETY: a scalar is transparent over four words without padding, of which all bytes are
    // initialised; the sizes are equal and bytes need no alignment.
    unsafe { &*core::ptr::from_ref(scalars).cast() }
}

/// The words of eight scalars.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_scalars(scalars: &[Fr; LANES]) -> [__m512i; 4] {
    // SAFETY: as for `as_bytes`.
    load_words(unsafe { &*core::ptr::from_ref(scalars).cast() })
}

/// Limbs of 52 bits of an integer below 2^256; the last has 48.
pub(super) const fn split(limbs: [u64; 4]) -> [u64; 5] {
    [
        limbs[0] & MASK,
        (limbs[0] >> 52 | limbs[1] << 12) & MASK,
        (limbs[1] >> 40 | limbs[2] << 24) & MASK,
        (limbs[2] >> 28 | limbs[3] << 36) & MASK,
        limbs[3] >> 16,
    ]
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn add_products(columns: &mut Columns, batch: &[Term<'_>]) {
    if batch.is_empty() {
        return;
    }
    for (block, memory) in columns.iter_mut().enumerate() {
        let mut sums = load_all(memory);
        for (weight, vector) in batch {
            let words = load_block(vector, block);
            if !is_zero(words) {
                add_product(&mut sums, splat(*weight), limbs(words));
            }
        }
        for (column, sum) in memory.iter_mut().zip(sums) {
            store(column, sum);
        }
    }
}

/// Adds the products of eight pairs of integers to their columns.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn add_product(sums: &mut [__m512i; 10], a: [__m512i; 5], b: [__m512i; 5]) {
    for i in 0..5 {
        for j in 0..5 {
            sums[i + j] = _mm512_madd52lo_epu64(sums[i + j], a[i], b[j]);
            sums[i + j + 1] = _mm512_madd52hi_epu64(sums[i + j + 1], a[i], b[j]);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn splat(limbs: [u64; 5]) -> [__m512i; 5] {
    let mut splat = [_mm512_setzero_si512(); 5];
    for (splat, limb) in splat.iter_mut().zip(limbs) {
        *splat = _mm512_set1_epi64(limb.cast_signed());
    }
    splat
}

#[inline]
#[target_feature(enable = "avx512f")]
fn is_zero(words: [__m512i; 4]) -> bool {
    let low = _mm512_or_si512(words[0], words[1]);
    let high = _mm512_or_si512(words[2], words[3]);
    let any = _mm512_or_si512(low, high);
    _mm512_test_epi64_mask(any, any) == 0
}

/// Eight integers of four 64-bit words, one after the other, by word, with the lanes in the order
/// of [`LANE_POSITION`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn transpose(words: [__m512i; 4]) -> [__m512i; 4] {
    // Words 0 and 2 of four integers, and words 1 and 3.
    let even = [
        _mm512_unpacklo_epi64(words[0], words[1]),
        _mm512_unpacklo_epi64(words[2], words[3]),
    ];
    let odd = [
        _mm512_unpackhi_epi64(words[0], words[1]),
        _mm512_unpackhi_epi64(words[2], words[3]),
    ];
    [
        _mm512_shuffle_i64x2::<0b10_00_10_00>(even[0], even[1]),
        _mm512_shuffle_i64x2::<0b10_00_10_00>(odd[0], odd[1]),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(even[0], even[1]),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(odd[0], odd[1]),
    ]
}

/// Limbs of 52 bits of eight integers. Bits from the 52nd are not cleared: products ignore them.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn limbs(words: [__m512i; 4]) -> [__m512i; 5] {
    let [word0, word1, word2, word3] = transpose(words);
    [
        word0,
        _mm512_or_si512(
            _mm512_srli_epi64::<52>(word0),
            _mm512_slli_epi64::<12>(word1),
        ),
        _mm512_or_si512(
            _mm512_srli_epi64::<40>(word1),
            _mm512_slli_epi64::<24>(word2),
        ),
        _mm512_or_si512(
            _mm512_srli_epi64::<28>(word2),
            _mm512_slli_epi64::<36>(word3),
        ),
        _mm512_srli_epi64::<16>(word3),
    ]
}

/// Montgomery's reduction of every column sum, by 2^260.
#[target_feature(enable = "avx512f,avx512ifma")]
fn reduce(columns: &Columns, sum: &mut [Fr; DOMAIN]) {
    let (blocks, _) = sum.as_chunks_mut::<LANES>();
    for (block, memory) in blocks.iter_mut().zip(columns) {
        write(block, canonical(montgomery(load_all(memory))));
    }
}

/// Column sums divided by 2^260, below their quotient by 2^260 plus the modulus; all limbs but the
/// last have 52 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn montgomery(mut sums: [__m512i; 10]) -> [__m512i; 5] {
    let inverse = _mm512_set1_epi64(Fr::INV.cast_signed());
    let modulus = splat(MODULUS);
    for i in 0..5 {
        let quotient = _mm512_madd52lo_epu64(_mm512_setzero_si512(), sums[i], inverse);
        for j in 0..5 {
            sums[i + j] = _mm512_madd52lo_epu64(sums[i + j], quotient, modulus[j]);
            sums[i + j + 1] = _mm512_madd52hi_epu64(sums[i + j + 1], quotient, modulus[j]);
        }
        sums[i + 1] = _mm512_add_epi64(sums[i + 1], _mm512_srli_epi64::<52>(sums[i]));
    }
    let [_, _, _, _, _, mut limbs @ ..] = sums;
    // Unlike in `carry`, the highest bit is no sign.
    for i in 0..4 {
        limbs[i + 1] = _mm512_add_epi64(limbs[i + 1], _mm512_srli_epi64::<52>(limbs[i]));
        limbs[i] = _mm512_and_si512(limbs[i], _mm512_set1_epi64(MASK.cast_signed()));
    }
    limbs
}

/// The modulus.
pub(super) const MODULUS: [u64; 5] = split(ScalarModulus::MODULUS);

/// Below the modulus m, from at most 448·m²/2^260 + m, which is below 8·m: less 4·m, 2·m and m
/// where that is not negative.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn canonical(mut limbs: [__m512i; 5]) -> [__m512i; 5] {
    for shift in [2, 1, 0] {
        let mut less = limbs;
        for (limb, modulus) in less.iter_mut().zip(MODULUS) {
            let modulus = _mm512_set1_epi64((modulus << shift).cast_signed());
            *limb = _mm512_sub_epi64(*limb, modulus);
        }
        let less = carry(less);
        let negative = _mm512_cmplt_epi64_mask(less[4], _mm512_setzero_si512());
        for (limb, less) in limbs.iter_mut().zip(less) {
            *limb = _mm512_mask_mov_epi64(less, negative, *limb);
        }
    }
    limbs
}

/// All limbs but the last to 52 bits; the last takes the sign.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn carry(mut limbs: [__m512i; 5]) -> [__m512i; 5] {
    for i in 0..4 {
        let over = _mm512_srai_epi64::<52>(limbs[i]);
        limbs[i + 1] = _mm512_add_epi64(limbs[i + 1], over);
        limbs[i] = _mm512_and_si512(limbs[i], _mm512_set1_epi64(MASK.cast_signed()));
    }
    limbs
}

/// Eight reduced integers to Montgomery forms, which is what they are.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn write(block: &mut [Fr; LANES], limbs: [__m512i; 5]) {
    let mut lanes = [[0; LANES]; 5];
    for (lanes, limb) in lanes.iter_mut().zip(limbs) {
        store(lanes, limb);
    }
    for (lane, position) in LANE_POSITION.into_iter().enumerate() {
        let [l0, l1, l2, l3, l4] = lanes.map(|limb| limb[lane]);
        block[position] = Fr::from_mont([
            l0 | l1 << 52,
            l1 >> 12 | l2 << 40,
            l2 >> 24 | l3 << 28,
            l3 >> 36 | l4 << 16,
        ]);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_all(columns: &[[u64; LANES]; 10]) -> [__m512i; 10] {
    let mut sums = [_mm512_setzero_si512(); 10];
    for (sum, column) in sums.iter_mut().zip(columns) {
        *sum = load(column);
    }
    sums
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load(words: &[u64; LANES]) -> __m512i {
    // SAFETY: 64 readable bytes; the load needs no alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_block(vector: &[u8; 32 * DOMAIN], block: usize) -> [__m512i; 4] {
    load_words(&vector.as_chunks().0[block])
}

/// The words of eight integers of 32 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_words(integers: &[u8; 32 * LANES]) -> [__m512i; 4] {
    let mut words = [_mm512_setzero_si512(); 4];
    for (word, bytes) in words.iter_mut().zip(integers.as_chunks::<64>().0) {
        // SAFETY: 64 readable bytes; the load needs no alignment.
        *word = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    }
    words
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store(words: &mut [u64; LANES], value: __m512i) {
    // SAFETY: 64 writable bytes; the store needs no alignment.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), value) };
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Scalars, all different, near both ends and in between.
    fn scalar(seed: usize) -> Fr {
        let seed = seed as u64;
        match seed % 7 {
            0 => Fr::ZERO,
            1 => -Fr::from_mont([1, 0, 0, 0]),
            2 => Fr::from_mont([seed, 0, 0, 0]),
            3 => -Fr::from_mont([seed, 0, 0, 0]),
            _ => Fr::from_u64(seed).pow(&[seed, 77]),
        }
    }

    fn check(terms: &[(Fr, Vector<'_>)]) {
        if !Arm::Ifma.is_available() {
            return;
        }
        let mut expected = [Fr::ZERO; DOMAIN];
        for (weight, vector) in terms {
            for (j, sum) in expected.iter_mut().enumerate() {
                *sum += *weight
                    * match vector {
                        Vector::Scalars(scalars) => scalars[j],
                        Vector::Bytes(bytes) => {
                            Fr::from_le_bytes_reduced(&bytes.as_chunks::<32>().0[j])
                        }
                    };
            }
        }
        let mut sum = [Fr::ONE; DOMAIN];
        weighted_sum(terms.iter().copied(), &mut sum);
        assert!(sum == expected, "{} terms", terms.len());
    }

    #[test]
    fn agrees_with_sums_of_products() {
        for count in [0, 1, 2, 7, 8, 9, 63, LIMIT] {
            let vectors: Vec<[Fr; DOMAIN]> = (0..count)
                .map(|i| core::array::from_fn(|j| scalar(i * 331 + j * 17 + 1)))
                .collect();
            let bytes: Vec<[u8; 32 * DOMAIN]> = vectors
                .iter()
                .map(|vector| {
                    let mut bytes = [0; 32 * DOMAIN];
                    for (bytes, scalar) in bytes.as_chunks_mut::<32>().0.iter_mut().zip(vector) {
                        *bytes = scalar.to_le_bytes();
                    }
                    bytes
                })
                .collect();
            let terms: Vec<_> = (0..count)
                .map(|i| {
                    let vector = if i % 3 == 1 {
                        Vector::Bytes(&bytes[i])
                    } else {
                        Vector::Scalars(&vectors[i])
                    };
                    (scalar(i * 5 + 4), vector)
                })
                .collect();
            check(&terms);
        }
    }

    /// The most that columns can hold, and what the last subtractions must take away.
    #[test]
    fn bounds_hold_at_the_extremes() {
        let largest = -Fr::from_mont([1, 0, 0, 0]);
        let vector = [largest; DOMAIN];
        let ones = [0xff; 32 * DOMAIN];
        // Weights whose scaled forms are the largest too.
        let scalars = largest * Fr::from_u64(16).invert().expect("not zero");
        for count in 0..=LIMIT {
            check(&alloc::vec![(scalars, Vector::Scalars(&vector)); count]);
        }
        // Limbs of ones fill the column in the middle beyond 2^63, which is no sign.
        let ones52 = Fr::from_mont([u64::MAX, u64::MAX, u64::MAX, ScalarModulus::MODULUS[3] - 1]);
        let weight = ones52 * Fr::from_u64(16).invert().expect("not zero");
        check(&alloc::vec![(weight, Vector::Scalars(&[ones52; DOMAIN])); LIMIT]);
        // All bits of a column's factors set: limbs of 2^52 − 1.
        let mut columns = [[[0; LANES]; 10]; BLOCKS];
        let term = ([MASK; 5], &ones);
        if Arm::Ifma.is_available() {
            for _ in 0..LIMIT / BATCH {
                // SAFETY: the instructions are there.
                unsafe { add_products(&mut columns, &[term; BATCH]) };
            }
            let most = 10 - 1;
            let largest = columns.iter().flatten().flatten().max();
            assert!(*largest.expect("columns") < most * LIMIT as u64 * (1 << 52));
        }
    }

    #[test]
    #[should_panic(expected = "overflow")]
    fn more_than_the_limit_is_refused() {
        if !Arm::Ifma.is_available() {
            panic!("no kernel, no overflow");
        }
        let vector = [Fr::ONE; DOMAIN];
        let terms = core::iter::repeat_n((Fr::ONE, Vector::Scalars(&vector)), LIMIT + 1);
        weighted_sum(terms, &mut [Fr::ZERO; DOMAIN]);
    }
}
