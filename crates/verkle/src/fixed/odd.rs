//! Odd multiples of a few points that several sums are taken over: Straus's method with the
//! endomorphism and non-adjacent forms, over points of Z = 1.

use alloc::vec;
use alloc::vec::Vec;

use crate::arm::Arm;
use crate::curve::{Extended, glv};
use crate::field::Fr;
use crate::msm::straus::{DIGITS, MULTIPLES, non_adjacent_form, odd_multiples};

use super::{Entry, Job, NEGATIVE, sum_of_entries, write_entries};

/// Odd multiples of points and of their images under the endomorphism.
pub(crate) struct OddMultiples {
    arm: Arm,
    /// By point, the point itself or its image, and multiple.
    entries: Vec<Entry>,
}

impl OddMultiples {
    /// Of an arm without lanes.
    pub(crate) fn new(arm: Arm, points: &[Extended]) -> Self {
        let multiples: Vec<Extended> = points
            .iter()
            .flat_map(|point| [*point, point.endomorphism()])
            .flat_map(|point| odd_multiples(&point))
            .collect();
        let mut entries = vec![Entry([[0; 4]; 3]); multiples.len()];
        write_entries(&multiples, &mut entries);
        Self { arm, entries }
    }

    /// Σ scalar·point.
    pub(crate) fn sum(&self, terms: &[(usize, Fr)]) -> Extended {
        let mut places: Vec<Vec<Job>> = (0..DIGITS)
            .map(|_| Vec::with_capacity(terms.len()))
            .collect();
        for (point, scalar) in terms {
            for (image, half) in glv::split(*scalar).into_iter().enumerate() {
                let first = (2 * point + image) * MULTIPLES;
                let digits = non_adjacent_form(half.magnitude);
                for (place, digit) in places.iter_mut().zip(digits) {
                    if digit != 0 {
                        let entry = first + usize::from(digit.unsigned_abs() / 2);
                        let negative = (digit < 0) != half.negative;
                        place.push(entry as Job | if negative { NEGATIVE } else { 0 });
                    }
                }
            }
        }
        sum_of_entries(self.arm, 1, &self.entries, &places)
    }
}
