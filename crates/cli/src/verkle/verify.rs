//! `prova verkle verify`, and what `prova verify` and `prova inspect` do with Verkle proofs.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use prova_proof_file::{MAGIC, ProofFile};
use prova_verkle::file::{FileVerifyError, Record, Statement, records};
use prova_verkle::{Setup, multiproof};
use serde_json::json;

use crate::error::Failure;
use crate::output::Report;
use crate::resources::Threads;
use crate::text::{duration, fields};
use crate::verify;

use super::show;

/// Arguments of `prova verkle verify`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG_HELP)]
pub struct VerifyArgs {
    /// Proof file, or the bare 576 bytes of a proof.
    file: PathBuf,
    /// Openings that must be proved: records of 65 bytes (commitment, point, value).
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Transcript label that must have been used [default for bare proofs: verkle].
    #[arg(long, value_parser = super::prove::label)]
    label: Option<String>,
    #[command(flatten)]
    threads: Threads,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova verkle verify README.md.prova
  prova verkle verify README.md.prova --queries expected.bin --label verkle
  prova verkle verify proof.bin --queries queries.bin --label vt";

const LONG_HELP: &str = "\
EXAMPLES
  prova verkle verify README.md.prova
  prova verkle verify README.md.prova --queries expected.bin --label verkle
  prova verkle verify proof.bin --queries queries.bin --label vt

WHAT IS CHECKED
  A proof file holds its openings; whoever relies on it says with --queries and --label which they
  expect, and a valid proof of others is rejected (exit code 1). A bare proof says nothing by
  itself, so --queries is needed. Order counts.

EXIT CODES
  0  the proof is valid and as expected
  1  the proof was read and rejected, or is not as expected
  2  the file or the openings are malformed";

/// Verifies.
///
/// # Errors
/// Exit code 1 for a proof that is not valid or not as expected, 2 for malformed input.
pub fn run(args: &VerifyArgs) -> Result<Report, Failure> {
    let bytes = verify::read(&args.file)?;
    let queries = args.queries.as_deref().map(read_queries).transpose()?;
    if bytes.starts_with(&MAGIC) {
        let file = verify::parse(&args.file, &bytes)?;
        let statement = Statement::read(&file).map_err(|error| failure(&args.file, &error))?;
        check_expected(args, &statement, queries.as_deref())?;
        return verified(&args.file, &statement, file.body, args.threads);
    }
    if bytes.len() != multiproof::PROOF_LEN {
        return Err(Failure::malformed(format_args!(
            "{}: neither a proof file nor a bare proof of {} bytes: got {} bytes",
            args.file.display(),
            multiproof::PROOF_LEN,
            bytes.len()
        )));
    }
    let records = queries.ok_or_else(|| {
        Failure::malformed(format_args!(
            "{} is a bare proof: expected its openings, see --queries",
            args.file.display()
        ))
    })?;
    let label = args.label.as_deref().unwrap_or("verkle");
    let statement = Statement {
        label: label.as_bytes().to_vec(),
        records,
    };
    verified(&args.file, &statement, &bytes, args.threads)
}

/// Verifies a Verkle proof file against its own statement.
///
/// # Errors
/// As [`run`].
pub fn file(path: &Path, file: &ProofFile<'_>) -> Result<Report, Failure> {
    let statement = Statement::read(file).map_err(|error| failure(path, &error))?;
    verified(path, &statement, file.body, Threads::default())
}

/// The failure of a verification.
pub fn failure(path: &Path, error: &FileVerifyError) -> Failure {
    let message = format!("{}: {error}", path.display());
    if error.is_rejection() {
        Failure::rejected(message)
    } else {
        Failure::malformed(message)
    }
}

fn read_queries(path: &Path) -> Result<Vec<Record>, Failure> {
    let bytes = verify::read(path)?;
    records(&bytes).map_err(|error| Failure::malformed(format_args!("{}: {error}", path.display())))
}

fn check_expected(
    args: &VerifyArgs,
    statement: &Statement,
    queries: Option<&[Record]>,
) -> Result<(), Failure> {
    let refused = |what: String| {
        Err(Failure::rejected(format_args!(
            "{}: not as expected: {what}",
            args.file.display()
        )))
    };
    if let Some(label) = &args.label
        && label.as_bytes() != statement.label
    {
        let got = show::label(&statement.label);
        return refused(format!("label: expected {label}, got {got}"));
    }
    let Some(queries) = queries else {
        return Ok(());
    };
    if queries.len() != statement.records.len() {
        return refused(format!(
            "expected {} openings, got {}",
            queries.len(),
            statement.records.len()
        ));
    }
    let mut pairs = queries.iter().zip(&statement.records);
    match pairs.position(|(expected, got)| expected != got) {
        Some(opening) => refused(format!("opening {opening} differs")),
        None => Ok(()),
    }
}

fn verified(
    path: &Path,
    statement: &Statement,
    proof: &[u8],
    threads: Threads,
) -> Result<Report, Failure> {
    let start = Instant::now();
    threads
        .install(|| statement.verify(&Setup::ethereum(), proof))?
        .map_err(|error| failure(path, &error))?;
    Ok(report(path, statement, start.elapsed()))
}

fn report(path: &Path, statement: &Statement, time: Duration) -> Report {
    let text = fields(&[
        ("valid", path.display().to_string()),
        ("openings", show::openings_line(statement)),
        ("label", show::label(&statement.label)),
        ("values", show::records_text(statement)),
        ("security", show::SECURITY.to_string()),
        ("time", duration(time)),
    ]);
    let json = json!({
        "schema": "prova.verify/1",
        "valid": true,
        "file": path.display().to_string(),
        "system": "verkle",
        "statement": show::statement_json(statement),
        "security": show::security_json(),
        "time_ms": time.as_secs_f64() * 1e3,
    });
    Report { text, json }
}
