//! What a benchmark finds out; its JSON form is this, field by field.

use std::collections::BTreeMap;

use serde::Serialize;

use super::gpu::KernelProfile;
use super::grid::Cell;
use super::header::Header;
use super::stats::{Spread, geomean};

/// Name and version of the JSON form.
pub const SCHEMA: &str = "prova.bench.whir/1";

/// A whole benchmark.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Where, when and how it was measured.
    pub header: Header,
    /// One row a cell and thread count.
    pub rows: Vec<Row>,
    /// Cells, or the published prover's half of them, that were not run.
    pub skipped: Vec<Skipped>,
    /// Proofs that were wrong: defects.
    pub defects: Vec<String>,
    /// One summary a thread count.
    pub summary: Vec<Summary>,
    /// One summary a thread count and GPU mode.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gpu_summary: Vec<GpuSummary>,
    /// Where the GPU's time went, one entry a cell and mode, from runs of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kernels: Vec<KernelProfile>,
}

/// One cell on one number of threads.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// Threads.
    pub threads: usize,
    /// Bits of every error term.
    pub security_bits: usize,
    /// Whether that is less than was asked for, because the cell is infeasible there.
    pub lowered: bool,
    /// Hash calls that all proofs-of-work are expected to take, of either prover.
    pub expected_grinding_calls: f64,
    /// The published prover.
    pub stock: Option<Side>,
    /// Ours, on the CPU.
    pub prova: Side,
    /// Ours on a GPU, one side a mode; a mode that failed is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gpu: Vec<GpuSide>,
    /// Whether some proof of the published prover is byte for byte ours.
    pub same_proof: bool,
}

/// One prover's half of a row. Times are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Side {
    /// Commit and open together.
    pub total_ms: Spread,
    /// Commit.
    pub commit_ms: Spread,
    /// Open, claims included.
    pub open_ms: Spread,
    /// Proof-of-work, part of open.
    pub grinding_ms: Spread,
    /// Total less proof-of-work.
    pub rest_ms: Spread,
    /// The stock verifier.
    pub verify_ms: Spread,
    /// Most bytes held at once in any run.
    pub peak_bytes: u64,
    /// Proof body.
    pub proof_bytes: usize,
    /// Total of each run, in order.
    pub runs_ms: Vec<f64>,
    /// Median of each stage; our prover only.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stages_ms: BTreeMap<&'static str, f64>,
}

/// One mode's part of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpuSide {
    /// What ran on the GPU.
    pub mode: &'static str,
    /// How its kernels multiply.
    pub multiply: &'static str,
    /// Its memory plan in words, if it followed one.
    pub plan: Option<String>,
    /// Most bytes of device memory held at once in any run; `peak_bytes` is host memory.
    pub device_peak_bytes: u64,
    /// Times and sizes.
    #[serde(flatten)]
    pub side: Side,
}

/// A cell that was not run, whole or in part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// What kind of reason.
    pub kind: SkipKind,
    /// Why.
    pub reason: String,
}

/// Why a cell was not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipKind {
    /// No parameters.
    Infeasible,
    /// Not enough memory.
    Memory,
    /// Not enough memory for the published prover; ours was run alone.
    StockMemory,
    /// A prover gave up.
    Prover,
    /// The GPU failed in some mode; the other sides were run.
    Gpu,
}

/// All rows of one number of threads that have both halves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Threads.
    pub threads: usize,
    /// Rows.
    pub cells: usize,
    /// Geometric mean of stock's median time over ours.
    pub time_ratio: f64,
    /// The same, proof-of-work left out on both sides.
    pub time_ratio_without_grinding: f64,
    /// The smallest time ratio.
    pub min_time_ratio: f64,
    /// Where.
    pub min_time_cell: Cell,
    /// Geometric mean of our peak memory over stock's.
    pub memory_ratio: f64,
    /// The largest memory ratio.
    pub max_memory_ratio: f64,
    /// Where.
    pub max_memory_cell: Cell,
}

/// All rows of one number of threads that one GPU mode has done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpuSummary {
    /// Threads of the CPU side.
    pub threads: usize,
    /// The mode.
    pub mode: &'static str,
    /// Rows.
    pub cells: usize,
    /// Geometric mean of the CPU's median time over the GPU's, our prover both times.
    pub cpu_ratio: f64,
    /// The smallest of these ratios.
    pub min_cpu_ratio: f64,
    /// Where.
    pub min_cpu_cell: Cell,
    /// Geometric mean of stock's median time over the GPU's, where stock was run.
    pub stock_ratio: Option<f64>,
}

impl Row {
    /// The side of a mode.
    pub fn mode(&self, mode: &str) -> Option<&GpuSide> {
        self.gpu.iter().find(|side| side.mode == mode)
    }

    /// Our median time on the CPU over that in a GPU mode.
    pub fn cpu_ratio(&self, mode: &str) -> Option<f64> {
        let gpu = self.mode(mode)?;
        Some(self.prova.total_ms.median / gpu.side.total_ms.median)
    }

    /// Stock's median time over ours in a GPU mode.
    fn stock_over_gpu(&self, mode: &str) -> Option<f64> {
        let (stock, gpu) = (self.stock.as_ref()?, self.mode(mode)?);
        Some(stock.total_ms.median / gpu.side.total_ms.median)
    }

    /// Stock's median time over ours.
    pub fn time_ratio(&self) -> Option<f64> {
        let stock = self.stock.as_ref()?;
        Some(stock.total_ms.median / self.prova.total_ms.median)
    }

    /// The same without proof-of-work.
    pub fn rest_ratio(&self) -> Option<f64> {
        let stock = self.stock.as_ref()?;
        Some(stock.rest_ms.median / self.prova.rest_ms.median)
    }

    /// Our peak memory over stock's.
    pub fn memory_ratio(&self) -> Option<f64> {
        let stock = self.stock.as_ref()?;
        Some(self.prova.peak_bytes as f64 / stock.peak_bytes.max(1) as f64)
    }

    /// The cell, with the security level where it was lowered.
    pub fn label(&self) -> String {
        if self.lowered {
            format!("{} ({} bits)", self.cell, self.security_bits)
        } else {
            self.cell.to_string()
        }
    }
}

/// Numbers of threads, in order of appearance.
fn threads(rows: &[Row]) -> Vec<usize> {
    let mut threads: Vec<usize> = Vec::new();
    for row in rows {
        if !threads.contains(&row.threads) {
            threads.push(row.threads);
        }
    }
    threads
}

/// Summaries of the modes, one a thread count and mode, in order of appearance.
pub fn summarise_gpu(rows: &[Row], modes: &[&'static str]) -> Vec<GpuSummary> {
    let summary = |threads: usize, mode: &'static str| {
        let rows = || rows.iter().filter(move |row| row.threads == threads);
        let ratios = || rows().filter_map(|row| Some((row.cpu_ratio(mode)?, row.cell)));
        let (min_cpu_ratio, min_cpu_cell) = ratios().min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(GpuSummary {
            threads,
            mode,
            cells: ratios().count(),
            cpu_ratio: geomean(ratios().map(|(ratio, _)| ratio))?,
            min_cpu_ratio,
            min_cpu_cell,
            stock_ratio: geomean(rows().filter_map(|row| row.stock_over_gpu(mode))),
        })
    };
    threads(rows)
        .into_iter()
        .flat_map(|threads| modes.iter().filter_map(move |&mode| summary(threads, mode)))
        .collect()
}

/// Summaries of the rows, one a thread count, in order of appearance.
pub fn summarise(rows: &[Row]) -> Vec<Summary> {
    threads(rows)
        .into_iter()
        .filter_map(|threads| summary(rows, threads))
        .collect()
}

fn summary(rows: &[Row], threads: usize) -> Option<Summary> {
    let rows = || {
        rows.iter()
            .filter(|row| row.threads == threads && row.stock.is_some())
    };
    let of = |ratio: fn(&Row) -> Option<f64>| {
        rows().filter_map(move |row| ratio(row).map(|value| (value, row.cell)))
    };
    let (min_time_ratio, min_time_cell) = of(Row::time_ratio).min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (max_memory_ratio, max_memory_cell) =
        of(Row::memory_ratio).max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Summary {
        threads,
        cells: rows().count(),
        time_ratio: geomean(of(Row::time_ratio).map(|(ratio, _)| ratio))?,
        time_ratio_without_grinding: geomean(of(Row::rest_ratio).map(|(ratio, _)| ratio))?,
        min_time_ratio,
        min_time_cell,
        memory_ratio: geomean(of(Row::memory_ratio).map(|(ratio, _)| ratio))?,
        max_memory_ratio,
        max_memory_cell,
    })
}
