//! Which passes over memory make a transform, and what they cost.

use super::tables::LOG_LOW;
use crate::device::Limits;
use crate::ledger::Cost;

/// Threads of a workgroup.
pub(super) const THREADS: usize = 256;
/// Words of workgroup memory of a tile: the 16 KiB that every device has.
const TILE: usize = 4096;
/// Fewest neighbouring words that a tile takes of longer rows: 64 bytes.
const SEGMENT: usize = 16;
/// Cosets that the first pass computes from one read of the message.
pub(super) const SHARE: usize = 4;
/// Rows of a tile from which on it keeps enough threads busy hashing them.
const LEAVES: usize = 64;
/// What a pass costs besides its work, in bytes and products.
const DISPATCH: u64 = 1 << 18;

/// A codeword: `2^(log_rows + log_inv_rate)` rows of `width` words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// log2 of the message's rows.
    pub log_rows: usize,
    /// Words of a row.
    pub width: usize,
    /// log2 of the number of cosets.
    pub log_inv_rate: usize,
}

impl Shape {
    /// Words of the message, and of every coset.
    #[must_use]
    pub fn words(&self) -> u64 {
        (self.width as u64) << self.log_rows
    }
}

/// How a pass is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In registers, a column of a node a thread; at most 5 bits.
    Stages,
    /// In workgroup memory, `units` nodes by `columns` neighbouring words a workgroup.
    Tile {
        /// Neighbouring words.
        columns: usize,
        /// Nodes or parts of nodes.
        units: usize,
    },
    /// `2^lift` tiles of full size that wait in registers, and are one part of the transform each.
    Lifted {
        /// Bits that are done in registers, at most 2.
        lift: usize,
        /// Neighbouring words.
        columns: usize,
    },
    /// Across pieces of a coset that have bindings of their own, in registers; at most 2 bits.
    Pieces,
}

/// Some consecutive levels of the transform, in one pass over memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// How.
    pub kind: Kind,
    /// Levels done before; the first pass reads the message, the others work in place.
    pub done: usize,
    /// Levels of this pass.
    pub bits: usize,
    /// Whether it hashes the rows that it finishes. The cost is without the hashing.
    pub leaves: bool,
    /// What it takes.
    pub cost: Cost,
}

/// A round of butterflies inside a tile.
pub(super) struct Stage {
    /// Levels of the tile's node done before.
    pub(super) done: usize,
    pub(super) bits: usize,
}

impl Pass {
    /// A pass with its cost for `cosets` cosets.
    ///
    /// # Panics
    /// If the pass cannot be run so.
    #[must_use]
    pub fn new(shape: Shape, done: usize, bits: usize, kind: Kind, cosets: usize) -> Self {
        let mut pass = Self {
            kind,
            done,
            bits,
            leaves: false,
            cost: Cost::default(),
        };
        pass.cost = pass.cost_of(shape, cosets);
        assert!(pass.fits(shape), "{pass:?} cannot be run for {shape:?}");
        pass
    }

    /// Words from one row of a node's tile to the next.
    pub(super) fn segment(&self, shape: Shape) -> usize {
        shape.width << (shape.log_rows - self.done - self.bits)
    }

    /// Neighbouring words of a tile.
    pub(super) fn columns(&self) -> usize {
        match self.kind {
            Kind::Stages | Kind::Pieces => 1,
            Kind::Tile { columns, .. } | Kind::Lifted { columns, .. } => columns,
        }
    }

    /// Whether the tile is stored as one stretch of memory, from workgroup memory.
    pub(super) fn staged(&self, shape: Shape) -> bool {
        let tiled = matches!(self.kind, Kind::Tile { .. } | Kind::Lifted { .. });
        let whole = tiled && self.columns() == self.segment(shape);
        self.leaves || (whole && self.columns() < SEGMENT)
    }

    /// Whether a tile has a whole row for every thread to hash. Otherwise hashing the rows apart,
    /// with every thread busy, is worth reading them again.
    pub(super) fn hashes_with_all(&self) -> bool {
        let rows = match self.kind {
            Kind::Stages | Kind::Pieces => 0,
            Kind::Tile { units, .. } => units << self.bits,
            Kind::Lifted { lift, .. } => 1 << (self.bits - lift),
        };
        self.leaves && rows >= THREADS
    }

    /// Cosets computed from one read of the message.
    pub(super) fn share(&self, cosets: usize) -> usize {
        match self.kind {
            Kind::Stages | Kind::Lifted { .. } if self.done == 0 => SHARE.min(cosets),
            _ => 1,
        }
    }

    /// The rounds inside a tile, levels in registers aside.
    pub(super) fn stages(&self) -> Vec<Stage> {
        let (mut stages, mut done, bits) = match self.kind {
            Kind::Stages | Kind::Pieces => (Vec::new(), 0, 0),
            Kind::Tile { .. } => (Vec::new(), 0, self.bits),
            // Threads hold 16 words of a part.
            Kind::Lifted { lift, .. } => (vec![Stage { done: 0, bits: 4 }], 4, self.bits - lift),
        };
        while done < bits {
            // As few rounds as there can be, of sizes as even as can be.
            let left = bits - done;
            let next = left.div_ceil(left.div_ceil(4));
            stages.push(Stage { done, bits: next });
            done += next;
        }
        stages
    }

    /// Whether the kernel can run this pass.
    fn fits(&self, shape: Shape) -> bool {
        if self.done + self.bits > shape.log_rows || (self.bits == 0 && self.done > 0) {
            return false;
        }
        let segment = self.segment(shape);
        match self.kind {
            Kind::Stages => self.bits <= 5,
            Kind::Pieces => (1..=2).contains(&self.bits),
            Kind::Tile { columns, units } => {
                self.bits > 0
                    && (columns << self.bits) * units <= TILE
                    && segment.is_multiple_of(columns)
            }
            Kind::Lifted { lift, columns } => {
                lift <= 2
                    && self.bits >= lift + 4
                    && columns << (self.bits - lift) == TILE
                    && segment.is_multiple_of(columns)
            }
        }
    }

    /// Cost of the pass for `cosets` cosets: every tile is read and written once; the twiddle
    /// table, as far as it is used, counts once.
    #[must_use]
    pub fn cost_of(&self, shape: Shape, cosets: usize) -> Cost {
        let coset = shape.words();
        let words = coset * cosets as u64;
        let read = if self.done == 0 {
            coset * cosets.div_ceil(self.share(cosets)) as u64
        } else {
            words
        };
        let table = |levels: usize| 1_u64 << levels.min(LOG_LOW);
        let twiddles = table(shape.log_inv_rate + (self.done + self.bits).saturating_sub(1))
            .min((cosets as u64) << (self.done + self.bits));
        Cost::new(
            4 * (read + twiddles),
            4 * words,
            words * self.products_of_16(shape, self.share(cosets)) / 16,
        )
    }

    /// Base-field products for 16 words, where `share` cosets come from one read of the message.
    fn products_of_16(&self, shape: Shape, share: usize) -> u64 {
        let round = |done: usize, bits: usize| {
            let made = if is_deep(shape, self.done + done + bits, LOG_LOW) {
                16 - (16 >> bits)
            } else {
                0
            };
            8 * bits as u64 + made
        };
        match self.kind {
            Kind::Stages => round(0, self.bits),
            Kind::Pieces => 8 * self.bits as u64,
            Kind::Tile { .. } => self.stages().iter().map(|s| round(s.done, s.bits)).sum(),
            Kind::Lifted { lift, .. } => {
                // All but the last of the cosets also take the way back to the message.
                let top = (8 * lift * (2 * share - 1)).div_ceil(share) as u64;
                let below = self.stages();
                top + below
                    .iter()
                    .map(|s| round(lift + s.done, s.bits))
                    .sum::<u64>()
            }
        }
    }
}

/// Whether twiddles of the level before `done` levels lie beyond a low table of `2^log_low`.
pub(super) fn is_deep(shape: Shape, done: usize, log_low: usize) -> bool {
    shape.log_inv_rate + done > log_low + 1
}

/// Every way to run levels `done..done + bits`.
fn kinds(shape: Shape, done: usize, bits: usize) -> Vec<Kind> {
    let segment = shape.width << (shape.log_rows - done - bits);
    let power = 1 << segment.trailing_zeros();
    let mut kinds = Vec::new();
    if bits <= 5 {
        kinds.push(Kind::Stages);
    }
    if bits == 0 {
        return kinds;
    }
    if segment << bits <= TILE {
        let units = TILE / (segment << bits);
        kinds.push(Kind::Tile {
            columns: segment,
            units,
        });
    } else {
        let columns = power.min(TILE >> bits);
        if columns >= SEGMENT {
            let units = TILE / (columns << bits);
            kinds.push(Kind::Tile { columns, units });
        }
    }
    for lift in 0..=2 {
        if bits < lift + 4 {
            break;
        }
        let columns = TILE >> (bits - lift);
        if columns > 0
            && segment.is_multiple_of(columns)
            && (columns >= SEGMENT || columns == segment)
        {
            kinds.push(Kind::Lifted { lift, columns });
        }
    }
    kinds
}

/// The passes of least cost that encode `cosets` cosets of a message.
///
/// A byte moved and a product count the same: devices differ, but not by much either way.
#[must_use]
pub fn plan(shape: Shape, cosets: usize, limits: &Limits) -> Vec<Pass> {
    search(shape, cosets, limits, false, 0).unwrap_or_default()
}

/// As [`plan`], with a last pass that also hashes the rows it finishes; `None` where no tile holds
/// enough whole rows.
#[must_use]
pub fn plan_with_leaves(shape: Shape, cosets: usize, limits: &Limits) -> Option<Vec<Pass>> {
    search(shape, cosets, limits, true, 0)
}

/// The passes of least cost that encode one coset of a message in `2^log_pieces` pieces, with a
/// last one that hashes if `leaves`; `None` where no tile holds enough whole rows for that.
///
/// # Panics
/// If there are more pieces than rows.
#[must_use]
pub fn plan_pieces(
    shape: Shape,
    log_pieces: usize,
    limits: &Limits,
    leaves: bool,
) -> Option<Vec<Pass>> {
    assert!(log_pieces <= shape.log_rows, "pieces have whole rows");
    let rest = search(shape, 1, limits, leaves, log_pieces)?;
    if leaves && rest.is_empty() {
        return None;
    }
    let across = (0..log_pieces).step_by(2).map(|done| {
        let bits = (log_pieces - done).min(2);
        Pass::new(shape, done, bits, Kind::Pieces, 1)
    });
    Some(across.chain(rest).collect())
}

/// Levels `start..` by the passes of least cost.
fn search(
    shape: Shape,
    cosets: usize,
    limits: &Limits,
    leaves: bool,
    start: usize,
) -> Option<Vec<Pass>> {
    debug_assert!(limits.workgroup_memory as usize >= 4 * TILE);
    let levels = shape.log_rows;
    // Cheapest way to finish when so many levels are done, from the end.
    let mut best: Vec<Option<(u64, Vec<Pass>)>> = vec![None; levels + 1];
    for done in (start..=levels).rev() {
        if done == levels && levels > 0 {
            best[done] = Some((0, Vec::new()));
            continue;
        }
        let least = usize::from(levels > 0);
        for bits in least..=levels - done {
            for kind in kinds(shape, done, bits) {
                let mut pass = Pass {
                    kind,
                    done,
                    bits,
                    leaves: false,
                    cost: Cost::default(),
                };
                if leaves && done + bits == levels {
                    let height = match kind {
                        Kind::Stages | Kind::Pieces => 0,
                        Kind::Tile { units, .. } => units << bits,
                        Kind::Lifted { lift, .. } => 1 << (bits - lift),
                    };
                    if pass.columns() != shape.width || height < LEAVES {
                        continue;
                    }
                    pass.leaves = true;
                }
                pass.cost = pass.cost_of(shape, cosets);
                let here = pass.cost.bytes() + pass.cost.products + DISPATCH;
                let (rest, after) = match &best[done + bits] {
                    Some((rest, after)) if done + bits > done => (*rest, after.as_slice()),
                    None if levels > 0 => continue,
                    _ => (0, &[][..]),
                };
                if best[done]
                    .as_ref()
                    .is_none_or(|(cost, _)| here + rest < *cost)
                {
                    let mut passes = vec![pass];
                    passes.extend_from_slice(after);
                    best[done] = Some((here + rest, passes));
                }
            }
        }
    }
    best.swap_remove(start).map(|(_, passes)| passes)
}
