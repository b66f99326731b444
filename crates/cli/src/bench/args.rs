//! Arguments of `prova bench whir`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use prova_whir::presets::{PRESETS, Preset};
use prova_whir::{Field, Folding, HashSuite, Params};

use super::grid::{Cell, Grid};
use super::header::cores;
use crate::device::args::{Backend, GpuArgs, fixed_backend, mode};
use crate::front::Mode;
use crate::machine;
use crate::memsize::MemSize;

/// The peer of a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Peer {
    /// The published prover of `p3-whir`.
    Stock,
    /// Nobody.
    None,
}

/// Arguments of `prova bench whir`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct WhirArgs {
    /// Cells to run [default: quick].
    #[arg(long, value_enum, conflicts_with = "cells")]
    pub grid: Option<Grid>,
    /// Explicit cells: variables, folding factor, log2 of the inverse rate.
    #[arg(long, value_name = "N,FOLD,RATE", num_args = 1..)]
    pub cells: Vec<Cell>,
    /// Named parameter set.
    #[arg(long, value_name = "NAME", default_value = "apple-90", value_parser = preset)]
    pub preset: &'static Preset,
    /// Another hash suite than the preset's.
    #[arg(long, value_name = "SUITE")]
    pub hash: Option<HashSuite>,
    /// Another base field than the preset's.
    #[arg(long)]
    pub field: Option<Field>,
    /// Another extension degree than the preset's.
    #[arg(long, value_name = "4|5", value_parser = clap::value_parser!(u8).range(4..=5))]
    pub degree: Option<u8>,
    /// Lower the security level of an infeasible cell bit by bit until it is feasible.
    #[arg(long)]
    pub nearest: bool,
    /// Points drawn from the transcript, at which the polynomial is opened.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub points: u16,
    /// Numbers of threads [default: 1 and one per core].
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Vec<u16>,
    /// Timed runs of each prover, after one that is not timed.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub runs: u16,
    /// Whom to compare with.
    #[arg(long, value_enum, default_value_t = Peer::Stock)]
    pub against: Peer,
    /// Most memory to use, such as 4GiB [default: what is available before each cell].
    #[arg(long, value_name = "SIZE")]
    pub mem_limit: Option<MemSize>,
    /// Seed of the polynomial's values.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Folder for a JSON, a Markdown and an SVG file of the results; older ones are replaced.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Measure the prover on a GPU too, next to the one on the CPU.
    #[arg(long, default_value = "cpu", value_parser = fixed_backend(), help_heading = "Device")]
    pub backend: Backend,
    /// What runs on the GPU; several are measured and reported one by one.
    #[arg(
        long,
        value_name = "MODE,MODE,…",
        value_delimiter = ',',
        default_value = "resident",
        value_parser = mode(),
        help_heading = "Device"
    )]
    pub gpu_mode: Vec<Mode>,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova bench whir
  prova bench whir --grid apple --nearest --threads 1,2 --out bench/results
  prova bench whir --cells 20,4,1 22,4,1 --hash blake3 --runs 9
  prova bench whir --cells 22,1,6 --against none --mem-limit 16GiB --json
  prova bench whir --cells 20,4,1 --backend gpu --gpu-mode split,resident --against none";

fn preset(name: &str) -> Result<&'static Preset, String> {
    let names = || {
        PRESETS
            .iter()
            .map(|preset| preset.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    Preset::find(name).ok_or_else(|| format!("expected one of: {}", names()))
}

impl WhirArgs {
    /// The cells, by name or one by one.
    pub fn cells(&self) -> Vec<Cell> {
        if self.cells.is_empty() {
            self.grid.unwrap_or(Grid::Quick).cells()
        } else {
            self.cells.clone()
        }
    }

    /// The name of the set of cells.
    pub fn grid_name(&self) -> &'static str {
        if self.cells.is_empty() {
            self.grid.unwrap_or(Grid::Quick).name()
        } else {
            "cells"
        }
    }

    /// The parameters of a cell.
    pub fn params(&self, cell: Cell) -> Params {
        let mut params = self
            .preset
            .params(cell.vars, Folding::Constant(cell.fold), cell.rate);
        params.field = self.field.unwrap_or(params.field);
        params.extension_degree = self.degree.map_or(params.extension_degree, usize::from);
        params.hash = self.hash.unwrap_or(params.hash);
        params
    }

    /// Numbers of threads, given or by default, none twice.
    pub fn threads(&self) -> Vec<usize> {
        let mut threads: Vec<usize> = self.threads.iter().copied().map(usize::from).collect();
        if threads.is_empty() {
            threads = vec![1, cores()];
        }
        let mut seen = Vec::new();
        threads.retain(|&count| {
            !seen.contains(&count) && {
                seen.push(count);
                true
            }
        });
        threads
    }

    /// The modes to measure on a GPU, none twice; none without one.
    pub fn modes(&self) -> Vec<Mode> {
        let mut modes = Vec::new();
        if self.backend == Backend::Gpu {
            for &mode in &self.gpu_mode {
                if !modes.contains(&mode) {
                    modes.push(mode);
                }
            }
        }
        modes
    }

    /// The command that runs this again.
    pub fn command(&self) -> String {
        let list = |items: &mut dyn Iterator<Item = String>, separator: &str| {
            items.collect::<Vec<_>>().join(separator)
        };
        let mut words = vec!["prova bench whir".to_string()];
        let mut push = |name: &str, value: Option<String>| {
            words.extend(value.map(|value| format!("--{name} {value}")));
        };
        if self.cells.is_empty() {
            push("grid", Some(self.grid_name().to_string()));
        } else {
            push(
                "cells",
                Some(list(&mut self.cells.iter().map(Cell::to_string), " ")),
            );
        }
        push("preset", Some(self.preset.name.to_string()));
        push("hash", self.hash.map(|value| value.to_string()));
        push("field", self.field.map(|value| value.to_string()));
        push("degree", self.degree.map(|value| value.to_string()));
        push(
            "points",
            (self.points != 1).then(|| self.points.to_string()),
        );
        let threads = list(&mut self.threads().iter().map(usize::to_string), ",");
        push("threads", Some(threads));
        push("runs", Some(self.runs.to_string()));
        push(
            "against",
            Some(
                if self.against == Peer::Stock {
                    "stock"
                } else {
                    "none"
                }
                .into(),
            ),
        );
        push("mem-limit", self.mem_limit.map(|size| size.0.to_string()));
        push("seed", Some(self.seed.to_string()));
        let modes = self.modes();
        if !modes.is_empty() {
            push("backend", Some("gpu".to_string()));
            let modes = list(&mut modes.iter().map(Mode::to_string), ",");
            push("gpu-mode", Some(modes));
            let adapter = self.gpu.gpu_adapter.as_ref();
            push("gpu-adapter", adapter.map(|name| format!("{name:?}")));
            let bytes = self.gpu.gpu_max_bytes;
            push("gpu-max-bytes", bytes.map(|size| size.0.to_string()));
            let log_n = self.gpu.gpu_max_log_n;
            push("gpu-max-log-n", log_n.map(|log_n| log_n.to_string()));
        }
        if self.nearest {
            words.push("--nearest".to_string());
        }
        words.join(" ")
    }

    /// The name that result files share.
    pub fn file_stem(&self) -> String {
        let any = self.params(Cell {
            vars: 20,
            fold: 1,
            rate: 1,
        });
        let mut stem = format!(
            "whir-{}-{}-{}",
            self.grid_name(),
            self.preset.name,
            any.hash
        );
        let field = self.field.map(|field| field.to_string());
        let degree = self.degree.map(|degree| format!("x{degree}"));
        let gpu = (self.backend == Backend::Gpu).then(|| "gpu".to_string());
        for part in field.into_iter().chain(degree).chain(gpu) {
            stem.push('-');
            stem.push_str(&part);
        }
        stem
    }

    /// The memory limit now: the one given or what is available, whichever is less.
    pub fn limit(&self) -> Option<u64> {
        let given = self.mem_limit.map(|size| size.0);
        given.into_iter().chain(machine::memory().available).min()
    }
}
