//! `prova riscv profile`.

use std::path::PathBuf;

use clap::Args;
use prova_hash::shape::{Keccak256, SoftKeccakF, node_bytes};
use prova_riscv_profile::{Calls, FunctionCycles, Image, Profile, Profiler, RunFacts};

use crate::error::Failure;
use crate::outfile::OutFile;
use crate::output::{Output, Report};
use crate::text::{fields, hex, table, thousands};

use super::program::{ProgramArgs, Run};

/// Arguments of `prova riscv profile`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ProfileArgs {
    #[command(flatten)]
    program: ProgramArgs,
    /// Rows to show of each table.
    #[arg(long, value_name = "N", default_value_t = 25)]
    top: usize,
    /// Name functions as they are after inlining, instead of the innermost inlined ones.
    #[arg(long)]
    no_inline: bool,
    /// Show source lines.
    #[arg(long)]
    lines: bool,
    /// File for call stacks, one a line with its cycles, as flame graph tools read them.
    #[arg(long, value_name = "FILE")]
    folded: Option<PathBuf>,
    /// File for the profile, to be compared with another: the same object as with --json.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite files that are there.
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova riscv profile guests/elf/hello.elf --input README.md
  prova riscv profile program.elf --lines --top 10
  prova riscv profile program.elf --folded stacks.txt    then: inferno-flamegraph < stacks.txt
  prova riscv profile program.elf --out before.json      then: prova riscv compare

STEPS
  A program tells its steps apart with the instruction `addi x0, x0, N`, N from 1 to 2047
  (`prova_guest_rt::step::<N>()`). Cycles belong to the latest marker; step 0 is what comes before
  the first.";

/// Runs a program and shows where its cycles go.
///
/// # Errors
/// As `prova riscv run`, and damaged symbols or debug information.
pub fn run(args: &ProfileArgs, output: Output) -> Result<Report, Failure> {
    let create = |path: &Option<PathBuf>| {
        let path = path.as_ref();
        path.map(|path| OutFile::create(path, args.force))
            .transpose()
    };
    let (out, folded) = (create(&args.out)?, create(&args.folded)?);
    let elf = args.program.read_elf()?;
    let program = args.program.parse(&elf)?;
    let image = Image::new(&elf).map_err(|error| {
        Failure::malformed(format_args!("{}: {error}", args.program.program.display()))
    })?;
    let mut profiler = Profiler::new(&image);
    let run = args.program.run(&program, &mut profiler, output)?;
    run.show_printed(output);
    let profile = profiler.finish(facts(&elf, &run));
    let json = serde_json::to_value(&profile).map_err(Failure::malformed)?;
    if let Some(out) = out {
        let text = serde_json::to_string_pretty(&json).map_err(Failure::malformed)?;
        out.finish(text.as_bytes())?;
    }
    if let Some(folded) = folded {
        folded.finish(profile.folded().as_bytes())?;
    }
    run.check(&json)?;
    Ok(Report {
        text: render(args, &run, &profile),
        json,
    })
}

fn facts(elf: &[u8], run: &Run) -> RunFacts {
    let calls = run.calls().into_iter();
    RunFacts {
        program: hex(&node_bytes(
            &Keccak256::<SoftKeccakF>::default().hash_bytes(elf),
        )),
        exit: run.exit(),
        cycles: run.outcome.cycles,
        output: hex(&run.outcome.output),
        system_calls: calls
            .map(|(name, calls)| Calls {
                name: name.to_owned(),
                calls,
            })
            .collect(),
    }
}

fn render(args: &ProfileArgs, run: &Run, profile: &Profile) -> String {
    let mut parts = vec![
        run.text(),
        fields(&[(
            "different instructions",
            thousands(profile.unique_instructions),
        )]),
    ];
    let total = profile.facts.cycles;
    let (title, functions) = if args.no_inline || profile.inlined.is_empty() {
        ("functions", &profile.functions)
    } else {
        ("functions, inlined ones apart", &profile.inlined)
    };
    parts.push(function_table(title, functions, total, args.top));
    if args.lines {
        parts.push(line_table(profile, args.top));
    }
    if !profile.hashes.is_empty() {
        let row = |call: &Calls| vec![call.name.clone(), thousands(call.calls)];
        let rows: Vec<Vec<String>> = profile.hashes.iter().take(args.top).map(row).collect();
        parts.push(table(&["hashing", "calls"], &rows));
    }
    if profile.steps.len() > 1 {
        let row = |step: &prova_riscv_profile::StepCycles| {
            vec![
                format!("step {}", step.step),
                thousands(step.cycles),
                share(step.cycles, total),
            ]
        };
        let rows: Vec<Vec<String>> = profile.steps.iter().map(row).collect();
        parts.push(table(&["steps", "cycles", "share"], &rows));
        for step in &profile.steps {
            let title = format!("step {}: functions", step.step);
            parts.push(function_table(
                &title,
                &step.functions,
                step.cycles,
                args.top,
            ));
        }
    }
    parts.join("\n\n")
}

fn function_table(title: &str, functions: &[FunctionCycles], total: u64, top: usize) -> String {
    let row = |function: &FunctionCycles| {
        vec![
            clip(&function.name),
            thousands(function.cycles),
            share(function.cycles, total),
            share(function.inclusive, total),
            if function.calls == 0 {
                String::new()
            } else {
                thousands(function.calls)
            },
        ]
    };
    let rows: Vec<Vec<String>> = functions.iter().take(top).map(row).collect();
    let mut text = table(&[title, "cycles", "own", "with callees", "calls"], &rows);
    if functions.len() > top {
        text.push_str(&format!("\n… and {} more", functions.len() - top));
    }
    text
}

fn line_table(profile: &Profile, top: usize) -> String {
    if profile.lines.is_empty() {
        return "source lines: the program has no debug information".into();
    }
    let row = |line: &prova_riscv_profile::LineCycles| {
        vec![
            clip(&format!("{}:{}", line.file, line.line)),
            thousands(line.cycles),
            share(line.cycles, profile.facts.cycles),
        ]
    };
    let rows: Vec<Vec<String>> = profile.lines.iter().take(top).map(row).collect();
    table(&["source lines", "cycles", "share"], &rows)
}

#[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
fn share(part: u64, whole: u64) -> String {
    format!("{:.1} %", part as f64 / whole.max(1) as f64 * 100.0)
}

/// Names of generic functions can fill a screen; the end says most.
fn clip(name: &str) -> String {
    const WIDTH: usize = 90;
    let length = name.chars().count();
    if length <= WIDTH {
        return name.to_owned();
    }
    let head: String = name.chars().take(WIDTH / 3).collect();
    let tail: String = name
        .chars()
        .skip(length - (WIDTH - WIDTH / 3 - 1))
        .collect();
    format!("{head}…{tail}")
}
