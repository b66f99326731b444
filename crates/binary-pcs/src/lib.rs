//! Commitments to multilinear polynomials over GF(2^64), opened over GF(2^192): the verifier's side
//! and everything a prover shares with it.
//!
//! One opening, front to back: a [`transcript::Transcript`] and a proof's bytes make a
//! [`stream::Channel`]; [`params::Schedule`] gives folds, rates and query counts of the ladder with
//! every bound behind them; [`opening::verify`] walks the ladder, checking rows against roots with
//! [`merkle`] and positions against [`code`]; at the end the claim's weight is evaluated once,
//! through [`opening::Weight`], which [`stack::PointClaims`] and [`ring_switch::RingSwitch`]
//! implement.
//!
//! Conventions: everything is LSB-first. Coordinate `k` of a point belongs to bit `k` of a table
//! index. The characteristic is two throughout, so `-` is `+`.
//!
//! The protocol is that of leanVM-b (commit 5df6c373), its profile `v0` here: a WHIR-like ladder
//! (eprint 2024/1586) over additive Reed-Solomon codes (Lin, Chung and Han, FOCS 2014). Profile `v1`
//! is the same protocol with other targets of the parameter search ([`params::Target::v1`]) and
//! without counts in its bytes ([`stream::bare`]).
#![no_std]
#![forbid(unsafe_code)]
#![deny(
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable,
    clippy::unwrap_used
)]

extern crate alloc;

pub mod blake2s;
pub mod code;
pub mod error;
pub mod field;
pub mod merkle;
pub mod opening;
pub mod params;
pub mod poly;
pub mod ring_switch;
pub mod stack;
pub mod stream;
pub mod transcript;

pub use error::{Malformed, Rejection};
