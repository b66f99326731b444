//! The container: header, three padded sections, end of file.

use alloc::vec::Vec;
use core::fmt;

use crate::{FileError, System, Tape, TapeWriter};

/// The first eight bytes. The control bytes catch a transfer that changed line ends or stopped at
/// an end-of-file character, as PNG's signature does.
pub const MAGIC: [u8; 8] = *b"PROVA\x1a\r\n";

/// Length of the header in bytes.
pub const HEADER_LEN: usize = 32;

/// Every section starts at a multiple of this many bytes from the start of the file.
pub const ALIGNMENT: usize = 16;

/// The longest parameters section, in bytes: 64 KiB.
pub const MAX_PARAMS_LEN: u64 = 64 << 10;

/// The longest statement section, in bytes: 64 MiB.
pub const MAX_STATEMENT_LEN: u64 = 64 << 20;

/// The longest body section, in bytes: 256 MiB.
pub const MAX_BODY_LEN: u64 = 256 << 20;

/// A section of a proof file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// How the proof was made: field, hash, rates, security target.
    Params,
    /// What the proof is about.
    Statement,
    /// The proof itself.
    Body,
}

impl Section {
    /// The sections in the order of the file.
    pub const ALL: [Self; 3] = [Self::Params, Self::Statement, Self::Body];

    /// The longest this section may be, in bytes, padding not counted.
    #[must_use]
    pub const fn cap(self) -> u64 {
        match self {
            Self::Params => MAX_PARAMS_LEN,
            Self::Statement => MAX_STATEMENT_LEN,
            Self::Body => MAX_BODY_LEN,
        }
    }

    /// The name for people: `params`, `statement`, `body`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Statement => "statement",
            Self::Body => "body",
        }
    }

    const fn check_len(self, len: u64) -> Result<(), FileError> {
        let cap = self.cap();
        if len > cap {
            return Err(FileError::SectionTooLarge {
                section: self,
                len,
                cap,
            });
        }
        Ok(())
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A proof file: the header's two numbers and the three sections, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofFile<'a> {
    /// The system that can read the sections.
    pub system: System,
    /// The version of that system's format. Any value can be stored; see [`Self::require`].
    pub version: u16,
    /// How the proof was made. At most [`MAX_PARAMS_LEN`] bytes.
    pub params: &'a [u8],
    /// What the proof is about. At most [`MAX_STATEMENT_LEN`] bytes.
    pub statement: &'a [u8],
    /// The proof itself. At most [`MAX_BODY_LEN`] bytes.
    pub body: &'a [u8],
}

impl<'a> ProofFile<'a> {
    /// Reads a whole file without copying or allocating.
    ///
    /// Every byte is accounted for: a file that is accepted is byte for byte what
    /// [`Self::to_bytes`] makes of the result.
    ///
    /// # Errors
    ///
    /// In this order: [`FileError::NotAProofFile`], [`FileError::TooShort`],
    /// [`FileError::UnknownSystem`], [`FileError::SectionTooLarge`],
    /// [`FileError::LengthMismatch`], [`FileError::NonZeroPadding`].
    pub fn parse(bytes: &'a [u8]) -> Result<Self, FileError> {
        check_magic(bytes)?;
        let header = Header::read(bytes)?;
        let total = header.file_len()?;
        let got = to_u64(bytes.len());
        if got != total {
            return Err(FileError::LengthMismatch {
                expected: total,
                got,
            });
        }
        let mut rest = Sections {
            file_len: total,
            rest: bytes.get(HEADER_LEN..).unwrap_or(&[]),
        };
        let params = rest.next(header.params_len)?;
        let statement = rest.next(header.statement_len)?;
        let body = rest.next(header.body_len)?;
        Ok(Self {
            system: header.system,
            version: header.version,
            params,
            statement,
            body,
        })
    }

    /// Length in bytes of what [`Self::to_bytes`] writes.
    ///
    /// # Errors
    ///
    /// [`FileError::SectionTooLarge`] when a section is over its cap.
    pub fn encoded_len(&self) -> Result<u64, FileError> {
        self.header().file_len()
    }

    /// Writes the file.
    ///
    /// # Errors
    ///
    /// [`FileError::SectionTooLarge`] when a section is over its cap.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        let header = self.header();
        let total = usize::try_from(header.file_len()?).unwrap_or(usize::MAX);
        let mut out = TapeWriter::with_capacity(total);
        header.write(&mut out);
        for section in Section::ALL {
            out.bytes(self.section(section));
            out.pad_to(ALIGNMENT);
        }
        Ok(out.into_bytes())
    }

    /// The bytes of one section, without padding.
    #[must_use]
    pub const fn section(&self, section: Section) -> &'a [u8] {
        match section {
            Section::Params => self.params,
            Section::Statement => self.statement,
            Section::Body => self.body,
        }
    }

    /// A tape over one section, from its start.
    #[must_use]
    pub const fn tape(&self, section: Section) -> Tape<'a> {
        Tape::new(section, self.section(section))
    }

    /// Checks that the file belongs to `system` and has one of the `supported` format versions. A
    /// system calls this before it reads a section.
    ///
    /// # Errors
    ///
    /// [`FileError::WrongSystem`] or [`FileError::UnsupportedVersion`].
    pub fn require(&self, system: System, supported: &'static [u16]) -> Result<(), FileError> {
        if self.system != system {
            return Err(FileError::WrongSystem {
                expected: system,
                got: self.system,
            });
        }
        if !supported.contains(&self.version) {
            return Err(FileError::UnsupportedVersion {
                system,
                supported,
                got: self.version,
            });
        }
        Ok(())
    }

    fn header(&self) -> Header {
        Header {
            system: self.system,
            version: self.version,
            params_len: to_u64(self.params.len()),
            statement_len: to_u64(self.statement.len()),
            body_len: to_u64(self.body.len()),
        }
    }
}

/// What follows the magic. Lengths are those of the sections without padding.
struct Header {
    system: System,
    version: u16,
    params_len: u64,
    statement_len: u64,
    body_len: u64,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Self, FileError> {
        let too_short = || FileError::TooShort {
            needed: to_u64(HEADER_LEN),
            got: to_u64(bytes.len()),
        };
        let rest = bytes.get(MAGIC.len()..HEADER_LEN).ok_or_else(too_short)?;
        let (system, rest) = rest.split_first_chunk().ok_or_else(too_short)?;
        let (version, rest) = rest.split_first_chunk().ok_or_else(too_short)?;
        let (params_len, rest) = rest.split_first_chunk().ok_or_else(too_short)?;
        let (statement_len, rest) = rest.split_first_chunk().ok_or_else(too_short)?;
        let (body_len, _) = rest.split_first_chunk().ok_or_else(too_short)?;
        Ok(Self {
            system: System::try_from(u16::from_le_bytes(*system))?,
            version: u16::from_le_bytes(*version),
            params_len: u64::from(u32::from_le_bytes(*params_len)),
            statement_len: u64::from_le_bytes(*statement_len),
            body_len: u64::from_le_bytes(*body_len),
        })
    }

    fn write(&self, out: &mut TapeWriter) {
        out.bytes(&MAGIC);
        out.u16(self.system.number());
        out.u16(self.version);
        // The cap is far below `u32::MAX`, and `file_len` has checked it.
        out.u32(u32::try_from(self.params_len).unwrap_or(u32::MAX));
        out.u64(self.statement_len);
        out.u64(self.body_len);
    }

    /// Length of the whole file. Below 2^29 because of the caps, so nothing here saturates.
    fn file_len(&self) -> Result<u64, FileError> {
        let sections = [
            (Section::Params, self.params_len),
            (Section::Statement, self.statement_len),
            (Section::Body, self.body_len),
        ];
        let mut total = to_u64(HEADER_LEN);
        for (section, len) in sections {
            section.check_len(len)?;
            total = total.saturating_add(len).saturating_add(padding_after(len));
        }
        Ok(total)
    }
}

/// Cuts the sections off what follows the header, one after the other.
struct Sections<'a> {
    file_len: u64,
    rest: &'a [u8],
}

impl<'a> Sections<'a> {
    /// The next `len` bytes; checks the padding after them.
    fn next(&mut self, len: u64) -> Result<&'a [u8], FileError> {
        let data = self.take(len)?;
        let padding_start = self.file_len.saturating_sub(to_u64(self.rest.len()));
        let padding = self.take(padding_after(len))?;
        for (offset, &got) in (padding_start..).zip(padding) {
            if got != 0 {
                return Err(FileError::NonZeroPadding { offset, got });
            }
        }
        Ok(data)
    }

    fn take(&mut self, len: u64) -> Result<&'a [u8], FileError> {
        // The length of the file was compared with the header before, so there always is enough.
        let at = usize::try_from(len).unwrap_or(usize::MAX);
        let (taken, rest) = self.rest.split_at_checked(at).ok_or_else(|| {
            let got = self.file_len.saturating_sub(to_u64(self.rest.len()));
            FileError::LengthMismatch {
                expected: self.file_len,
                got,
            }
        })?;
        self.rest = rest;
        Ok(taken)
    }
}

fn check_magic(bytes: &[u8]) -> Result<(), FileError> {
    for (offset, (&got, &expected)) in bytes.iter().zip(&MAGIC).enumerate() {
        if got != expected {
            return Err(FileError::NotAProofFile {
                offset,
                expected,
                got,
            });
        }
    }
    Ok(())
}

/// How many zero bytes follow a section of `len` bytes.
fn padding_after(len: u64) -> u64 {
    len.checked_next_multiple_of(to_u64(ALIGNMENT))
        .map_or(0, |end| end.saturating_sub(len))
}

/// A length as the header and the errors hold it. Lengths in memory fit on every target there is.
fn to_u64(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}
