//! Programs: what is in memory when a run begins, and where it begins.

use alloc::{vec, vec::Vec};

use crate::{elf, elf::ElfError, layout::Layout, machine::Code};

/// A program that was checked against a [`Layout`].
#[derive(Clone, Debug)]
pub struct Program {
    layout: Layout,
    entry: u32,
    segments: Vec<Segment>,
    code: Code,
}

/// A stretch of memory that a program occupies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First address; a multiple of 4 if executable.
    pub address: u32,
    /// Bytes in memory; those behind `data` are zero.
    pub size: u32,
    /// Its first bytes.
    pub data: Vec<u8>,
    /// Whether instructions are fetched from it.
    pub executable: bool,
}

/// What is wrong with a flat image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The image does not lie between the layout's program base and the end of RAM.
    #[error("an image of {length} bytes at {base:#010x} is outside [{low:#010x}, {high:#010x})")]
    Outside {
        /// First address.
        base: u32,
        /// Bytes.
        length: usize,
        /// Least address.
        low: u32,
        /// End of RAM.
        high: u32,
    },
    /// The base or the entry is no multiple of 4.
    #[error("address {address:#010x} is not a multiple of 4")]
    Misaligned {
        /// The address.
        address: u32,
    },
    /// The entry is not in the image.
    #[error("entry {entry:#010x} is not in the image")]
    Entry {
        /// The entry.
        entry: u32,
    },
}

impl Program {
    /// Loads an ELF executable of a guest; [`Layout::GUEST`].
    ///
    /// # Errors
    /// [`ElfError`]: what is wrong and where.
    pub fn from_elf(bytes: &[u8]) -> Result<Self, ElfError> {
        Self::from_elf_at(bytes, Layout::GUEST)
    }

    /// Loads an ELF executable that was linked for `layout`.
    ///
    /// # Errors
    /// [`ElfError`]: what is wrong and where.
    pub fn from_elf_at(bytes: &[u8], layout: Layout) -> Result<Self, ElfError> {
        let elf::Image { entry, segments } = elf::load(bytes, &layout)?;
        Ok(Self::new(layout, entry, segments))
    }

    /// A program that is one executable segment at `base`.
    ///
    /// # Errors
    /// [`ImageError`]: what is wrong.
    pub fn from_image(
        image: &[u8],
        base: u32,
        entry: u32,
        layout: Layout,
    ) -> Result<Self, ImageError> {
        let (low, high) = (layout.program_base, layout.max_ram_end);
        let outside = ImageError::Outside {
            base,
            length: image.len(),
            low,
            high,
        };
        let size = u32::try_from(image.len().next_multiple_of(4)).map_err(|_| outside)?;
        let end = base.checked_add(size).ok_or(outside)?;
        if base < low || end > high {
            return Err(outside);
        }
        for address in [base, entry] {
            if !address.is_multiple_of(4) {
                return Err(ImageError::Misaligned { address });
            }
        }
        if !(base..end).contains(&entry) {
            return Err(ImageError::Entry { entry });
        }
        let segment = Segment {
            address: base,
            size,
            data: image.to_vec(),
            executable: true,
        };
        Ok(Self::new(layout, entry, vec![segment]))
    }

    fn new(layout: Layout, entry: u32, segments: Vec<Segment>) -> Self {
        let code = Code::new(&segments);
        Self {
            layout,
            entry,
            segments,
            code,
        }
    }

    /// What the program was checked against.
    #[must_use]
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Address of the first instruction.
    #[must_use]
    pub const fn entry(&self) -> u32 {
        self.entry
    }

    /// Disjoint, by ascending address.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// First address behind the program.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.segments.last().map_or(0, Segment::end)
    }

    /// The instruction word at an address of an executable segment.
    #[must_use]
    pub fn fetch(&self, pc: u32) -> Option<u32> {
        if !pc.is_multiple_of(4) {
            return None;
        }
        let after = self
            .segments
            .partition_point(|segment| segment.address <= pc);
        let segment = self.segments.get(after.checked_sub(1)?)?;
        (segment.executable && segment.end().checked_sub(pc)? >= 4)
            .then(|| segment.word(pc - segment.address))
    }

    pub(crate) const fn code(&self) -> &Code {
        &self.code
    }
}

impl Segment {
    /// First address behind it. Segments never reach the end of the address space.
    #[must_use]
    pub const fn end(&self) -> u32 {
        self.address + self.size
    }

    /// The little-endian word at a byte offset, with zeros behind the data.
    pub(crate) fn word(&self, offset: u32) -> u32 {
        let mut bytes = [0; 4];
        let data = self.data.get(offset as usize..).unwrap_or_default();
        for (to, &byte) in bytes.iter_mut().zip(data) {
            *to = byte;
        }
        u32::from_le_bytes(bytes)
    }
}
