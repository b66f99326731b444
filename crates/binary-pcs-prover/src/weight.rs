//! The weight of the statement as a prover needs it: never as an element for every word.

use p3_field::{PackedValue, PrimeCharacteristicRing};
use prova_binary_pcs::poly::vertex_weight;
use rayon::prelude::*;

use crate::lanes::{LANES, LOG_LANES, Lanes};
use crate::matrix::LaneMatrix;
use crate::vector::{self, PackedE, PackedK, WIDTH};
use crate::{E, K};

/// A linear form on the committed words, as `w_l(j)` over 64 lanes `l` of `2^m` rows `j`.
///
/// It is asked twice: once for everything that the rounds over the lanes need, and once for what is
/// left of it after them, which is a 64th of its size.
pub trait WeightSource: Sync {
    /// Adds `sum_j f_l(j) w_{l'}(j)` to every entry `[l][l']`.
    fn contract(&self, lanes: &Lanes<'_>, matrix: &mut LaneMatrix);

    /// Adds `sum_l eq(folds, l) w_l(j)` to entry `j` of `weight`, which has `2^m` entries.
    fn fold(&self, folds: &[E; LOG_LANES], weight: &mut [E]);
}

impl<S: WeightSource + ?Sized> WeightSource for &S {
    fn contract(&self, lanes: &Lanes<'_>, matrix: &mut LaneMatrix) {
        (**self).contract(lanes, matrix);
    }

    fn fold(&self, folds: &[E; LOG_LANES], weight: &mut [E]) {
        (**self).fold(folds, weight);
    }
}

/// The sum of several forms.
impl WeightSource for [&dyn WeightSource] {
    fn contract(&self, lanes: &Lanes<'_>, matrix: &mut LaneMatrix) {
        self.iter()
            .for_each(|source| source.contract(lanes, matrix));
    }

    fn fold(&self, folds: &[E; LOG_LANES], weight: &mut [E]) {
        self.iter().for_each(|source| source.fold(folds, weight));
    }
}

/// Rows that one task contracts.
const CHUNK: usize = 1 << 10;

/// A sum of scaled evaluations at points: `u -> sum_i scale_i eq(point_i, u)`.
///
/// Claims whose points agree on the variables inside their columns share one table of equality
/// weights and one pass over the words.
#[derive(Clone, Debug, Default)]
pub struct PointWeights {
    groups: Vec<Group>,
}

/// Claims that differ only in where in a lane their column starts, in lane, and in scale.
#[derive(Clone, Debug)]
struct Group {
    /// Row variables below `inner`, all fixed to bits.
    skip: usize,
    /// Coordinates of the row variables that are not fixed; above them all are bits again.
    inner: Vec<E>,
    items: Vec<Item>,
}

#[derive(Clone, Debug)]
struct Item {
    /// First row of the column.
    start: usize,
    /// Coordinates of the lane variables.
    lane: [E; LOG_LANES],
    scale: E,
}

impl PointWeights {
    /// The form of `claims`: points of all variables, lowest first, with their scales.
    ///
    /// # Panics
    /// If a point has fewer than six coordinates.
    #[must_use]
    pub fn new<'a>(claims: impl IntoIterator<Item = (&'a [E], E)>) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for (point, scale) in claims {
            let (rows, lane) = point
                .split_last_chunk::<LOG_LANES>()
                .expect("a point of at least six coordinates");
            let is_bit = |c: &E| *c == E::ZERO || *c == E::ONE;
            let end = rows
                .iter()
                .rposition(|c| !is_bit(c))
                .map_or(0, |last| last + 1);
            let skip = rows[..end].iter().position(|c| !is_bit(c)).unwrap_or(0);
            let inner = &rows[skip..end];
            let start = rows.iter().enumerate().fold(0, |start, (bit, &c)| {
                let fixed = bit < skip || bit >= end;
                start | usize::from(fixed && c == E::ONE) << bit
            });
            let item = Item {
                start,
                lane: *lane,
                scale,
            };
            match groups
                .iter_mut()
                .find(|group| group.skip == skip && group.inner == inner)
            {
                Some(group) => group.items.push(item),
                None => groups.push(Group {
                    skip,
                    inner: inner.to_vec(),
                    items: vec![item],
                }),
            }
        }
        Self { groups }
    }
}

impl WeightSource for PointWeights {
    fn contract(&self, lanes: &Lanes<'_>, matrix: &mut LaneMatrix) {
        self.groups
            .iter()
            .for_each(|group| group.contract(lanes, matrix));
    }

    fn fold(&self, folds: &[E; LOG_LANES], weight: &mut [E]) {
        self.groups
            .iter()
            .for_each(|group| group.fold(folds, weight));
    }
}

impl Group {
    /// The different first rows, ascending.
    fn starts(&self) -> Vec<usize> {
        let mut starts: Vec<usize> = self.items.iter().map(|item| item.start).collect();
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    fn contract(&self, lanes: &Lanes<'_>, matrix: &mut LaneMatrix) {
        let starts = self.starts();
        let eq = vector::eq_table(&self.inner, E::ONE);
        let sums = (0..eq.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let from = chunk * CHUNK;
                let eq = &eq[from..(from + CHUNK).min(eq.len())];
                if self.skip == 0 {
                    dense_sums(lanes, &starts, from, eq)
                } else {
                    strided_sums(lanes, &starts, from, self.skip, eq)
                }
            })
            .reduce_with(|mut a, b| {
                a.iter_mut().zip(&b).for_each(|(a, &b)| *a += b);
                a
            })
            .unwrap_or_default();
        for item in &self.items {
            let index = starts.partition_point(|&start| start < item.start);
            let weights = vector::eq_table(&item.lane, item.scale);
            let present = weights
                .iter()
                .enumerate()
                .filter(|(_, weight)| **weight != E::ZERO);
            for (weight_lane, &weight) in present {
                for lane in 0..lanes.count() {
                    matrix.add(
                        lane,
                        weight_lane,
                        weight * sums[lane * starts.len() + index],
                    );
                }
            }
        }
    }

    fn fold(&self, folds: &[E; LOG_LANES], weight: &mut [E]) {
        let eq = vector::eq_table(&self.inner, E::ONE);
        for start in self.starts() {
            let items = self.items.iter().filter(|item| item.start == start);
            let scale = items
                .map(|item| item.scale * prova_binary_pcs::poly::eq(&item.lane, folds))
                .sum();
            if self.skip == 0 {
                vector::add_scaled(&mut weight[start..start + eq.len()], &eq, scale);
            } else {
                let entries = weight[start..].iter_mut().step_by(1 << self.skip);
                entries
                    .zip(&eq)
                    .for_each(|(entry, &eq)| *entry += eq * scale);
            }
        }
    }
}

/// For every lane and start `s`: `sum_x eq[x] f_lane(s + from + x)`.
fn dense_sums(lanes: &Lanes<'_>, starts: &[usize], from: usize, eq: &[E]) -> Vec<E> {
    let packed: Vec<PackedE> = eq.chunks_exact(WIDTH).map(vector::load).collect();
    let places = (0..lanes.count()).flat_map(|lane| starts.iter().map(move |s| (lane, s + from)));
    places
        .map(|(lane, at)| {
            let words = lanes.part(lane, at, at + eq.len());
            let (whole, rest) = PackedK::pack_slice_with_suffix(words);
            let tail = eq[words.len() - rest.len()..].iter().zip(rest);
            let sum = vector::sum_lanes(vector::mixed_dot(&packed[..whole.len()], whole));
            tail.fold(sum, |sum, (&eq, &word)| sum + eq * word)
        })
        .collect()
}

/// For every lane and start `s`: `sum_x eq[x] f_lane(s + (from + x) 2^skip)`.
fn strided_sums(lanes: &Lanes<'_>, starts: &[usize], from: usize, skip: usize, eq: &[E]) -> Vec<E> {
    let mut sums = E::zero_vec(lanes.count() * starts.len());
    for (lane, sums) in sums.chunks_exact_mut(starts.len()).enumerate() {
        let words = lanes.part(lane, 0, 1 << lanes.log_rows());
        for (x, &eq) in (from..).zip(eq) {
            for (sum, start) in sums.iter_mut().zip(starts) {
                if let Some(&word) = words.get(start + (x << skip)) {
                    *sum += eq * word;
                }
            }
        }
    }
    sums
}

/// An arbitrary form, given by a function of the word's number.
///
/// Contracting it takes 64 products a word, so it is for forms without structure, and for tests.
pub struct DenseWeight<F>(
    /// The weight of a word.
    pub F,
);

impl<F: Fn(usize) -> E + Sync> WeightSource for DenseWeight<F> {
    fn contract(&self, lanes: &Lanes<'_>, matrix: &mut LaneMatrix) {
        let log_rows = lanes.log_rows();
        let entries: Vec<E> = (0..LANES * lanes.count())
            .into_par_iter()
            .map(|i| {
                let (lane, weight_lane) = (i / LANES, i % LANES);
                let words: &[K] = lanes.part(lane, 0, 1 << log_rows);
                let weights = (weight_lane << log_rows..).map(&self.0);
                words
                    .iter()
                    .zip(weights)
                    .map(|(&word, weight)| weight * word)
                    .sum()
            })
            .collect();
        for (i, entry) in entries.into_iter().enumerate() {
            matrix.add(i / LANES, i % LANES, entry);
        }
    }

    fn fold(&self, folds: &[E; LOG_LANES], weight: &mut [E]) {
        let rows = weight.len();
        let scales: Vec<E> = (0..64).map(|lane| vertex_weight(lane, folds)).collect();
        weight.par_iter_mut().enumerate().for_each(|(j, weight)| {
            let lanes = scales.iter().enumerate();
            *weight += lanes
                .map(|(l, &scale)| scale * (self.0)(l * rows + j))
                .sum::<E>();
        });
    }
}
