//! Errors of encodings and of verification.

use crate::encoding::NotAdmissible;

/// Bytes of the wrong length. Every string of the right length is a key, or a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a {what} is {expected} bytes, got {got}")]
pub struct LengthError {
    /// What was to be read.
    pub what: &'static str,
    /// Its length in bytes.
    pub expected: usize,
    /// The length that came.
    pub got: usize,
}

/// Why a signature is not one of this key, epoch and message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// The message has no encoding under the signature's randomizer.
    #[error("not admissible: {0}")]
    Encoding(#[from] NotAdmissible),
    /// The signature leads to another root than the key's.
    #[error("the signature leads to another root than the public key's")]
    Root,
}

/// Why raw bytes are not a valid signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// Malformed input.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// Well-formed, and not valid.
    #[error("invalid signature: {0}")]
    Rejected(#[from] Rejected),
}

/// Text that is not the hexadecimal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HexError {
    /// Too few or too many digits.
    #[error("a {what} is {expected} hexadecimal digits, got {got}")]
    Length {
        /// What was to be read.
        what: &'static str,
        /// Digits expected, a prefix `0x` not counted.
        expected: usize,
        /// Digits that came.
        got: usize,
    },
    /// Something else than a digit.
    #[error("expected a hexadecimal digit at character {at}")]
    Digit {
        /// Position, a prefix `0x` not counted.
        at: usize,
    },
}
