//! What was used, for reports.

use serde_json::{Value, json};

use super::args::Backend;
use super::work;
use crate::front::{AdapterInfo, GpuMachine, Ledger, MemoryPlan, Mode};
use crate::memsize::MemSize;

/// The device of a finished run.
#[derive(Debug)]
pub struct Device {
    asked: Backend,
    used: Used,
}

#[derive(Debug)]
enum Used {
    Cpu { fallback: Option<String> },
    Gpu(Box<GpuRun>),
}

#[derive(Debug)]
struct GpuRun {
    info: AdapterInfo,
    mode: Mode,
    multiply: &'static str,
    plan: Option<MemoryPlan>,
    peak_bytes: u64,
    ledger: Ledger,
}

impl Device {
    /// A run on the CPU.
    pub const fn cpu(asked: Backend, fallback: Option<String>) -> Self {
        Self {
            asked,
            used: Used::Cpu { fallback },
        }
    }

    /// A run that `machine` has just done; takes its counters.
    pub fn gpu(asked: Backend, machine: &GpuMachine) -> Self {
        Self {
            asked,
            used: Used::Gpu(Box::new(GpuRun {
                info: machine.info().clone(),
                mode: machine.mode(),
                multiply: machine.multiply().name(),
                plan: machine.last_plan(),
                peak_bytes: machine.gpu().peak_bytes(),
                ledger: machine.gpu().take_ledger(),
            })),
        }
    }

    /// Lines of the text report.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let run = match &self.used {
            Used::Cpu { fallback: None } => return vec![("backend", "cpu".to_string())],
            Used::Cpu {
                fallback: Some(reason),
            } => return vec![("backend", format!("cpu, GPU not used: {reason}"))],
            Used::Gpu(run) => run,
        };
        let plan = run.plan.map_or(String::new(), |plan| format!("{plan}, "));
        vec![
            ("backend", "gpu".to_string()),
            ("adapter", adapter_line(&run.info)),
            (
                "mode",
                format!("{}, products by {}", run.mode, run.multiply),
            ),
            (
                "device plan",
                format!("{plan}peak {}", MemSize(run.peak_bytes)),
            ),
        ]
    }

    /// Work by kernel, if a GPU was used.
    pub fn profile_text(&self) -> Option<String> {
        match &self.used {
            Used::Cpu { .. } => None,
            Used::Gpu(run) => Some(work::text(&run.ledger)),
        }
    }

    /// As JSON; with work by kernel if `profile`.
    pub fn json(&self, profile: bool) -> Value {
        let mut json = json!({ "asked": self.asked.name() });
        match &self.used {
            Used::Cpu { fallback } => {
                json["used"] = "cpu".into();
                if let Some(reason) = fallback {
                    json["fallback"] = reason.as_str().into();
                }
            }
            Used::Gpu(run) => {
                json["used"] = "gpu".into();
                json["adapter"] = run.info.name.as_str().into();
                json["api"] = run.info.backend.as_str().into();
                json["kind"] = run.info.kind.as_str().into();
                json["driver"] = run.info.driver.as_str().into();
                json["mode"] = run.mode.name().into();
                json["multiply"] = run.multiply.into();
                json["plan"] = run.plan.as_ref().map_or(Value::Null, plan_json);
                json["peak_bytes"] = run.peak_bytes.into();
                if profile {
                    json["work"] = work::json(&run.ledger);
                }
            }
        }
        json
    }
}

/// Name, API, kind and driver on one line.
pub fn adapter_line(info: &AdapterInfo) -> String {
    format!(
        "{} ({}, {}), driver {}",
        info.name,
        info.backend,
        info.kind,
        if info.driver.is_empty() {
            "unknown"
        } else {
            &info.driver
        }
    )
}

/// A device memory plan as JSON.
pub fn plan_json(plan: &MemoryPlan) -> Value {
    json!({
        "description": plan.to_string(),
        "keep_codewords": plan.keep_codewords,
        "level_stride": plan.level_stride,
        "one_coset": plan.one_coset,
        "spill": plan.spill,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_says_why_it_was_used() {
        let plain = Device::cpu(Backend::Cpu, None);
        assert_eq!(plain.json(true), json!({ "asked": "cpu", "used": "cpu" }));
        assert_eq!(plain.fields(), [("backend", "cpu".to_string())]);
        let fallen = Device::cpu(Backend::Auto, Some("no adapter".into()));
        assert_eq!(
            fallen.json(false),
            json!({ "asked": "auto", "used": "cpu", "fallback": "no adapter" })
        );
        assert!(fallen.fields()[0].1.contains("no adapter"));
        assert_eq!(fallen.profile_text(), None);
    }
}
