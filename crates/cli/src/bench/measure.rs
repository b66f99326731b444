//! One cell: is it feasible, does it fit, how long does it take.

use std::collections::BTreeMap;
use std::time::Duration;

use prova_whir::Shape;
use rayon::ThreadPool;

use super::args::WhirArgs;
use super::grid::Cell;
use super::results::{Row, Side as Half};
use super::sides::{self, Proof, Run, RunError, Side, Task};
use super::stats::Spread;
use crate::error::Failure;
use crate::front::{Estimate, ProveError, Stage, estimate};
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
    /// `reference` is the proof that every one of ours must equal, once there is one.
    pub fn measure(
        &self,
        pool: &ThreadPool,
        runs: usize,
        stock: bool,
        reference: &mut Option<Proof>,
    ) -> Result<Row, Stopped> {
        let sides: &[Side] = if stock {
            &[Side::Stock, Side::Prova]
        } else {
            &[Side::Prova]
        };
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut same_proof = false;
        for round in 0..=runs {
            // Neither prover always finds the caches and the clock as the other left them.
            let turn = |index: usize| sides[(index + round) % sides.len()];
            for side in (0..sides.len()).map(turn) {
                if signals::cancelled() {
                    return Err(Stopped::Failed(Failure::cancelled()));
                }
                let run = pool
                    .install(|| sides::run(side, &self.task))
                    .map_err(|error| self.stopped(side, error))?;
                match (side, reference.as_ref()) {
                    (Side::Prova, None) => *reference = Some(run.proof.clone()),
                    (Side::Prova, Some(first)) if *first != run.proof => {
                        return Err(Stopped::Defect(format!(
                            "{}, {} threads, run {round}: the proof is not that of the first run",
                            self.cell,
                            pool.current_num_threads()
                        )));
                    }
                    (Side::Stock, Some(ours)) => same_proof |= *ours == run.proof,
                    _ => {}
                }
                if round > 0 {
                    match side {
                        Side::Stock => theirs.push(run),
                        Side::Prova => ours.push(run),
                    }
                }
            }
        }
        Ok(Row {
            cell: self.cell,
            threads: pool.current_num_threads(),
            security_bits: self.task.params.security_bits,
            lowered: self.lowered,
            expected_grinding_calls: self.estimate.grinding,
            stock: stock.then(|| half(&theirs)),
            prova: half(&ours),
            same_proof,
        })
    }

    fn stopped(&self, side: Side, error: RunError) -> Stopped {
        let name = match side {
            Side::Stock => "stock",
            Side::Prova => "prova",
        };
        match error {
            RunError::Prove(ProveError::Cancelled(_)) => Stopped::Failed(Failure::cancelled()),
            RunError::Prove(error) => Stopped::Skip(format!("{name}: {error}")),
            RunError::Refused(reason) => Stopped::Defect(format!(
                "{}: a proof by {name} is refused by the stock verifier: {reason}",
                self.cell
            )),
        }
    }
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
