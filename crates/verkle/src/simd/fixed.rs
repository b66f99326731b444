//! Tables of multiples of the generators, for eight lanes.

use alloc::vec::Vec;

use crate::curve::{Affine, Extended};
use crate::field::{BaseModulus, Fp, Modulus, double_mod};
use crate::fixed::{Entry, Job, Layout, NEGATIVE};

use super::field::{read_words, write_words};
use super::point::{Addends, Base, Points, d, load_affine};
use super::{Ifma, prefetch};

/// The identity as these kernels store it.
pub(crate) fn identity_entry() -> Entry {
    // 2^260 modulo p.
    const ONE: [u64; 4] = double_mod(Fp::R, &BaseModulus::MODULUS, 4);
    Entry([[0; 4], ONE, [0; 4]])
}

impl Ifma {
    /// Fills the tables of up to eight generators.
    pub(crate) fn fill_tables(self, layout: &Layout, points: &[Affine], entries: &mut [Entry]) {
        // SAFETY: `self` shows that the CPU has the features.
        unsafe { fill_tables(layout, points, entries) }
    }

    /// The sum of entries, by group from the least significant on; the last entry must be the
    /// identity.
    pub(crate) fn sum_entries(
        self,
        width: u32,
        entries: &[Entry],
        groups: &[Vec<Job>],
    ) -> Extended {
        // SAFETY: `self` shows that the CPU has the features.
        unsafe { sum_entries(width, entries, groups) }
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn fill_tables(layout: &Layout, points: &[Affine], entries: &mut [Entry]) {
    let (x, y) = load_affine(core::array::from_fn(|i| {
        points.get(i).unwrap_or(&Affine::IDENTITY)
    }));
    let mut base = Points::from_affine(x, y);
    let half = layout.windows.half();
    let mut multiples = Vec::with_capacity(half);
    for table in 0..layout.tables {
        let mut multiple = base;
        let mut product = Base::one();
        multiples.clear();
        for _ in 0..half {
            // With the product of all Z before.
            multiples.push((multiple.x, multiple.y, multiple.z, product));
            product = product.mul(multiple.z);
            multiple = multiple.add(&base);
        }
        let mut inverse = product.invert();
        for (j, (x, y, z, before)) in multiples.iter().enumerate().rev() {
            let own = inverse.mul(*before);
            inverse = inverse.mul(*z);
            let (x, y) = (x.mul(own), y.mul(own));
            let dt = x.mul(y).mul(d());
            let mut eight = [Entry([[0; 4]; 3]); 8];
            for (k, words) in [x, y, dt].map(|c| c.to_words()).into_iter().enumerate() {
                write_words(words, eight.each_mut().map(|entry| &mut entry.0[k]));
            }
            let at = table * half + j;
            for (to, entry) in entries.chunks_mut(layout.stride()).zip(eight) {
                to[at] = entry;
            }
        }
        for _ in 0..layout.windows.width as usize * layout.groups {
            base = base.double();
        }
    }
}

/// How many vectors ahead entries are fetched.
const AHEAD: usize = 3;

#[target_feature(enable = "avx512f,avx512ifma")]
fn sum_entries(width: u32, entries: &[Entry], groups: &[Vec<Job>]) -> Extended {
    let mut sum = Points::identity();
    for (i, jobs) in groups.iter().enumerate().rev() {
        for job in jobs.iter().take(8 * AHEAD) {
            prefetch(&entries[(job & !NEGATIVE) as usize]);
        }
        let (vectors, rest) = jobs.as_chunks::<8>();
        for (j, vector) in vectors.iter().enumerate() {
            let next = jobs.get(8 * (j + AHEAD)..).unwrap_or_default();
            for job in next.iter().take(8) {
                prefetch(&entries[(job & !NEGATIVE) as usize]);
            }
            sum = sum.add_addends(&gather(entries, vector));
        }
        if !rest.is_empty() {
            let mut vector = [entries.len() as Job - 1; 8];
            vector[..rest.len()].copy_from_slice(rest);
            sum = sum.add_addends(&gather(entries, &vector));
        }
        if i > 0 {
            for _ in 0..width {
                sum = sum.double();
            }
        }
    }
    sum.sum_of_lanes()
}

/// Eight entries, some of them negated.
#[inline]
#[target_feature(enable = "avx512f")]
fn gather(entries: &[Entry], jobs: &[Job; 8]) -> Addends {
    let mut negative = 0;
    for (i, job) in jobs.iter().enumerate() {
        negative |= u8::from(job & NEGATIVE != 0) << i;
    }
    let from: [&Entry; 8] = core::array::from_fn(|i| &entries[(jobs[i] & !NEGATIVE) as usize]);
    let words = |k: usize| Base::from_words(read_words(from.map(|entry| &entry.0[k])));
    Addends::new(words(0), words(1), words(2)).neg_where(negative)
}
