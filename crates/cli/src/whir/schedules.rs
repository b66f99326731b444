//! Folding and rate schedules worth trying.

use prova_whir::{Folding, Shape};

use crate::params_args::{FoldArg, ParamArgs};

use super::feasible::schedule;

/// Largest folding factor tried.
const MAX_FOLD: usize = 7;
/// Largest first `log2(1 / rho)` tried.
const MAX_LOG_INV_RATE: usize = 6;
/// Every schedule to try, options that were given kept as they are.
pub fn candidates(base: &ParamArgs, shape: Shape) -> Vec<ParamArgs> {
    let variables = shape.stacked_variables();
    let foldings: Vec<Option<FoldArg>> = match &base.fold {
        Some(fold) => vec![Some(fold.clone())],
        None => foldings(shape)
            .into_iter()
            .map(|folding| Some(FoldArg(folding)))
            .collect(),
    };
    let rates: Vec<usize> = match base.log_inv_rate {
        Some(rate) => vec![rate],
        None => (1..=MAX_LOG_INV_RATE).collect(),
    };
    let mut out = Vec::new();
    for fold in &foldings {
        for &rate in &rates {
            let plain = ParamArgs {
                fold: fold.clone(),
                log_inv_rate: Some(rate),
                ..base.clone()
            };
            if base.round_log_inv_rates.is_empty() {
                let folds = schedule(&plain.folding(), variables);
                out.extend(rate_lists(&folds, rate).into_iter().map(|rates| ParamArgs {
                    round_log_inv_rates: rates,
                    ..plain.clone()
                }));
            }
            out.push(plain);
        }
    }
    out
}

fn foldings(shape: Shape) -> Vec<Folding> {
    let variables = shape.stacked_variables();
    let most = MAX_FOLD.min(shape.num_variables);
    let mut out = Vec::new();
    for first in 1..=most {
        out.push(Folding::Constant(first));
        for later in (1..=MAX_FOLD).filter(|&later| later != first) {
            let list = schedule(&Folding::PerRound(vec![first, later]), variables);
            if list.len() > 1 {
                out.push(Folding::PerRound(list));
            }
        }
    }
    out
}

/// Later rates for domains that shrink by the same number of bits each round, the first perhaps
/// by more.
fn rate_lists(folds: &[usize], log_inv_rate: usize) -> Vec<Vec<usize>> {
    let rounds = folds.len().saturating_sub(1);
    let mut out = Vec::new();
    if rounds == 0 {
        return out;
    }
    for (first, later) in [(1, 1), (2, 1), (3, 1), (2, 2), (3, 2), (3, 3)] {
        let mut rate = log_inv_rate;
        let rates = folds.iter().take(rounds).enumerate().map(|(round, &fold)| {
            let shrink = if round == 0 { first } else { later };
            rate = rate + fold - shrink.min(fold);
            rate
        });
        out.push(rates.collect());
    }
    out
}
