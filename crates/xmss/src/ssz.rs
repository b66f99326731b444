//! SSZ encodings. Every container here has fixed-size parts only, so its encoding is their
//! concatenation, without offsets, and that of a list its elements'.
//!
//! | container | parts, in order | bytes |
//! |---|---|---|
//! | [`PublicKey`] | root 16, parameter 16 | 32 |
//! | [`Signature`] | chain values 42 of 16, randomizer 24, path 32 of 16 | 1,208 |
//! | [`SignedMessage`] | public key 32, epoch (little-endian) 4, message 32, signature 1,208 | 1,276 |

use crate::error::LengthError;
use crate::params::{MESSAGE_BYTES, PUBLIC_KEY_BYTES, SIGNATURE_BYTES};
use crate::types::{PublicKey, Signature};

/// A container of fixed size.
pub trait FixedSsz: Sized {
    /// The bytes of an encoding.
    type Bytes: AsRef<[u8]>;

    /// Their number.
    const SSZ_BYTES: usize;

    /// The encoding.
    fn to_ssz(&self) -> Self::Bytes;

    /// Reads [`to_ssz`](Self::to_ssz).
    ///
    /// # Errors
    /// If there are not [`SSZ_BYTES`](Self::SSZ_BYTES) bytes.
    fn from_ssz(bytes: &[u8]) -> Result<Self, LengthError>;
}

impl FixedSsz for PublicKey {
    type Bytes = [u8; PUBLIC_KEY_BYTES];

    const SSZ_BYTES: usize = PUBLIC_KEY_BYTES;

    fn to_ssz(&self) -> Self::Bytes {
        self.to_bytes()
    }

    fn from_ssz(bytes: &[u8]) -> Result<Self, LengthError> {
        Self::from_bytes(bytes)
    }
}

impl FixedSsz for Signature {
    type Bytes = [u8; SIGNATURE_BYTES];

    const SSZ_BYTES: usize = SIGNATURE_BYTES;

    fn to_ssz(&self) -> Self::Bytes {
        self.to_bytes()
    }

    fn from_ssz(bytes: &[u8]) -> Result<Self, LengthError> {
        Self::from_bytes(bytes)
    }
}

/// A signature with what it signs: one element of a file of many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedMessage {
    /// Whose.
    pub key: PublicKey,
    /// When.
    pub epoch: u32,
    /// What.
    pub message: [u8; MESSAGE_BYTES],
    /// The signature.
    pub signature: Signature,
}

impl SignedMessage {
    /// As an element of [`verify_batch`](crate::batch::verify_batch).
    #[cfg(feature = "batch")]
    #[must_use]
    pub const fn as_signed(&self) -> crate::batch::Signed<'_> {
        crate::batch::Signed {
            key: &self.key,
            epoch: self.epoch,
            message: &self.message,
            signature: &self.signature,
        }
    }

    fn split(bytes: &[u8]) -> Option<Self> {
        let (key, rest) = bytes.split_first_chunk::<PUBLIC_KEY_BYTES>()?;
        let (epoch, rest) = rest.split_first_chunk()?;
        let (message, signature) = rest.split_first_chunk()?;
        Some(Self {
            key: PublicKey::from_bytes(key).ok()?,
            epoch: u32::from_le_bytes(*epoch),
            message: *message,
            signature: Signature::from_bytes(signature).ok()?,
        })
    }
}

/// Bytes of a [`SignedMessage`].
const SIGNED_BYTES: usize = PUBLIC_KEY_BYTES + 4 + MESSAGE_BYTES + SIGNATURE_BYTES;

impl FixedSsz for SignedMessage {
    type Bytes = [u8; SIGNED_BYTES];

    const SSZ_BYTES: usize = SIGNED_BYTES;

    fn to_ssz(&self) -> Self::Bytes {
        let mut bytes = [0; SIGNED_BYTES];
        let (key, signature) = (self.key.to_bytes(), self.signature.to_bytes());
        let epoch = self.epoch.to_le_bytes();
        let parts = key
            .iter()
            .chain(&epoch)
            .chain(&self.message)
            .chain(&signature);
        for (to, from) in bytes.iter_mut().zip(parts) {
            *to = *from;
        }
        bytes
    }

    fn from_ssz(bytes: &[u8]) -> Result<Self, LengthError> {
        Self::split(bytes).ok_or(LengthError {
            what: "signed message",
            expected: SIGNED_BYTES,
            got: bytes.len(),
        })
    }
}

/// The elements of an encoded list, one after another.
///
/// # Errors
/// If the length is not a multiple of an element's.
pub fn list<T: FixedSsz>(
    bytes: &[u8],
) -> Result<impl ExactSizeIterator<Item = Result<T, LengthError>>, LengthError> {
    let size = T::SSZ_BYTES;
    if !bytes.len().is_multiple_of(size) {
        return Err(LengthError {
            what: "last element of a list",
            expected: size,
            got: bytes.len() % size,
        });
    }
    Ok(bytes.chunks_exact(size).map(T::from_ssz))
}
