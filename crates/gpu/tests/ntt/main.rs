//! The encoder against Plonky3's transform, and the kernels that move rows.

#[path = "../common/mod.rs"]
mod common;
mod encode;
mod leaves;
mod oracle;
mod plan;
mod rows;
