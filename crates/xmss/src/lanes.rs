//! The tweakable hash over sixteen lanes.

use prova_hash::blake2s::{Kernel, LANES, Lanes};

use crate::blake2s::INITIAL_STATE;
use crate::layout::{Layout, Purpose};
use crate::tweak::Words;

/// A digest a lane.
pub(crate) type LaneWords = [Lanes; 4];

/// A tweak a lane.
#[inline]
pub(crate) fn tweak_lanes<L: Layout>(purpose: Purpose, sub: &Lanes, index: &Lanes) -> LaneWords {
    L::tweaks(purpose, &sub.0, &index.0).map(Lanes)
}

/// Lanes from one digest each.
#[inline]
pub(crate) fn gather(digests: &[Words; LANES]) -> LaneWords {
    core::array::from_fn(|w| Lanes(core::array::from_fn(|lane| digests[lane][w])))
}

/// The digest in one lane.
#[inline]
pub(crate) fn get_lane(words: &LaneWords, lane: usize) -> Words {
    core::array::from_fn(|w| words[w].0[lane])
}

/// Sets the digest in one lane.
#[inline]
pub(crate) fn set_lane(to: &mut LaneWords, lane: usize, words: Words) {
    for (to, word) in to.iter_mut().zip(words) {
        to.0[lane] = word;
    }
}

/// [`Sponge`](crate::tweak::Sponge) in lanes.
pub(crate) struct LaneSponge {
    kernel: Kernel,
    state: [Lanes; 8],
    block: [Lanes; 16],
    filled: usize,
    bytes: u64,
}

impl LaneSponge {
    /// Starts with the tweaks and the public parameters.
    #[inline]
    pub(crate) fn new(kernel: Kernel, tweak: &LaneWords, parameter: &LaneWords) -> Self {
        let mut sponge = Self {
            kernel,
            state: Lanes::splat_all(&INITIAL_STATE),
            block: [Lanes::default(); 16],
            filled: 0,
            bytes: 0,
        };
        sponge.push(tweak);
        sponge.push(parameter);
        sponge
    }

    #[inline]
    pub(crate) fn push(&mut self, words: &LaneWords) {
        if self.filled == 4 {
            self.kernel
                .compress(&mut self.state, &self.block, self.bytes, false);
            self.block = [Lanes::default(); 16];
            self.filled = 0;
        }
        self.block[4 * self.filled..][..4].copy_from_slice(words);
        self.filled += 1;
        self.bytes += 16;
    }

    /// The first sixteen bytes of the digests.
    #[inline]
    pub(crate) fn finish(&mut self) -> LaneWords {
        self.kernel
            .compress(&mut self.state, &self.block, self.bytes, true);
        core::array::from_fn(|w| self.state[w])
    }
}

/// Chain steps in lanes, all in the same buffers.
pub(crate) struct LaneSteps {
    kernel: Kernel,
    pub(crate) state: [Lanes; 8],
    pub(crate) block: [Lanes; 16],
    epochs: Lanes,
}

impl LaneSteps {
    /// Steps of these epochs under these public parameters.
    pub(crate) fn new(kernel: Kernel, parameter: &LaneWords, epochs: &Lanes) -> Self {
        let mut block = [Lanes::default(); 16];
        block[4..8].copy_from_slice(parameter);
        Self {
            kernel,
            state: [Lanes::default(); 8],
            block,
            epochs: *epochs,
        }
    }

    /// One step from each lane's sub-position.
    #[inline]
    pub(crate) fn step<L: Layout>(&mut self, sub: &Lanes, values: &mut LaneWords) {
        let tweak = tweak_lanes::<L>(Purpose::ChainStep, sub, &self.epochs);
        self.block[..4].copy_from_slice(&tweak);
        self.block[8..12].copy_from_slice(values);
        self.state = Lanes::splat_all(&INITIAL_STATE);
        self.kernel.compress(&mut self.state, &self.block, 48, true);
        values.copy_from_slice(&self.state[..4]);
    }
}
