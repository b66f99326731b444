//! `prova whir commit`.

use clap::Args;
use serde_json::json;

use crate::error::Failure;
use crate::output::{Output, Report};
use crate::text::{duration, fields, hex};

use super::job::{self, JobArgs};
use super::profile::Profile;
use super::run::Runner;
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
  prova whir commit --random 1 --vars 20 --hash poseidon2-16 --profile
  prova whir commit README.md --backend gpu --gpu-mode fused";

fn long_help() -> String {
    format!("{EXAMPLES}\n\n{}", crate::input::FORMATS)
}

/// Commits and prints the root.
///
/// # Errors
/// Bad arguments or input, infeasible parameters, too little memory, a device that fails, a signal.
pub fn run(args: &CommitArgs, output: Output) -> Result<Report, Failure> {
    let mut profile = Profile::start();
    let job = args.job.look()?;
    let shape = job.input.shape;
    job::checked_estimate(&args.job.params, shape, 1)?;
    let device = &args.job.device;
    let chosen = profile.time("device", || {
        device.choose(shape.stacked_variables(), args.profile)
    })?;
    let runner = Runner {
        args: &args.job,
        job: &job,
        openings: 1,
        self_check: false,
        output,
    };
    let (committed, device) = runner.commit(chosen, &mut profile)?;
    let profile = profile.stop();

    let root = hex(&committed.root);
    let mut lines = vec![
        ("commitment", root.clone()),
        ("input", job.input.describe()),
        ("table", show::shape_line(shape)),
        ("parameters", show::params_line(&job.params)),
        ("time", duration(profile.wall)),
    ];
    lines.extend(device.fields());
    let mut text = fields(&lines);
    if args.profile {
        for part in [Some(profile.text()), device.profile_text()]
            .iter()
            .flatten()
        {
            text.push_str("\n\n");
            text.push_str(part);
        }
    }
    let mut json = json!({
        "schema": "prova.whir.commit/1",
        "commitment": root,
        "shape": show::shape_json(shape),
        "params": show::params_json(&job.params),
        "backend": device.json(args.profile),
        "time_ms": profile.wall.as_secs_f64() * 1e3,
    });
    if args.profile {
        json["profile"] = profile.json();
    }
    Ok(Report { text, json })
}
