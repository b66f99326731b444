//! WHIR polynomial commitments: parameters, statements, proof bytes and verification.
//!
//! This is the verifier's side. It derives every length from [`Params`] and the statement's shape,
//! reads a proof as a tape, rebuilds the types of the published `p3-whir` crate and lets the
//! unforked `p3-whir` verifier decide. Proving lives in `prova-whir-prover`.
//!
//! All contact with `p3-whir` types on this side is in [`suite`], [`derive`], [`body`] and
//! [`verify`].
//!
//! WHIR: <https://eprint.iacr.org/2024/1586>.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod body;
pub mod derive;
pub mod params;
mod params_codec;
pub mod presets;
pub mod security;
pub mod size;
pub mod statement;
pub mod suite;
pub mod transcript;
pub mod verify;

pub use derive::{ConfigError, Limits};
pub use params::{Field, Folding, HashSuite, Order, Params, Regime};
pub use statement::{Opening, Points, Shape, Statement};
pub use suite::Suite;
pub use verify::{VerifyError, verify_file, verify_parts};

/// Version of the WHIR sections of a proof file; any change of a byte's meaning raises it.
pub const FORMAT_VERSION: u16 = 1;
