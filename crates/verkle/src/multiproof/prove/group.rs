//! The polynomials opened at each point, added up with the powers of r as weights.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::arm::Arm;
use crate::field::{Fr, Modulus, ScalarModulus};
use crate::lagrange::{DOMAIN, Vector};

use super::parallel::for_each_chunk;
use super::sum::{Wides, weighted_sum};
use super::{Opening, Polynomial, ProveError};

/// Openings of one point that are added in one go. Most openings of a tree are at 0, 1 and 2, so
/// that points alone would share the work badly.
const CHUNK: usize = 448;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
const _: () = assert!(CHUNK <= crate::simd::mac::LIMIT);

/// A sum of polynomials that are opened at one point.
pub(super) struct Group {
    pub point: u8,
    pub sum: [Fr; DOMAIN],
}

struct Chunk {
    /// Of the openings sorted by point.
    range: Range<usize>,
    /// Opening and position of the first value that is not canonical.
    bad: Option<(usize, usize)>,
    group: Group,
}

/// Σ r^i·f_i over the openings of each point that is opened, by ascending points.
pub(super) fn gather(arm: Arm, openings: &[Opening<'_>], r: Fr) -> Result<Vec<Group>, ProveError> {
    let (order, mut chunks) = sort(openings);
    let powers = Powers::new(r, openings.len());
    for_each_chunk(&mut chunks, 1, |_, chunks| {
        for chunk in chunks {
            let order = &order[chunk.range.clone()];
            chunk.bad = add_chunk(arm, openings, order, &powers, &mut chunk.group.sum);
        }
    });
    if let Some((opening, position)) = chunks.iter().filter_map(|chunk| chunk.bad).min() {
        return Err(ProveError::NotCanonical { opening, position });
    }
    chunks.dedup_by(|next, first| {
        let same = next.group.point == first.group.point;
        if same {
            add(&mut first.group.sum, &next.group.sum);
        }
        same
    });
    Ok(chunks.into_iter().map(|chunk| chunk.group).collect())
}

/// Adds a vector to another.
pub(super) fn add(sum: &mut [Fr; DOMAIN], values: &[Fr; DOMAIN]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += *value;
    }
}

/// The indices of the openings, sorted by point and in order within one, and where to cut them.
fn sort(openings: &[Opening<'_>]) -> (Vec<usize>, Vec<Chunk>) {
    let mut ends = [0; DOMAIN];
    for opening in openings {
        ends[usize::from(opening.point)] += 1;
    }
    let pieces: usize = ends.iter().map(|count: &usize| count.div_ceil(CHUNK)).sum();
    let mut chunks = Vec::with_capacity(pieces);
    let mut start = 0;
    for (point, end) in (0..=u8::MAX).zip(&mut ends) {
        let count = *end;
        let pieces = count.div_ceil(CHUNK);
        let cut = |piece: usize| start + count * piece / pieces;
        chunks.extend((0..pieces).map(|piece| Chunk {
            range: cut(piece)..cut(piece + 1),
            bad: None,
            group: Group {
                point,
                sum: [Fr::ZERO; DOMAIN],
            },
        }));
        // Where the point's next opening goes.
        *end = start;
        start += count;
    }
    let mut order = vec![0; openings.len()];
    for (index, opening) in openings.iter().enumerate() {
        let place = &mut ends[usize::from(opening.point)];
        order[*place] = index;
        *place += 1;
    }
    (order, chunks)
}

/// Adds up the openings of `order`, which are of one point; `bad` as in [`Chunk`].
fn add_chunk(
    arm: Arm,
    openings: &[Opening<'_>],
    order: &[usize],
    powers: &Powers,
    sum: &mut [Fr; DOMAIN],
) -> Option<(usize, usize)> {
    let mut bad = None;
    let mut sparse: Option<Wides> = None;
    let dense = order.iter().filter_map(|&index| {
        let power = powers.get(index);
        match openings[index].polynomial {
            Polynomial::Dense(values) => Some((power, Vector::Scalars(values))),
            Polynomial::Bytes(bytes) => {
                if bad.is_none() {
                    bad = not_canonical(bytes).map(|position| (index, position));
                }
                Some((power, Vector::Bytes(bytes)))
            }
            Polynomial::Sparse(pairs) => {
                let sums = sparse.get_or_insert_default();
                for (position, value) in pairs {
                    sums.add(*position, power, *value);
                }
                None
            }
        }
    });
    weighted_sum(arm, dense, sum);
    if let Some(sparse) = sparse {
        sparse.add_to(sum);
    }
    bad
}

/// Position of the first value that is not below the modulus.
fn not_canonical(bytes: &[u8; 32 * DOMAIN]) -> Option<usize> {
    let (words, _) = bytes.as_chunks::<32>();
    let [.., top] = ScalarModulus::MODULUS;
    // Below the highest limb of the modulus settles it for nearly every value.
    let mut suspicious = false;
    for word in words {
        let [.., a, b, c, d, e, f, g, h] = *word;
        suspicious |= u64::from_le_bytes([a, b, c, d, e, f, g, h]) >= top;
    }
    if !suspicious {
        return None;
    }
    words
        .iter()
        .position(|word| Fr::from_le_bytes(word).is_none())
}

/// All powers of r, as products of two.
struct Powers {
    /// r^i
    low: Vec<Fr>,
    /// r^(512·i)
    high: Vec<Fr>,
}

impl Powers {
    const LOW: usize = 512;

    fn new(r: Fr, count: usize) -> Self {
        let sequence = |factor: Fr, count: usize| -> Vec<Fr> {
            core::iter::successors(Some(Fr::ONE), |power| Some(*power * factor))
                .take(count)
                .collect()
        };
        Self {
            low: sequence(r, count.min(Self::LOW)),
            high: sequence(r.pow(&[Self::LOW as u64]), count.div_ceil(Self::LOW)),
        }
    }

    fn get(&self, index: usize) -> Fr {
        self.low[index % Self::LOW] * self.high[index / Self::LOW]
    }
}
