//! Many signatures at once: sixteen side by side in vector lanes, over the current rayon pool.
//!
//! All admissible signatures take the same number of chain steps, so each lane walks its own chains one
//! after another, and no lane waits for another.

use std::vec::Vec;

use prova_hash::blake2s::{Kernel, LANES, Lanes};
use rayon::prelude::*;

use crate::blake2s::Blake2s;
use crate::encoding::{Digits, digits, randomizer_words};
use crate::error::Rejected;
use crate::lanes::{LaneSponge, LaneSteps, LaneWords, gather, get_lane, set_lane, tweak_lanes};
use crate::layout::{Ethereum, Layout, Purpose};
use crate::params::{CHAIN_STEPS, CHAINS, MESSAGE_BYTES, VERIFIER_STEPS};
use crate::tweak::{Words, to_bytes, to_words};
use crate::types::{PublicKey, Signature};
use crate::verify::verify_with;

/// A signature with what it is claimed to sign.
#[derive(Clone, Copy, Debug)]
pub struct Signed<'a> {
    /// Whose.
    pub key: &'a PublicKey,
    /// When.
    pub epoch: u32,
    /// What.
    pub message: &'a [u8; MESSAGE_BYTES],
    /// The signature.
    pub signature: &'a Signature,
}

/// One signature of a batch that is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("signature {index}: {reason}")]
pub struct BadSignature {
    /// Position in the batch.
    pub index: usize,
    /// What is wrong with it.
    pub reason: Rejected,
}

/// The signatures of a batch that are not valid: at least one, in order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} of {total} signatures are not valid, the first is {}", .bad.len(), first_index(.bad))]
pub struct BadSignatures {
    /// Each bad one.
    pub bad: Vec<BadSignature>,
    /// Signatures in the batch.
    pub total: usize,
}

fn first_index(bad: &[BadSignature]) -> usize {
    bad.first().map_or(0, |bad| bad.index)
}

/// Signatures one task verifies.
const TASK: usize = 8 * LANES;

/// A group this small is verified one by one: spare lanes would cost more.
const FEW: usize = 2;

/// Verifies each signature; accepts and rejects exactly as [`PublicKey::verify`].
///
/// # Errors
/// If any is not valid: which ones, and why.
pub fn verify_batch(items: &[Signed<'_>]) -> Result<(), BadSignatures> {
    verify_batch_with::<Ethereum>(Kernel::best(), items)
}

/// As [`verify_batch`], in any layout and with any kernel.
///
/// # Errors
/// If any is not valid: which ones, and why.
pub fn verify_batch_with<L: Layout>(
    kernel: Kernel,
    items: &[Signed<'_>],
) -> Result<(), BadSignatures> {
    let tasks = items.par_chunks(TASK).enumerate();
    let bad: Vec<BadSignature> = tasks
        .flat_map_iter(|(task, items)| {
            let reasons = verify_task::<L>(kernel, items).into_iter().enumerate();
            reasons.filter_map(move |(i, reason)| {
                let index = task * TASK + i;
                reason.err().map(|reason| BadSignature { index, reason })
            })
        })
        .collect();
    let total = items.len();
    if bad.is_empty() {
        Ok(())
    } else {
        Err(BadSignatures { bad, total })
    }
}

/// An admissible signature with its digits.
type Admissible<'a> = (usize, &'a Signed<'a>, Digits);

fn verify_task<L: Layout>(kernel: Kernel, items: &[Signed<'_>]) -> Vec<Result<(), Rejected>> {
    let mut verdicts = Vec::with_capacity(items.len());
    let mut admissible: Vec<Admissible<'_>> = Vec::with_capacity(items.len());
    for group in items.chunks(LANES) {
        let digests = encodings::<L>(kernel, group);
        for (l, item) in group.iter().enumerate() {
            match digits(get_lane(&digests, l)) {
                Ok(digits) => {
                    admissible.push((verdicts.len(), item, digits));
                    verdicts.push(Ok(()));
                }
                Err(reason) => verdicts.push(Err(reason.into())),
            }
        }
    }
    for group in admissible.chunks(LANES) {
        if group.len() <= FEW {
            for (index, item, _) in group {
                let (key, message) = (item.key, item.message);
                verdicts[*index] =
                    verify_with::<L>(&mut Blake2s, key, item.epoch, message, item.signature);
            }
        } else {
            let roots = roots::<L>(kernel, group);
            for (l, (index, item, _)) in group.iter().enumerate() {
                if to_bytes(get_lane(&roots, l)) != item.key.root {
                    verdicts[*index] = Err(Rejected::Root);
                }
            }
        }
    }
    verdicts
}

/// `value(i)` in lane `i`; spare lanes repeat the last of `count`.
fn per_lane<T>(count: usize, value: impl Fn(usize) -> T) -> [T; LANES] {
    core::array::from_fn(|lane| value(lane.min(count - 1)))
}

/// The digests whose digits are the encodings of up to sixteen messages.
fn encodings<L: Layout>(kernel: Kernel, items: &[Signed<'_>]) -> LaneWords {
    let words =
        |get: &dyn Fn(&Signed<'_>) -> Words| gather(&per_lane(items.len(), |i| get(&items[i])));
    let epochs = Lanes(per_lane(items.len(), |i| items[i].epoch));
    let parameter = words(&|item| to_words(&item.key.parameter));
    let tweak = tweak_lanes::<L>(Purpose::Encoding, &Lanes::splat(0), &epochs);
    let mut sponge = LaneSponge::new(kernel, &tweak, &parameter);
    for half in 0..2 {
        sponge.push(&words(&|item| to_words(&item.message.as_chunks().0[half])));
    }
    for half in 0..2 {
        sponge.push(&words(&|item| {
            randomizer_words(&item.signature.randomizer)[half]
        }));
    }
    sponge.finish()
}

/// The roots that up to sixteen admissible signatures lead to.
fn roots<L: Layout>(kernel: Kernel, group: &[Admissible<'_>]) -> LaneWords {
    let count = group.len();
    let epochs = Lanes(per_lane(count, |i| group[i].1.epoch));
    let parameter = gather(&per_lane(count, |i| to_words(&group[i].1.key.parameter)));
    let mut values = [[Lanes::default(); 4]; CHAINS];
    for (l, signature) in per_lane(count, |i| group[i].1.signature).iter().enumerate() {
        for (value, bytes) in values.iter_mut().zip(&signature.chains) {
            set_lane(value, l, to_words(bytes));
        }
    }
    let digits = per_lane(count, |i| &group[i].2);
    walk::<L>(
        LaneSteps::new(kernel, &parameter, &epochs),
        digits,
        &mut values,
    );

    let tweak = tweak_lanes::<L>(Purpose::Leaf, &Lanes::splat(0), &epochs);
    let mut sponge = LaneSponge::new(kernel, &tweak, &parameter);
    for ends in &values {
        sponge.push(ends);
    }
    let leaf = sponge.finish();
    climb::<L>(kernel, &epochs, &parameter, leaf, group)
}

/// Where each lane is.
struct Walk<'a> {
    digits: [&'a Digits; LANES],
    /// Chains each lane has yet to look at start here.
    next: [usize; LANES],
    /// Sub-positions `8 * chain + position`.
    sub: Lanes,
    current: LaneWords,
    /// Which lanes have come to the end of a chain before each step, and after the last.
    due: [u16; VERIFIER_STEPS + 1],
}

impl Walk<'_> {
    /// Takes a lane to its next chain that is not at its end already.
    fn enter(&mut self, lane: usize, step: usize, values: &[LaneWords; CHAINS]) {
        let digits = self.digits[lane].iter().enumerate().skip(self.next[lane]);
        let below = |(_, digit): &(usize, &u8)| **digit < CHAIN_STEPS;
        if let Some((chain, &digit)) = { digits }.find(below) {
            self.next[lane] = chain + 1;
            self.sub.0[lane] = 8 * chain as u32 + u32::from(digit);
            self.due[step + usize::from(CHAIN_STEPS - digit)] |= 1 << lane;
            set_lane(&mut self.current, lane, get_lane(&values[chain], lane));
        }
    }

    /// Puts the end of a lane's chain in its place.
    fn leave(&self, lane: usize, values: &mut [LaneWords; CHAINS]) {
        if let Some(chain) = self.next[lane].checked_sub(1) {
            set_lane(&mut values[chain], lane, get_lane(&self.current, lane));
        }
    }
}

/// Takes the values of all chains to their ends, in place.
fn walk<L: Layout>(
    mut steps: LaneSteps,
    digits: [&Digits; LANES],
    values: &mut [LaneWords; CHAINS],
) {
    let mut walk = Walk {
        digits,
        next: [0; LANES],
        sub: Lanes::default(),
        current: [Lanes::default(); 4],
        due: [0; VERIFIER_STEPS + 1],
    };
    walk.due[0] = u16::MAX;
    for step in 0..VERIFIER_STEPS {
        for lane in set_bits(walk.due[step]) {
            walk.leave(lane, values);
            walk.enter(lane, step, values);
        }
        steps.step::<L>(&walk.sub, &mut walk.current);
        walk.sub = Lanes(walk.sub.0.map(|sub| sub + 1));
    }
    (0..LANES).for_each(|lane| walk.leave(lane, values));
}

/// Numbers of the bits that are one.
fn set_bits(mut mask: u16) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        bit
    })
}

fn climb<L: Layout>(
    kernel: Kernel,
    epochs: &Lanes,
    parameter: &LaneWords,
    leaf: LaneWords,
    group: &[Admissible<'_>],
) -> LaneWords {
    let mut own = leaf;
    let mut index = *epochs;
    for level in 0..crate::params::TREE_HEIGHT {
        let siblings = per_lane(group.len(), |i| to_words(&group[i].1.signature.path[level]));
        let (mut left, mut right) = (own, gather(&siblings));
        for (left, right) in left.iter_mut().zip(&mut right) {
            for l in 0..LANES {
                // All ones where the own node is the right child.
                let swap = (index.0[l] & 1).wrapping_neg() & (left.0[l] ^ right.0[l]);
                left.0[l] ^= swap;
                right.0[l] ^= swap;
            }
        }
        index = Lanes(index.0.map(|index| index >> 1));
        let levels = Lanes::splat(level as u32 + 1);
        let tweak = tweak_lanes::<L>(Purpose::Node, &levels, &index);
        let mut sponge = LaneSponge::new(kernel, &tweak, parameter);
        sponge.push(&left);
        sponge.push(&right);
        own = sponge.finish();
    }
    own
}
