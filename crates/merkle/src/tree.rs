//! A finished tree and its multi-openings.

use prova_hash::TreeHasher;
use rayon::prelude::*;

use crate::builder::TreeBuilder;

/// Rows hashed per task of [`Tree::from_rows`].
const BLOCK: usize = 256;

/// A Merkle tree; its lowest levels may have been dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree<D> {
    log_leaves: usize,
    /// The leaf digests, or empty. Kept always when there is a single leaf.
    leaves: Vec<D>,
    /// Levels `lowest`, `lowest + 1`, ... up to the root, one after the other; level `l` has
    /// `2^(L - l)` nodes.
    nodes: Vec<D>,
    /// Level that `nodes` begins with.
    lowest: usize,
}

impl<D: Copy> Tree<D> {
    /// The tree of one leaf, whose digest is the root.
    pub fn single(leaf: D) -> Self {
        Self {
            log_leaves: 0,
            leaves: vec![leaf],
            nodes: Vec::new(),
            lowest: 1,
        }
    }

    pub(crate) fn from_parts(log_leaves: usize, leaves: Vec<D>, nodes: Vec<D>) -> Self {
        debug_assert_eq!(nodes.len(), (1 << log_leaves) - 1);
        Self {
            log_leaves,
            leaves,
            nodes,
            lowest: 1,
        }
    }

    /// The tree over rows given in bit-reversed order, `rows.len() / width` of them,
    /// without its leaf digests.
    ///
    /// # Panics
    /// If `width` is zero, does not divide `rows.len()`, or the row count is not a power of two.
    pub fn from_rows<F, H>(hasher: &H, rows: &[F], width: usize) -> Self
    where
        F: Sync,
        H: TreeHasher<F, Digest = D>,
    {
        build(hasher, rows, width, false)
    }

    /// As [`Tree::from_rows`], but the leaf digests are kept.
    ///
    /// # Panics
    /// As [`Tree::from_rows`].
    pub fn from_rows_keeping_leaves<F, H>(hasher: &H, rows: &[F], width: usize) -> Self
    where
        F: Sync,
        H: TreeHasher<F, Digest = D>,
    {
        build(hasher, rows, width, true)
    }

    /// The root digest.
    pub fn root(&self) -> D {
        *self.nodes.last().unwrap_or_else(|| &self.leaves[0])
    }

    /// `log2` of the number of leaves.
    pub fn log_leaves(&self) -> usize {
        self.log_leaves
    }

    /// Drops all levels below `level`, the root excepted, and returns their memory. Openings ask
    /// for the digests they need again.
    pub fn drop_below(&mut self, level: usize) {
        let level = level.min(self.log_leaves);
        if level > self.lowest {
            let from =
                level_start(self.log_leaves, level) - level_start(self.log_leaves, self.lowest);
            self.nodes = self.nodes[from..].to_vec();
            self.lowest = level;
        }
        if level > 0 && self.log_leaves > 0 {
            self.leaves = Vec::new();
        }
    }

    /// Whether the leaf digests were kept.
    pub fn has_leaves(&self) -> bool {
        !self.leaves.is_empty()
    }

    /// The sibling digests that authenticate the leaves of `indices` (natural, any order,
    /// repetitions allowed), as in `PrunedMerklePaths::sibling_hashes`: level by level from the
    /// leaves, by ascending position, and only siblings that the verifier cannot compute.
    ///
    /// `missing` is asked for the digest of a natural node `(level, index)` of a level that was
    /// dropped; level 0 are the leaves.
    ///
    /// # Panics
    /// If an index is not below the number of leaves.
    pub fn open(&self, indices: &[usize], missing: impl FnMut(usize, usize) -> D) -> Vec<D> {
        self.open_below_cap(0, indices, missing)
    }

    /// The `2^height` nodes of the level `height` below the root, by natural index: a commitment
    /// whose openings are `height` siblings shorter.
    ///
    /// # Panics
    /// If `height` exceeds `log_leaves`, or the level was dropped.
    pub fn cap(&self, height: usize) -> Vec<D> {
        let log_leaves = self.log_leaves;
        assert!(
            height <= log_leaves,
            "a cap of 2^{height} nodes over 2^{log_leaves} leaves"
        );
        let node = |index| self.digest(log_leaves - height, index);
        let nodes: Option<Vec<D>> = (0..1 << height).map(node).collect();
        nodes.expect("the level of the cap was dropped")
    }

    /// As [`Tree::open`], for a verifier that has the cap of `2^cap_height` nodes.
    ///
    /// # Panics
    /// If an index is not below the number of leaves, or `cap_height` exceeds `log_leaves`.
    pub fn open_below_cap(
        &self,
        cap_height: usize,
        indices: &[usize],
        mut missing: impl FnMut(usize, usize) -> D,
    ) -> Vec<D> {
        siblings_below_cap(self.log_leaves, cap_height, indices)
            .into_iter()
            .map(|(level, index)| {
                self.digest(level, index)
                    .unwrap_or_else(|| missing(level, index))
            })
            .collect()
    }

    /// Digest of a natural node index, if its level was kept.
    fn digest(&self, level: usize, index: usize) -> Option<D> {
        let position = reverse(index, self.log_leaves - level);
        if level == 0 {
            return self.leaves.get(position).copied();
        }
        let start = level_start(self.log_leaves, level);
        let from = start.checked_sub(level_start(self.log_leaves, self.lowest))?;
        self.nodes.get(from + position).copied()
    }
}

/// The nodes `(level, natural index)` whose digests authenticate the leaves of `indices` (natural,
/// any order, repetitions allowed) in a tree of `2^log_leaves`, in the wire order of
/// `PrunedMerklePaths::sibling_hashes`: level by level from the leaves, by ascending position, and
/// only siblings that the verifier cannot compute.
///
/// # Panics
/// If an index is not below the number of leaves.
pub fn siblings(log_leaves: usize, indices: &[usize]) -> Vec<(usize, usize)> {
    siblings_below_cap(log_leaves, 0, indices)
}

/// As [`siblings`], for a verifier that has the cap of `2^cap_height` nodes.
///
/// # Panics
/// If an index is not below the number of leaves, or `cap_height` exceeds `log_leaves`.
pub fn siblings_below_cap(
    log_leaves: usize,
    cap_height: usize,
    indices: &[usize],
) -> Vec<(usize, usize)> {
    assert!(
        cap_height <= log_leaves,
        "a cap of 2^{cap_height} nodes over 2^{log_leaves} leaves"
    );
    let mut frontier = indices.to_vec();
    frontier.sort_unstable();
    frontier.dedup();
    if let Some(&last) = frontier.last() {
        assert!(last >> log_leaves == 0, "leaf {last} of 2^{log_leaves}");
    }
    let mut nodes = Vec::new();
    for level in 0..log_leaves - cap_height {
        for (i, &node) in frontier.iter().enumerate() {
            let sibling = node ^ 1;
            let known = if sibling > node {
                frontier.get(i + 1) == Some(&sibling)
            } else {
                i > 0 && frontier[i - 1] == sibling
            };
            if !known {
                nodes.push((level, sibling));
            }
        }
        for node in &mut frontier {
            *node >>= 1;
        }
        frontier.dedup();
    }
    nodes
}

/// Apart from `Tree` because only here the digest's own bounds are at hand.
fn build<F, H>(hasher: &H, rows: &[F], width: usize, keep_leaves: bool) -> Tree<H::Digest>
where
    F: Sync,
    H: TreeHasher<F>,
{
    assert!(width > 0, "a row has at least one column");
    assert_eq!(rows.len() % width, 0, "rows must be whole");
    let count = rows.len() / width;
    assert!(
        count.is_power_of_two(),
        "the row count must be a power of two"
    );
    if count == 1 {
        let mut leaf = [H::Digest::default()];
        hasher.hash_rows(rows, width, &mut leaf);
        return Tree::single(leaf[0]);
    }
    let log_leaves = count.trailing_zeros() as usize;
    let builder = if keep_leaves {
        TreeBuilder::keeping_leaves(log_leaves)
    } else {
        TreeBuilder::new(log_leaves)
    };
    let (lower, upper) = rows.split_at(rows.len() / 2);
    if rayon::current_num_threads() == 1 {
        builder.absorb_pair(hasher, 0, lower, upper, width);
        return builder.finish(hasher);
    }
    lower
        .par_chunks(BLOCK * width)
        .zip(upper.par_chunks(BLOCK * width))
        .enumerate()
        .for_each(|(k, (l, u))| builder.absorb_pair(hasher, k * BLOCK, l, u, width));
    builder.finish(hasher)
}

/// Where level `level >= 1` starts among the nodes.
pub(crate) fn level_start(log_leaves: usize, level: usize) -> usize {
    (1 << log_leaves) - (2 << (log_leaves - level))
}

fn reverse(index: usize, bits: usize) -> usize {
    if bits == 0 {
        0
    } else {
        index.reverse_bits() >> (usize::BITS as usize - bits)
    }
}
