//! `prova hash bench`.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::SystemTime;

use clap::{Args, ValueEnum};
use prova_hash_batch::{Kind, Parameters, verify as verify_proof};
use prova_hash_batch_prover::arm::Arm;
use prova_hash_batch_prover::batch::Batch;
use prova_hash_batch_prover::observer::Stage;
use serde::Serialize;
use serde_json::json;

use crate::alloc;
use crate::bench::header::{cores, cpu_model, date};
use crate::bench::stats::Spread;
use crate::error::Failure;
use crate::machine;
use crate::memsize::MemSize;
use crate::outfile::OutFile;
use crate::output::{Output, Report};
use crate::resources::pool;
use crate::signals;

use super::against::{self, Against, Beside, Clock, Ours, PeerRow, ms};
use super::prove::{fitting, timed};
use super::show;

/// Arguments of `prova hash bench`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct BenchArgs {
    /// Logarithms of the numbers of compressions.
    #[arg(
        long,
        value_name = "N,N,…",
        value_delimiter = ',',
        default_values_t = [12, 14, 16],
        value_parser = clap::value_parser!(u32).range(3..=20)
    )]
    log_n: Vec<u32>,
    /// Numbers of threads [default: 1 and one per core].
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Vec<u16>,
    /// Timed runs, after one that is not timed.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Logarithm of the inverse rate of the code.
    #[arg(long, value_name = "1-4", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4))]
    log_inv_rate: u32,
    /// Kernels of the prover; other libraries keep those of the CPU or of the build.
    #[arg(long, value_enum, default_value_t = Kernels::Best)]
    arm: Kernels,
    /// Prove the same digests with another prover too, run by run beside ours.
    #[arg(long, value_enum, value_name = "PEER")]
    against: Option<Against>,
    /// Most memory to use, such as 2GiB [default: what is available now].
    #[arg(long, value_name = "SIZE")]
    mem_limit: Option<MemSize>,
    /// Folder for a JSON and a Markdown file of the results; older ones are replaced.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Kernels to measure; all give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kernels {
    /// The fastest that this CPU can run.
    Best,
    /// Plain Rust.
    Portable,
    /// 256-bit byte shuffles.
    Avx2,
    /// 512-bit registers with GFNI.
    Gfni,
}

impl Kernels {
    /// # Errors
    /// Exit code 3 where the CPU cannot run them.
    fn arm(self) -> Result<Arm, Failure> {
        let arm = match self {
            Self::Best => Arm::best(),
            Self::Portable => Arm::Portable,
            Self::Avx2 => Arm::Avx2,
            Self::Gfni => Arm::Gfni,
        };
        if arm.available() {
            Ok(arm)
        } else {
            Err(Failure::resource(format!(
                "this CPU cannot run the {arm:?} kernels"
            )))
        }
    }
}

const EXAMPLES: &str = "\
EXAMPLES
  prova hash bench
  prova hash bench --log-n 16,18 --threads 1,2 --out bench/results
  prova hash bench --log-n 18 --mem-limit 2GiB
  prova hash bench --arm portable
  prova hash bench --log-n 12,14,16 --against p3";

/// One number of compressions and threads.
#[derive(Clone, Debug, Serialize)]
struct Row {
    log_n: u32,
    threads: usize,
    plan: &'static str,
    prove_ms: Spread,
    per_second: f64,
    stages_ms: Vec<(&'static str, f64)>,
    verify_ms: Spread,
    proof_bytes: usize,
    peak_bytes: u64,
    /// Bits of the weakest round; shown beside a peer.
    #[serde(skip)]
    security_bits: f64,
}

/// Measures batches of pseudo-random messages.
///
/// # Errors
/// Too little memory, a signal, an output folder that cannot be written to, or wrong proofs.
pub fn run(args: &BenchArgs, output: Output) -> Result<Report, Failure> {
    let arm = args.arm.arm()?;
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    }
    if cfg!(debug_assertions) {
        output.note("warning: a development build; its times say nothing, use --release");
    }
    let mut threads: Vec<usize> = args.threads.iter().copied().map(usize::from).collect();
    if threads.is_empty() {
        threads = vec![1, cores()];
    }
    threads.dedup();
    let header = header(args, &threads, arm);
    output.note(&header);
    let (mut rows, mut peers) = (Vec::new(), Vec::new());
    for &log_n in &args.log_n {
        for &threads in &threads {
            let (row, beside) = measure(args, arm, log_n, threads, output)?;
            output.note(&line(&row));
            rows.push(row);
            peers.extend(beside);
        }
    }
    let mut text = render(&header, &rows);
    let mut json = json!({
        "schema": "prova.hash.bench/1",
        "header": header.lines().collect::<Vec<_>>(),
        "rows": rows,
    });
    if args.against.is_some() {
        let ours: Vec<Ours> = rows.iter().map(Row::beside).collect();
        text.push_str(&against::render(&ours, &peers));
        json["peers"] = json!(peers);
    }
    if let Some(folder) = &args.out {
        let pretty = serde_json::to_string_pretty(&json).unwrap_or_default() + "\n";
        for (name, content) in [("hash.json", pretty), ("hash.md", format!("{text}\n"))] {
            OutFile::create(&folder.join(name), true)?.finish(content.as_bytes())?;
        }
    }
    Ok(Report { text, json })
}

fn header(args: &BenchArgs, threads: &[usize], arm: Arm) -> String {
    let list = |numbers: Vec<String>| numbers.join(",");
    let memory = machine::memory().total;
    let limit = args
        .mem_limit
        .map_or(String::new(), |limit| format!(" --mem-limit {limit}"));
    let against = args
        .against
        .map_or(String::new(), |peer| format!(" --against {}", peer.name()));
    let kernels = args.arm.to_possible_value();
    let kernels = kernels
        .filter(|_| args.arm != Kernels::Best)
        .map_or(String::new(), |kernels| {
            format!(" --arm {}", kernels.get_name())
        });
    [
        format!(
            "* machine: {}, {} cores, {}",
            cpu_model(),
            cores(),
            memory.map_or("unknown".to_string(), |bytes| MemSize(bytes).to_string())
        ),
        format!(
            "* compiled for: {}; kernels {:?}; prova {}",
            machine::compiled_simd(),
            arm,
            env!("CARGO_PKG_VERSION")
        ),
        format!("* date: {}", date(SystemTime::now())),
        format!(
            "* command: `prova hash bench --log-n {} --threads {} --runs {} --log-inv-rate {}{kernels}{limit}{against}`",
            list(args.log_n.iter().map(u32::to_string).collect()),
            list(threads.iter().map(usize::to_string).collect()),
            args.runs,
            args.log_inv_rate
        ),
    ]
    .join("\n")
}

/// Messages from a counter.
fn messages(count: usize) -> Vec<[u8; 64]> {
    (0..count as u64)
        .map(|i| {
            let mut message = [0; 64];
            for (j, word) in message.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                let mixed = (i + 1)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(j as u32 * 7);
                *word = mixed.to_le_bytes();
            }
            message
        })
        .collect()
}

impl Row {
    /// What a peer is compared with.
    fn beside(&self) -> Ours {
        Ours {
            log_n: self.log_n,
            threads: self.threads,
            security_bits: self.security_bits,
            prove_ms: self.prove_ms,
            per_second: self.per_second,
            verify_ms: self.verify_ms.median,
            proof_bytes: self.proof_bytes,
            peak_bytes: self.peak_bytes,
        }
    }
}

fn measure(
    args: &BenchArgs,
    arm: Arm,
    log_n: u32,
    threads: usize,
    output: Output,
) -> Result<(Row, Vec<PeerRow>), Failure> {
    let quiet = Output {
        quiet: true,
        ..output
    };
    let parameters = Parameters {
        log_inv_rate: args.log_inv_rate,
        ..Parameters::default()
    };
    let limit = args
        .mem_limit
        .map(|size| size.0)
        .or_else(|| machine::memory().available);
    let pool = pool(threads)?;
    let messages = messages(1 << log_n);
    let batch = pool
        .install(|| Batch::digests(&messages))
        .map_err(Failure::malformed)?;
    let (options, plan) = fitting(&batch.statement, &parameters, limit, arm)?;
    let mut peers = match (args.against, batch.statement.kind()) {
        (Some(against), Kind::Digests(digests)) => {
            Beside::all(against, digests, args.log_inv_rate, threads, limit)?
        }
        _ => Vec::new(),
    };
    let (mut proving, mut verifying) = (Vec::new(), Vec::new());
    let mut stages: Vec<(Stage, Vec<f64>)> = Stage::ALL.map(|stage| (stage, Vec::new())).into();
    let (mut peak, mut reference, mut security_bits) = (0, None, 0.0);
    for run in 0..=args.runs {
        if signals::cancelled() {
            return Err(Failure::cancelled());
        }
        let before = alloc::live();
        alloc::reset_peak();
        let clock = Clock::start();
        let timed = pool.install(|| timed(&batch, &parameters, &options, quiet))?;
        let cost = clock.cost();
        let used = alloc::peak().saturating_sub(before);
        let clock = Clock::start();
        let summary =
            verify_proof(&batch.statement, &parameters, &timed.proof).map_err(Failure::rejected)?;
        let verified = clock.cost();
        security_bits = summary.schedule.security_bits();
        if *reference.get_or_insert_with(|| timed.proof.clone()) != timed.proof {
            return Err(Failure::rejected("two runs gave different proofs"));
        }
        if run > 0 {
            proving.push(ms(cost.wall));
            verifying.push(ms(verified.wall));
            peak = peak.max(used);
            for (stage, sample) in &mut stages {
                let spent = timed.stages.iter().filter(|(name, _)| name == stage);
                sample.push(spent.map(|(_, time)| ms(*time)).sum());
            }
        }
        for peer in &mut peers {
            peer.run(&pool, &messages, cost, run > 0)?;
        }
    }
    let prove_ms = Spread::of(proving);
    let row = Row {
        log_n,
        threads,
        plan,
        per_second: f64::from(1 << log_n) / (prove_ms.median / 1e3),
        prove_ms,
        stages_ms: stages
            .into_iter()
            .map(|(stage, sample)| (show::stage(stage), Spread::of(sample).median))
            .collect(),
        verify_ms: Spread::of(verifying),
        proof_bytes: reference.map_or(0, |proof| proof.len()),
        peak_bytes: peak,
        security_bits,
    };
    let peers = peers.into_iter().map(|peer| peer.finish(output)).collect();
    Ok((row, peers))
}

fn line(row: &Row) -> String {
    let stages: Vec<String> = row
        .stages_ms
        .iter()
        .map(|(_, ms)| format!("{ms:.1}"))
        .collect();
    format!(
        "| 2^{} | {} | {} | {:.1} ({:.1}–{:.1}) | {:.0} | {} | {:.2} | {:.1} | {:.0} |",
        row.log_n,
        row.threads,
        row.plan,
        row.prove_ms.median,
        row.prove_ms.min,
        row.prove_ms.max,
        row.per_second,
        stages.join(" | "),
        row.verify_ms.median,
        row.proof_bytes as f64 / 1024.0,
        row.peak_bytes as f64 / f64::from(1 << 20)
    )
}

fn render(header: &str, rows: &[Row]) -> String {
    let stages: Vec<&str> = Stage::ALL.into_iter().map(show::stage).collect();
    let mut out = format!(
        "# Batches of BLAKE2s compressions\n\n{header}\n\n\
         | compressions | threads | plan | prove ms (min–max) | a second | {} | verify ms \
         | proof KiB | peak MiB |\n|{}\n",
        stages.join(" | "),
        "--:|".repeat(8 + stages.len())
    );
    for row in rows {
        let _ = writeln!(out, "{}", line(row));
    }
    out.push_str(
        "\nWall time, medians; stages in ms. Every proof is verified, and its bytes are the same in \
         every run. Memory is what the prover allocates over the messages and digests.",
    );
    out
}
