//! Eight permutations a register, one 64-bit lane each, with 52-bit multiply-add.
//!
//! Loads, stores and the sponge; [`lanes`] has the arithmetic and the external rounds,
//! [`internal`] the internal rounds.

mod internal;
mod lanes;

use core::arch::x86_64::*;

use self::internal::internal_rounds;
use self::lanes::{V, add, canonical, external_rounds, mix, rescale, splat};
use super::params::{Poseidon2Field, two_adicity};
use super::scaled::ScaledConstants;

const LANES: usize = 8;

/// `G` registers' worth of permutations, interleaved round by round so that one group's work hides
/// the other's latency.
///
/// Takes words below `2 p + 2^28` in the stored form. Leaves the scaled form that
/// `ScaledConstants::store` takes, where element `i` still lacks the returned sum `i % 4` of its
/// group: few callers read all elements.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn permute<F: Poseidon2Field<W>, const W: usize, const G: usize>(
    c: &ScaledConstants<W>,
    state: &mut [[V; W]; G],
) -> [[V; 4]; G] {
    let mut sums = [[_mm512_setzero_si512(); 4]; G];
    for (s, sums) in state.iter_mut().zip(&mut sums) {
        *sums = mix(s);
    }
    external_rounds::<F, W, G>(&c.initial, state, &mut sums);
    internal_rounds::<F, W, G>(c, state, &sums);
    sums = [[_mm512_setzero_si512(); 4]; G];
    external_rounds::<F, W, G>(&c.terminal, state, &mut sums);
    sums
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
    sums: &[V; 4],
    out: *mut u32,
    lanes: usize,
) {
    let mut words = [_mm512_setzero_si512(); 8];
    for i in 0..8 {
        words[i] = canonical::<F, W>(rescale::<F, W>(add(s[i], sums[i % 4]), &c.store));
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
    let mut sums = [[_mm512_setzero_si512(); 4]; G];
    for base in (0..width).step_by(rate) {
        if base > 0 {
            // Elements that this block does not overwrite go back to the stored form.
            for (s, sums) in state.iter_mut().zip(&sums) {
                for i in rate.min(width - base)..W {
                    s[i] = rescale::<F, W>(add(s[i], sums[i % 4]), &c.store);
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
                    s[part - base + j] = x;
                }
            }
        }
        sums = permute::<F, W, G>(c, &mut state);
    }
    for (g, s) in state.iter().enumerate() {
        let done = LANES * g;
        if done < count {
            // SAFETY: the rows from `done` on have room in `out`.
            unsafe {
                store_digests::<F, W>(c, s, &sums[g], out.add(8 * done), (count - done).min(LANES));
            };
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
                s[8 * half + j] = x;
            }
        }
    }
    let sums = permute::<F, 16, G>(c, &mut state);
    for (g, s) in state.iter().enumerate() {
        let done = LANES * g;
        if done < count {
            // SAFETY: the nodes from `done` on have room in `out`.
            unsafe {
                store_digests::<F, 16>(
                    c,
                    s,
                    &sums[g],
                    out.add(8 * done),
                    (count - done).min(LANES),
                );
            };
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
        core::array::from_fn(|i| splat(u64::from(words[i])))
    };
    let lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    let mut n = from;
    while n < to {
        let mut state = [start; 2];
        for (g, s) in state.iter_mut().enumerate() {
            let candidate = _mm512_add_epi64(splat(n + (LANES * g) as u64), lanes);
            s[slot] = rescale::<F, 16>(candidate, &c.load_plain);
        }
        let sums = permute::<F, 16, 2>(c, &mut state);
        for (g, s) in state.iter().enumerate() {
            let sample =
                canonical::<F, 16>(rescale::<F, 16>(add(s[7], sums[g][3]), &c.store_plain));
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
