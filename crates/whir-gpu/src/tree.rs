//! Merkle trees on the device: which levels are kept, and how siblings are found again.
//!
//! Levels are in bit-reversed order, as in `prova-merkle`: of a level of `n` digests, the parent at
//! position `i` has its children at `i` and `i + n/2` of the level below. A codeword of `2^r`
//! cosets has `2^r` blocks of leaves, and the blocks `b` and `b + 2^(r-1)` merge position by
//! position, `r` times over, until one block is left.

use prova_gpu::hash::Hashing;
use prova_gpu::{Gpu, GpuError, Kit, ReadBack, Recorder, Slice, Ticket, gather};

use crate::plan::MemoryPlan;

/// Words of a digest.
pub const DIGEST: usize = 8;
/// Digests that an aligned range holds a multiple of.
const ALIGNED: usize = 8;

/// Digests of a block of a level.
#[derive(Clone, Debug)]
pub enum Block {
    /// On the device.
    Device(Slice),
    /// In host memory.
    Host(Vec<u32>),
}

/// A tree over `2^log_leaves` leaves.
#[derive(Clone, Debug)]
pub struct Tree {
    /// `log2` of the number of leaves.
    pub log_leaves: usize,
    /// Blocks of each level from the leaves up; none where a level is not stored. The blocks of a
    /// level are equally long.
    pub levels: Vec<Vec<Block>>,
    /// Which levels those are.
    pub plan: MemoryPlan,
}

/// The position of natural index `i` among `2^log`, and the other way round.
#[must_use]
pub const fn reverse(i: usize, log: usize) -> usize {
    match log {
        0 => i,
        _ => i.reverse_bits() >> (usize::BITS as usize - log),
    }
}

/// `count` ranges of `words` words, in as few buffers as the limits allow. Ranges of one buffer
/// follow each other without gaps.
pub fn ranges(gpu: &Gpu, count: usize, words: u64) -> Result<Vec<Slice>, GpuError> {
    let limits = gpu.limits();
    let most = limits.buffer.min(limits.binding).min(1 << 32) / 4;
    let aligned = (4 * words).is_multiple_of(limits.alignment);
    let together = if aligned {
        (most / words.max(1)).clamp(1, count as u64) as usize
    } else {
        1
    };
    let mut list = Vec::with_capacity(count);
    while list.len() < count {
        let now = together.min(count - list.len());
        let buffer = gpu.buffer(words * now as u64)?;
        list.extend((0..now as u64).map(|i| buffer.slice(i * words, words)));
    }
    Ok(list)
}

/// Digests waiting to be hashed up to the level they are wanted on.
struct Class {
    /// How many levels up.
    height: usize,
    /// Place of each node in the answer.
    answers: Vec<usize>,
    /// Level and position of each node.
    nodes: Vec<(usize, usize)>,
}

/// Siblings that were asked for and are on their way.
pub struct Pending {
    classes: Vec<(Ticket, Vec<usize>)>,
    count: usize,
}

impl Pending {
    /// The digests, in wire order.
    #[must_use]
    pub fn digests(&self, back: &ReadBack) -> Vec<[u32; DIGEST]> {
        let mut digests = vec![[0; DIGEST]; self.count];
        for (ticket, answers) in &self.classes {
            for (words, &answer) in back.get(*ticket).chunks_exact(DIGEST).zip(answers) {
                digests[answer].copy_from_slice(words);
            }
        }
        digests
    }
}

impl Tree {
    /// Records the collection of the siblings that authenticate the leaves of `indices` (natural
    /// indices, repetitions allowed), those of levels that are not stored hashed again.
    ///
    /// # Errors
    /// As the kernels' dispatches.
    pub fn open(
        &self,
        kit: &Kit,
        hashing: &Hashing,
        recorder: &mut Recorder<'_>,
        indices: &[usize],
    ) -> Result<Pending, GpuError> {
        let nodes = prova_merkle::siblings(self.log_leaves, indices);
        let mut classes: Vec<Class> = Vec::new();
        for (answer, &(level, index)) in nodes.iter().enumerate() {
            let below = self.plan.stored_below(level, self.log_leaves);
            let height = level - below;
            let position = reverse(index, self.log_leaves - level);
            let at = classes.iter().position(|class| class.height == height);
            let class = match at {
                Some(at) => &mut classes[at],
                None => {
                    classes.push(Class {
                        height,
                        answers: Vec::new(),
                        nodes: Vec::new(),
                    });
                    classes.last_mut().expect("one was just pushed")
                }
            };
            class.answers.push(answer);
            class.nodes.push((level, position));
        }
        let mut pending = Vec::with_capacity(classes.len());
        for class in classes {
            let ticket = self.collect(kit, hashing, recorder, &class)?;
            pending.push((ticket, class.answers));
        }
        Ok(Pending {
            classes: pending,
            count: nodes.len(),
        })
    }

    /// Gathers the descendants of a class's nodes and hashes them up.
    fn collect(
        &self,
        kit: &Kit,
        hashing: &Hashing,
        recorder: &mut Recorder<'_>,
        class: &Class,
    ) -> Result<Ticket, GpuError> {
        let gpu = &kit.gpu;
        // Descendant `k` of node `i` is item `k * stride + i`: again the order in which halves
        // merge position by position.
        let stride = class.nodes.len().next_multiple_of(ALIGNED);
        let words = (stride * DIGEST) as u64;
        let mut current = gpu
            .buffer(words << class.height)?
            .slice(0, words << class.height);
        let mut moves: Vec<Vec<Vec<(u32, u32)>>> = self
            .levels
            .iter()
            .map(|blocks| vec![Vec::new(); blocks.len()])
            .collect();
        for (i, &(level, position)) in class.nodes.iter().enumerate() {
            let below = level - class.height;
            let log_block =
                self.log_leaves - below - self.levels[below].len().trailing_zeros() as usize;
            for k in 0..1 << class.height {
                let from = position + (k << (self.log_leaves - level));
                let within = from & ((1 << log_block) - 1);
                let to = (k * stride + i) as u32;
                moves[below][from >> log_block].push((within as u32, to));
            }
        }
        let mut hosted: Vec<u32> = Vec::new();
        let mut hosted_moves = Vec::new();
        for (blocks, lists) in self.levels.iter().zip(&moves) {
            for (block, list) in blocks.iter().zip(lists) {
                match block {
                    Block::Device(slice) => {
                        gather::gather(kit, recorder, slice, DIGEST, list, &current)?;
                    }
                    Block::Host(words) => {
                        for &(from, to) in list {
                            hosted_moves.push(((hosted.len() / DIGEST) as u32, to));
                            let at = from as usize * DIGEST;
                            hosted.extend_from_slice(&words[at..at + DIGEST]);
                        }
                    }
                }
            }
        }
        if !hosted.is_empty() {
            let uploaded = gpu.upload(&hosted)?;
            gather::gather(
                kit,
                recorder,
                &uploaded.all(),
                DIGEST,
                &hosted_moves,
                &current,
            )?;
        }
        for _ in 0..class.height {
            let half = current.words() / 2;
            let parents = gpu.buffer(half)?.slice(0, half);
            let (left, right) = (current.slice(0, half), current.slice(half, half));
            hashing.compress(
                recorder,
                &left,
                &right,
                (half / DIGEST as u64) as u32,
                &parents,
            )?;
            current = parents;
        }
        Ok(recorder.read(&current.slice(0, (class.nodes.len() * DIGEST) as u64)))
    }
}
