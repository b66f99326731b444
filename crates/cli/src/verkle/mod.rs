//! `prova verkle`.

mod commit;
mod entries;
mod input;
mod prove;
pub mod show;
mod tree;
pub mod verify;
mod witness;

use clap::Subcommand;

use crate::error::Failure;
use crate::output::{Output, Report};

/// What to do with Verkle commitments and trees.
#[derive(Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum VerkleCommand {
    /// Commit to vectors of 256 values.
    Commit(Box<commit::CommitArgs>),
    /// Prove openings of committed vectors with one multiproof.
    Prove(Box<prove::ProveArgs>),
    /// Verify a multiproof: a proof file, or 576 bytes with their openings.
    Verify(Box<verify::VerifyArgs>),
    /// Execution witnesses of blocks.
    #[command(subcommand, arg_required_else_help = true)]
    Witness(witness::WitnessCommand),
    /// Build a tree from keys and values, print its root, write a witness.
    Tree(Box<tree::TreeArgs>),
}

const EXAMPLES: &str = "\
EXAMPLES
  prova verkle commit README.md
  prova verkle prove README.md --at 0,7,200-255
  prova verkle verify README.md.prova
  prova verkle verify proof.bin --queries queries.bin --label vt
  prova verkle witness verify block.json --root 0x64e1…3510
  prova verkle tree state.csv --witness witness.json";

/// Runs a `prova verkle` command.
///
/// # Errors
/// Whatever the command fails with.
pub fn run(command: &VerkleCommand, output: Output) -> Result<Report, Failure> {
    match command {
        VerkleCommand::Commit(args) => commit::run(args),
        VerkleCommand::Prove(args) => prove::run(args),
        VerkleCommand::Verify(args) => verify::run(args),
        VerkleCommand::Witness(command) => witness::run(command, output),
        VerkleCommand::Tree(args) => tree::run(args, output),
    }
}
