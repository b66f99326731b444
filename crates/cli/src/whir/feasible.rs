//! Parameters near infeasible ones that fit.

use prova_whir::{Folding, Shape};

use crate::front::estimate;
use crate::params_args::{FoldArg, ParamArgs, comma_list};

/// The lowest security target worth suggesting.
const MIN_SECURITY: usize = 40;
/// The hardest proof-of-work worth suggesting: a second or so of hashing.
const MAX_POW: usize = 24;
/// The largest folding factor and rate worth suggesting.
const MAX_STEP: usize = 8;
/// Most variables that are sent in the clear: folding ends there.
const CLEAR_VARIABLES: usize = 6;

/// Options that make the parameters fit, each by itself, the nearest value of each kind.
///
/// Empty when no change of one option helps.
pub fn nearest_feasible(args: &ParamArgs, shape: Shape, openings: usize) -> Vec<String> {
    let search = Search {
        args,
        shape,
        openings,
    };
    if let Some(words) = search.lists() {
        return vec![words];
    }
    let mut found: Vec<String> = Vec::new();
    found.extend(search.degree(args).map(|(words, _)| words));
    found.extend(search.security(args));
    found.extend(search.pow());
    found.extend(search.rate());
    found.extend(search.fold());
    found.extend(search.vars());
    found.extend(search.points());
    if found.is_empty() {
        let wider = ParamArgs {
            degree: Some(5),
            ..args.clone()
        };
        found.extend(
            search
                .security(&wider)
                .map(|words| format!("--degree 5 {words}")),
        );
    }
    found
}

struct Search<'a> {
    args: &'a ParamArgs,
    shape: Shape,
    openings: usize,
}

impl Search<'_> {
    fn fits(&self, args: &ParamArgs) -> bool {
        self.fits_at(args, self.shape, self.openings)
    }

    fn fits_at(&self, args: &ParamArgs, shape: Shape, openings: usize) -> bool {
        estimate(&args.params(shape.stacked_variables()), shape, openings).is_ok()
    }

    /// Folding and rate lists of the right length.
    fn lists(&self) -> Option<String> {
        let explicit_rates = !self.args.round_log_inv_rates.is_empty();
        let Folding::PerRound(folds) = self.args.folding() else {
            return if explicit_rates {
                self.rates(self.args, "")
            } else {
                None
            };
        };
        let folds = complete(&folds, self.shape.stacked_variables());
        let words = format!("--fold {}", comma_list(&folds));
        let fold = Some(FoldArg(Folding::PerRound(folds)));
        let args = ParamArgs {
            fold,
            ..self.args.clone()
        };
        if explicit_rates {
            self.rates(&args, &words)
        } else {
            self.fits(&args).then_some(words)
        }
    }

    /// The given later rates cut or continued to the number of rounds; each continued one halves
    /// the domain.
    fn rates(&self, args: &ParamArgs, words: &str) -> Option<String> {
        let folds = schedule(&args.folding(), self.shape.stacked_variables());
        let mut rates: Vec<usize> = Vec::new();
        let mut previous = args.log_inv_rate();
        for (round, fold) in folds.iter().enumerate().take(folds.len().saturating_sub(1)) {
            let halved = (previous + fold).saturating_sub(1);
            let given = args.round_log_inv_rates.get(round).copied();
            previous = given.unwrap_or(halved).min(previous + fold);
            rates.push(previous);
        }
        if rates.is_empty() {
            return None;
        }
        let words = format!("{words} --round-log-inv-rates {}", comma_list(&rates));
        let args = ParamArgs {
            round_log_inv_rates: rates,
            ..args.clone()
        };
        self.fits(&args).then(|| words.trim_start().to_string())
    }

    fn degree(&self, args: &ParamArgs) -> Option<(String, ParamArgs)> {
        let wider = ParamArgs {
            degree: Some(5),
            ..args.clone()
        };
        self.fits(&wider).then(|| ("--degree 5".to_string(), wider))
    }

    fn security(&self, args: &ParamArgs) -> Option<String> {
        let now = args.params(self.shape.stacked_variables()).security_bits;
        let bits = (MIN_SECURITY..now.min(256)).rev().find(|&bits| {
            self.fits(&ParamArgs {
                security: Some(bits),
                ..args.clone()
            })
        })?;
        Some(format!("--security {bits}"))
    }

    fn pow(&self) -> Option<String> {
        let now = self.args.params(self.shape.stacked_variables()).pow_bits;
        let fits = |&bits: &usize| {
            self.fits(&ParamArgs {
                pow: Some(bits),
                ..self.args.clone()
            })
        };
        (now + 1..=MAX_POW)
            .find(fits)
            .map(|bits| format!("--pow {bits}"))
    }

    fn rate(&self) -> Option<String> {
        let now = self.args.log_inv_rate();
        let (free, note) = self.without_rates();
        let fits = |&rate: &usize| {
            self.fits(&ParamArgs {
                log_inv_rate: Some(rate),
                ..free.clone()
            })
        };
        let rate = nearest(now, 1, MAX_STEP).find(fits)?;
        Some(format!("--log-inv-rate {rate}{note}"))
    }

    fn fold(&self) -> Option<String> {
        let now = self.args.first_fold();
        let (free, note) = self.without_rates();
        let with = |fold| ParamArgs {
            fold: Some(FoldArg(Folding::Constant(fold))),
            ..free.clone()
        };
        let fold = nearest(now, 1, MAX_STEP).find(|&fold| self.fits(&with(fold)))?;
        Some(format!("--fold {fold}{note}"))
    }

    fn vars(&self) -> Option<String> {
        let first = self.args.first_fold();
        let shape = Shape {
            num_variables: first,
            ..self.shape
        };
        let fits = first > self.shape.num_variables
            && first <= Shape::MAX_VARIABLES
            && self.fits_at(self.args, shape, self.openings);
        fits.then(|| format!("--vars {first}"))
    }

    fn points(&self) -> Option<String> {
        let halves = std::iter::successors(Some(self.openings / 2), |&n| Some(n / 2));
        let fewer = halves
            .take_while(|&n| n > 0)
            .find(|&n| self.fits_at(self.args, self.shape, n))?;
        Some(format!("--points {fewer}"))
    }

    /// The arguments without a list of later rates, which fits one schedule only.
    fn without_rates(&self) -> (ParamArgs, &'static str) {
        let free = ParamArgs {
            round_log_inv_rates: Vec::new(),
            ..self.args.clone()
        };
        let given = !self.args.round_log_inv_rates.is_empty();
        (
            free,
            if given {
                " without --round-log-inv-rates"
            } else {
                ""
            },
        )
    }
}

/// The numbers of a range other than `now`, nearest first.
fn nearest(now: usize, low: usize, high: usize) -> impl Iterator<Item = usize> {
    let mut numbers: Vec<usize> = (low..=high).filter(|&number| number != now).collect();
    numbers.sort_by_key(|number| number.abs_diff(now));
    numbers.into_iter()
}

/// A list of folds cut or continued so that it folds `num_variables` far enough.
fn complete(folds: &[usize], num_variables: usize) -> Vec<usize> {
    let mut remaining = num_variables;
    let mut out = Vec::new();
    let mut next = folds.first().copied().unwrap_or(1);
    while out.is_empty() || remaining > CLEAR_VARIABLES {
        next = folds
            .get(out.len())
            .copied()
            .unwrap_or(next)
            .clamp(1, remaining.max(1));
        out.push(next);
        remaining = remaining.saturating_sub(next);
    }
    out
}

/// How many variables each phase folds: as far as needed, then the rest is sent in the clear.
///
/// The rule is that of `p3-whir`.
pub fn schedule(folding: &Folding, num_variables: usize) -> Vec<usize> {
    match folding {
        Folding::Constant(fold) => complete(&[*fold], num_variables),
        Folding::PerRound(list) => complete(list, num_variables),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules() {
        assert_eq!(schedule(&Folding::Constant(4), 20), [4, 4, 4, 4]);
        assert_eq!(schedule(&Folding::Constant(8), 15), [8, 7]);
        assert_eq!(schedule(&Folding::Constant(4), 4), [4]);
        assert_eq!(complete(&[4, 3], 20), [4, 3, 3, 3, 3]);
        assert_eq!(complete(&[5, 4, 4, 4, 4], 12), [5, 4]);
    }

    fn args(preset: &str) -> ParamArgs {
        ParamArgs {
            preset: Some(preset.into()),
            ..ParamArgs::default()
        }
    }

    #[test]
    fn infeasible_parameters_get_suggestions() {
        let shape = Shape {
            num_variables: 22,
            columns: 1,
        };
        let cases = [
            args("apple-exact"),
            ParamArgs {
                fold: "4,4".parse().ok(),
                ..args("unique-100")
            },
            ParamArgs {
                round_log_inv_rates: vec![4, 5],
                ..args("unique-100")
            },
            ParamArgs {
                security: Some(140),
                ..args("johnson-100")
            },
        ];
        for case in cases {
            let search = Search {
                args: &case,
                shape,
                openings: 1,
            };
            assert!(!search.fits(&case), "{}", case.command_line());
            let found = nearest_feasible(&case, shape, 1);
            assert!(!found.is_empty(), "{}", case.command_line());
        }
    }

    #[test]
    fn small_tables_get_more_variables_or_a_smaller_fold() {
        let shape = Shape {
            num_variables: 2,
            columns: 1,
        };
        let found = nearest_feasible(&args("johnson-100"), shape, 1);
        assert!(found.contains(&"--vars 4".to_string()), "{found:?}");
    }
}
