//! A verifier of `p3-uni-stark` proofs over BabyBear, its extension of degree four, two-adic FRI and
//! binary Keccak-256 trees, that reads proofs where they lie: natively, and as a guest of the
//! RISC-V VM.
//!
//! * [`VerifyingKey`], [`Key`]: everything that depends on the constraints and the parameters.
//! * [`verify`]: a key, a proof file, a verdict. The proof is written by [`host`] out of what
//!   Plonky3's own prover makes, for a transcript that starts with the key's digest.
//! * [`StarkAir`]: the constraints, written against `p3-air`.
//! * [`Steps`]: where a guest marks how far it is.
//!
//! The protocol is that of `p3-uni-stark`, `p3-fri` and `p3-merkle-tree` without zero knowledge and
//! without periodic columns; `p3_uni_stark::verify` accepts what is accepted here.
#![no_std]
#![forbid(unsafe_code)]
#![deny(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable,
    clippy::unwrap_used
)]

extern crate alloc;

#[cfg(target_endian = "big")]
compile_error!("proofs are read in place, as little-endian words");

mod constraints;
mod error;
mod fibonacci;
mod field;
#[cfg(all(test, feature = "host"))]
#[allow(clippy::arithmetic_side_effects, reason = "tests")]
mod field_tests;
mod folding;
#[cfg(feature = "host")]
pub mod host;
mod key;
mod openings;
mod params;
mod steps;
mod tape;
mod transcript;
mod verify;

pub use constraints::{Folder, StarkAir};
pub use error::{Malformed, Rejection, Verdict, Work, code};
pub use fibonacci::Fibonacci;
pub use key::{KEY_TAG, Key, VerifyingKey};
pub use params::{AirShape, FriParams, Params};
pub use steps::{NoSteps, Steps};
pub use tape::{ProofTape, VERSION};
pub use verify::{Verified, verify, verify_input};

/// A node of a Merkle tree: the eight little-endian words of a Keccak-256 digest.
pub type Digest = [u32; 8];
