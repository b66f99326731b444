//! The public parameters of a WHIR commitment: what a verifier chooses before it reads a proof.

use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

/// Base field of the committed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// `p = 2^31 - 2^27 + 1`, two-adicity 27.
    BabyBear,
    /// `p = 2^31 - 2^24 + 1`, two-adicity 24.
    KoalaBear,
}

/// Hash functions of the Merkle trees and of the Fiat-Shamir transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashSuite {
    /// Poseidon2 of width 16 everywhere (the published benchmark's suite).
    Poseidon2x16,
    /// Poseidon2 of width 24 for leaves, width 16 for nodes and transcript.
    Poseidon2x24,
    /// Keccak-f\[1600\] sponge for leaves and nodes, Keccak-256 transcript.
    Keccak,
    /// BLAKE3 everywhere.
    Blake3,
}

/// Decoding regime under which query counts are derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Regime {
    /// Distance `(1 - rho) / 2`: no conjecture.
    UniqueDecoding,
    /// Distance up to the Johnson bound `1 - sqrt(rho) - eta`: no conjecture.
    Johnson,
    /// Distance up to capacity `1 - rho - eta`: a **conjecture** about list decoding and correlated
    /// agreement, named as such wherever it is printed.
    Capacity,
}

/// Which index bit the sumcheck binds first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Lowest index bit first: codeword rows are contiguous runs of the message.
    Suffix,
    /// Highest index bit first: codeword rows are strided through the message.
    Prefix,
}

/// How many variables each round folds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Folding {
    /// The same number each round; the last round may fold fewer.
    Constant(usize),
    /// One number per round, the first included.
    PerRound(Vec<usize>),
}

/// Public parameters of one WHIR commitment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    /// Base field.
    pub field: Field,
    /// Degree of the challenge field over the base field, 4 or 5.
    pub extension_degree: usize,
    /// Hash suite.
    pub hash: HashSuite,
    /// Variable order.
    pub order: Order,
    /// Decoding regime.
    pub regime: Regime,
    /// Target bits of every error term.
    pub security_bits: usize,
    /// Ceiling of every proof-of-work, in bits; also lowers the query target by as much.
    pub pow_bits: usize,
    /// `log2(1 / rho)` of the first code.
    pub log_inv_rate: usize,
    /// Folding schedule.
    pub folding: Folding,
    /// `log2(1 / rho)` of each later code; empty means "previous + fold - 1".
    pub round_log_inv_rates: Vec<usize>,
}

impl Params {
    /// Folding factor of round `round` before any clamping of a constant schedule's last fold.
    #[must_use]
    pub fn fold_at(&self, round: usize) -> usize {
        match &self.folding {
            Folding::Constant(k) => *k,
            Folding::PerRound(list) => list.get(round).copied().unwrap_or(0),
        }
    }
}

/// A name that is not one of an option's values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} (expected one of: {expected})")]
pub struct UnknownName {
    /// What was being named.
    pub what: &'static str,
    /// The accepted names.
    pub expected: &'static str,
}

macro_rules! named {
    ($type:ident, $what:literal, $expected:literal, $($variant:ident = $tag:literal $name:literal),+) => {
        impl $type {
            /// Every value, in tag order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Name on the command line and in JSON.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// Tag byte in a proof file.
            #[must_use]
            pub const fn tag(self) -> u8 {
                match self { $(Self::$variant => $tag),+ }
            }

            /// The value of a tag byte.
            #[must_use]
            pub const fn from_tag(tag: u8) -> Option<Self> {
                match tag { $($tag => Some(Self::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;
            fn from_str(name: &str) -> Result<Self, UnknownName> {
                match name {
                    $($name => Ok(Self::$variant),)+
                    _ => Err(UnknownName { what: $what, expected: $expected }),
                }
            }
        }
    };
}

named!(Field, "field", "babybear, koalabear", BabyBear = 1 "babybear", KoalaBear = 2 "koalabear");
named!(
    HashSuite,
    "hash suite",
    "poseidon2-16, poseidon2-24, keccak, blake3",
    Poseidon2x16 = 1 "poseidon2-16",
    Poseidon2x24 = 2 "poseidon2-24",
    Keccak = 3 "keccak",
    Blake3 = 4 "blake3"
);
named!(
    Regime,
    "soundness regime",
    "unique, johnson, capacity",
    UniqueDecoding = 1 "unique",
    Johnson = 2 "johnson",
    Capacity = 3 "capacity"
);
named!(Order, "variable order", "suffix, prefix", Suffix = 1 "suffix", Prefix = 2 "prefix");

impl Regime {
    /// The regime with its standing, as every report prints it.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::UniqueDecoding => "unique decoding (proven)",
            Self::Johnson => "Johnson bound (proven)",
            Self::Capacity => "capacity bound (CONJECTURE)",
        }
    }

    /// Whether the regime rests on a conjecture.
    #[must_use]
    pub const fn is_conjecture(self) -> bool {
        matches!(self, Self::Capacity)
    }
}

impl Field {
    /// The field's order.
    #[must_use]
    pub const fn modulus(self) -> u32 {
        match self {
            Self::BabyBear => 0x7800_0001,
            Self::KoalaBear => 0x7f00_0001,
        }
    }

    /// Largest `k` such that `2^k` divides `p - 1`.
    #[must_use]
    pub const fn two_adicity(self) -> usize {
        match self {
            Self::BabyBear => 27,
            Self::KoalaBear => 24,
        }
    }
}
