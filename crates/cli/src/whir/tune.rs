//! `prova whir tune`: the folding and rate schedules that suit an objective.
//!
//! Every candidate is estimated, not run.

use clap::Args;
use prova_whir::{Params, Shape};
use serde_json::{Value, json};

use crate::error::Failure;
use crate::front::{Estimate, estimate};
use crate::machine;
use crate::memsize::MemSize;
use crate::output::Report;
use crate::params_args::{ParamArgs, comma_list};
use crate::signals;
use crate::text::{fields, table, thousands};

use super::cost::{Objective, cost};
use super::estimate::ShapeArgs;
use super::schedules::candidates;
use super::{job, show};

/// Candidates shown.
const SHOWN: usize = 5;

/// Arguments of `prova whir tune`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG_HELP)]
pub struct TuneArgs {
    /// What to make small.
    #[arg(long, value_enum, default_value = "time")]
    objective: Objective,
    /// Fewest bits of the union bound over all error terms; the target of every single term is
    /// --security, or the preset's.
    #[arg(long, value_name = "BITS", default_value_t = 0.0)]
    security_floor: f64,
    /// Leave out schedules that need more memory than this [default: what is available now].
    #[arg(long, value_name = "SIZE")]
    mem_limit: Option<MemSize>,
    #[command(flatten)]
    shape: ShapeArgs,
    #[command(flatten)]
    params: ParamArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova whir tune --vars 22
  prova whir tune --vars 24 --objective size --preset unique-100
  prova whir tune README.md --objective verify --security-floor 95";

const LONG_HELP: &str = "\
EXAMPLES
  prova whir tune --vars 22
  prova whir tune --vars 24 --objective size --preset unique-100
  prova whir tune README.md --objective verify --security-floor 95

SEARCH
  Folding factors 1 to 7, the first one apart from the later ones; first log inverse rates 1 to 6;
  later codes on domains that shrink by one, two or three bits a round, the first of them by as
  much again or by up to three. --fold, --log-inv-rate and --round-log-inv-rates, when given, are
  kept as they are. Schedules that miss the security target are left out.

COST MODELS
  time    hash calls of trees and proof-of-work, times the weight of the hash suite, plus products
          of transforms and of sumchecks. The unit is about one product of base-field elements on
          vectors; Poseidon2-16 weighs 180 of them, Poseidon2-24 300, Keccak 150, BLAKE3 30.
  size    expected bytes of the proof file.
  verify  hash calls for the opened rows and for the Merkle siblings.";

/// Searches.
///
/// # Errors
/// Bad arguments, no schedule that meets the target, a signal.
pub fn run(args: &TuneArgs) -> Result<Report, Failure> {
    let smallest = args
        .params
        .fold
        .as_ref()
        .map_or(1, |_| args.params.first_fold());
    let shape = args.shape.shape(smallest)?;
    let points = args.shape.points();
    job::check_statement(
        &args.params.params(shape.stacked_variables()),
        shape,
        points,
    )?;
    let candidates = candidates(&args.params, shape);
    let tried = candidates.len();
    let limit = args
        .mem_limit
        .map(|size| size.0)
        .or_else(|| machine::memory().available);
    let limit = limit.unwrap_or(u64::MAX);
    let mut found: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        if signals::cancelled() {
            return Err(Failure::cancelled());
        }
        let params = candidate.params(shape.stacked_variables());
        let Ok(estimate) = estimate(&params, shape, points) else {
            continue;
        };
        let secure = estimate.security.union_bits >= args.security_floor;
        if secure && estimate.leanest_peak_bytes <= limit {
            let cost = cost(args.objective, &params, &estimate);
            found.push(Candidate {
                args: candidate,
                params,
                estimate,
                cost,
            });
        }
    }
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    found.dedup_by(|a, b| same_run(&a.estimate, &b.estimate));
    if found.is_empty() {
        // The plain defaults say best what is in the way.
        job::checked_estimate(&args.params, shape, points)?;
        return Err(Failure::malformed(format_args!(
            "none of {tried} schedules has {} bits over all error terms together and fits in {}; \
             lower --security-floor, or raise --security or --mem-limit",
            args.security_floor,
            MemSize(limit)
        )));
    }
    let feasible = found.len();
    found.truncate(SHOWN);
    Ok(Report {
        text: text(args, shape, &found, tried, feasible),
        json: report_json(args, shape, &found, tried, feasible),
    })
}

struct Candidate {
    args: ParamArgs,
    params: Params,
    estimate: Estimate,
    cost: f64,
}

/// Schedules that differ on paper may be the same run.
fn same_run(a: &Estimate, b: &Estimate) -> bool {
    let rounds = |estimate: &Estimate| {
        let rounds = estimate.rounds.iter();
        rounds
            .map(|r| (r.num_variables, r.fold, r.log_inv_rate, r.queries))
            .collect::<Vec<_>>()
    };
    rounds(a) == rounds(b)
}

fn text(
    args: &TuneArgs,
    shape: Shape,
    found: &[Candidate],
    tried: usize,
    feasible: usize,
) -> String {
    let best = &found[0];
    let head = fields(&[
        ("table", show::shape_line(shape)),
        ("objective", format!("{:?}", args.objective).to_lowercase()),
        (
            "security",
            show::security_line(&best.params, &best.estimate.security),
        ),
        (
            "searched",
            format!("{tried} schedules, {feasible} different ones meet the target"),
        ),
    ]);
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|candidate| {
            let estimate = &candidate.estimate;
            let folds: Vec<usize> = estimate.rounds.iter().map(|round| round.fold).collect();
            let rates: Vec<usize> = estimate
                .rounds
                .iter()
                .map(|round| round.log_inv_rate)
                .collect();
            vec![
                comma_list(&folds),
                comma_list(&rates),
                format!("{:.3}", candidate.cost / best.cost),
                thousands(estimate.file_bytes_expected),
                thousands(estimate.permutations),
                thousands(estimate.grinding as u64),
                format!("{:.1}", estimate.security.union_bits),
                MemSize(estimate.peak_bytes).to_string(),
            ]
        })
        .collect();
    let headers = [
        "folds",
        "rates",
        "cost",
        "bytes",
        "tree hashes",
        "grinding",
        "bits",
        "memory",
    ];
    let commands: Vec<String> = found
        .iter()
        .map(|candidate| format!("  {}", command(args, candidate, shape)))
        .collect();
    format!(
        "{head}\n\n{}\n\nuse one of\n{}",
        table(&headers, &rows),
        commands.join("\n")
    )
}

/// The command that proves with a candidate's parameters.
fn command(args: &TuneArgs, candidate: &Candidate, shape: Shape) -> String {
    let columns = if shape.columns == 1 {
        String::new()
    } else {
        format!(" --columns {}", shape.columns)
    };
    let points = args.shape.points();
    let points = if points == 1 {
        String::new()
    } else {
        format!(" --points {points}")
    };
    format!(
        "prova whir prove INPUT --vars {}{columns}{points} {}",
        shape.num_variables,
        candidate.args.command_line()
    )
}

fn report_json(
    args: &TuneArgs,
    shape: Shape,
    found: &[Candidate],
    tried: usize,
    feasible: usize,
) -> Value {
    let list: Vec<Value> = found
        .iter()
        .map(|candidate| {
            json!({
                "cost": candidate.cost,
                "params": show::params_json(&candidate.params),
                "union_bits": candidate.estimate.security.union_bits,
                "file_bytes_expected": candidate.estimate.file_bytes_expected,
                "tree_hashes": candidate.estimate.permutations,
                "grinding_hashes": candidate.estimate.grinding,
                "peak_bytes": candidate.estimate.peak_bytes,
                "command": command(args, candidate, shape),
            })
        })
        .collect();
    json!({
        "schema": "prova.whir.tune/1",
        "objective": format!("{:?}", args.objective).to_lowercase(),
        "shape": show::shape_json(shape),
        "points": args.shape.points(),
        "tried": tried,
        "feasible": feasible,
        "candidates": list,
    })
}
