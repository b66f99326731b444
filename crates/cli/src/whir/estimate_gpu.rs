//! What a proof would ask of a GPU: counted on a device that runs nothing.

use prova_whir::{Params, Shape};
use serde_json::json;

use crate::device::{self, report, work};
use crate::error::Failure;
use crate::front::{GpuEstimate, Limits, Mode, ProveError, estimate_gpu};
use crate::memsize::MemSize;
use crate::output::Report;
use crate::params_args::ParamArgs;
use crate::text::fields;

use super::job;

/// The largest binding that kernels index.
const MAX_BINDING: u64 = 1 << 33;

/// The device that is counted on.
///
/// WebGPU's limits on the size of a binding and of a buffer are far below what adapters with that
/// much memory offer, so both follow the memory; the limits that shape kernels are WebGPU's, so no
/// adapter does the work in more dispatches.
fn limits(memory: Option<u64>) -> Limits {
    let memory = memory.unwrap_or(u64::MAX);
    Limits {
        memory,
        binding: memory.min(MAX_BINDING),
        buffer: memory,
        ..Limits::WEBGPU
    }
}

/// Counts.
///
/// # Errors
/// Exit code 3 when no memory plan fits.
pub fn run(
    args: &ParamArgs,
    params: &Params,
    shape: Shape,
    points: usize,
    mode: Mode,
    memory: Option<u64>,
) -> Result<Report, Failure> {
    let limits = limits(memory);
    let estimate =
        estimate_gpu(params, shape, points, limits, mode).map_err(|error| match error {
            ProveError::Device(error) => device::failure(&error, false),
            other => job::explain(args, shape, points, other),
        })?;
    Ok(Report {
        text: text(&estimate, mode, memory),
        json: json!({
            "mode": mode.name(),
            "memory_bytes": memory,
            "binding_bytes": limits.binding,
            "plan": report::plan_json(&estimate.plan),
            "peak_bytes": estimate.peak_bytes,
            "leanest_peak_bytes": estimate.leanest_peak_bytes,
            "work": work::json(&estimate.ledger),
        }),
    })
}

fn text(estimate: &GpuEstimate, mode: Mode, memory: Option<u64>) -> String {
    let limit = memory.map_or("unlimited".to_string(), |bytes| MemSize(bytes).to_string());
    let head = fields(&[
        ("GPU mode", mode.to_string()),
        ("GPU memory", limit),
        ("device plan", estimate.plan.to_string()),
        (
            "device memory",
            format!(
                "{} at peak, {} with the leanest plan ({} bytes)",
                MemSize(estimate.peak_bytes),
                MemSize(estimate.leanest_peak_bytes),
                estimate.leanest_peak_bytes
            ),
        ),
    ]);
    let families = work::families_text(&estimate.ledger);
    let kernels = work::text(&estimate.ledger);
    format!("{head}\n\n{families}\n\n{kernels}")
}
