//! Command-line options for the public parameters of a commitment.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use prova_whir::params::UnknownName;
use prova_whir::presets::{PRESETS, Preset};
use prova_whir::{Field, Folding, HashSuite, Order, Params, Regime};

/// Folding factor when none is given.
const DEFAULT_FOLD: usize = 4;
/// `log2(1 / rho)` when none is given.
const DEFAULT_LOG_INV_RATE: usize = 1;

/// Parameters: a preset, and what is to differ from it.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Parameters")]
pub struct ParamArgs {
    /// Named parameter set the other options start from [default: johnson-100].
    #[arg(long, value_name = "NAME", value_parser = preset_names())]
    pub preset: Option<String>,
    /// Base field.
    #[arg(long, value_parser = named::<Field>(&["babybear", "koalabear"]))]
    pub field: Option<Field>,
    /// Degree of the challenge field over the base field.
    #[arg(long, value_name = "4|5", value_parser = clap::value_parser!(u8).range(4..=5))]
    pub degree: Option<u8>,
    /// Hash functions of trees and transcript.
    #[arg(
        long,
        value_name = "SUITE",
        value_parser = named::<HashSuite>(&["poseidon2-16", "poseidon2-24", "keccak", "blake3"])
    )]
    pub hash: Option<HashSuite>,
    /// Variable order.
    #[arg(long, value_parser = named::<Order>(&["suffix", "prefix"]))]
    pub order: Option<Order>,
    /// Soundness regime; `capacity` rests on a CONJECTURE.
    #[arg(long, value_parser = named::<Regime>(&["unique", "johnson", "capacity"]))]
    pub regime: Option<Regime>,
    /// Target bits of every error term.
    #[arg(long, value_name = "BITS")]
    pub security: Option<usize>,
    /// Ceiling of every proof-of-work, in bits.
    #[arg(long, value_name = "BITS")]
    pub pow: Option<usize>,
    /// Variables folded per round: one number, or a list with one number a round [default: 4].
    #[arg(long, value_name = "K|K,K,…")]
    pub fold: Option<FoldArg>,
    /// log2 of the inverse rate of the first code [default: 1].
    #[arg(long, value_name = "R")]
    pub log_inv_rate: Option<usize>,
    /// log2 of the inverse rate of each later code [default: the preset's rule].
    #[arg(long, value_name = "R,R,…", value_delimiter = ',')]
    pub round_log_inv_rates: Vec<usize>,
}

/// A folding schedule on the command line: `4` or `4,4,3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldArg(pub Folding);

impl FromStr for FoldArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<usize> = text
            .split(',')
            .map(|number| number.trim().parse().map_err(|_| number))
            .collect::<Result<_, _>>()
            .map_err(|got| format!("expected a number or a list such as 4,4,3, got {got:?}"))?;
        Ok(Self(match numbers[..] {
            [fold] if !text.contains(',') => Folding::Constant(fold),
            _ => Folding::PerRound(numbers),
        }))
    }
}

impl fmt::Display for FoldArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Folding::Constant(fold) => write!(f, "{fold}"),
            Folding::PerRound(list) => f.write_str(&comma_list(list)),
        }
    }
}

/// `4,4,3`.
pub fn comma_list(numbers: &[usize]) -> String {
    numbers
        .iter()
        .map(usize::to_string)
        .collect::<Vec<_>>()
        .join(",")
}

fn preset_names() -> PossibleValuesParser {
    PossibleValuesParser::new(
        PRESETS
            .iter()
            .map(|p| clap::builder::PossibleValue::new(p.name).help(p.about)),
    )
}

fn named<T: FromStr<Err = UnknownName> + Clone + Send + Sync + 'static>(
    names: &'static [&'static str],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names.iter().copied()).try_map(|name| name.parse::<T>())
}

impl ParamArgs {
    /// The preset, given or by default.
    pub fn preset(&self) -> &'static Preset {
        self.preset
            .as_deref()
            .and_then(Preset::find)
            .unwrap_or(&PRESETS[0])
    }

    /// The folding schedule, given or by default.
    pub fn folding(&self) -> Folding {
        self.fold
            .as_ref()
            .map_or(Folding::Constant(DEFAULT_FOLD), |fold| fold.0.clone())
    }

    /// The first folding factor: the fewest variables a column may have.
    pub fn first_fold(&self) -> usize {
        match self.folding() {
            Folding::Constant(fold) => fold,
            Folding::PerRound(list) => list.first().copied().unwrap_or(0),
        }
    }

    /// `log2(1 / rho)` of the first code, given or by default.
    pub fn log_inv_rate(&self) -> usize {
        self.log_inv_rate.unwrap_or(DEFAULT_LOG_INV_RATE)
    }

    /// The parameters for a stacked polynomial of `num_variables` variables.
    pub fn params(&self, num_variables: usize) -> Params {
        let preset = self.preset();
        let mut params = preset.params(num_variables, self.folding(), self.log_inv_rate());
        if !self.round_log_inv_rates.is_empty() {
            params
                .round_log_inv_rates
                .clone_from(&self.round_log_inv_rates);
        }
        params.field = self.field.unwrap_or(params.field);
        params.extension_degree = self.degree.map_or(params.extension_degree, usize::from);
        params.hash = self.hash.unwrap_or(params.hash);
        params.order = self.order.unwrap_or(params.order);
        params.regime = self.regime.unwrap_or(params.regime);
        params.security_bits = self.security.unwrap_or(params.security_bits);
        params.pow_bits = self.pow.unwrap_or(params.pow_bits);
        params
    }

    /// Whether any of these options is given.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }

    /// The options that give these parameters again.
    pub fn command_line(&self) -> String {
        let mut words = vec![format!("--preset {}", self.preset().name)];
        let mut push = |name: &str, value: Option<String>| {
            words.extend(value.map(|value| format!("--{name} {value}")));
        };
        push("field", self.field.map(|v| v.to_string()));
        push("degree", self.degree.map(|v| v.to_string()));
        push("hash", self.hash.map(|v| v.to_string()));
        push("order", self.order.map(|v| v.to_string()));
        push("regime", self.regime.map(|v| v.to_string()));
        push("security", self.security.map(|v| v.to_string()));
        push("pow", self.pow.map(|v| v.to_string()));
        push("fold", self.fold.as_ref().map(|v| v.to_string()));
        push("log-inv-rate", self.log_inv_rate.map(|v| v.to_string()));
        let rates = &self.round_log_inv_rates;
        push(
            "round-log-inv-rates",
            (!rates.is_empty()).then(|| comma_list(rates)),
        );
        words.join(" ")
    }

    /// The first option that `params` does not agree with, as a message.
    ///
    /// A preset leaves folding and rates open, so they are compared only when given.
    pub fn mismatch(&self, params: &Params) -> Option<String> {
        let mut wanted = params.clone();
        if self.preset.is_some() {
            let preset = self
                .preset()
                .params(0, params.folding.clone(), params.log_inv_rate);
            let round_log_inv_rates = core::mem::take(&mut wanted.round_log_inv_rates);
            wanted = Params {
                round_log_inv_rates,
                ..preset
            };
        }
        wanted.field = self.field.unwrap_or(wanted.field);
        wanted.extension_degree = self.degree.map_or(wanted.extension_degree, usize::from);
        wanted.hash = self.hash.unwrap_or(wanted.hash);
        wanted.order = self.order.unwrap_or(wanted.order);
        wanted.regime = self.regime.unwrap_or(wanted.regime);
        wanted.security_bits = self.security.unwrap_or(wanted.security_bits);
        wanted.pow_bits = self.pow.unwrap_or(wanted.pow_bits);
        wanted.log_inv_rate = self.log_inv_rate.unwrap_or(wanted.log_inv_rate);
        if let Some(fold) = &self.fold {
            wanted.folding = fold.0.clone();
        }
        if !self.round_log_inv_rates.is_empty() {
            wanted
                .round_log_inv_rates
                .clone_from(&self.round_log_inv_rates);
        }
        let rows = |p: &Params| {
            [
                ("field", p.field.to_string()),
                ("extension degree", p.extension_degree.to_string()),
                ("hash suite", p.hash.to_string()),
                ("variable order", p.order.to_string()),
                ("soundness regime", p.regime.to_string()),
                ("security target", p.security_bits.to_string()),
                ("proof-of-work ceiling", p.pow_bits.to_string()),
                ("log inverse rate", p.log_inv_rate.to_string()),
                ("folding", FoldArg(p.folding.clone()).to_string()),
                (
                    "later log inverse rates",
                    comma_list(&p.round_log_inv_rates),
                ),
            ]
        };
        rows(&wanted)
            .into_iter()
            .zip(rows(params))
            .find_map(|((what, expected), (_, got))| {
                (expected != got).then(|| format!("{what}: expected {expected}, got {got}"))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_lists() {
        assert_eq!("4".parse(), Ok(FoldArg(Folding::Constant(4))));
        assert_eq!("4,3".parse(), Ok(FoldArg(Folding::PerRound(vec![4, 3]))));
        assert!("4,".parse::<FoldArg>().is_err());
        assert!("x".parse::<FoldArg>().is_err());
    }

    #[test]
    fn expectations() {
        let args = ParamArgs {
            preset: Some("apple-90".into()),
            ..ParamArgs::default()
        };
        let params = args.params(20);
        assert_eq!(args.mismatch(&params), None);
        assert_eq!(ParamArgs::default().mismatch(&params), None);
        let other = ParamArgs {
            preset: Some("johnson-100".into()),
            ..ParamArgs::default()
        };
        assert!(other.mismatch(&params).is_some());
        let fold = ParamArgs {
            fold: "5".parse().ok(),
            ..ParamArgs::default()
        };
        assert_eq!(
            fold.mismatch(&params).as_deref(),
            Some("folding: expected 5, got 4")
        );
    }
}
