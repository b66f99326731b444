//! Tables of multiples of the generators.
//!
//! A scalar is cut into signed windows, window w = t·groups + g. For each generator G and each t
//! there is a table of j·2^(width·groups·t)·G, j from 1 to half the range of a digit. A sum over
//! many scalars adds one entry a window; entries of the same g are summed together, and doublings
//! between the groups are shared by all scalars.

#[cfg(feature = "prove")]
mod odd;

use alloc::vec;
use alloc::vec::Vec;

use crate::arm::Arm;
use crate::curve::{Addend, Affine, Extended, Multiply, Plain};
use crate::field::{Fp, Fr, batch_invert};
use crate::msm::digits::{MAGNITUDE_BITS, Windows, magnitude};
use crate::msm::spread;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
use crate::simd::prefetch;
#[cfg(feature = "prove")]
pub(crate) use odd::OddMultiples;

/// How many additions ahead entries are fetched.
const AHEAD: usize = 4;

/// Most bytes of all tables.
const BUDGET: usize = 40 << 20;

/// x, y and d·x·y: in the Montgomery form of [`Fp`], or of the kernels with eight lanes.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Entry(pub(crate) [[u64; 4]; 3]);

/// Where entries are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub windows: Windows,
    /// Windows that share one table.
    pub groups: usize,
    /// Tables of a generator.
    pub tables: usize,
}

impl Layout {
    fn new(width: u32, generators: usize) -> Self {
        let windows = Windows::new(width, MAGNITUDE_BITS);
        let count = windows.count as usize;
        let table = generators * windows.half() * size_of::<Entry>();
        let groups = count.div_ceil((BUDGET / table.max(1)).clamp(1, count));
        Self {
            windows,
            groups,
            tables: count.div_ceil(groups),
        }
    }

    /// Entries of one generator.
    pub(crate) fn stride(&self) -> usize {
        self.tables * self.windows.half()
    }
}

/// Which entry to add; the highest bit says that its negative is to be added.
pub(crate) type Job = u32;
pub(crate) const NEGATIVE: Job = 1 << 31;

/// The entries that make up a sum, by group.
pub(crate) struct Jobs {
    layout: Layout,
    groups: Vec<Vec<Job>>,
}

impl Jobs {
    /// Adds a multiple of a generator to the sum.
    fn push(&mut self, generator: usize, scalar: Fr) {
        let layout = &self.layout;
        let (magnitude, negative) = magnitude(scalar);
        let recoded = layout.windows.recode(&magnitude);
        let mut table = generator * layout.stride();
        let mut window = 0;
        for _ in 0..layout.tables {
            for group in &mut self.groups {
                if window == layout.windows.count {
                    return;
                }
                let digit = layout.windows.digit(&recoded, window);
                window += 1;
                if digit != 0 {
                    let entry = table + digit.unsigned_abs() as usize - 1;
                    let sign = if (digit < 0) == negative { 0 } else { NEGATIVE };
                    group.push(entry as Job | sign);
                }
            }
            table += layout.windows.half();
        }
    }
}

/// Tables for all generators and Q.
pub(crate) struct FixedBase {
    arm: Arm,
    layout: Layout,
    /// By generator, table and multiple; then one that is the identity.
    entries: Vec<Entry>,
}

impl FixedBase {
    /// Computes the tables, over the current rayon pool if `share` and with the feature `parallel`.
    pub(crate) fn new(arm: Arm, width: u32, points: &[Affine], share: bool) -> Self {
        let layout = Layout::new(width, points.len());
        let stride = layout.stride();
        let mut entries = vec![Entry([[0; 4]; 3]); points.len() * stride + 1];
        let (tables, identity) = entries.split_at_mut(points.len() * stride);
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        if let Some(ifma) = crate::simd::Ifma::new(arm) {
            let mut shares: Vec<_> = points
                .chunks(8)
                .zip(tables.chunks_mut(8 * stride))
                .collect();
            spread::for_each(share, &mut shares, |(points, entries)| {
                ifma.fill_tables(&layout, points, entries);
            });
            identity[0] = crate::simd::fixed::identity_entry();
            return Self {
                arm,
                layout,
                entries,
            };
        }
        let mut shares: Vec<_> = points.iter().zip(tables.chunks_mut(stride)).collect();
        spread::for_each(share, &mut shares, |(point, entries)| {
            fill(&layout, point, entries);
        });
        identity[0] = entry(&Affine::IDENTITY.addend());
        Self {
            arm,
            layout,
            entries,
        }
    }

    /// Bytes of the tables.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.entries.as_slice())
    }

    /// Σ scalar·generator, over the current rayon pool with the feature `parallel`.
    pub(crate) fn sum(&self, terms: &[(usize, Fr)]) -> Extended {
        // So many terms that a thread's own doublings are few beside its additions.
        const SHARE: usize = 64;
        let parts = spread::threads().min(terms.len() / SHARE).max(1);
        let parts: Vec<_> = terms.chunks(terms.len().div_ceil(parts).max(1)).collect();
        spread::map(&parts, |terms| self.evaluate(&self.jobs(terms)))
            .into_iter()
            .reduce(|a, b| a + b)
            .unwrap_or(Extended::IDENTITY)
    }

    fn jobs(&self, terms: &[(usize, Fr)]) -> Jobs {
        // Not `vec!` of one of them: clones have no room.
        let group = |_| Vec::with_capacity(terms.len() * self.layout.tables);
        let mut jobs = Jobs {
            layout: self.layout,
            groups: (0..self.layout.groups).map(group).collect(),
        };
        for (generator, scalar) in terms {
            jobs.push(*generator, *scalar);
        }
        jobs
    }

    fn evaluate(&self, jobs: &Jobs) -> Extended {
        let width = self.layout.windows.width;
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        if let Some(ifma) = crate::simd::Ifma::new(self.arm) {
            return ifma.sum_entries(width, &self.entries, &jobs.groups);
        }
        sum_of_entries(self.arm, width, &self.entries, &jobs.groups)
    }
}

/// The sum of entries, by group from the least significant on, without lanes. Each group counts
/// 2^`width` times as much as the one before.
fn sum_of_entries(arm: Arm, width: u32, entries: &[Entry], groups: &[Vec<Job>]) -> Extended {
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    if let Some(adx) = crate::simd::adx::Adx::new(arm) {
        return sum_by(adx, width, entries, groups);
    }
    let _ = arm;
    sum_by(Plain, width, entries, groups)
}

fn sum_by<M: Multiply>(m: M, width: u32, entries: &[Entry], groups: &[Vec<Job>]) -> Extended {
    let mut sum = Extended::IDENTITY;
    for (i, group) in groups.iter().enumerate().rev() {
        let ahead = group
            .iter()
            .skip(AHEAD)
            .map(Some)
            .chain(core::iter::repeat(None));
        for (job, next) in group.iter().zip(ahead) {
            if let Some(next) = next {
                prefetch(&entries[(next & !NEGATIVE) as usize]);
            }
            let [x, y, dt] = entries[(job & !NEGATIVE) as usize].0.map(Fp::from_mont);
            sum = sum.add_signed(m, &Addend { x, y, dt }, job & NEGATIVE != 0);
        }
        if i > 0 {
            sum = (0..width).fold(sum, |sum, _| sum.double());
        }
    }
    sum
}

/// Nothing, where there is no instruction for it.
#[cfg(not(all(feature = "simd", target_arch = "x86_64")))]
fn prefetch(_: &Entry) {}

fn entry(addend: &Addend) -> Entry {
    Entry([addend.x.0, addend.y.0, addend.dt.0])
}

/// Fills the tables of one generator.
fn fill(layout: &Layout, point: &Affine, entries: &mut [Entry]) {
    let mut multiples = Vec::with_capacity(entries.len());
    let mut base = point.extended();
    for _ in 0..layout.tables {
        let mut multiple = base;
        for _ in 0..layout.windows.half() {
            multiples.push(multiple);
            multiple += base;
        }
        for _ in 0..layout.windows.width as usize * layout.groups {
            base = base.double();
        }
    }
    write_entries(&multiples, entries);
}

/// Writes the entries of points.
fn write_entries(points: &[Extended], entries: &mut [Entry]) {
    let mut inverses: Vec<Fp> = points.iter().map(|point| point.z).collect();
    batch_invert(&mut inverses);
    for ((to, point), inverse) in entries.iter_mut().zip(points).zip(inverses) {
        let point = Affine {
            x: point.x * inverse,
            y: point.y * inverse,
        };
        *to = entry(&point.addend());
    }
}

#[cfg(test)]
mod tests;
