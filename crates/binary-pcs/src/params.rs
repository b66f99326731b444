//! The ladder of an opening: folds, rates and query counts, with every bound they rest on.
//!
//! The regime is list decoding up to the Johnson radius, with proven bounds only. For a level whose
//! code has dimension `2^m`, inverse rate `2^nu` and `2^l` interleaved words, reduced rate
//! `rho = (2^m - 1) / 2^(m + nu)`, multiplicity `M >= 3`, `eta = sqrt(rho) / M` and decoding radius
//! `gamma = 1 - sqrt(rho) - eta`:
//!
//! * correlated agreement (eprint 2025/2055, theorem 4.6, in its list version): the exceptional set
//!   has `a = (2 (M + 1/2)^5 + 3 (M + 1/2) gamma rho) / (3 rho^(3/2)) 2^(m + nu) + (M + 1/2) / sqrt(rho)`
//!   elements, and the widest fold of a level has `2^(l - 1)` pairs of rows;
//! * lists have `L = 1 / (2 eta sqrt(rho))` elements;
//! * a query misses with probability `sqrt(rho) + eta`.
//!
//! The search walks `M` upward while correlated agreement holds and keeps the first that needs the
//! fewest queries, and of those the least grinding.

use alloc::vec::Vec;
use core::fmt;

/// Variables folded by the first level: lanes of the committed words.
pub const FIRST_FOLD: usize = 6;
/// Variables folded by every later level.
pub const LATER_FOLD: usize = 3;
/// No level is added when at most this many variables are left; they are sent in the clear.
pub const MOST_RESIDUAL: usize = 5;
/// Fewest variables of a committed polynomial.
pub const LEAST_VARIABLES: usize = 15;
/// Most variables of a committed polynomial.
pub const MOST_VARIABLES: usize = 28;
/// Largest logarithm of the inverse rate of the first level.
pub const MOST_LOG_INV_RATE: u32 = 4;

/// What a search aims at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Bits of round-by-round security.
    pub security_bits: u32,
    /// Bits of the field that challenges are drawn from.
    pub field_bits: u32,
    /// Most bits of grinding before the queries of the first level.
    pub grinding_bits: u32,
    /// Most bits of grinding before the queries of every later level.
    pub later_grinding_bits: u32,
    /// Whether the number of queries is found with the most grinding, and then each level is ground
    /// for no more than that many queries leave. If not, levels are ground for the most.
    pub cut_grinding: bool,
    /// Linear claims that are batched into one.
    pub claims: u32,
}

impl Target {
    /// 128 bits over GF(2^192), 17 of those of the queries by grinding.
    #[must_use]
    pub const fn v0(claims: u32) -> Self {
        Self {
            security_bits: 128,
            field_bits: 192,
            grinding_bits: 17,
            later_grinding_bits: 17,
            cut_grinding: false,
            claims,
        }
    }

    /// 128 bits over GF(2^192) like [`Target::v0`], with more of the queries' bits by grinding.
    ///
    /// A bit of grinding saves `1 / log2(1 / (sqrt(rho) + eta))` queries, most at the first level,
    /// whose rows and paths are the longest as well: there it is worth several bits of a later
    /// level. The bits grow with the polynomial, so that grinding keeps a small share of the work;
    /// up to 20 variables they are those of `v0`.
    #[must_use]
    pub fn v1(variables: usize, claims: u32) -> Self {
        let first = log(variables)
            .saturating_sub(GRINDING_GAP)
            .clamp(17, MOST_GRINDING);
        Self {
            grinding_bits: first,
            later_grinding_bits: first.saturating_sub(LATER_GRINDING_GAP).max(17),
            cut_grinding: true,
            ..Self::v0(claims)
        }
    }

    /// Most bits of grinding before the queries of a level.
    const fn grinding_at(&self, first: bool) -> u32 {
        if first {
            self.grinding_bits
        } else {
            self.later_grinding_bits
        }
    }
}

/// Variables of a polynomial less the grinding bits of its first level, in profile `v1`.
const GRINDING_GAP: u32 = 3;
/// Most grinding bits of profile `v1`.
const MOST_GRINDING: u32 = 23;
/// How many bits fewer later levels are ground for.
const LATER_GRINDING_GAP: u32 = 2;

/// A ladder cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamsError {
    /// The polynomial has too few or too many variables.
    #[error("expected 15 to 28 variables, got {got}")]
    Variables {
        /// Variables asked for.
        got: usize,
    },
    /// The rate is not one of 1/2, 1/4, 1/8, 1/16.
    #[error("expected a log inverse rate from 1 to 4, got {got}")]
    Rate {
        /// Logarithm asked for.
        got: u32,
    },
    /// No multiplicity reaches the target at a level.
    #[error("level {level} reaches {bits} bits at no decoding radius")]
    Insecure {
        /// The level.
        level: usize,
        /// The target.
        bits: u32,
    },
}

/// The bounds of a level, each in bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The multiplicity `M` of the decoder that the bounds assume.
    pub multiplicity: u32,
    /// Distance `eta` to the Johnson radius.
    pub eta: f64,
    /// The decoding radius `gamma`.
    pub radius: f64,
    /// `log2` of the list size.
    pub log_list: f64,
    /// Correlated agreement at the widest fold.
    pub agreement_bits: f64,
    /// One out-of-domain sample makes the prover choose from the list. The first level has none:
    /// there, a random-point claim of the protocol above does it.
    pub out_of_domain_bits: f64,
    /// Sumcheck rounds and batching, for all elements of the list.
    pub algebraic_bits: f64,
    /// The queries, without grinding.
    pub query_bits: f64,
}

/// One level of the ladder: an oracle, the folds after it and the queries to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Variables that the level folds; its oracle has `2^folds` lanes.
    pub folds: usize,
    /// Variables left after the folds: the code of a lane has dimension `2^log_message`.
    pub log_message: usize,
    /// Logarithm of the inverse rate.
    pub log_inv_rate: u32,
    /// Bits of grinding before the queries.
    pub grinding_bits: u32,
    /// Queries, with repetitions.
    pub queries: usize,
    /// The bounds behind the number of queries.
    pub bounds: Bounds,
}

impl Level {
    /// Logarithm of the length of the code, which is the depth of the Merkle tree.
    #[must_use]
    pub fn depth(&self) -> u32 {
        log(self.log_message).saturating_add(self.log_inv_rate)
    }
}

/// The ladder of an opening. Displayed, it is a table of every bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Variables of the committed polynomial.
    pub variables: usize,
    /// Logarithm of the inverse rate of the first level.
    pub log_inv_rate: u32,
    /// What the search aimed at.
    pub target: Target,
    /// The levels, at least one.
    pub levels: Vec<Level>,
    /// Variables left after the last level, sent as a table.
    pub residual_variables: usize,
}

impl Schedule {
    /// Derives the ladder of a polynomial in `variables` variables: folds of six and then three
    /// variables, inverse rates that grow by three bits once and then by two.
    ///
    /// # Errors
    /// See [`ParamsError`].
    pub fn derive(
        variables: usize,
        log_inv_rate: u32,
        target: Target,
    ) -> Result<Self, ParamsError> {
        if !(LEAST_VARIABLES..=MOST_VARIABLES).contains(&variables) {
            return Err(ParamsError::Variables { got: variables });
        }
        if !(1..=MOST_LOG_INV_RATE).contains(&log_inv_rate) {
            return Err(ParamsError::Rate { got: log_inv_rate });
        }
        let mut levels = Vec::new();
        let mut left = variables;
        let mut folds = FIRST_FOLD;
        let mut rate = log_inv_rate;
        loop {
            left = left.saturating_sub(folds);
            let code = Code {
                log_message: log(left),
                log_inv_rate: rate,
                log_lanes: log(folds),
                first: levels.is_empty(),
            };
            let insecure = ParamsError::Insecure {
                level: levels.len(),
                bits: target.security_bits,
            };
            let found = code.search(&target).ok_or(insecure)?;
            levels.push(Level {
                folds,
                log_message: left,
                log_inv_rate: rate,
                grinding_bits: found.grinding_bits,
                queries: usize::try_from(found.queries).unwrap_or(usize::MAX),
                bounds: found.bounds,
            });
            if left <= MOST_RESIDUAL {
                break;
            }
            rate = rate.saturating_add(if folds == FIRST_FOLD { 3 } else { 2 });
            folds = LATER_FOLD;
        }
        Ok(Self {
            variables,
            log_inv_rate,
            target,
            levels,
            residual_variables: left,
        })
    }

    /// Queries of all levels together.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.levels.iter().map(|level| level.queries).sum()
    }

    /// Scalars that an opening takes from the stream.
    #[must_use]
    pub fn scalar_count(&self) -> usize {
        let levels = self.levels.len();
        let folds: usize = self.levels.iter().map(|level| level.folds).sum();
        let residual = 1_usize << self.residual_variables.min(MOST_RESIDUAL);
        let tail = self.residual_variables.saturating_sub(1);
        2 + 2 * (folds + tail) + 5 * levels.saturating_sub(1) + residual + 3 * levels
    }

    /// The smallest bound of the ladder in bits, grinding included.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        self.levels.iter().fold(f64::INFINITY, |least, level| {
            let bounds = &level.bounds;
            least
                .min(bounds.agreement_bits)
                .min(bounds.out_of_domain_bits)
                .min(bounds.algebraic_bits)
                .min(bounds.query_bits + f64::from(level.grinding_bits))
        })
    }
}

/// What a search found.
struct Found {
    queries: u32,
    grinding_bits: u32,
    bounds: Bounds,
}

/// The code of a level.
struct Code {
    log_message: u32,
    log_inv_rate: u32,
    log_lanes: u32,
    first: bool,
}

impl Code {
    fn search(&self, target: &Target) -> Option<Found> {
        let least = f64::from(target.security_bits);
        let grinding = target.grinding_at(self.first);
        let needed = f64::from(target.security_bits.saturating_sub(grinding));
        let mut best: Option<Found> = None;
        // Agreement loses five bits with every doubling of the multiplicity.
        for multiplicity in 3..=1 << 20 {
            let bounds = self.bounds(multiplicity, target);
            if bounds.agreement_bits < least {
                break;
            }
            // One query catches a word at the decoding radius with `1 - gamma = sqrt(rho) + eta`.
            let per_query = -libm::log2(1.0 - bounds.radius);
            let sound = bounds.out_of_domain_bits >= least && bounds.algebraic_bits >= least;
            if !sound || per_query <= 0.0 {
                continue;
            }
            let queries = ceil(needed / per_query);
            let query_bits = f64::from(queries) * per_query;
            let grinding_bits = if target.cut_grinding {
                grinding.min(ceil(least - query_bits))
            } else {
                grinding
            };
            let cost = (queries, grinding_bits);
            if best
                .as_ref()
                .is_none_or(|best| cost < (best.queries, best.grinding_bits))
            {
                let bounds = Bounds {
                    query_bits,
                    ..bounds
                };
                best = Some(Found {
                    queries,
                    grinding_bits,
                    bounds,
                });
            }
        }
        best
    }

    /// The bounds at a multiplicity, those of the queries left at zero.
    fn bounds(&self, multiplicity: u32, target: &Target) -> Bounds {
        let log_domain = self.log_message.saturating_add(self.log_inv_rate);
        let rho = (power_of_two(self.log_message) - 1.0) / power_of_two(log_domain);
        let root = libm::sqrt(rho);
        let eta = root / f64::from(multiplicity);
        let radius = 1.0 - root - eta;

        let m = f64::from(multiplicity) + 0.5;
        let exceptional = (2.0 * m * m * m * m * m + 3.0 * m * radius * rho) / (3.0 * rho * root)
            * power_of_two(log_domain)
            + m / root;
        let field = f64::from(target.field_bits);
        let pairs = f64::from(self.log_lanes.saturating_sub(1));

        let log_list = -libm::log2(2.0 * eta * root);
        let variables = f64::from(self.log_message.saturating_add(self.log_lanes));
        let out_of_domain_bits = if self.first {
            field - log_list - libm::log2(variables)
        } else {
            field - libm::log2(variables) - (2.0 * log_list - 1.0)
        };
        let degree = RING_SWITCH_DEGREE
            .max(f64::from(target.claims) - 1.0)
            .max(2.0);
        Bounds {
            multiplicity,
            eta,
            radius,
            log_list,
            agreement_bits: field - libm::log2(exceptional) - pairs,
            out_of_domain_bits,
            algebraic_bits: field - libm::log2(degree) - log_list,
            query_bits: 0.0,
        }
    }
}

/// Degree of the ring-switch map in its six challenges:
/// `2^31 + 2^15 + 2^7 + 2^3 + 2 + 1`.
const RING_SWITCH_DEGREE: f64 = 2_147_516_555.0;

fn power_of_two(exponent: u32) -> f64 {
    libm::ldexp(1.0, i32::try_from(exponent).unwrap_or(i32::MAX))
}

fn log(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[expect(
    clippy::as_conversions,
    reason = "saturating is what is wanted of a count out of range"
)]
fn ceil(x: f64) -> u32 {
    libm::ceil(x) as u32
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target {
            security_bits,
            field_bits,
            grinding_bits,
            later_grinding_bits,
            claims,
            ..
        } = self.target;
        writeln!(
            f,
            "{} variables, rate 1/{}, {claims} claims: {security_bits} bits over GF(2^{field_bits}) \
             in the Johnson regime, at most {grinding_bits} of the queries' bits by grinding, \
             {later_grinding_bits} after the first level",
            self.variables,
            1_u64 << self.log_inv_rate.min(63),
        )?;
        writeln!(
            f,
            "level  folds  code dim.  rate    queries     M  radius  list  agreement  out-of-domain  \
             algebraic  grinding  queries+grinding"
        )?;
        for (index, level) in self.levels.iter().enumerate() {
            let bounds = &level.bounds;
            writeln!(
                f,
                "{index:>5}  {:>5}  {:>9}  2^-{:<4} {:>7}  {:>4}  {:>6.4}  2^{:<4.1} {:>7.2}  {:>13.2}  \
                 {:>9.2}  {:>8}  {:>16.2}",
                level.folds,
                alloc::format!("2^{}", level.log_message),
                level.log_inv_rate,
                level.queries,
                bounds.multiplicity,
                bounds.radius,
                bounds.log_list,
                bounds.agreement_bits,
                bounds.out_of_domain_bits,
                bounds.algebraic_bits,
                level.grinding_bits,
                bounds.query_bits + f64::from(level.grinding_bits),
            )?;
        }
        write!(
            f,
            "{} variables sent in the clear; smallest bound {:.2} bits, round by round. Level 0 has no \
             out-of-domain sample: its bound is that the commitment binds to a list, of which a claim at \
             a random point picks one. Collision resistance of BLAKE2s is assumed",
            self.residual_variables,
            self.security_bits(),
        )
    }
}
