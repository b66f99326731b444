//! Multi-scalar multiplication by Pippenger's method, with a window to a lane.
//!
//! All lanes work on the same point, with the digits of eight windows, and each lane has buckets of
//! its own: no two lanes ever want the same bucket, and a zero digit goes to a bucket that is not
//! read. One pass over the points does eight windows.

use alloc::vec;
use alloc::vec::Vec;
use core::arch::x86_64::*;

use crate::curve::glv::{self, B, C};
use crate::curve::{Affine, Extended};
use crate::field::Fr;
use crate::msm::digits::Windows;
use crate::msm::lanes::Plan;
use crate::msm::spread;

use super::field::V;
use super::point::{Addends, Base, Packed, Points, d, load_affine};
use super::{Ifma, prefetch};

/// A point and its scalar, ready to be broadcast: limbs of x, x + y and d·x·y, the same of the
/// negated point, y, then the recoded scalar.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Row([u64; 40]);

const NEGATED: usize = 15;
const Y: usize = 30;
const SCALAR: usize = 35;

/// Points prepared at a time: few enough for the outer caches.
const CHUNK: usize = 8192;

impl Ifma {
    /// The sums of every window, in order: Σ sums\[w\]·2^(width·w) is the product.
    pub(crate) fn window_sums(
        self,
        plan: Plan,
        points: &[Affine],
        scalars: &[Fr],
    ) -> Vec<Extended> {
        // SAFETY: `self` shows that the CPU has the features.
        unsafe { window_sums(plan, points, scalars) }
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn window_sums(plan: Plan, points: &[Affine], scalars: &[Fr]) -> Vec<Extended> {
    let windows = plan.windows();
    let lane = windows.half() + 1;
    let mut passes: Vec<(u32, Vec<Packed>)> = (0..windows.count.div_ceil(8))
        .map(|pass| (pass, vec![Packed::identity(); 8 * lane]))
        .collect();
    let per_point = if plan.glv { 2 } else { 1 };
    let mut rows = Vec::with_capacity(per_point * points.len().min(CHUNK));
    for (points, scalars) in points.chunks(CHUNK).zip(scalars.chunks(CHUNK)) {
        rows.clear();
        if plan.glv {
            prepare_halves(&windows, points, scalars, &mut rows);
        } else {
            prepare(&windows, points, scalars, &mut rows);
        }
        spread::for_each(true, &mut passes, |(pass, buckets)| {
            accumulate(&rows, &Lookup::new(&windows, *pass), buckets);
        });
    }
    let sums = spread::map(&passes, |(_, buckets)| reduce(buckets));
    let mut sums = sums.into_iter().flatten().collect::<Vec<_>>();
    sums.truncate(windows.count as usize);
    sums
}

/// Rows of points with whole scalars.
#[target_feature(enable = "avx512f,avx512ifma")]
fn prepare(windows: &Windows, points: &[Affine], scalars: &[Fr], rows: &mut Vec<Row>) {
    for (points, scalars) in points.chunks(8).zip(scalars.chunks(8)) {
        let (x, y) = load_affine(eight(points));
        let recoded = core::array::from_fn(|i| {
            let scalar = scalars.get(i).copied().unwrap_or(Fr::ZERO);
            windows.recode(&scalar.to_limbs())
        });
        write_rows(x, y, 0, &recoded, scalars.len(), rows);
    }
}

/// Eight of up to eight points.
#[inline]
fn eight(points: &[Affine]) -> [&Affine; 8] {
    core::array::from_fn(|i| points.get(i).unwrap_or(&Affine::IDENTITY))
}

/// Rows of points and of their images under the endomorphism, with halves of scalars.
#[target_feature(enable = "avx512f,avx512ifma")]
fn prepare_halves(windows: &Windows, points: &[Affine], scalars: &[Fr], rows: &mut Vec<Row>) {
    // ψ(x, y) = (f·h/w, g·x·y/w) with w = h·x·y; all w are inverted together.
    let coordinates: Vec<(Base, Base)> = points
        .chunks(8)
        .map(|points| load_affine(eight(points)))
        .collect();
    let mut before = Vec::with_capacity(coordinates.len());
    let mut product = Base::one();
    for (x, y) in &coordinates {
        let w = denominator(*x, *y);
        before.push((w, product));
        product = product.mul(w);
    }
    let mut inverse = product.invert();
    let one = Base::one();
    let b = Base::splat_limbs(const { Base::constant(B) });
    let c = Base::splat_limbs(const { Base::constant(C) });
    for (i, ((x, y), (w, before))) in coordinates.into_iter().zip(before).enumerate().rev() {
        let own = inverse.mul(before);
        inverse = inverse.mul(w);
        let yy = y.square();
        let f = one.sub::<2>(yy).mul(c);
        let g = yy.add(b).mul(b);
        let h = yy.sub::<2>(b);
        // On the classes of the identity w was taken as one; the image is the identity.
        let zero = x.is_zero();
        let image_x = Base::select(zero, Base::zero(), f.mul(h).mul(own));
        let image_y = Base::select(zero, one, g.mul(x.mul(y)).mul(own));

        let scalars = &scalars[8 * i..scalars.len().min(8 * i + 8)];
        let mut recoded = [[[0; 4]; 8]; 2];
        let mut negative = [0; 2];
        for (lane, scalar) in scalars.iter().enumerate() {
            for (side, half) in glv::split(*scalar).into_iter().enumerate() {
                let words = [half.magnitude as u64, (half.magnitude >> 64) as u64, 0, 0];
                recoded[side][lane] = windows.recode(&words);
                negative[side] |= u8::from(half.negative) << lane;
            }
        }
        write_rows(x, y, negative[0], &recoded[0], scalars.len(), rows);
        write_rows(
            image_x,
            image_y,
            negative[1],
            &recoded[1],
            scalars.len(),
            rows,
        );
    }
}

/// (y² − b)·x·y, or one where that is zero, which is where x is. Never elsewhere: the image of a
/// point of the subgroup is not at infinity.
#[target_feature(enable = "avx512f,avx512ifma")]
fn denominator(x: Base, y: Base) -> Base {
    let b = Base::splat_limbs(const { Base::constant(B) });
    let h = y.square().sub::<2>(b);
    let w = h.mul(x.mul(y));
    Base::select(x.is_zero(), Base::one(), w)
}

/// Appends up to eight rows, of points negated where the bits are set.
#[target_feature(enable = "avx512f,avx512ifma")]
fn write_rows(
    x: Base,
    y: Base,
    negated: u8,
    recoded: &[[u64; 4]; 8],
    count: usize,
    rows: &mut Vec<Row>,
) {
    let x = x.neg_where::<2>(negated);
    let dt = x.mul(y).mul(d());
    let (minus_x, minus_dt) = (x.neg::<2>(), dt.neg::<2>());
    let parts = [x, x.add(y), dt, minus_x, minus_x.add(y), minus_dt, y];
    let start = rows.len();
    rows.resize(start + count, Row([0; 40]));
    for (k, part) in parts.iter().enumerate() {
        for (j, limb) in part.limbs().into_iter().enumerate() {
            let lanes = lanes(limb);
            for (row, value) in rows[start..].iter_mut().zip(lanes) {
                row.0[5 * k + j] = value;
            }
        }
    }
    for (row, recoded) in rows[start..].iter_mut().zip(recoded) {
        row.0[SCALAR..SCALAR + 4].copy_from_slice(recoded);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn lanes(vector: V) -> [u64; 8] {
    let mut out = [0; 8];
    // SAFETY: the array has 64 bytes; no alignment is needed.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), vector) };
    out
}

/// How the digits of eight windows are taken out of a recoded scalar.
struct Lookup {
    low: V,
    high: V,
    right: V,
    left: V,
    mask: V,
    half: V,
}

/// Which bucket each lane adds to, and which lanes add the negated point.
#[derive(Clone, Copy)]
struct Digits {
    buckets: [u64; 8],
    negative: __mmask8,
}

impl Lookup {
    #[target_feature(enable = "avx512f")]
    fn new(windows: &Windows, pass: u32) -> Self {
        let vector = |f: &dyn Fn(u32) -> u64| {
            let values: [u64; 8] = core::array::from_fn(|i| f(8 * pass + i as u32));
            // SAFETY: the array has 64 bytes; no alignment is needed.
            unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
        };
        let width = windows.width;
        // Word 0 of the scalar is at 3 of the last eight of a row; 7 there is zero.
        let word = |window: u32| u64::from((3 + window * width / 64).min(7));
        Self {
            low: vector(&|w| word(w)),
            high: vector(&|w| (word(w) + 1).min(7)),
            right: vector(&|w| u64::from(w * width % 64)),
            left: vector(&|w| u64::from(64 - w * width % 64)),
            mask: vector(&|w| {
                if w < windows.count {
                    (1 << width) - 1
                } else {
                    0
                }
            }),
            half: vector(&|w| {
                if w + 1 < windows.count {
                    1 << (width - 1)
                } else {
                    0
                }
            }),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn digits(&self, row: &Row) -> Digits {
        // SAFETY: the last eight of the row's forty words.
        let words = unsafe { _mm512_loadu_si512(row.0.as_ptr().add(32).cast()) };
        let low = _mm512_srlv_epi64(_mm512_permutexvar_epi64(self.low, words), self.right);
        // A shift by 64 gives zero.
        let high = _mm512_sllv_epi64(_mm512_permutexvar_epi64(self.high, words), self.left);
        let bits = _mm512_and_si512(_mm512_or_si512(low, high), self.mask);
        let digit = _mm512_sub_epi64(bits, self.half);
        Digits {
            buckets: lanes(_mm512_abs_epi64(digit)),
            negative: _mm512_cmplt_epi64_mask(digit, _mm512_setzero_si512()),
        }
    }
}

/// Adds every row to a bucket of every lane.
#[target_feature(enable = "avx512f,avx512ifma")]
fn accumulate(rows: &[Row], lookup: &Lookup, buckets: &mut [Packed]) {
    let [l0, l1, l2, l3, l4, l5, l6, l7] = lanes_of(buckets);
    let Some(first) = rows.first() else { return };
    let mut digits = lookup.digits(first);
    for (i, row) in rows.iter().enumerate() {
        // What the next step needs is fetched while this one computes.
        let next = lookup.digits(rows.get(i + 1).unwrap_or(row));
        for (lane, bucket) in [&l0, &l1, &l2, &l3, &l4, &l5, &l6, &l7]
            .into_iter()
            .zip(next.buckets)
        {
            prefetch(&lane[bucket as usize]);
        }
        let mut at = [0; 8];
        for (at, bucket) in at.iter_mut().zip(digits.buckets) {
            *at = bucket as usize;
        }
        let from = [
            &l0[at[0]], &l1[at[1]], &l2[at[2]], &l3[at[3]], &l4[at[4]], &l5[at[5]], &l6[at[6]],
            &l7[at[7]],
        ];
        let sum = Points::unpack(from).add_addends(&broadcast(row, digits.negative));
        sum.pack([
            &mut l0[at[0]],
            &mut l1[at[1]],
            &mut l2[at[2]],
            &mut l3[at[3]],
            &mut l4[at[4]],
            &mut l5[at[5]],
            &mut l6[at[6]],
            &mut l7[at[7]],
        ]);
        digits = next;
    }
}

/// The buckets of each lane.
fn lanes_of(buckets: &mut [Packed]) -> [&mut [Packed]; 8] {
    let lane = buckets.len() / 8;
    let mut chunks = buckets.chunks_exact_mut(lane);
    core::array::from_fn(|_| chunks.next().unwrap_or_default())
}

/// The row's point in every lane, negated in some.
#[inline]
#[target_feature(enable = "avx512f")]
fn broadcast(row: &Row, negative: __mmask8) -> Addends {
    let signed = |at: usize| {
        let mut limbs = [_mm512_setzero_si512(); 5];
        for (i, limb) in limbs.iter_mut().enumerate() {
            let plus = _mm512_set1_epi64(row.0[at + i] as i64);
            *limb = _mm512_mask_set1_epi64(plus, negative, row.0[NEGATED + at + i] as i64);
        }
        Base::from_limbs(limbs)
    };
    let mut y = [_mm512_setzero_si512(); 5];
    for (i, y) in y.iter_mut().enumerate() {
        *y = _mm512_set1_epi64(row.0[Y + i] as i64);
    }
    Addends {
        x: signed(0),
        y: Base::from_limbs(y),
        sum: signed(5),
        dt: signed(10),
    }
}

/// Σ j·bucket_j of every lane: the sum of all sums from the last bucket down.
#[target_feature(enable = "avx512f,avx512ifma")]
fn reduce(buckets: &[Packed]) -> [Extended; 8] {
    let lane = buckets.len() / 8;
    let mut running = Points::identity();
    let mut sum = Points::identity();
    for j in (1..lane).rev() {
        let from = core::array::from_fn(|i| &buckets[i * lane + j]);
        running = running.add(&Points::unpack(from));
        sum = sum.add(&running);
    }
    sum.store()
}
