//! Eight states a register file: rotations and three-input logic are one instruction each.

use core::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(x: u64) -> __m512i {
    _mm512_set1_epi64(x.cast_signed())
}
#[inline]
#[target_feature(enable = "avx512f")]
fn xor(a: __m512i, b: __m512i) -> __m512i {
    _mm512_xor_si512(a, b)
}
#[inline]
#[target_feature(enable = "avx512f")]
fn xor3(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0b1001_0110>(a, b, c)
}
#[inline]
#[target_feature(enable = "avx512f")]
fn chi(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0b1101_0010>(a, b, c)
}
#[inline]
#[target_feature(enable = "avx512f")]
fn rotate<const L: i32, const R: i32>(a: __m512i) -> __m512i {
    _mm512_rol_epi64::<L>(a)
}
#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: these are 64 readable bytes, and the instruction takes any alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}
#[inline]
#[target_feature(enable = "avx512f")]
fn load1(rows: &[u8; 64]) -> [__m512i; 1] {
    [load(rows)]
}
#[inline]
#[target_feature(enable = "avx512f")]
fn load2(rows: &[u8; 128]) -> [__m512i; 2] {
    let (rows, _) = rows.as_chunks::<64>();
    let (a, b) = (load(&rows[0]), load(&rows[1]));
    let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    let odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    [
        _mm512_permutex2var_epi64(a, even, b),
        _mm512_permutex2var_epi64(a, odd, b),
    ]
}
/// The low halves of both, and their high halves.
#[inline]
#[target_feature(enable = "avx512f")]
fn halves(a: __m512i, b: __m512i) -> [__m512i; 2] {
    [
        _mm512_shuffle_i64x2::<0b01_00_01_00>(a, b),
        _mm512_shuffle_i64x2::<0b11_10_11_10>(a, b),
    ]
}
#[inline]
#[target_feature(enable = "avx512f")]
fn load4(rows: &[u8; 256]) -> [__m512i; 4] {
    let (rows, _) = rows.as_chunks::<64>();
    let [a, b, c, d] = [
        load(&rows[0]),
        load(&rows[1]),
        load(&rows[2]),
        load(&rows[3]),
    ];
    // Words 0 and 1, then words 2 and 3, of four rows.
    let first = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    let second = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    let [w0, w1] = halves(
        _mm512_permutex2var_epi64(a, first, b),
        _mm512_permutex2var_epi64(c, first, d),
    );
    let [w2, w3] = halves(
        _mm512_permutex2var_epi64(a, second, b),
        _mm512_permutex2var_epi64(c, second, d),
    );
    [w0, w1, w2, w3]
}
#[inline]
#[target_feature(enable = "avx512f")]
fn load8(rows: &[u8; 512]) -> [__m512i; 8] {
    let (rows, _) = rows.as_chunks::<64>();
    let mut lines = [splat(0); LANES];
    for (line, row) in lines.iter_mut().zip(rows) {
        *line = load(row);
    }
    transpose(lines)
}
#[inline]
#[target_feature(enable = "avx512f")]
fn load_part(rows: &[&[u8]; LANES]) -> [__m512i; LANES] {
    let mut lines = [splat(0); LANES];
    for (line, row) in lines.iter_mut().zip(rows) {
        debug_assert!(row.len() <= 64);
        let mask = ((1u32 << (row.len() / 4)) - 1) as u16;
        // SAFETY: the mask admits only words of the row, which are readable; the others are not
        // touched.
        *line = unsafe { _mm512_maskz_loadu_epi32(mask, row.as_ptr().cast()) };
    }
    transpose(lines)
}
/// Word `w` of line `l` becomes word `l` of line `w`.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(a: [__m512i; 8]) -> [__m512i; 8] {
    // Pairs of lines: even words, odd words.
    let mut b = a;
    for i in 0..4 {
        b[2 * i] = _mm512_unpacklo_epi64(a[2 * i], a[2 * i + 1]);
        b[2 * i + 1] = _mm512_unpackhi_epi64(a[2 * i], a[2 * i + 1]);
    }
    // Fours of lines: words 0 and 4, words 2 and 6; 1 and 5, 3 and 7.
    let low = |x, y| _mm512_shuffle_i64x2::<0b10_00_10_00>(x, y);
    let high = |x, y| _mm512_shuffle_i64x2::<0b11_01_11_01>(x, y);
    let (e0, e1) = (low(b[0], b[2]), low(b[4], b[6]));
    let (e2, e3) = (high(b[0], b[2]), high(b[4], b[6]));
    let (o0, o1) = (low(b[1], b[3]), low(b[5], b[7]));
    let (o2, o3) = (high(b[1], b[3]), high(b[5], b[7]));
    [
        low(e0, e1),
        low(o0, o1),
        low(e2, e3),
        low(o2, o3),
        high(e0, e1),
        high(o0, o1),
        high(e2, e3),
        high(o2, o3),
    ]
}
#[inline]
#[target_feature(enable = "avx512f")]
fn store4(out: &mut [[u8; 32]; LANES], [w0, w1, w2, w3]: [__m512i; 4]) {
    let even = [_mm512_unpacklo_epi64(w0, w1), _mm512_unpacklo_epi64(w2, w3)];
    let odd = [_mm512_unpackhi_epi64(w0, w1), _mm512_unpackhi_epi64(w2, w3)];
    // Rows 0 and 2, rows 4 and 6; with the odd lanes, rows 1 and 3, rows 5 and 7.
    let first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    let second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    let [r01, r23] = halves(
        _mm512_permutex2var_epi64(even[0], first, even[1]),
        _mm512_permutex2var_epi64(odd[0], first, odd[1]),
    );
    let [r45, r67] = halves(
        _mm512_permutex2var_epi64(even[0], second, even[1]),
        _mm512_permutex2var_epi64(odd[0], second, odd[1]),
    );
    let (out, _) = out.as_flattened_mut().as_chunks_mut::<64>();
    for (to, rows) in out.iter_mut().zip([r01, r23, r45, r67]) {
        // SAFETY: these are 64 writable bytes, and the instruction takes any alignment.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), rows) };
    }
}

keccak_kernel!(
    #[target_feature(enable = "avx512f")]
    __m512i,
    8
);
