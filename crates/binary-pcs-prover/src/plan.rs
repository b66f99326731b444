//! What an opening keeps in memory, and how much that is.

use prova_binary_pcs::field::E_BYTES;
use prova_binary_pcs::merkle::DIGEST_BYTES;
use prova_binary_pcs::params::Schedule;

use crate::error::ProveError;
use crate::lanes::LOG_LANES;
use crate::oracle::COLUMN_GROUP;

/// How a prover trades time for memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// Keep the codeword of the committed words until its rows are opened. Otherwise it is hashed
    /// coset by coset, and the queried rows are encoded again.
    pub keep_first_codeword: bool,
    /// Keep the codewords of the later oracles, likewise.
    pub keep_later_codewords: bool,
}

impl Plan {
    /// The fastest plan.
    pub const FAST: Self = Self {
        keep_first_codeword: true,
        keep_later_codewords: true,
    };

    /// The plan that gives up only what costs most memory.
    pub const BALANCED: Self = Self {
        keep_first_codeword: false,
        keep_later_codewords: true,
    };

    /// The plan that needs the least memory.
    pub const LEAN: Self = Self {
        keep_first_codeword: false,
        keep_later_codewords: false,
    };

    /// All plans, the fastest first.
    pub const ALL: [Self; 3] = [Self::FAST, Self::BALANCED, Self::LEAN];

    /// The fastest plan that stays within `limit` bytes besides the committed words.
    ///
    /// # Errors
    /// [`ProveError::Memory`] when none does.
    pub fn within(limit: u64, schedule: &Schedule, lanes: usize) -> Result<Self, ProveError> {
        Self::ALL
            .into_iter()
            .find(|plan| plan.peak_bytes(schedule, lanes) <= limit)
            .ok_or_else(|| ProveError::Memory {
                need: Self::LEAN.peak_bytes(schedule, lanes),
                limit,
            })
    }

    /// The most bytes that committing to and opening `lanes` lanes hold at a time, besides the
    /// committed words and what a thread needs for itself.
    #[must_use]
    pub fn peak_bytes(self, schedule: &Schedule, lanes: usize) -> u64 {
        let first = 8 * lanes as u64 * rows(schedule);
        let committing = if self.keep_first_codeword {
            first << schedule.log_inv_rate
        } else {
            first
        };
        (0..schedule.levels.len())
            .map(|level| self.opening_bytes(schedule, lanes, level))
            .fold(tree_bytes(schedule, 0) + committing, u64::max)
    }

    /// Bytes held when a level is queried: the next oracle is there already, beside the values, the
    /// weights and the equality weights of the out-of-domain point. Query weights take two vectors,
    /// after the opened rows were made.
    fn opening_bytes(self, schedule: &Schedule, lanes: usize, level: usize) -> u64 {
        let vector = vector_bytes(schedule, level);
        let (mut making_rows, mut encoding_next) = (0, 0);
        if level == 0 && !self.keep_first_codeword {
            making_rows = 8 * COLUMN_GROUP.min(lanes) as u64 * rows(schedule);
        }
        if !self.keep_later_codewords {
            encoding_next = vector;
            if level > 0 {
                making_rows = vector_bytes(schedule, level - 1);
            }
        }
        let working = (3 * vector + making_rows.max(2 * vector)).max(2 * vector + encoding_next);
        let oracle =
            |level| self.source_bytes(schedule, lanes, level) + tree_bytes(schedule, level);
        oracle(level) + oracle(level + 1) + working
    }

    /// What an oracle keeps to open rows from; the committed words are not counted.
    fn source_bytes(self, schedule: &Schedule, lanes: usize, level: usize) -> u64 {
        let rate = schedule.levels.get(level).map(|level| level.log_inv_rate);
        match (level, rate) {
            (_, None) => 0,
            (0, _) if !self.keep_first_codeword => 0,
            (0, Some(rate)) => (8 * lanes as u64 * rows(schedule)) << rate,
            (_, Some(rate)) => {
                let rate = if self.keep_later_codewords { rate } else { 0 };
                vector_bytes(schedule, level - 1) << rate
            }
        }
    }
}

/// Rows of the first message.
fn rows(schedule: &Schedule) -> u64 {
    1 << (schedule.variables - LOG_LANES)
}

/// Bytes of a vector over E of the variables that are left after a level's folds.
fn vector_bytes(schedule: &Schedule, level: usize) -> u64 {
    let left = schedule
        .levels
        .get(level)
        .map_or(0, |level| level.log_message);
    (E_BYTES as u64) << left
}

fn tree_bytes(schedule: &Schedule, level: usize) -> u64 {
    let depth = schedule.levels.get(level).map(|level| level.depth());
    depth.map_or(0, |depth| 2 * DIGEST_BYTES as u64 * (1 << depth))
}
