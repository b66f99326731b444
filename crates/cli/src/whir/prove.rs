//! `prova whir prove`.

use std::path::{Path, PathBuf};

use clap::Args;
use prova_proof_file::{ProofFile, System};
use prova_whir::FORMAT_VERSION;
use serde_json::json;

use crate::device::report::Device;
use crate::error::Failure;
use crate::front::{Proved, Request};
use crate::outfile::OutFile;
use crate::output::{Output, Report};
use crate::text::{duration, fields, hex, thousands};

use super::job::{self, Job, JobArgs};
use super::points;
use super::profile::{Finished, Profile};
use super::run::Runner;
use super::show;

/// Arguments of `prova whir prove`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
pub struct ProveArgs {
    #[command(flatten)]
    job: JobArgs,
    /// Points drawn from the transcript, at which every column is opened.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..),
        conflicts_with = "at",
        help_heading = "Openings"
    )]
    points: u16,
    /// JSON file of given points (see --help).
    #[arg(long, value_name = "FILE", help_heading = "Openings")]
    at: Option<PathBuf>,
    /// Proof file to write [default: INPUT.prova, or proof.prova with --random].
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Overwrite the proof file if there is one.
    #[arg(long, help_heading = "Output")]
    force: bool,
    /// Print where the time went.
    #[arg(long, help_heading = "Output")]
    profile: bool,
    /// Write the proof without verifying it first.
    #[arg(long, help_heading = "Output")]
    no_self_check: bool,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova whir prove README.md
  prova whir prove elements.bin --format u32 --columns 8 --points 2
  prova whir prove --random 1 --vars 20 --fold 4 --profile --out random.prova
  prova whir prove data.bin --preset apple-90 --threads 2 --mem-limit 4GiB
  prova whir prove data.bin --backend auto
  prova whir prove data.bin --backend gpu --gpu-max-bytes 2GiB --profile";

fn long_help() -> String {
    format!(
        "{EXAMPLES}\n\n{}\n\n{}",
        crate::input::FORMATS,
        points::FORM
    )
}

/// Proves and writes the proof file.
///
/// # Errors
/// Bad arguments or input, infeasible parameters, too little memory, a device that fails, a signal,
/// a failed self-check.
pub fn run(args: &ProveArgs, output: Output) -> Result<Report, Failure> {
    let mut profile = Profile::start();
    let job = args.job.look()?;
    let shape = job.input.shape;
    let request = match &args.at {
        None => Request::Drawn {
            count: usize::from(args.points),
        },
        Some(path) => Request::Given(points::read(path, &job.params, shape)?),
    };
    let openings = match &request {
        Request::Drawn { count } => *count,
        Request::Given(points) => points.len(),
    };
    let estimate = job::checked_estimate(&args.job.params, shape, openings)?;
    let device = &args.job.device;
    let chosen = profile.time("device", || {
        device.choose(shape.stacked_variables(), args.profile)
    })?;
    if chosen.is_cpu() {
        job.check_memory(estimate.leanest_peak_bytes)?;
    }
    let path = out_path(args)?;
    let out = OutFile::create(&path, args.force)?;

    let runner = Runner {
        args: &args.job,
        job: &job,
        openings,
        self_check: !args.no_self_check,
        output,
    };
    let (proved, device) = runner.prove(chosen, &request, &mut profile)?;

    let file = ProofFile {
        system: System::Whir,
        version: FORMAT_VERSION,
        params: &job.params.to_bytes(),
        statement: &proved.statement.to_bytes(),
        body: &proved.body,
    };
    let bytes = file.to_bytes().map_err(Failure::malformed)?;
    profile.time("output", || out.finish(&bytes))?;
    report(
        args,
        &job,
        &proved,
        &device,
        &path,
        bytes.len() as u64,
        &profile.stop(),
    )
}

/// Where the proof goes; never onto the input.
fn out_path(args: &ProveArgs) -> Result<PathBuf, Failure> {
    let input = args.job.input.input.as_deref();
    let path = match (&args.out, input) {
        (Some(path), _) => path.clone(),
        (None, Some(input)) => {
            let mut name = input.as_os_str().to_os_string();
            name.push(".prova");
            PathBuf::from(name)
        }
        (None, None) => PathBuf::from("proof.prova"),
    };
    let same = |other: &Path| {
        other
            .canonicalize()
            .ok()
            .zip(path.canonicalize().ok())
            .is_some_and(|(a, b)| a == b)
    };
    if input.is_some_and(same) {
        return Err(Failure::malformed(
            "--out names the input file, expected another",
        ));
    }
    Ok(path)
}

fn report(
    args: &ProveArgs,
    job: &Job,
    proved: &Proved,
    device: &Device,
    path: &Path,
    file_bytes: u64,
    profile: &Finished,
) -> Result<Report, Failure> {
    let (params, statement) = (&job.params, &proved.statement);
    let degree = params.extension_degree;
    let security = show::security(params, statement).map_err(Failure::malformed)?;
    let checked = if args.no_self_check {
        "not checked"
    } else {
        "checked"
    };
    let mut lines = vec![
        ("commitment", hex(&statement.commitment)),
        ("input", job.input.describe()),
        ("table", show::shape_line(statement.shape)),
        ("parameters", show::params_line(params)),
        ("security", show::security_line(params, &security)),
        ("openings", show::openings_line(statement)),
        ("values", show::values_text(statement, degree)),
        (
            "proof",
            format!(
                "{}, {} bytes, {checked}",
                path.display(),
                thousands(file_bytes)
            ),
        ),
        ("time", duration(profile.wall)),
        ("plan", show::plan_line(&proved.plan)),
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
        "schema": "prova.whir.prove/1",
        "file": path.display().to_string(),
        "file_bytes": file_bytes,
        "body_bytes": proved.body.len(),
        "self_checked": !args.no_self_check,
        "params": show::params_json(params),
        "statement": show::statement_json(statement, degree),
        "security": show::security_json(params, &security),
        "plan": show::plan_json(&proved.plan),
        "backend": device.json(args.profile),
        "time_ms": profile.wall.as_secs_f64() * 1e3,
    });
    if args.profile {
        json["profile"] = profile.json();
    }
    Ok(Report { text, json })
}
