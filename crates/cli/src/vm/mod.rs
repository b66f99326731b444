//! `prova vm`.

mod show;
pub mod verify;
mod wrap;

use clap::Subcommand;

use crate::error::Failure;
use crate::output::Report;

/// What to do with proofs of the lean VM.
#[derive(Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum VmCommand {
    /// Verify a bare proof of an execution.
    Verify(verify::VerifyArgs),
    /// Verify a bare proof and put it into a proof file.
    Wrap(wrap::WrapArgs),
}

const EXAMPLES: &str = "\
EXAMPLES
  prova vm verify --bytecode bytecode.bin --public-input input.bin --proof proof.bin
  prova vm wrap --bytecode bytecode.bin --public-input input.bin --proof proof.bin --out run.prova
  prova verify run.prova --bytecode bytecode.bin";

/// Runs a `prova vm` command.
///
/// # Errors
/// Whatever the command fails with.
pub fn run(command: &VmCommand) -> Result<Report, Failure> {
    match command {
        VmCommand::Verify(args) => verify::run(args),
        VmCommand::Wrap(args) => wrap::run(args),
    }
}
