//! `prova whir commit`.

use clap::Args;
use serde_json::json;

use crate::error::Failure;
use crate::front;
use crate::output::{Output, Report};
use crate::text::{duration, fields, hex};

use super::job::{self, JobArgs};
use super::profile::Profile;
use super::show;

/// Arguments of `prova whir commit`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
pub struct CommitArgs {
    #[command(flatten)]
    job: JobArgs,
    /// Print where the time went.
    #[arg(long, help_heading = "Output")]
    profile: bool,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova whir commit README.md
  prova whir commit elements.bin --format u32 --columns 8
  prova whir commit --random 1 --vars 20 --hash poseidon2-16 --profile";

fn long_help() -> String {
    format!("{EXAMPLES}\n\n{}", crate::input::FORMATS)
}

/// Commits and prints the root.
///
/// # Errors
/// Bad arguments or input, infeasible parameters, too little memory, a signal.
pub fn run(args: &CommitArgs, output: Output) -> Result<Report, Failure> {
    let mut profile = Profile::start();
    let job = args.job.look()?;
    let shape = job.input.shape;
    job::checked_estimate(&args.job.params, shape, 1)?;
    let table = profile.time("input", || job.read())?;
    let options = job.options(false, output);
    let committed = args
        .job
        .resources
        .install(|| front::commit(&job.params, table, &options))?
        .map_err(|error| job::explain(&args.job.params, shape, 1, error))?;
    drop(options);
    profile.prover(&committed.times);
    let profile = profile.stop();

    let root = hex(&committed.root);
    let mut text = fields(&[
        ("commitment", root.clone()),
        ("input", job.input.describe()),
        ("table", show::shape_line(shape)),
        ("parameters", show::params_line(&job.params)),
        ("time", duration(profile.wall)),
    ]);
    if args.profile {
        text.push_str("\n\n");
        text.push_str(&profile.text());
    }
    let mut json = json!({
        "schema": "prova.whir.commit/1",
        "commitment": root,
        "shape": show::shape_json(shape),
        "params": show::params_json(&job.params),
        "time_ms": profile.wall.as_secs_f64() * 1e3,
    });
    if args.profile {
        json["profile"] = profile.json();
    }
    Ok(Report { text, json })
}
