//! What the commands about signatures share: parsing, failures.

use std::path::Path;

use prova_xmss::MESSAGE_BYTES;
use prova_xmss::hex::decode;
use prova_xmss::state::{FileError, UseError};

use crate::error::Failure;

/// A message of 32 bytes.
pub type Message = [u8; MESSAGE_BYTES];

/// Reads a message from hexadecimal digits.
pub fn message(text: &str) -> Result<Message, String> {
    decode("message", text).map_err(|error| error.to_string())
}

/// The failure of a key file.
pub fn file_failure(error: &FileError) -> Failure {
    match error {
        FileError::Cancelled => Failure::cancelled(),
        FileError::Io { path, error } => Failure::io("use", path, error),
        FileError::Locked(_) => Failure::resource(error),
        other => Failure::malformed(other),
    }
}

/// The failure of a signature.
pub fn use_failure(path: &Path, error: &UseError) -> Failure {
    let message = format!("{}: {error}", path.display());
    match error {
        UseError::Used(_) => Failure::malformed(format_args!(
            "{message}; a second signature would break the key. If the first was lost, --again \
             repeats it for the same message"
        )),
        UseError::Mark { .. } | UseError::Read(_) | UseError::Poisoned => {
            Failure::resource(message)
        }
        _ => Failure::malformed(message),
    }
}
