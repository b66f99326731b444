//! `prova verkle tree`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use prova_verkle::tree::{Observer, Tree};
use prova_verkle::witness::{ExecutionWitness, Key};
use prova_verkle::{Commitment, Setup};
use serde_json::json;

use crate::error::Failure;
use crate::outfile::OutFile;
use crate::output::{Output, Report};
use crate::progress::Watch;
use crate::resources::Resources;
use crate::signals;
use crate::text::{count, duration, fields, hex, thousands, unhex};

use super::entries::{self, Entry, Format};

/// Arguments of `prova verkle tree`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG_HELP)]
pub struct TreeArgs {
    /// File with keys and values.
    input: PathBuf,
    /// How the file is read [default: json for *.json, else csv].
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write an execution witness that proves keys, as JSON.
    #[arg(long, value_name = "FILE")]
    witness: Option<PathBuf>,
    /// A key to prove, present or absent; may be repeated [default: every key of the tree].
    #[arg(long = "key", value_name = "HEX", requires = "witness", value_parser = key)]
    keys: Vec<Key>,
    /// File with keys to prove, one a line.
    #[arg(
        long,
        value_name = "FILE",
        requires = "witness",
        conflicts_with = "keys"
    )]
    keys_from: Option<PathBuf>,
    /// Prove these keys only, even if the witness is then ambiguous (see --help).
    #[arg(long, requires = "witness")]
    bare: bool,
    /// Overwrite the witness file if there is one.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    resources: Resources,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova verkle tree state.csv
  prova verkle tree state.csv --witness witness.json
  prova verkle tree state.json --witness witness.json --key 0x2422…1e00 --key 0x2422…1e01";

const LONG_HELP: &str = "\
EXAMPLES
  prova verkle tree state.csv
  prova verkle tree state.csv --witness witness.json
  prova verkle tree state.json --witness witness.json --key 0x2422…1e00 --key 0x2422…1e01

INPUT
  CSV: one key and one value a line, KEY,VALUE, 32 bytes of hexadecimal digits each, with or
  without 0x; a first line key,value, empty lines and lines that begin with # are skipped.
  JSON: an object from keys to values.
  A key is a stem of 31 bytes and a suffix. A key that comes twice is an error.

WITNESS
  `prova verkle witness verify FILE --root ROOT` checks it. Its format is that of block files;
  newValue is null throughout. Where the format would leave open that a node on the path of a key
  is an inner node, another key below that node is proved, too; --bare leaves that out.";

fn key(text: &str) -> Result<Key, String> {
    unhex(text).ok_or_else(|| "expected 64 hexadecimal digits".to_string())
}

impl Observer for Watch {
    fn progress(&self, done: u64, total: u64) {
        self.show(done, total, "commitments");
    }

    fn cancelled(&self) -> bool {
        signals::cancelled()
    }
}

/// What was built.
struct Built {
    keys: usize,
    root: Commitment,
    witness: Option<(ExecutionWitness, usize)>,
    building: Duration,
    proving: Duration,
}

/// Builds the tree.
///
/// # Errors
/// A file that cannot be read or has another format, a key that comes twice, too little memory, a
/// signal.
pub fn run(args: &TreeArgs, output: Output) -> Result<Report, Failure> {
    let length = entries::look(&args.input)?;
    // Nodes and their commitments: a key of its own stem takes the most.
    const PER_BYTE: u64 = 16;
    let need = length.saturating_mul(PER_BYTE).saturating_add(80 << 20);
    if let Some(limit) = args.resources.limit().filter(|limit| need > *limit) {
        return Err(Failure::memory(need, limit));
    }
    let keys = match &args.keys_from {
        Some(path) => entries::read_keys(path)?,
        None => args.keys.clone(),
    };
    let out = args
        .witness
        .as_deref()
        .map(|path| OutFile::create(path, args.force))
        .transpose()?;
    let entries = entries::read(&args.input, args.format)?;
    let built = args
        .resources
        .threads
        .install(|| build(args, entries, keys, output))??;
    if let (Some(out), Some((witness, _))) = (out, &built.witness) {
        let mut text = witness.to_json();
        text.push('\n');
        out.finish(text.as_bytes())?;
    }
    Ok(report(args, &built))
}

fn build(
    args: &TreeArgs,
    entries: Vec<Entry>,
    keys: Vec<Key>,
    output: Output,
) -> Result<Built, Failure> {
    let start = Instant::now();
    let setup = Setup::ethereum();
    setup.prepare();
    let mut tree = Tree::new(&setup);
    for entry in entries {
        if tree.insert(&entry.key, entry.value).is_some() {
            return Err(Failure::malformed(format_args!(
                "{}: {}: key {} comes twice",
                args.input.display(),
                entry.place,
                hex(&entry.key)
            )));
        }
    }
    let root = {
        let watch = Watch::new(output);
        tree.commit(&watch).map_err(|_| Failure::cancelled())?
    };
    let building = start.elapsed();
    let start = Instant::now();
    let witness = match &args.witness {
        None => None,
        Some(_) => {
            let mut keys = if keys.is_empty() {
                tree.iter().map(|(key, _)| key).collect()
            } else {
                keys
            };
            if !args.bare {
                keys.extend(tree.settle(&keys));
            }
            let proved = tree
                .prove(&keys)
                .map_err(|error| Failure::malformed(format_args!("nothing to prove: {error}")))?;
            Some((proved, keys.len()))
        }
    };
    if signals::cancelled() {
        return Err(Failure::cancelled());
    }
    Ok(Built {
        keys: tree.len(),
        root,
        witness,
        building,
        proving: start.elapsed(),
    })
}

fn report(args: &TreeArgs, built: &Built) -> Report {
    let root = hex(built.root.as_bytes());
    let mut lines = vec![
        ("root", root.clone()),
        (
            "tree",
            format!(
                "{}, {}",
                args.input.display(),
                count(built.keys, "key", "keys")
            ),
        ),
    ];
    let mut witness_json = serde_json::Value::Null;
    if let (Some(path), Some((witness, keys))) = (&args.witness, &built.witness) {
        let commitments = witness.verkle_proof.commitments_by_path.len();
        lines.push((
            "witness",
            format!(
                "{}: {}, {} and the root's",
                path.display(),
                count(*keys, "key", "keys"),
                count(commitments, "commitment", "commitments")
            ),
        ));
        witness_json = json!({
            "file": path.display().to_string(),
            "keys": keys,
            "commitments": commitments,
        });
    }
    let rate = built.keys as f64 / built.building.as_secs_f64().max(1e-9);
    lines.push((
        "time",
        format!(
            "{} ({} keys a second), witness {}",
            duration(built.building),
            thousands(rate as u64),
            duration(built.proving)
        ),
    ));
    let json = json!({
        "schema": "prova.verkle.tree/1",
        "file": args.input.display().to_string(),
        "root": root,
        "keys": built.keys,
        "witness": witness_json,
        "build_ms": built.building.as_secs_f64() * 1e3,
        "witness_ms": built.proving.as_secs_f64() * 1e3,
    });
    Report {
        text: fields(&lines),
        json,
    }
}
