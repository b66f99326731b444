//! Reading key files, and the steps that write them.

use std::format;
use std::io;
use std::path::{Path, PathBuf};
use std::vec::Vec;

use super::error::{FileError, FormatError};
use super::format::{
    FIXED_BYTES, Header, RECORD_BYTES, Record, Tag, buffer, journal_start, parse_body,
};
use super::storage::{Storage, StoredFile};
use super::used::Used;
use crate::tweak::Words;
use crate::types::PublicKey;

/// The file an error is about.
#[derive(Clone, Copy)]
pub(super) struct At<'a>(pub(super) &'a Path);

impl At<'_> {
    pub(super) fn io(self, error: io::Error) -> FileError {
        FileError::Io {
            path: self.0.to_path_buf(),
            error,
        }
    }

    pub(super) fn format(self, error: FormatError) -> FileError {
        FileError::Format {
            path: self.0.to_path_buf(),
            error,
        }
    }

    /// For a name that should be free.
    pub(super) fn taken(self, error: io::Error) -> FileError {
        match error.kind() {
            io::ErrorKind::AlreadyExists => FileError::Exists(self.0.to_path_buf()),
            _ => self.io(error),
        }
    }

    /// For a lock that should be free.
    pub(super) fn locked(self, error: io::Error) -> FileError {
        match error.kind() {
            io::ErrorKind::WouldBlock => FileError::Locked(self.0.to_path_buf()),
            _ => self.io(error),
        }
    }

    fn scan(self, error: ScanError) -> FileError {
        match error {
            ScanError::Io(error) => self.io(error),
            ScanError::Format(error) => self.format(error),
        }
    }
}

/// The name a key file has until it is complete: hidden, and of this key alone.
pub(super) fn temporary_name(path: &Path, key: &PublicKey) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let id = u64::from_be_bytes(*key.parameter.first_chunk().unwrap_or(&[0; 8]));
    path.with_file_name(format!(".{name}.{id:016x}.new"))
}

/// Writes a new file and gives it its name, all durable.
pub(super) fn publish<S: Storage>(
    storage: &S,
    file: &mut S::File,
    bytes: &[u8],
    temporary: &Path,
    path: &Path,
) -> io::Result<()> {
    file.write_at(0, bytes)?;
    file.sync()?;
    storage.link(temporary, path)?;
    storage.remove(temporary)?;
    storage.sync_folder(path)
}

/// Makes the end of the journal durable: cuts an incomplete record off, and writes the last
/// complete one again, which a failed sync could have left in memory only.
pub(super) fn settle<F: StoredFile>(file: &mut F, contents: &Contents) -> io::Result<()> {
    let start = journal_start(contents.header.window);
    if contents.incomplete {
        file.truncate(start + contents.records * RECORD_BYTES as u64)?;
    }
    if let Some(number) = contents.records.checked_sub(1) {
        let offset = start + number * RECORD_BYTES as u64;
        let mut record = [0; RECORD_BYTES];
        file.read_at(offset, &mut record)?;
        file.write_at(offset, &record)?;
    }
    file.sync()
}

/// Everything a key file says.
pub(super) struct Contents {
    pub(super) header: Header,
    pub(super) roots: Vec<Words>,
    pub(super) tag: Tag,
    pub(super) used: Used,
    /// Complete records.
    pub(super) records: u64,
    /// Whether a part of another record follows.
    pub(super) incomplete: bool,
}

impl Contents {
    pub(super) fn read<F: StoredFile>(file: &mut F, at: At<'_>) -> Result<Self, FileError> {
        let got = file.size().map_err(|error| at.io(error))?;
        let short = |expected| at.format(FormatError::Short { expected, got });
        if got < FIXED_BYTES as u64 {
            return Err(short(FIXED_BYTES as u64));
        }
        let mut fixed = zeroize::Zeroizing::new([0; FIXED_BYTES]);
        file.read_at(0, &mut *fixed).map_err(|error| at.io(error))?;
        let header = Header::parse(&fixed).map_err(|error| at.format(error))?;
        let start = journal_start(header.window);
        // Before anything of that length is allocated.
        if got < start {
            return Err(short(start));
        }
        let mut body = buffer(start);
        file.read_at(0, &mut body).map_err(|error| at.io(error))?;
        let (roots, tag) = parse_body(&body, header.window).map_err(|error| at.format(error))?;

        let mut used = Used::default();
        let mut wrong = None;
        let end = scan(file, start, got, tag, |number, record| {
            let (epoch, window) = (record.epoch, header.window);
            if !window.contains(epoch) || !used.insert(epoch) {
                wrong = wrong.or(Some(FormatError::Epoch { number, epoch }));
            }
        });
        let end = end.map_err(|error| at.scan(error))?;
        if let Some(error) = wrong {
            return Err(at.format(error));
        }
        Ok(Self {
            header,
            roots,
            tag,
            used,
            records: end.records,
            incomplete: end.incomplete,
        })
    }
}

/// Where a journal ends.
pub(super) struct End {
    pub(super) records: u64,
    pub(super) incomplete: bool,
}

/// Why a journal cannot be read.
#[derive(Debug)]
pub(super) enum ScanError {
    Io(io::Error),
    Format(FormatError),
}

impl From<ScanError> for io::Error {
    fn from(error: ScanError) -> Self {
        match error {
            ScanError::Io(error) => error,
            ScanError::Format(error) => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

/// Records read at once.
const CHUNK: usize = 1024;

/// Reads the records from `start` to the file's length `len`.
///
/// What a crash can leave of the last record is a part of its bytes, with the rest missing or in
/// zeros: an incomplete record. Anything else that is no record is damage.
pub(super) fn scan<F: StoredFile>(
    file: &mut F,
    start: u64,
    len: u64,
    tag: Tag,
    mut found: impl FnMut(u64, Record),
) -> Result<End, ScanError> {
    let record_bytes = RECORD_BYTES as u64;
    let (total, rest) = ((len - start) / record_bytes, (len - start) % record_bytes);
    let mut chunk = Vec::new();
    let mut number = 0;
    while number < total {
        let count = (total - number).min(CHUNK as u64);
        chunk.resize(count as usize, [0; RECORD_BYTES]);
        let offset = start + number * record_bytes;
        file.read_at(offset, chunk.as_flattened_mut())
            .map_err(ScanError::Io)?;
        for bytes in &chunk {
            match Record::parse(bytes, tag).filter(|record| u64::from(record.number) == number) {
                Some(record) => found(number, record),
                None if number + 1 == total && rest == 0 && Record::is_torn(bytes, tag) => {
                    return Ok(End {
                        records: number,
                        incomplete: true,
                    });
                }
                None => {
                    let offset = start + number * record_bytes;
                    return Err(ScanError::Format(FormatError::Record { number, offset }));
                }
            }
            number += 1;
        }
    }
    Ok(End {
        records: total,
        incomplete: rest != 0,
    })
}
