//! Named parameter sets.

use alloc::vec::Vec;

use crate::params::{Field, Folding, HashSuite, Order, Params, Regime};

/// A named parameter set; folding and rate stay the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Name on the command line.
    pub name: &'static str,
    /// What it is for, one line.
    pub about: &'static str,
    field: Field,
    extension_degree: usize,
    hash: HashSuite,
    regime: Regime,
    security_bits: usize,
    pow_bits: usize,
    published_rates: bool,
}

/// Every preset, the default first.
///
/// The `apple-*` sets are those of the published Apple-silicon benchmark of a WHIR prover, or the
/// nearest ones under which its whole grid can be proved by the published rules.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "johnson-100",
        about: "100 bits a term, Johnson bound (proven), KoalaBear^5, BLAKE3",
        field: Field::KoalaBear,
        extension_degree: 5,
        hash: HashSuite::Blake3,
        regime: Regime::Johnson,
        security_bits: 100,
        pow_bits: 16,
        published_rates: false,
    },
    Preset {
        name: "unique-100",
        about: "100 bits a term, unique decoding (proven), KoalaBear^4, BLAKE3",
        field: Field::KoalaBear,
        extension_degree: 4,
        hash: HashSuite::Blake3,
        regime: Regime::UniqueDecoding,
        security_bits: 100,
        pow_bits: 16,
        published_rates: false,
    },
    Preset {
        name: "recursion-100",
        about: "100 bits a term, Johnson bound (proven), KoalaBear^5, Poseidon2-24 leaves",
        field: Field::KoalaBear,
        extension_degree: 5,
        hash: HashSuite::Poseidon2x24,
        regime: Regime::Johnson,
        security_bits: 100,
        pow_bits: 16,
        published_rates: false,
    },
    Preset {
        name: "apple-90",
        about: "published benchmark at 90 bits a term, capacity CONJECTURE, BabyBear^4, Poseidon2-16",
        field: Field::BabyBear,
        extension_degree: 4,
        hash: HashSuite::Poseidon2x16,
        regime: Regime::Capacity,
        security_bits: 90,
        pow_bits: 16,
        published_rates: true,
    },
    Preset {
        name: "apple-exact",
        about: "published benchmark as published: 100 bits a term, capacity CONJECTURE, BabyBear^4",
        field: Field::BabyBear,
        extension_degree: 4,
        hash: HashSuite::Poseidon2x16,
        regime: Regime::Capacity,
        security_bits: 100,
        pow_bits: 16,
        published_rates: true,
    },
    Preset {
        name: "apple-100x5",
        about: "published benchmark at 100 bits over BabyBear^5, capacity CONJECTURE",
        field: Field::BabyBear,
        extension_degree: 5,
        hash: HashSuite::Poseidon2x16,
        regime: Regime::Capacity,
        security_bits: 100,
        pow_bits: 16,
        published_rates: true,
    },
];

impl Preset {
    /// The preset of a name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Parameters for a polynomial of `num_variables` variables.
    ///
    /// The published benchmark reduces its first domain by `min(fold, 3)` bits and each later one
    /// by one; its presets carry that schedule explicitly. The others leave the schedule to
    /// `p3-whir`'s default, which halves the domain each round.
    #[must_use]
    pub fn params(&self, num_variables: usize, folding: Folding, log_inv_rate: usize) -> Params {
        let mut params = Params {
            field: self.field,
            extension_degree: self.extension_degree,
            hash: self.hash,
            order: Order::Suffix,
            regime: self.regime,
            security_bits: self.security_bits,
            pow_bits: self.pow_bits,
            log_inv_rate,
            folding,
            round_log_inv_rates: Vec::new(),
        };
        if self.published_rates {
            params.round_log_inv_rates = published_rates(num_variables, &params);
        }
        params
    }
}

/// Largest number of variables that `p3-whir` sends in the clear instead of folding on.
const MAX_CLEAR_VARIABLES: usize = 6;

/// Rate schedule of the published benchmark: `rate + fold - min(fold, 3)`, then `+ fold - 1`.
fn published_rates(num_variables: usize, params: &Params) -> Vec<usize> {
    let mut rates = Vec::new();
    let mut rate = params.log_inv_rate;
    let mut remaining = num_variables.saturating_sub(params.fold_at(0));
    let mut round = 0_usize;
    while remaining > MAX_CLEAR_VARIABLES {
        let fold = params.fold_at(round);
        let reduction = if round == 0 { fold.min(3) } else { 1 };
        rate = rate.saturating_add(fold).saturating_sub(reduction);
        rates.push(rate);
        round = round.saturating_add(1);
        let next = params.fold_at(round);
        if next == 0 {
            break;
        }
        remaining = remaining.saturating_sub(next);
    }
    rates
}
