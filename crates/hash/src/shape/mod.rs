//! Hashing laid out for the shapes of a Merkle tree: two nodes make a parent, a row of words makes a
//! leaf.
//!
//! A general hash function takes bytes piece by piece, keeps them in a block buffer, pads the
//! buffer and copies it into its state. The shapes here are known when the program is compiled, so
//! words go from where they lie into the state, and the padding is a constant. Where a permutation
//! is one system call, as in a virtual machine, that plumbing is most of what a hash costs.
//!
//! [`generic`] holds the same functions the general way, to measure against and to test with.

#![forbid(unsafe_code)]

mod blake2s;
pub mod generic;
mod keccak;
mod keccak_f;
mod poseidon2;

pub use blake2s::Blake2s;
pub use keccak::{Keccak256, Sponge};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) use keccak_f::ROUND_CONSTANTS;
pub use keccak_f::{KeccakF1600, SoftKeccakF};
pub use poseidon2::Poseidon2;

use core::fmt::Debug;

/// The hash function of a Merkle tree, one leaf or one node at a time.
pub trait MerkleHash: Copy {
    /// What a row is made of.
    type Word: Copy;
    /// A digest: a leaf's, or an inner node's.
    type Node: Copy + Eq + Default + Debug + 'static;

    /// The parent of two nodes.
    fn parent(&self, left: &Self::Node, right: &Self::Node) -> Self::Node;

    /// The leaf of a row of any length.
    fn leaf(&self, row: &[Self::Word]) -> Self::Node;

    /// [`MerkleHash::leaf`] of a row whose length is part of the program: a short row is one
    /// permutation, laid out at compile time.
    fn leaf_array<const N: usize>(&self, row: &[Self::Word; N]) -> Self::Node;
}

/// The 32 bytes of a digest held as little-endian words.
#[must_use]
pub fn node_bytes(node: &[u32; 8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (to, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(node) {
        *to = word.to_le_bytes();
    }
    bytes
}

/// A digest of 32 bytes as little-endian words.
#[must_use]
pub fn node_from_bytes(bytes: &[u8; 32]) -> [u32; 8] {
    let mut node = [0; 8];
    for (to, &word) in node.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *to = u32::from_le_bytes(word);
    }
    node
}
