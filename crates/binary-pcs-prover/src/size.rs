//! Sizes of proofs.
//!
//! Two things make those of profile `v1` smaller than those of `v0`: more grinding
//! ([`Target::v1`](prova_binary_pcs::params::Target::v1)) and no counts: a reader derives how many
//! scalars, rows, words and siblings there are.

use prova_binary_pcs::field::E_BYTES;
use prova_binary_pcs::merkle::DIGEST_BYTES;
use prova_binary_pcs::params::{FIRST_FOLD, LATER_FOLD, Schedule};

/// Bytes of a count in the framing of `v0`.
const COUNT_BYTES: f64 = 8.0;

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
