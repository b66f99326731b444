//! `prova hash prove`.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use prova_hash_batch::file::FORMAT_VERSION;
use prova_hash_batch::verify::Shape;
use prova_hash_batch::{Digest, Parameters, Statement, Summary, verify as verify_proof};
use prova_hash_batch_prover::arm::Arm;
use prova_hash_batch_prover::batch::Batch;
use prova_hash_batch_prover::observer::{Observer, Stage};
use prova_hash_batch_prover::prove::{Options, ProveError, prove};
use prova_proof_file::{ProofFile, System};
use serde_json::json;

use crate::error::Failure;
use crate::outfile::OutFile;
use crate::output::{Output, Report};
use crate::progress::Watch;
use crate::resources::Resources;
use crate::signals;
use crate::text::{duration, fields, table, thousands, unhex};

use super::show;

/// What is proved about a file's blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// The list of their digests.
    #[default]
    Digests,
    /// The root of the Merkle tree over their digests, padded with zero blocks.
    Merkle,
}

/// Arguments of `prova hash prove`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG_HELP)]
pub struct ProveArgs {
    /// File whose 64-byte blocks are hashed; the last is padded with zeros.
    #[arg(required_unless_present = "chain", conflicts_with = "chain")]
    input: Option<PathBuf>,
    /// What is proved about the blocks.
    #[arg(long, value_enum, default_value_t)]
    statement: What,
    /// Prove a chain of hashes from these 32 bytes instead.
    #[arg(long, value_name = "HEX", value_parser = digest, requires = "steps")]
    chain: Option<Digest>,
    /// Hashes of the chain.
    #[arg(long, value_name = "N", requires = "chain")]
    steps: Option<u64>,
    /// Logarithm of the inverse rate of the code: higher for smaller proofs and more work.
    #[arg(long, value_name = "1-4", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4))]
    log_inv_rate: u32,
    /// Proof file to write [default: INPUT.prova, or chain.prova].
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Overwrite the proof file if there is one.
    #[arg(long, help_heading = "Output")]
    force: bool,
    /// Print where the time went.
    #[arg(long, help_heading = "Output")]
    profile: bool,
    /// Write the proof without verifying it first.
    #[arg(long, help_heading = "Output")]
    no_self_check: bool,
    #[command(flatten)]
    resources: Resources,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova hash prove README.md
  prova hash prove README.md --statement merkle --profile
  prova hash prove data.bin --mem-limit 2GiB --out data.proof
  prova hash prove --chain 0000000000000000000000000000000000000000000000000000000000000000 --steps 1000";

const LONG_HELP: &str = "\
EXAMPLES
  prova hash prove README.md
  prova hash prove README.md --statement merkle --profile
  prova hash prove data.bin --mem-limit 2GiB --out data.proof
  prova hash prove --chain 0000000000000000000000000000000000000000000000000000000000000000 --steps 1000

WHAT IS PROVED
  digests  somebody knows blocks of 64 bytes with these BLAKE2s-256 digests, in this order
  merkle   somebody knows blocks whose digests are the leaves of the tree with this root
  chain    hashing 32 bytes so many times, each digest the next message, leads from start to end
  The number of blocks is part of the statement, the length of the file is not. The proof is
  succinct and not zero-knowledge: it reveals information about the blocks.";

fn digest(text: &str) -> Result<Digest, String> {
    unhex(text).ok_or_else(|| "expected 64 hexadecimal digits".to_string())
}

/// The prover's window on the terminal, and a clock of its stages.
struct Clock<'a> {
    watch: &'a Watch,
    laps: Mutex<Vec<(Stage, Instant)>>,
}

impl Observer for Clock<'_> {
    fn enter(&self, stage: Stage) {
        let mut laps = self
            .laps
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        laps.push((stage, Instant::now()));
        self.watch.show(
            laps.len() as u64,
            Stage::ALL.len() as u64,
            show::stage(stage),
        );
    }

    fn cancelled(&self) -> bool {
        signals::cancelled()
    }
}

/// Time by stage.
pub type StageTimes = Vec<(Stage, Duration)>;

/// A proof and where its time went.
pub struct Timed {
    /// The proof.
    pub proof: Vec<u8>,
    /// Stages in order.
    pub stages: StageTimes,
}

/// Proves and takes the time of every stage.
///
/// # Errors
/// A signal, or compressions that do not make the statement true.
pub fn timed(
    batch: &Batch,
    parameters: &Parameters,
    options: &Options,
    output: Output,
) -> Result<Timed, Failure> {
    let watch = Watch::new(output);
    let clock = Clock {
        watch: &watch,
        laps: Mutex::new(Vec::new()),
    };
    let proof = prove(batch, parameters, options, &clock).map_err(failed)?;
    let end = Instant::now();
    let laps = clock
        .laps
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let ends = laps.iter().skip(1).map(|lap| lap.1).chain([end]);
    let stages = laps
        .iter()
        .zip(ends)
        .map(|((stage, start), end)| (*stage, end - *start))
        .collect();
    Ok(Timed { proof, stages })
}

/// The fastest options with an arm that fit the limit, and their name.
///
/// # Errors
/// Exit code 3.
pub fn fitting(
    statement: &Statement,
    parameters: &Parameters,
    limit: Option<u64>,
    arm: Arm,
) -> Result<(Options, &'static str), Failure> {
    let shape = Shape::new(statement, parameters).map_err(Failure::malformed)?;
    let options = Options::within(limit.unwrap_or(u64::MAX), &shape, arm).map_err(failed)?;
    let need = |options: &Options| options.peak_bytes(&shape);
    let name = if need(&options) == need(&Options::fast(arm)) {
        "fast"
    } else if need(&options) == need(&Options::lean(arm)) {
        "lean"
    } else {
        "balanced"
    };
    Ok((options, name))
}

fn failed(error: ProveError) -> Failure {
    match error {
        ProveError::Cancelled(_) => Failure::cancelled(),
        ProveError::Memory { need, limit } => Failure::memory(need, limit),
        other => Failure::malformed(other),
    }
}

/// Proves and writes the proof file.
///
/// # Errors
/// Bad arguments or input, too little memory, a signal, a failed self-check.
pub fn run(args: &ProveArgs, output: Output) -> Result<Report, Failure> {
    let start = Instant::now();
    let path = out_path(args)?;
    let out = OutFile::create(&path, args.force)?;
    let parameters = Parameters {
        log_inv_rate: args.log_inv_rate,
        ..Parameters::default()
    };
    let limit = args.resources.limit();
    let (batch, plan, timed, summary) = args.resources.threads.install(|| {
        let batch = batch(args, limit)?;
        let (options, plan) = fitting(&batch.statement, &parameters, limit, Arm::best())?;
        let timed = timed(&batch, &parameters, &options, output)?;
        let summary =
            if args.no_self_check {
                None
            } else {
                let check = verify_proof(&batch.statement, &parameters, &timed.proof);
                Some(check.map_err(|error| {
                    Failure::rejected(format_args!("self-check failed: {error}"))
                })?)
            };
        Ok::<_, Failure>((batch, plan, timed, summary))
    })??;
    if signals::cancelled() {
        return Err(Failure::cancelled());
    }
    let file = ProofFile {
        system: System::HashBatch,
        version: FORMAT_VERSION,
        params: &parameters.to_bytes(),
        statement: &batch.statement.to_bytes(),
        body: &timed.proof,
    };
    let bytes = file.to_bytes().map_err(Failure::malformed)?;
    out.finish(&bytes)?;
    Ok(report(
        args,
        &path,
        bytes.len(),
        &batch,
        plan,
        &timed,
        summary.as_ref(),
        start.elapsed(),
    ))
}

fn out_path(args: &ProveArgs) -> Result<PathBuf, Failure> {
    let path = match (&args.out, &args.input) {
        (Some(path), _) => path.clone(),
        (None, Some(input)) => {
            let mut name = input.as_os_str().to_os_string();
            name.push(".prova");
            PathBuf::from(name)
        }
        (None, None) => PathBuf::from("chain.prova"),
    };
    let same = |input: &PathBuf| {
        input
            .canonicalize()
            .is_ok_and(|input| path.canonicalize().is_ok_and(|path| path == input))
    };
    if args.input.as_ref().is_some_and(same) {
        return Err(Failure::malformed(
            "--out names the input file, expected another",
        ));
    }
    Ok(path)
}

/// The compressions and what they prove.
fn batch(args: &ProveArgs, limit: Option<u64>) -> Result<Batch, Failure> {
    if let (Some(start), Some(steps)) = (args.chain, args.steps) {
        return Batch::chain(start, steps)
            .map_err(|error| Failure::malformed(format_args!("--steps: {error}")));
    }
    let Some(path) = &args.input else {
        return Err(Failure::malformed("expected an input file or --chain"));
    };
    let wrong = |what: &dyn std::fmt::Display| {
        Failure::malformed(format_args!("{}: {what}", path.display()))
    };
    let metadata = std::fs::metadata(path).map_err(|error| Failure::io("read", path, &error))?;
    if metadata.is_dir() {
        return Err(wrong(&"is a folder, expected a file"));
    }
    if let Some(limit) = limit.filter(|limit| metadata.len() > *limit) {
        return Err(Failure::memory(metadata.len(), limit));
    }
    let mut bytes = std::fs::read(path).map_err(|error| Failure::io("read", path, &error))?;
    let blocks = bytes.len().div_ceil(64);
    let blocks = match args.statement {
        What::Digests => blocks,
        What::Merkle => blocks.next_power_of_two().max(4),
    };
    bytes.resize(64 * blocks, 0);
    let messages = bytes.as_chunks::<64>().0;
    match args.statement {
        What::Digests => Batch::digests(messages),
        What::Merkle => Batch::merkle_tree(messages),
    }
    .map_err(|error| wrong(&error))
}

fn report(
    args: &ProveArgs,
    path: &Path,
    file_bytes: usize,
    batch: &Batch,
    plan: &str,
    timed: &Timed,
    summary: Option<&Summary>,
    time: Duration,
) -> Report {
    let compressions = 1_u64 << batch.statement.log_instances();
    let proving: Duration = timed.stages.iter().map(|(_, time)| *time).sum();
    let rate = compressions as f64 / proving.as_secs_f64();
    let checked = if summary.is_some() {
        "checked"
    } else {
        "not checked"
    };
    let mut lines = show::statement_fields(&batch.statement);
    lines.extend([
        (
            "batch",
            format!(
                "2^{} compressions, plan {plan}",
                batch.statement.log_instances()
            ),
        ),
        (
            "proof",
            format!(
                "{}, {} bytes, {checked}",
                path.display(),
                thousands(file_bytes as u64)
            ),
        ),
        (
            "time",
            format!(
                "{}, of it proving {}: {} compressions a second",
                duration(time),
                duration(proving),
                thousands(rate as u64)
            ),
        ),
    ]);
    if let Some(summary) = summary {
        lines.insert(
            lines.len() - 2,
            ("security", show::security_line(&summary.schedule)),
        );
    }
    let mut text = fields(&lines);
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    if args.profile {
        let rows: Vec<Vec<String>> = timed
            .stages
            .iter()
            .map(|(stage, time)| {
                vec![
                    show::stage(*stage).to_string(),
                    format!("{:.3}", ms(*time)),
                    format!("{:.1}", 100.0 * time.as_secs_f64() / proving.as_secs_f64()),
                ]
            })
            .collect();
        text.push_str("\n\n");
        text.push_str(&table(&["stage", "ms", "%"], &rows));
    }
    let stages: serde_json::Map<String, serde_json::Value> = timed
        .stages
        .iter()
        .map(|(stage, time)| (show::stage(*stage).to_string(), ms(*time).into()))
        .collect();
    let json = json!({
        "schema": "prova.hash.prove/1",
        "file": path.display().to_string(),
        "file_bytes": file_bytes,
        "body_bytes": timed.proof.len(),
        "self_checked": summary.is_some(),
        "statement": show::statement_json(&batch.statement),
        "log_compressions": batch.statement.log_instances(),
        "log_inv_rate": args.log_inv_rate,
        "security": summary.map(|summary| show::security_json(&summary.schedule)),
        "plan": plan,
        "time_ms": ms(time),
        "prove_ms": ms(proving),
        "compressions_per_second": rate,
        "stages_ms": stages,
    });
    Report { text, json }
}
