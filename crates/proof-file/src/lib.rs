//! The container of every proof Prova writes, the tape its sections are read with, and the verdict
//! and exit codes a verification ends with.
//!
//! A proof file is a 32-byte header followed by three sections: **parameters**, **statement** and
//! **body**. This crate knows where the sections lie and nothing of what they mean: the system that
//! the header names reads each of them through a [`Tape`], with lengths that it derives itself. The
//! byte layout is written down in `docs/proof-files.md`.
//!
//! * [`ProofFile`] reads and writes the container. One file has one encoding.
//! * [`Tape`] and [`TapeWriter`] read and write what a section holds.
//! * [`Verdict`], [`Failure`] and [`Exit`] say how a verification ended.
//!
//! Nothing here panics on outside data, and nothing is allocated by a number found in a file:
//! [`ProofFile::parse`] borrows and allocates nothing at all.
//!
//! ```
//! use prova_proof_file::{ProofFile, Section, System, TapeWriter};
//!
//! let mut statement = TapeWriter::new();
//! statement.u32(7);
//! let statement = statement.into_bytes();
//!
//! let file = ProofFile {
//!     system: System::Whir,
//!     version: 1,
//!     params: b"preset",
//!     statement: &statement,
//!     body: b"proof",
//! };
//! let bytes = file.to_bytes()?;
//!
//! let read = ProofFile::parse(&bytes)?;
//! read.require(System::Whir, &[1])?;
//! let mut tape = read.tape(Section::Statement);
//! assert_eq!(tape.u32()?, 7);
//! tape.finish()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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

mod error;
mod file;
mod system;
mod tape;
mod verdict;

pub use error::{FileError, Malformed, TapeError};
pub use file::{
    ALIGNMENT, HEADER_LEN, MAGIC, MAX_BODY_LEN, MAX_PARAMS_LEN, MAX_STATEMENT_LEN, ProofFile,
    Section,
};
pub use system::System;
pub use tape::{Tape, TapeWriter};
pub use verdict::{Exit, Failure, Verdict};
