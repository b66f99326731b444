//! Which windows to take where eight are done at a time, and how threads share the work.

use alloc::vec::Vec;

use crate::curve::glv::HALF_BITS;
use crate::curve::{Affine, Extended};
use crate::field::Fr;
use crate::simd::Ifma;

use super::digits::{SCALAR_BITS, Windows};
use super::spread::{map, threads};

/// The fewest points that fill the lanes to advantage.
pub(super) const MIN: usize = 4;

/// Points a thread takes at least when they are shared out.
const SHARE: usize = 4096;

/// The most parts that points are shared out in. Each has buckets and rows of its own, which would
/// take more memory than the points do where there are many threads; and the windows of a part are
/// shared out too.
const PARTS: usize = 8;

/// How a product is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Bits of a window.
    pub width: u32,
    /// Whether scalars are split by the endomorphism.
    pub glv: bool,
}

impl Plan {
    pub(crate) const fn windows(&self) -> Windows {
        Windows::new(self.width, if self.glv { HALF_BITS } else { SCALAR_BITS })
    }

    /// The cheapest for so many points. Only windows that fill the lanes are worth while, and
    /// buckets that fit in a core's cache.
    pub(super) fn cheapest(points: usize) -> Self {
        let plan = |width, glv| Self { width, glv };
        let plans = [
            plan(4, true),
            plan(6, true),
            plan(8, true),
            plan(8, false),
            plan(11, false),
        ];
        let cost = |plan: &Self| {
            let windows = plan.windows();
            let additions = if plan.glv { 2 * points } else { points };
            // Two additions a bucket, each with two more products than a mixed one.
            let reduction = 5 * windows.half() / 2;
            windows.count.div_ceil(8) as usize * (additions + reduction)
        };
        plans.into_iter().min_by_key(cost).unwrap_or(plan(8, false))
    }
}

/// Σ scalars\[i\]·points\[i\], of equal lengths.
pub(super) fn pippenger(ifma: Ifma, plan: Plan, points: &[Affine], scalars: &[Fr]) -> Extended {
    // Many points are shared out; of few, all threads do some windows.
    let parts = threads().min(points.len() / SHARE).clamp(1, PARTS);
    let share = points.len().div_ceil(parts).max(1);
    let parts: Vec<_> = points.chunks(share).zip(scalars.chunks(share)).collect();
    let sums = map(&parts, |(points, scalars)| {
        ifma.window_sums(plan, points, scalars)
    });
    let total = sums.into_iter().reduce(|mut total, sums| {
        for (total, sum) in total.iter_mut().zip(sums) {
            *total += sum;
        }
        total
    });
    super::horner(plan.width, &total.unwrap_or_default())
}
