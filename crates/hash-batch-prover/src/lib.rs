//! Proves batches of BLAKE2s compressions in the Flock style.
//!
//! [`batch::Batch`] makes a statement with its compressions, [`prove::prove`] a proof that
//! [`prova_hash_batch::verify()`] accepts. On the way: [`witness`] computes the bits of every
//! compression and the two factors of every product; [`zerocheck`] shows that all products are
//! right, with a univariate-skip round over six variables (`round_one`) and multilinear rounds whose
//! tables stay bits as long as that is cheaper (`fold`); [`lincheck`] reduces the three values that
//! are left to 64 claims about bit slices of the packed witness, by the backward walk of
//! [`circuit`] and weighted sums over instances (`columns`). Opening them together with the public
//! data is the commitment's work.
//!
//! Kernels come in several [`arm::Arm`]s, chosen at run time; arms and numbers of threads give the
//! same bytes.

pub mod arm;
pub mod batch;
pub mod channel;
pub mod circuit;
mod columns;
mod field;
mod fold;
pub mod lincheck;
mod linear;
pub mod observer;
pub mod prove;
mod round_one;
#[cfg(target_arch = "x86_64")]
mod simd256;
mod simd512;
#[cfg(test)]
mod test_util;
pub mod witness;
pub mod zerocheck;
