//! Builds a tree from blocks of rows that arrive in any order and from several threads.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::collections::BTreeMap;
use std::sync::Mutex;

use prova_hash::TreeHasher;
use rayon::prelude::*;

use crate::tree::{Tree, level_start};

/// Leaf digests of either half between hashing and compression; on the stack when not kept.
const STAGE: usize = 64;

/// Nodes of a level per task; smaller levels stay on the calling thread.
const TASK: usize = 1024;

/// Collects the two lowest levels of a tree.
#[derive(Debug)]
pub struct TreeBuilder<D> {
    log_leaves: usize,
    leaves: Shared<D>,
    nodes: Shared<D>,
    /// Leaves taken by some absorption, start to end, whether they are kept or not. The parents of a
    /// pair belong to the owner of its lower leaves.
    claimed: Mutex<BTreeMap<usize, usize>>,
    /// Pairs whose absorption has ended, and rows that came alone: after a panic, less than what was
    /// claimed.
    pairs: AtomicUsize,
    rows: AtomicUsize,
}

impl<D: Copy + Eq + Default + Send + Sync + 'static> TreeBuilder<D> {
    /// For `2^log_leaves >= 2` leaves whose digests are dropped once their parents are known.
    ///
    /// That halves the tree's memory; openings recompute the leaf digests they need.
    ///
    /// # Panics
    /// If `log_leaves` is zero: see [`Tree::single`].
    pub fn new(log_leaves: usize) -> Self {
        Self::with(log_leaves, false)
    }

    /// As [`TreeBuilder::new`], but the leaf digests are kept.
    ///
    /// # Panics
    /// If `log_leaves` is zero: see [`Tree::single`].
    pub fn keeping_leaves(log_leaves: usize) -> Self {
        Self::with(log_leaves, true)
    }

    fn with(log_leaves: usize, keep_leaves: bool) -> Self {
        assert!(log_leaves > 0, "a single leaf has no pairs");
        let count = 1 << log_leaves;
        Self {
            log_leaves,
            leaves: Shared::new(if keep_leaves { count } else { 0 }),
            nodes: Shared::new(count - 1),
            claimed: Mutex::default(),
            pairs: AtomicUsize::new(0),
            rows: AtomicUsize::new(0),
        }
    }

    /// Hashes rows `s..s + k` (`lower`) and `s + N/2..s + N/2 + k` (`upper`), both in stored order,
    /// and their `k` parents. Calls may run concurrently and in any order.
    ///
    /// # Panics
    /// If `width` is zero, the slices are not `k` whole rows each, or a position is out of range or
    /// was absorbed before.
    pub fn absorb_pair<F, H>(&self, hasher: &H, s: usize, lower: &[F], upper: &[F], width: usize)
    where
        H: TreeHasher<F, Digest = D>,
    {
        assert!(width > 0, "a row has at least one column");
        assert_eq!(lower.len() % width, 0, "rows must be whole");
        assert_eq!(lower.len(), upper.len(), "both halves have the same rows");
        let count = lower.len() / width;
        if count == 0 {
            return;
        }
        let half = 1 << (self.log_leaves - 1);
        assert!(
            s < half && count <= half - s,
            "rows {s}.. lie outside of the half"
        );
        self.claim(&[s, half + s], count);
        // SAFETY: the claim gives this call the positions `s..s + count` of both halves of the leaf
        // level, and with the lower ones their parents; `half` and `count` were checked above.
        let parents = unsafe { self.nodes.slice(s, count) };
        // A stage at a time, so that digests are hashed again while they are near.
        let step = STAGE * width;
        let stages = (lower.chunks(step).zip(upper.chunks(step))).zip(parents.chunks_mut(STAGE));
        if self.leaves.len() > 0 {
            // SAFETY: as above.
            let left = unsafe { self.leaves.slice(s, count) };
            // SAFETY: as above.
            let right = unsafe { self.leaves.slice(half + s, count) };
            let leaves = left.chunks_mut(STAGE).zip(right.chunks_mut(STAGE));
            for (((lower, upper), parents), (left, right)) in stages.zip(leaves) {
                hasher.hash_rows(lower, width, left);
                hasher.hash_rows(upper, width, right);
                hasher.compress(left, right, parents);
            }
        } else {
            let mut left = [D::default(); STAGE];
            let mut right = [D::default(); STAGE];
            for ((lower, upper), parents) in stages {
                let (left, right) = (&mut left[..parents.len()], &mut right[..parents.len()]);
                hasher.hash_rows(lower, width, left);
                hasher.hash_rows(upper, width, right);
                hasher.compress(left, right, parents);
            }
        }
        self.pairs.fetch_add(count, Ordering::Relaxed);
    }

    /// Hashes stored rows `s..s + k` to leaves that are kept; their parents follow in
    /// [`TreeBuilder::finish`]. A builder takes all of its rows this way, or all in pairs.
    ///
    /// # Panics
    /// If the builder does not keep leaves, `width` is zero, the slice is not `k` whole rows, or a
    /// position is out of range or was absorbed before.
    pub fn absorb_rows<F, H>(&self, hasher: &H, s: usize, rows: &[F], width: usize)
    where
        H: TreeHasher<F, Digest = D>,
    {
        assert!(width > 0, "a row has at least one column");
        assert_eq!(rows.len() % width, 0, "rows must be whole");
        let (count, all) = (rows.len() / width, 1 << self.log_leaves);
        assert_eq!(self.leaves.len(), all, "the builder must keep leaves");
        if count == 0 {
            return;
        }
        assert!(
            s < all && count <= all - s,
            "rows {s}.. lie outside of the tree"
        );
        self.claim(&[s], count);
        // SAFETY: the claim gives this call the leaves `s..s + count`, checked to be in range.
        hasher.hash_rows(rows, width, unsafe { self.leaves.slice(s, count) });
        self.rows.fetch_add(count, Ordering::Relaxed);
    }

    /// Completes the tree.
    ///
    /// # Panics
    /// If some rows were never absorbed, or some came alone and some in pairs.
    pub fn finish<F, H>(self, hasher: &H) -> Tree<D>
    where
        H: TreeHasher<F, Digest = D>,
    {
        let log = self.log_leaves;
        let half = 1 << (log - 1);
        let mut nodes = self.nodes.into_vec();
        let leaves = self.leaves.into_vec();
        match (self.pairs.into_inner(), self.rows.into_inner()) {
            (pairs, 0) if pairs == half => {}
            (0, rows) if rows == 2 * half => {
                let (left, right) = leaves.split_at(half);
                compress_level(hasher, left, right, &mut nodes[..half]);
            }
            (pairs, rows) => panic!(
                "every row must be absorbed, all alone or all in pairs: {pairs} pairs and {rows} \
                 rows of 2^{log}"
            ),
        }
        for level in 2..=log {
            let start = level_start(log, level);
            let (below, above) = nodes[level_start(log, level - 1)..]
                .split_at_mut(start - level_start(log, level - 1));
            let out = &mut above[..1 << (log - level)];
            let (left, right) = below.split_at(out.len());
            compress_level(hasher, left, right, out);
        }
        Tree::from_parts(log, leaves, nodes)
    }

    /// Reserves `count` leaves from each start on for one absorption.
    fn claim(&self, starts: &[usize], count: usize) {
        let mut claimed = self.claimed.lock().expect("no absorption panicked");
        for &start in starts {
            let range = start..start + count;
            let before = claimed.range(..range.end).next_back().map(|(_, &end)| end);
            assert!(
                before.is_none_or(|end| end <= range.start),
                "rows {range:?} were absorbed before"
            );
            claimed.insert(range.start, range.end);
        }
    }
}

/// A level from the halves of the one below, in parallel where that pays.
fn compress_level<F, H: TreeHasher<F>>(
    hasher: &H,
    left: &[H::Digest],
    right: &[H::Digest],
    out: &mut [H::Digest],
) {
    if out.len() > TASK && rayon::current_num_threads() > 1 {
        out.par_chunks_mut(TASK)
            .zip(left.par_chunks(TASK))
            .zip(right.par_chunks(TASK))
            .for_each(|((o, l), r)| hasher.compress(l, r, o));
    } else {
        hasher.compress(left, right, out);
    }
}

/// A vector whose disjoint parts may be written from several threads.
#[derive(Debug)]
struct Shared<D> {
    cells: Vec<UnsafeCell<D>>,
    owner: PhantomData<D>,
}

// SAFETY: the only access through a shared reference is `slice`, whose callers keep the parts
// disjoint.
unsafe impl<D: Send> Sync for Shared<D> {}

impl<D: Copy + Default> Shared<D> {
    fn new(len: usize) -> Self {
        let mut cells = prova_pages::large(Vec::with_capacity(len));
        cells.extend((0..len).map(|_| UnsafeCell::new(D::default())));
        Self {
            cells,
            owner: PhantomData,
        }
    }

    fn len(&self) -> usize {
        self.cells.len()
    }

    /// The elements `start..start + count`.
    ///
    /// # Safety
    /// No other slice over any of them may be alive.
    #[allow(clippy::mut_from_ref)]
    unsafe fn slice(&self, start: usize, count: usize) -> &mut [D] {
        let cells = &self.cells[start..start + count];
        // SAFETY: `UnsafeCell<D>` has the layout of `D`, the range is in bounds, and the caller
        // guarantees that this is the only reference to it.
        unsafe { core::slice::from_raw_parts_mut(UnsafeCell::raw_get(cells.as_ptr()), count) }
    }

    fn into_vec(self) -> Vec<D> {
        // Collecting in place reuses the allocation.
        self.cells.into_iter().map(UnsafeCell::into_inner).collect()
    }
}
