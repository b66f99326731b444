//! The BLAKE2s constraint system: a batch of compressions as products of bits.
//!
//! A compression is a block of `2^14` bits `z` with `(A z) o (B z) = z`, where `o` multiplies entry
//! by entry; `A` and `B` are given by [`circuit::walk`]. Blocks lie one after another, 64 bits a
//! packed word. [`zerocheck`] reduces the products of all blocks to three claims, [`lincheck`] those
//! to 64 claims about the bits of packed words at one point, which ring switching takes over.
//!
//! The design is Flock's, of leanVM-b (commit 5df6c373).

pub mod circuit;
pub mod lincheck;
pub mod skip;
pub mod zerocheck;
