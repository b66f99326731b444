//! The provers that are compared, behind one form.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prova_whir::{ConfigError, Field, Params, Shape, Statement, Suite, verify_parts, with_suite};
use prova_whir_prover::stock;

use super::timed::{Timed, take_grinding};
use crate::front::{
    GpuMachine, Observer, Options, ProveError, Proved, Request, Stage, StageTimes, Table, prove,
};
use crate::{alloc, signals};

/// Who proves.
#[derive(Clone, Copy, Debug)]
pub enum Side<'a> {
    /// The published prover of `p3-whir`.
    Stock,
    /// Ours, on the CPU.
    Prova,
    /// Ours, on a GPU.
    Gpu(&'a GpuMachine),
}

impl Side<'_> {
    /// Name in messages.
    pub fn name(self) -> String {
        match self {
            Self::Stock => "stock".to_string(),
            Self::Prova => "prova".to_string(),
            Self::Gpu(machine) => format!("prova on the GPU, mode {}", machine.mode()),
        }
    }
}

/// What a run proves.
#[derive(Clone, Debug)]
pub struct Task {
    /// Parameters.
    pub params: Params,
    /// Shape of the table.
    pub shape: Shape,
    /// Points drawn from the transcript.
    pub points: usize,
    /// Seed of the table's values.
    pub seed: u64,
    /// Most bytes our prover may hold.
    pub mem_limit: Option<u64>,
}

impl Task {
    /// Options of our prover.
    fn options(&self) -> Options {
        Options {
            mem_limit: self.mem_limit,
            self_check: false,
            observer: Arc::new(Stop),
        }
    }
}

/// One verified proof and what it took.
#[derive(Clone, Debug)]
pub struct Run {
    /// Time to commit.
    pub commit: Duration,
    /// Time to open, claims included.
    pub open: Duration,
    /// Time of proof-of-work, within `open`.
    pub grinding: Duration,
    /// Time by stage; our prover only.
    pub stages: Option<StageTimes>,
    /// Most bytes of host memory held at once, the table included.
    pub peak_bytes: u64,
    /// Most bytes of device memory held at once.
    pub device_peak_bytes: u64,
    /// Time to verify.
    pub verify: Duration,
    /// The proof.
    pub proof: Proof,
}

/// A proof to compare with another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What it proves.
    pub statement: Statement,
    /// Its body.
    pub body: Vec<u8>,
}

/// Why there is no run.
#[derive(Debug)]
pub enum RunError {
    /// The prover's reason.
    Prove(ProveError),
    /// The stock verifier refused the proof.
    Refused(String),
}

impl From<ProveError> for RunError {
    fn from(error: ProveError) -> Self {
        Self::Prove(error)
    }
}

/// Stops on a signal.
struct Stop;

impl Observer for Stop {
    fn cancelled(&self) -> bool {
        signals::cancelled()
    }
}

/// Makes the table, proves and verifies, on the ambient thread pool.
///
/// Only the prover is timed. The table is made anew and handed over, so what is held meanwhile is
/// the prover's.
pub fn run(side: Side<'_>, task: &Task) -> Result<Run, RunError> {
    let params = &task.params;
    let before = alloc::live();
    let table = table(params.field, task.shape, task.seed);
    alloc::reset_peak();
    let request = Request::Drawn { count: task.points };
    let (proof, commit, open, grinding, stages) = match side {
        Side::Stock => {
            take_grinding();
            let proved = with_suite!(
                params,
                S => stock_prove::<S>(params, table, &request),
                else Err(ConfigError::NoSuite { degree: params.extension_degree }.into())
            )?;
            let proof = Proof {
                statement: proved.statement,
                body: proved.body,
            };
            (
                proof,
                proved.commit_time,
                proved.open_time,
                take_grinding(),
                None,
            )
        }
        Side::Prova => ours(prove(params, table, &request, &task.options())?),
        Side::Gpu(machine) => {
            machine.gpu().reset_peak();
            ours(on_gpu(machine, task, table, &request)?)
        }
    };
    let peak_bytes = alloc::peak().saturating_sub(before);
    let device_peak_bytes = match side {
        Side::Gpu(machine) => machine.gpu().peak_bytes(),
        Side::Stock | Side::Prova => 0,
    };
    let start = Instant::now();
    verify_parts(params, &proof.statement, &proof.body)
        .map_err(|error| RunError::Refused(error.to_string()))?;
    let verify = start.elapsed();
    Ok(Run {
        commit,
        open,
        grinding,
        stages,
        peak_bytes,
        device_peak_bytes,
        verify,
        proof,
    })
}

/// A proof of our prover and its times: commit, open, proof-of-work, stages.
fn ours(proved: Proved) -> (Proof, Duration, Duration, Duration, Option<StageTimes>) {
    let proof = Proof {
        statement: proved.statement,
        body: proved.body,
    };
    let grinding = proved.times.get(Stage::Grinding);
    let (commit, open) = (proved.commit_time, proved.open_time);
    (proof, commit, open, grinding, Some(proved.times))
}

/// Proves on a device; `first` is the table of the first attempt.
fn on_gpu(
    machine: &GpuMachine,
    task: &Task,
    first: Table,
    request: &Request,
) -> Result<Proved, ProveError> {
    let mut first = Some(first);
    let again = || table(task.params.field, task.shape, task.seed);
    let next = || Ok::<_, ProveError>(first.take().unwrap_or_else(again));
    machine.prove(&task.params, next, request, &task.options())
}

fn stock_prove<S: Suite>(
    params: &Params,
    table: Table,
    request: &Request,
) -> Result<stock::StockProved, ProveError> {
    stock::prove_suffix::<Timed<S>>(params, table, request)
}

/// Pseudo-random values: SplitMix64, its high half scaled to the field.
pub fn table(field: Field, shape: Shape, seed: u64) -> Table {
    let modulus = u64::from(field.modulus());
    let mut state = seed;
    let mut value = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        // Below the modulus, which fits 32 bits.
        (((word >> 32) * modulus) >> 32) as u32
    };
    let len = shape.columns << shape.num_variables;
    Table {
        shape,
        values: (0..len).map(|_| value()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_depend_on_the_seed_only() {
        let shape = Shape {
            num_variables: 8,
            columns: 1,
        };
        let values = |seed| table(Field::KoalaBear, shape, seed).values;
        assert_eq!(values(1), values(1));
        assert_ne!(values(1), values(2));
        assert!(
            values(3)
                .iter()
                .all(|&value| value < Field::KoalaBear.modulus())
        );
    }
}
