//! `prova bench riscv`: cycles of the verifying guests, from stock code to the last
//! specialisation. Cycles are counted, not timed, and are the same on every machine.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use prova_proof_file::ProofFile;
use prova_riscv::{Exit, Input, Machine, NoObserver, Options, Program};
use prova_riscv_profile::{Image, Profiler, RunFacts};
use prova_whir::verify::read_file;
use prova_whir_view::{Portable, VerifyingKey};
use serde::Serialize;

use super::header::{cores, cpu_model, date};
use crate::error::Failure;
use crate::infile;
use crate::outfile::OutFile;
use crate::output::{Output, Report};
use crate::progress::Watch;
use crate::signals;
use crate::text::{hex, table, thousands};

/// Longest file that is read.
const MAX_FILE: u64 = 64 << 20;

/// Arguments of `prova bench riscv`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct RiscvArgs {
    /// Checkout whose guests and proofs are measured.
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Only rows whose guest or proof contains this.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Folder for a JSON and a Markdown file of the results; older ones are replaced.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova bench riscv
  prova bench riscv --only fri --json
  prova bench riscv --out bench/results";

/// Guests that verify one proof, by falling cost: name of the ELF, kind of its input, what it is.
const FRI: [(&str, Kind, &str); 7] = [
    (
        "fri-stock",
        Kind::Stock,
        "p3-uni-stark, owned proof, software hash",
    ),
    ("fri-stock-call", Kind::Stock, "the same, permutation call"),
    (
        "fri-generic",
        Kind::Tape,
        "in place, hash as a byte stream, software",
    ),
    ("fri", Kind::Tape, "in place, fixed shapes, software"),
    (
        "fri-call",
        Kind::Tape,
        "in place, fixed shapes, permutation call",
    ),
    ("fri-rkyv", Kind::Archive, "only reading: rkyv, validated"),
    ("fri-tape", Kind::Tape, "only reading: our tape"),
];
const WHIR: [(&str, Kind, &str); 5] = [
    (
        "whir-stock",
        Kind::Whir,
        "p3-whir, owned proof, software hash",
    ),
    ("whir-stock-call", Kind::Whir, "the same, permutation call"),
    ("whir", Kind::Whir, "in place, software hash, key derived"),
    (
        "whir-call",
        Kind::Whir,
        "in place, permutation call, key derived",
    ),
    (
        "whir-cached",
        Kind::Whir,
        "in place, permutation call, states from the key",
    ),
];
/// STARK proofs: Fibonacci, 2 columns of 2^10 rows, by queries.
const STARKS: [&str; 2] = ["fibonacci-1", "fibonacci-84"];
/// WHIR proofs, by security, regime and variables.
const WHIRS: [&str; 4] = [
    "bits32-12",
    "capacity100-12",
    "capacity100-16",
    "johnson100-16",
];

/// Form of a guest's input.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Key and tape.
    Tape,
    /// Key and proof in postcard's encoding.
    Stock,
    /// Key and archive.
    Archive,
    /// Key and WHIR proof file.
    Whir,
}

/// One guest on one proof.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the guest.
    pub guest: String,
    /// Name of the proof.
    pub proof: String,
    /// What the guest is.
    pub what: &'static str,
    /// Cycles.
    pub cycles: u64,
    /// Permutations by system call.
    pub calls: u64,
    /// Cycles in permutations, calls included.
    pub hash_cycles: u64,
    /// Committed bytes.
    pub output: String,
}

/// Where, when and how.
#[derive(Clone, Debug, Serialize)]
struct Header {
    version: &'static str,
    date: String,
    cpu: String,
    cores: usize,
    command: String,
}

/// Runs the benchmark.
///
/// # Errors
/// Files that are missing, a guest that fails, guests of one proof that commit different bytes, a
/// signal.
pub fn run(args: &RiscvArgs, output: Output) -> Result<Report, Failure> {
    let out = args
        .out
        .as_ref()
        .map(|dir| {
            let create = |name: &str| OutFile::create(&dir.join(name), true);
            Ok::<_, Failure>((create("riscv.json")?, create("riscv.md")?))
        })
        .transpose()?;
    let rows = measure(args, output)?;
    if rows.is_empty() {
        return Err(Failure::malformed("--only: no row has that in its name"));
    }
    let header = Header {
        version: env!("CARGO_PKG_VERSION"),
        date: date(SystemTime::now()),
        cpu: cpu_model(),
        cores: cores(),
        command: "prova bench riscv --out bench/results".into(),
    };
    let text = render(&rows);
    let json = serde_json::json!({
        "schema": "prova.bench.riscv/1",
        "header": header,
        "rows": rows,
    });
    if let Some((json_file, markdown_file)) = out {
        let document = serde_json::to_string_pretty(&json).map_err(Failure::malformed)?;
        json_file.finish(format!("{document}\n").as_bytes())?;
        markdown_file.finish(markdown(&header, &rows).as_bytes())?;
    }
    Ok(Report { text, json })
}

fn measure(args: &RiscvArgs, output: Output) -> Result<Vec<Row>, Failure> {
    let wanted = |name: &str| args.only.as_ref().is_none_or(|only| name.contains(only));
    let starks = STARKS
        .iter()
        .flat_map(|&proof| FRI.map(|guest| (proof, guest)));
    let whirs = WHIRS
        .iter()
        .flat_map(|&proof| WHIR.map(|guest| (proof, guest)));
    let empty = ("", ("empty", Kind::Tape, "an empty program"));
    let cases: Vec<_> = std::iter::once(empty)
        .chain(starks)
        .chain(whirs)
        .filter(|(proof, (guest, ..))| wanted(proof) || wanted(guest))
        .collect();
    let watch = Watch::new(output);
    let mut rows: Vec<Row> = Vec::new();
    for (done, &(proof, (guest, kind, what))) in cases.iter().enumerate() {
        watch.show(done as u64, cases.len() as u64, what);
        if signals::cancelled() {
            return Err(Failure::cancelled());
        }
        let payload = payload(&args.root, proof, kind)?;
        let row = one(&args.root, guest, proof, what, &payload)?;
        let verifies = |row: &Row| !row.what.starts_with("only reading");
        let other = rows.iter().find(|other| {
            other.proof == row.proof && verifies(other) && other.output != row.output
        });
        if let (Some(other), true) = (other, verifies(&row)) {
            return Err(Failure::rejected(format_args!(
                "{guest} and {} commit different bytes for {proof}",
                other.guest
            )));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    infile::read(path, MAX_FILE, "a guest or a proof of a checkout")
}

/// The input of a guest.
fn payload(root: &Path, proof: &str, kind: Kind) -> Result<Vec<u8>, Failure> {
    if proof.is_empty() {
        return Ok(Vec::new());
    }
    let stark = |name: &str| read(&root.join("crates/stark-verify/vectors").join(name));
    match kind {
        Kind::Tape => {
            let key = stark(&format!("{proof}.key"))?;
            Ok([key, stark(&format!("{proof}.proof"))?].concat())
        }
        Kind::Stock => stark(&format!("{proof}.stock")),
        Kind::Archive => stark(&format!("{proof}.rkyv")),
        Kind::Whir => whir_payload(&root.join(format!("crates/whir-view/vectors/{proof}.proof"))),
    }
}

fn whir_payload(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = read(path)?;
    let refuse = |error: &dyn std::fmt::Display| {
        Failure::malformed(format_args!("{}: {error}", path.display()))
    };
    let file = ProofFile::parse(&bytes).map_err(|error| refuse(&error))?;
    let (params, statement) = read_file(&file).map_err(|error| refuse(&error))?;
    let key = VerifyingKey::derive(&Portable::default(), &params, &statement)
        .map_err(|error| refuse(&error))?;
    let input = prova_whir_view::Input {
        key: key.words(),
        file: &bytes,
    };
    Ok(input.to_bytes())
}

/// Runs a guest twice: profiled, and at full speed, which must count the same.
fn one(
    root: &Path,
    guest: &str,
    proof: &str,
    what: &'static str,
    payload: &[u8],
) -> Result<Row, Failure> {
    let path = root.join(format!("guests/elf/{guest}.elf"));
    let elf = read(&path)?;
    let refuse = |error: &dyn std::fmt::Display| {
        Failure::malformed(format_args!("{}: {error}", path.display()))
    };
    let program = Program::from_elf(&elf).map_err(|error| refuse(&error))?;
    let image = Image::new(&elf).map_err(|error| refuse(&error))?;
    let input = Input::new(payload).map_err(|error| refuse(&error))?;
    let machine =
        || Machine::new(&program, &input, Options::default()).map_err(|error| refuse(&error));
    let mut profiler = Profiler::new(&image);
    let outcome = machine()?
        .run(&mut profiler)
        .map_err(|trap| refuse(&trap))?;
    let plain = machine()?
        .run(&mut NoObserver)
        .map_err(|trap| refuse(&trap))?;
    if outcome.exit != Exit::Halted(0) || plain != outcome {
        return Err(Failure::rejected(format_args!(
            "{}, {proof}: the guest ended with {:?} and {:?}",
            path.display(),
            outcome.exit,
            plain.exit
        )));
    }
    let calls = outcome.calls.keccak_f + outcome.calls.poseidon2 + outcome.calls.blake2s;
    let facts = RunFacts {
        cycles: outcome.cycles,
        ..RunFacts::default()
    };
    let profile = profiler.finish(facts);
    let hashing = profile
        .stacks
        .iter()
        .filter(|(stack, _)| stack.split(';').any(is_permutation));
    Ok(Row {
        guest: guest.into(),
        proof: proof.into(),
        what,
        cycles: outcome.cycles,
        calls,
        hash_cycles: calls + hashing.map(|(_, cycles)| cycles).sum::<u64>(),
        output: hex(&outcome.output),
    })
}

/// Whether a function is a permutation, or one laid out for a fixed shape.
fn is_permutation(name: &str) -> bool {
    ["::permute", "keccak_f", "f1600", "SoftKeccakF as "]
        .iter()
        .any(|part| name.contains(part))
}

#[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
fn share(row: &Row) -> String {
    format!(
        "{:.1} %",
        row.hash_cycles as f64 / row.cycles.max(1) as f64 * 100.0
    )
}

const COLUMNS: [&str; 6] = ["guest", "proof", "what", "cycles", "calls", "hash share"];

fn cells(row: &Row) -> Vec<String> {
    vec![
        row.guest.clone(),
        row.proof.clone(),
        row.what.to_owned(),
        thousands(row.cycles),
        thousands(row.calls),
        share(row),
    ]
}

fn render(rows: &[Row]) -> String {
    table(&COLUMNS, &rows.iter().map(cells).collect::<Vec<_>>())
}

fn markdown(header: &Header, rows: &[Row]) -> String {
    let mut out = format!(
        "# Cycles of the verifying guests\n\n`{}`, version {}, {}, {} ({} cores). Cycles are the \
         same on every machine.\n\n| {} |\n|---|---|---|---:|---:|---:|\n",
        header.command,
        header.version,
        header.date,
        header.cpu,
        header.cores,
        COLUMNS.join(" | ")
    );
    for row in rows {
        out.push_str(&format!("| {} |\n", cells(row).join(" | ")));
    }
    out
}
