//! One-time keys of sixteen epochs at once.

use prova_hash::blake2s::{Kernel, LANES, Lanes};
use zeroize::Zeroize;

use super::derive::{Secret, SigningLayout};
use crate::lanes::{LaneSponge, LaneSteps, LaneWords, get_lane, tweak_lanes};
use crate::layout::Purpose;
use crate::params::{CHAIN_STEPS, CHAINS};
use crate::tweak::Words;

/// Overwrites lanes that held secrets.
pub(crate) fn wipe(lanes: &mut [Lanes]) {
    for word in lanes {
        word.0.zeroize();
    }
}

/// The leaves of sixteen epochs.
///
/// Every value before the end of a chain is secret. The lanes run the same instructions on the
/// same addresses whatever they are.
pub(crate) fn leaves<L: SigningLayout>(
    kernel: Kernel,
    secret: &Secret<L>,
    epochs: &Lanes,
) -> [Words; LANES] {
    let parameter = Lanes::splat_all(&secret.parameter);
    let leaf_tweak = tweak_lanes::<L>(Purpose::Leaf, &Lanes::splat(0), epochs);
    let mut leaf = LaneSponge::new(kernel, &leaf_tweak, &parameter);
    let mut steps = LaneSteps::new(kernel, &parameter, epochs);
    let mut start = [Lanes::default(); 16];
    for chain in 0..CHAINS as u32 {
        let mut value = starts(kernel, secret, chain, epochs, &mut start);
        for position in 0..u32::from(CHAIN_STEPS) {
            steps.step::<L>(&Lanes::splat(8 * chain + position), &mut value);
        }
        leaf.push(&value);
    }
    for secret in [&mut start[..], &mut steps.state, &mut steps.block] {
        wipe(secret);
    }
    let leaves = leaf.finish();
    core::array::from_fn(|l| get_lane(&leaves, l))
}

/// The starts of one chain at sixteen epochs; `block` lends its memory.
fn starts<L: SigningLayout>(
    kernel: Kernel,
    secret: &Secret<L>,
    chain: u32,
    epochs: &Lanes,
    block: &mut [Lanes; 16],
) -> LaneWords {
    let mut state = Lanes::splat_all(&secret.state);
    let mut bytes = 0;
    for (l, &epoch) in epochs.0.iter().enumerate() {
        let (words, counter) = L::start(&secret.seed, secret.parameter, chain, epoch);
        bytes = counter;
        for (to, word) in block.iter_mut().zip(words.iter()) {
            to.0[l] = *word;
        }
    }
    kernel.compress(&mut state, block, bytes, true);
    let value = core::array::from_fn(|w| state[w]);
    wipe(&mut state);
    value
}
