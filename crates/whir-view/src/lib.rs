//! Verifies a WHIR proof file in place, on a host or inside the RISC-V machine.
//!
//! The proof files are those of `prova whir prove`; suite Poseidon2 of width 16 over BabyBear or
//! KoalaBear, extensions of degree 4 and 5, both variable orders, drawn and given points, any
//! number of columns and openings. Other hash suites have no key ([`derive`]'s errors say so).
//!
//! What depends only on parameters and shape stands in a [`Key`]: the lengths of the run, the
//! transcript's state before the commitment, and the domain separators of all its parts.
//! [`verify_input`] takes key and proof file from one buffer, copies neither, and returns what a
//! guest commits: the digest of the key and the statement. The reader of that output derives the
//! key from parameters of its own choice and compares the digest.
//!
//! Elements are words in Montgomery form in all of this crate, digests among them; only proof
//! files and [`Verified::output`] hold canonical integers.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod body;
#[cfg(feature = "derive")]
pub mod derive;
pub mod error;
pub mod ext;
pub mod field;
pub mod input;
pub mod key;
pub mod merkle;
pub mod observe;
mod openings;
#[cfg(feature = "portable")]
pub mod portable;
pub mod sponge;
pub mod statement;
pub mod verify;
pub mod weights;

#[cfg(feature = "derive")]
pub use derive::{DeriveError, VerifyingKey};
pub use error::{Error, Malformed, Rejected};
pub use input::{Input, Verified, verify_file, verify_input};
pub use key::Key;
pub use observe::{Observer, Step, Unobserved};
#[cfg(feature = "portable")]
pub use portable::Portable;
pub use sponge::Permutation;

// Words are read where they lie.
const _: () = assert!(
    cfg!(target_endian = "little"),
    "proof files are little-endian and are read in place"
);
