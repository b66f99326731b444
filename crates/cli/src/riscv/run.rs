//! `prova riscv run`.

use std::path::PathBuf;

use clap::Args;
use prova_riscv::NoObserver;

use crate::error::Failure;
use crate::outfile::OutFile;
use crate::output::{Output, Report};

use super::program::ProgramArgs;

/// Arguments of `prova riscv run`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    #[command(flatten)]
    program: ProgramArgs,
    /// File for the committed bytes.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the file if there is one.
    #[arg(long, requires = "out")]
    force: bool,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova riscv run guests/elf/hello.elf --input README.md
  prova riscv run guests/elf/fibonacci.elf --input-hex 64000000 --json
  prova riscv run program.elf --max-cycles 1000000000 --memory 1GiB --out output.bin

EXIT CODES
  0  the program halted with code 0
  1  it halted with another code, panicked, or did what it must not (a trap)
  2  no RV32IM program, or a bad argument
  3  the cycle limit was reached";

/// Runs a program; what it prints goes to stderr.
///
/// # Errors
/// A program that is none, that fails or that does not end in time.
pub fn run(args: &RunArgs, output: Output) -> Result<Report, Failure> {
    let out = args
        .out
        .as_ref()
        .map(|path| OutFile::create(path, args.force))
        .transpose()?;
    let elf = args.program.read_elf()?;
    let program = args.program.parse(&elf)?;
    let run = args.program.run(&program, &mut NoObserver, output)?;
    run.show_printed(output);
    let mut json = run.json();
    json["schema"] = "prova.riscv.run/1".into();
    run.check(&json)?;
    if let Some(out) = out {
        out.finish(&run.outcome.output)?;
    }
    Ok(Report {
        text: run.text(),
        json,
    })
}
