//! The GPU as a machine to prove on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use p3_whir::WhirShape;
use prova_gpu::hash::{HashKind, Hashing};
use prova_gpu::mle::Mle;
use prova_gpu::ntt::Ntt;
use prova_gpu::{AdapterInfo, Extension, Field, Gpu, GpuError, Kit, Multiply, mul};
use prova_whir::derive::query_phases;
use prova_whir::{HashSuite, Params};
use prova_whir_prover::cpu::Cpu;
use prova_whir_prover::error::{DeviceError, DeviceErrorKind};
use prova_whir_prover::machine::{Job, Machine, Prepared};
use prova_whir_prover::{
    Committed, Options, Plan, ProveError, Proved, ProverSuite, Request, Table, commit_on, prove_on,
};

use crate::backend::{GpuBackend, HANDOVER};
use crate::commit::Kernels;
use crate::dry::Rehearsal;
use crate::error::device_error;
use crate::grind::DeviceSearch;
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
    /// Multiply this way instead of the fastest.
    pub multiply: Option<Multiply>,
    /// `log2` of the table size at which sumcheck rounds move to the host, instead of the default.
    pub handover: Option<usize>,
    /// Least proof-of-work bits that the device searches, instead of the default.
    pub least_grind_bits: Option<usize>,
    /// Place in [`MemoryPlan::LADDER`] of the first plan to consider.
    pub first_plan: usize,
    /// Pretend that a storage binding is limited to this many bytes.
    pub max_binding_bytes: Option<u64>,
}

type Kits = HashMap<(u32, Vec<u32>), Kit>;

/// An open device to prove on. Cheap to clone.
#[derive(Clone, Debug)]
pub struct GpuMachine {
    gpu: Gpu,
    options: GpuOptions,
    multiply: Multiply,
    kits: Arc<Mutex<Kits>>,
    last: Arc<Mutex<Option<MemoryPlan>>>,
}

/// The kernels of a suite, up to codewords of `2^log_order` rows.
pub(crate) fn kernels<S: ProverSuite>(
    kit: &Kit,
    mode: Mode,
    log_order: usize,
) -> Result<(Kernels, Mle), GpuError> {
    let kind = match S::HASH {
        HashSuite::Poseidon2x16 => HashKind::Poseidon2x16,
        HashSuite::Poseidon2x24 => HashKind::Poseidon2x24,
        HashSuite::Keccak => HashKind::Keccak,
        HashSuite::Blake3 => HashKind::Blake3,
    };
    let kernels = Kernels {
        ntt: Ntt::new(kit, log_order)?,
        hashing: Hashing::new::<S::F>(kit, kind)?,
        kit: kit.clone(),
        mode,
    };
    Ok((kernels, Mle::new(kit)?))
}

/// The hash that a suite's transcript grinds with.
pub(crate) fn transcript_hash<S: ProverSuite>() -> HashKind {
    match S::HASH {
        HashSuite::Poseidon2x16 | HashSuite::Poseidon2x24 => HashKind::Poseidon2x16,
        HashSuite::Keccak => HashKind::Keccak,
        HashSuite::Blake3 => HashKind::Blake3,
    }
}

/// `log2` of the rows of a run's longest codeword.
pub(crate) fn log_order(run: &WhirShape) -> usize {
    query_phases(run)
        .iter()
        .map(|phase| phase.log_height)
        .max()
        .unwrap_or(0)
}

/// A kit of a suite on a device.
pub(crate) fn kit<S: ProverSuite>(gpu: &Gpu, multiply: Multiply) -> Kit {
    Kit::new(
        gpu.clone(),
        Field::of::<S::F>(),
        Extension::of::<S::F, S::EF>(),
        multiply,
    )
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
            max_binding_bytes: options.max_binding_bytes,
            profile: options.profile,
            ..prova_gpu::Options::default()
        };
        let open = || -> Result<_, GpuError> {
            let gpu = Gpu::open(&device)?;
            let (field, extension) = mul::trial_field();
            let fastest = mul::fastest(&gpu, &field, &extension)?;
            Ok((gpu, options.multiply.unwrap_or(fastest)))
        };
        let (gpu, multiply) = open().map_err(|error| device_error(&error))?;
        Ok(Self {
            gpu,
            options: options.clone(),
            multiply,
            kits: Arc::default(),
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

    /// The same device in another mode.
    #[must_use]
    pub fn with_mode(&self, mode: Mode) -> Self {
        let mut machine = self.clone();
        machine.options.mode = mode;
        machine
    }

    /// How its kernels multiply.
    #[must_use]
    pub fn multiply(&self) -> Multiply {
        self.multiply
    }

    /// The device, for its counters and for tests.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The memory plan of the last run.
    #[must_use]
    pub fn last_plan(&self) -> Option<MemoryPlan> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The kit of a suite; its rendered kernels are shared by all runs.
    fn kit<S: ProverSuite>(&self) -> Kit {
        let fresh = kit::<S>(&self.gpu, self.multiply);
        let key = (fresh.field.modulus, fresh.extension.reduction.clone());
        let mut kits = self.kits.lock().unwrap_or_else(PoisonError::into_inner);
        kits.entry(key).or_insert(fresh).clone()
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
        self.attempts(|attempt| Ok(attempt.prove(params, table()?, request, options)))
    }

    /// Commits likewise.
    ///
    /// # Errors
    /// As `commit_on`, or `table`'s own.
    pub fn commit<E: From<ProveError>>(
        &self,
        params: &Params,
        mut table: impl FnMut() -> Result<Table, E>,
        options: &Options,
    ) -> Result<Committed, E> {
        self.attempts(|attempt| Ok(attempt.commit(params, table()?, options)))
    }

    fn attempts<T, E: From<ProveError>>(
        &self,
        mut run: impl FnMut(&Attempt<'_>) -> Result<Result<T, ProveError>, E>,
    ) -> Result<T, E> {
        let mut first = self.options.first_plan;
        loop {
            let attempt = Attempt {
                machine: self,
                first,
                taken: Mutex::new(None),
            };
            match run(&attempt)? {
                Ok(done) => return Ok(done),
                Err(ProveError::Device(error))
                    if matches!(error.kind, DeviceErrorKind::OutOfMemory { .. }) =>
                {
                    // Without a plan none is left that fits, or the table is too large for any.
                    let taken = *attempt.taken.lock().unwrap_or_else(PoisonError::into_inner);
                    first = match taken {
                        Some(plan) if plan + 1 < MemoryPlan::LADDER.len() => plan + 1,
                        _ => return Err(ProveError::Device(error).into()),
                    };
                    tracing::info!(%error, "going on with a leaner plan");
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// A run with the plans from `first` on.
struct Attempt<'a> {
    machine: &'a GpuMachine,
    first: usize,
    /// The plan that was chosen, once it is.
    taken: Mutex<Option<usize>>,
}

// Not generic, so that the sixteen suites are compiled in this crate and once.
impl Attempt<'_> {
    fn prove(
        &self,
        params: &Params,
        table: Table,
        request: &Request,
        options: &Options,
    ) -> Result<Proved, ProveError> {
        prove_on(self, params, table, request, options)
    }

    fn commit(
        &self,
        params: &Params,
        table: Table,
        options: &Options,
    ) -> Result<Committed, ProveError> {
        commit_on(self, params, table, options)
    }
}

impl Machine for Attempt<'_> {
    type Backend<S: ProverSuite> = GpuBackend<S>;

    fn prepare<S: ProverSuite>(
        &self,
        job: &Job<'_>,
    ) -> Result<Prepared<GpuBackend<S>>, ProveError> {
        let GpuMachine { gpu, options, .. } = self.machine;
        if let Some(most) = options.max_log_n
            && job.run.num_variables > most
        {
            let kind = DeviceErrorKind::OutOfMemory {
                need: 4 << job.run.num_variables.min(60),
                limit: 4 << most.min(60),
            };
            return Err(DeviceError::new(kind, "over the limit on the table's size").into());
        }
        let handover = options.handover.unwrap_or(HANDOVER);
        // What an earlier run left behind is not this one's; a lost device stays lost.
        if let Err(error) = gpu.check() {
            if matches!(error, GpuError::Lost(_)) {
                return Err(device_error(&error).into());
            }
            tracing::warn!(%error, "left behind by an earlier run");
        }
        let rehearsal = Rehearsal {
            run: job.run,
            shape: job.shape,
            order: job.params.order,
            mode: options.mode,
            handover,
            limits: gpu.limits(),
            rate: gpu.products_per_second(),
        };
        let (index, peak) = rehearsal
            .choose::<S>(self.first)
            .map_err(|kind| DeviceError::new(kind, "even the leanest plan does not fit"))?;
        let plan = MemoryPlan::LADDER[index];
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(index);
        *self
            .machine
            .last
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(plan);
        let (kernels, mle) =
            kernels::<S>(&self.machine.kit::<S>(), options.mode, log_order(job.run))
                .map_err(|error| device_error(&error))?;
        let backend = GpuBackend {
            kernels,
            mle,
            cpu: Cpu::for_run(job.run),
            plan,
            handover,
        };
        let plan = Plan {
            // The device opens rows by itself: the run need not hold the message, nor with it the
            // first commitment, to its end.
            keep_codeword: true,
            peak_bytes: peak,
            note: plan.to_string().into(),
        };
        Ok(Prepared { backend, plan })
    }

    fn grinder<S: ProverSuite>(&self) -> S::Grinder {
        let machine = self.machine;
        if !machine.options.mode.grinds() {
            return S::grinder();
        }
        match Hashing::new::<S::F>(&machine.kit::<S>(), transcript_hash::<S>()) {
            Ok(hashing) => {
                let least = machine.options.least_grind_bits;
                let search = Arc::new(DeviceSearch::new(hashing, least));
                S::grinder_with(Some(search.clone()), Some(search))
            }
            // The failure shows again when the run is prepared.
            Err(_) => S::grinder(),
        }
    }
}
