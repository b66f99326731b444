//! What can be wrong with a file or a section. Every message says where, what was expected and
//! what came.

use crate::{Section, System};

/// A file is not a proof file, or not one that can be read here.
///
/// Offsets and lengths are in bytes; offsets count from the start of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The first bytes are not [`MAGIC`](crate::MAGIC); `offset` is that of the first byte that
    /// differs.
    #[error("not a proof file: expected byte {expected:#04x} at offset {offset}, got {got:#04x}")]
    NotAProofFile {
        /// Offset of the first byte that differs.
        offset: usize,
        /// The byte of the magic at this offset.
        expected: u8,
        /// The byte of the file at this offset.
        got: u8,
    },
    /// The file ends inside the header.
    #[error("the file ends inside its header: expected {needed} bytes, got {got}")]
    TooShort {
        /// Length of the header.
        needed: u64,
        /// Length of the file.
        got: u64,
    },
    /// The number at offset 8 belongs to no system.
    #[error("unknown proof system at offset 8: expected a number from 1 to 5, got {got}")]
    UnknownSystem {
        /// The number in the header.
        got: u16,
    },
    /// The file belongs to another system than the one asked for.
    #[error("the file holds a proof of another system: expected {expected}, got {got}")]
    WrongSystem {
        /// The system asked for.
        expected: System,
        /// The system in the header.
        got: System,
    },
    /// The system is known but the format version at offset 10 is not one it reads.
    #[error(
        "unsupported format version of system {system} at offset 10: expected one of \
         {supported:?}, got {got}"
    )]
    UnsupportedVersion {
        /// The system in the header.
        system: System,
        /// The versions that are read here.
        supported: &'static [u16],
        /// The version in the header.
        got: u16,
    },
    /// A section is longer than its cap. Raised by the reader and by the writer.
    #[error("the {section} section is too large: expected at most {cap} bytes, got {len}")]
    SectionTooLarge {
        /// The section.
        section: Section,
        /// Its length as the header gives it, or as it was to be written.
        len: u64,
        /// The longest it may be.
        cap: u64,
    },
    /// The file is shorter or longer than the lengths in its header make it.
    #[error("wrong file length: the header makes it {expected} bytes, got {got}")]
    LengthMismatch {
        /// Header, sections and padding together.
        expected: u64,
        /// Length of the file.
        got: u64,
    },
    /// A byte between the end of a section and the next multiple of 16 is not zero.
    #[error("padding is not zero: expected byte 0x00 at offset {offset}, got {got:#04x}")]
    NonZeroPadding {
        /// Offset of the byte.
        offset: u64,
        /// The byte.
        got: u8,
    },
}

/// A section does not hold what its reader asks for.
///
/// Offsets and lengths are in bytes; offsets count from the start of the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TapeError {
    /// The section ends too early.
    #[error(
        "the {section} section ends too early: expected {needed} bytes at offset {offset}, \
         got {remaining}"
    )]
    Exhausted {
        /// The section.
        section: Section,
        /// Offset of the read.
        offset: usize,
        /// Bytes asked for.
        needed: usize,
        /// Bytes that were left.
        remaining: usize,
    },
    /// Everything was read and bytes are left.
    #[error(
        "the {section} section is too long: expected its end at offset {offset}, got {remaining} more bytes"
    )]
    Trailing {
        /// The section.
        section: Section,
        /// Offset of the first byte left.
        offset: usize,
        /// Bytes that are left.
        remaining: usize,
    },
    /// A value is not one of those allowed at its place: a field element that is not canonical, a
    /// tag without meaning, a nonce that should be zero. Raised by those who read tapes.
    #[error(
        "invalid value in the {section} section at offset {offset}: expected {expected}, got {got}"
    )]
    Invalid {
        /// The section.
        section: Section,
        /// Offset of the value.
        offset: usize,
        /// What is allowed, in words.
        expected: &'static str,
        /// The value.
        got: u64,
    },
}

/// Input that could not be read: the container or what a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The container.
    #[error(transparent)]
    File(#[from] FileError),
    /// A section.
    #[error(transparent)]
    Tape(#[from] TapeError),
}
