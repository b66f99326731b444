//! Poseidon2 of width 16: the permutation's seam, the transcript, Merkle leaves and nodes.

use core::marker::PhantomData;

use crate::field::{Modulus, add};

/// Width of the permutation.
pub const WIDTH: usize = 16;
/// Elements absorbed or squeezed by one permutation.
pub const RATE: usize = 8;
/// A Merkle digest.
pub type Digest = [u32; 8];

/// Poseidon2 of width 16 with the round constants that Plonky3 ships.
pub trait Permutation: Sync {
    /// Permutes 16 elements of the field of `M`, in Montgomery form.
    fn permute<M: Modulus>(&self, state: &mut [u32; WIDTH]);
}

impl<P: Permutation> Permutation for &P {
    fn permute<M: Modulus>(&self, state: &mut [u32; WIDTH]) {
        P::permute::<M>(self, state);
    }
}

/// The number of absorbed elements, as field elements.
const fn tags<M: Modulus>() -> [u32; RATE + 1] {
    let mut tags = [0; RATE + 1];
    let mut i = 1;
    while i <= RATE {
        tags[i] = add::<M>(tags[i - 1], M::ONE);
        i += 1;
    }
    tags
}

/// The duplex sponge of `p3-challenger`, whose absorbs are tagged with their length.
///
/// Inputs are written straight into the rate: an input makes every output that is left invalid, so
/// the two never need room at the same time.
#[derive(Clone, Debug)]
pub struct Transcript<M, P> {
    state: [u32; WIDTH],
    /// Inputs at the front of the rate that no permutation has seen.
    pending: usize,
    /// Outputs at the front of the rate that were not drawn.
    available: usize,
    permutation: P,
    modulus: PhantomData<M>,
}

impl<M: Modulus, P: Permutation> Transcript<M, P> {
    /// A sponge in a given state with `pending` inputs, below [`RATE`], in it.
    #[must_use]
    pub const fn resume(permutation: P, state: [u32; WIDTH], pending: usize) -> Self {
        Self {
            state,
            pending,
            available: 0,
            permutation,
            modulus: PhantomData,
        }
    }

    /// The state and the number of inputs in it that no permutation has seen.
    #[must_use]
    pub const fn state(&self) -> (&[u32; WIDTH], usize) {
        (&self.state, self.pending)
    }

    fn duplex(&mut self) {
        if self.pending != 0 {
            let tag = const { tags::<M>() };
            if let Some(tag) = tag.get(self.pending) {
                self.state[RATE] = add::<M>(self.state[RATE], *tag);
            }
            for slot in self.state.iter_mut().take(RATE).skip(self.pending) {
                *slot = 0;
            }
        }
        self.permutation.permute::<M>(&mut self.state);
        self.pending = 0;
        self.available = RATE;
    }

    /// Absorbs an element.
    #[inline]
    pub fn observe(&mut self, x: u32) {
        self.available = 0;
        if let Some(slot) = self.state.get_mut(self.pending) {
            *slot = x;
        }
        self.pending += 1;
        if self.pending == RATE {
            self.duplex();
        }
    }

    /// Absorbs elements.
    pub fn observe_slice(&mut self, mut xs: &[u32]) {
        while self.pending != 0 || xs.len() < RATE {
            let Some((&x, rest)) = xs.split_first() else {
                return;
            };
            self.observe(x);
            xs = rest;
        }
        let (blocks, rest) = xs.as_chunks::<RATE>();
        for block in blocks {
            if let Some(rate) = self.state.first_chunk_mut::<RATE>() {
                *rate = *block;
            }
            self.pending = RATE;
            self.duplex();
        }
        for &x in rest {
            self.observe(x);
        }
    }

    /// Draws an element.
    #[inline]
    pub fn sample(&mut self) -> u32 {
        if self.pending != 0 || self.available == 0 {
            self.duplex();
        }
        self.available -= 1;
        self.state.get(self.available).copied().unwrap_or(0)
    }

    /// Draws an extension element.
    #[inline]
    pub fn sample_extension<const D: usize>(&mut self) -> [u32; D] {
        core::array::from_fn(|_| self.sample())
    }
}
