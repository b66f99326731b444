//! Reed-Solomon encoding of a row-major matrix, column by column, in bit-reversed row order.
//!
//! The codeword of a `2^m`-row message at log-inverse rate `r` is the transform of size
//! `N = 2^(m+r)` of the zero-padded columns. Seen as repeated splitting of polynomials (see
//! `twiddles`), its first `r` layers copy the message, so each of the `2^r` contiguous regions of
//! the stored codeword is a transform of the message with that region's own twiddles: no
//! multiplication by coset shifts, no work on zeros, and the bit-reversed order comes for free.
//!
//! Memory is passed over at most twice: the first pass does the top layers of a large region on
//! tiles, the second the remaining layers on blocks that stay in cache, and hands their rows to
//! the caller at once.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::slice;

use p3_field::{Field, PackedValue, PrimeCharacteristicRing, PrimeField32, TwoAdicField};

use self::kernel::{Ahead, Arith, Packed, Pass, Rows, next_radix};
use self::tail::Tail;
use self::tasks::for_each_task;
use self::twiddles::Twiddles;

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512ifma"
))]
mod ifma;
mod kernel;
mod lanes;
mod tail;
mod tasks;
#[cfg(test)]
mod tests;
mod twiddles;

/// Bytes of a leaf, the rows that are finished and handed over together: a pair should fit the
/// first-level cache.
const LEAF_BYTES: usize = 1 << 14;
/// Rows of a leaf, at least, if the codeword has that many.
const LEAF_ROWS: usize = 32;
/// Bytes of a block of the second pass: a pair should fit the second-level cache.
const BLOCK_BYTES: usize = 1 << 18;
/// Bytes of a tile of the first pass.
const TILE_BYTES: usize = 1 << 15;
/// Bytes of a tile's row, at least: whole cache lines, and enough of them for the prefetcher.
const TILE_ROW_BYTES: usize = 256;
/// The most layers of one first-level pass.
const MAX_TILE_LAYERS: usize = 10;

/// Encoder for codewords of up to a fixed number of rows; holds the twiddle tables.
#[derive(Clone, Debug)]
pub struct Encoder<F> {
    twiddles: Twiddles<F>,
}

impl<F: TwoAdicField + PrimeField32> Encoder<F> {
    /// An encoder for codewords of at most `2^max_log_rows` rows.
    ///
    /// # Panics
    /// If the field has no subgroup of that order.
    pub fn new(max_log_rows: usize) -> Self {
        assert!(
            max_log_rows <= F::TWO_ADICITY,
            "no subgroup of order 2^{max_log_rows}"
        );
        Self {
            twiddles: Twiddles::new(max_log_rows),
        }
    }

    /// Encodes `message`, `2^m` rows of `width` elements, into `codeword`, `2^(m + r)` rows, where
    /// `r = log_inv_rate >= 1`. Stored row `rev(i)` (the `m + r` bits of `i` reversed) holds, for
    /// each column, the polynomial with the column's coefficients at `g^i`, where `g` is the
    /// field's generator of order `2^(m + r)`.
    ///
    /// With `N` codeword rows, `sink(s, lower, upper)` is called once for each block of finished
    /// rows, from several threads at once and in no fixed order: `lower` holds stored rows
    /// `s..s + k`, `upper` rows `s + N/2..s + N/2 + k`. `k` is the same power of two for all
    /// blocks, at least 32 if `N/2` is, and the blocks cover `0..N/2`.
    ///
    /// What `codeword` held before does not matter. Work is spread over the current rayon pool;
    /// the result does not depend on it. Buffers aligned to 64 bytes are read and written faster.
    ///
    /// # Panics
    /// If the lengths do not fit together, the message's height is not a power of two, `width` or
    /// `log_inv_rate` is 0, or the codeword has more rows than the encoder was built for.
    pub fn encode<S: Fn(usize, &[F], &[F]) + Sync>(
        &self,
        message: &[F],
        width: usize,
        log_inv_rate: usize,
        codeword: &mut [F],
        sink: S,
    ) {
        // SAFETY: same layout, and `encode_uninit` writes elements only.
        let codeword = unsafe { &mut *(core::ptr::from_mut(codeword) as *mut [MaybeUninit<F>]) };
        self.encode_uninit(message, width, log_inv_rate, codeword, sink);
    }

    /// [`Self::encode`] into memory that may be uninitialised; afterwards all of it is
    /// initialised.
    ///
    /// # Panics
    /// As [`Self::encode`].
    pub fn encode_uninit<S: Fn(usize, &[F], &[F]) + Sync>(
        &self,
        message: &[F],
        width: usize,
        log_inv_rate: usize,
        codeword: &mut [MaybeUninit<F>],
        sink: S,
    ) {
        #[cfg(all(
            target_arch = "x86_64",
            target_feature = "avx512f",
            target_feature = "avx512ifma"
        ))]
        if ifma::Ifma::applies::<F>() {
            return self.encode_by::<ifma::Ifma, S>(message, width, log_inv_rate, codeword, &sink);
        }
        self.encode_by::<Packed, S>(message, width, log_inv_rate, codeword, &sink);
    }

    fn encode_by<A: Arith<F>, S: Fn(usize, &[F], &[F]) + Sync>(
        &self,
        message: &[F],
        width: usize,
        log_inv_rate: usize,
        codeword: &mut [MaybeUninit<F>],
        sink: &S,
    ) {
        let job = Job::<F, A>::new(&self.twiddles, message, width, log_inv_rate);
        assert_eq!(
            codeword.len(),
            message.len() << log_inv_rate,
            "codeword length"
        );
        let lower = Shared(codeword.as_mut_ptr().cast::<F>());
        // SAFETY: half the length.
        let upper = Shared(unsafe { lower.0.add(codeword.len() / 2) });
        if job.is_scalar() {
            // SAFETY: both halves of the codeword.
            unsafe { job.encode_scalar(lower.0, upper.0, sink) };
        } else if job.region <= job.block {
            for_each_task(
                job.half_rows() / job.block,
                || job.scratch(0),
                |scratch, i| {
                    let at = i * job.block * width;
                    // SAFETY: block `i` of each half; no other task has it.
                    unsafe {
                        job.block_pair(i, lower.at(at), upper.at(at), true, scratch, sink);
                    }
                },
            );
        } else {
            for c in 0..job.regions() / 2 {
                let at = c * message.len();
                // SAFETY: region `c` of each half.
                unsafe { job.region_pair(c, lower.at(at), upper.at(at), sink) };
            }
        }
    }

    /// [`Self::encode`] without keeping the codeword: rows exist only while the sink sees them.
    ///
    /// `scratch` is resized to at most two messages' length; its contents do not matter and it
    /// may be reused.
    ///
    /// # Panics
    /// As [`Self::encode`].
    pub fn encode_discarding<S: Fn(usize, &[F], &[F]) + Sync>(
        &self,
        message: &[F],
        width: usize,
        log_inv_rate: usize,
        scratch: &mut Vec<F>,
        sink: S,
    ) {
        #[cfg(all(
            target_arch = "x86_64",
            target_feature = "avx512f",
            target_feature = "avx512ifma"
        ))]
        if ifma::Ifma::applies::<F>() {
            return self.discard_by::<ifma::Ifma, S>(message, width, log_inv_rate, scratch, &sink);
        }
        self.discard_by::<Packed, S>(message, width, log_inv_rate, scratch, &sink);
    }

    fn discard_by<A: Arith<F>, S: Fn(usize, &[F], &[F]) + Sync>(
        &self,
        message: &[F],
        width: usize,
        log_inv_rate: usize,
        scratch: &mut Vec<F>,
        sink: &S,
    ) {
        let job = Job::<F, A>::new(&self.twiddles, message, width, log_inv_rate);
        if job.is_scalar() {
            scratch.resize(message.len() << log_inv_rate, F::ZERO);
            let lower = scratch.as_mut_ptr();
            // SAFETY: both halves of a codeword's length.
            unsafe { job.encode_scalar(lower, lower.add(scratch.len() / 2), sink) };
        } else if job.region <= job.block {
            let len = job.block * width;
            for_each_task(
                job.half_rows() / job.block,
                || job.scratch(2 * len),
                |s, i| {
                    let lower = s.blocks.as_mut_ptr();
                    // SAFETY: the worker's own pair of blocks.
                    unsafe { job.block_pair(i, lower, lower.add(len), true, s, sink) };
                },
            );
        } else {
            scratch.resize(2 * message.len(), F::ZERO);
            let lower = scratch.as_mut_ptr();
            for c in 0..job.regions() / 2 {
                // SAFETY: two regions.
                unsafe { job.region_pair(c, lower, lower.add(message.len()), sink) };
            }
        }
    }
}

/// A pointer that tasks share; each touches its own rows.
struct Shared<F>(*mut F);

// SAFETY: every use says which rows the task owns.
unsafe impl<F: Send> Sync for Shared<F> {}

impl<F> Shared<F> {
    /// # Safety
    /// As [`pointer::add`].
    unsafe fn at(&self, offset: usize) -> *mut F {
        // SAFETY: the caller's contract.
        unsafe { self.0.add(offset) }
    }
}

/// A worker's scratch memory.
struct Scratch<F: TwoAdicField, A: Arith<F>> {
    /// Twiddles of the tile at hand.
    heap: Vec<A::Twiddle>,
    plain: Vec<F>,
    tile: Vec<A::Value>,
    tail: Vec<F::Packing>,
    blocks: Vec<F>,
}

impl<F: TwoAdicField, A: Arith<F>> Scratch<F, A> {
    fn new(tail: usize, blocks: usize) -> Self {
        Self {
            heap: Vec::new(),
            plain: Vec::new(),
            tile: Vec::new(),
            tail: vec![F::Packing::ONE; tail],
            blocks: F::zero_vec(blocks),
        }
    }

    /// Fills `heap` with the twiddles of levels `from..to` below `node`.
    fn fill(&mut self, twiddles: &Twiddles<F>, node: usize, from: usize, to: usize) {
        let len = (1usize << to).next_multiple_of(16);
        self.plain.resize(len, F::ONE);
        self.heap.resize(len, A::one());
        A::fill(twiddles, node, from, to, &mut self.plain, &mut self.heap);
    }

    /// Levels `from..to` of the nodes below heap node 1 on rows of `vectors` vectors: `2^to` rows
    /// of `dst`. Nodes of level `from` are `src.node` apart in the source.
    ///
    /// # Safety
    /// All rows are valid; source rows equal the destination rows or do not overlap them;
    /// `from < to`, and `heap` is filled. `far` says that the rows are not in cache, and the next
    /// tile's are to the right of this one's.
    unsafe fn run_tile(
        &mut self,
        src: Rows<*const F::Packing>,
        dst: Rows<*mut F::Packing>,
        vectors: usize,
        from: usize,
        to: usize,
        far: bool,
    ) {
        let heap = &self.heap;
        let rows = 1usize << to;
        let pass = |level: usize| {
            let layers = next_radix(to - level);
            Pass {
                layers,
                level,
                below: rows >> (level + layers),
                vectors,
            }
        };
        let to_dst = |level: usize| Rows {
            node: (rows >> level) * dst.row,
            ..dst
        };
        if self.tile.len() < rows * vectors {
            self.tile.resize(rows * vectors, A::zero());
        }
        let at = self.tile.as_mut_ptr();
        let scratch = |level: usize| Rows {
            at,
            node: (rows >> level) * vectors,
            row: vectors,
        };
        let mut now = pass(from);
        // SAFETY: the caller's contract; the tile has room for all rows.
        unsafe {
            if now.layers == to - from {
                return kernel::direct::<F, A>(now, src, to_dst(from), heap);
            }
            let ahead = far.then_some(Ahead { next: vectors, dst });
            kernel::first::<F, A>(now, src, scratch(from), heap, ahead);
            loop {
                now = pass(now.level + now.layers);
                let rows = scratch(now.level);
                if now.level + now.layers == to {
                    return kernel::last::<F, A>(now, rows.cast_const(), to_dst(now.level), heap);
                }
                kernel::middle::<F, A>(now, rows, heap);
            }
        }
    }
}

/// One encoding: shapes and the plan. Rows of regions, blocks and leaves are powers of two.
struct Job<'a, F: Field, A> {
    twiddles: &'a Twiddles<F>,
    tail: Tail<F>,
    message: &'a [F],
    width: usize,
    log_inv_rate: usize,
    /// Rows of a region, which are the message's.
    region: usize,
    /// Rows of a block of the second pass.
    block: usize,
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
    fn new(twiddles: &'a Twiddles<F>, message: &'a [F], width: usize, log_inv_rate: usize) -> Self {
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

    fn scratch(&self, blocks: usize) -> Scratch<F, A> {
        Scratch::new(self.tail.scratch_len(), blocks)
    }

    fn regions(&self) -> usize {
        1 << self.log_inv_rate
    }

    /// Half the codeword's rows.
    fn half_rows(&self) -> usize {
        self.region << (self.log_inv_rate - 1)
    }

    /// Whether the matrix is too small for vectors: no whole tile of the tail.
    fn is_scalar(&self) -> bool {
        let tail = Tail::<F>::layers_of(self.width);
        self.leaf < 1 << (2 * tail) || self.region < 1 << tail
    }

    /// The whole codeword, layer by layer.
    ///
    /// # Safety
    /// `lower` and `upper` are valid for half the codeword each.
    unsafe fn encode_scalar<S: Fn(usize, &[F], &[F])>(
        &self,
        lower: *mut F,
        upper: *mut F,
        sink: &S,
    ) {
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
    unsafe fn region_pair<S: Fn(usize, &[F], &[F]) + Sync>(
        &self,
        c: usize,
        lower: *mut F,
        upper: *mut F,
        sink: &S,
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
                    let from = (node * stride << layers) + column;
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
    unsafe fn block_pair<S: Fn(usize, &[F], &[F])>(
        &self,
        i: usize,
        lower: *mut F,
        upper: *mut F,
        from_message: bool,
        scratch: &mut Scratch<F, A>,
        sink: &S,
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
                .run(at, node * tiles, tiles, self.twiddles, &mut scratch.tail)
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
