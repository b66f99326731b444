//! `prova bench`: whole systems side by side with a peer, in one run.
//!
//! [`whir`] is the loop over cells and thread counts, [`measure`] one cell, [`sides`] the
//! provers behind one form, [`gpu`] the devices and where their time goes; [`results`] is what
//! comes out, [`markdown`] and [`svg`] how it is
//! written.

mod args;
mod gpu;
mod grid;
pub mod header;
mod markdown;
mod measure;
mod progress;
mod results;
mod riscv;
mod sides;
pub mod stats;
mod svg;
#[cfg(test)]
mod tests;
mod timed;
mod verkle;
mod whir;

use clap::{Args, Subcommand};

use crate::error::Failure;
use crate::output::{Output, Report};

/// Arguments of `prova bench`.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct BenchArgs {
    #[command(subcommand)]
    command: BenchCommand,
}

#[derive(Subcommand, Debug)]
enum BenchCommand {
    /// Measure WHIR proofs against the published prover of Plonky3.
    Whir(Box<args::WhirArgs>),
    /// Measure Verkle multiproofs, with arkworks' multi-scalar multiplication as the yardstick.
    Verkle(verkle::VerkleArgs),
    /// Count the cycles of the guests that verify proofs.
    Riscv(riscv::RiscvArgs),
}

/// Runs a benchmark.
///
/// # Errors
/// Bad arguments, a signal, an output folder that cannot be written to, or proofs that are wrong.
pub fn run(args: &BenchArgs, output: Output) -> Result<Report, Failure> {
    match &args.command {
        BenchCommand::Whir(args) => whir::run(args, output),
        BenchCommand::Verkle(args) => verkle::run(args, output),
        BenchCommand::Riscv(args) => riscv::run(args, output),
    }
}
