//! Batches of BLAKE2s compressions: what can be stated about them, and the verifier.
//!
//! A [`Statement`] is about hashes of single blocks: messages that are not sent, behind a public
//! list of digests, behind a Merkle root, or along a chain. A proof is not zero-knowledge: what it
//! opens is linear in the witness, messages included. All compressions are instances of one bit
//! constraint system, packed 64 bits a word and committed as one polynomial. [`verify::verify`]
//! walks: statement and commitment into the transcript, one random point for the public data
//! ([`claims`]), zerocheck and lincheck of [`prova_lean_vm::blake2s`], one opening of everything.
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

pub mod claims;
pub mod file;
pub mod statement;
pub mod verify;

pub use prova_binary_pcs::merkle::Digest;
pub use statement::{Kind, Statement, StatementError};
pub use verify::{Parameters, Profile, Summary, VerifyError, verify};
