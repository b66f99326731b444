//! Hashing of rows and nodes, Merkle trees, and proof-of-work.
//!
//! A digest on the device is [`DIGEST_WORDS`] words: Montgomery words for Poseidon2, little-endian
//! words otherwise. Trees are stored in bit-reversed order: the parent of the nodes at `i` and
//! `i + n/2` of a level of `n` nodes is at `i` in the next level.

mod constants;
mod cost;
mod grind;
mod leaves;
mod plan;
mod tree;

use minijinja::context;
use minijinja::value::Value;
use prova_hash::Poseidon2Field;

use crate::buffer::{Buffer, Slice};
use crate::error::GpuError;
use crate::kit::Kit;
use crate::template::{List, templates};
use constants::Constants;

pub use cost::HashCost;
pub use plan::{Spread, Step, tree_plan};

pub(crate) const TEMPLATES: List = templates![
    "hash/base.wgsl",
    "hash/poseidon2.wgsl",
    "hash/keccak.wgsl",
    "hash/blake3.wgsl",
    "hash/leaf_poseidon2.wgsl",
    "hash/leaf_keccak.wgsl",
    "hash/leaf_blake3.wgsl",
    "hash/node_poseidon2.wgsl",
    "hash/node_keccak.wgsl",
    "hash/node_blake3.wgsl",
    "hash/leaves.wgsl",
    "hash/nodes.wgsl",
    "hash/tile.wgsl",
    "hash/grind.wgsl",
];

/// Words of a digest.
pub const DIGEST_WORDS: u64 = 8;

/// A hash for leaves together with one for nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HashKind {
    /// `PaddingFreeSponge` of Poseidon2, width 16 and rate 8; nodes by the truncated permutation.
    Poseidon2x16,
    /// The same with width 24 and rate 16 for leaves, and nodes of width 16.
    Poseidon2x24,
    /// `PaddingFreeSponge<KeccakF, 25, 17, 4>` over words packed in pairs, for leaves and nodes.
    Keccak,
    /// BLAKE3 of the stored little-endian words.
    Blake3,
}

impl HashKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [
        Self::Poseidon2x16,
        Self::Poseidon2x24,
        Self::Keccak,
        Self::Blake3,
    ];

    /// Name in templates.
    const fn family(self) -> &'static str {
        match self {
            Self::Poseidon2x16 | Self::Poseidon2x24 => "poseidon2",
            Self::Keccak => "keccak",
            Self::Blake3 => "blake3",
        }
    }
}

/// One kind of hash on a device, for the field of its kit.
#[derive(Clone, Debug)]
pub struct Hashing {
    kit: Kit,
    kind: HashKind,
    cost: HashCost,
    constants: Constants,
    words: Buffer,
}

impl Hashing {
    /// Uploads the round constants of `kind` over `F`, which is the field of `kit`.
    ///
    /// # Errors
    /// As [`crate::Gpu::upload`].
    ///
    /// # Panics
    /// If `F` has another modulus than the field of `kit`.
    pub fn new<F: Poseidon2Field<16> + Poseidon2Field<24>>(
        kit: &Kit,
        kind: HashKind,
    ) -> Result<Self, GpuError> {
        assert_eq!(F::ORDER_U32, kit.field.modulus, "the field of the kit");
        let constants = Constants::of::<F>(kind);
        let words = kit.gpu.upload(&constants.words)?;
        Ok(Self {
            kit: kit.clone(),
            kind,
            cost: HashCost::of::<F>(kind),
            constants,
            words,
        })
    }

    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> HashKind {
        self.kind
    }

    /// What it costs.
    #[must_use]
    pub const fn cost(&self) -> HashCost {
        self.cost
    }

    /// The kit.
    #[must_use]
    pub const fn kit(&self) -> &Kit {
        &self.kit
    }

    /// What a kernel binds at [`Self::variables`]' binding.
    #[must_use]
    pub fn constants(&self) -> Slice {
        self.words.slice(0, self.constants.words.len() as u64)
    }

    /// The variable `hash` of a kernel that binds [`Self::constants`] at `binding` and hashes rows
    /// of `width` words: a WGSL expression of type `u32`, a literal or not, whose value lies in
    /// `1..=most`. Such a kernel pulls the functions in like this:
    ///
    /// ```text
    /// {% include "field/base.wgsl" %}
    /// {% include "hash/base.wgsl" %}        struct Digest { a: vec4<u32>, b: vec4<u32> }
    /// fn row_word(row: u32, i: u32) -> u32 { .. }
    /// {% include hash.leaf %}               fn hash_row(row: u32) -> Digest
    /// {% include hash.node %}               fn compress(l: Digest, r: Digest) -> Digest
    /// ```
    ///
    /// `row_word` is the kernel's own: word `i < width` of whatever it calls row `row`. It is
    /// called for every `i` at most once. hash/base.wgsl declares the binding, so it comes after the
    /// kernel's bindings of lower number. Both of the other includes may be left out. The names
    /// they declare besides begin with `hash_`, `sbox`, `shrink`, `State`, `permute`, `Keccak`,
    /// `keccak_`, `rotate`, `Block`, `blake3_`, `CHUNK_`, `PARENT` or `ROOT`.
    #[must_use]
    pub fn variables(&self, binding: u32, width: &str, most: usize) -> Value {
        let c = &self.constants;
        let family = self.kind.family();
        context! {
            kind => family,
            leaf => format!("hash/leaf_{family}.wgsl"),
            node => format!("hash/node_{family}.wgsl"),
            binding => binding,
            constants => c.words.len() / 4,
            width => width,
            leaf_width => match self.kind { HashKind::Poseidon2x24 => 24, _ => 16 },
            sbox => c.sbox,
            permutations => c.permutations,
            rotations => Value::from_serialize(constants::KECCAK_ROTATIONS),
            schedule => Value::from_serialize(constants::BLAKE3_SCHEDULE),
            depth => match self.kind {
                HashKind::Blake3 => most.div_ceil(256).next_power_of_two().trailing_zeros(),
                _ => 0,
            },
        }
    }
}
