//! Byte and word permutations of 512-bit registers that the kernels share, and bit matrices.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// The 8x8 bit matrix of a linear map between bytes in the operand form of the affine
/// instruction: `image(t)` is the image of bit `t`; output bit `i` is the parity of the input
/// and byte `7 - i`.
pub(crate) fn bit_matrix(image: impl Fn(usize) -> u8) -> u64 {
    let mut bytes = [0u8; 8];
    for input in 0..8 {
        let byte = image(input);
        for (output, row) in bytes.iter_mut().rev().enumerate() {
            *row |= (byte >> output & 1) << input;
        }
    }
    u64::from_le_bytes(bytes)
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
pub(crate) fn load(words: &[u64; 8]) -> __m512i {
    // SAFETY: the reference covers 64 readable bytes; the load needs no alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
pub(crate) fn store(value: __m512i, words: &mut [u64; 8]) {
    // SAFETY: the reference covers 64 writable bytes; the store needs no alignment.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), value) }
}

/// Applies one bit matrix to every byte.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
pub(crate) fn affine(x: __m512i, matrix: u64) -> __m512i {
    _mm512_gf2p8affine_epi64_epi8::<0>(x, _mm512_set1_epi64(matrix.cast_signed()))
}

/// Transposes an 8x8 matrix of 64-bit words, one row a register.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
pub(crate) fn transpose_words(a: [__m512i; 8]) -> [__m512i; 8] {
    let [e0, e1, e2, e3] = [
        _mm512_unpacklo_epi64(a[0], a[1]),
        _mm512_unpacklo_epi64(a[2], a[3]),
        _mm512_unpacklo_epi64(a[4], a[5]),
        _mm512_unpacklo_epi64(a[6], a[7]),
    ];
    let [o0, o1, o2, o3] = [
        _mm512_unpackhi_epi64(a[0], a[1]),
        _mm512_unpackhi_epi64(a[2], a[3]),
        _mm512_unpackhi_epi64(a[4], a[5]),
        _mm512_unpackhi_epi64(a[6], a[7]),
    ];
    let [r0, r2, r4, r6] = gather_quarters(e0, e1, e2, e3);
    let [r1, r3, r5, r7] = gather_quarters(o0, o1, o2, o3);
    [r0, r1, r2, r3, r4, r5, r6, r7]
}

/// Transposes a 4x4 matrix of 128-bit quarters.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
fn gather_quarters(a: __m512i, b: __m512i, c: __m512i, d: __m512i) -> [__m512i; 4] {
    let (even_ab, odd_ab) = (
        _mm512_shuffle_i64x2::<0x88>(a, b),
        _mm512_shuffle_i64x2::<0xdd>(a, b),
    );
    let (even_cd, odd_cd) = (
        _mm512_shuffle_i64x2::<0x88>(c, d),
        _mm512_shuffle_i64x2::<0xdd>(c, d),
    );
    [
        _mm512_shuffle_i64x2::<0x88>(even_ab, even_cd),
        _mm512_shuffle_i64x2::<0x88>(odd_ab, odd_cd),
        _mm512_shuffle_i64x2::<0xdd>(even_ab, even_cd),
        _mm512_shuffle_i64x2::<0xdd>(odd_ab, odd_cd),
    ]
}

/// Transposes each register as an 8x8 matrix of bytes.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
pub(crate) fn transpose_bytes(mut a: [__m512i; 8]) -> [__m512i; 8] {
    let index = load(&BYTE_TRANSPOSE);
    // A loop and not a closure: the compiler does not inline closures with target features into
    // functions without them.
    for x in &mut a {
        *x = _mm512_permutexvar_epi8(index, *x);
    }
    a
}

/// Transposes a 64x64 matrix of bytes, one row a register, in place.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
pub(crate) fn transpose_64x64(rows: &mut [__m512i; 64]) {
    let (blocks, _) = rows.as_chunks_mut::<8>();
    for block in blocks {
        *block = transpose_bytes(transpose_words(*block));
    }
    // Register 8 * block + word now holds, for bytes 8 * word.. of eight rows, a byte a word.
    let halfway = *rows;
    let (columns, _) = rows.as_chunks_mut::<8>();
    for (word, column) in columns.iter_mut().enumerate() {
        for (block, part) in column.iter_mut().enumerate() {
            *part = halfway[8 * block + word];
        }
        *column = transpose_words(*column);
    }
}

/// Index of the byte transposition: byte `8 i + j` comes from byte `8 j + i`.
#[cfg(target_arch = "x86_64")]
const BYTE_TRANSPOSE: [u64; 8] = {
    let mut words = [0; 8];
    let mut i = 0;
    while i < 8 {
        let mut j = 0;
        while j < 8 {
            words[i] |= (8 * j + i) << (8 * j);
            j += 1;
        }
        i += 1;
    }
    let mut out = [0u64; 8];
    let mut i = 0;
    while i < 8 {
        out[i] = words[i] as u64;
        i += 1;
    }
    out
};

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::arm::Arm;
    use crate::test_util::random_words;

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
    fn transposed(input: &[[u64; 8]; 64]) -> [[u64; 8]; 64] {
        let mut rows: [__m512i; 64] = std::array::from_fn(|i| load(&input[i]));
        transpose_64x64(&mut rows);
        let mut out = [[0; 8]; 64];
        for (row, out) in rows.into_iter().zip(&mut out) {
            store(row, out);
        }
        out
    }

    #[test]
    fn byte_matrices_are_transposed() {
        if !Arm::Gfni.available() {
            return;
        }
        let words = random_words(6, 512);
        let input: [[u64; 8]; 64] =
            std::array::from_fn(|i| std::array::from_fn(|j| words[8 * i + j]));
        // SAFETY: the CPU has the features of the arm.
        let output = unsafe { transposed(&input) };
        let byte = |m: &[[u64; 8]; 64], i: usize, j: usize| (m[i][j / 8] >> (8 * (j % 8))) as u8;
        for i in 0..64 {
            for j in 0..64 {
                assert_eq!(byte(&input, i, j), byte(&output, j, i));
            }
        }
    }
}
