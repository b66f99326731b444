//! From parameters and a shape to the schedule of a run.

use alloc::vec::Vec;

use p3_challenger::{FieldChallenger, GrindingChallenger};
use p3_sumcheck::{OpeningProtocol, TableShape, TableSpec};
use p3_whir::{
    FoldingFactor, ProtocolParameters, SecurityAssumption, WhirConfig, WhirConfigError, WhirShape,
};

use crate::params::{Folding, Params, Regime};
use crate::statement::{Opening, Shape};
use crate::suite::Suite;

/// The derived configuration of a suite, as `p3-whir` wants it.
pub type Config<S> = WhirConfig<<S as Suite>::EF, <S as Suite>::F, <S as Suite>::Challenger>;

/// Ranges outside which parameters are refused before anything is derived.
#[derive(Clone, Copy, Debug)]
pub struct Limits;

impl Limits {
    /// Largest folding factor of one round; a row of a codeword has `2^fold` elements.
    pub const MAX_FOLD: usize = 10;
    /// Largest `log2(1 / rho)`.
    pub const MAX_LOG_INV_RATE: usize = 27;
    /// Largest security target in bits.
    pub const MAX_SECURITY_BITS: usize = 256;
    /// Largest proof-of-work in bits: at 27 bits a nonce space of about `2^31` still holds a
    /// solution except with probability `exp(-2^31 / 2^27)`, below one in eight hundred thousand.
    pub const MAX_POW_BITS: usize = 27;
}

/// Why parameters do not fit a shape.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A parameter is out of its range.
    #[error("{what} is {got}, expected {expected}")]
    OutOfRange {
        /// The parameter.
        what: &'static str,
        /// Its range.
        expected: &'static str,
        /// Its value.
        got: usize,
    },
    /// The combination of field, degree and hash suite does not exist.
    #[error("no suite with extension degree {degree} (expected 4 or 5)")]
    NoSuite {
        /// The degree asked for.
        degree: usize,
    },
    /// `p3-whir` refuses the combination.
    #[error(transparent)]
    Whir(#[from] WhirConfigError),
    /// An opening names no column, a column twice, or one the table does not have.
    #[error(
        "opening {opening}: columns must be ascending, distinct, below {columns}, at least one"
    )]
    BadColumns {
        /// Index of the opening.
        opening: usize,
        /// Columns of the table.
        columns: usize,
    },
    /// A list of elements has the wrong length.
    #[error("opening {opening}: {what} has {got} coefficients, expected {expected}")]
    WrongLength {
        /// Index of the opening.
        opening: usize,
        /// Which list.
        what: &'static str,
        /// Length wanted.
        expected: usize,
        /// Length found.
        got: usize,
    },
}

fn in_range(
    what: &'static str,
    got: usize,
    range: core::ops::RangeInclusive<usize>,
    expected: &'static str,
) -> Result<(), ConfigError> {
    if range.contains(&got) {
        Ok(())
    } else {
        Err(ConfigError::OutOfRange {
            what,
            expected,
            got,
        })
    }
}

impl Params {
    /// Checks every range that does not depend on a shape.
    ///
    /// # Errors
    /// The first parameter out of range.
    pub fn check(&self) -> Result<(), ConfigError> {
        if !matches!(self.extension_degree, 4 | 5) {
            return Err(ConfigError::NoSuite {
                degree: self.extension_degree,
            });
        }
        in_range(
            "security",
            self.security_bits,
            1..=Limits::MAX_SECURITY_BITS,
            "1 to 256 bits",
        )?;
        in_range(
            "proof-of-work",
            self.pow_bits,
            0..=Limits::MAX_POW_BITS,
            "0 to 27 bits",
        )?;
        let rates = core::iter::once(&self.log_inv_rate).chain(&self.round_log_inv_rates);
        for &rate in rates {
            in_range(
                "log inverse rate",
                rate,
                1..=Limits::MAX_LOG_INV_RATE,
                "1 to 27",
            )?;
        }
        let folds: &[usize] = match &self.folding {
            Folding::Constant(k) => core::slice::from_ref(k),
            Folding::PerRound(list) => list,
        };
        in_range("number of folds", folds.len(), 1..=64, "1 to 64")?;
        in_range(
            "number of rates",
            self.round_log_inv_rates.len(),
            0..=64,
            "0 to 64",
        )?;
        for &fold in folds {
            in_range("folding factor", fold, 1..=Limits::MAX_FOLD, "1 to 10")?;
        }
        Ok(())
    }

    /// The parameters in `p3-whir`'s terms.
    #[must_use]
    pub fn protocol(&self) -> ProtocolParameters {
        ProtocolParameters {
            starting_log_inv_rate: self.log_inv_rate,
            round_log_inv_rates: self.round_log_inv_rates.clone(),
            folding_factor: match &self.folding {
                Folding::Constant(k) => FoldingFactor::Constant(*k),
                Folding::PerRound(list) => FoldingFactor::PerRound(list.clone()),
            },
            soundness_type: self.assumption(),
            security_level: self.security_bits,
            pow_bits: self.pow_bits,
        }
    }

    /// The regime in `p3-security`'s terms.
    #[must_use]
    pub const fn assumption(&self) -> SecurityAssumption {
        match self.regime {
            Regime::UniqueDecoding => SecurityAssumption::UniqueDecoding,
            Regime::Johnson => SecurityAssumption::JohnsonBound,
            Regime::Capacity => SecurityAssumption::CapacityBound,
        }
    }

    /// Derives the configuration for a committed table of `shape` with `num_claims` claimed
    /// values.
    ///
    /// # Errors
    /// Parameters out of range, a table smaller than the first fold, or any reason `p3-whir` has,
    /// among them a proof-of-work above the ceiling.
    pub fn config<S: Suite>(
        &self,
        shape: Shape,
        num_claims: usize,
    ) -> Result<Config<S>, ConfigError> {
        self.config_for::<S, S::Challenger>(shape, num_claims)
    }

    /// [`Self::config`] for a challenger of the caller's, which plays no part in the derivation.
    ///
    /// # Errors
    /// As [`Self::config`].
    pub fn config_for<S: Suite, C>(
        &self,
        shape: Shape,
        num_claims: usize,
    ) -> Result<WhirConfig<S::EF, S::F, C>, ConfigError>
    where
        C: FieldChallenger<S::F> + GrindingChallenger<Witness = S::F>,
    {
        self.check()?;
        in_range(
            "columns",
            shape.columns,
            1..=Shape::MAX_COLUMNS,
            "1 to 4096",
        )?;
        in_range(
            "variables",
            shape.num_variables,
            0..=Shape::MAX_VARIABLES,
            "0 to 40",
        )?;
        in_range(
            "variables of a column",
            shape.num_variables,
            self.fold_at(0)..=Shape::MAX_VARIABLES,
            "at least the first folding factor (pad the columns with zeros)",
        )?;
        let config = WhirConfig::<S::EF, S::F, C>::new_with_initial_claims(
            shape.stacked_variables(),
            self.protocol(),
            num_claims,
        )?;
        in_range(
            "proof-of-work",
            config.max_pow_bits(),
            0..=Limits::MAX_POW_BITS,
            "0 to 27 bits",
        )?;
        Ok(config)
    }
}

/// The opening schedule in `p3-sumcheck`'s terms.
///
/// # Errors
/// Columns that are empty, out of order or out of range.
pub fn protocol(shape: Shape, openings: &[Opening]) -> Result<OpeningProtocol, ConfigError> {
    let mut schedule = Vec::with_capacity(openings.len());
    for (index, opening) in openings.iter().enumerate() {
        let ascending = opening.columns.is_sorted_by(|a, b| a < b);
        let last = opening.columns.last();
        if !ascending || last.is_none_or(|&last| last >= shape.columns) {
            return Err(ConfigError::BadColumns {
                opening: index,
                columns: shape.columns,
            });
        }
        schedule.push(p3_sumcheck::OpeningBatch::new(
            opening.columns.clone(),
            Vec::new(),
        ));
    }
    let table = TableShape::new(shape.num_variables, shape.columns);
    Ok(OpeningProtocol::new(alloc::vec![TableSpec::new(
        table, schedule
    )]))
}

/// One queried commitment of a run, in the order of opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryPhase {
    /// `log2` of the number of rows of the queried codeword.
    pub log_height: usize,
    /// Rows opened: one a draw, duplicates included; every row when the phase is saturated.
    pub rows: usize,
    /// Elements of one row; base field in the first phase, challenge field later.
    pub row_elements: usize,
    /// Proof-of-work before the draw, in bits.
    pub pow_bits: usize,
}

/// The query phases of a run: one a round and the final one.
#[must_use]
pub fn query_phases(shape: &WhirShape) -> Vec<QueryPhase> {
    fn phase(index_bits: usize, draws: usize, fold: usize, pow_bits: usize) -> QueryPhase {
        let height = pow2(index_bits);
        QueryPhase {
            log_height: index_bits,
            rows: if draws == 0 { height } else { draws },
            row_elements: pow2(fold),
            pow_bits,
        }
    }
    let mut fold = shape.initial_sumcheck.rounds;
    let mut phases = Vec::with_capacity(shape.rounds.len().saturating_add(1));
    for round in &shape.rounds {
        phases.push(phase(
            round.index_bits,
            round.query_draws,
            fold,
            round.query_pow_bits,
        ));
        fold = round.sumcheck.rounds;
    }
    phases.push(phase(
        shape.final_index_bits,
        shape.final_query_draws,
        fold,
        shape.final_pow_bits,
    ));
    phases
}

/// `2^log`, saturating.
#[must_use]
pub fn pow2(log: usize) -> usize {
    u32::try_from(log)
        .ok()
        .and_then(|log| 1_usize.checked_shl(log))
        .unwrap_or(usize::MAX)
}
