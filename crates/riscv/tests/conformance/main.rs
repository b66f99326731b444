//! Conformance to the RISC-V instruction set: published test suites, and random programs in lock
//! step with what independent models recorded. Sources are named in `vectors/README.md`.

mod elf;
mod format;
mod generator;
mod lockstep;
mod machine;
mod suites;
mod trace;
mod writer;
