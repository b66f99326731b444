//! The WHIR prover's GPU back end.
//!
//! [`GpuMachine`] is a device to prove on, through `prova-whir-prover`'s seam: commitments,
//! sumcheck tables and trees live in device memory, and only roots, round messages, opened rows
//! and sibling digests come back. The proofs are those of the CPU, byte for byte.

pub mod error;
pub mod machine;
pub mod plan;

pub use machine::{GpuEstimate, GpuMachine, GpuOptions, estimate};
pub use plan::{MemoryPlan, Mode};
