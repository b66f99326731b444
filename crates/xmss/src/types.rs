//! Public keys and signatures, in bytes, text and parts.

use core::fmt;
use core::str::FromStr;

use crate::error::{HexError, LengthError};
use crate::hex;
use crate::params::{CHAINS, PUBLIC_KEY_BYTES, RANDOMIZER_BYTES, SIGNATURE_BYTES, TREE_HEIGHT};

/// A public key. It does not tell for which epochs its owner can sign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey {
    /// Root of the tree over all epochs.
    pub root: [u8; 16],
    /// Public parameter, in every hash call of this key.
    pub parameter: [u8; 16],
}

impl PublicKey {
    /// Root, then parameter.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; PUBLIC_KEY_BYTES] {
        let mut bytes = [0; PUBLIC_KEY_BYTES];
        let parts = [self.root, self.parameter];
        for (to, part) in bytes.as_chunks_mut().0.iter_mut().zip(parts) {
            *to = part;
        }
        bytes
    }

    /// Reads [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// If there are not [`PUBLIC_KEY_BYTES`] bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LengthError> {
        match bytes.as_chunks::<16>() {
            ([root, parameter], []) => Ok(Self {
                root: *root,
                parameter: *parameter,
            }),
            _ => Err(LengthError {
                what: "public key",
                expected: PUBLIC_KEY_BYTES,
                got: bytes.len(),
            }),
        }
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(f, &[&self.root, &self.parameter])
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl FromStr for PublicKey {
    type Err = HexError;

    fn from_str(text: &str) -> Result<Self, HexError> {
        let bytes: [u8; PUBLIC_KEY_BYTES] = hex::decode("public key", text)?;
        Self::from_bytes(&bytes).map_err(|error| HexError::Length {
            what: error.what,
            expected: 2 * error.expected,
            got: 2 * error.got,
        })
    }
}

/// A signature. The epoch is not part of it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Of each chain the value at its digit's position.
    pub chains: [[u8; 16]; CHAINS],
    /// What made the message's encoding admissible.
    pub randomizer: [u8; RANDOMIZER_BYTES],
    /// Siblings from the leaf up.
    pub path: [[u8; 16]; TREE_HEIGHT],
}

/// Bytes before the randomizer.
const CHAINS_END: usize = 16 * CHAINS;
/// Bytes before the path.
const RANDOMIZER_END: usize = CHAINS_END + RANDOMIZER_BYTES;

impl Signature {
    /// Chain values, randomizer, path.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; SIGNATURE_BYTES] {
        let mut bytes = [0; SIGNATURE_BYTES];
        let chains = self.chains.as_flattened();
        let parts = chains
            .iter()
            .chain(&self.randomizer)
            .chain(self.path.as_flattened());
        for (to, from) in bytes.iter_mut().zip(parts) {
            *to = *from;
        }
        bytes
    }

    /// Reads [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// If there are not [`SIGNATURE_BYTES`] bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LengthError> {
        Self::split(bytes).ok_or(LengthError {
            what: "signature",
            expected: SIGNATURE_BYTES,
            got: bytes.len(),
        })
    }

    fn split(bytes: &[u8]) -> Option<Self> {
        let (chains, rest) = bytes.split_at_checked(CHAINS_END)?;
        let (randomizer, path) = rest.split_at_checked(RANDOMIZER_END - CHAINS_END)?;
        let (path, []) = path.as_chunks() else {
            return None;
        };
        Some(Self {
            chains: chains.as_chunks().0.try_into().ok()?,
            randomizer: randomizer.try_into().ok()?,
            path: path.try_into().ok()?,
        })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (chains, path) = (self.chains.as_flattened(), self.path.as_flattened());
        hex::write(f, &[chains, &self.randomizer, path])
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({self})")
    }
}

impl FromStr for Signature {
    type Err = HexError;

    fn from_str(text: &str) -> Result<Self, HexError> {
        let bytes: [u8; SIGNATURE_BYTES] = hex::decode("signature", text)?;
        Self::from_bytes(&bytes).map_err(|error| HexError::Length {
            what: error.what,
            expected: 2 * error.expected,
            got: 2 * error.got,
        })
    }
}
