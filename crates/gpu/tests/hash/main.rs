//! Hashing kernels against the batched hashers of the CPU, which are tested against Plonky3's.

#[path = "../common/mod.rs"]
mod common;
mod grind;
mod leaves;
mod multiply;
mod oracle;
mod tree;
