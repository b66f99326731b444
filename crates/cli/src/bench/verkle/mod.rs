//! `prova bench verkle`: proving and verifying many openings, next to a multi-scalar
//! multiplication of the same size by arkworks, which is the yardstick of the machine.

mod inputs;
mod markdown;
mod measure;

use std::path::PathBuf;
use std::time::SystemTime;

use clap::{Args, ValueEnum};
use prova_verkle::Arm;
use serde::Serialize;

use super::header::{cores, cpu_model, date};
use super::stats::Spread;
use crate::error::Failure;
use crate::machine;
use crate::outfile::OutFile;
use crate::output::{Output, Report};
use crate::resources::pool;
use inputs::Inputs;

/// Arguments of `prova bench verkle`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct VerkleArgs {
    /// Numbers of openings.
    #[arg(
        long,
        value_name = "N,N,…",
        value_delimiter = ',',
        default_values_t = [217, 2_000, 16_000],
        value_parser = clap::value_parser!(u32).range(1..=130_000)
    )]
    openings: Vec<u32>,
    /// Numbers of threads [default: 1 and one per core].
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Vec<u16>,
    /// Timed runs, after one that is not timed.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Kernels to measure.
    #[arg(long, value_enum, default_value_t = Arms::Best)]
    arms: Arms,
    /// Seed of the polynomials' values.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Folder for a JSON and a Markdown file of the results; older ones are replaced.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Kernels to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Arms {
    /// The fastest that this CPU can run.
    Best,
    /// The portable ones.
    Portable,
    /// All that this CPU can run.
    All,
}

impl Arms {
    fn list(self) -> Vec<Arm> {
        match self {
            Self::Best => vec![Arm::best()],
            Self::Portable => vec![Arm::Portable],
            Self::All => [Arm::Ifma, Arm::Adx, Arm::Portable]
                .into_iter()
                .filter(|arm| arm.is_available())
                .collect(),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Portable => "portable",
            Self::All => "all",
        }
    }
}

const EXAMPLES: &str = "\
EXAMPLES
  prova bench verkle
  prova bench verkle --openings 217,2000,16000,128000 --threads 1,2 --arms all --out bench/results
  prova bench verkle --openings 1000 --runs 3 --json";

/// Where, when and how.
#[derive(Clone, Debug, Serialize)]
pub struct Header {
    version: &'static str,
    date: String,
    cpu: String,
    cores: usize,
    memory_bytes: Option<u64>,
    simd: &'static str,
    command: String,
    yardstick: &'static str,
    /// Time to make the setup and its tables on one thread, by kernels.
    setup: Vec<SetupCost>,
}

/// What start-up costs.
#[derive(Clone, Debug, Serialize)]
pub struct SetupCost {
    arm: &'static str,
    threads: usize,
    ms: Spread,
    table_bytes: usize,
}

/// One number of openings, threads, and kernels.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    openings: usize,
    threads: usize,
    arm: &'static str,
    /// CPU time of arkworks' multi-scalar multiplication over as many points, on one thread.
    yardstick_ms: Spread,
    prove: Timing,
    /// From decoded points.
    verify: Timing,
    /// From records of 65 bytes and a proof of 576, everything checked.
    verify_bytes: Option<Timing>,
}

/// Many proofs, verified one by one and as a batch.
#[derive(Clone, Debug, Serialize)]
pub struct Batch {
    proofs: usize,
    openings: usize,
    threads: usize,
    arm: &'static str,
    one_by_one: Timing,
    together: Timing,
}

/// One operation.
#[derive(Clone, Debug, Serialize)]
pub struct Timing {
    wall_ms: Spread,
    cpu_ms: Spread,
    /// Allocations, the most of all timed runs.
    allocations: u64,
    /// Bytes over what was there before, the most of all timed runs.
    peak_bytes: u64,
}

/// Everything that was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    schema: &'static str,
    header: Header,
    rows: Vec<Row>,
    batches: Vec<Batch>,
}

/// Proofs in a batch, each of as many openings as a block has.
const BATCH: usize = 16;
const BATCH_OPENINGS: usize = 217;

impl VerkleArgs {
    fn thread_counts(&self) -> Vec<usize> {
        let mut threads: Vec<usize> = self.threads.iter().copied().map(usize::from).collect();
        if threads.is_empty() {
            threads = vec![1, cores()];
        }
        threads.dedup();
        threads
    }

    fn command(&self) -> String {
        let list = |numbers: Vec<String>| numbers.join(",");
        format!(
            "prova bench verkle --openings {} --threads {} --runs {} --arms {} --seed {}",
            list(self.openings.iter().map(u32::to_string).collect()),
            list(self.thread_counts().iter().map(usize::to_string).collect()),
            self.runs,
            self.arms.name(),
            self.seed
        )
    }
}

/// Runs the benchmark.
///
/// # Errors
/// Too little memory, a signal, an output folder that cannot be written to, or wrong proofs.
pub fn run(args: &VerkleArgs, output: Output) -> Result<Report, Failure> {
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    }
    let largest = args.openings.iter().copied().max().unwrap_or(0) as usize;
    let need = Inputs::bytes(largest) + (256 << 20);
    if let Some(limit) = machine::memory().available.filter(|limit| need > *limit) {
        return Err(Failure::memory(need, limit));
    }
    if cfg!(debug_assertions) {
        output.note("warning: a development build; its times say nothing, use --release");
    }
    let results = measure(args, output)?;
    let json = serde_json::to_value(&results).map_err(Failure::resource)?;
    let text = markdown::render(&results);
    if let Some(folder) = &args.out {
        let pretty = serde_json::to_string_pretty(&json).unwrap_or_default() + "\n";
        for (name, content) in [("verkle.json", pretty), ("verkle.md", format!("{text}\n"))] {
            OutFile::create(&folder.join(name), true)?.finish(content.as_bytes())?;
        }
    }
    Ok(Report { text, json })
}

fn measure(args: &VerkleArgs, output: Output) -> Result<Results, Failure> {
    let pools = args
        .thread_counts()
        .into_iter()
        .map(pool)
        .collect::<Result<Vec<_>, _>>()?;
    let arms = args.arms.list();
    let mut setups = Vec::new();
    let mut costs = Vec::new();
    for &arm in &arms {
        for pool in &pools {
            let (setup, cost) = measure::setup(pool, arm, args.runs)?;
            costs.push(cost);
            if setups.len() < arms.len()
                && pool.current_num_threads() == pools[0].current_num_threads()
            {
                setups.push(setup);
            }
        }
    }
    let mut results = Results {
        schema: "prova.bench.verkle/1",
        header: Header {
            version: env!("CARGO_PKG_VERSION"),
            date: date(SystemTime::now()),
            cpu: cpu_model(),
            cores: cores(),
            memory_bytes: machine::memory().total,
            simd: machine::compiled_simd(),
            command: args.command(),
            yardstick: "ark-ec 0.6 VariableBaseMSM over ark-ed-on-bls12-381-bandersnatch, one thread",
            setup: costs,
        },
        rows: Vec::new(),
        batches: Vec::new(),
    };
    output.note(&markdown::header(&results.header));
    for &openings in &args.openings {
        let inputs = Inputs::new(openings as usize, args.seed, &setups[0]);
        for pool in &pools {
            for row in measure::rows(pool, &setups, &inputs, args.runs)? {
                output.note(&markdown::line(&row));
                results.rows.push(row);
            }
        }
    }
    let inputs = Inputs::new(BATCH_OPENINGS, args.seed, &setups[0]);
    for pool in &pools {
        let batch = measure::batch(pool, &setups[0], &inputs, BATCH, args.runs)?;
        results.batches.push(batch);
    }
    Ok(results)
}
