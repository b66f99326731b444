//! `prova hash verify`, and what `prova verify` and `prova inspect` do with batch proofs.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use prova_hash_batch::file::{FileError, read};
use prova_hash_batch::{Digest, Kind, Statement, Summary, verify as verify_proof};
use prova_proof_file::{Exit, ProofFile};
use serde_json::json;

use crate::error::Failure;
use crate::output::Report;
use crate::text::{duration, fields, hex, thousands, unhex};
use crate::verify;

use super::show;

/// Arguments of `prova hash verify`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG_HELP)]
pub struct VerifyArgs {
    /// Proof file.
    file: PathBuf,
    /// The Merkle root that must be proved.
    #[arg(long, value_name = "HEX", value_parser = digest)]
    root: Option<Digest>,
    /// File of the digests that must be proved, 32 bytes each.
    #[arg(long, value_name = "FILE")]
    digests: Option<PathBuf>,
    /// The start of the chain that must be proved.
    #[arg(long, value_name = "HEX", value_parser = digest)]
    start: Option<Digest>,
    /// The end of the chain that must be proved.
    #[arg(long, value_name = "HEX", value_parser = digest)]
    end: Option<Digest>,
    /// The number of leaves or steps that must be proved.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Print every error bound of the opening.
    #[arg(long)]
    bounds: bool,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova hash verify README.md.prova
  prova hash verify README.md.prova --root 5f0c…e1 --count 1024
  prova hash verify chain.prova --start 00…00 --end 91ab…07 --count 1000 --bounds";

const LONG_HELP: &str = "\
EXAMPLES
  prova hash verify README.md.prova
  prova hash verify README.md.prova --root 5f0c…e1 --count 1024
  prova hash verify chain.prova --start 00…00 --end 91ab…07 --count 1000 --bounds

WHAT IS CHECKED
  A proof is verified against the statement in its own file. Whoever relies on it says what they
  expect; a valid proof of something else is rejected (exit code 1).

EXIT CODES
  0  the proof is valid and as expected
  1  the proof was read and rejected, or is not as expected
  2  the file is malformed";

fn digest(text: &str) -> Result<Digest, String> {
    unhex(text).ok_or_else(|| "expected 64 hexadecimal digits".to_string())
}

/// Verifies.
///
/// # Errors
/// Exit code 1 for a proof that is not valid or not as expected, 2 for malformed input.
pub fn run(args: &VerifyArgs) -> Result<Report, Failure> {
    let bytes = verify::read(&args.file)?;
    let file = verify::parse(&args.file, &bytes)?;
    let (parameters, statement) = read(&file).map_err(|error| failure(&args.file, &error))?;
    check_expected(args, &statement)?;
    let (report, _) = checked(&args.file, &file, &parameters, &statement, args.bounds)?;
    Ok(report)
}

/// Verifies a proof file against its own statement, and says how many bits its weakest round has.
///
/// # Errors
/// As [`run`].
pub fn file(path: &Path, file: &ProofFile<'_>) -> Result<(Report, f64), Failure> {
    let (parameters, statement) = read(file).map_err(|error| failure(path, &error))?;
    checked(path, file, &parameters, &statement, false)
}

/// Lines about a proof file that is not verified.
///
/// # Errors
/// Damaged sections.
pub fn describe(path: &Path, file: &ProofFile<'_>) -> Result<(String, serde_json::Value), Failure> {
    let (parameters, statement) = read(file).map_err(|error| failure(path, &error))?;
    let mut lines = show::statement_fields(&statement);
    lines.push((
        "batch",
        format!(
            "2^{} compressions, log inverse rate {}",
            statement.log_instances(),
            parameters.log_inv_rate
        ),
    ));
    Ok((fields(&lines), show::statement_json(&statement)))
}

fn failure(path: &Path, error: &FileError) -> Failure {
    Failure::malformed(format_args!("{}: {error}", path.display()))
}

fn check_expected(args: &VerifyArgs, statement: &Statement) -> Result<(), Failure> {
    let refused = |what: String| {
        Err(Failure::rejected(format_args!(
            "{}: not as expected: {what}",
            args.file.display()
        )))
    };
    let compare =
        |name: &str, expected: &Option<Digest>, got: Option<&Digest>| match (expected, got) {
            (None, _) => Ok(()),
            (Some(expected), Some(got)) if expected == got => Ok(()),
            (Some(expected), Some(got)) => refused(format!(
                "{name}: expected {}, got {}",
                hex(expected),
                hex(got)
            )),
            (Some(_), None) => refused(format!("the statement has no {name}")),
        };
    let (root, start, end, count) = match statement.kind() {
        Kind::Digests(digests) => (None, None, None, digests.len() as u64),
        Kind::MerkleRoot { root, log_leaves } => (Some(root), None, None, 1 << log_leaves),
        Kind::Chain { start, end, steps } => (None, Some(start), Some(end), *steps),
    };
    compare("root", &args.root, root)?;
    compare("start", &args.start, start)?;
    compare("end", &args.end, end)?;
    if let Some(path) = &args.digests {
        let expected = verify::read(path)?;
        let Kind::Digests(digests) = statement.kind() else {
            return refused("the statement has no list of digests".to_string());
        };
        if expected.len() % 32 != 0 {
            return Err(Failure::malformed(format_args!(
                "{}: expected digests of 32 bytes, got {} bytes",
                path.display(),
                expected.len()
            )));
        }
        if expected != digests.as_flattened() {
            return refused("the digests differ".to_string());
        }
    }
    match args.count {
        Some(expected) if expected != count => {
            refused(format!("count: expected {expected}, got {count}"))
        }
        _ => Ok(()),
    }
}

fn checked(
    path: &Path,
    file: &ProofFile<'_>,
    parameters: &prova_hash_batch::Parameters,
    statement: &Statement,
    bounds: bool,
) -> Result<(Report, f64), Failure> {
    let start = Instant::now();
    let summary: Summary = verify_proof(statement, parameters, file.body).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        match error.exit() {
            Exit::Rejected => Failure::rejected(message),
            _ => Failure::malformed(message),
        }
    })?;
    let time = start.elapsed();
    let mut lines = vec![("valid", path.display().to_string())];
    lines.extend(show::statement_fields(statement));
    lines.extend([
        (
            "batch",
            format!(
                "2^{} compressions, log inverse rate {}",
                summary.log_instances, parameters.log_inv_rate
            ),
        ),
        ("security", show::security_line(&summary.schedule)),
        (
            "proof",
            format!("{} bytes", thousands(summary.proof_bytes as u64)),
        ),
        ("time", duration(time)),
    ]);
    let mut text = fields(&lines);
    if bounds {
        text.push_str("\n\n");
        text.push_str(summary.schedule.to_string().trim_end());
    }
    let json = json!({
        "schema": "prova.verify/1",
        "valid": true,
        "file": path.display().to_string(),
        "system": file.system.name(),
        "statement": show::statement_json(statement),
        "log_compressions": summary.log_instances,
        "log_inv_rate": parameters.log_inv_rate,
        "root": hex(&summary.root),
        "proof_bytes": summary.proof_bytes,
        "security": show::security_json(&summary.schedule),
        "time_ms": time.as_secs_f64() * 1e3,
    });
    Ok((Report { text, json }, summary.schedule.security_bits()))
}
