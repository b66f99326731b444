//! Batched hashing: many Merkle leaves, many Merkle nodes or many proof-of-work candidates a call.
//!
//! Every hasher here returns, bit for bit, what the Plonky3 hasher of the same name returns; only
//! the speed differs. The Poseidon2 kernel picks its instruction set at run time.

pub mod blake2s;
mod bytes;
pub mod challenger;
mod field;
pub mod grind;
mod keccak;
mod poseidon2;
mod tree_hasher;

pub use bytes::Blake3TreeHasher;
pub use challenger::{ByteSearch, DuplexSearch};
pub use field::HashField;
pub use keccak::KeccakTreeHasher;
#[doc(hidden)]
pub use poseidon2::Diag;
pub use poseidon2::{
    Poseidon2Field, Poseidon2Kernel, Poseidon2TreeHasher16, Poseidon2TreeHasher24,
};
pub use tree_hasher::TreeHasher;
