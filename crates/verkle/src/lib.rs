//! Verkle multiproofs: Banderwagon, the 256-element inner product argument, and the multipoint
//! argument over them, byte-compatible with go-ipa and rust-verkle.
//!
//! The verifier is `no_std` with `alloc`; the feature `prove` adds the prover. Nothing is
//! constant-time: commitments, openings and proofs are public.
#![no_std]
#![cfg_attr(not(feature = "simd"), forbid(unsafe_code))]
#![cfg_attr(feature = "simd", deny(unsafe_code))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod arm;
mod batch;
mod chunks;
mod crs;
mod curve;
mod element;
mod field;
pub mod file;
#[cfg(feature = "std")]
mod fixed;
pub mod ipa;
pub mod lagrange;
mod msm;
pub mod multiproof;
mod setup;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
#[allow(unsafe_code, reason = "kernels")]
mod simd;
mod transcript;
#[cfg(feature = "prove")]
pub mod tree;
pub mod witness;

pub use arm::Arm;
pub use crs::{Crs, SEED};
pub use element::{Commitment, Element, PointError};
pub use field::{BaseModulus, Field, Fp, Fr, Modulus, ScalarModulus, batch_invert};
pub use multiproof::{MultiProof, Query, ScalarBytes, VerifyError};
#[cfg(feature = "prove")]
pub use multiproof::{Opening, Polynomial, ProveError};
pub use setup::Setup;
pub use transcript::Transcript;
