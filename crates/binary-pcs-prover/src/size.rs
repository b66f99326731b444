//! Sizes of proofs, and the profile `v1`, whose proofs are smaller than those of `v0`.
//!
//! Two things make them smaller:
//!
//! * More grinding. A bit of grinding saves a query at about `1 / log2(1 / (sqrt(rho) + eta))` a
//!   bit, most at the first level, where a query costs most. The bits grow with the polynomial, so
//!   that grinding stays a small and constant part of the work.
//! * No counts: a reader derives how many scalars, rows, words and siblings there are.

use prova_binary_pcs::field::E_BYTES;
use prova_binary_pcs::merkle::DIGEST_BYTES;
use prova_binary_pcs::params::{FIRST_FOLD, LATER_FOLD, Schedule, Target};

/// Bytes of a count in the framing of `v0`.
const COUNT_BYTES: f64 = 8.0;

/// What the parameter search of profile `v1` aims at: 128 bits, of those of the queries
/// `variables - 4`, but 17 to 22, by grinding.
#[must_use]
pub fn target_v1(variables: usize, claims: u32) -> Target {
    let grinding_bits = match variables {
        ..=21 => 17,
        22..=25 => variables as u32 - 4,
        26.. => 22,
    };
    Target {
        grinding_bits,
        ..Target::v0(claims)
    }
}

/// How the parts of a proof are delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framing {
    /// A count in front of every list: profile `v0`.
    Counts,
    /// Nothing: all lengths are derived.
    Bare,
}

/// The expected bytes of an opening in the pruned form, its scalars included.
///
/// Expected over the queried positions: of `q` queries to `n` leaves `n (1 - (1 - 1/n)^q)` are
/// distinct, and a layer of the tree needs a sibling for each parent with one known child.
#[must_use]
pub fn expected_bytes(schedule: &Schedule, lanes: usize, framing: Framing) -> f64 {
    let mut counts = 2.0;
    let mut bytes = (E_BYTES * schedule.scalar_count()) as f64;
    for (index, level) in schedule.levels.iter().enumerate() {
        let lane_words = if index == 0 { lanes } else { 3 << LATER_FOLD };
        let known = |depth: u32| {
            let nodes = f64::from(depth).exp2();
            nodes * (1.0 - (level.queries as f64 * (-1.0 / nodes).ln_1p()).exp())
        };
        let depth = level.depth();
        let siblings: f64 = (0..depth)
            .map(|above| 2.0 * known(above) - known(above + 1))
            .sum();
        bytes += known(depth) * 8.0 * lane_words as f64 + siblings * DIGEST_BYTES as f64;
        counts += known(depth) + 2.0;
    }
    debug_assert!(lanes <= 1 << FIRST_FOLD);
    match framing {
        Framing::Counts => bytes + counts * COUNT_BYTES,
        Framing::Bare => bytes,
    }
}
