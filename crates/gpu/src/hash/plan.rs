//! How a tree is built: which levels each dispatch makes. No device is needed to plan.

use super::{DIGEST_WORDS, HashCost};
use crate::ledger::Cost;

/// Most levels a dispatch of one thread a node makes.
const THREAD_LEVELS: usize = 3;
/// `log2` of the nodes from which on threads of their own keep a device busy.
const LOG_MANY: usize = 17;
/// `log2` of the nodes that one workgroup takes to the root.
const LOG_TOP: usize = 10;
/// `log2` of the nodes a workgroup takes below that: one of the first level a thread.
const LOG_TILE: usize = 9;
/// Levels a dispatch can store: WebGPU's eight storage buffers less the one that is read.
const STORED: usize = 7;

/// How a step spreads its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spread {
    /// A thread makes all nodes above `2^levels`.
    Threads,
    /// A workgroup makes those of this many neighbours together.
    Tile {
        /// Neighbours; a power of two that divides the nodes of the highest level.
        run: u32,
    },
}

/// A dispatch of a tree's building. Levels are counted from the nodes the tree is built on, 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The level that is read.
    pub from: usize,
    /// `log2` of its nodes.
    pub log_nodes: usize,
    /// How many levels are made.
    pub levels: usize,
    /// The levels that are written, ascending. The highest that is made is one of them.
    pub stored: Vec<usize>,
    /// How the work is spread.
    pub spread: Spread,
}

impl Step {
    /// Its cost by formula.
    #[must_use]
    pub fn cost(&self, hash: &HashCost) -> Cost {
        let digest = 4 * DIGEST_WORDS;
        let nodes = 1_u64 << self.log_nodes;
        let top = nodes >> self.levels;
        let stored = self.stored.iter().map(|level| nodes >> (level - self.from));
        Cost::new(
            digest * nodes,
            digest * stored.sum::<u64>(),
            hash.node() * (nodes - top),
        )
    }

    /// Nodes of the first level that a workgroup makes, where workgroups share.
    pub(super) fn first_level(&self) -> u32 {
        match self.spread {
            Spread::Threads => 0,
            Spread::Tile { run } => run << (self.levels - 1),
        }
    }

    /// Workgroups.
    pub(super) fn groups(&self) -> u32 {
        let top = 1_u32 << (self.log_nodes - self.levels);
        match self.spread {
            Spread::Threads => top.div_ceil(64),
            Spread::Tile { run } => top / run,
        }
    }
}

/// The steps from `2^log_nodes` nodes, level 0, to the root, level `log_nodes`. `store` says which
/// of the levels between have to be in memory afterwards; level 0 and the root always are.
#[must_use]
pub fn tree_plan(log_nodes: usize, store: impl Fn(usize) -> bool) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut from = 0;
    while from < log_nodes {
        let log = log_nodes - from;
        let threads = log > LOG_MANY;
        let mut levels = if threads {
            THREAD_LEVELS.min(log - LOG_MANY)
        } else if log > LOG_TOP {
            (log - LOG_TOP).min(LOG_TILE)
        } else {
            log
        };
        let stored = |levels: usize| -> Vec<usize> {
            (from + 1..=from + levels)
                .filter(|&level| level == from + levels || store(level))
                .collect()
        };
        while stored(levels).len() > STORED {
            levels -= 1;
        }
        let log_run = (log - levels).min(LOG_TILE.saturating_sub(levels));
        steps.push(Step {
            from,
            log_nodes: log,
            levels,
            stored: stored(levels),
            spread: if threads {
                Spread::Threads
            } else {
                Spread::Tile { run: 1 << log_run }
            },
        });
        from += levels;
    }
    steps
}
