//! Where the work of a run is done.

use p3_whir::WhirShape;
use prova_whir::{Params, Shape};

use crate::backend::Backend;
use crate::cpu::Cpu;
use crate::front::ProveError;
use crate::plan::{self, Plan};
use crate::suite::ProverSuite;

/// A run, before any work.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Its parameters.
    pub params: &'a Params,
    /// Shape of the table.
    pub shape: Shape,
    /// The run as the verifier will play it.
    pub run: &'a WhirShape,
    /// Most bytes of host memory the prover may hold at once.
    pub mem_limit: Option<u64>,
}

/// A machine made ready for a run.
#[derive(Clone, Debug)]
pub struct Prepared<B> {
    /// The back end.
    pub backend: B,
    /// The memory plan to follow.
    pub plan: Plan,
}

/// Makes back ends: the place where a run's machine is chosen.
pub trait Machine: Send + Sync {
    /// The back end of a suite.
    type Backend<S: ProverSuite>: Backend<S>;

    /// Back end and memory plan of a run.
    ///
    /// # Errors
    /// [`ProveError::Memory`] when no plan fits the limit, [`ProveError::Device`] when the machine
    /// cannot do the work.
    fn prepare<S: ProverSuite>(
        &self,
        job: &Job<'_>,
    ) -> Result<Prepared<Self::Backend<S>>, ProveError>;

    /// A fresh transcript, whose proof-of-work this machine searches.
    fn grinder<S: ProverSuite>(&self) -> S::Grinder;
}

/// The CPU: everything runs on the ambient thread pool.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuMachine;

impl Machine for CpuMachine {
    type Backend<S: ProverSuite> = Cpu<S>;

    fn prepare<S: ProverSuite>(&self, job: &Job<'_>) -> Result<Prepared<Cpu<S>>, ProveError> {
        let plans = plan::plans(job.shape, job.run, job.params.extension_degree);
        let plan = plan::choose(&plans, job.mem_limit)?;
        Ok(Prepared {
            backend: Cpu::for_run(job.run),
            plan,
        })
    }

    fn grinder<S: ProverSuite>(&self) -> S::Grinder {
        S::grinder()
    }
}
