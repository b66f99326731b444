//! The proof systems a file can belong to.

use core::fmt;

use crate::FileError;

/// The proof system that a file belongs to: the `u16` at offset 8 of the header.
///
/// A number is given to one system for good. All numbers below are reserved; which of them a
/// program can verify is that program's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum System {
    /// 1: a WHIR commitment to multilinear polynomials, with openings.
    Whir,
    /// 2: an execution of the Lean VM, such as an aggregation of hash-based signatures.
    LeanVm,
    /// 3: a batch of hash compressions.
    HashBatch,
    /// 4: an execution of the RISC-V VM.
    Riscv,
    /// 5: a multiproof of openings of Verkle-tree commitments.
    Verkle,
    /// 6: a STARK over FRI (`p3-uni-stark`), to be verified inside the RISC-V VM.
    Stark,
}

impl System {
    /// Every system with a number, in the order of the numbers.
    pub const ALL: &'static [Self] = &[
        Self::Whir,
        Self::LeanVm,
        Self::HashBatch,
        Self::Riscv,
        Self::Verkle,
        Self::Stark,
    ];

    /// The number that stands in the header.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Self::Whir => 1,
            Self::LeanVm => 2,
            Self::HashBatch => 3,
            Self::Riscv => 4,
            Self::Verkle => 5,
            Self::Stark => 6,
        }
    }

    /// The name for people: `whir`, `lean-vm`, `hash-batch`, `riscv`, `verkle`, `stark`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whir => "whir",
            Self::LeanVm => "lean-vm",
            Self::HashBatch => "hash-batch",
            Self::Riscv => "riscv",
            Self::Verkle => "verkle",
            Self::Stark => "stark",
        }
    }
}

impl From<System> for u16 {
    fn from(system: System) -> Self {
        system.number()
    }
}

impl TryFrom<u16> for System {
    type Error = FileError;

    /// Errors with [`FileError::UnknownSystem`] for a number that no system has.
    fn try_from(got: u16) -> Result<Self, FileError> {
        match got {
            1 => Ok(Self::Whir),
            2 => Ok(Self::LeanVm),
            3 => Ok(Self::HashBatch),
            4 => Ok(Self::Riscv),
            5 => Ok(Self::Verkle),
            6 => Ok(Self::Stark),
            _ => Err(FileError::UnknownSystem { got }),
        }
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
