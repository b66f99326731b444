//! Interleaved Reed-Solomon encoding over the polynomial basis of GF(2^64).
//!
//! A message of `2^m` rows is read as coefficients in the novel polynomial basis (Lin, Chung and
//! Han, FOCS 2014) and evaluated, column by column, at the words `0 .. 2^(m+nu)`. Row `p` of the
//! codeword is the evaluation at the field element whose bits are `p`.
//!
//! The message is zero beyond its `2^m` rows, so the first `nu` layers of the transform only copy
//! it: the codeword is `2^nu` cosets, each the transform of one copy.

use p3_binary_dft::{BasisNtt, ButterflyField};
use p3_field::{PackedValue, PrimeCharacteristicRing};
use rayon::prelude::*;

use crate::K;
use crate::vector::PackedK;

/// Words of a block that the last layers transform without leaving the cache.
const LOCAL_WORDS: usize = 1 << 14;

/// The most layers that one pass over memory fuses.
const GROUP_LAYERS: usize = 6;

/// The fewest words of one run that a pass gathers.
const RUN_WORDS: usize = 64;

/// Rows of one run of the pass that reads the message: a cache line of a lane.
const FIRST_RUN_ROWS: usize = 8;

/// The rows of a message, wherever their words lie.
pub trait MessageRows: Sync {
    /// Words of a row.
    fn width(&self) -> usize;

    /// Writes `count` rows from `first` on: row `first + r` to `tile[r * stride..][..width]`.
    fn read(&self, first: usize, count: usize, tile: &mut [K], stride: usize);
}

/// Rows of `width` words, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct RowMajor<'a> {
    /// The words of all rows.
    pub words: &'a [K],
    /// Words of a row.
    pub width: usize,
}

impl MessageRows for RowMajor<'_> {
    fn width(&self) -> usize {
        self.width
    }

    fn read(&self, first: usize, count: usize, tile: &mut [K], stride: usize) {
        let rows = self.words.chunks_exact(self.width).skip(first).take(count);
        for (row, tile) in rows.zip(tile.chunks_mut(stride)) {
            tile[..self.width].copy_from_slice(row);
        }
    }
}

/// An encoder for messages of `2^log_len` rows at rate `2^-log_inv_rate`.
#[derive(Clone, Debug)]
pub struct Encoder {
    ntt: BasisNtt<K>,
    log_len: usize,
    log_inv_rate: usize,
}

impl Encoder {
    /// Prepares the subspace polynomials of the domain `0 .. 2^(log_len + log_inv_rate)`.
    ///
    /// # Panics
    /// If the domain has more than `2^63` points.
    #[must_use]
    pub fn new(log_len: usize, log_inv_rate: usize) -> Self {
        assert!(
            log_len + log_inv_rate < 64,
            "domain of 2^{log_len} rows at rate 2^-{log_inv_rate}"
        );
        Self {
            ntt: BasisNtt::polynomial(log_len + log_inv_rate, K::ZERO),
            log_len,
            log_inv_rate,
        }
    }

    /// Logarithm of the rows of a message.
    #[must_use]
    pub const fn log_len(&self) -> usize {
        self.log_len
    }

    /// Logarithm of the rows of a codeword.
    #[must_use]
    pub const fn log_domain(&self) -> usize {
        self.log_len + self.log_inv_rate
    }

    /// Writes coset number `coset` of the codeword of `message` to `rows`.
    ///
    /// # Panics
    /// If `rows` is not `2^log_len` rows of the message's width.
    pub fn encode_coset(&self, message: &impl MessageRows, coset: usize, rows: &mut [K]) {
        let width = message.width();
        assert_eq!(rows.len(), width << self.log_len, "2^{} rows", self.log_len);
        let layer = self.log_inv_rate;
        let depth = first_layers(self.log_len, width);
        self.first_group(message, rows, depth, coset);
        rows.par_chunks_exact_mut(rows.len() >> depth)
            .enumerate()
            .for_each(|(i, rows)| self.transform(rows, width, layer + depth, (coset << depth) + i));
    }

    /// The layers from `layer` on, for the `block`-th of the `2^layer` blocks of rows.
    fn transform(&self, rows: &mut [K], width: usize, layer: usize, block: usize) {
        let left = self.log_domain() - layer;
        let depth = first_layers(left, width);
        if depth == 0 {
            self.layers(rows, layer, left, block);
            return;
        }
        self.group(rows, width, layer, depth, block);
        rows.par_chunks_exact_mut(rows.len() >> depth)
            .enumerate()
            .for_each(|(i, rows)| self.transform(rows, width, layer + depth, (block << depth) + i));
    }

    /// The first `depth` layers of a coset, reading the message where it lies.
    fn first_group(&self, message: &impl MessageRows, rows: &mut [K], depth: usize, coset: usize) {
        let width = message.width();
        let slab_rows = (rows.len() / width) >> depth;
        let adjacent = run_rows(width).min(slab_rows);
        let count = FIRST_RUN_ROWS.max(adjacent).min(slab_rows);
        let run = adjacent * width;
        let tile_len = run << depth;
        // A row of a run of its own goes to the next tile, others follow one another in a tile.
        let (step, stride) = if adjacent == 1 {
            (count, tile_len)
        } else {
            (adjacent, width)
        };
        for_parts(rows, depth, count * width, |start, mut part| {
            let mut tiles = K::zero_vec((count * width) << depth);
            for at in (0..part[0].len()).step_by(count * width) {
                let row = (start + at) / width;
                for (i, r) in
                    (0..1 << depth).flat_map(|i| (0..count).step_by(step).map(move |r| (i, r)))
                {
                    let tile = &mut tiles[r / adjacent * tile_len + i * run..];
                    message.read(i * slab_rows + row + r, step, tile, stride);
                }
                for (t, tile) in tiles.chunks_exact_mut(tile_len).enumerate() {
                    self.layers(tile, self.log_inv_rate, depth, coset);
                    for (tile, rows) in tile.chunks_exact(run).zip(&mut part) {
                        rows[at + t * run..][..run].copy_from_slice(tile);
                    }
                }
            }
        });
    }

    /// `depth` layers in one pass: runs that meet in them are gathered, transformed, put back.
    fn group(&self, rows: &mut [K], width: usize, layer: usize, depth: usize, block: usize) {
        let slab_rows = (rows.len() / width) >> depth;
        let run = width * run_rows(width).min(slab_rows);
        for_parts(rows, depth, run, |_, mut part| {
            let mut tile = K::zero_vec(run << depth);
            for at in (0..part[0].len()).step_by(run) {
                for (tile, rows) in tile.chunks_exact_mut(run).zip(&part) {
                    tile.copy_from_slice(&rows[at..at + run]);
                }
                self.layers(&mut tile, layer, depth, block);
                for (tile, rows) in tile.chunks_exact(run).zip(&mut part) {
                    rows[at..at + run].copy_from_slice(tile);
                }
            }
        });
    }

    /// `depth` layers of one block, in place, three at a time while three are left.
    fn layers(&self, rows: &mut [K], layer: usize, depth: usize, block: usize) {
        let mut done = 0;
        while done < depth {
            let size = rows.len() >> done;
            let first = block << done;
            if depth - done >= 3 {
                for (i, rows) in rows.chunks_exact_mut(size).enumerate() {
                    let twiddles = self.ntt.twiddles_radix8(layer + done, first + i);
                    let mut slabs = rows.chunks_exact_mut(size / 8);
                    let mut slabs: [&mut [K]; 8] =
                        core::array::from_fn(|_| slabs.next().expect("eight slabs"));
                    K::butterfly_radix8::<false>(&mut slabs, &twiddles);
                }
                done += 3;
            } else {
                for (i, rows) in rows.chunks_exact_mut(size).enumerate() {
                    let (low, high) = rows.split_at_mut(size / 2);
                    K::butterfly::<false>(low, high, self.ntt.twiddle(layer + done, first + i));
                }
                done += 1;
            }
        }
    }
}

/// How many of `left` layers the next pass over rows of `width` words does; none when what is left
/// fits the cache. Three layers at a time are cheapest, so counts divisible by three are preferred.
fn first_layers(left: usize, width: usize) -> usize {
    let local = (LOCAL_WORDS / width).max(8).ilog2() as usize;
    match left.saturating_sub(local) {
        0 => 0,
        1..=3 => 3.min(left),
        _ => GROUP_LAYERS.min(left),
    }
}

/// Adjacent rows of a run, a power of two.
fn run_rows(width: usize) -> usize {
    1 << (RUN_WORDS / width).max(1).ilog2()
}

/// Cuts each of the `2^depth` slabs of `rows` into pieces of whole runs, and calls `f` in parallel
/// with every piece of all slabs, and the offset of the piece in its slab.
fn for_parts(
    rows: &mut [K],
    depth: usize,
    run: usize,
    f: impl Fn(usize, Vec<&mut [K]>) + Sync + Send,
) {
    let slab = rows.len() >> depth;
    let pieces = (slab / run).min(4 * rayon::current_num_threads());
    let piece = slab.div_ceil(run * pieces) * run;
    let mut parts: Vec<Vec<&mut [K]>> = Vec::new();
    parts.resize_with(slab.div_ceil(piece), || Vec::with_capacity(1 << depth));
    for slab in rows.chunks_exact_mut(slab) {
        for (part, rows) in parts.iter_mut().zip(slab.chunks_mut(piece)) {
            part.push(rows);
        }
    }
    parts
        .into_par_iter()
        .enumerate()
        .for_each(|(i, part)| f(i * piece, part));
}

/// Making single rows again. Layers that only some blocks need are not done for the others, and
/// only the half that is needed is.
impl Encoder {
    /// Writes the rows at some ascending `positions`, all in coset number `coset`, into `opened`;
    /// `rows` is room to work in.
    ///
    /// # Panics
    /// If `rows` is not `2^log_len` rows of the message's width, or there is no position.
    pub fn rows_of_coset(
        &self,
        message: &impl MessageRows,
        coset: usize,
        positions: &[usize],
        rows: &mut [K],
        mut opened: &mut [&mut [K]],
    ) {
        let width = message.width();
        assert_eq!(rows.len(), width << self.log_len, "2^{} rows", self.log_len);
        // With this many blocks most of them hold a position.
        let depth = (positions.len().ilog2() as usize)
            .min(GROUP_LAYERS)
            .min(self.log_len);
        self.first_group(message, rows, depth, coset);
        let log_size = self.log_len - depth;
        let mut tasks = Vec::with_capacity(1 << depth);
        for positions in positions.chunk_by(|a, b| a >> log_size == b >> log_size) {
            let (first, rest) = opened.split_at_mut(positions.len());
            tasks.push((positions, first));
            opened = rest;
        }
        let mut blocks: Vec<&mut [K]> = Vec::with_capacity(tasks.len());
        let mut wanted = tasks
            .iter()
            .map(|(positions, _)| positions[0] >> log_size)
            .peekable();
        for (i, rows) in rows.chunks_exact_mut(width << log_size).enumerate() {
            if wanted.next_if_eq(&((coset << depth) + i)).is_some() {
                blocks.push(rows);
            }
        }
        tasks
            .into_par_iter()
            .zip(blocks)
            .for_each(|((positions, opened), rows)| {
                let block = positions[0] >> log_size;
                self.pruned(rows, self.log_inv_rate + depth, block, positions, opened);
            });
    }

    /// The layers from `layer` on of one block, as far as the rows at `positions` need them.
    fn pruned(
        &self,
        rows: &mut [K],
        layer: usize,
        block: usize,
        positions: &[usize],
        opened: &mut [&mut [K]],
    ) {
        if layer == self.log_domain() {
            opened[0].copy_from_slice(rows);
            return;
        }
        let half = self.log_domain() - layer - 1;
        let twiddle = self.ntt.twiddle(layer, block);
        let split = positions.partition_point(|position| position >> half & 1 == 0);
        let (low, high) = rows.split_at_mut(rows.len() / 2);
        if split == positions.len() {
            add_scaled(low, high, twiddle);
            self.pruned(low, layer + 1, 2 * block, positions, opened);
        } else if split == 0 {
            add_scaled(low, high, twiddle + K::ONE);
            self.pruned(low, layer + 1, 2 * block + 1, positions, opened);
        } else {
            K::butterfly::<false>(low, high, twiddle);
            let (first, second) = opened.split_at_mut(split);
            self.pruned(low, layer + 1, 2 * block, &positions[..split], first);
            self.pruned(high, layer + 1, 2 * block + 1, &positions[split..], second);
        }
    }
}

/// `to += scale from`.
fn add_scaled(to: &mut [K], from: &[K], scale: K) {
    let packed = PackedK::from(scale);
    let (tos, to_rest) = PackedK::pack_slice_with_suffix_mut(to);
    let (froms, from_rest) = PackedK::pack_slice_with_suffix(from);
    tos.iter_mut()
        .zip(froms)
        .for_each(|(to, &from)| *to += from * packed);
    to_rest
        .iter_mut()
        .zip(from_rest)
        .for_each(|(to, &from)| *to += from * scale);
}
