//! The error terms of a run, in bits, with the assumption each rests on.

use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, string::ToString};

use p3_field::Field as _;
use p3_security::ErrorBits;

use crate::derive::Config;
use crate::params::Params;
use crate::suite::Suite;

/// One error term.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// What may go wrong, and in which round.
    pub name: String,
    /// Bits of the algebraic bound.
    pub algebraic_bits: f64,
    /// Bits of proof-of-work that precede the challenge.
    pub pow_bits: usize,
    /// How often the term counts in the union bound.
    pub times: usize,
}

impl Term {
    /// Algebraic bits plus proof-of-work.
    #[must_use]
    pub fn bits(&self) -> f64 {
        self.algebraic_bits + self.pow_bits as f64
    }
}

/// The error terms of a run and their union.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Every term, in protocol order.
    pub terms: Vec<Term>,
    /// Bits of the union bound over all terms. The hash functions' own security comes on top.
    pub union_bits: f64,
}

/// Derives the terms that `p3-whir` composes for its prescribed-point security, one by one.
///
/// Formulas: STIR (eprint 2024/390), WHIR (eprint 2024/1586), and for the Johnson regime
/// eprint 2026/2056, as `p3-security` implements them. The field is priced one bit below its bit
/// length, and a Johnson proximity gap one further bit lower.
#[must_use]
pub fn report<S: Suite>(params: &Params, config: &Config<S>, num_claims: usize) -> Report {
    let assumption = params.assumption();
    let field_bits = S::EF::bits().saturating_sub(1);
    let reserve = if assumption == p3_whir::SecurityAssumption::JohnsonBound {
        1.0
    } else {
        0.0
    };
    let mut terms = Vec::new();
    let mut push = |name: String, algebraic_bits: f64, pow_bits: usize, times: usize| {
        if times > 0 && algebraic_bits.is_finite() {
            terms.push(Term {
                name,
                algebraic_bits,
                pow_bits,
                times,
            });
        }
    };

    let claims = num_claims.saturating_add(config.commitment_ood_samples());
    push(
        "claim batching".to_string(),
        config.initial_claims_error(claims),
        0,
        1,
    );

    let mut variables = config.num_variables();
    let mut rate = params.log_inv_rate;
    let mut fold_pow = config.starting_folding_pow_bits();
    let mut ood_samples = config.commitment_ood_samples();
    let folds = config.folding_schedule();
    for (index, &fold) in folds.iter().enumerate() {
        if ood_samples > 0 {
            let bits = assumption.ood_error(variables, rate, field_bits, ood_samples);
            push(
                format!("commitment {index}: out-of-domain samples"),
                bits,
                0,
                1,
            );
        }
        let gap = assumption.prox_gaps_error(variables, rate, field_bits, 2) - reserve;
        push(format!("fold {index}: proximity gap"), gap, fold_pow, fold);
        let sumcheck = assumption.fold_sumcheck_error(field_bits, variables, rate);
        push(format!("fold {index}: sumcheck"), sumcheck, fold_pow, fold);

        let Some(round) = config.round_parameters().get(index) else {
            let last = config.terminal();
            let bits = assumption.queries_error(rate, last.num_queries);
            push("final queries".to_string(), bits, last.pow_bits, 1);
            break;
        };
        let bits = assumption.queries_error(rate, round.num_queries);
        push(format!("round {index}: queries"), bits, round.pow_bits, 1);
        let combination = assumption.queries_combination_error(
            field_bits,
            round.num_variables,
            round.log_inv_rate,
            round.ood_samples,
            round.num_queries,
        );
        push(
            format!("round {index}: query batching"),
            combination,
            round.pow_bits,
            1,
        );
        variables = round.num_variables;
        rate = round.log_inv_rate;
        fold_pow = round.folding_pow_bits;
        ood_samples = round.ood_samples;
    }
    let last = field_bits.saturating_sub(1) as f64;
    push(
        "final sumcheck".to_string(),
        last,
        config.final_folding_pow_bits(),
        config.final_sumcheck_rounds(),
    );

    let errors: Vec<ErrorBits> = terms
        .iter()
        .flat_map(|term| core::iter::repeat_n(ErrorBits::from_log2(term.bits()), term.times))
        .collect();
    let union_bits = ErrorBits::sum(&errors).bits();
    Report { terms, union_bits }
}
