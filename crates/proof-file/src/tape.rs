//! Reading and writing what a section holds.

use alloc::vec::Vec;

use crate::{Section, TapeError};

/// Reads a section from front to back.
///
/// Every length comes from the caller, who derives it from parameters and statement; a tape never
/// allocates. Integers are little-endian. A read that fails moves nothing. A reader ends with
/// [`Self::finish`], so that no byte is left over.
#[derive(Clone, Debug)]
pub struct Tape<'a> {
    section: Section,
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Tape<'a> {
    /// A tape over `bytes`, at their start. `section` is what errors will name.
    #[must_use]
    pub const fn new(section: Section, bytes: &'a [u8]) -> Self {
        Self {
            section,
            bytes,
            position: 0,
        }
    }

    /// The next `n` bytes.
    ///
    /// # Errors
    ///
    /// [`TapeError::Exhausted`] when fewer are left. The other readers fail in the same way.
    pub fn bytes(&mut self, n: usize) -> Result<&'a [u8], TapeError> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(n)
            .ok_or_else(|| self.exhausted(n))?;
        self.advance(n, rest);
        Ok(taken)
    }

    /// The next `N` bytes as an array.
    ///
    /// # Errors
    ///
    /// [`TapeError::Exhausted`].
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], TapeError> {
        let (taken, rest) = self
            .bytes
            .split_first_chunk()
            .ok_or_else(|| self.exhausted(N))?;
        self.advance(N, rest);
        Ok(*taken)
    }

    /// The next byte.
    ///
    /// # Errors
    ///
    /// [`TapeError::Exhausted`].
    pub fn u8(&mut self) -> Result<u8, TapeError> {
        self.array().map(u8::from_le_bytes)
    }

    /// The next two bytes as an integer.
    ///
    /// # Errors
    ///
    /// [`TapeError::Exhausted`].
    pub fn u16(&mut self) -> Result<u16, TapeError> {
        self.array().map(u16::from_le_bytes)
    }

    /// The next four bytes as an integer.
    ///
    /// # Errors
    ///
    /// [`TapeError::Exhausted`].
    pub fn u32(&mut self) -> Result<u32, TapeError> {
        self.array().map(u32::from_le_bytes)
    }

    /// The next eight bytes as an integer.
    ///
    /// # Errors
    ///
    /// [`TapeError::Exhausted`].
    pub fn u64(&mut self) -> Result<u64, TapeError> {
        self.array().map(u64::from_le_bytes)
    }

    /// The section that errors name.
    #[must_use]
    pub const fn section(&self) -> Section {
        self.section
    }

    /// Offset of the next byte from the start of the section.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.position
    }

    /// How many bytes are left.
    #[must_use]
    pub const fn remaining(&self) -> usize {
        self.bytes.len()
    }

    /// Ends the reading.
    ///
    /// # Errors
    ///
    /// [`TapeError::Trailing`] when bytes are left.
    pub const fn finish(self) -> Result<(), TapeError> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        Err(TapeError::Trailing {
            section: self.section,
            offset: self.position,
            remaining: self.bytes.len(),
        })
    }

    /// A [`TapeError::Invalid`] about the value `got` that was read at `offset`: take
    /// [`Self::position`] before the read. `expected` says in words what is allowed there.
    #[must_use]
    pub const fn invalid(&self, offset: usize, expected: &'static str, got: u64) -> TapeError {
        TapeError::Invalid {
            section: self.section,
            offset,
            expected,
            got,
        }
    }

    const fn exhausted(&self, needed: usize) -> TapeError {
        TapeError::Exhausted {
            section: self.section,
            offset: self.position,
            needed,
            remaining: self.bytes.len(),
        }
    }

    const fn advance(&mut self, n: usize, rest: &'a [u8]) {
        self.position = self.position.saturating_add(n);
        self.bytes = rest;
    }
}

/// Writes a section from front to back: what [`Tape`] reads. Integers are little-endian.
#[derive(Clone, Debug, Default)]
pub struct TapeWriter {
    bytes: Vec<u8>,
}

impl TapeWriter {
    /// An empty section.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: Vec::new() }
    }

    /// An empty section with room for `n` bytes.
    #[must_use]
    pub fn with_capacity(n: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(n),
        }
    }

    /// Appends bytes as they are, without their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends one byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// Appends two bytes.
    pub fn u16(&mut self, value: u16) {
        self.bytes(&value.to_le_bytes());
    }

    /// Appends four bytes.
    pub fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    /// Appends eight bytes.
    pub fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    /// How many bytes were written.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.bytes.len()
    }

    /// The section.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Appends zero bytes up to the next multiple of `alignment`.
    pub(crate) fn pad_to(&mut self, alignment: usize) {
        let len = self.bytes.len();
        self.bytes
            .resize(len.checked_next_multiple_of(alignment).unwrap_or(len), 0);
    }
}
