//! Proof size and work, known before any work is done.

use alloc::vec::Vec;

use p3_whir::WhirShape;
use p3_whir::transcript::SumcheckShape;

use crate::body::max_siblings;
use crate::derive::{QueryPhase, query_phases};
use crate::statement::DIGEST_BYTES;

/// Bytes of a base-field element.
const ELEMENT_BYTES: usize = 4;

/// Size of a proof body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodySize {
    /// Bytes that do not depend on the drawn indices.
    pub fixed_bytes: usize,
    /// Merkle siblings if every drawn index were expected on average.
    pub expected_siblings: f64,
    /// The most Merkle siblings any draw can need.
    pub max_siblings: usize,
}

impl BodySize {
    /// Expected body bytes.
    #[must_use]
    pub fn expected_bytes(&self) -> f64 {
        self.fixed_bytes as f64 + self.expected_siblings * DIGEST_BYTES as f64
    }

    /// Largest possible body bytes.
    #[must_use]
    pub const fn max_bytes(&self) -> usize {
        self.fixed_bytes
            .saturating_add(self.max_siblings.saturating_mul(DIGEST_BYTES))
    }
}

/// Size of the body of a run of this form over an extension of degree `degree`.
///
/// Only the number of Merkle siblings depends on the transcript: it varies with how the drawn
/// indices cluster. Everything else is exact.
#[must_use]
pub fn body_size(shape: &WhirShape, degree: usize) -> BodySize {
    let element = ELEMENT_BYTES.saturating_mul(degree);
    let sumcheck = |s: &SumcheckShape| {
        let witness = if s.pow_bits == 0 { 0 } else { ELEMENT_BYTES };
        s.rounds
            .saturating_mul(element.saturating_mul(2).saturating_add(witness))
    };
    let mut bytes: Vec<usize> = Vec::new();
    bytes.push(shape.commitment_ood_samples.saturating_mul(element));
    bytes.push(sumcheck(&shape.initial_sumcheck));
    for round in &shape.rounds {
        bytes.push(DIGEST_BYTES.saturating_add(round.ood_samples.saturating_mul(element)));
        bytes.push(sumcheck(&round.sumcheck));
    }
    bytes.push(shape.final_poly_len.saturating_mul(element));
    bytes.push(sumcheck(&shape.final_sumcheck));
    let phases = query_phases(shape);
    for (index, phase) in phases.iter().enumerate() {
        let width = if index == 0 { ELEMENT_BYTES } else { element };
        bytes.push(
            phase
                .rows
                .saturating_mul(phase.row_elements)
                .saturating_mul(width),
        );
        bytes.push(if phase.pow_bits == 0 {
            0
        } else {
            ELEMENT_BYTES
        });
        // The count of siblings.
        bytes.push(4);
    }
    BodySize {
        fixed_bytes: bytes.iter().copied().fold(0, usize::saturating_add),
        expected_siblings: phases.iter().map(expected_siblings).sum(),
        max_siblings: phases
            .iter()
            .map(max_siblings)
            .fold(0, usize::saturating_add),
    }
}

/// Expected number of siblings of `rows` independent uniform draws.
///
/// A node is sent when no draw falls under it and one falls under its sibling. With `m` nodes in
/// a level that has probability `(1 - 1/m)^q - (1 - 2/m)^q` for `q` draws.
fn expected_siblings(phase: &QueryPhase) -> f64 {
    if phase.log_height == 0 || phase.rows >= crate::derive::pow2(phase.log_height) {
        return 0.0;
    }
    let mut total = 0.0;
    for level in 1..=phase.log_height {
        let nodes = crate::derive::pow2(level) as f64;
        let (mut miss_one, mut miss_pair) = (1.0_f64, 1.0_f64);
        for _ in 0..phase.rows {
            miss_one *= 1.0 - 1.0 / nodes;
            miss_pair *= 1.0 - 2.0 / nodes;
        }
        total += nodes * (miss_one - miss_pair);
    }
    total
}
