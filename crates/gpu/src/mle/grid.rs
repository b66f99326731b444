//! How work is spread over workgroups, without a device.

/// Lanes of a workgroup.
pub(crate) const LANES: u64 = 256;
/// Most workgroups that leave a partial sum each.
const MAX_GROUPS: u64 = 1024;
/// Blocks that a lane walks over at least, where there are as many: what it does once at the end
/// is a small part then.
const MIN_BLOCKS: u64 = 8;

/// Workgroups that walk over consecutive items, 256 at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    /// Workgroups.
    pub(crate) groups: u64,
    /// Times 256 items of each.
    pub(crate) steps: u64,
}

impl Walk {
    /// For each of `pieces` pieces of `items` items.
    pub(crate) fn new(items: u64, pieces: u64) -> Self {
        let blocks = items.div_ceil(LANES);
        let steps = blocks.div_ceil((MAX_GROUPS / pieces).max(1)).max(1);
        Self {
            groups: blocks.div_ceil(steps),
            steps,
        }
    }
}

/// Workgroups over the blocks of a piece: a lane keeps its place within the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sweep {
    /// Blocks that the piece has a part of.
    pub(crate) blocks: u64,
    /// Units of each.
    pub(crate) span: u64,
    /// Workgroups side by side in a block.
    pub(crate) stripes: u64,
    /// Blocks that a workgroup walks over.
    pub(crate) steps: u64,
    /// Workgroups.
    pub(crate) groups: u64,
}

impl Sweep {
    /// For each of `pieces` pieces of `piece` units in blocks of `block` units, `width` a lane.
    pub(crate) fn new(piece: u64, pieces: u64, block: u64, width: u64) -> Self {
        let span = piece.min(block);
        let blocks = piece / span;
        let stripes = span.div_ceil(LANES * width);
        let most = (MAX_GROUPS / pieces).max(1);
        let steps = (blocks * stripes)
            .div_ceil(most)
            .max(MIN_BLOCKS)
            .min(blocks);
        Self {
            blocks,
            span,
            stripes,
            steps,
            groups: stripes * blocks.div_ceil(steps),
        }
    }
}

/// Consecutive words of a base-field column that a lane reads at a time, for so many points.
pub(crate) fn width(points: u64, fold: usize) -> u64 {
    let most = match points {
        1 => 4,
        2 => 2,
        _ => 1,
    };
    (1 << fold).min(most)
}

/// Consecutive words of a row of `2^fold` that a lane folds, and lanes of a row.
pub(crate) fn row(fold: usize) -> (u64, u64) {
    let chunk = fold.min(3);
    (1 << chunk, 1 << (fold - chunk))
}

/// Consecutive weights of a workgroup.
pub(crate) const TILE: u64 = 2048;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_walked_over() {
        for items in [1, 255, 256, 257, 1 << 18, (1 << 18) + 1, 1 << 22] {
            for pieces in [1, 2, 4096] {
                let walk = Walk::new(items, pieces);
                assert!(walk.groups * walk.steps * LANES >= items);
                assert!((walk.groups - 1) * walk.steps * LANES < items);
                assert!(walk.groups <= (MAX_GROUPS / pieces).max(1));
            }
        }
        for log_piece in 0..20 {
            for log_block in 0..14 {
                for width in [1, 2, 4] {
                    let sweep = Sweep::new(1 << log_piece, 1, 1 << log_block, width);
                    assert_eq!(sweep.blocks * sweep.span, 1 << log_piece);
                    assert!(sweep.groups * sweep.steps >= sweep.blocks * sweep.stripes);
                    assert!(sweep.groups <= MAX_GROUPS);
                }
            }
        }
    }
}
