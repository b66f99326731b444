//! `prova hash`.

mod against;
mod bench;
mod prove;
mod show;
pub mod verify;

use clap::Subcommand;

use crate::error::Failure;
use crate::output::{Output, Report};

/// What to do with batches of hash compressions.
#[derive(Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum HashCommand {
    /// Prove that BLAKE2s was computed, without showing the messages.
    Prove(Box<prove::ProveArgs>),
    /// Verify a proof of a batch.
    Verify(Box<verify::VerifyArgs>),
    /// Measure batches.
    Bench(Box<bench::BenchArgs>),
}

const EXAMPLES: &str = "\
EXAMPLES
  prova hash prove README.md                         the digests of its 64-byte blocks
  prova hash prove README.md --statement merkle      the root of the tree over them
  prova hash prove --chain 00…00 --steps 100000      a hash chain
  prova hash verify README.md.prova
  prova hash bench --log-n 12,14,16
  prova hash bench --against p3                      beside Plonky3's BLAKE2s AIR";

/// Runs a `prova hash` command.
///
/// # Errors
/// Whatever the command fails with.
pub fn run(command: &HashCommand, output: Output) -> Result<Report, Failure> {
    match command {
        HashCommand::Prove(args) => prove::run(args, output),
        HashCommand::Verify(args) => verify::run(args),
        HashCommand::Bench(args) => bench::run(args, output),
    }
}
