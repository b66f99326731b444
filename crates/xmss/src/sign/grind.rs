//! The search for a randomizer that gives an encoding.

use core::ops::Range;

use prova_hash::blake2s::{Kernel, LANES, Lanes};
use prova_hash::grind::smallest;
use zeroize::Zeroizing;

use super::derive::{Secret, SigningLayout, Trials, Words8, words8};
use super::leaf::wipe;
use crate::blake2s::{Blake2s, INITIAL_STATE, compress};
use crate::encoding::{Digits, check, encode_with};
use crate::lanes::get_lane;
use crate::layout::Purpose;
use crate::params::{MESSAGE_BYTES, RANDOMIZER_BYTES};

/// Trials before the search is given up.
pub(crate) const MAX_TRIALS: u64 = 1 << 32;

/// Trials one task searches.
const TASK: u64 = 128 * LANES as u64;

/// The search at one epoch for one message.
///
/// How long it takes tells how many trials failed. Their randomizers are pseudo-random and never
/// published, so that number says nothing about the seed.
pub(crate) struct Search<'a, L> {
    secret: &'a Secret<L>,
    epoch: u32,
    message: &'a [u8; MESSAGE_BYTES],
}

impl<'a, L: SigningLayout> Search<'a, L> {
    pub(crate) const fn new(
        secret: &'a Secret<L>,
        epoch: u32,
        message: &'a [u8; MESSAGE_BYTES],
    ) -> Self {
        Self {
            secret,
            epoch,
            message,
        }
    }

    /// The smallest admissible trial, searched over the current rayon pool.
    pub(crate) fn run(&self, kernel: Kernel) -> Option<u64> {
        smallest(MAX_TRIALS, TASK, |from, to| self.find(kernel, from..to))
    }

    /// The smallest admissible trial of a range, in lanes.
    pub(crate) fn find(&self, kernel: Kernel, range: Range<u64>) -> Option<u64> {
        let mut first = self.trials().first.map(|block| Lanes::splat_all(&block));
        let mut last = Lanes::splat_all(&self.trials().last);
        let (bytes, word) = (self.trials().bytes, self.trials().trial_word);
        let mut before = Lanes::splat_all(&self.secret.state);
        let encoding = Lanes::splat_all(&self.encoding_state());

        let mut found = None;
        let mut trial = range.start;
        while found.is_none() && trial < range.end {
            let numbers = Lanes(core::array::from_fn(|l| (trial + l as u64) as u32));
            let mut state = before;
            if let Some(first) = &mut first {
                first[word] = numbers;
                kernel.compress(&mut state, first, 64, false);
            } else {
                last[word] = numbers;
            }
            kernel.compress(&mut state, &last, bytes, true);

            let mut block = [Lanes::default(); 16];
            block[..6].copy_from_slice(&state[..6]);
            let mut state = encoding;
            kernel.compress(&mut state, &block, 96, true);
            let [_, b, _, d, ..] = &state;
            let digest = [state[0], state[1], state[2], state[3]];
            found = (0..LANES)
                .filter(|&l| (b.0[l] | d.0[l]) >> 31 == 0)
                .find(|&l| check(get_lane(&digest, l)).is_ok())
                .map(|l| trial + l as u64)
                .filter(|&trial| trial < range.end);
            trial += LANES as u64;
        }
        first.iter_mut().for_each(|block| wipe(block));
        wipe(&mut last);
        // Of a keyed layout this is as good as the seed.
        wipe(&mut before);
        found
    }

    /// The smallest admissible trial of a range, one after another: the reference of
    /// [`find`](Self::find).
    pub(crate) fn find_scalar(&self, mut range: Range<u64>) -> Option<u64> {
        range.find(|&trial| self.encoding(&self.randomizer(trial)).is_some())
    }

    /// The digits under a randomizer, where it is admissible.
    pub(crate) fn encoding(&self, randomizer: &[u8; RANDOMIZER_BYTES]) -> Option<Digits> {
        let parameter = self.secret.parameter;
        encode_with::<L>(
            &mut Blake2s,
            parameter,
            self.epoch,
            self.message,
            randomizer,
        )
        .ok()
    }

    /// The randomizer of a trial.
    pub(crate) fn randomizer(&self, trial: u64) -> [u8; RANDOMIZER_BYTES] {
        let mut trials = self.trials();
        let mut state: Words8 = *self.secret.state;
        if let Some(first) = &mut trials.first {
            first[trials.trial_word] = trial as u32;
            compress(&mut state, first, 64, false);
        } else {
            trials.last[trials.trial_word] = trial as u32;
        }
        compress(&mut state, &trials.last, trials.bytes, true);
        let mut randomizer = [0; RANDOMIZER_BYTES];
        for (to, word) in randomizer.as_chunks_mut::<4>().0.iter_mut().zip(state) {
            *to = word.to_le_bytes();
        }
        randomizer
    }

    fn trials(&self) -> Trials {
        let (seed, parameter) = (&self.secret.seed, self.secret.parameter);
        L::trials(seed, parameter, self.epoch, &words8(self.message))
    }

    /// The state of an encoding after the block that all trials share.
    fn encoding_state(&self) -> Words8 {
        let mut block = Zeroizing::new([0; 16]);
        block[..4].copy_from_slice(&L::tweak(Purpose::Encoding, 0, self.epoch));
        block[4..8].copy_from_slice(&self.secret.parameter);
        block[8..].copy_from_slice(&words8(self.message));
        let mut state = INITIAL_STATE;
        compress(&mut state, &block, 64, false);
        state
    }
}
