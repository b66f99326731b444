//! Where the cycles of a RISC-V program go: by function, by source line, by step and by call
//! stack.
//!
//! A [`Profiler`] watches one run of a machine ([`prova_riscv::Observer`]) and keeps only counters;
//! [`Profiler::finish`] turns them into a [`Profile`], whose serialised form is versioned, and
//! [`compare`] sets two of them side by side. Names come from an [`Image`], the symbols and the
//! debug information of the program's ELF file.
#![forbid(unsafe_code)]

mod collect;
mod compare;
mod image;
mod report;

pub use collect::Profiler;
pub use compare::{Change, Comparison, compare};
pub use image::{Image, ImageError};
pub use report::{
    Calls, FunctionCycles, LineCycles, Marker, Profile, RunFacts, SCHEMA, SCHEMA_VERSION,
    SchemaError, StepCycles,
};
