//! The C interface of Verkle multiproofs: what `include/prova_verkle.h` declares, which is
//! generated from this crate (`tests/header.rs`).
//!
//! The byte layouts are those of rust-verkle's bindings. Unlike those, every input is checked, no
//! panic leaves, the transcript's label and the number of threads are arguments, and errors name
//! the item that is wrong.
//!
//! All that is unsafe is reading and writing what the caller's pointers point to; `memory` has the
//! few operations for it, and every exported function calls a safe one between them.

// What all pointers must satisfy is said once, at the top of the header.
#![allow(clippy::missing_safety_doc)]

mod batch;
mod context;
mod layout;
mod memory;
mod points;
mod proofs;
mod status;
mod witness;

pub use batch::*;
pub use context::*;
pub use layout::*;
pub use points::*;
pub use proofs::*;
pub use status::*;
pub use witness::*;
