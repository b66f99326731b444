//! The six instruction tables and their columns.

use prova_binary_pcs::field::{E, embed};
use prova_binary_pcs::stream::Channel;
use prova_binary_pcs::transcript::Transcript;
use prova_proof_file::TapeError;

/// An instruction table. The order is that of the opcodes `g^0 .. g^5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    /// `m[c] = m[a] + m[b]`.
    Xor,
    /// `m[c] = m[a] m[b]` in GF(2^192).
    Mul,
    /// `m[o] = k`.
    Set,
    /// `mem[m[alpha] g^beta]` is a cell, the program counter or the frame pointer.
    Deref,
    /// A conditional jump.
    Jump,
    /// One BLAKE2s compression.
    Blake2s,
}

/// How many tables there are.
pub const TABLES: usize = 6;

/// Local indices of the BLAKE2s columns that are not committed: words of the packed witness.
pub const PACKED: core::ops::Range<usize> = 8..26;

/// Slot of each column of [`PACKED`] in a block of 256 packed words: message words 10 to 17, output
/// words 4 to 7, chaining value 0 to 3, counter and flags 18 and 19.
pub const PACKED_SLOTS: [u64; 18] = [
    10, 11, 12, 13, 14, 15, 16, 17, 4, 5, 6, 7, 0, 1, 2, 3, 18, 19,
];

impl Table {
    /// All tables, in order.
    pub const ALL: [Self; TABLES] = [
        Self::Xor,
        Self::Mul,
        Self::Set,
        Self::Deref,
        Self::Jump,
        Self::Blake2s,
    ];

    /// The name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xor => "XOR",
            Self::Mul => "MUL",
            Self::Set => "SET",
            Self::Deref => "DEREF",
            Self::Jump => "JUMP",
            Self::Blake2s => "BLAKE2S",
        }
    }

    /// The opcode tag, a power of `g`.
    pub const fn opcode(self) -> E {
        embed(match self {
            Self::Xor => 1,
            Self::Mul => 2,
            Self::Set => 4,
            Self::Deref => 8,
            Self::Jump => 16,
            Self::Blake2s => 32,
        })
    }

    /// Number of columns, the packed ones of BLAKE2s included.
    #[must_use]
    pub const fn columns(self) -> usize {
        match self {
            Self::Xor | Self::Mul | Self::Deref => 15,
            Self::Set => 8,
            Self::Jump => 14,
            Self::Blake2s => 35,
        }
    }

    /// Number of tuples that a row pushes, and pulls.
    #[must_use]
    pub const fn flushes(self) -> usize {
        match self {
            Self::Set => 3,
            Self::Blake2s => 10,
            _ => 5,
        }
    }

    /// Number of counters of a row: one a bytecode or memory access.
    #[must_use]
    pub const fn counters(self) -> usize {
        self.flushes() - 1
    }
}

/// Values of all columns of a table, in local order: of one row, or extended to a point.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a proof has one of each, and values are read in place"
)]
pub enum Columns {
    /// pc fp oA oB oC a0 a1 a2 b0 b1 b2 rA rB rC rbc.
    Xor([E; 15]),
    /// As [`Self::Xor`].
    Mul([E; 15]),
    /// pc fp o k0 k1 k2 r rbc.
    Set([E; 8]),
    /// pc fp alpha beta gamma f_pc f_fp ptr v0 v1 v2 r_ptr r_target r_local rbc.
    Deref([E; 15]),
    /// pc fp oc od of c d f r_c r_d r_f rbc w b.
    Jump([E; 14]),
    /// pc fp o0 o1 o2 o3 oV oOut, m0lo m0hi .. m3hi, out0lo .. out1hi, cv0lo .. cv1hi, md0 md1,
    /// r_m0 .. r_m3 r_cv0 r_cv1 r_out0 r_out1 rbc.
    Blake2s([E; 35]),
}

impl Columns {
    /// Reads the values of a table's columns.
    ///
    /// # Errors
    /// [`TapeError::Exhausted`].
    pub fn read<T: Transcript>(
        table: Table,
        channel: &mut Channel<'_, T>,
    ) -> Result<Self, TapeError> {
        Ok(match table {
            Table::Xor => Self::Xor(channel.read_array()?),
            Table::Mul => Self::Mul(channel.read_array()?),
            Table::Set => Self::Set(channel.read_array()?),
            Table::Deref => Self::Deref(channel.read_array()?),
            Table::Jump => Self::Jump(channel.read_array()?),
            Table::Blake2s => Self::Blake2s(channel.read_array()?),
        })
    }

    /// The values, in local order.
    pub const fn as_slice(&self) -> &[E] {
        match self {
            Self::Xor(values) | Self::Mul(values) | Self::Deref(values) => values,
            Self::Set(values) => values,
            Self::Jump(values) => values,
            Self::Blake2s(values) => values,
        }
    }
}
