//! Hashing for Merkle trees, one at a time and in batches.
//!
//! * [`shape`]: one parent or one leaf, laid out for its shape, for verifiers. `no_std`, without
//!   `unsafe`, and all there is without the `std` feature (besides [`blake2s`]'s scalar half).
//! * Batches, with the `std` feature: many Merkle leaves, many Merkle nodes or many proof-of-work
//!   candidates a call. Every hasher returns, bit for bit, what the Plonky3 hasher of the same name
//!   returns; only the speed differs. The kernels pick their instruction set at run time.

#![cfg_attr(not(feature = "std"), no_std, forbid(unsafe_code))]

pub mod blake2s;
pub mod shape;

#[cfg(feature = "std")]
mod bytes;
#[cfg(feature = "std")]
pub mod challenger;
#[cfg(feature = "std")]
mod field;
#[cfg(feature = "std")]
pub mod grind;
#[cfg(feature = "std")]
mod keccak;
#[cfg(feature = "std")]
mod poseidon2;
#[cfg(feature = "std")]
mod tree_hasher;

#[cfg(feature = "std")]
pub use bytes::Blake3TreeHasher;
#[cfg(feature = "std")]
pub use challenger::{ByteSearch, DuplexSearch};
#[cfg(feature = "std")]
pub use field::HashField;
#[cfg(feature = "std")]
pub use keccak::{Keccak256TreeHasher, KeccakArch, KeccakTreeHasher};
#[cfg(feature = "std")]
#[doc(hidden)]
pub use poseidon2::Diag;
#[cfg(feature = "std")]
pub use poseidon2::{
    Poseidon2Field, Poseidon2Kernel, Poseidon2TreeHasher16, Poseidon2TreeHasher24,
};
#[cfg(feature = "std")]
pub use tree_hasher::TreeHasher;
