//! Eight permutations a register, one 64-bit lane each, with 52-bit multiply-add.
//!
//! Wide lanes make every addition of the linear layers a single instruction: a lane holds a sum of
//! dozens of elements, and the 52-bit products take such sums as they are.
//!
//! Bounds, with `p < 2^31`. A product of `a` and `b` is below `2 p + a b / 2^52`. An external
//! S-box returns less than `2^37`, its linear layer for `WIDTH <= 24` multiplies by at most 49, so
//! a state element stays below `2^43`, a square below `2^35`, and a cube or fourth power below
//! `2^32`: `2 p + 2^26` is, for both primes.

use core::arch::x86_64::*;

use super::params::{Diag, Poseidon2Field, two_adicity};
use super::scaled::{Rescale, ScaledConstants, cheap_last};

type V = __m512i;

const LANES: usize = 8;

/// `-p^-1 mod 2^52`.
const fn neg_inverse(p: u64) -> i64 {
    let mut inv = 1u64;
    let mut i = 0;
    while i < 6 {
        inv = inv.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(inv)));
        i += 1;
    }
    (inv.wrapping_neg() & ((1 << 52) - 1)) as i64
}

/// `1 - 2^-52 mod p`.
const fn bias(p: u64) -> i64 {
    let half = p.div_ceil(2);
    let mut x = 1u64;
    let mut i = 0;
    while i < 52 {
        x = x * half % p;
        i += 1;
    }
    ((p + 1 - x) % p) as i64
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(x: u64) -> V {
    _mm512_set1_epi64(x as i64)
}

/// `start + (a * b + 1) * 2^-52 - 1`, up to a multiple of `p`.
///
/// Reducing `a b + 1` in place of `a b` makes the carry out of the low half certain, so nothing
/// has to be compared or subtracted; callers put the constant difference into `start`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn mul_from<F: Poseidon2Field<W>, const W: usize>(start: V, a: V, b: V) -> V {
    let high = _mm512_madd52hi_epu64(start, a, b);
    let low = _mm512_madd52lo_epu64(splat(1), a, b);
    let neg_inv = const { neg_inverse(F::ORDER_U64) };
    let q = _mm512_madd52lo_epu64(_mm512_setzero_si512(), low, _mm512_set1_epi64(neg_inv));
    _mm512_madd52hi_epu64(high, q, splat(F::ORDER_U64))
}

/// `a * b * 2^-52`, below `2 p + a b / 2^52`; `a, b < 2^52`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn mul<F: Poseidon2Field<W>, const W: usize>(a: V, b: V) -> V {
    mul_from::<F, W>(_mm512_set1_epi64(const { bias(F::ORDER_U64) }), a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn rescale<F: Poseidon2Field<W>, const W: usize>(x: V, r: Rescale) -> V {
    mul_from::<F, W>(splat(r.start), x, splat(r.factor))
}

/// A value below `p + 2^-5 p` congruent to `x < 2^47`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn reduce<F: Poseidon2Field<W>, const W: usize>(x: V) -> V {
    let estimate = splat((1 << 52) / F::ORDER_U64);
    let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, estimate);
    _mm512_sub_epi64(x, _mm512_mul_epu32(quotient, splat(F::ORDER_U64)))
}

/// The canonical value of `x < 4 p`.
#[inline]
#[target_feature(enable = "avx512f")]
fn canonical<F: Poseidon2Field<W>, const W: usize>(x: V) -> V {
    let p = splat(F::ORDER_U64);
    let p2 = splat(2 * F::ORDER_U64);
    let x = _mm512_min_epu64(x, _mm512_sub_epi64(x, p2));
    _mm512_min_epu64(x, _mm512_sub_epi64(x, p))
}

/// `x^D`, losing `2^(52 (D - 1))`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sbox_internal<F: Poseidon2Field<W>, const W: usize>(x: V) -> V {
    let x2 = mul::<F, W>(x, x);
    let x3 = mul::<F, W>(x2, x);
    if F::SBOX == 3 {
        return x3;
    }
    let x4 = mul::<F, W>(x2, x2);
    mul::<F, W>(x3, x4)
}

/// `x^D`, with the offset and the scale that [`ScaledConstants`] expects.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sbox_external<F: Poseidon2Field<W>, const W: usize>(x: V) -> V {
    if !const { cheap_last::<F, W>() } {
        return sbox_internal::<F, W>(x);
    }
    let x2 = mul::<F, W>(x, x);
    let x3 = mul::<F, W>(x2, x);
    let x4 = mul::<F, W>(x2, x2);
    let product = _mm512_mul_epu32(x3, x4);
    // y 2^-27 = (y >> 27) - 15 (y mod 2^27) as 15 2^27 = -1; the complement of the low bits turns
    // the difference into a sum that lacks 15 (1 - 2^27) = 16.
    let high = _mm512_srli_epi64::<27>(product);
    let low = _mm512_andnot_si512(product, splat((1 << 27) - 1));
    let low16 = _mm512_slli_epi64::<4>(low);
    _mm512_add_epi64(high, _mm512_sub_epi64(low16, low))
}

/// The external linear layer: `M4` on each four elements, then every column sum added.
#[inline]
#[target_feature(enable = "avx512f")]
fn mix<const W: usize>(s: &mut [V; W]) {
    let add = |a: V, b: V| _mm512_add_epi64(a, b);
    let mut sums = [_mm512_setzero_si512(); 4];
    for i in (0..W).step_by(4) {
        let [x0, x1, x2, x3] = [s[i], s[i + 1], s[i + 2], s[i + 3]];
        let t01 = add(x0, x1);
        let t23 = add(x2, x3);
        let t = add(t01, t23);
        let t1 = add(t, x1);
        let t3 = add(t, x3);
        s[i] = add(t1, t01);
        s[i + 1] = add(t1, add(x2, x2));
        s[i + 2] = add(t3, t23);
        s[i + 3] = add(t3, add(x0, x0));
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum = if i == 0 { s[k] } else { add(*sum, s[i + k]) };
        }
    }
    for i in 0..W {
        s[i] = add(s[i], sums[i % 4]);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn external_round<F: Poseidon2Field<W>, const W: usize>(s: &mut [V; W], rc: &[u64; W]) {
    for i in 0..W {
        s[i] = sbox_external::<F, W>(_mm512_add_epi64(s[i], splat(rc[i])));
    }
    mix(s);
}

/// `V_I x` up to a multiple of `p`, non-negative, or less what [`Diag::Inv`] leaves out;
/// `x < 2^35` where `V_I` is negative.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn diagonal<F: Poseidon2Field<W>, const W: usize, const I: usize>(x: V) -> V {
    let add = |a: V, b: V| _mm512_add_epi64(a, b);
    let sub = |a: V, b: V| _mm512_sub_epi64(a, b);
    let p = F::ORDER_U64;
    let lift = splat(10 * p);
    match const { F::DIAG[I] } {
        Diag::Small(1) => x,
        Diag::Small(2) => add(x, x),
        Diag::Small(3) => add(add(x, x), x),
        Diag::Small(4) => _mm512_slli_epi64::<2>(x),
        Diag::Small(d) => {
            let multiple = splat(u64::from(d.unsigned_abs()));
            sub(lift, _mm512_mul_epu32(reduce::<F, W>(x), multiple))
        }
        Diag::Inv(k) => {
            let high = _mm512_srlv_epi64(x, splat(u64::from(k)));
            let low = _mm512_andnot_si512(x, splat((1 << k) - 1));
            _mm512_madd52lo_epu64(high, low, splat((p - 1) >> k))
        }
        Diag::NegInv(k) => {
            let high = _mm512_srlv_epi64(x, splat(u64::from(k)));
            let low = _mm512_and_si512(x, splat((1 << k) - 1));
            _mm512_madd52lo_epu64(sub(lift, high), low, splat((p - 1) >> k))
        }
    }
}

/// The state between internal rounds: `s[0]` has its round constant added, `tail` is the sum of
/// the other elements.
///
/// With `y` the S-box output, the next `s[0]` is `tail - y` and the next tail is
/// `sum V_i s_i + (W - 1) (tail + y)`. So `s[0]` needs one subtraction after the S-box, and
/// everything else happens beside the chain of S-boxes.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn internal_round<F: Poseidon2Field<W>, const W: usize>(
    s: &mut [V; W],
    tail: &mut V,
    next: u64,
    settle: bool,
) {
    let add = |a: V, b: V| _mm512_add_epi64(a, b);
    let power = sbox_internal::<F, W>(s[0]);
    macro_rules! elements {
        ($($i:literal)*) => { $(if $i < W { s[$i] = diagonal::<F, W, $i>(s[$i]); })* };
    }
    elements!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23);
    let mut part = [s[1], s[2], s[3], s[4]];
    for i in 5..W {
        part[i % 4] = add(part[i % 4], s[i]);
    }
    let own = add(add(part[0], part[1]), add(part[2], part[3]));
    let before = reduce::<F, W>(*tail);
    // sum - 2 y = tail - y, kept non-negative.
    let lifted = add(before, splat(4 * F::ORDER_U64 + next));
    s[0] = _mm512_sub_epi64(lifted, power);
    let sum = add(before, power);
    *tail = _mm512_madd52lo_epu64(own, sum, splat(W as u64 - 1));
    for x in &mut s[1..] {
        *x = add(*x, sum);
    }
    if settle {
        // These grow fourfold a round at most; `settle` comes often enough to stay below 2^43.
        for i in [2, 4, 5] {
            s[i] = reduce::<F, W>(s[i]);
        }
    }
}

/// `G` registers' worth of permutations, interleaved round by round so that one group's work hides
/// the other's latency.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn permute<F: Poseidon2Field<W>, const W: usize, const G: usize>(
    c: &ScaledConstants<W>,
    state: &mut [[V; W]; G],
) {
    for s in state.iter_mut() {
        mix(s);
    }
    for rc in &c.initial {
        for s in state.iter_mut() {
            external_round::<F, W>(s, rc);
        }
    }
    let mut tails = [_mm512_setzero_si512(); G];
    for (s, tail) in state.iter_mut().zip(&mut tails) {
        for x in &mut s[1..] {
            *x = reduce::<F, W>(*x);
            *tail = _mm512_add_epi64(*tail, *x);
        }
        if let Some(&rc) = c.internal.first() {
            s[0] = _mm512_add_epi64(s[0], splat(rc));
        }
    }
    for r in 0..c.internal.len() {
        let next = c.internal.get(r + 1).copied().unwrap_or(0);
        for (s, tail) in state.iter_mut().zip(&mut tails) {
            internal_round::<F, W>(s, tail, next, r % 4 == 3);
        }
    }
    for rc in &c.terminal {
        for s in state.iter_mut() {
            external_round::<F, W>(s, rc);
        }
    }
}

/// Transposes eight registers of eight 64-bit lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(r: [V; 8]) -> [V; 8] {
    let lo = |a: V, b: V| _mm512_unpacklo_epi64(a, b);
    let hi = |a: V, b: V| _mm512_unpackhi_epi64(a, b);
    let t = [
        lo(r[0], r[1]),
        hi(r[0], r[1]),
        lo(r[2], r[3]),
        hi(r[2], r[3]),
        lo(r[4], r[5]),
        hi(r[4], r[5]),
        lo(r[6], r[7]),
        hi(r[6], r[7]),
    ];
    let even = |a: V, b: V| _mm512_shuffle_i64x2::<0x88>(a, b);
    let odd = |a: V, b: V| _mm512_shuffle_i64x2::<0xdd>(a, b);
    let mut out = [_mm512_setzero_si512(); 8];
    for k in 0..2 {
        let (a, b) = (even(t[k], t[2 + k]), even(t[4 + k], t[6 + k]));
        let (c, d) = (odd(t[k], t[2 + k]), odd(t[4 + k], t[6 + k]));
        out[k] = even(a, b);
        out[4 + k] = odd(a, b);
        out[2 + k] = even(c, d);
        out[6 + k] = odd(c, d);
    }
    out
}

/// Loads `count <= 8` words of each of eight rows: register `j` gets word `j` of every row.
///
/// # Safety
/// Each pointer must be readable for `count` words.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn load_rows(rows: [*const u32; 8], count: usize) -> [V; 8] {
    let mask = ((1u32 << count) - 1) as u8;
    transpose(rows.map(|row| {
        // SAFETY: lanes at and above `count` are masked off and not read.
        let words = unsafe { _mm256_maskz_loadu_epi32(mask, row.cast()) };
        _mm512_cvtepu32_epi64(words)
    }))
}

/// Canonicalises and writes eight output elements of eight lanes, lane `l` to `out + 8 l`.
///
/// # Safety
/// `out` must be writable for `8 * lanes` words, `lanes <= 8`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma,avx512vl")]
unsafe fn store_digests<F: Poseidon2Field<W>, const W: usize>(
    c: &ScaledConstants<W>,
    s: &[V; W],
    out: *mut u32,
    lanes: usize,
) {
    let mut words = [_mm512_setzero_si512(); 8];
    for (w, &x) in words.iter_mut().zip(s) {
        *w = canonical::<F, W>(rescale::<F, W>(x, c.store));
    }
    for (l, row) in transpose(words).into_iter().enumerate().take(lanes) {
        // SAFETY: `l < lanes`, so eight words from `out + 8 l` are in bounds.
        unsafe { _mm256_storeu_si256(out.add(8 * l).cast(), _mm512_cvtepi64_epi32(row)) };
    }
}

/// Sponge digests of up to `8 G` rows of `width` words.
///
/// # Safety
/// The CPU must have the enabled features; `rows` holds `width * count` words, `out` room for
/// `8 * count`, with `1 <= count <= 8 G`.
#[target_feature(enable = "avx512f,avx512ifma,avx512vl")]
unsafe fn sponge<F: Poseidon2Field<W>, const W: usize, const G: usize>(
    c: &ScaledConstants<W>,
    rows: *const u32,
    width: usize,
    out: *mut u32,
    count: usize,
) {
    let rate = W - 8;
    let mut state = [[_mm512_setzero_si512(); W]; G];
    for base in (0..width).step_by(rate) {
        if base > 0 {
            for s in &mut state {
                for x in s.iter_mut() {
                    *x = rescale::<F, W>(*x, c.carry);
                }
            }
        }
        for part in (base..width.min(base + rate)).step_by(8) {
            let words = (width - part).min(8);
            for (g, s) in state.iter_mut().enumerate() {
                // A short last group repeats the last row.
                let at = |l: usize| (LANES * g + l).min(count - 1) * width + part;
                // SAFETY: row index below `count`, columns `part..part + words` below `width`.
                let loaded = unsafe {
                    let rows = core::array::from_fn(|l| rows.add(at(l)));
                    load_rows(rows, words)
                };
                for (j, &x) in loaded.iter().enumerate().take(words) {
                    s[part - base + j] = rescale::<F, W>(x, c.load);
                }
            }
        }
        permute::<F, W, G>(c, &mut state);
    }
    for (g, s) in state.iter().enumerate() {
        let done = LANES * g;
        if done < count {
            // SAFETY: the rows from `done` on have room in `out`.
            unsafe { store_digests::<F, W>(c, s, out.add(8 * done), (count - done).min(LANES)) };
        }
    }
}

/// Digests of all rows.
///
/// # Safety
/// The CPU must have AVX-512 F, VL and IFMA; `rows.len() == width * out.len()`.
pub(super) unsafe fn hash_rows<F: Poseidon2Field<W>, const W: usize>(
    c: &ScaledConstants<W>,
    rows: &[F],
    width: usize,
    out: &mut [[F; 8]],
) {
    let words = F::words(rows);
    for (r, o) in words
        .chunks(2 * LANES * width)
        .zip(out.chunks_mut(2 * LANES))
    {
        let (from, to) = (r.as_ptr(), o.as_mut_ptr().cast());
        // SAFETY: features by the caller; the chunks hold `width` words and one digest of eight
        // words a row, and only canonical words are written.
        unsafe {
            if o.len() > LANES {
                sponge::<F, W, 2>(c, from, width, to, o.len());
            } else {
                sponge::<F, W, 1>(c, from, width, to, o.len());
            }
        }
    }
}

/// # Safety
/// As [`compress`], for `1 <= count <= 8 G` pairs.
#[target_feature(enable = "avx512f,avx512ifma,avx512vl")]
unsafe fn compress_some<F: Poseidon2Field<16>, const G: usize>(
    c: &ScaledConstants<16>,
    left: *const u32,
    right: *const u32,
    out: *mut u32,
    count: usize,
) {
    let mut state = [[_mm512_setzero_si512(); 16]; G];
    for (g, s) in state.iter_mut().enumerate() {
        for (half, from) in [left, right].into_iter().enumerate() {
            let at = |l: usize| 8 * (LANES * g + l).min(count - 1);
            // SAFETY: digest index below `count`, eight words each.
            let loaded = unsafe { load_rows(core::array::from_fn(|l| from.add(at(l))), 8) };
            for (j, &x) in loaded.iter().enumerate() {
                s[8 * half + j] = rescale::<F, 16>(x, c.load);
            }
        }
    }
    permute::<F, 16, G>(c, &mut state);
    for (g, s) in state.iter().enumerate() {
        let done = LANES * g;
        if done < count {
            // SAFETY: the nodes from `done` on have room in `out`.
            unsafe { store_digests::<F, 16>(c, s, out.add(8 * done), (count - done).min(LANES)) };
        }
    }
}

/// All nodes of equally long child lists.
///
/// # Safety
/// The CPU must have AVX-512 F, VL and IFMA; the three lengths are equal.
pub(super) unsafe fn compress<F: Poseidon2Field<16>>(
    c: &ScaledConstants<16>,
    left: &[[F; 8]],
    right: &[[F; 8]],
    out: &mut [[F; 8]],
) {
    let left = F::words(left.as_flattened());
    let right = F::words(right.as_flattened());
    let chunk = 2 * LANES;
    for (k, o) in out.chunks_mut(chunk).enumerate() {
        let (l, r) = (&left[8 * chunk * k..], &right[8 * chunk * k..]);
        let (l, r, to) = (l.as_ptr(), r.as_ptr(), o.as_mut_ptr().cast());
        // SAFETY: features by the caller; both child lists hold a digest for each output.
        unsafe {
            if o.len() > LANES {
                compress_some::<F, 2>(c, l, r, to, o.len());
            } else {
                compress_some::<F, 1>(c, l, r, to, o.len());
            }
        }
    }
}

/// The smallest `n` in `from..to` for which the low `bits` of output 7 are zero, where the input
/// is `base` with `n` at `slot`.
///
/// # Safety
/// The CPU must have AVX-512 F, VL and IFMA.
#[target_feature(enable = "avx512f,avx512ifma,avx512vl")]
pub(super) unsafe fn search<F: Poseidon2Field<16>>(
    c: &ScaledConstants<16>,
    base: &[F; 16],
    slot: usize,
    mask: u32,
    from: u64,
    to: u64,
) -> Option<u64> {
    let start: [V; 16] = {
        let words = F::words(base);
        core::array::from_fn(|i| rescale::<F, 16>(splat(u64::from(words[i])), c.load))
    };
    let lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    let mut n = from;
    while n < to {
        let mut state = [start; 2];
        for (g, s) in state.iter_mut().enumerate() {
            let candidate = _mm512_add_epi64(splat(n + (LANES * g) as u64), lanes);
            s[slot] = rescale::<F, 16>(candidate, c.load_plain);
        }
        permute::<F, 16, 2>(c, &mut state);
        for (g, s) in state.iter().enumerate() {
            let sample = canonical::<F, 16>(rescale::<F, 16>(s[7], c.store_plain));
            let hit = _mm512_testn_epi64_mask(sample, splat(u64::from(mask)));
            if hit != 0 {
                let found = n + (LANES * g) as u64 + u64::from(hit.trailing_zeros());
                return (found < to).then_some(found);
            }
        }
        n += 2 * LANES as u64;
    }
    None
}

/// Whether the running CPU has every feature this module enables.
pub(super) fn supported() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512ifma")
}

const _: () = assert!(two_adicity::<p3_baby_bear::BabyBear>() == 27);
