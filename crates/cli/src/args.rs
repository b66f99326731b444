//! The command tree.

use clap::{Args, Parser, Subcommand};

use crate::hash::HashCommand;
use crate::inspect::InspectArgs;
use crate::riscv::RiscvCommand;
use crate::verify::VerifyArgs;
use crate::verkle::VerkleCommand;
use crate::vm::VmCommand;
use crate::whir::commit::CommitArgs;
use crate::whir::estimate::EstimateArgs;
use crate::whir::prove::ProveArgs;
use crate::whir::tune::TuneArgs;
use crate::xmss::XmssCommand;

/// Transparent, hash-first proofs on the machine you have.
///
/// Results go to stdout, everything else to stderr.
#[derive(Parser, Debug)]
#[command(name = "prova", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova whir prove README.md          commit to a file, open it at a drawn point: README.md.prova
  prova verify README.md.prova        check the proof
  prova inspect README.md.prova       say what is in it
  prova verkle prove README.md --at 0,7 --force
                                      commit to it in a Verkle tree's way, prove two openings
  prova hash prove README.md --force  prove the digests of its 64-byte blocks
  prova whir estimate --vars 24       size, work and memory of a proof, before any work
  prova whir prove README.md --backend auto --force
                                      the same on a GPU, if there is one

EXIT CODES
  0  done; for `verify`: the proof is valid
  1  the proof was read and rejected
  2  malformed input, bad arguments, unsupported version
  3  a resource limit would be exceeded, or a device failed
  4  cancelled; nothing half-written is left";

/// Options of every command.
#[derive(Args, Clone, Copy, Debug)]
pub struct Global {
    /// Print the result, or the error, as one JSON object on stdout.
    #[arg(long, global = true)]
    pub json: bool,
    /// No progress bar and no notes on stderr.
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// WHIR commitments to multilinear polynomials.
    #[command(subcommand, arg_required_else_help = true)]
    Whir(WhirCommand),
    /// Verkle commitments, multiproofs, witnesses and trees.
    #[command(subcommand, arg_required_else_help = true)]
    Verkle(VerkleCommand),
    /// Batches of BLAKE2s compressions.
    #[command(subcommand, arg_required_else_help = true)]
    Hash(HashCommand),
    /// Proofs of executions of the lean VM.
    #[command(subcommand, arg_required_else_help = true)]
    Vm(VmCommand),
    /// RISC-V programs: run them, and see where their cycles go.
    #[command(subcommand, arg_required_else_help = true)]
    Riscv(RiscvCommand),
    /// Hash-based signatures (XMSS over BLAKE2s).
    #[command(subcommand, arg_required_else_help = true)]
    Xmss(XmssCommand),
    /// Verify a proof file of any system.
    Verify(Box<VerifyArgs>),
    /// Say what a proof file holds, without verifying it.
    Inspect(InspectArgs),
    /// Measure against peers.
    #[command(arg_required_else_help = true)]
    Bench(crate::bench::BenchArgs),
    /// Say what this build and this machine can do.
    #[command(after_help = "EXAMPLES\n  prova info\n  prova info --json")]
    Info,
}

/// What to do with WHIR.
#[derive(Subcommand, Debug)]
#[command(after_help = WHIR_EXAMPLES)]
pub enum WhirCommand {
    /// Commit to a file or to pseudo-random values and prove openings.
    Prove(Box<ProveArgs>),
    /// Print the commitment only.
    Commit(Box<CommitArgs>),
    /// Say what a proof will cost, before any work.
    Estimate(Box<EstimateArgs>),
    /// Search folding and rate schedules that meet a security target.
    Tune(Box<TuneArgs>),
}

const WHIR_EXAMPLES: &str = "\
EXAMPLES
  prova whir prove data.bin --preset unique-100
  prova whir prove data.bin --backend gpu --gpu-max-bytes 2GiB
  prova whir commit data.bin
  prova whir estimate --vars 22 --fold 5 --log-inv-rate 2
  prova whir tune --vars 22 --objective size";
