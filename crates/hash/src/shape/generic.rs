//! The same hashes the general way: bytes piece by piece through a block buffer, as a hash function
//! that knows no shapes does it.
//!
//! They are what the shapes are measured against, and a second oracle for their tests.

use core::fmt::Debug;
use core::marker::PhantomData;

use p3_symmetric::{
    CryptographicHasher, CryptographicPermutation, PaddingFreeSponge, PseudoCompressionFunction,
    TruncatedPermutation,
};

use super::{KeccakF1600, MerkleHash, SoftKeccakF, node_bytes, node_from_bytes};
use crate::blake2s;

const KECCAK_RATE: usize = 136;

/// A byte-oriented Keccak-256 with a block buffer.
#[derive(Clone, Debug)]
pub struct KeccakDigest<P = SoftKeccakF> {
    state: [u64; 25],
    block: [u8; KECCAK_RATE],
    filled: usize,
    permutation: PhantomData<P>,
}

impl<P: KeccakF1600> KeccakDigest<P> {
    /// Nothing absorbed.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: [0; 25],
            block: [0; KECCAK_RATE],
            filled: 0,
            permutation: PhantomData,
        }
    }

    /// Appends to the message.
    pub fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(KECCAK_RATE - self.filled));
            self.block[self.filled..][..now.len()].copy_from_slice(now);
            self.filled += now.len();
            bytes = later;
            if self.filled == KECCAK_RATE {
                self.absorb();
            }
        }
    }

    /// The digest of the whole message.
    #[must_use]
    pub fn finalize(mut self) -> [u8; 32] {
        self.block[self.filled..].fill(0);
        self.block[self.filled] = 1;
        self.block[KECCAK_RATE - 1] |= 0x80;
        self.absorb();
        let mut digest = [0; 32];
        for (to, lane) in digest.as_chunks_mut::<8>().0.iter_mut().zip(self.state) {
            *to = lane.to_le_bytes();
        }
        digest
    }

    fn absorb(&mut self) {
        for (lane, &bytes) in self.state.iter_mut().zip(self.block.as_chunks::<8>().0) {
            *lane ^= u64::from_le_bytes(bytes);
        }
        P::permute(&mut self.state);
        self.filled = 0;
    }
}

impl<P: KeccakF1600> Default for KeccakDigest<P> {
    fn default() -> Self {
        Self::new()
    }
}

/// [`super::Keccak256`] through [`KeccakDigest`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GenericKeccak256<P = SoftKeccakF>(PhantomData<P>);

impl<P: KeccakF1600> GenericKeccak256<P> {
    /// The hash function.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<P: KeccakF1600> MerkleHash for GenericKeccak256<P> {
    type Word = u32;
    type Node = [u32; 8];

    fn parent(&self, left: &[u32; 8], right: &[u32; 8]) -> [u32; 8] {
        let mut digest = KeccakDigest::<P>::new();
        digest.update(&node_bytes(left));
        digest.update(&node_bytes(right));
        node_from_bytes(&digest.finalize())
    }

    fn leaf(&self, row: &[u32]) -> [u32; 8] {
        let mut digest = KeccakDigest::<P>::new();
        for word in row {
            digest.update(&word.to_le_bytes());
        }
        node_from_bytes(&digest.finalize())
    }

    fn leaf_array<const N: usize>(&self, row: &[u32; N]) -> [u32; 8] {
        self.leaf(row)
    }
}

/// [`super::Blake2s`] through [`blake2s::Blake2s`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GenericBlake2s;

impl MerkleHash for GenericBlake2s {
    type Word = u32;
    type Node = [u32; 8];

    fn parent(&self, left: &[u32; 8], right: &[u32; 8]) -> [u32; 8] {
        let mut digest = blake2s::Blake2s::new();
        digest.update(&node_bytes(left));
        digest.update(&node_bytes(right));
        node_from_bytes(&digest.finalize())
    }

    fn leaf(&self, row: &[u32]) -> [u32; 8] {
        let mut digest = blake2s::Blake2s::new();
        for word in row {
            digest.update(&word.to_le_bytes());
        }
        node_from_bytes(&digest.finalize())
    }

    fn leaf_array<const N: usize>(&self, row: &[u32; N]) -> [u32; 8] {
        self.leaf(row)
    }
}

/// [`super::Poseidon2`] through Plonky3's sponge, which takes elements one by one, and its
/// compression, which takes nodes by value.
#[derive(Debug)]
pub struct GenericPoseidon2<'a, F, P> {
    permutation: &'a P,
    field: PhantomData<F>,
}

impl<'a, F, P> GenericPoseidon2<'a, F, P> {
    /// The hash function over a permutation.
    #[must_use]
    pub const fn new(permutation: &'a P) -> Self {
        Self {
            permutation,
            field: PhantomData,
        }
    }
}

impl<F, P> Clone for GenericPoseidon2<'_, F, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F, P> Copy for GenericPoseidon2<'_, F, P> {}

impl<F, P> MerkleHash for GenericPoseidon2<'_, F, P>
where
    F: Copy + Eq + Default + Debug + 'static,
    P: CryptographicPermutation<[F; 16]>,
{
    type Word = F;
    type Node = [F; 8];

    fn parent(&self, left: &[F; 8], right: &[F; 8]) -> [F; 8] {
        TruncatedPermutation::<_, 2, 8, 16>::new(self.permutation.clone()).compress([*left, *right])
    }

    fn leaf(&self, row: &[F]) -> [F; 8] {
        PaddingFreeSponge::<_, 16, 8, 8>::new(self.permutation.clone())
            .hash_iter(row.iter().copied())
    }

    fn leaf_array<const N: usize>(&self, row: &[F; N]) -> [F; 8] {
        self.leaf(row)
    }
}
