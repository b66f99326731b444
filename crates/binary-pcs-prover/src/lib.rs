//! The prover of the binary-field polynomial commitment.
//!
//! [`open::Committed`] encodes and hashes the words of a polynomial over GF(2^64), and opens a
//! linear form of them over GF(2^192) along the ladder that [`prova_binary_pcs::opening`] verifies.
//! The form is a [`weight::WeightSource`]: claims at points ([`weight::PointWeights`]), ring-switched
//! claims about bits ([`ring::RingSwitchWeight`]), sums of both. No weight is ever stored for every
//! word: the rounds over the lanes need a 64 x 64 matrix of inner products only.
//!
//! Results do not depend on the number of threads nor on the plan.

mod bits;
mod cast;
pub mod channel;
pub mod encode;
pub mod error;
pub mod grind;
mod induce;
pub mod lanes;
pub mod matrix;
pub mod merkle;
mod midstate;
pub mod open;
mod oracle;
pub mod plan;
pub mod ring;
pub mod size;
mod vector;
pub mod weight;

pub use channel::ProverChannel;
pub use error::ProveError;
pub use open::Committed;
pub use plan::Plan;
pub use prova_binary_pcs::field::{E, K};
