//! The part of the tree over a window of epochs.

use std::vec::Vec;

use prova_hash::blake2s::{Kernel, LANES, Lanes};
use rayon::prelude::*;

use super::derive::{Secret, SigningLayout};
use super::leaf::leaves;
use super::window::Window;
use crate::blake2s::Blake2s;
use crate::lanes::{LaneSponge, gather, get_lane, tweak_lanes};
use crate::layout::Purpose;
use crate::tweak::{Words, node};

/// The live nodes of one level: those over at least one epoch of the window.
pub(crate) struct Level {
    /// Number of the first on the level.
    pub(crate) first: u32,
    pub(crate) nodes: Vec<Words>,
}

impl Level {
    fn get<L: SigningLayout>(&self, secret: &Secret<L>, level: u32, index: u32) -> Words {
        let at = index
            .checked_sub(self.first)
            .and_then(|at| self.nodes.get(at as usize));
        at.copied().unwrap_or_else(|| secret.filler(level, index))
    }
}

/// Live nodes from one level up to another.
pub(crate) struct Tree {
    base: u32,
    levels: Vec<Level>,
}

impl Tree {
    /// Grows from the live nodes of level `base` up to level `top`.
    pub(crate) fn grow<L: SigningLayout>(
        kernel: Kernel,
        secret: &Secret<L>,
        base: u32,
        nodes: Level,
        top: u32,
    ) -> Self {
        let mut levels = Vec::with_capacity((top - base + 1) as usize);
        let mut below = nodes;
        for level in base..top {
            let above = parents(kernel, secret, level, &below);
            levels.push(below);
            below = above;
        }
        levels.push(below);
        Self { base, levels }
    }

    /// A node, live or filler, of one of the levels grown.
    pub(crate) fn node<L: SigningLayout>(
        &self,
        secret: &Secret<L>,
        level: u32,
        index: u32,
    ) -> Words {
        self.levels[(level - self.base) as usize].get(secret, level, index)
    }

    /// The first node of the highest level.
    pub(crate) fn root(&self) -> Words {
        self.levels[self.levels.len() - 1].nodes[0]
    }

    /// The live nodes of the lowest level.
    #[cfg(feature = "state")]
    pub(crate) fn base(&self) -> &Level {
        &self.levels[0]
    }
}

/// The live nodes above those of `level`.
fn parents<L: SigningLayout>(
    kernel: Kernel,
    secret: &Secret<L>,
    level: u32,
    below: &Level,
) -> Level {
    let first = below.first >> 1;
    let end = u64::from(below.first) + below.nodes.len() as u64 - 1;
    let count = (end >> 1) - u64::from(first) + 1;
    let child = |index| below.get(secret, level, index);
    let mut nodes = Vec::with_capacity(count as usize);
    while (nodes.len() as u64) < count {
        let next = first + nodes.len() as u32;
        let left = (count - nodes.len() as u64).min(LANES as u64) as u32;
        if left <= 2 {
            let (l, r) = (child(2 * next), child(2 * next + 1));
            let (own, index) = (level + 1, next);
            nodes.push(node::<L>(&mut Blake2s, secret.parameter, own, index, l, r));
            continue;
        }
        let index = |l: usize| next + (l as u32).min(left - 1);
        let indices = Lanes(core::array::from_fn(index));
        let tweak = tweak_lanes::<L>(Purpose::Node, &Lanes::splat(level + 1), &indices);
        let mut sponge = LaneSponge::new(kernel, &tweak, &Lanes::splat_all(&secret.parameter));
        sponge.push(&gather(&indices.0.map(|j| child(2 * j))));
        sponge.push(&gather(&indices.0.map(|j| child(2 * j + 1))));
        let digests = sponge.finish();
        nodes.extend((0..left as usize).map(|l| get_lane(&digests, l)));
    }
    Level { first, nodes }
}

/// Subtree number `index` of height `height`, from its live leaves up.
pub(crate) fn subtree<L: SigningLayout>(
    kernel: Kernel,
    secret: &Secret<L>,
    window: Window,
    height: u32,
    index: u32,
) -> Tree {
    let (first, last) = live_leaves(window, height, index);
    let groups = (last - first) / LANES as u32 + 1;
    let group = |g: u32| {
        let from = first + g * LANES as u32;
        let epochs = core::array::from_fn(|l| from.saturating_add(l as u32).min(last));
        leaves(kernel, secret, &Lanes(epochs))
    };
    let mut nodes: Vec<Words> = (0..groups).into_par_iter().flat_map_iter(group).collect();
    nodes.truncate((last - first) as usize + 1);
    Tree::grow(kernel, secret, 0, Level { first, nodes }, height)
}

/// First and last epoch of the window below a live subtree.
pub(crate) fn live_leaves(window: Window, height: u32, index: u32) -> (u32, u32) {
    let low = index << height;
    let high = low | ((1 << height) - 1);
    (low.max(window.first()), high.min(window.last()))
}
