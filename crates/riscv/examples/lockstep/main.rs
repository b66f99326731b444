//! Random programs in lock step with an independent model: every retired instruction's address and
//! written register, the registers and the memory at the end.
//!
//! ```text
//! lockstep live   spike|sail BINARY FIRST COUNT    compares, one program a seed
//! lockstep record spike|sail BINARY FIRST COUNT    prints what the model did, a line a seed
//! ```
//!
//! `live` ends with 1 at the first difference and says at which instruction it is.

#[path = "../../tests/conformance/elf.rs"]
mod elf;
#[path = "../../tests/conformance/format.rs"]
mod format;
#[path = "../../tests/conformance/generator.rs"]
mod generator;
#[path = "../../tests/conformance/machine.rs"]
mod machine;
mod model;
#[path = "../../tests/conformance/trace.rs"]
mod trace;
#[path = "../../tests/conformance/writer.rs"]
mod writer;

use std::{
    env, fs,
    ops::Range,
    path::{Path, PathBuf},
    process::{self, ExitCode},
    thread,
};

use generator::{Generated, generate};
use model::Model;
use trace::Trace;

const USAGE: &str = "usage: lockstep live|record spike|sail BINARY FIRST COUNT";

struct Arguments {
    record: bool,
    model: Model,
    binary: PathBuf,
    seeds: Range<u64>,
}

fn arguments() -> Option<Arguments> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [command, model, binary, first, count] = arguments.as_slice() else {
        return None;
    };
    let record = match command.as_str() {
        "live" => false,
        "record" => true,
        _ => return None,
    };
    let first: u64 = first.parse().ok()?;
    let seeds = first..first.checked_add(count.parse().ok()?)?;
    Some(Arguments {
        record,
        model: Model::from_name(model)?,
        binary: binary.into(),
        seeds,
    })
}

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match spread(&arguments) {
        Ok(parts) => {
            for line in parts.iter().flat_map(|part| &part.lines) {
                println!("{line}");
            }
            let programs = arguments.seeds.end - arguments.seeds.start;
            let retired: usize = parts.iter().map(|part| part.retired).sum();
            eprintln!(
                "{programs} programs, {retired} instructions on {:?}",
                arguments.model
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(1)
        }
    }
}

/// What came of some seeds.
#[derive(Default)]
struct Part {
    /// Records, if they are asked for.
    lines: Vec<String>,
    /// Instructions of all programs.
    retired: usize,
}

/// Works on as many parts of the seeds as there are cores.
fn spread(arguments: &Arguments) -> Result<Vec<Part>, String> {
    let seeds = &arguments.seeds;
    let parts = thread::available_parallelism().map_or(1, usize::from) as u64;
    let length = (seeds.end - seeds.start).div_ceil(parts).max(1) as usize;
    thread::scope(|scope| {
        let threads: Vec<_> = seeds
            .clone()
            .step_by(length)
            .map(|start| start..seeds.end.min(start + length as u64))
            .map(|part| scope.spawn(move || with_folder(arguments, part)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    })
}

fn with_folder(arguments: &Arguments, seeds: Range<u64>) -> Result<Part, String> {
    let name = format!("prova-lockstep-{}-{}", process::id(), seeds.start);
    let folder = env::temp_dir().join(name);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let result = work(arguments, seeds, &folder);
    fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
    result
}

fn work(arguments: &Arguments, seeds: Range<u64>, folder: &Path) -> Result<Part, String> {
    let Arguments {
        record,
        model,
        binary,
        ..
    } = arguments;
    let mut part = Part::default();
    for seed in seeds {
        let generated = generate(seed, model.base());
        let trace = model
            .run(binary, folder, &generated)
            .map_err(|error| format!("seed {seed}: {error}"))?;
        part.retired += trace.retired.len();
        if *record {
            part.lines.push(trace.record(seed, &generated).to_string());
        } else {
            compare(&generated, &trace).map_err(|error| format!("seed {seed}: {error}"))?;
        }
    }
    Ok(part)
}

fn compare(generated: &Generated, expected: &Trace) -> Result<(), String> {
    let found = machine::trace(generated)?;
    let pairs = expected.retired.iter().zip(&found.retired);
    for (index, (expected, found)) in pairs.enumerate() {
        if expected != found {
            let at = (expected.pc.wrapping_sub(generated.base) / 4) as usize;
            let word = generated.words.get(at).copied().unwrap_or_default();
            return Err(format!(
                "instruction {index} ({word:#010x}): expected {expected:x?}, found {found:x?}"
            ));
        }
    }
    if &found != expected {
        return Err("length, registers or memory differ".to_owned());
    }
    machine::whole(generated, expected)
}
