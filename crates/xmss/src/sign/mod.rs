//! Key generation and signing, without memory of used epochs.
//!
//! A key can sign at the epochs of its window. The subtrees over other epochs are filled with one
//! pseudo-random node each, so the root depends on the window.
//!
//! **Time and secrets.** What touches the seed, chain starts or unrevealed chain values is BLAKE2s
//! alone: additions, exclusive ors and rotations by constants, on addresses that do not depend on
//! them. How often a chain is stepped depends on the digits, and the search for a randomizer on
//! how many failed; the digits are public, and the failures are pseudo-random and unpublished.
//! Buffers with secrets are overwritten when they are done with; copies in registers, or spilled
//! by the compiler, are not.

mod derive;
mod grind;
mod leaf;
mod observer;
mod tree;
mod window;

use core::fmt;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use std::vec::Vec;

use prova_hash::blake2s::Kernel;
use rayon::prelude::*;
use zeroize::Zeroizing;

use self::derive::Secret;
pub use self::derive::SigningLayout;
use self::grind::Search;
pub use self::observer::{Cancelled, Observer, Unobserved};
use self::tree::{Level, Tree, live_leaves, subtree};
pub use self::window::{EmptyWindow, Window};
use crate::blake2s::Blake2s;
use crate::encoding::Digits;
use crate::error::Rejected;
use crate::layout::Ethereum;
use crate::params::{CHAINS, MESSAGE_BYTES, SEED_BYTES, TREE_HEIGHT};
use crate::tweak::{Words, step, to_bytes};
use crate::types::{PublicKey, Signature};
use crate::verify::verify_with;

/// Why there is no signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// The key has no one-time key for this epoch.
    #[error("the key signs at epochs {window}, not at {epoch}")]
    OutsideWindow {
        /// The epoch asked for.
        epoch: u32,
        /// The key's epochs.
        window: Window,
    },
    /// No trial gave an encoding. The odds of that are below any that matter.
    #[error("none of 2^32 randomizers gives the message an encoding")]
    NoEncoding,
    /// The signature made is not valid: the key's nodes are damaged, or the machine errs.
    #[error("the signature made does not verify ({0}) and was discarded")]
    SelfCheck(Rejected),
}

/// A secret key in memory: a seed, a window of epochs, and the nodes signing needs.
///
/// The nodes take memory in proportion to the square root of the window. Signing at epochs in
/// ascending order grows each subtree once.
pub struct SecretKey<L: SigningLayout = Ethereum> {
    secret: Secret<L>,
    window: Window,
    height: u32,
    /// From the roots of the subtrees up.
    top: Tree,
    /// The subtree last signed with, by its number.
    bottom: Option<(u32, Tree)>,
    public: PublicKey,
    kernel: Kernel,
}

impl<L: SigningLayout> SecretKey<L> {
    /// The key of a seed for a window of epochs, over the current rayon pool.
    ///
    /// The seed must come from a source of randomness fit for keys, and serve one window only.
    ///
    /// # Errors
    /// If the observer asks to stop.
    pub fn generate(
        seed: &[u8; SEED_BYTES],
        window: Window,
        observer: &dyn Observer,
    ) -> Result<Self, Cancelled> {
        Self::generate_with(Kernel::best(), seed, window, observer)
    }

    /// As [`generate`](Self::generate), with a given kernel.
    ///
    /// # Errors
    /// If the observer asks to stop.
    pub fn generate_with(
        kernel: Kernel,
        seed: &[u8; SEED_BYTES],
        window: Window,
        observer: &dyn Observer,
    ) -> Result<Self, Cancelled> {
        let secret = Secret::new(seed);
        let height = window.subtree_height();
        let (first, last) = (window.first() >> height, window.last() >> height);
        let done = AtomicU64::new(0);
        let root = |index| {
            if observer.cancelled() {
                return Err(Cancelled);
            }
            let root = subtree(kernel, &secret, window, height, index).root();
            let (low, high) = live_leaves(window, height, index);
            let count = u64::from(high - low) + 1;
            let before = done.fetch_add(count, Ordering::Relaxed);
            observer.progress(before + count, window.count());
            Ok(root)
        };
        let indices = (first..=last).into_par_iter();
        let roots: Vec<Words> = indices.map(root).collect::<Result<_, _>>()?;
        Ok(Self::from_roots(kernel, secret, window, roots))
    }

    fn from_roots(kernel: Kernel, secret: Secret<L>, window: Window, nodes: Vec<Words>) -> Self {
        let height = window.subtree_height();
        let first = window.first() >> height;
        let level = Level { first, nodes };
        let top = Tree::grow(kernel, &secret, height, level, TREE_HEIGHT as u32);
        let public = PublicKey {
            root: to_bytes(top.root()),
            parameter: to_bytes(secret.parameter),
        };
        Self {
            secret,
            window,
            height,
            top,
            bottom: None,
            public,
            kernel,
        }
    }

    /// The public key.
    #[must_use]
    pub const fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// The epochs it can sign at.
    #[must_use]
    pub const fn window(&self) -> Window {
        self.window
    }

    /// Signs, **without any record of the epoch**: a second message at one epoch breaks the key.
    /// Use `state::KeyFile` unless something else makes sure of that.
    ///
    /// The signature is a function of seed, window, epoch and message, and verified before it is
    /// returned.
    ///
    /// # Errors
    /// See [`SignError`].
    pub fn sign_untracked(
        &mut self,
        epoch: u32,
        message: &[u8; MESSAGE_BYTES],
    ) -> Result<Signature, SignError> {
        let window = self.window;
        if !window.contains(epoch) {
            return Err(SignError::OutsideWindow { epoch, window });
        }
        let search = Search::new(&self.secret, epoch, message);
        let trial = search.run(self.kernel).ok_or(SignError::NoEncoding)?;
        let randomizer = search.randomizer(trial);
        let digits = search.encoding(&randomizer).ok_or(SignError::NoEncoding)?;
        let signature = Signature {
            chains: self.reveal(epoch, &digits),
            randomizer,
            path: self.path(epoch),
        };
        let (public, hasher) = (&self.public, &mut Blake2s);
        verify_with::<L>(hasher, public, epoch, message, &signature)
            .map_err(SignError::SelfCheck)?;
        Ok(signature)
    }

    /// Of each chain the value at its digit's position.
    fn reveal(&self, epoch: u32, digits: &Digits) -> [[u8; 16]; CHAINS] {
        core::array::from_fn(|i| {
            let chain = i as u32;
            let parameter = self.secret.parameter;
            let start = Zeroizing::new(self.secret.start(chain, epoch));
            let value = (0..u32::from(digits[i])).fold(start, |value, position| {
                let sub = 8 * chain + position;
                Zeroizing::new(step::<L>(&mut Blake2s, parameter, sub, epoch, *value))
            });
            to_bytes(*value)
        })
    }

    fn path(&mut self, epoch: u32) -> [[u8; 16]; TREE_HEIGHT] {
        let (kernel, secret, window, height) =
            (self.kernel, &self.secret, self.window, self.height);
        let index = epoch >> height;
        let kept = self.bottom.take().filter(|(kept, _)| *kept == index);
        let (_, bottom) = self.bottom.insert(
            kept.unwrap_or_else(|| (index, subtree(kernel, secret, window, height, index))),
        );
        core::array::from_fn(|level| {
            let tree = if level < height as usize {
                &*bottom
            } else {
                &self.top
            };
            to_bytes(tree.node(secret, level as u32, (epoch >> level) ^ 1))
        })
    }

    /// The smallest admissible trial of a range, by the lanes.
    #[doc(hidden)]
    #[must_use]
    pub fn search(
        &self,
        kernel: Kernel,
        epoch: u32,
        message: &[u8; MESSAGE_BYTES],
        range: Range<u64>,
    ) -> Option<u64> {
        Search::new(&self.secret, epoch, message).find(kernel, range)
    }

    /// The reference of [`search`](Self::search).
    #[doc(hidden)]
    #[must_use]
    pub fn search_scalar(
        &self,
        epoch: u32,
        message: &[u8; MESSAGE_BYTES],
        range: Range<u64>,
    ) -> Option<u64> {
        Search::new(&self.secret, epoch, message).find_scalar(range)
    }

    /// The seed, for the key file.
    #[cfg(feature = "state")]
    pub(crate) fn seed(&self) -> Zeroizing<[u8; SEED_BYTES]> {
        let mut seed = Zeroizing::new([0; SEED_BYTES]);
        for (to, word) in seed
            .as_chunks_mut::<4>()
            .0
            .iter_mut()
            .zip(*self.secret.seed)
        {
            *to = word.to_le_bytes();
        }
        seed
    }

    /// The roots of the subtrees, as a key file keeps them.
    #[cfg(feature = "state")]
    pub(crate) fn subtree_roots(&self) -> &[Words] {
        &self.top.base().nodes
    }

    /// The key whose subtrees have these roots, as many as the window has subtrees. The caller
    /// compares the public key.
    #[cfg(feature = "state")]
    pub(crate) fn restore(seed: &[u8; SEED_BYTES], window: Window, roots: Vec<Words>) -> Self {
        Self::from_roots(Kernel::best(), Secret::new(seed), window, roots)
    }
}

impl<L: SigningLayout> fmt::Debug for SecretKey<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey")
            .field("layout", &L::NAME)
            .field("window", &self.window)
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}
