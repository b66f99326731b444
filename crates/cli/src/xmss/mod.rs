//! `prova xmss`.

mod info;
mod keygen;
mod sign;
mod text;
mod verify;

use clap::Subcommand;

use crate::error::Failure;
use crate::output::{Output, Report};

/// What to do with hash-based signatures.
#[derive(Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum XmssCommand {
    /// Generate a key that can sign once at each epoch of a window.
    Keygen(keygen::KeygenArgs),
    /// Sign 32 bytes at an epoch that was never used.
    Sign(sign::SignArgs),
    /// Verify one signature, or many from one file.
    Verify(Box<verify::VerifyArgs>),
    /// Say what a key file holds, its secrets aside.
    Info(info::InfoArgs),
}

const EXAMPLES: &str = "\
EXAMPLES
  prova xmss keygen --out validator.key --first 0 --epochs 4096
  prova xmss sign validator.key --epoch 7 --message 00…2a --out vote.sig
  prova xmss verify --key 0x1f…90 --epoch 7 --message 00…2a --signature vote.sig
  prova xmss verify --batch votes.bin
  prova xmss info validator.key";

/// Runs a `prova xmss` command.
///
/// # Errors
/// Whatever the command fails with.
pub fn run(command: &XmssCommand, output: Output) -> Result<Report, Failure> {
    match command {
        XmssCommand::Keygen(args) => keygen::run(args, output),
        XmssCommand::Sign(args) => sign::run(args),
        XmssCommand::Verify(args) => verify::run(args),
        XmssCommand::Info(args) => info::run(args),
    }
}
