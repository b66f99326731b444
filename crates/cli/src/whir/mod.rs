//! `prova whir`.

pub mod commit;
mod cost;
pub mod estimate;
mod estimate_gpu;
mod feasible;
mod job;
mod points;
mod profile;
pub mod prove;
mod run;
mod schedules;
pub mod show;
pub mod tune;

use crate::args::WhirCommand;
use crate::error::Failure;
use crate::output::{Output, Report};

/// Runs a `prova whir` command.
///
/// # Errors
/// Whatever the command fails with.
pub fn run(command: &WhirCommand, output: Output) -> Result<Report, Failure> {
    match command {
        WhirCommand::Prove(args) => prove::run(args, output),
        WhirCommand::Commit(args) => commit::run(args, output),
        WhirCommand::Estimate(args) => estimate::run(args),
        WhirCommand::Tune(args) => tune::run(args),
    }
}
