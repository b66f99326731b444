//! What a key derives from its seed: the two layouts differ most here.

use core::marker::PhantomData;

use zeroize::{Zeroize, Zeroizing};

use crate::blake2s::{INITIAL_STATE, compress};
use crate::layout::{Ethereum, Layout, LeanVmB, ethereum_tweak};
use crate::params::{MESSAGE_BYTES, SEED_BYTES};
use crate::tweak::Words;

/// Little-endian words of a seed or a message.
pub(crate) type Words8 = [u32; 8];

/// The block of a secret hash call, and the number of bytes hashed with it.
pub type SecretBlock = (Zeroizing<[u32; 16]>, u64);

/// A layout with its way to derive secrets. Each secret is the start of one digest whose last
/// block is given here; its state before that block is [`secret_state`](Self::secret_state).
pub trait SigningLayout: Layout {
    /// The state before the block of start, parameter or filler.
    #[doc(hidden)]
    fn secret_state(seed: &Words8) -> Words8;

    /// The start of a chain.
    #[doc(hidden)]
    fn start(seed: &Words8, parameter: Words, chain: u32, epoch: u32) -> SecretBlock;

    /// The public parameter.
    #[doc(hidden)]
    fn parameter(seed: &Words8) -> SecretBlock;

    /// A node over epochs outside the window.
    #[doc(hidden)]
    fn filler(seed: &Words8, parameter: Words, level: u32, index: u32) -> SecretBlock;

    /// The randomizers of all trials.
    #[doc(hidden)]
    fn trials(seed: &Words8, parameter: Words, epoch: u32, message: &Words8) -> Trials;
}

/// The hash call of a randomizer, with zero for the number of its trial.
#[doc(hidden)]
pub struct Trials {
    /// The block before the last, where there is one.
    pub first: Option<Zeroizing<[u32; 16]>>,
    /// The last block.
    pub last: Zeroizing<[u32; 16]>,
    /// Bytes hashed.
    pub bytes: u64,
    /// The word that takes the number of the trial: of the first block, where there is one.
    pub trial_word: usize,
}

fn join(head: Words, parameter: Words, tail: &Words8) -> Zeroizing<[u32; 16]> {
    let mut block = Zeroizing::new([0; 16]);
    block[..4].copy_from_slice(&head);
    block[4..8].copy_from_slice(&parameter);
    block[8..].copy_from_slice(tail);
    block
}

impl SigningLayout for Ethereum {
    fn secret_state(_: &Words8) -> Words8 {
        INITIAL_STATE
    }

    fn start(seed: &Words8, parameter: Words, chain: u32, epoch: u32) -> SecretBlock {
        (join(ethereum_tweak(0, chain, epoch), parameter, seed), 64)
    }

    fn parameter(seed: &Words8) -> SecretBlock {
        (join(ethereum_tweak(5, 0, 0), [0; 4], seed), 64)
    }

    fn filler(seed: &Words8, parameter: Words, level: u32, index: u32) -> SecretBlock {
        (join(ethereum_tweak(6, level, index), parameter, seed), 64)
    }

    fn trials(seed: &Words8, parameter: Words, epoch: u32, message: &Words8) -> Trials {
        let mut last = Zeroizing::new([0; 16]);
        last[..8].copy_from_slice(message);
        Trials {
            first: Some(join(ethereum_tweak(7, 0, epoch), parameter, seed)),
            last,
            bytes: 96,
            trial_word: 1,
        }
    }
}

/// A keyed hash of a domain and two 64-bit numbers.
fn leanvm_b_block(domain: u32, a: u32, b: u32) -> SecretBlock {
    let mut block = Zeroizing::new([0; 16]);
    block[0] = domain;
    block[1] = a;
    block[3] = b;
    (block, 64 + 20)
}

impl SigningLayout for LeanVmB {
    fn secret_state(seed: &Words8) -> Words8 {
        let mut state = INITIAL_STATE;
        state[0] ^= (SEED_BYTES as u32) << 8;
        let mut block = Zeroizing::new([0; 16]);
        block[..8].copy_from_slice(seed);
        compress(&mut state, &block, 64, false);
        state
    }

    fn start(_: &Words8, _: Words, chain: u32, epoch: u32) -> SecretBlock {
        leanvm_b_block(1000, epoch, chain)
    }

    fn parameter(_: &Words8) -> SecretBlock {
        leanvm_b_block(1001, 0, 0)
    }

    fn filler(_: &Words8, _: Words, level: u32, index: u32) -> SecretBlock {
        leanvm_b_block(1002, level, index)
    }

    /// Ours, in a domain of its own: the signer of leanVM-b draws randomizers at random, which no
    /// verifier can tell apart.
    fn trials(_: &Words8, _: Words, epoch: u32, message: &Words8) -> Trials {
        let (mut last, bytes) = leanvm_b_block(1003, epoch, 0);
        last[5..13].copy_from_slice(message);
        Trials {
            first: None,
            last,
            bytes: bytes + MESSAGE_BYTES as u64,
            trial_word: 3,
        }
    }
}

/// The seed of a key, and its public parameter.
pub(crate) struct Secret<L> {
    pub(crate) seed: Zeroizing<Words8>,
    pub(crate) state: Zeroizing<Words8>,
    pub(crate) parameter: Words,
    layout: PhantomData<L>,
}

impl<L: SigningLayout> Secret<L> {
    pub(crate) fn new(seed: &[u8; SEED_BYTES]) -> Self {
        let seed = Zeroizing::new(words8(seed));
        let mut secret = Self {
            state: Zeroizing::new(L::secret_state(&seed)),
            seed,
            parameter: [0; 4],
            layout: PhantomData,
        };
        secret.parameter = secret.hash(&L::parameter(&secret.seed));
        secret
    }

    /// Start of a chain.
    pub(crate) fn start(&self, chain: u32, epoch: u32) -> Words {
        self.hash(&L::start(&self.seed, self.parameter, chain, epoch))
    }

    /// Node over epochs outside the window.
    pub(crate) fn filler(&self, level: u32, index: u32) -> Words {
        self.hash(&L::filler(&self.seed, self.parameter, level, index))
    }

    fn hash(&self, (block, bytes): &SecretBlock) -> Words {
        let mut state = *self.state;
        compress(&mut state, block, *bytes, true);
        let [a, b, c, d, ..] = state;
        state.zeroize();
        [a, b, c, d]
    }
}

/// Little-endian words of 32 bytes.
pub(crate) fn words8(bytes: &[u8; 32]) -> Words8 {
    let (words, _) = bytes.as_chunks::<4>();
    core::array::from_fn(|w| u32::from_le_bytes(words[w]))
}
