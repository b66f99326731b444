//! Leaves and nodes of Poseidon2 trees on words, through the shared fixed-shape hashing.

use core::marker::PhantomData;

use p3_symmetric::{CryptographicPermutation, Permutation as P3Permutation};
use prova_hash::shape::Poseidon2;

use crate::field::Modulus;
use crate::sponge::{Permutation, WIDTH};

/// A [`Permutation`] of one field, as the hashing of Merkle trees takes it.
#[derive(Debug)]
pub struct Words<'a, M, P> {
    permutation: &'a P,
    modulus: PhantomData<M>,
}

impl<'a, M, P> Words<'a, M, P> {
    /// The permutation on words of the field of `M`.
    #[must_use]
    pub const fn new(permutation: &'a P) -> Self {
        Self {
            permutation,
            modulus: PhantomData,
        }
    }

    /// `PaddingFreeSponge<_, 16, 8, 8>` leaves and `TruncatedPermutation<_, 2, 8, 16>` nodes.
    #[must_use]
    pub const fn tree(&self) -> Poseidon2<'_, u32, Self> {
        Poseidon2::new(self)
    }
}

impl<M, P> Clone for Words<'_, M, P> {
    fn clone(&self) -> Self {
        Self::new(self.permutation)
    }
}

impl<M: Modulus, P: Permutation> P3Permutation<[u32; WIDTH]> for Words<'_, M, P> {
    #[inline(always)]
    fn permute_mut(&self, state: &mut [u32; WIDTH]) {
        self.permutation.permute::<M>(state);
    }
}

impl<M: Modulus, P: Permutation> CryptographicPermutation<[u32; WIDTH]> for Words<'_, M, P> {}
