//! Four states a register file.

use core::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx2")]
fn splat(x: u64) -> __m256i {
    _mm256_set1_epi64x(x.cast_signed())
}
#[inline]
#[target_feature(enable = "avx2")]
fn xor(a: __m256i, b: __m256i) -> __m256i {
    _mm256_xor_si256(a, b)
}
#[inline]
#[target_feature(enable = "avx2")]
fn xor3(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    xor(a, xor(b, c))
}
#[inline]
#[target_feature(enable = "avx2")]
fn chi(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    xor(a, _mm256_andnot_si256(b, c))
}
#[inline]
#[target_feature(enable = "avx2")]
fn rotate<const L: i32, const R: i32>(a: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_slli_epi64::<L>(a), _mm256_srli_epi64::<R>(a))
}
#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: these are 32 readable bytes, and the instruction takes any alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}
#[inline]
#[target_feature(enable = "avx2")]
fn load1(rows: &[u8; 32]) -> [__m256i; 1] {
    [load(rows)]
}
#[inline]
#[target_feature(enable = "avx2")]
fn load2(rows: &[u8; 64]) -> [__m256i; 2] {
    let (rows, _) = rows.as_chunks::<32>();
    let (a, b) = (load(&rows[0]), load(&rows[1]));
    // Lanes in the order 0, 2, 1, 3, which the permutation puts right.
    [
        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_unpacklo_epi64(a, b)),
        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_unpackhi_epi64(a, b)),
    ]
}
#[inline]
#[target_feature(enable = "avx2")]
fn load4(rows: &[u8; 128]) -> [__m256i; 4] {
    let (rows, _) = rows.as_chunks::<32>();
    transpose([
        load(&rows[0]),
        load(&rows[1]),
        load(&rows[2]),
        load(&rows[3]),
    ])
}
#[inline]
#[target_feature(enable = "avx2")]
fn load8(rows: &[u8; 256]) -> [__m256i; 8] {
    let (rows, _) = rows.as_chunks::<32>();
    let half = |i: usize| {
        transpose([
            load(&rows[i]),
            load(&rows[i + 2]),
            load(&rows[i + 4]),
            load(&rows[i + 6]),
        ])
    };
    let ([a, b, c, d], [e, f, g, h]) = (half(0), half(1));
    [a, b, c, d, e, f, g, h]
}
#[inline]
#[target_feature(enable = "avx2")]
fn load_part(rows: &[&[u8]; LANES]) -> [__m256i; LANES] {
    let mut lines = [splat(0); LANES];
    let order = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (line, row) in lines.iter_mut().zip(rows) {
        debug_assert!(row.len() <= 32);
        let mask = _mm256_cmpgt_epi32(_mm256_set1_epi32((row.len() / 4) as i32), order);
        // SAFETY: the mask admits only words of the row, which are readable; the others are not
        // touched.
        *line = unsafe { _mm256_maskload_epi32(row.as_ptr().cast(), mask) };
    }
    transpose(lines)
}
/// Word `w` of line `l` becomes word `l` of line `w`.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let (e, f) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let (g, h) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
    [
        _mm256_permute2x128_si256::<0x20>(e, g),
        _mm256_permute2x128_si256::<0x20>(f, h),
        _mm256_permute2x128_si256::<0x31>(e, g),
        _mm256_permute2x128_si256::<0x31>(f, h),
    ]
}
#[inline]
#[target_feature(enable = "avx2")]
fn store4(out: &mut [[u8; 32]; LANES], words: [__m256i; 4]) {
    for (to, row) in out.iter_mut().zip(transpose(words)) {
        // SAFETY: these are 32 writable bytes, and the instruction takes any alignment.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), row) };
    }
}

keccak_kernel!(
    #[target_feature(enable = "avx2")]
    __m256i,
    4
);
