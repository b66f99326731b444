//! `prova verkle witness`.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, Subcommand};
use prova_verkle::Setup;
use prova_verkle::witness::{ExecutionWitness, WitnessError, verify_prestate};
use serde_json::json;

use crate::error::Failure;
use crate::output::{Output, Report};
use crate::resources::Threads;
use crate::text::{count, duration, fields, hex, unhex};
use crate::verify;

use super::show;

/// Execution witnesses.
#[derive(Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum WitnessCommand {
    /// Verify a block's execution witness against the state root before the block.
    Verify(VerifyArgs),
}

const EXAMPLES: &str = "\
EXAMPLES
  prova verkle witness verify block.json --root 0x64e1…3510
  prova verkle witness verify witness.json --root 0x64e1…3510 --json";

/// Arguments of `prova verkle witness verify`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG_HELP)]
pub struct VerifyArgs {
    /// JSON file: a block with `executionWitness`, or the witness alone.
    file: PathBuf,
    /// Root of the state before the block, 32 bytes.
    #[arg(long, value_name = "HEX", value_parser = root)]
    root: [u8; 32],
    /// Reject a witness that leaves open whether some node is an inner node (see --help).
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    threads: Threads,
}

const LONG_HELP: &str = "\
EXAMPLES
  prova verkle witness verify block.json --root 0x64e1…3510
  prova verkle witness verify witness.json --root 0x64e1…3510 --json

WHAT IS CHECKED
  That the tree with this root has every `currentValue` of the witness, and lacks every key whose
  `currentValue` is null. `newValue` is not looked at: it is what the block claims to do.

  The format lets whoever makes a witness pass a leaf node as an inner node and so hide a key,
  unless other openings of the proof rule it out. Stems for which none does are named; with
  --strict such a witness is rejected. Witnesses of `prova verkle tree` have none.

EXIT CODES
  0  the witness is valid for this root
  1  the witness was read and rejected
  2  the file is malformed";

fn root(text: &str) -> Result<[u8; 32], String> {
    unhex(text).ok_or_else(|| "expected 64 hexadecimal digits".to_string())
}

/// Runs a command about witnesses.
///
/// # Errors
/// Exit code 1 for a witness that is not valid, 2 for a file that cannot be read.
pub fn run(command: &WitnessCommand, output: Output) -> Result<Report, Failure> {
    let WitnessCommand::Verify(args) = command;
    let bytes = verify::read(&args.file)?;
    let failed = |error: WitnessError| {
        let message = format!("{}: {error}", args.file.display());
        if error.is_rejection() {
            Failure::rejected(message)
        } else {
            Failure::malformed(message)
        }
    };
    let start = Instant::now();
    let witness = ExecutionWitness::from_json(&bytes).map_err(failed)?;
    let summary = args
        .threads
        .install(|| verify_prestate(&Setup::ethereum(), &args.root, &witness))?
        .map_err(failed)?;
    let time = start.elapsed();

    let ambiguous: Vec<String> = summary.ambiguous.iter().map(|stem| hex(stem)).collect();
    if !ambiguous.is_empty() {
        let what = format!(
            "nothing shows that all nodes above {} are inner nodes, so that what is said of {} \
             holds only if the proof was made honestly: {}",
            count(ambiguous.len(), "stem", "stems"),
            if ambiguous.len() == 1 { "it" } else { "them" },
            ambiguous.join(" ")
        );
        if args.strict {
            return Err(Failure::rejected(format_args!(
                "{}: {what}",
                args.file.display()
            )));
        }
        output.note(&format!("warning: {what}"));
    }
    let text = fields(&[
        ("valid", args.file.display().to_string()),
        ("root", hex(&args.root)),
        ("stems", summary.stems.to_string()),
        (
            "keys",
            format!("{} present, {} absent", summary.present, summary.absent),
        ),
        (
            "proof",
            format!(
                "{} of {}",
                count(summary.openings, "opening", "openings"),
                count(summary.commitments, "commitment", "commitments")
            ),
        ),
        ("security", show::SECURITY.to_string()),
        ("time", duration(time)),
    ]);
    let json = json!({
        "schema": "prova.verkle.witness.verify/1",
        "valid": true,
        "file": args.file.display().to_string(),
        "root": hex(&args.root),
        "stems": summary.stems,
        "present": summary.present,
        "absent": summary.absent,
        "commitments": summary.commitments,
        "openings": summary.openings,
        "ambiguous_stems": ambiguous,
        "security": show::security_json(),
        "time_ms": time.as_secs_f64() * 1e3,
    });
    Ok(Report { text, json })
}
