//! Encoding and hashing a message on the device.

use prova_gpu::hash::{Hashing, tree_plan};
use prova_gpu::ntt::{Leaves, Ntt, Shape};
use prova_gpu::{GpuError, Kit, Limits, Recorder, Slice, gather};

use crate::plan::{MemoryPlan, Mode};
use crate::tree::{Block, DIGEST, Tree, ranges, reverse};

/// Fewest rows of a coset, `log2`, for the kernel that hashes four leaves a thread.
const LOG_QUARTER: usize = 8;

/// The kernels that commitments and openings use.
#[derive(Debug)]
pub struct Kernels {
    /// Device and field.
    pub kit: Kit,
    /// Transforms.
    pub ntt: Ntt,
    /// Hashes.
    pub hashing: Hashing,
    /// What runs on the device.
    pub mode: Mode,
}

/// Where opened rows come from.
#[derive(Clone, Debug)]
enum Rows {
    /// The pieces of all cosets, in stored order.
    Codeword(Vec<Slice>),
    /// The pieces of the message, to be encoded again.
    Message(Vec<Slice>),
}

/// A committed matrix.
#[derive(Clone, Debug)]
pub struct Commitment {
    shape: Shape,
    /// `log2` of the pieces of a coset.
    log_pieces: usize,
    rows: Rows,
    tree: Tree,
}

/// What an opening found: rows in query order, duplicates included, and siblings in wire order.
#[derive(Clone, Debug)]
pub struct OpenedWords {
    /// Words of the rows, one after the other.
    pub rows: Vec<u32>,
    /// Digests.
    pub siblings: Vec<[u32; DIGEST]>,
}

impl Commitment {
    /// Words of a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.shape.width
    }
}

/// A tree while it is made, over `2^log_blocks` blocks of `2^log_rows` leaves.
struct Growing {
    log_blocks: usize,
    log_rows: usize,
    levels: Vec<Vec<Option<Block>>>,
    /// The blocks that wait for their partner: level, index and digests.
    waiting: Vec<(usize, usize, Slice)>,
}

impl Growing {
    fn log_leaves(&self) -> usize {
        self.log_blocks + self.log_rows
    }
}

/// `log2` of the fewest pieces of a coset such that the rows, and the digests, of each fit a
/// binding.
fn log_pieces(shape: Shape, limits: &Limits) -> usize {
    let most = limits.binding.min(limits.buffer);
    let row = 4 * shape.width.max(DIGEST) as u64;
    let fits = |pieces: &usize| row << (shape.log_rows - pieces) <= most;
    (0..shape.log_rows).find(fits).unwrap_or(shape.log_rows)
}

/// Whether rows and digests of every piece of a coset fit a binding and start on aligned offsets,
/// which the kernels need.
#[must_use]
pub fn fits_device(shape: Shape, limits: &Limits) -> bool {
    let most = limits.binding.min(limits.buffer);
    let rows = 1_u64 << (shape.log_rows - log_pieces(shape, limits));
    let fits = |words: u64| {
        let bytes = 4 * rows * words;
        bytes.is_multiple_of(limits.alignment) && bytes <= most
    };
    fits(shape.width as u64) && fits(DIGEST as u64)
}

/// A message in at least `2^log_pieces` equal pieces.
fn split(message: &[Slice], log_pieces: usize) -> Vec<Slice> {
    let parts = ((1 << log_pieces) / message.len()).max(1) as u64;
    message
        .iter()
        .flat_map(|piece| {
            let words = piece.words() / parts;
            (0..parts).map(move |part| piece.slice(part * words, words))
        })
        .collect()
}

impl Kernels {
    /// Commits to the rows of `message` under a plan; the root's words. The message is a power of
    /// two of pieces of equally many rows, one unless a binding is too small for the whole.
    ///
    /// # Errors
    /// As the kernels' dispatches.
    pub fn commit(
        &self,
        message: &[Slice],
        shape: Shape,
        plan: MemoryPlan,
    ) -> Result<([u32; DIGEST], Commitment), GpuError> {
        let limits = self.kit.gpu.limits();
        let leaves = (4 * DIGEST as u64) << (shape.log_rows + shape.log_inv_rate);
        let codeword = (4 * shape.words()) << shape.log_inv_rate;
        let fits = leaves.max(codeword) <= limits.binding.min(limits.buffer);
        let message = split(message, log_pieces(shape, &limits));
        match message.as_slice() {
            [whole] if fits && !plan.one_coset => self.commit_whole(whole, shape, plan),
            pieces => self.commit_blocks(pieces, shape, plan),
        }
    }

    /// [`Self::commit`] with every level, and the codeword, in one binding.
    fn commit_whole(
        &self,
        message: &Slice,
        shape: Shape,
        plan: MemoryPlan,
    ) -> Result<([u32; DIGEST], Commitment), GpuError> {
        let gpu = &self.kit.gpu;
        let cosets = 1_usize << shape.log_inv_rate;
        let log_leaves = shape.log_rows + shape.log_inv_rate;
        let level = |level: usize| -> Result<Slice, GpuError> {
            let words = (DIGEST as u64) << (log_leaves - level);
            Ok(gpu.buffer(words)?.slice(0, words))
        };
        let whole = gpu.buffer(shape.words() << shape.log_inv_rate)?;
        let blocks: Vec<(usize, Slice)> = (0..cosets)
            .map(|block| {
                let rows = whole.slice(block as u64 * shape.words(), shape.words());
                (reverse(block, shape.log_inv_rate), rows)
            })
            .collect();
        let mut kept = vec![None; log_leaves + 1];
        for (index, place) in kept.iter_mut().enumerate() {
            if plan.stores(index, log_leaves) {
                *place = Some(level(index)?);
            }
        }
        let leaves = kept[0].clone().expect("leaves are always stored");
        let root = kept[log_leaves].clone().expect("the root is always stored");
        let mut recorder = gpu.record();
        let rows = (DIGEST as u64) << shape.log_rows;
        let digests: Vec<Slice> = (0..cosets as u64)
            .map(|block| leaves.slice(block * rows, rows))
            .collect();
        let mut nodes = leaves.clone();
        let mut first = 0;
        if !self.encode(&mut recorder, message, shape, &blocks, &digests)? {
            if log_leaves > 2 && shape.log_rows >= LOG_QUARTER {
                let quarter = 1_u64 << (log_leaves - 2);
                let words = quarter * shape.width as u64;
                let rows: [Slice; 4] =
                    core::array::from_fn(|k| whole.slice(k as u64 * words, words));
                nodes = match &kept[2] {
                    Some(kept) => kept.clone(),
                    None => level(2)?,
                };
                first = 2;
                self.hashing.quads(
                    &mut recorder,
                    rows.each_ref(),
                    shape.width,
                    quarter as u32,
                    Some(&leaves),
                    kept[1].as_ref(),
                    &nodes,
                )?;
            } else {
                let rows = whole.slice(0, shape.words() << shape.log_inv_rate);
                let count = 1 << log_leaves;
                self.hashing
                    .leaves(&mut recorder, &rows, shape.width, count, &leaves)?;
            }
        }
        let steps = tree_plan(log_leaves - first, |above| {
            plan.stores(first + above, log_leaves)
        });
        self.hashing.build_tree(
            &mut recorder,
            &steps,
            &nodes,
            &kept[first + 1..log_leaves.max(first + 1)],
            &root,
        )?;
        let ticket = recorder.read(&root.slice(0, DIGEST as u64));
        let back = recorder.finish()?;
        let root = back.get(ticket).try_into().expect("a digest was read");
        let levels = kept
            .into_iter()
            .map(|level| level.map(Block::Device).into_iter().collect())
            .collect();
        let tree = Tree {
            log_leaves,
            levels,
            plan,
        };
        let rows = if plan.keep_codewords {
            let mut stored = blocks;
            stored.sort_by_key(|&(coset, _)| reverse(coset, shape.log_inv_rate));
            Rows::Codeword(stored.into_iter().map(|(_, rows)| rows).collect())
        } else {
            Rows::Message(vec![message.clone()])
        };
        let commitment = Commitment {
            shape,
            log_pieces: 0,
            rows,
            tree,
        };
        Ok((root, commitment))
    }

    /// [`Self::commit`] coset by coset, in as many buffers as the limits ask for. A block is a piece
    /// of a coset.
    fn commit_blocks(
        &self,
        message: &[Slice],
        shape: Shape,
        plan: MemoryPlan,
    ) -> Result<([u32; DIGEST], Commitment), GpuError> {
        let gpu = &self.kit.gpu;
        let pieces = message.len();
        let log_pieces = pieces.trailing_zeros() as usize;
        let cosets = 1_usize << shape.log_inv_rate;
        let mut growing = Growing {
            log_blocks: shape.log_inv_rate + log_pieces,
            log_rows: shape.log_rows - log_pieces,
            levels: Vec::new(),
            waiting: Vec::new(),
        };
        let log_blocks = growing.log_blocks;
        let log_leaves = growing.log_leaves();
        growing.levels = (0..=log_leaves)
            .map(|level| vec![None; 1 << log_blocks.saturating_sub(level)])
            .collect();
        let digest_words = (DIGEST as u64) << growing.log_rows;
        let block_words = (shape.width as u64) << growing.log_rows;
        let root = gpu.buffer(DIGEST as u64)?.slice(0, DIGEST as u64);

        let codeword = match plan.keep_codewords {
            true => Some(ranges(gpu, cosets * pieces, block_words)?),
            false => None,
        };
        let mut recorder = gpu.record();
        let step = if plan.one_coset { 1 } else { cosets };
        let digests = match plan.one_coset {
            // One coset's digests at a time: later ones may be dropped or moved away.
            true => None,
            false => Some(ranges(gpu, cosets * pieces, digest_words)?),
        };
        // The blocks of a coset among those of all.
        let of = |coset: usize| {
            let first = reverse(coset, shape.log_inv_rate) * pieces;
            first..first + pieces
        };
        for first in (0..cosets).step_by(step) {
            let group: Vec<usize> = (first..cosets.min(first + step)).collect();
            let blocks: Vec<(usize, Vec<Slice>)> = match &codeword {
                Some(codeword) => group
                    .iter()
                    .map(|&j| (j, codeword[of(j)].to_vec()))
                    .collect(),
                None => {
                    let scratch = ranges(gpu, group.len() * pieces, block_words)?;
                    let scratch = scratch.chunks_exact(pieces).map(<[Slice]>::to_vec);
                    group.iter().copied().zip(scratch).collect()
                }
            };
            let leaves: Vec<Slice> = match &digests {
                Some(digests) => group
                    .iter()
                    .flat_map(|&j| digests[of(j)].iter().cloned())
                    .collect(),
                None => ranges(gpu, group.len() * pieces, digest_words)?,
            };
            self.encode_and_hash(&mut recorder, message, shape, &blocks, &leaves)?;
            let indices = group.iter().flat_map(|&j| of(j));
            for (block, leaves) in indices.zip(leaves) {
                self.grow(&mut recorder, &mut growing, plan, block, leaves)?;
            }
            if plan.spill {
                // What was made is moved to the host before more is made.
                recorder = self.spill(recorder, &mut growing)?;
            } else if plan.one_coset {
                // Scratch memory comes back when what uses it is submitted.
                recorder.submit()?;
                recorder = gpu.record();
            }
        }
        let (level, _, last) = growing.waiting.pop().expect("all blocks merge into one");
        self.top(
            &mut recorder,
            &mut growing,
            plan,
            log_leaves,
            level,
            &last,
            &root,
        )?;
        let ticket = recorder.read(&root);
        let back = recorder.finish()?;
        let root = back.get(ticket).try_into().expect("a digest was read");
        let levels = growing
            .levels
            .into_iter()
            .map(|blocks| blocks.into_iter().flatten().collect())
            .collect();
        let tree = Tree {
            log_leaves,
            levels,
            plan,
        };
        let rows = match codeword {
            Some(codeword) => Rows::Codeword(codeword),
            None => Rows::Message(message.to_vec()),
        };
        let commitment = Commitment {
            shape,
            log_pieces,
            rows,
            tree,
        };
        Ok((root, commitment))
    }

    /// Encodes cosets, hashing their rows in the same pass where that pays; whether it did.
    fn encode(
        &self,
        recorder: &mut Recorder<'_>,
        message: &Slice,
        shape: Shape,
        blocks: &[(usize, Slice)],
        digests: &[Slice],
    ) -> Result<bool, GpuError> {
        if self.mode == Mode::Split {
            self.ntt.encode(recorder, message, shape, blocks, None)?;
            recorder.cut();
            return Ok(false);
        }
        let leaves = Leaves {
            hashing: &self.hashing,
            digests,
        };
        self.ntt
            .encode(recorder, message, shape, blocks, Some(leaves))
    }

    /// Encodes cosets in pieces and hashes their rows.
    fn encode_and_hash(
        &self,
        recorder: &mut Recorder<'_>,
        message: &[Slice],
        shape: Shape,
        blocks: &[(usize, Vec<Slice>)],
        digests: &[Slice],
    ) -> Result<(), GpuError> {
        let leaves = (self.mode != Mode::Split).then_some(Leaves {
            hashing: &self.hashing,
            digests,
        });
        let hashed = self
            .ntt
            .encode_pieces(recorder, message, shape, blocks, leaves)?;
        if leaves.is_none() {
            recorder.cut();
        }
        if hashed {
            return Ok(());
        }
        let count = (1 << shape.log_rows) / message.len() as u32;
        let pieces = blocks.iter().flat_map(|(_, pieces)| pieces);
        for (rows, digests) in pieces.zip(digests) {
            self.hashing
                .leaves(recorder, rows, shape.width, count, digests)?;
        }
        Ok(())
    }

    /// Adds a block of leaves and merges it with every block that waited for it.
    fn grow(
        &self,
        recorder: &mut Recorder<'_>,
        growing: &mut Growing,
        plan: MemoryPlan,
        mut index: usize,
        mut slice: Slice,
    ) -> Result<(), GpuError> {
        let log_leaves = growing.log_leaves();
        let count = 1_usize << growing.log_rows;
        let mut level = 0;
        loop {
            if plan.stores(level, log_leaves) {
                growing.levels[level][index] = Some(Block::Device(slice.clone()));
            }
            if level == growing.log_blocks {
                break;
            }
            let half = 1 << (growing.log_blocks - level - 1);
            let partner = index ^ half;
            let Some(at) = growing
                .waiting
                .iter()
                .position(|&(l, i, _)| (l, i) == (level, partner))
            else {
                break;
            };
            let (_, _, other) = growing.waiting.swap_remove(at);
            let (left, right) = if index < half {
                (&slice, &other)
            } else {
                (&other, &slice)
            };
            let words = (count * DIGEST) as u64;
            let parents = self.kit.gpu.buffer(words)?.slice(0, words);
            self.hashing
                .compress(recorder, left, right, count as u32, &parents)?;
            (index, slice, level) = (index & (half - 1), parents, level + 1);
        }
        growing.waiting.push((level, index, slice));
        Ok(())
    }

    /// Finishes a tree from its first level of one block.
    fn top(
        &self,
        recorder: &mut Recorder<'_>,
        growing: &mut Growing,
        plan: MemoryPlan,
        log_leaves: usize,
        level: usize,
        slice: &Slice,
        root: &Slice,
    ) -> Result<(), GpuError> {
        let gpu = &self.kit.gpu;
        let mut kept: Vec<Option<Slice>> = vec![None; log_leaves + 1 - level];
        for (above, place) in kept.iter_mut().enumerate().skip(1) {
            if plan.stores(level + above, log_leaves) {
                let words = (DIGEST as u64) << (log_leaves - level - above);
                *place = Some(gpu.buffer(words)?.slice(0, words));
            }
        }
        let log_nodes = log_leaves - level;
        let steps = tree_plan(log_nodes, |above| plan.stores(level + above, log_leaves));
        self.hashing
            .build_tree(recorder, &steps, slice, &kept[1..], root)?;
        for (above, place) in kept.into_iter().enumerate().skip(1) {
            if let Some(place) = place {
                growing.levels[level + above] = vec![Some(Block::Device(place))];
            }
        }
        Ok(())
    }

    /// Runs what was recorded and moves every finished block of the lower levels to the host.
    fn spill<'g>(
        &'g self,
        mut recorder: Recorder<'g>,
        growing: &mut Growing,
    ) -> Result<Recorder<'g>, GpuError> {
        let lower = &mut growing.levels[..growing.log_blocks];
        let mut moved = Vec::new();
        for (level, blocks) in lower.iter().enumerate() {
            for (index, block) in blocks.iter().enumerate() {
                if let Some(Block::Device(slice)) = block {
                    moved.push((level, index, recorder.read(slice)));
                }
            }
        }
        let back = recorder.finish()?;
        for (level, index, ticket) in moved {
            lower[level][index] = Some(Block::Host(back.get(ticket).to_vec()));
        }
        Ok(self.kit.gpu.record())
    }

    /// Opens rows at natural indices.
    ///
    /// # Errors
    /// As the kernels' dispatches.
    pub fn open(
        &self,
        commitment: &Commitment,
        indices: &[usize],
    ) -> Result<OpenedWords, GpuError> {
        let Commitment {
            shape,
            log_pieces,
            rows,
            tree,
        } = commitment;
        let gpu = &self.kit.gpu;
        let log_order = shape.log_rows + shape.log_inv_rate;
        let mut wanted = indices.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        // By stored block: the row within it, and the row's place among the wanted.
        let log_rows = shape.log_rows - log_pieces;
        let mut moves = vec![Vec::new(); 1 << (shape.log_inv_rate + log_pieces)];
        for (place, &index) in wanted.iter().enumerate() {
            let stored = reverse(index, log_order);
            let within = stored & ((1 << log_rows) - 1);
            moves[stored >> log_rows].push((within as u32, place as u32));
        }
        let words = (wanted.len() * shape.width) as u64;
        let out = gpu.buffer(words)?.slice(0, words);
        let mut recorder = gpu.record();
        match rows {
            Rows::Codeword(blocks) => {
                for (block, moves) in blocks.iter().zip(&moves) {
                    gather::gather(&self.kit, &mut recorder, block, shape.width, moves, &out)?;
                }
            }
            Rows::Message(message) => {
                let pieces = message.len();
                let scratch = ranges(gpu, pieces, (shape.width as u64) << log_rows)?;
                for (block, moves) in moves.chunks_exact(pieces).enumerate() {
                    if moves.iter().all(Vec::is_empty) {
                        continue;
                    }
                    let coset = [(reverse(block, shape.log_inv_rate), scratch.clone())];
                    self.ntt
                        .encode_pieces(&mut recorder, message, *shape, &coset, None)?;
                    for (rows, moves) in scratch.iter().zip(moves) {
                        gather::gather(&self.kit, &mut recorder, rows, shape.width, moves, &out)?;
                    }
                }
            }
        }
        let ticket = recorder.read(&out);
        let pending = tree.open(&self.kit, &self.hashing, &mut recorder, indices)?;
        let back = recorder.finish()?;
        let found = back.get(ticket);
        let rows = indices
            .iter()
            .flat_map(|index| {
                let place = wanted.binary_search(index).expect("every index is wanted");
                &found[place * shape.width..][..shape.width]
            })
            .copied()
            .collect();
        Ok(OpenedWords {
            rows,
            siblings: pending.digests(&back),
        })
    }
}
