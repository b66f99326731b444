//! Programs: the table of instructions and what a transcript is seeded with.

use alloc::vec::Vec;

use prova_binary_pcs::field::{E, K, PrimeCharacteristicRing};
use prova_binary_pcs::merkle::{Digest, hash};
use prova_binary_pcs::poly::{dot, dot_words, eq_table};

/// Slots of an instruction: columns of the table.
pub const SLOTS: usize = 16;

/// Slots that instructions use: opcode and operands. On the bus an instruction is a tuple whose
/// first three slots are its kind, its address and a counter, and no table has operands after slot
/// 11. A word in another slot would be added to those, and could make the tuple one of the memory.
const USED_SLOTS: core::ops::Range<usize> = 3..12;

/// Most instructions a program may have, as a logarithm.
pub const MOST_LOG_INSTRUCTIONS: u32 = 32;

/// Variables of the pieces in which columns are evaluated: the weights of a piece stay in cache.
const BLOCK_VARIABLES: usize = 9;

/// Hashed in front of the two digests of an environment.
const ENVIRONMENT_TAG: &[u8] = b"leanvm-b-fs-seed-v2-blake2s";

/// Digest of the BLAKE2s constraint system, a constant of the protocol.
const CONSTRAINTS_DIGEST: Digest = [
    0x53, 0x7a, 0xd2, 0x07, 0x90, 0x30, 0x8f, 0x8e, 0xb8, 0xc0, 0xe8, 0xbd, 0x3e, 0x6c, 0x58, 0xee,
    0x64, 0x57, 0x33, 0x71, 0xe3, 0xd5, 0x3c, 0x30, 0x61, 0x3d, 0xd0, 0x4d, 0x87, 0xc0, 0xb7, 0xea,
];

/// A table is not one of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The table is not 16 columns of a power of two of words.
    #[error("expected 128 * 2^k bytes of bytecode with k from 0 to 32, got {got} bytes")]
    Length {
        /// Length of the table.
        got: usize,
    },
    /// A word where no instruction has one.
    #[error(
        "expected zeros in slots 0 to 2 and 12 to 15 of the bytecode, got {got:#x} in slot {slot}"
    )]
    Slot {
        /// The slot.
        slot: usize,
        /// The first word in it that is not zero.
        got: u64,
    },
}

/// A program, hashed and ready for any number of verifications.
#[derive(Clone, Debug)]
pub struct Program {
    /// Slots that are not zero throughout, each with its column of `2^log_instructions` words.
    columns: Vec<(usize, Vec<K>)>,
    log_instructions: u32,
    digest: Digest,
    seed: Digest,
}

impl Program {
    /// Reads and hashes a table: 16 columns, one a slot, each with one little-endian word an
    /// instruction. The number of instructions is a power of two.
    ///
    /// # Errors
    /// [`ProgramError::Length`]; [`ProgramError::Slot`] when a slot that no instruction uses is not
    /// zero throughout.
    pub fn new(table: &[u8]) -> Result<Self, ProgramError> {
        let wrong = ProgramError::Length { got: table.len() };
        let (words, rest) = table.as_chunks::<8>();
        let instructions = words.len() / SLOTS;
        let log_instructions = instructions.checked_ilog2().ok_or(wrong)?;
        let exact = instructions.is_power_of_two()
            && instructions.saturating_mul(SLOTS) == words.len()
            && rest.is_empty();
        if !exact || log_instructions > MOST_LOG_INSTRUCTIONS {
            return Err(wrong);
        }
        let mut columns = Vec::new();
        for (slot, column) in words.chunks_exact(instructions).enumerate() {
            let Some(word) = column.iter().find(|word| **word != [0; 8]) else {
                continue;
            };
            if !USED_SLOTS.contains(&slot) {
                let got = u64::from_le_bytes(*word);
                return Err(ProgramError::Slot { slot, got });
            }
            let column = column.iter().map(|word| K::from_le_bytes(*word)).collect();
            columns.push((slot, column));
        }
        let digest = hash(table);
        let mut environment = Vec::from(ENVIRONMENT_TAG);
        environment.extend_from_slice(&CONSTRAINTS_DIGEST);
        environment.extend_from_slice(&digest);
        Ok(Self {
            columns,
            log_instructions,
            digest,
            seed: hash(&environment),
        })
    }

    /// The same instructions under another environment digest.
    #[must_use]
    pub fn with_seed(self, seed: Digest) -> Self {
        Self { seed, ..self }
    }

    /// Logarithm of the number of instructions.
    #[must_use]
    pub const fn log_instructions(&self) -> u32 {
        self.log_instructions
    }

    /// BLAKE2s-256 of the table.
    #[must_use]
    pub const fn digest(&self) -> &Digest {
        &self.digest
    }

    /// The environment digest, which seeds the transcript: of a tag, the constraint system's digest
    /// and the table's.
    #[must_use]
    pub const fn seed(&self) -> &Digest {
        &self.seed
    }

    /// `sum_slot slot_weights[slot] column_slot(point)`, columns extended multilinearly; `point` has
    /// [`Self::log_instructions`] coordinates.
    pub fn evaluate(&self, point: &[E], slot_weights: &[E; SLOTS]) -> E {
        let (low, high) = point.split_at(BLOCK_VARIABLES.min(point.len()));
        let (low, high) = (eq_table(low), eq_table(high));
        self.columns.iter().fold(E::ZERO, |sum, (slot, column)| {
            let slot_weight = slot_weights.get(*slot).copied().unwrap_or_default();
            let blocks: Vec<E> = column
                .chunks(low.len())
                .map(|block| dot_words(&low, block))
                .collect();
            sum + slot_weight * dot(&high, &blocks)
        })
    }
}
