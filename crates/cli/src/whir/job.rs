//! What `prove` and `commit` do before and around the prover.

use std::sync::Arc;

use clap::Args;
use prova_whir::{Params, Shape};

use crate::device::{self, args::DeviceArgs};
use crate::error::Failure;
use crate::front::{Estimate, Options, ProveError, Table, estimate};
use crate::input::{Input, InputArgs};
use crate::output::Output;
use crate::params_args::ParamArgs;
use crate::progress::Watch;
use crate::resources::Resources;

use super::feasible;

/// Options of every command that runs the prover.
#[derive(Args, Clone, Debug)]
pub struct JobArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub params: ParamArgs,
    #[command(flatten)]
    pub resources: Resources,
    #[command(flatten)]
    pub device: DeviceArgs,
}

/// A checked job: nothing is read or allocated yet.
pub struct Job {
    /// The input.
    pub input: Input,
    /// The parameters.
    pub params: Params,
    /// Most bytes to use. Asked of the system once, before the input takes its share.
    pub limit: Option<u64>,
}

impl Job {
    /// Refuses a need over the limit.
    ///
    /// # Errors
    /// Exit code 3.
    pub fn check_memory(&self, need: u64) -> Result<(), Failure> {
        match self.limit {
            Some(limit) if need > limit => Err(Failure::memory(need, limit)),
            _ => Ok(()),
        }
    }

    /// Reads the input.
    ///
    /// # Errors
    /// A table over the memory limit, or whatever reading fails with.
    pub fn read(&self) -> Result<Table, Failure> {
        self.check_memory(self.input.table_bytes())?;
        let values = self.input.read(self.params.field)?;
        Ok(Table {
            shape: self.input.shape,
            values,
        })
    }

    /// Options for the prover.
    pub fn options(&self, self_check: bool, output: Output) -> Options {
        let observer = Arc::new(Watch::new(output));
        Options {
            mem_limit: self.limit,
            self_check,
            observer,
        }
    }
}

impl JobArgs {
    /// Looks at the input and derives the parameters.
    ///
    /// # Errors
    /// Bad arguments or input.
    pub fn look(&self) -> Result<Job, Failure> {
        let input = self.input.look(self.params.first_fold())?;
        let params = self.params.params(input.shape.stacked_variables());
        Ok(Job {
            input,
            params,
            limit: self.resources.limit(),
        })
    }
}

/// Estimates a run, or says which parameters would do.
///
/// # Errors
/// Parameters that do not fit, with suggestions; a statement too large for a proof file.
pub fn checked_estimate(
    args: &ParamArgs,
    shape: Shape,
    openings: usize,
) -> Result<Estimate, Failure> {
    let params = args.params(shape.stacked_variables());
    check_statement(&params, shape, openings)?;
    estimate(&params, shape, openings).map_err(|error| explain(args, shape, openings, error))
}

/// Refuses a statement that no proof file could hold.
///
/// # Errors
/// Too many opened values.
pub fn check_statement(params: &Params, shape: Shape, openings: usize) -> Result<(), Failure> {
    let values = openings.saturating_mul(shape.columns);
    let statement = values.saturating_mul(4 * params.extension_degree) as u64;
    if statement > prova_proof_file::MAX_STATEMENT_LEN {
        return Err(Failure::malformed(format_args!(
            "{openings} points of {} columns give a statement of {statement} bytes, expected at \
             most {}",
            shape.columns,
            prova_proof_file::MAX_STATEMENT_LEN
        )));
    }
    Ok(())
}

/// The failure of a prover's error, with the nearest parameters that fit if there are none.
pub fn explain(args: &ParamArgs, shape: Shape, openings: usize, error: ProveError) -> Failure {
    match error {
        ProveError::Config(error) => {
            Failure::malformed(format_args!("the parameters do not fit: {error}"))
                .with_suggestions(feasible::nearest_feasible(args, shape, openings))
        }
        ProveError::Memory(over) => Failure::memory(over.need, over.limit),
        ProveError::Cancelled(_) => Failure::cancelled(),
        ProveError::Device(error) => device::failure(&error, true),
        ProveError::SelfCheck(_) => Failure::rejected(error),
        other => Failure::malformed(other),
    }
}
