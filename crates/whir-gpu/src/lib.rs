//! The WHIR prover's GPU back end.
//!
//! [`GpuMachine`] is a device to prove on, through `prova-whir-prover`'s seam: commitments,
//! sumcheck tables and trees live in device memory, and only roots, round messages, opened rows
//! and sibling digests come back. The proofs are those of the CPU, byte for byte.

pub mod backend;
pub mod commit;
pub mod dry;
pub mod error;
mod grind;
pub mod machine;
pub mod plan;
pub mod tree;
mod words;

pub use dry::{GpuEstimate, estimate};
pub use machine::{GpuMachine, GpuOptions};
pub use plan::{MemoryPlan, Mode};
