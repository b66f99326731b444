//! One cell: is it feasible, does it fit, how long does it take.

use std::collections::BTreeMap;
use std::time::Duration;

use prova_whir::Shape;
use rayon::ThreadPool;

use super::args::WhirArgs;
use super::grid::Cell;
use super::results::{GpuSide, Row, Side as Half};
use super::sides::{self, Proof, Run, RunError, Side, Task};
use super::stats::Spread;
use crate::error::Failure;
use crate::front::{DeviceError, Estimate, GpuMachine, Mode, ProveError, Stage, estimate};
use crate::memsize::MemSize;
use crate::signals;

/// The lowest security level worth measuring at.
const MIN_SECURITY: usize = 40;

/// A feasible cell.
#[derive(Clone, Debug)]
pub struct Job {
    /// The cell.
    pub cell: Cell,
    /// What to prove.
    pub task: Task,
    /// What it will cost.
    pub estimate: Estimate,
    /// Whether the security level had to be lowered.
    pub lowered: bool,
}

impl Job {
    /// Derives the parameters of a cell; the error says why there are none.
    pub fn plan(args: &WhirArgs, cell: Cell) -> Result<Self, String> {
        let mut params = args.params(cell);
        let shape = Shape {
            num_variables: cell.vars,
            columns: 1,
        };
        let points = usize::from(args.points);
        let first = match estimate(&params, shape, points) {
            Ok(estimate) => return Ok(Self::new(args, cell, params, shape, estimate, false)),
            Err(error) => error,
        };
        let wanted = params.security_bits;
        for bits in (MIN_SECURITY..wanted).rev() {
            params.security_bits = bits;
            let Ok(estimate) = estimate(&params, shape, points) else {
                continue;
            };
            if args.nearest {
                return Ok(Self::new(args, cell, params, shape, estimate, true));
            }
            return Err(format!(
                "infeasible at {wanted} bits: {first}; feasible at {bits} bits (see --nearest)"
            ));
        }
        Err(format!("infeasible at {wanted} bits and below: {first}"))
    }

    fn new(
        args: &WhirArgs,
        cell: Cell,
        params: prova_whir::Params,
        shape: Shape,
        estimate: Estimate,
        lowered: bool,
    ) -> Self {
        let points = usize::from(args.points);
        let task = Task {
            params,
            shape,
            points,
            seed: args.seed,
            mem_limit: None,
        };
        Self {
            cell,
            task,
            estimate,
            lowered,
        }
    }

    /// Work of one run, in hash calls: the measure of progress.
    pub fn work(&self) -> f64 {
        self.estimate.permutations as f64 + self.estimate.grinding
    }

    /// Sets the memory limit; the error says that even the leanest plan does not fit.
    pub fn limit_memory(&mut self, limit: Option<u64>) -> Result<(), String> {
        self.task.mem_limit = limit;
        fits(self.estimate.leanest_peak_bytes, limit)
    }

    /// Whether the published prover fits a memory limit; the error says why not.
    pub fn stock_fits(&self, limit: Option<u64>) -> Result<(), String> {
        fits(self.stock_peak_bytes(), limit)
    }

    /// What the published prover may hold at once. Nothing in its interface says, so this is a
    /// guess on the safe side: the first two codewords and their whole trees, which are alive
    /// together, and copies and weight tables worth several messages.
    fn stock_peak_bytes(&self) -> u64 {
        let degree = self.task.params.extension_degree as u64;
        let message = 4_u64 << self.estimate.stacked_variables;
        let commitments = self.estimate.rounds.iter().take(2).enumerate();
        let resident = commitments.map(|(index, round)| {
            let element = if index == 0 { 4 } else { 4 * degree };
            let row = element * round.row_elements as u64 + 2 * 32;
            row.saturating_mul(1 << round.rows_log)
        });
        let resident = resident.fold(0, u64::saturating_add);
        message
            .saturating_mul(8)
            .saturating_add(resident)
            .saturating_add(resident / 10)
    }

    /// Measures on a thread pool: a warm-up and `runs` runs of each prover, run by run in turn.
    ///
    /// `reference` is the proof that every one of ours must equal, once there is one. A device
    /// that fails is left out from then on; the other sides go on.
    pub fn measure(
        &self,
        pool: &ThreadPool,
        runs: usize,
        stock: bool,
        devices: &[GpuMachine],
        reference: &mut Option<Proof>,
    ) -> Result<Measured, Stopped> {
        // The CPU comes before the devices, whose first proofs are compared with its own.
        let sides: Vec<Side<'_>> = stock
            .then_some(Side::Stock)
            .into_iter()
            .chain([Side::Prova])
            .chain(devices.iter().map(Side::Gpu))
            .collect();
        let mut done: Vec<Vec<Run>> = vec![Vec::new(); sides.len()];
        let mut failed: Vec<Option<DeviceError>> = vec![None; sides.len()];
        let mut same_proof = false;
        for round in 0..=runs {
            // Neither prover always finds the caches and the clock as the other left them.
            let turn = |index: usize| (index + round) % sides.len();
            for index in (0..sides.len()).map(turn) {
                if failed[index].is_some() {
                    continue;
                }
                let run = match self.run_once(pool, sides[index], reference) {
                    Ok(run) => run,
                    Err(Stopped::Device(error)) => {
                        failed[index] = Some(error);
                        continue;
                    }
                    Err(stopped) => return Err(stopped),
                };
                if let (Side::Stock, Some(ours)) = (sides[index], reference.as_ref()) {
                    same_proof |= *ours == run.proof;
                }
                if round > 0 {
                    done[index].push(run);
                }
            }
        }
        let first_device = sides.len() - devices.len();
        let gpu = (first_device..sides.len())
            .filter(|&index| failed[index].is_none())
            .map(|index| gpu_side(&devices[index - first_device], &done[index]))
            .collect();
        let failures = failed.into_iter().skip(first_device).zip(devices);
        let failures = failures
            .filter_map(|(error, machine)| Some((machine.mode(), error?)))
            .collect();
        let row = Row {
            cell: self.cell,
            threads: pool.current_num_threads(),
            security_bits: self.task.params.security_bits,
            lowered: self.lowered,
            expected_grinding_calls: self.estimate.grinding,
            stock: stock.then(|| half(&done[0])),
            prova: half(&done[first_device - 1]),
            gpu,
            same_proof,
        };
        Ok(Measured { row, failures })
    }

    /// One run of one prover; a proof of ours is compared with the first.
    pub fn run_once(
        &self,
        pool: &ThreadPool,
        side: Side<'_>,
        reference: &mut Option<Proof>,
    ) -> Result<Run, Stopped> {
        if signals::cancelled() {
            return Err(Stopped::Failed(Failure::cancelled()));
        }
        let run = pool
            .install(|| sides::run(side, &self.task))
            .map_err(|error| self.stopped(side, error))?;
        match (side, reference.as_ref()) {
            (Side::Stock, _) => {}
            (_, None) => *reference = Some(run.proof.clone()),
            (_, Some(first)) if *first != run.proof => {
                return Err(Stopped::Defect(format!(
                    "{}, {} threads: the proof by {} is not that of the first run",
                    self.cell,
                    pool.current_num_threads(),
                    side.name()
                )));
            }
            _ => {}
        }
        Ok(run)
    }

    fn stopped(&self, side: Side<'_>, error: RunError) -> Stopped {
        let name = side.name();
        match error {
            RunError::Prove(ProveError::Cancelled(_)) => Stopped::Failed(Failure::cancelled()),
            RunError::Prove(ProveError::Device(error)) => Stopped::Device(error),
            RunError::Prove(error) => Stopped::Skip(format!("{name}: {error}")),
            RunError::Refused(reason) => Stopped::Defect(format!(
                "{}: a proof by {name} is refused by the stock verifier: {reason}",
                self.cell
            )),
        }
    }
}

/// A finished row, and the modes that are missing in it.
#[derive(Debug)]
pub struct Measured {
    /// The row.
    pub row: Row,
    /// Modes that failed, and why.
    pub failures: Vec<(Mode, DeviceError)>,
}

/// Why a measurement gave no row.
#[derive(Debug)]
pub enum Stopped {
    /// The whole benchmark ends.
    Failed(Failure),
    /// The cell cannot be run.
    Skip(String),
    /// A proof is wrong.
    Defect(String),
    /// A device failed.
    Device(DeviceError),
}

fn fits(need: u64, limit: Option<u64>) -> Result<(), String> {
    match limit {
        Some(limit) if need > limit => Err(format!(
            "needs about {} of memory, the limit is {}",
            MemSize(need),
            MemSize(limit)
        )),
        _ => Ok(()),
    }
}

/// Milliseconds.
fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn gpu_side(machine: &GpuMachine, runs: &[Run]) -> GpuSide {
    let peaks = runs.iter().map(|run| run.device_peak_bytes);
    GpuSide {
        mode: machine.mode().name(),
        multiply: machine.multiply().name(),
        plan: machine.last_plan().map(|plan| plan.to_string()),
        device_peak_bytes: peaks.max().unwrap_or(0),
        side: half(runs),
    }
}

fn half(runs: &[Run]) -> Half {
    let spread = |time: fn(&Run) -> Duration| Spread::of(runs.iter().map(|run| ms(time(run))));
    let total = |run: &Run| run.commit + run.open;
    let mut stages_ms = BTreeMap::new();
    for stage in Stage::ALL {
        let times: Vec<f64> = runs
            .iter()
            .filter_map(|run| Some(ms(run.stages?.get(stage))))
            .collect();
        if !times.is_empty() {
            stages_ms.insert(stage.name(), Spread::of(times).median);
        }
    }
    Half {
        total_ms: spread(total),
        commit_ms: spread(|run| run.commit),
        open_ms: spread(|run| run.open),
        grinding_ms: spread(|run| run.grinding),
        rest_ms: spread(|run| (run.commit + run.open).saturating_sub(run.grinding)),
        verify_ms: spread(|run| run.verify),
        peak_bytes: runs.iter().map(|run| run.peak_bytes).max().unwrap_or(0),
        proof_bytes: runs.first().map_or(0, |run| run.proof.body.len()),
        runs_ms: runs.iter().map(|run| ms(total(run))).collect(),
        stages_ms,
    }
}
