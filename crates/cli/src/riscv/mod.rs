//! `prova riscv`.

mod check;
mod compare;
mod disasm;
mod input;
mod profile;
pub mod program;
mod run;
pub mod stark;

use clap::Subcommand;

use crate::error::Failure;
use crate::output::{Output, Report};

/// What to do with RISC-V programs.
#[derive(Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum RiscvCommand {
    /// Run a program and show what it commits.
    Run(run::RunArgs),
    /// Run a program and show where its cycles go.
    Profile(Box<profile::ProfileArgs>),
    /// Set two profiles side by side.
    Compare(compare::CompareArgs),
    /// List a program's instructions.
    Disasm(disasm::DisasmArgs),
    /// Make the input of a verifying guest from a proof file.
    Input(input::InputArgs),
    /// Verify such an input natively.
    Check(check::CheckArgs),
}

const EXAMPLES: &str = "\
EXAMPLES
  prova riscv run guests/elf/hello.elf --input README.md
  prova riscv profile guests/elf/keccak-chain.elf --folded stacks.txt --out before.json
  prova riscv compare before.json after.json --max-growth 2
  prova riscv disasm guests/elf/hello.elf --function main
  prova riscv input README.md.prova --out input.bin
  prova riscv run guests/elf/whir-cached.elf --input input.bin";

/// Runs a `prova riscv` command.
///
/// # Errors
/// Whatever the command fails with.
pub fn run(command: &RiscvCommand, output: Output) -> Result<Report, Failure> {
    match command {
        RiscvCommand::Run(args) => run::run(args, output),
        RiscvCommand::Profile(args) => profile::run(args, output),
        RiscvCommand::Compare(args) => compare::run(args),
        RiscvCommand::Disasm(args) => disasm::run(args),
        RiscvCommand::Input(args) => input::run(args),
        RiscvCommand::Check(args) => check::run(args),
    }
}
