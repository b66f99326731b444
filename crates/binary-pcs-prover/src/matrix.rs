//! The rounds that fold the lanes of the first oracle.
//!
//! The claim is `sum_{l,j} f_l(j) w_l(j)` over lanes `l` and rows `j`, and the first six rounds fold
//! `l` in both factors. All they need of the rows is the bilinear form
//! `M[l][l'] = sum_j f_l(j) w_{l'}(j)`: 64 times 64 elements, from one pass over the words, in place
//! of six passes over a weight for every word.

use p3_field::PrimeCharacteristicRing;

use crate::E;
use crate::lanes::{LANES, LOG_LANES};

/// `M[l][l'] = sum_j f_l(j) w_{l'}(j)`, row-major in `l`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneMatrix {
    entries: Vec<E>,
}

impl Default for LaneMatrix {
    fn default() -> Self {
        Self {
            entries: E::zero_vec(LANES * LANES),
        }
    }
}

impl LaneMatrix {
    /// Adds to an entry.
    pub fn add(&mut self, lane: usize, weight_lane: usize, value: E) {
        self.entries[lane * LANES + weight_lane] += value;
    }

    /// The claim: the trace.
    pub fn claim(&self) -> E {
        self.entries.iter().step_by(LANES + 1).copied().sum()
    }
}

/// The product of two multilinear polynomials on `{0, 1, infinity}^n`, summed over everything else:
/// digit 0 of the index in base three is the next variable to fold.
#[derive(Clone, Debug)]
pub(crate) struct TernaryGrid {
    values: Vec<E>,
    /// Whether an index has no digit 2, for indices of one digit less than `values`.
    boolean: Vec<bool>,
}

impl TernaryGrid {
    /// The grid of the six lane variables, lowest first.
    pub(crate) fn new(matrix: &LaneMatrix) -> Self {
        let mut values = Vec::with_capacity(3_usize.pow(6));
        extend(&matrix.entries, LANES, &mut values);
        let boolean = (0..values.len() / 3).map(is_boolean).collect();
        debug_assert_eq!(values.len(), 3_usize.pow(LOG_LANES as u32));
        Self { values, boolean }
    }

    /// `c0, c2` of the next round polynomial.
    pub(crate) fn round(&self) -> [E; 2] {
        let lines = self.values.chunks_exact(3).zip(&self.boolean);
        lines
            .filter(|&(_, &boolean)| boolean)
            .fold([E::ZERO; 2], |[c0, c2], (line, _)| {
                [c0 + line[0], c2 + line[2]]
            })
    }

    /// Binds the next variable.
    pub(crate) fn fold(&mut self, r: E) {
        self.values = self
            .values
            .chunks_exact(3)
            .map(|line| {
                let linear = line[0] + line[1] + line[2];
                line[0] + r * (linear + r * line[2])
            })
            .collect();
        self.boolean.truncate(self.values.len() / 3);
    }
}

fn is_boolean(mut index: usize) -> bool {
    while index > 0 {
        if index % 3 == 2 {
            return false;
        }
        index /= 3;
    }
    true
}

/// Appends the grid of a square matrix, the highest variable being the highest digit.
fn extend(matrix: &[E], side: usize, grid: &mut Vec<E>) {
    if side == 1 {
        grid.push(matrix[0]);
        return;
    }
    let half = side / 2;
    let quadrant = |row: usize, column: usize| -> Vec<E> {
        let rows = matrix.chunks_exact(side).skip(row * half).take(half);
        rows.flat_map(|entries| entries[column * half..][..half].iter().copied())
            .collect()
    };
    let parts = [
        quadrant(0, 0),
        quadrant(0, 1),
        quadrant(1, 0),
        quadrant(1, 1),
    ];
    extend(&parts[0], half, grid);
    extend(&parts[3], half, grid);
    let all: Vec<E> = (0..half * half)
        .map(|i| parts.iter().map(|part| part[i]).sum())
        .collect();
    extend(&all, half, grid);
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::vector;

    #[test]
    fn rounds_are_those_of_the_two_factors() {
        let mut rng = StdRng::seed_from_u64(1);
        let mut random = || -> Vec<E> { (0..LANES).map(|_| rng.random()).collect() };
        let (mut f, mut w) = (random(), random());
        let mut matrix = LaneMatrix::default();
        for (l, &f) in f.iter().enumerate() {
            w.iter()
                .enumerate()
                .for_each(|(k, &w)| matrix.add(l, k, f * w));
        }
        assert_eq!(matrix.claim(), vector::dot(&f, &w));
        let mut grid = TernaryGrid::new(&matrix);
        for &r in &random()[..LOG_LANES - 1] {
            assert_eq!(grid.round(), vector::round(&f, &w));
            grid.fold(r);
            (f, w) = (vector::fold(&f, r), vector::fold(&w, r));
        }
        assert_eq!(grid.round(), vector::round(&f, &w));
    }
}
