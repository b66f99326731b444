//! Elements of four words to and from vectors of one word of each.

use core::arch::x86_64::*;

/// Eight words.
pub(crate) type V = __m512i;

/// An array of 4·8 words by word: word k of the i-th element is in lane i of the k-th vector.
/// `rows[i]` holds elements i and i + 4.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(rows: [V; 4]) -> [V; 4] {
    let near = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    let far = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    let a = _mm512_unpacklo_epi64(rows[0], rows[1]);
    let b = _mm512_unpackhi_epi64(rows[0], rows[1]);
    let c = _mm512_unpacklo_epi64(rows[2], rows[3]);
    let d = _mm512_unpackhi_epi64(rows[2], rows[3]);
    [
        _mm512_permutex2var_epi64(a, near, c),
        _mm512_permutex2var_epi64(b, near, d),
        _mm512_permutex2var_epi64(a, far, c),
        _mm512_permutex2var_epi64(b, far, d),
    ]
}

/// The inverse of [`transpose`].
#[inline]
#[target_feature(enable = "avx512f")]
fn untranspose(words: [V; 4]) -> [V; 4] {
    let near = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    let far = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    let a = _mm512_permutex2var_epi64(words[0], near, words[2]);
    let c = _mm512_permutex2var_epi64(words[0], far, words[2]);
    let b = _mm512_permutex2var_epi64(words[1], near, words[3]);
    let d = _mm512_permutex2var_epi64(words[1], far, words[3]);
    [
        _mm512_unpacklo_epi64(a, b),
        _mm512_unpackhi_epi64(a, b),
        _mm512_unpacklo_epi64(c, d),
        _mm512_unpackhi_epi64(c, d),
    ]
}

/// Four words of each of eight elements, from wherever they are.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn read_words(from: [&[u64; 4]; 8]) -> [V; 4] {
    let mut rows = [_mm512_setzero_si512(); 4];
    for (i, row) in rows.iter_mut().enumerate() {
        // SAFETY: both references are valid for reads of 32 bytes; no alignment is needed.
        let (low, high) = unsafe {
            (
                _mm256_loadu_si256(from[i].as_ptr().cast()),
                _mm256_loadu_si256(from[i + 4].as_ptr().cast()),
            )
        };
        *row = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
    }
    transpose(rows)
}

/// Writes four words of each of eight elements.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn write_words(words: [V; 4], to: [&mut [u64; 4]; 8]) {
    let rows = untranspose(words);
    for (i, to) in to.into_iter().enumerate() {
        let row = rows[i % 4];
        let half = if i < 4 {
            _mm512_castsi512_si256(row)
        } else {
            _mm512_extracti64x4_epi64::<1>(row)
        };
        // SAFETY: the reference is valid for writes of 32 bytes; no alignment is needed.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), half) };
    }
}
