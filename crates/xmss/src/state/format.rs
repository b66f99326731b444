//! The bytes of a key file.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | [`MAGIC`] |
//! | 8 | 4 | [`VERSION`] |
//! | 12 | 4 | number of the layout |
//! | 16 | 4 | first epoch of the window |
//! | 20 | 4 | last epoch of the window |
//! | 24 | 8 | n, the number of subtrees with an epoch of the window |
//! | 32 | 32 | seed |
//! | 64 | 32 | public key |
//! | 96 | 16 n | roots of these subtrees, in order |
//! | | 0 to 48 | zeros, until 32 bytes are missing to a multiple of 64 |
//! | | 32 | BLAKE2s of all before |
//! | | 64 each | the journal: one record an epoch used, in the order of use |
//!
//! A record is the epoch (4 bytes), its number in the journal (4), the message signed (32), and the
//! first 24 bytes of BLAKE2s over the header's checksum and all of that. Numbers are
//! little-endian. A record never straddles a sector, and one is durable before the next is
//! written: only the last can be incomplete.

use std::vec;
use std::vec::Vec;

use prova_hash::blake2s::{Blake2s, hash};
use zeroize::Zeroizing;

use super::error::FormatError;
use crate::params::{MESSAGE_BYTES, PUBLIC_KEY_BYTES, SEED_BYTES};
use crate::sign::Window;
use crate::tweak::{Words, to_bytes, to_words};
use crate::types::PublicKey;

/// The first bytes of a key file.
pub const MAGIC: [u8; 8] = *b"PRVAXMSS";
/// The version this crate reads and writes.
pub const VERSION: u32 = 1;
/// Bytes before the roots.
pub(crate) const FIXED_BYTES: usize = 96;
/// Bytes of a journal record.
pub(crate) const RECORD_BYTES: usize = 64;

/// Bytes of a record's check.
const CHECK_BYTES: usize = 24;
/// Bytes of a checksum.
const CHECKSUM_BYTES: usize = 32;

/// What a key file says before its roots and its journal. It holds the seed, and is not printed.
pub(crate) struct Header {
    pub(crate) layout: u32,
    pub(crate) window: Window,
    pub(crate) seed: Zeroizing<[u8; SEED_BYTES]>,
    pub(crate) public: PublicKey,
}

/// Subtrees of a window.
pub(crate) fn subtrees(window: Window) -> u64 {
    let height = window.subtree_height();
    u64::from((window.last() >> height) - (window.first() >> height)) + 1
}

/// Bytes of header, roots, padding and checksum: where the journal starts.
pub(crate) fn journal_start(window: Window) -> u64 {
    let body = FIXED_BYTES as u64 + 16 * subtrees(window);
    (body + CHECKSUM_BYTES as u64).next_multiple_of(RECORD_BYTES as u64)
}

/// A little-endian number of the fixed part.
fn number(bytes: &[u8; FIXED_BYTES], at: usize) -> u32 {
    let word = bytes.as_chunks::<4>().0.get(at / 4);
    word.map_or(0, |word| u32::from_le_bytes(*word))
}

impl Header {
    /// Reads the fixed part. The checksum is yet to be looked at.
    pub(crate) fn parse(bytes: &[u8; FIXED_BYTES]) -> Result<Self, FormatError> {
        let magic: &[u8] = bytes.first_chunk::<8>().map_or(&[], |magic| magic);
        if magic != MAGIC {
            return Err(FormatError::Magic);
        }
        let version = number(bytes, 8);
        if version != VERSION {
            return Err(FormatError::Version(version));
        }
        let window = Window::new(number(bytes, 16), number(bytes, 20))?;
        let got = u64::from(number(bytes, 24)) | (u64::from(number(bytes, 28)) << 32);
        let expected = subtrees(window);
        if got != expected {
            return Err(FormatError::Subtrees { expected, got });
        }
        let (parts, _) = bytes.as_chunks::<32>();
        let [_, seed, public] = parts else {
            return Err(FormatError::Magic);
        };
        let public: &[u8; PUBLIC_KEY_BYTES] = public;
        Ok(Self {
            layout: number(bytes, 12),
            window,
            seed: Zeroizing::new(*seed),
            public: PublicKey::from_bytes(public).map_err(|_| FormatError::Magic)?,
        })
    }

    /// The file of a key never used: everything before the journal.
    pub(crate) fn to_file(&self, roots: &[Words]) -> Zeroizing<Vec<u8>> {
        let len = journal_start(self.window) as usize;
        let mut bytes = Zeroizing::new(Vec::with_capacity(len));
        bytes.extend_from_slice(&MAGIC);
        for word in [
            VERSION,
            self.layout,
            self.window.first(),
            self.window.last(),
        ] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(&(roots.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&*self.seed);
        bytes.extend_from_slice(&self.public.to_bytes());
        for root in roots {
            bytes.extend_from_slice(&to_bytes(*root));
        }
        bytes.resize(len - CHECKSUM_BYTES, 0);
        let checksum = hash(&bytes);
        bytes.extend_from_slice(&checksum);
        bytes
    }
}

/// The roots and the checksum of everything before the journal.
pub(crate) fn parse_body(bytes: &[u8], window: Window) -> Result<(Vec<Words>, Tag), FormatError> {
    let (body, checksum) = bytes
        .split_last_chunk::<CHECKSUM_BYTES>()
        .ok_or(FormatError::Checksum)?;
    if hash(body) != *checksum {
        return Err(FormatError::Checksum);
    }
    let roots = body.as_chunks::<16>().0.iter().skip(FIXED_BYTES / 16);
    let count = subtrees(window) as usize;
    let mut padding = roots.clone().skip(count).flatten();
    if padding.any(|byte| *byte != 0) {
        return Err(FormatError::Padding);
    }
    Ok((roots.take(count).map(to_words).collect(), Tag(*checksum)))
}

/// The checksum that ties records to their file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag([u8; CHECKSUM_BYTES]);

impl Tag {
    /// Of a file this crate wrote.
    pub(crate) fn of(file: &[u8]) -> Self {
        Self(file.last_chunk().copied().unwrap_or_default())
    }
}

/// One used epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) epoch: u32,
    pub(crate) number: u32,
    pub(crate) message: [u8; MESSAGE_BYTES],
}

impl Record {
    pub(crate) fn to_bytes(self, tag: Tag) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        let (fields, to) = bytes.split_at_mut(RECORD_BYTES - CHECK_BYTES);
        let (epoch, number) = (self.epoch.to_le_bytes(), self.number.to_le_bytes());
        for (to, from) in fields
            .iter_mut()
            .zip(epoch.iter().chain(&number).chain(&self.message))
        {
            *to = *from;
        }
        for (to, from) in to.iter_mut().zip(Self::check(fields, tag)) {
            *to = from;
        }
        bytes
    }

    /// `None` for bytes that are no record of this file.
    pub(crate) fn parse(bytes: &[u8; RECORD_BYTES], tag: Tag) -> Option<Self> {
        let (epoch, rest) = bytes.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let record = Self {
            epoch: u32::from_le_bytes(*epoch),
            number: u32::from_le_bytes(*number),
            message: *rest.first_chunk()?,
        };
        (record.to_bytes(tag) == *bytes).then_some(record)
    }

    /// Whether the bytes can be those of a record cut off while it was written, its length being
    /// there already: zeros from some point of the check on. No complete record is one.
    pub(crate) fn is_torn(bytes: &[u8; RECORD_BYTES], tag: Tag) -> bool {
        let (fields, check) = bytes.split_at(RECORD_BYTES - CHECK_BYTES);
        let expected = Self::check(fields, tag);
        let written = check
            .iter()
            .zip(expected)
            .take_while(|(got, check)| **got == *check);
        let rest = check.iter().skip(written.count());
        rest.len() != 0 && rest.clone().all(|byte| *byte == 0)
    }

    fn check(fields: &[u8], tag: Tag) -> [u8; 32] {
        let mut hasher = Blake2s::new();
        hasher.update(&tag.0);
        hasher.update(fields);
        hasher.finalize()
    }
}

/// A buffer for the part before the journal, whose length came from a file that is
/// as long.
pub(crate) fn buffer(len: u64) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(vec![0; len as usize])
}
