//! `prova whir estimate`.

use clap::Args;
use prova_whir::{Params, Shape};
use serde_json::{Value, json};

use crate::device::args::{Backend, fixed_backend, mode};
use crate::error::Failure;
use crate::front::{Estimate, Mode};
use crate::input::{self, InputArgs};
use crate::memsize::MemSize;
use crate::output::Report;
use crate::params_args::ParamArgs;
use crate::text::{count, fields, table, thousands};

use super::{estimate_gpu, job, show};

/// A shape: from numbers, or from the size of a file.
#[derive(Args, Clone, Debug)]
pub struct ShapeArgs {
    /// File whose size gives the shape; its contents are not read.
    #[arg(required_unless_present = "vars")]
    input: Option<std::path::PathBuf>,
    /// How the file would be read.
    #[arg(long, value_enum, default_value_t, requires = "input")]
    format: input::Format,
    /// Variables of each column [default with a file: the fewest that fit].
    #[arg(long, value_name = "N")]
    vars: Option<usize>,
    /// Columns.
    #[arg(long, value_name = "C", default_value_t = 1)]
    columns: usize,
    /// Opening points.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    points: u16,
}

impl ShapeArgs {
    /// The shape; `first_fold` is the fewest variables a column may have.
    ///
    /// # Errors
    /// Numbers out of range, or a file that cannot be looked at.
    pub fn shape(&self, first_fold: usize) -> Result<Shape, Failure> {
        match (&self.input, self.vars) {
            (Some(path), vars) => {
                let input = InputArgs {
                    input: Some(path.clone()),
                    random: None,
                    format: self.format,
                    columns: self.columns,
                    vars,
                };
                Ok(input.look(first_fold)?.shape)
            }
            (None, Some(vars)) => input::shape(vars, self.columns),
            (None, None) => Err(Failure::malformed("no shape: give --vars or a file")),
        }
    }

    /// Number of opening points.
    pub fn points(&self) -> usize {
        usize::from(self.points)
    }
}

/// Arguments of `prova whir estimate`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct EstimateArgs {
    #[command(flatten)]
    shape: ShapeArgs,
    #[command(flatten)]
    params: ParamArgs,
    /// Estimate the work and the memory of a device too; none has to be there.
    #[arg(long, default_value = "cpu", value_parser = fixed_backend(), help_heading = "Device")]
    backend: Backend,
    /// What runs on the GPU.
    #[arg(long, value_name = "MODE", default_value = "resident", value_parser = mode(), help_heading = "Device")]
    gpu_mode: Mode,
    /// GPU memory, such as 2GiB [default: as much as it takes]. The device is taken to have one
    /// binding and one buffer as large as that, and WebGPU's default limits otherwise.
    #[arg(
        long,
        value_name = "SIZE",
        env = "PROVA_GPU_MAX_BYTES",
        hide_env_values = true,
        help_heading = "Device"
    )]
    gpu_max_bytes: Option<MemSize>,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova whir estimate README.md
  prova whir estimate --vars 24 --fold 5 --log-inv-rate 2
  prova whir estimate --vars 16 --columns 64 --points 3 --preset unique-100 --json
  prova whir estimate --vars 24 --backend gpu --gpu-max-bytes 1GiB";

/// Estimates.
///
/// # Errors
/// Bad arguments or infeasible parameters, or a device that is too small for the leanest plan.
pub fn run(args: &EstimateArgs) -> Result<Report, Failure> {
    let shape = args.shape.shape(args.params.first_fold())?;
    let points = args.shape.points();
    let estimate = job::checked_estimate(&args.params, shape, points)?;
    let params = args.params.params(shape.stacked_variables());
    let mut report = Report {
        text: text(&params, &estimate, points),
        json: json(&params, &estimate, points),
    };
    if args.backend == Backend::Gpu {
        let memory = args.gpu_max_bytes.map(|size| size.0);
        let gpu = estimate_gpu::run(&args.params, &params, shape, points, args.gpu_mode, memory)?;
        report.text.push_str("\n\n");
        report.text.push_str(&gpu.text);
        report.json["gpu"] = gpu.json;
    }
    Ok(report)
}

fn text(params: &Params, estimate: &Estimate, points: usize) -> String {
    let body = &estimate.body;
    let summary = fields(&[
        ("table", show::shape_line(estimate.shape)),
        ("openings", count(points, "point", "points")),
        ("parameters", show::params_line(params)),
        ("security", show::security_line(params, &estimate.security)),
        (
            "proof file",
            format!(
                "{} bytes expected, {} at most ({} of the body fixed, {:.0} Merkle siblings \
                 expected, {} at most)",
                thousands(estimate.file_bytes_expected),
                thousands(estimate.file_bytes_max),
                thousands(body.fixed_bytes as u64),
                body.expected_siblings,
                thousands(body.max_siblings as u64),
            ),
        ),
        (
            "work",
            format!(
                "{} hash calls in trees, {} butterflies in transforms, {} hash calls of \
                 proof-of-work expected (hardest {} bits)",
                thousands(estimate.permutations),
                thousands(estimate.butterflies),
                thousands(estimate.grinding as u64),
                estimate.max_pow_bits,
            ),
        ),
        (
            "memory",
            format!(
                "{} at peak, {} with the leanest plan ({} bytes)",
                MemSize(estimate.peak_bytes),
                MemSize(estimate.leanest_peak_bytes),
                estimate.leanest_peak_bytes
            ),
        ),
    ]);
    let rows: Vec<Vec<String>> = estimate
        .rounds
        .iter()
        .enumerate()
        .map(|(index, round)| {
            vec![
                index.to_string(),
                round.num_variables.to_string(),
                round.fold.to_string(),
                round.log_inv_rate.to_string(),
                format!("2^{}", round.rows_log),
                round.row_elements.to_string(),
                round.queries.to_string(),
                round.query_pow_bits.to_string(),
                round.fold_pow_bits.to_string(),
                round.ood_samples.to_string(),
            ]
        })
        .collect();
    let rounds = table(
        &[
            "round",
            "vars",
            "fold",
            "rate",
            "rows",
            "row",
            "queries",
            "query pow",
            "fold pow",
            "ood",
        ],
        &rows,
    );
    format!(
        "{summary}\n\n{rounds}\n\n{}",
        show::security_table(&estimate.security)
    )
}

fn json(params: &Params, estimate: &Estimate, points: usize) -> Value {
    let rounds: Vec<Value> = estimate
        .rounds
        .iter()
        .map(|round| {
            json!({
                "num_variables": round.num_variables,
                "fold": round.fold,
                "log_inv_rate": round.log_inv_rate,
                "rows_log": round.rows_log,
                "row_elements": round.row_elements,
                "queries": round.queries,
                "query_pow_bits": round.query_pow_bits,
                "fold_pow_bits": round.fold_pow_bits,
                "ood_samples": round.ood_samples,
            })
        })
        .collect();
    json!({
        "schema": "prova.whir.estimate/1",
        "shape": show::shape_json(estimate.shape),
        "points": points,
        "params": show::params_json(params),
        "security": show::security_json(params, &estimate.security),
        "rounds": rounds,
        "statement_bytes": estimate.statement_bytes,
        "body_fixed_bytes": estimate.body.fixed_bytes,
        "body_expected_siblings": estimate.body.expected_siblings,
        "body_max_siblings": estimate.body.max_siblings,
        "file_bytes_expected": estimate.file_bytes_expected,
        "file_bytes_max": estimate.file_bytes_max,
        "tree_hashes": estimate.permutations,
        "butterflies": estimate.butterflies,
        "grinding_hashes": estimate.grinding,
        "max_pow_bits": estimate.max_pow_bits,
        "peak_bytes": estimate.peak_bytes,
        "leanest_peak_bytes": estimate.leanest_peak_bytes,
    })
}
