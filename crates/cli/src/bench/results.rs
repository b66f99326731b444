//! What a benchmark finds out; its JSON form is this, field by field.

use std::collections::BTreeMap;

use serde::Serialize;

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
    /// Ours.
    pub prova: Side,
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

impl Row {
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

/// Summaries of the rows, one a thread count, in order of appearance.
pub fn summarise(rows: &[Row]) -> Vec<Summary> {
    let mut threads: Vec<usize> = Vec::new();
    for row in rows {
        if !threads.contains(&row.threads) {
            threads.push(row.threads);
        }
    }
    threads
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
