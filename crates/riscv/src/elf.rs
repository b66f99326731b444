//! Loader of static 32-bit RISC-V executables.
//!
//! Reads the file header and the program headers ("Tool Interface Standard, Executable and Linking
//! Format", version 1.2; RISC-V ELF psABI, chapter 8) and copies the loadable segments. Sections,
//! symbols and debug information are not looked at.

use alloc::vec::Vec;

use crate::{layout::Layout, program::Segment};

const FILE_HEADER: u64 = 52;
const PROGRAM_HEADER: u16 = 32;
/// Most program headers that a file may have.
const MAX_HEADERS: u16 = 64;

const ET_EXEC: u16 = 2;
const EM_RISCV: u16 = 243;
const EF_RISCV_RVC: u32 = 1;
const EF_RISCV_FLOAT_ABI: u32 = 6;
const EF_RISCV_RVE: u32 = 8;
/// Total store ordering, which a single hart has anyway.
const EF_RISCV_TSO: u32 = 16;
const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_INTERP: u32 = 3;
const PF_X: u32 = 1;
const PF_W: u32 = 2;

/// What is wrong with an ELF file, and where. Headers are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum ElfError {
    #[error("the file of {length} bytes ends within {what}, which ends at {end:#x}")]
    Truncated { what: Part, end: u64, length: usize },
    #[error("offset 0: no ELF file, it begins with {found:02x?}")]
    Magic { found: [u8; 4] },
    #[error("offset 4: ELF class {found}, expected 1 (32-bit)")]
    Class { found: u8 },
    #[error("offset 5: byte order {found}, expected 1 (little-endian)")]
    Endianness { found: u8 },
    #[error("ELF version {found}, expected 1")]
    Version { found: u32 },
    #[error("offset 16: file type {found}, expected 2 (static executable)")]
    Type { found: u16 },
    #[error("offset 18: machine {found}, expected 243 (RISC-V)")]
    Machine { found: u16 },
    #[error("offset 36: flags {flags:#x}: compressed instructions; build for RV32IM without C")]
    Compressed { flags: u32 },
    #[error("offset 36: flags {flags:#x}: floating-point calling convention, expected soft-float")]
    FloatAbi { flags: u32 },
    #[error("offset 36: flags {flags:#x}: RV32E, expected RV32I")]
    Embedded { flags: u32 },
    #[error("offset 36: unknown flags {flags:#x}")]
    Flags { flags: u32 },
    #[error("offset 40: file header of {found} bytes, expected 52")]
    FileHeaderSize { found: u16 },
    #[error("offset 42: program headers of {found} bytes, expected 32")]
    HeaderSize { found: u16 },
    #[error("offset 44: {found} program headers, at most {MAX_HEADERS} are supported")]
    TooManyHeaders { found: u16 },
    #[error("program header {header}: the program is dynamically linked")]
    Dynamic { header: u16 },
    #[error("program header {header}: {file:#x} bytes in the file, but only {memory:#x} in memory")]
    FileLarger { header: u16, file: u32, memory: u32 },
    #[error(
        "program header {header}: {size:#x} bytes at {address:#x} wrap around the address space"
    )]
    Wraps {
        header: u16,
        address: u32,
        size: u32,
    },
    #[error(
        "program header {header}: segment [{start:#x}, {end:#x}) is outside [{low:#x}, {high:#x})"
    )]
    Outside {
        header: u16,
        start: u32,
        end: u32,
        low: u32,
        high: u32,
    },
    #[error("program header {header}: segment at {address:#x} is both writable and executable")]
    WritableCode { header: u16, address: u32 },
    #[error("program header {header}: executable segment at {address:#x}, not a multiple of 4")]
    CodeMisaligned { header: u16, address: u32 },
    #[error("program headers {first} and {second}: segments overlap at {address:#x}")]
    Overlap {
        first: u16,
        second: u16,
        address: u32,
    },
    #[error(
        "program headers {bss} and {data}: zero-initialised memory of the first covers data of \
         the second at {address:#x}"
    )]
    BssOverData { bss: u16, data: u16, address: u32 },
    #[error("no loadable segment")]
    NoSegment,
    #[error("offset 24: entry {entry:#x} is not a multiple of 4")]
    EntryMisaligned { entry: u32 },
    #[error("offset 24: entry {entry:#x} is not in an executable segment")]
    EntryOutside { entry: u32 },
}

/// A part of an ELF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The file header.
    FileHeader,
    /// The program headers.
    ProgramHeaders,
    /// The data of the segment of a program header.
    Segment(u16),
}

impl core::fmt::Display for Part {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::FileHeader => f.write_str("the file header"),
            Self::ProgramHeaders => f.write_str("the program headers"),
            Self::Segment(header) => write!(f, "the data of program header {header}"),
        }
    }
}

pub(crate) struct Image {
    pub entry: u32,
    /// Disjoint, not empty, by ascending address.
    pub segments: Vec<Segment>,
}

/// Reads and checks a file.
pub(crate) fn load(bytes: &[u8], layout: &Layout) -> Result<Image, ElfError> {
    let file = File(bytes);
    let header = FileHeader::read(file)?;
    let mut found = Vec::new();
    for index in 0..header.count {
        if let Some(segment) = header.segment(file, index, layout)? {
            found.push((index, segment));
        }
    }
    found.sort_by_key(|(_, segment)| segment.address);
    for pair in found.windows(2) {
        if let [(first, low), (second, high)] = pair {
            check_disjoint(*first, low, *second, high)?;
        }
    }
    let segments: Vec<Segment> = found.into_iter().map(|(_, segment)| segment).collect();
    check_entry(header.entry, &segments)?;
    Ok(Image {
        entry: header.entry,
        segments,
    })
}

fn check_disjoint(first: u16, low: &Segment, second: u16, high: &Segment) -> Result<(), ElfError> {
    let address = high.address;
    if low.end() <= address {
        return Ok(());
    }
    let low_data = low.data.len() as u64 > u64::from(address - low.address);
    if low_data && !high.data.is_empty() {
        return Err(ElfError::Overlap {
            first,
            second,
            address,
        });
    }
    if high.data.is_empty() && !low_data {
        return Err(ElfError::Overlap {
            first,
            second,
            address,
        });
    }
    let (bss, data) = if low_data {
        (second, first)
    } else {
        (first, second)
    };
    Err(ElfError::BssOverData { bss, data, address })
}

fn check_entry(entry: u32, segments: &[Segment]) -> Result<(), ElfError> {
    if segments.is_empty() {
        return Err(ElfError::NoSegment);
    }
    if !entry.is_multiple_of(4) {
        return Err(ElfError::EntryMisaligned { entry });
    }
    let inside = |s: &Segment| s.executable && s.address <= entry && entry < s.end();
    if !segments.iter().any(inside) {
        return Err(ElfError::EntryOutside { entry });
    }
    Ok(())
}

/// Bytes of a file, read at offsets that may lie anywhere.
#[derive(Clone, Copy)]
struct File<'a>(&'a [u8]);

impl<'a> File<'a> {
    fn slice(self, what: Part, offset: u64, length: u64) -> Result<&'a [u8], ElfError> {
        let end = offset.saturating_add(length);
        let range = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
        range
            .and_then(|(from, to)| self.0.get(from..to))
            .ok_or(ElfError::Truncated {
                what,
                end,
                length: self.0.len(),
            })
    }
}

/// Fields of a header that is known to be long enough; zero elsewhere.
#[derive(Clone, Copy)]
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn u8(self, offset: usize) -> u8 {
        self.0.get(offset).copied().unwrap_or_default()
    }

    fn array<const N: usize>(self, offset: usize) -> [u8; N] {
        core::array::from_fn(|i| self.u8(offset + i))
    }

    fn u16(self, offset: usize) -> u16 {
        u16::from_le_bytes(self.array(offset))
    }

    fn u32(self, offset: usize) -> u32 {
        u32::from_le_bytes(self.array(offset))
    }
}

struct FileHeader {
    entry: u32,
    /// Offset of the program headers.
    offset: u32,
    count: u16,
}

impl FileHeader {
    fn read(file: File<'_>) -> Result<Self, ElfError> {
        // A short file of another kind is reported as that.
        let found = Fields(file.0).array(0);
        if found != *b"\x7fELF" && file.0.len() >= found.len() {
            return Err(ElfError::Magic { found });
        }
        let fields = Fields(file.slice(Part::FileHeader, 0, FILE_HEADER)?);
        check_identity(fields)?;
        check_flags(fields.u32(36))?;
        let found = fields.u16(40);
        if u64::from(found) != FILE_HEADER {
            return Err(ElfError::FileHeaderSize { found });
        }
        let count = fields.u16(44);
        if count > MAX_HEADERS {
            return Err(ElfError::TooManyHeaders { found: count });
        }
        let found = fields.u16(42);
        if count > 0 && found != PROGRAM_HEADER {
            return Err(ElfError::HeaderSize { found });
        }
        let header = Self {
            entry: fields.u32(24),
            offset: fields.u32(28),
            count,
        };
        let length = u64::from(count) * u64::from(PROGRAM_HEADER);
        file.slice(Part::ProgramHeaders, header.offset.into(), length)?;
        Ok(header)
    }

    /// The segment of a program header, unless it has none to load.
    fn segment(
        &self,
        file: File<'_>,
        header: u16,
        layout: &Layout,
    ) -> Result<Option<Segment>, ElfError> {
        let size = u64::from(PROGRAM_HEADER);
        let offset = u64::from(self.offset) + size * u64::from(header);
        let fields = Fields(file.slice(Part::ProgramHeaders, offset, size)?);
        match fields.u32(0) {
            PT_LOAD => {}
            PT_DYNAMIC | PT_INTERP => return Err(ElfError::Dynamic { header }),
            _ => return Ok(None),
        }
        let (in_file, in_memory) = (fields.u32(16), fields.u32(20));
        if in_file > in_memory {
            return Err(ElfError::FileLarger {
                header,
                file: in_file,
                memory: in_memory,
            });
        }
        let data = file.slice(Part::Segment(header), fields.u32(4).into(), in_file.into())?;
        if in_memory == 0 {
            return Ok(None);
        }
        let (address, flags) = (fields.u32(8), fields.u32(24));
        check_place(header, address, in_memory, flags, layout)?;
        Ok(Some(Segment {
            address,
            size: in_memory,
            data: data.to_vec(),
            executable: flags & PF_X != 0,
        }))
    }
}

fn check_identity(fields: Fields<'_>) -> Result<(), ElfError> {
    match fields.u8(4) {
        1 => {}
        found => return Err(ElfError::Class { found }),
    }
    match fields.u8(5) {
        1 => {}
        found => return Err(ElfError::Endianness { found }),
    }
    for found in [u32::from(fields.u8(6)), fields.u32(20)] {
        if found != 1 {
            return Err(ElfError::Version { found });
        }
    }
    match fields.u16(18) {
        EM_RISCV => {}
        found => return Err(ElfError::Machine { found }),
    }
    match fields.u16(16) {
        ET_EXEC => Ok(()),
        found => Err(ElfError::Type { found }),
    }
}

fn check_flags(flags: u32) -> Result<(), ElfError> {
    if flags & EF_RISCV_RVC != 0 {
        return Err(ElfError::Compressed { flags });
    }
    if flags & EF_RISCV_FLOAT_ABI != 0 {
        return Err(ElfError::FloatAbi { flags });
    }
    if flags & EF_RISCV_RVE != 0 {
        return Err(ElfError::Embedded { flags });
    }
    if flags & !EF_RISCV_TSO != 0 {
        return Err(ElfError::Flags { flags });
    }
    Ok(())
}

fn check_place(
    header: u16,
    address: u32,
    size: u32,
    flags: u32,
    layout: &Layout,
) -> Result<(), ElfError> {
    let Some(end) = address.checked_add(size) else {
        return Err(ElfError::Wraps {
            header,
            address,
            size,
        });
    };
    let (low, high) = (layout.program_base, layout.max_ram_end);
    if address < low || end > high {
        return Err(ElfError::Outside {
            header,
            start: address,
            end,
            low,
            high,
        });
    }
    if flags & PF_X != 0 {
        if flags & PF_W != 0 && !layout.writable_code {
            return Err(ElfError::WritableCode { header, address });
        }
        if !address.is_multiple_of(4) {
            return Err(ElfError::CodeMisaligned { header, address });
        }
    }
    Ok(())
}
