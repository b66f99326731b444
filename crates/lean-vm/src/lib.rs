//! The lean VM: what a proof of an execution says, and the verifier of such proofs.
//!
//! A [`Program`] is a table of instructions over GF(2^64); memory is write-once and holds words of
//! GF(2^192); six instruction tables record the execution. [`verify()`] checks, in this order:
//!
//! 1. [`layout`]: the announced sizes, and where every column and bus block lies;
//! 2. [`bus`]: what the tables push equals what they pull, by grand products (GKR);
//! 3. [`table_sumcheck`]: the products' leaves and the tables' constraints ([`tables`], [`rows`]), in
//!    one sumcheck;
//! 4. [`claims`]: public input, and all claims about the committed polynomial;
//! 5. [`blake2s`]: the constraint system of the BLAKE2s table, by zerocheck and lincheck;
//! 6. one opening of everything, in `prova-binary-pcs`.
//!
//! The protocol is that of leanVM-b (commit 5df6c373), profile `v0`: proofs that its prover writes
//! are accepted. It is not zero-knowledge.
#![no_std]
#![forbid(unsafe_code)]
#![deny(
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable,
    clippy::unwrap_used
)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod blake2s;
pub mod bus;
#[cfg(test)]
mod checkpoints;
pub mod claims;
pub mod error;
pub mod file;
pub mod layout;
pub mod program;
pub mod rows;
pub mod table_sumcheck;
pub mod tables;
pub mod verify;

pub use error::{Rejection, VerifyError};
pub use layout::{Layout, Sizes};
pub use program::{Program, ProgramError};
pub use prova_binary_pcs::Malformed;
pub use prova_binary_pcs::params::Schedule;
pub use prova_binary_pcs::stream::{Form, Proof};
pub use tables::Table;
pub use verify::{Summary, verify};
