//! `prova riscv compare`.

use std::path::{Path, PathBuf};

use clap::Args;
use prova_riscv_profile::{Change, Comparison, Profile, compare};
use serde_json::json;

use crate::error::Failure;
use crate::infile;
use crate::output::Report;
use crate::text::{table, thousands};

/// Longest profile that is read.
const MAX_PROFILE: u64 = 256 << 20;

/// Arguments of `prova riscv compare`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CompareArgs {
    /// Profile that `prova riscv profile --out` wrote.
    before: PathBuf,
    /// Another one.
    after: PathBuf,
    /// Fail with exit code 1 if the cycles grew by more than this many per cent, or if the
    /// committed output differs.
    #[arg(long, value_name = "PERCENT")]
    max_growth: Option<f64>,
    /// Rows to show of each table.
    #[arg(long, value_name = "N", default_value_t = 25)]
    top: usize,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova riscv compare before.json after.json
  prova riscv compare before.json after.json --max-growth 2   for scripts: exit code 1 if slower";

/// Shows what changed between two profiles.
///
/// # Errors
/// Files that are no profiles; with `--max-growth`, cycles that grew more or another output.
pub fn run(args: &CompareArgs) -> Result<Report, Failure> {
    if let Some(limit) = args.max_growth
        && !(limit.is_finite() && limit >= 0.0)
    {
        return Err(Failure::malformed(format_args!(
            "--max-growth is {limit}, expected a percentage of at least 0"
        )));
    }
    let (before, after) = (load(&args.before)?, load(&args.after)?);
    let comparison = compare(&before, &after);
    let json = json!({
        "schema": "prova.riscv.compare/1",
        "growth_percent": comparison.cycles.growth(),
        "comparison": comparison,
    });
    if let Some(limit) = args.max_growth {
        check(&comparison, limit)
            .map_err(|failure| failure.with_detail("comparison", json.clone()))?;
    }
    Ok(Report {
        text: render(&comparison, args.top),
        json,
    })
}

fn check(comparison: &Comparison, limit: f64) -> Result<(), Failure> {
    if !comparison.same_output {
        return Err(Failure::rejected("the committed outputs differ"));
    }
    let cycles = &comparison.cycles;
    if cycles.growth().is_none_or(|growth| growth > limit) {
        return Err(Failure::rejected(format_args!(
            "cycles grew from {} to {} ({}), at most {limit} % allowed",
            thousands(cycles.before),
            thousands(cycles.after),
            percent(cycles)
        )));
    }
    Ok(())
}

fn load(path: &Path) -> Result<Profile, Failure> {
    let bytes = infile::read(path, MAX_PROFILE, "a profile")?;
    let refuse = |error: &dyn std::fmt::Display| {
        Failure::malformed(format_args!(
            "{}: expected a profile of `prova riscv profile --out`: {error}",
            path.display()
        ))
    };
    let profile: Profile = serde_json::from_slice(&bytes).map_err(|error| refuse(&error))?;
    profile.check().map_err(|error| refuse(&error))?;
    Ok(profile)
}

fn render(comparison: &Comparison, top: usize) -> String {
    let mut text = rows("", std::slice::from_ref(&comparison.cycles), 1);
    text.push_str(if comparison.same_output {
        "\nthe committed outputs are the same"
    } else {
        "\nthe committed outputs DIFFER"
    });
    if !comparison.same_exit {
        text.push_str("\nthe runs ended DIFFERENTLY");
    }
    for (title, changes) in [
        ("steps", &comparison.steps),
        ("functions", &comparison.functions),
        ("calls", &comparison.calls),
    ] {
        if !changes.is_empty() {
            text.push_str("\n\n");
            text.push_str(&rows(title, changes, top));
        }
    }
    text
}

fn rows(title: &str, changes: &[Change], top: usize) -> String {
    let row = |change: &Change| {
        let sign = if change.after < change.before {
            "-"
        } else {
            "+"
        };
        vec![
            change.name.clone(),
            thousands(change.before),
            thousands(change.after),
            format!("{sign}{}", thousands(change.distance())),
            percent(change),
        ]
    };
    let shown: Vec<Vec<String>> = changes.iter().take(top).map(row).collect();
    let mut text = table(&[title, "before", "after", "change", "%"], &shown);
    if changes.len() > top {
        text.push_str(&format!("\n… and {} more", changes.len() - top));
    }
    text
}

fn percent(change: &Change) -> String {
    match change.growth() {
        Some(growth) => format!("{growth:+.1} %"),
        None => "new".into(),
    }
}
