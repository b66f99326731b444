//! The yardstick of hash-batch benchmarks: the same digests, proved with the published BLAKE2s AIR.
//!
//! [`Peer`] proves that somebody knows messages of 64 bytes with a list of BLAKE2s-256 digests, as a
//! batch of ours does, with `p3-blake2s-air` (one column a wire bit) under `p3-multi-stark`. Trees and
//! transcript use BLAKE2s-256, as ours do. The AIR alone says nothing about digests; they enter the
//! transcript and are compared with the opened columns, which costs the peer's prover nothing.
//!
//! Both fields are compiled here and nowhere else: the rest of the workspace sees no generic code of
//! theirs.

mod config;
mod gf128;
mod gf192;
mod statement;
mod system;

use std::fmt;

use p3_blake2s_air::NUM_BLAKE2S_BINARY_COLS;
use p3_sumcheck::TableShape;
use p3_sumcheck::layout::plan_stacked_layout;

pub use statement::{Digest, Mismatch};
use system::Proves;

/// Fewest digests, as a logarithm.
pub const LEAST_LOG_DIGESTS: u32 = 3;
/// Most digests, as a logarithm.
pub const MOST_LOG_DIGESTS: u32 = 20;

/// Fields of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// GF(2^128): folding commitment, unique decoding, 97 bits asked of the commitment.
    Gf128,
    /// GF(2^64) and its cubic extension: WHIR, Johnson bound, 128 bits a term.
    Gf192,
}

impl Field {
    /// Both, the smaller first.
    pub const ALL: [Self; 2] = [Self::Gf128, Self::Gf192];

    /// The field of the challenges.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gf128 => "GF(2^128)",
            Self::Gf192 => "GF(2^192)",
        }
    }

    /// Bytes an element of the challenges has, and rows that share one when the zerocheck leaves bits
    /// behind.
    const fn folded(self) -> (u64, u64) {
        match self {
            Self::Gf128 => (16, 16),
            Self::Gf192 => (24, 16),
        }
    }

    /// Bytes that proving `2^log_digests` digests takes at most, over messages and digests: a model of
    /// the published prover's buffers, which it cannot tell itself.
    #[must_use]
    pub const fn peak_bytes(self, log_digests: u32, log_inv_rate: u32) -> u64 {
        let (element, rows) = self.folded();
        let folded = NUM_BLAKE2S_BINARY_COLS as u64 * element / rows;
        let codewords = (STACKED_BYTES << log_inv_rate) * 3 / 2;
        FIXED_BYTES + ((2 * STACKED_BYTES + codewords + 3 * folded / 2) << log_digests)
    }

    /// The commitment and the regime of its security.
    #[must_use]
    pub const fn commitment(self) -> &'static str {
        match self {
            Self::Gf128 => "folding, unique decoding",
            Self::Gf192 => "WHIR, Johnson bound (proven)",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Bytes of a row's bits when they are stacked: the columns' number is rounded up to a power of two.
const STACKED_BYTES: u64 = (NUM_BLAKE2S_BINARY_COLS as u64).next_power_of_two() / 8;
/// Bytes that do not depend on the number of digests: powers, openings, constraints.
const FIXED_BYTES: u64 = 64 << 20;

/// What goes wrong with a peer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PeerError {
    /// No proof for this number of digests.
    #[error(
        "expected a power of two of digests from 2^{LEAST_LOG_DIGESTS} to 2^{MOST_LOG_DIGESTS}, got {0}"
    )]
    Digests(usize),
    /// Not one message a digest.
    #[error("expected {expected} messages, one a digest, got {got}")]
    Messages {
        /// Number of messages.
        got: usize,
        /// Number of digests.
        expected: usize,
    },
    /// No parameters reach the security.
    #[error("setup: {0}")]
    Setup(String),
    /// The prover refused.
    #[error("proving: {0}")]
    Proving(String),
    /// Bytes that are not a proof.
    #[error("not a proof: {0}")]
    Proof(String),
    /// The proof is wrong.
    #[error("rejected: {0}")]
    Rejected(String),
}

/// A prover and a verifier of one list of digests, keys and parameters prepared.
pub struct Peer {
    field: Field,
    system: Box<dyn Proves>,
}

impl Peer {
    /// Prepares the proof of `digests`, a power of two of them, with codewords `2^log_inv_rate` times
    /// as long as what they encode.
    ///
    /// # Errors
    /// [`PeerError::Digests`], [`PeerError::Setup`].
    pub fn new(field: Field, digests: &[Digest], log_inv_rate: u32) -> Result<Self, PeerError> {
        let count = digests.len();
        let log = count.checked_ilog2().unwrap_or(0);
        if !count.is_power_of_two() || !(LEAST_LOG_DIGESTS..=MOST_LOG_DIGESTS).contains(&log) {
            return Err(PeerError::Digests(count));
        }
        let shape = TableShape::new(log as usize, NUM_BLAKE2S_BINARY_COLS);
        let (variables, _) = plan_stacked_layout(&[shape]);
        let (digests, rate) = (digests.to_vec(), log_inv_rate as usize);
        let system: Box<dyn Proves> = match field {
            Field::Gf128 => Box::new(gf128::system(digests, variables, rate)?),
            Field::Gf192 => Box::new(gf192::system(digests, variables, rate)?),
        };
        Ok(Self { field, system })
    }

    /// The field.
    #[must_use]
    pub const fn field(&self) -> Field {
        self.field
    }

    /// Security of the whole proof in bits: the sum of all its error terms, collisions of the hash
    /// among them. Round by round, as ours is stated, it is more.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        self.system.security_bits()
    }

    /// Proves, witness and serialisation included.
    ///
    /// # Errors
    /// [`PeerError::Messages`], [`PeerError::Proving`]. Messages that do not have the digests give a
    /// proof that is rejected.
    pub fn prove(&self, messages: &[[u8; 64]]) -> Result<Vec<u8>, PeerError> {
        self.system.prove(messages)
    }

    /// Verifies.
    ///
    /// # Errors
    /// [`PeerError::Proof`], [`PeerError::Rejected`].
    pub fn verify(&self, proof: &[u8]) -> Result<(), PeerError> {
        self.system.verify(proof)
    }
}
