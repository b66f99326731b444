//! The transcript of the Verkle protocols: SHA-256 over labelled messages.
//!
//! The state is a string of bytes. A message is appended as its label followed by its bytes, with
//! no lengths in between. A challenge is the digest of the state, read little-endian and reduced
//! modulo r; the state then starts anew with the challenge. Specified by the Verkle reference
//! implementation; the same in go-ipa (`common/transcript.go`) and rust-verkle.

use sha2::{Digest, Sha256};

use crate::element::Commitment;
use crate::field::Fr;

/// A transcript. Clone it to look ahead.
#[derive(Clone)]
pub struct Transcript {
    hasher: Sha256,
}

impl Transcript {
    /// A transcript that starts with the protocol's label. Deployed clients use `vt` for blocks,
    /// and `verkle` in rust-verkle's foreign-function interface.
    #[must_use]
    pub fn new(label: &[u8]) -> Self {
        Self {
            hasher: Sha256::new_with_prefix(label),
        }
    }

    /// Appends a label alone.
    pub fn domain_separator(&mut self, label: &[u8]) {
        self.hasher.update(label);
    }

    /// Appends bytes that are labelled messages already.
    pub(crate) fn append_raw(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }

    /// Appends a scalar, little-endian.
    pub fn append_scalar(&mut self, label: &[u8], scalar: Fr) {
        self.hasher.update(label);
        self.hasher.update(scalar.to_le_bytes());
    }

    /// Appends the encoding of an element.
    pub fn append_point(&mut self, label: &[u8], point: &Commitment) {
        self.hasher.update(label);
        self.hasher.update(point.as_bytes());
    }

    /// Draws a scalar.
    pub fn challenge(&mut self, label: &[u8]) -> Fr {
        self.hasher.update(label);
        let digest: [u8; 32] = self.hasher.finalize_reset().into();
        let challenge = Fr::from_le_bytes_reduced(&digest);
        self.append_scalar(label, challenge);
        challenge
    }
}
