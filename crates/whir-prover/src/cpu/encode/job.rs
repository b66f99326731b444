//! The plan of one encoding and its passes.

use core::marker::PhantomData;
use core::slice;

use p3_field::{Field, PackedValue, PrimeField32, TwoAdicField};

use super::Sink;
use super::kernel::{self, Arith, Rows};
use super::scratch::Scratch;
use super::tail::Tail;
use super::tasks::for_each_task;
use super::twiddles::Twiddles;

/// Bytes of a leaf, the rows that are finished and handed over together: a pair should stay
/// well within the second-level cache.
const LEAF_BYTES: usize = 1 << 15;
/// Rows of a leaf, at least, if the codeword has that many.
const LEAF_ROWS: usize = 32;
/// Bytes of a block of the second pass: a pair should fit the second-level cache.
const BLOCK_BYTES: usize = 1 << 18;
/// Bytes of a tile of the first pass.
const TILE_BYTES: usize = 1 << 15;
/// Bytes of a tile's row, at least: whole cache lines, and enough of them for the prefetcher.
const TILE_ROW_BYTES: usize = 256;
/// The most layers of one pass over tiles. More take several passes, which otherwise only
/// messages too large for a test would.
pub(super) const MAX_TILE_LAYERS: usize = if cfg!(test) { 5 } else { 10 };

/// A pointer that tasks share; each touches its own rows.
pub(super) struct Shared<F>(pub(super) *mut F);

// SAFETY: every use says which rows the task owns.
unsafe impl<F: Send> Sync for Shared<F> {}

impl<F> Shared<F> {
    /// # Safety
    /// As [`pointer::add`].
    pub(super) unsafe fn at(&self, offset: usize) -> *mut F {
        // SAFETY: the caller's contract.
        unsafe { self.0.add(offset) }
    }
}

/// One encoding: shapes and the plan. Rows of regions, blocks and leaves are powers of two.
pub(super) struct Job<'a, F: Field, A> {
    twiddles: &'a Twiddles<F>,
    tail: Tail<F>,
    message: &'a [F],
    width: usize,
    log_inv_rate: usize,
    /// Rows of a region, which are the message's.
    pub(super) region: usize,
    /// Rows of a block of the second pass.
    pub(super) block: usize,
    /// Rows of a leaf.
    leaf: usize,
    arith: PhantomData<A>,
}

/// The largest power of two, at least 1, of rows of `width` elements within `bytes`.
fn rows_within<F>(bytes: usize, width: usize) -> usize {
    let rows = (bytes / (width * size_of::<F>())).max(1);
    1 << rows.ilog2()
}

impl<'a, F: TwoAdicField + PrimeField32, A: Arith<F>> Job<'a, F, A> {
    pub(super) fn new(
        twiddles: &'a Twiddles<F>,
        message: &'a [F],
        width: usize,
        log_inv_rate: usize,
    ) -> Self {
        assert!(width > 0, "empty rows");
        assert!(log_inv_rate > 0, "rate 1");
        assert!(message.len().is_multiple_of(width), "message length");
        let region = message.len() / width;
        assert!(
            region.is_power_of_two(),
            "message height {region} is not a power of two"
        );
        let log_rows = region.ilog2() as usize + log_inv_rate;
        assert!(
            log_rows <= twiddles.max_log_rows(),
            "codeword of 2^{log_rows} rows"
        );
        let half_rows = region << (log_inv_rate - 1);
        let tile = 1 << (2 * Tail::<F>::layers_of(width));
        let leaf = rows_within::<F>(LEAF_BYTES, width)
            .max(LEAF_ROWS)
            .max(tile)
            .min(half_rows);
        let block = rows_within::<F>(BLOCK_BYTES, width)
            .max(leaf)
            .min(region.max(leaf));
        let tail = if leaf < tile {
            Tail::none()
        } else {
            Tail::new(width, twiddles)
        };
        Self {
            twiddles,
            tail,
            message,
            width,
            log_inv_rate,
            region,
            block,
            leaf,
            arith: PhantomData,
        }
    }

    pub(super) fn scratch(&self, blocks: usize) -> Scratch<F, A> {
        Scratch::new(self.tail.scratch_len(), blocks)
    }

    pub(super) fn regions(&self) -> usize {
        1 << self.log_inv_rate
    }

    /// Half the codeword's rows.
    pub(super) fn half_rows(&self) -> usize {
        self.region << (self.log_inv_rate - 1)
    }

    /// Whether the matrix is too small for vectors: no whole tile of the tail.
    pub(super) fn is_scalar(&self) -> bool {
        let tail = Tail::<F>::layers_of(self.width);
        self.leaf < 1 << (2 * tail) || self.region < 1 << tail
    }

    /// The whole codeword, layer by layer.
    ///
    /// # Safety
    /// `lower` and `upper` are valid for half the codeword each.
    pub(super) unsafe fn encode_scalar(&self, lower: *mut F, upper: *mut F, sink: Sink<'_, F>) {
        let len = self.half_rows() * self.width;
        for (side, half) in [lower, upper].into_iter().enumerate() {
            for i in 0..self.regions() / 2 {
                // SAFETY: region `i` of this half, initialised by the copy.
                let region = unsafe {
                    let at = half.add(i * self.message.len());
                    at.copy_from_nonoverlapping(self.message.as_ptr(), self.message.len());
                    slice::from_raw_parts_mut(at, self.message.len())
                };
                let root = side * self.regions() / 2 + i;
                for level in 0..self.region.ilog2() {
                    let node_len = self.message.len() >> level;
                    for (y, node) in region.chunks_exact_mut(node_len).enumerate() {
                        let t = self.twiddles.at((root << level) + y);
                        let (a, b) = node.split_at_mut(node_len / 2);
                        for (a, b) in a.iter_mut().zip(b) {
                            (*a, *b) = kernel::butterfly(*a, *b, t);
                        }
                    }
                }
            }
        }
        // SAFETY: both halves are initialised now.
        let (lower, upper) = unsafe {
            (
                slice::from_raw_parts(lower, len),
                slice::from_raw_parts(upper, len),
            )
        };
        let k = self.leaf * self.width;
        for (i, (l, u)) in lower.chunks_exact(k).zip(upper.chunks_exact(k)).enumerate() {
            sink(i * self.leaf, l, u);
        }
    }

    /// A pair of regions larger than a block: region `c` and region `c` of the upper half.
    ///
    /// # Safety
    /// `lower` and `upper` are valid for a region each.
    pub(super) unsafe fn region_pair(
        &self,
        c: usize,
        lower: *mut F,
        upper: *mut F,
        sink: Sink<'_, F>,
    ) {
        let (lower, upper) = (Shared(lower), Shared(upper));
        let half = self.regions() / 2;
        // The top layers of both regions, in one pass unless there are very many.
        let total = (self.region / self.block).ilog2() as usize;
        let mut level = 0;
        while level < total {
            let passes = (total - level).div_ceil(MAX_TILE_LAYERS);
            let layers = (total - level).div_ceil(passes);
            // Elements between the runs of a tile, and of a tile's row.
            let stride = (self.region >> (level + layers)) * self.width;
            let row = self.tile_row(layers).min(stride);
            let tiles = stride.div_ceil(row);
            for_each_task(
                tiles << (level + 1),
                || self.scratch(0),
                |scratch, i| {
                    // Both sides of a tile follow each other: they read the same message.
                    let (i, side) = (i / 2, i % 2);
                    let (node, tile) = (i / tiles, i % tiles);
                    let region = if side == 0 { &lower } else { &upper };
                    let column = tile * row;
                    let len = row.min(stride - column);
                    let from = ((node * stride) << layers) + column;
                    // SAFETY: the runs of `node` at `column`; no other task has them.
                    unsafe {
                        let at = region.at(from);
                        let src = if level == 0 {
                            self.message.as_ptr().add(from)
                        } else {
                            at
                        };
                        let node = ((c + side * half) << level) + node;
                        scratch.fill(self.twiddles, node, 0, layers);
                        let (src, dst) = (rows_at(src, stride), rows_at_mut(at, stride));
                        scratch.run_tile(src, dst, len / F::Packing::WIDTH, 0, layers, true);
                    }
                },
            );
            level += layers;
        }
        let blocks = self.region / self.block;
        for_each_task(
            blocks,
            || self.scratch(0),
            |scratch, i| {
                let at = i * self.block * self.width;
                // SAFETY: block `i` of each region; no other task has it.
                unsafe {
                    self.block_pair(
                        c * blocks + i,
                        lower.at(at),
                        upper.at(at),
                        false,
                        scratch,
                        sink,
                    );
                }
            },
        );
    }

    /// One region larger than a block, number `c` of all: `rows(s, block)` receives its finished
    /// rows, which are stored rows `s..` of the codeword.
    ///
    /// # Safety
    /// `at` is valid for a region.
    pub(super) unsafe fn region_alone(
        &self,
        c: usize,
        at: *mut F,
        rows: &(dyn Fn(usize, &[F]) + Sync),
    ) {
        let region = Shared(at);
        let total = (self.region / self.block).ilog2() as usize;
        let mut level = 0;
        while level < total {
            let passes = (total - level).div_ceil(MAX_TILE_LAYERS);
            let layers = (total - level).div_ceil(passes);
            let stride = (self.region >> (level + layers)) * self.width;
            let row = self.tile_row(layers).min(stride);
            let tiles = stride.div_ceil(row);
            for_each_task(
                tiles << level,
                || self.scratch(0),
                |scratch, i| {
                    let (node, tile) = (i / tiles, i % tiles);
                    let column = tile * row;
                    let len = row.min(stride - column);
                    let from = ((node * stride) << layers) + column;
                    // SAFETY: the runs of `node` at `column`; no other task has them.
                    unsafe {
                        let at = region.at(from);
                        let src = if level == 0 {
                            self.message.as_ptr().add(from)
                        } else {
                            at
                        };
                        scratch.fill(self.twiddles, (c << level) + node, 0, layers);
                        let (src, dst) = (rows_at(src, stride), rows_at_mut(at, stride));
                        scratch.run_tile(src, dst, len / F::Packing::WIDTH, 0, layers, true);
                    }
                },
            );
            level += layers;
        }
        let blocks = self.region / self.block;
        let (leaves, len) = (self.block / self.leaf, self.leaf * self.width);
        for_each_task(
            blocks,
            || self.scratch(0),
            |scratch, i| {
                let node = c * blocks + i;
                // SAFETY: block `i` of the region, then its leaves; no other task has them.
                unsafe {
                    let at = region.at(i * self.block * self.width);
                    if leaves > 1 {
                        self.block_top(at, node, false, scratch);
                    }
                    for leaf in 0..leaves {
                        let at = at.add(leaf * len);
                        let node = node * leaves + leaf;
                        self.leaf(at, node, false, scratch);
                        rows(node * self.leaf, slice::from_raw_parts(at, len));
                    }
                }
            },
        );
    }

    /// Elements of a tile's row when a tile has `2^layers` rows: a multiple of a vector.
    fn tile_row(&self, layers: usize) -> usize {
        (TILE_BYTES >> layers).max(TILE_ROW_BYTES) / size_of::<F>()
    }

    /// A pair of blocks, number `i` of each half, to its end. The blocks consist of whole regions
    /// still to be made from the message if `from_message`, else of rows for which the layers
    /// above are done.
    ///
    /// # Safety
    /// `lower` and `upper` are valid for a block each.
    pub(super) unsafe fn block_pair(
        &self,
        i: usize,
        lower: *mut F,
        upper: *mut F,
        from_message: bool,
        scratch: &mut Scratch<F, A>,
        sink: Sink<'_, F>,
    ) {
        let blocks = self.half_rows() / self.block;
        let leaves = self.block / self.leaf;
        let sides = [(lower, i), (upper, blocks + i)];
        if leaves > 1 {
            for (at, node) in sides {
                // SAFETY: the caller's contract.
                unsafe { self.block_top(at, node, from_message, scratch) };
            }
        }
        let len = self.leaf * self.width;
        for leaf in 0..leaves {
            for (at, node) in sides {
                let (node, new) = (node * leaves + leaf, from_message && leaves == 1);
                // SAFETY: leaf `leaf` of the block.
                unsafe { self.leaf(at.add(leaf * len), node, new, scratch) };
            }
            // SAFETY: the leaves just finished.
            let (l, u) = unsafe {
                let at = leaf * len;
                (
                    slice::from_raw_parts(lower.add(at), len),
                    slice::from_raw_parts(upper.add(at), len),
                )
            };
            sink((i * leaves + leaf) * self.leaf, l, u);
        }
    }

    /// The layers of a block above its leaves.
    ///
    /// # Safety
    /// `at` is valid for a block, which is one region if `from_message`.
    unsafe fn block_top(
        &self,
        at: *mut F,
        node: usize,
        from_message: bool,
        scratch: &mut Scratch<F, A>,
    ) {
        let layers = (self.block / self.leaf).ilog2() as usize;
        scratch.fill(self.twiddles, node, 0, layers);
        let stride = self.leaf * self.width;
        let row = self.tile_row(layers);
        for column in (0..stride).step_by(row) {
            let vectors = row.min(stride - column) / F::Packing::WIDTH;
            // SAFETY: a column of the block's rows; the message, if it is read, has the same.
            unsafe {
                let at = at.add(column);
                let src = if from_message {
                    self.message.as_ptr().add(column)
                } else {
                    at
                };
                let (src, dst) = (rows_at(src, stride), rows_at_mut(at, stride));
                scratch.run_tile(src, dst, vectors, 0, layers, true);
            }
        }
    }

    /// The last layers of a leaf, or all layers of the regions in it if `from_message`.
    ///
    /// # Safety
    /// `at` is valid for a leaf, which is whole regions if `from_message`.
    unsafe fn leaf(
        &self,
        at: *mut F,
        node: usize,
        from_message: bool,
        scratch: &mut Scratch<F, A>,
    ) {
        let to = self.leaf.ilog2() as usize - self.tail.layers;
        let from = if from_message {
            (self.leaf / self.region).ilog2() as usize
        } else {
            0
        };
        let row = self.width << self.tail.layers;
        let message = self.message.as_ptr();
        if from < to {
            scratch.fill(self.twiddles, node, from, to);
            let src = rows_at(if from_message { message } else { at }, row);
            // SAFETY: the caller's contract; all regions read the same message.
            unsafe {
                scratch.run_tile(
                    src,
                    rows_at_mut(at, row),
                    row / F::Packing::WIDTH,
                    from,
                    to,
                    false,
                );
            }
        } else if from_message {
            let len = self.message.len();
            for y in 0..1 << from {
                // SAFETY: region `y` of the leaf.
                unsafe { at.add(y * len).copy_from_nonoverlapping(message, len) };
            }
        }
        let tiles = self.leaf >> (2 * self.tail.layers);
        // SAFETY: the caller's contract, and a leaf is whole tiles.
        unsafe {
            self.tail
                .run(at, node * tiles, tiles, self.twiddles, &mut scratch.tail);
        };
    }
}

/// Rows `stride` elements apart, a multiple of a packing, from `at`; nodes begin where they begin.
fn rows_at<F: Field>(at: *const F, stride: usize) -> Rows<*const F::Packing> {
    Rows {
        at: at.cast(),
        node: 0,
        row: stride / F::Packing::WIDTH,
    }
}

/// [`rows_at`], to write.
fn rows_at_mut<F: Field>(at: *mut F, stride: usize) -> Rows<*mut F::Packing> {
    Rows {
        at: at.cast(),
        node: 0,
        row: stride / F::Packing::WIDTH,
    }
}
