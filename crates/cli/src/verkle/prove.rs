//! `prova verkle prove`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use prova_proof_file::{MAX_STATEMENT_LEN, ProofFile, System};
use prova_verkle::file::{FORMAT_VERSION, RECORD_LEN, Record, Statement};
use prova_verkle::{Commitment, Opening, ScalarBytes, Setup, Transcript, multiproof};
use serde_json::json;

use crate::error::Failure;
use crate::outfile::OutFile;
use crate::output::Report;
use crate::resources::Resources;
use crate::signals;
use crate::text::{duration, fields, hex, thousands};

use super::input::{FORMATS, Input, InputArgs, Points};
use super::show;

/// Tables and the prover's own needs, in bytes.
const WORKING_SET: u64 = 80 << 20;

/// Arguments of `prova verkle prove`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
pub struct ProveArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Points at which every vector is opened, unless the input says what to open.
    #[arg(
        long,
        value_name = "0,7,200-255",
        default_value = "0",
        help_heading = "Openings"
    )]
    at: Points,
    /// What the transcript starts with; `vt` in blocks, `verkle` in existing bindings.
    #[arg(long, default_value = "verkle", value_parser = label, help_heading = "Openings")]
    label: String,
    /// Proof file to write [default: INPUT.prova].
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Write the bare 576 bytes of the proof, too.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    raw: Option<PathBuf>,
    /// Write the openings as records of 65 bytes, too: commitment, point, value.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    queries_out: Option<PathBuf>,
    /// Overwrite files that exist.
    #[arg(long, help_heading = "Output")]
    force: bool,
    /// Write the proof without verifying it first.
    #[arg(long, help_heading = "Output")]
    no_self_check: bool,
    #[command(flatten)]
    resources: Resources,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova verkle prove README.md
  prova verkle prove README.md --at 0,7,200-255 --out readme.prova
  prova verkle prove queries.bin --format queries --label vt --raw proof.bin
  prova verkle prove vectors.json --threads 1";

fn long_help() -> String {
    format!("{EXAMPLES}\n\n{FORMATS}")
}

/// A label that a proof file can hold.
pub fn label(text: &str) -> Result<String, String> {
    if text.len() > 255 {
        return Err(format!("expected at most 255 bytes, got {}", text.len()));
    }
    Ok(text.to_string())
}

/// Refuses an input that would not fit in memory.
///
/// # Errors
/// Exit code 3.
pub fn check_memory(resources: Resources, input: u64) -> Result<(), Failure> {
    // The file, its vectors, and what the prover needs.
    let need = input.saturating_mul(2).saturating_add(WORKING_SET);
    match resources.limit() {
        Some(limit) if need > limit => Err(Failure::memory(need, limit)),
        _ => Ok(()),
    }
}

/// A finished proof and how long its parts took.
struct Proved {
    statement: Statement,
    proof: [u8; multiproof::PROOF_LEN],
    committing: Duration,
    proving: Duration,
    checking: Duration,
}

/// Proves and writes the proof file.
///
/// # Errors
/// Bad arguments or input, too little memory, a signal, a failed self-check.
pub fn run(args: &ProveArgs) -> Result<Report, Failure> {
    let start = Instant::now();
    check_memory(args.resources, args.input.look()?)?;
    let path = args.out.clone().unwrap_or_else(|| {
        let mut name = args.input.input.as_os_str().to_os_string();
        name.push(".prova");
        PathBuf::from(name)
    });
    check_outputs(args, &path)?;
    let mut input = args.input.read()?;
    input.open_at(&args.at.0);
    let limit = usize::try_from(MAX_STATEMENT_LEN).unwrap_or(usize::MAX) / RECORD_LEN;
    if input.openings.len() > limit {
        return Err(Failure::malformed(format_args!(
            "{} openings, expected at most {limit} in a proof file",
            input.openings.len()
        )));
    }
    let proved = args.resources.threads.install(|| prove(args, &input))??;

    let file = ProofFile {
        system: System::Verkle,
        version: FORMAT_VERSION,
        params: &proved.statement.params(),
        statement: &proved.statement.to_bytes(),
        body: &proved.proof,
    };
    let bytes = file.to_bytes().map_err(Failure::malformed)?;
    let write = |path: &Path, bytes: &[u8]| OutFile::create(path, args.force)?.finish(bytes);
    if let Some(path) = &args.raw {
        write(path, &proved.proof)?;
    }
    if let Some(path) = &args.queries_out {
        write(path, file.statement)?;
    }
    write(&path, &bytes)?;
    Ok(report(
        args,
        &path,
        bytes.len() as u64,
        &proved,
        start.elapsed(),
    ))
}

/// Finds out early that an output is the input, another output, or there already.
fn check_outputs(args: &ProveArgs, out: &Path) -> Result<(), Failure> {
    let mut seen = vec![args.input.input.clone()];
    for path in [Some(out), args.raw.as_deref(), args.queries_out.as_deref()]
        .into_iter()
        .flatten()
    {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let same = |other: &PathBuf| {
            *other == path || other.canonicalize().is_ok_and(|other| other == real)
        };
        if seen.iter().any(same) {
            return Err(Failure::malformed(format_args!(
                "{} is the input or named twice, expected another file",
                path.display()
            )));
        }
        // Opened and dropped: an existing file or a missing folder is an error now.
        drop(OutFile::create(path, args.force)?);
        signals::release();
        seen.push(path.to_path_buf());
    }
    Ok(())
}

fn prove(args: &ProveArgs, input: &Input) -> Result<Proved, Failure> {
    let lap = |start: &mut Instant| {
        let elapsed = start.elapsed();
        *start = Instant::now();
        if signals::cancelled() {
            return Err(Failure::cancelled());
        }
        Ok(elapsed)
    };
    let mut start = Instant::now();
    let setup = Setup::ethereum();
    setup.prepare();
    let commitments: Vec<Commitment> = input.commit(&setup)?;
    let openings: Vec<Opening<'_>> = input
        .openings
        .iter()
        .map(|(vector, point)| Opening {
            commitment: &commitments[*vector],
            polynomial: input.vectors[*vector].polynomial(),
            point: *point,
        })
        .collect();
    let committing = lap(&mut start)?;

    let mut transcript = Transcript::new(args.label.as_bytes());
    let proof = multiproof::prove(&setup, &mut transcript, &openings)
        .map_err(Failure::malformed)?
        .to_bytes();
    let proving = lap(&mut start)?;

    let records = input
        .openings
        .iter()
        .map(|(vector, point)| Record {
            commitment: *commitments[*vector].as_bytes(),
            point: *point,
            value: ScalarBytes::from(input.vectors[*vector].value(*point)),
        })
        .collect();
    let statement = Statement {
        label: args.label.clone().into_bytes(),
        records,
    };
    if !args.no_self_check {
        statement
            .verify(&setup, &proof)
            .map_err(|error| Failure::rejected(format_args!("self-check failed: {error}")))?;
    }
    let checking = lap(&mut start)?;
    Ok(Proved {
        statement,
        proof,
        committing,
        proving,
        checking,
    })
}

fn report(args: &ProveArgs, path: &Path, bytes: u64, proved: &Proved, time: Duration) -> Report {
    let checked = if args.no_self_check {
        "not checked"
    } else {
        "checked"
    };
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let text = fields(&[
        ("openings", show::openings_line(&proved.statement)),
        ("label", args.label.clone()),
        ("values", show::records_text(&proved.statement)),
        ("security", show::SECURITY.to_string()),
        (
            "proof",
            format!("{}, {} bytes, {checked}", path.display(), thousands(bytes)),
        ),
        (
            "time",
            format!(
                "{} (set-up and commitments {}, proof {}, check {})",
                duration(time),
                duration(proved.committing),
                duration(proved.proving),
                duration(proved.checking)
            ),
        ),
    ]);
    let json = json!({
        "schema": "prova.verkle.prove/1",
        "file": path.display().to_string(),
        "file_bytes": bytes,
        "proof": hex(&proved.proof),
        "self_checked": !args.no_self_check,
        "statement": show::statement_json(&proved.statement),
        "security": show::security_json(),
        "time_ms": ms(time),
        "commit_ms": ms(proved.committing),
        "prove_ms": ms(proved.proving),
        "check_ms": ms(proved.checking),
    });
    Report { text, json }
}
