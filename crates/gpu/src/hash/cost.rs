//! Costs of hashing by formula, without a device.

use prova_hash::Poseidon2Field;

use super::{DIGEST_WORDS, HashKind};
use crate::ledger::Cost;

/// Plain 32-bit operations that cost about as much as a product.
const OPERATIONS: u64 = 20;

/// Operations of Keccak-f[1600] on word pairs: per round and lane column parity, rotation and chi.
const KECCAK: u64 = 24 * 25 * 2 * 8;

/// Operations of one BLAKE3 compression: seven rounds of eight quarter-rounds.
const BLAKE3: u64 = 7 * 8 * 18;

/// What one kind of hash costs over one field, by formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashCost {
    kind: HashKind,
    leaf: u64,
    node: u64,
}

/// Products of one Poseidon2 permutation: S-boxes by their chains, and eight additions a product.
fn poseidon2<F: Poseidon2Field<W>, const W: usize>() -> u64 {
    let chain = if F::SBOX == 3 { 2 } else { 4 };
    let width = W as u64;
    let (_, internal) = F::grain_constants();
    let internal = internal.len() as u64;
    let additions = 9 * 5 * width + internal * 5 * width;
    chain * (8 * width + internal) + additions / 8
}

impl HashCost {
    /// Of `kind` over `F`.
    #[must_use]
    pub fn of<F: Poseidon2Field<16> + Poseidon2Field<24>>(kind: HashKind) -> Self {
        let (leaf, node) = match kind {
            HashKind::Poseidon2x16 => (poseidon2::<F, 16>(), poseidon2::<F, 16>()),
            HashKind::Poseidon2x24 => (poseidon2::<F, 24>(), poseidon2::<F, 16>()),
            HashKind::Keccak => (KECCAK / OPERATIONS, KECCAK / OPERATIONS),
            HashKind::Blake3 => (BLAKE3 / OPERATIONS, BLAKE3 / OPERATIONS),
        };
        Self { kind, leaf, node }
    }

    /// Products of hashing one row of `width` words.
    #[must_use]
    pub fn row(&self, width: usize) -> u64 {
        let blocks = match self.kind {
            HashKind::Poseidon2x16 => width.div_ceil(8),
            HashKind::Poseidon2x24 => width.div_ceil(16),
            HashKind::Keccak => width.div_ceil(34),
            HashKind::Blake3 => width.div_ceil(16) + width.div_ceil(256) - 1,
        };
        blocks as u64 * self.leaf
    }

    /// Products of one node.
    #[must_use]
    pub const fn node(&self) -> u64 {
        self.node
    }

    /// Hashing `count` rows in memory of `width` words to digests in memory.
    #[must_use]
    pub fn leaves(&self, width: usize, count: u64) -> Cost {
        Cost::new(
            4 * width as u64 * count,
            4 * DIGEST_WORDS * count,
            self.row(width) * count,
        )
    }

    /// Hashing `4 * quarter` rows and the two levels above them, the first of which, and the leaves,
    /// may be stored.
    #[must_use]
    pub fn quads(&self, width: usize, quarter: u64, leaves: bool, parents: bool) -> Cost {
        let stored = 1 + 2 * u64::from(parents) + 4 * u64::from(leaves);
        Cost::new(
            16 * width as u64 * quarter,
            4 * DIGEST_WORDS * stored * quarter,
            (4 * self.row(width) + 3 * self.node) * quarter,
        )
    }

    /// Compressing `count` pairs of digests in memory.
    #[must_use]
    pub const fn compress(&self, count: u64) -> Cost {
        let digest = 4 * DIGEST_WORDS;
        Cost::new(2 * digest * count, digest * count, self.node * count)
    }

    /// Trying so many proof-of-work candidates.
    #[must_use]
    pub const fn grind(&self, candidates: u64) -> Cost {
        Cost::new(64, 4, (self.node + 2) * candidates)
    }
}
