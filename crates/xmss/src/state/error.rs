//! Errors of key files.

use std::io;
use std::path::PathBuf;

use crate::sign::{EmptyWindow, SignError};

/// A file that is no key file of this version, or a damaged one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// Another kind of file.
    #[error("not a key file: expected it to start with PRVAXMSS")]
    Magic,
    /// A newer or older file.
    #[error("key file of version {0}, expected {expected}", expected = super::format::VERSION)]
    Version(u32),
    /// A key of the other tweak layout.
    #[error("key file of layout {got}, expected {expected}")]
    Layout {
        /// Number of the layout asked for.
        expected: u32,
        /// Number in the file.
        got: u32,
    },
    /// No epochs.
    #[error(transparent)]
    Window(#[from] EmptyWindow),
    /// Not the number the window gives.
    #[error("{got} subtrees, expected {expected} for this window")]
    Subtrees {
        /// Number the window gives.
        expected: u64,
        /// Number in the file.
        got: u64,
    },
    /// The file ends before its journal starts.
    #[error("{got} bytes, expected {expected} before the journal")]
    Short {
        /// Bytes before the journal.
        expected: u64,
        /// Bytes of the file.
        got: u64,
    },
    /// Bytes that must be zero are not.
    #[error("expected zeros after the subtree roots")]
    Padding,
    /// The part before the journal is damaged.
    #[error("the checksum of the part before the journal does not match")]
    Checksum,
    /// Seed and nodes give another public key.
    #[error("seed and subtree roots do not give the public key in the file")]
    PublicKey,
    /// A record is damaged. It could be that of a signature already given out.
    #[error(
        "journal record {number} at byte {offset} is damaged; which epochs are used is not known"
    )]
    Record {
        /// Its number, from zero.
        number: u64,
        /// Where it starts.
        offset: u64,
    },
    /// A record names an epoch for a second time, or one outside the window.
    #[error(
        "journal record {number} marks epoch {epoch}, which is outside the window or marked before"
    )]
    Epoch {
        /// Its number, from zero.
        number: u64,
        /// The epoch.
        epoch: u32,
    },
}

/// Why a key file could not be made or opened.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Key generation was stopped.
    #[error("cancelled")]
    Cancelled,
    /// A file of this name is there already. It is left alone.
    #[error("{}: exists already", .0.display())]
    Exists(PathBuf),
    /// Another process, or another handle, has the file open.
    #[error("{}: in use by another signer", .0.display())]
    Locked(PathBuf),
    /// No key file of this version and layout, or a damaged one.
    #[error("{}: {error}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: FormatError,
    },
    /// The system failed.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system reported.
        error: io::Error,
    },
}

/// Why a key file gives no signature.
#[derive(Debug, thiserror::Error)]
pub enum UseError {
    /// The epoch is marked used. If its signature was lost, signing the same message again is
    /// safe: see [`KeyFile::sign_again`](super::KeyFile::sign_again).
    #[error("epoch {0} is used")]
    Used(u32),
    /// The epoch is not marked used: there is nothing to repeat.
    #[error("epoch {0} is not used yet")]
    Unused(u32),
    /// The epoch was used for another message.
    #[error("epoch {0} was used for another message")]
    OtherMessage(u32),
    /// The file could not be read or written. The epoch may be marked or not; no signature left.
    #[error("the mark of epoch {epoch} could not be made durable: {error}")]
    Mark {
        /// The epoch.
        epoch: u32,
        /// What the system reported.
        error: io::Error,
    },
    /// The journal could not be read.
    #[error("the journal could not be read: {0}")]
    Read(io::Error),
    /// A write failed before: what the file says is not known until it is opened anew.
    #[error("an earlier write failed; open the key file anew")]
    Poisoned,
    /// There is no signature to mark.
    #[error(transparent)]
    Sign(#[from] SignError),
}
