//! XMSS signatures over BLAKE2s, in the instance of Ethereum's cryptography specifications: keys
//! of 32 bytes, signatures of 1,208 bytes, one signature for each of 2^32 epochs.
//!
//! Without features the crate is the verifier: no allocation, no panic, no unsafe code.
//!
//! | feature | what |
//! |---|---|
//! | `batch` | module `batch`: many signatures at once, in vector lanes |
//! | `sign` | module `sign`: keys for a window of epochs, signatures without memory of used epochs |
//! | `state` | module `state`: key files that never let an epoch sign twice |
//! | `ssz` | module `ssz`: SSZ containers |
//!
//! **Two signatures of different messages at one epoch break the key.** Sign through
//! `state::KeyFile` unless something else keeps count of the epochs.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "batch")]
extern crate std;

#[cfg(feature = "batch")]
pub mod batch;
mod blake2s;
mod encoding;
mod error;
pub mod hex;
#[cfg(feature = "batch")]
mod lanes;
mod layout;
pub mod params;
#[cfg(feature = "sign")]
pub mod sign;
#[cfg(feature = "ssz")]
pub mod ssz;
#[cfg(feature = "state")]
pub mod state;
mod tweak;
mod types;
mod verify;

pub use blake2s::{Blake2s, Compress};
pub use encoding::{Digits, NotAdmissible, encode};
pub use error::{HexError, LengthError, Rejected, VerifyError};
pub use layout::{Ethereum, Layout, LeanVmB, Purpose};
pub use params::{MESSAGE_BYTES, PUBLIC_KEY_BYTES, SEED_BYTES, SIGNATURE_BYTES};
pub use tweak::{UnknownTweakType, tweak_hash};
pub use types::{PublicKey, Signature};
pub use verify::{verify_bytes, verify_with};
