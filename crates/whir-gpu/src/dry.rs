//! What a run would take, found by playing it on a device that only counts.

use p3_field::PrimeCharacteristicRing;
use p3_multilinear_util::point::Point;
use p3_whir::WhirShape;
use prova_gpu::hash::Hashing;
use prova_gpu::ntt::Shape as Matrix;
use prova_gpu::{Gpu, GpuError, Kit, Ledger, Limits, Multiply};
use prova_whir::derive::query_phases;
use prova_whir::{ConfigError, Order, Params, Shape, with_suite};
use prova_whir_prover::backend::{Backend, Claims, Column, Context, Message, SlotWeight};
use prova_whir_prover::cpu::Cpu;
use prova_whir_prover::error::{BackendError, DeviceErrorKind};
use prova_whir_prover::observer::{Stopwatch, Unobserved};
use prova_whir_prover::{ProveError, ProverSuite};

use crate::backend::{GpuBackend, HANDOVER};
use crate::commit::{Commitment, fits_device};
use crate::machine::{kernels, kit, log_order, transcript_hash};
use crate::plan::{MemoryPlan, Mode};
use crate::words::degree;

/// What a run would ask of the device.
#[derive(Clone, Debug)]
pub struct GpuEstimate {
    /// The memory plan that would be followed.
    pub plan: MemoryPlan,
    /// Most bytes of device memory held at once.
    pub peak_bytes: u64,
    /// Peak of the leanest plan.
    pub leanest_peak_bytes: u64,
    /// Work by kind of kernel, submissions (on a device fast enough for none to be cut), waits and
    /// transfers; proof-of-work excluded. Siblings are counted for queries spread evenly, which have
    /// the fewest paths in common.
    pub ledger: Ledger,
}

/// Peak and counters of a run.
#[derive(Debug)]
pub struct Played {
    /// Most bytes held at once.
    pub peak: u64,
    /// Counters.
    pub ledger: Ledger,
}

/// A run that is about to be played on a device that only counts.
#[derive(Clone, Copy, Debug)]
pub struct Rehearsal<'a> {
    /// The run.
    pub run: &'a WhirShape,
    /// Shape of its table.
    pub shape: Shape,
    /// Variable order.
    pub order: Order,
    /// What runs on the device.
    pub mode: Mode,
    /// `log2` of the table size at which rounds move to the host.
    pub handover: usize,
    /// The device's limits.
    pub limits: Limits,
    /// Products a second of the device, 0 where unknown.
    pub rate: u64,
}

impl Rehearsal<'_> {
    /// Plays the run under a plan.
    ///
    /// # Errors
    /// A run that the plan does not fit the limits with.
    pub fn play<S: ProverSuite>(&self, plan: MemoryPlan) -> Result<Played, BackendError> {
        let gpu = Gpu::dry(self.limits);
        gpu.set_products_per_second(self.rate);
        let kit = kit::<S>(&gpu, Multiply::M16);
        // The transcript's proof-of-work: its constants, and the buffers of a search.
        let searching = || -> Result<_, GpuError> {
            let hashing = Hashing::new::<S::F>(&kit, transcript_hash::<S>())?;
            Ok((
                hashing,
                [gpu.buffer(16)?, gpu.buffer(1)?, gpu.buffer(GRIND)?],
            ))
        };
        let _searching = match self.mode.grinds() {
            true => Some(searching().map_err(|error| crate::error::device_error(&error))?),
            false => None,
        };
        let backend = backend::<S>(&kit, self.run, self.mode, self.handover, plan)?;
        walk(&backend, self.run, self.shape, self.order)?;
        Ok(Played {
            peak: gpu.peak_bytes(),
            ledger: gpu.ledger(),
        })
    }

    /// The first plan from `first` on that fits the limits, and its peak.
    ///
    /// # Errors
    /// The peak of the plan that needs least, or what else stands in the way of all plans.
    pub fn choose<S: ProverSuite>(&self, first: usize) -> Result<(usize, u64), DeviceErrorKind> {
        let plans = || MemoryPlan::LADDER.into_iter().enumerate().skip(first);
        for (index, plan) in plans() {
            if let Ok(played) = self.play::<S>(plan) {
                return Ok((index, played.peak));
            }
        }
        let unlimited = Self {
            limits: Limits {
                memory: u64::MAX,
                ..self.limits
            },
            ..*self
        };
        let mut need = None;
        let mut refused = DeviceErrorKind::Unsupported;
        for (_, plan) in plans() {
            match unlimited.play::<S>(plan) {
                Ok(played) => need = Some(need.unwrap_or(u64::MAX).min(played.peak)),
                Err(BackendError::Device(error)) => refused = error.kind,
                Err(BackendError::Cancelled(_)) => {}
            }
        }
        Err(need.map_or(refused, |need| DeviceErrorKind::OutOfMemory {
            need,
            limit: self.limits.memory,
        }))
    }
}

/// Words of the parameters that a search for proof-of-work holds.
const GRIND: u64 = 1 << 13;

/// The back end of a run on the device of a kit, which is one of the suite's.
///
/// # Errors
/// No memory for the kernels' tables.
#[doc(hidden)]
pub fn backend<S: ProverSuite>(
    kit: &Kit,
    run: &WhirShape,
    mode: Mode,
    handover: usize,
    plan: MemoryPlan,
) -> Result<GpuBackend<S>, BackendError> {
    let (kernels, mle) = kernels::<S>(kit, mode, log_order(run))
        .map_err(|error| crate::error::device_error(&error))?;
    Ok(GpuBackend {
        kernels,
        mle,
        cpu: Cpu::for_run(run),
        plan,
        handover,
    })
}

/// Every operation of a run that is the device's.
fn walk<S: ProverSuite>(
    backend: &GpuBackend<S>,
    run: &WhirShape,
    shape: Shape,
    order: Order,
) -> Result<(), BackendError> {
    match backend.kernels.mode {
        Mode::Resident => resident(backend, run, shape, order),
        _ => commitments(backend, run),
    }
}

/// A kit of the suite of some parameters; kits of one suite share rendered kernels when cloned.
///
/// # Errors
/// Parameters of no suite.
#[doc(hidden)]
pub fn kit_of(params: &Params, gpu: &Gpu, multiply: Multiply) -> Result<Kit, ProveError> {
    with_suite!(
        params,
        S => Ok(kit::<S>(gpu, multiply)),
        else Err(ConfigError::NoSuite { degree: params.extension_degree }.into())
    )
}

/// Plays a run that opens every column at one drawn point on the device of `kit`, which is of
/// [`kit_of`]: a traced one then holds the commands.
///
/// # Errors
/// Parameters that do not fit, or a run that does not fit the device under this plan.
#[doc(hidden)]
pub fn walk_on(
    kit: &Kit,
    params: &Params,
    shape: Shape,
    mode: Mode,
    handover: usize,
    plan: MemoryPlan,
) -> Result<(), ProveError> {
    params.check()?;
    with_suite!(
        params,
        S => {
            let run = WhirShape::new(&params.config::<S>(shape, shape.columns)?, 1);
            let backend = backend::<S>(kit, &run, mode, handover, plan)?;
            Ok(walk(&backend, &run, shape, params.order)?)
        },
        else Err(ConfigError::NoSuite { degree: params.extension_degree }.into())
    )
}

/// Positions spread over a domain of `2^log_cosets` cosets, and over these: position `i` lies in
/// coset `i mod 2^log_cosets`.
fn spread(log_height: usize, log_cosets: usize, rows: usize) -> Vec<usize> {
    let count = rows.min(1 << log_height);
    let coset = (1 << log_cosets) - 1;
    (0..count)
        .map(|i| (((i << (log_height - log_cosets)) / count) << log_cosets) | (i & coset))
        .collect()
}

/// `log2` of the cosets of each commitment.
fn rates(run: &WhirShape) -> impl Iterator<Item = usize> {
    let later = run.rounds.iter().map(|round| round.log_inv_rate);
    core::iter::once(run.starting_log_inv_rate).chain(later)
}

/// Every operation of a run whose tables stay on the device.
fn resident<S: ProverSuite>(
    backend: &GpuBackend<S>,
    run: &WhirShape,
    shape: Shape,
    order: Order,
) -> Result<(), BackendError> {
    let watch = Stopwatch::new();
    let ctx = Context {
        stopwatch: &watch,
        observer: &Unobserved,
        order,
        keep_codeword: true,
    };
    // In prefix order the columns' rows are mixed: one column as large as all.
    let (local, columns) = match order {
        Order::Suffix => (shape.num_variables, shape.columns),
        Order::Prefix => (run.num_variables, 1),
    };
    // Zeroed pages that nobody touches take no memory.
    let values = S::F::zero_vec(1 << local);
    let message = Message {
        num_variables: run.num_variables,
        columns: (0..columns)
            .map(|index| Column {
                values: &values,
                offset: index << local,
            })
            .collect(),
    };
    let zeros = |count: usize| vec![S::EF::ZERO; count];
    let phases = query_phases(run);
    let fold = run.initial_sumcheck.rounds;
    let (_, base) = backend.commit(ctx, &message, fold, run.starting_log_inv_rate)?;
    let mut tables = if order == Order::Suffix {
        let point = Point::new(zeros(local));
        let samples = run.commitment_ood_samples;
        // The stacked polynomial is evaluated column by column, an opening's columns at once.
        for column in (0..samples).flat_map(|_| message.columns.chunks(1)) {
            backend.partial_evaluations(ctx, &base, column, &point, fold)?;
        }
        for _ in 0..run.num_opening_claims {
            backend.partial_evaluations(ctx, &base, &message.columns, &point, fold)?;
        }
        let slot = |offset: usize, variables: usize| SlotWeight {
            offset: offset >> fold,
            point: Point::new(zeros(variables - fold)),
            coefficient: S::EF::ZERO,
        };
        let mut weights = vec![slot(0, run.num_variables); samples];
        for _ in 0..run.num_opening_claims {
            weights.extend(message.columns.iter().map(|c| slot(c.offset, local)));
        }
        backend.fold_message(ctx, &base, &message, &zeros(fold), &weights)?
    } else {
        let table = zeros(1 << (run.num_variables - fold));
        backend.load(&table, &table)?
    };
    let mut previous = Some(base);
    let mut last = None;
    for ((round, phase), rate) in run.rounds.iter().zip(&phases).zip(rates(run)) {
        let fold = round.sumcheck.rounds;
        let (_, folded) = backend.commit_folded(ctx, &tables, fold, round.log_inv_rate)?;
        for _ in 0..round.ood_samples {
            backend.evaluate(&tables, S::EF::ZERO)?;
        }
        let indices = spread(phase.log_height, rate, phase.rows);
        match (previous.take(), &last) {
            (Some(base), _) => drop(backend.open(&base, &message, &indices)?),
            (None, Some(folded)) => drop(backend.open_folded(folded, &indices)?),
            (None, None) => {}
        }
        last = Some(folded);
        let claims = Claims {
            out_of_domain: vec![(S::EF::ZERO, S::EF::ZERO); round.ood_samples],
            queries: indices
                .into_iter()
                .map(|index| (index, S::EF::ZERO))
                .collect(),
            log_domain: round.index_bits,
        };
        backend.add_claims(&mut tables, &claims)?;
        backend.round_message(ctx, &tables)?;
        for left in (0..fold).rev() {
            backend.bind(ctx, &mut tables, S::EF::ZERO, left > 0)?;
        }
    }
    backend.values(&tables)?;
    if let Some((phase, rate)) = phases.iter().zip(rates(run)).last() {
        let indices = spread(phase.log_height, rate, phase.rows);
        match (previous.take(), &last) {
            (Some(base), _) => drop(backend.open(&base, &message, &indices)?),
            (None, Some(folded)) => drop(backend.open_folded(folded, &indices)?),
            (None, None) => {}
        }
    }
    if let closing @ 1.. = run.final_sumcheck.rounds {
        backend.round_message(ctx, &tables)?;
        for left in (0..closing).rev() {
            backend.bind(ctx, &mut tables, S::EF::ZERO, left > 0)?;
        }
    }
    Ok(())
}

/// The commitments and openings of a run whose tables are the host's.
fn commitments<S: ProverSuite>(
    backend: &GpuBackend<S>,
    run: &WhirShape,
) -> Result<(), BackendError> {
    let failed = |error: GpuError| BackendError::from(crate::error::device_error(&error));
    let gpu = &backend.kernels.kit.gpu;
    let mut variables = run.num_variables;
    let mut previous: Option<(Commitment, Vec<usize>)> = None;
    let mut shapes = vec![(run.initial_sumcheck.rounds, run.starting_log_inv_rate, 1)];
    shapes.extend(
        run.rounds
            .iter()
            .map(|round| (round.sumcheck.rounds, round.log_inv_rate, degree::<S>())),
    );
    for ((fold, log_inv_rate, width), phase) in shapes.into_iter().zip(query_phases(run)) {
        let shape = Matrix {
            log_rows: variables - fold,
            width: width << fold,
            log_inv_rate,
        };
        variables -= fold;
        if !fits_device(shape, &gpu.limits()) {
            continue;
        }
        let words = vec![0; shape.words() as usize];
        let upload = || -> Result<_, GpuError> {
            let pieces = backend.room(shape.words())?;
            backend.write(&pieces, 0, &words)?;
            Ok(pieces)
        };
        let message = upload().map_err(failed)?;
        let (_, commitment) = backend.commit_words(&message, shape)?;
        drop(message);
        // A commitment is opened once the next one is there.
        if let Some((earlier, indices)) = previous.take() {
            backend.kernels.open(&earlier, &indices).map_err(failed)?;
        }
        previous = Some((
            commitment,
            spread(phase.log_height, log_inv_rate, phase.rows),
        ));
    }
    if let Some((earlier, indices)) = previous {
        backend.kernels.open(&earlier, &indices).map_err(failed)?;
    }
    Ok(())
}

/// Plays a run that opens every column at `num_openings` drawn points on a device that only counts.
///
/// # Errors
/// Parameters that do not fit, or a run that no memory plan fits on the device.
pub fn estimate(
    params: &Params,
    shape: Shape,
    num_openings: usize,
    limits: Limits,
    mode: Mode,
) -> Result<GpuEstimate, ProveError> {
    params.check()?;
    with_suite!(
        params,
        S => estimate_suite::<S>(params, shape, num_openings, limits, mode),
        else Err(ConfigError::NoSuite { degree: params.extension_degree }.into())
    )
}

fn estimate_suite<S: ProverSuite>(
    params: &Params,
    shape: Shape,
    num_openings: usize,
    limits: Limits,
    mode: Mode,
) -> Result<GpuEstimate, ProveError> {
    let claims = num_openings.saturating_mul(shape.columns);
    let config = params.config::<S>(shape, claims)?;
    let run = WhirShape::new(&config, num_openings);
    let unlimited = Limits {
        memory: u64::MAX,
        ..limits
    };
    let rehearsal = Rehearsal {
        run: &run,
        shape,
        order: params.order,
        mode,
        handover: HANDOVER,
        limits,
        // Fast enough for every submission to be short.
        rate: u64::MAX,
    };
    let leanest = MemoryPlan::LADDER[MemoryPlan::LADDER.len() - 1];
    let roomy = Rehearsal {
        limits: unlimited,
        ..rehearsal
    };
    let leanest_peak_bytes = roomy.play::<S>(leanest).map_err(ProveError::from)?.peak;
    let (index, _) = rehearsal.choose::<S>(0).map_err(|kind| {
        prova_whir_prover::error::DeviceError::new(kind, "even the leanest plan does not fit")
    })?;
    let plan = MemoryPlan::LADDER[index];
    let Played { peak, ledger } = rehearsal.play::<S>(plan).map_err(ProveError::from)?;
    Ok(GpuEstimate {
        plan,
        peak_bytes: peak,
        leanest_peak_bytes,
        ledger,
    })
}
