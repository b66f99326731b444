//! What a run would take, found by playing it on a device that only counts.

use p3_field::PrimeCharacteristicRing;
use p3_multilinear_util::point::Point;
use p3_whir::WhirShape;
use prova_gpu::ntt::Shape as Matrix;
use prova_gpu::{Gpu, GpuError, Ledger, Limits, Multiply};
use prova_whir::derive::query_phases;
use prova_whir::{ConfigError, Order, Params, Shape, with_suite};
use prova_whir_prover::backend::{Backend, Claims, Column, Context, Message, SlotWeight};
use prova_whir_prover::cpu::Cpu;
use prova_whir_prover::error::{BackendError, DeviceErrorKind};
use prova_whir_prover::observer::{Stopwatch, Unobserved};
use prova_whir_prover::{ProveError, ProverSuite};

use crate::backend::{GpuBackend, HANDOVER};
use crate::commit::{Commitment, fits_device};
use crate::machine::{kernels, kit, log_order};
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
    /// Work by kind of kernel, submissions, waits and transfers; proof-of-work excluded. Siblings
    /// are counted for queries spread evenly, which have the fewest paths in common.
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

/// Plays a run under a plan.
///
/// # Errors
/// A run that the plan does not fit the limits with.
pub fn play<S: ProverSuite>(
    run: &WhirShape,
    order: Order,
    mode: Mode,
    handover: usize,
    limits: Limits,
    plan: MemoryPlan,
) -> Result<Played, BackendError> {
    let gpu = Gpu::dry(limits);
    let setup = || -> Result<_, GpuError> {
        kernels::<S>(&kit::<S>(&gpu, Multiply::M16), mode, log_order(run))
    };
    let (kernels, mle) = setup().map_err(|error| crate::error::device_error(&error))?;
    let backend = GpuBackend::<S> {
        kernels,
        mle,
        cpu: Cpu::for_run(run),
        plan,
        handover,
    };
    match mode {
        Mode::Resident => resident(&backend, run, order)?,
        _ => commitments(&backend, run)?,
    }
    Ok(Played {
        peak: gpu.peak_bytes(),
        ledger: gpu.ledger(),
    })
}

/// Positions spread over a domain.
fn spread(log_height: usize, rows: usize) -> Vec<usize> {
    let height = 1_usize << log_height;
    let step = (height / rows.max(1)).max(1);
    (0..rows.min(height)).map(|i| i * step).collect()
}

/// Every operation of a run whose tables stay on the device.
fn resident<S: ProverSuite>(
    backend: &GpuBackend<S>,
    run: &WhirShape,
    order: Order,
) -> Result<(), BackendError> {
    let watch = Stopwatch::new();
    let ctx = Context {
        stopwatch: &watch,
        observer: &Unobserved,
        order,
        keep_codeword: true,
    };
    // Zeroed pages that nobody touches take no memory.
    let values = S::F::zero_vec(1 << run.num_variables);
    let message = Message {
        num_variables: run.num_variables,
        columns: vec![Column {
            values: &values,
            offset: 0,
        }],
    };
    let zeros = |count: usize| vec![S::EF::ZERO; count];
    let phases = query_phases(run);
    let fold = run.initial_sumcheck.rounds;
    let claims = run.commitment_ood_samples + run.num_opening_claims;
    let (_, base) = backend.commit(ctx, &message, fold, run.starting_log_inv_rate)?;
    let mut tables = if order == Order::Suffix {
        let point = Point::new(zeros(run.num_variables));
        for _ in 0..claims {
            backend.partial_evaluations(ctx, &base, &message.columns, &point, fold)?;
        }
        let weight = SlotWeight {
            offset: 0,
            point: Point::new(zeros(run.num_variables - fold)),
            coefficient: S::EF::ZERO,
        };
        backend.fold_message(ctx, &base, &message, &zeros(fold), &vec![weight; claims])?
    } else {
        let table = zeros(1 << (run.num_variables - fold));
        backend.load(&table, &table)?
    };
    let mut previous = Some(base);
    let mut last = None;
    for (round, phase) in run.rounds.iter().zip(&phases) {
        let fold = round.sumcheck.rounds;
        let (_, folded) = backend.commit_folded(ctx, &tables, fold, round.log_inv_rate)?;
        for _ in 0..round.ood_samples {
            backend.evaluate(&tables, S::EF::ZERO)?;
        }
        let indices = spread(phase.log_height, phase.rows);
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
    if let Some(phase) = phases.last() {
        let indices = spread(phase.log_height, phase.rows);
        match (previous.take(), &last) {
            (Some(base), _) => drop(backend.open(&base, &message, &indices)?),
            (None, Some(folded)) => drop(backend.open_folded(folded, &indices)?),
            (None, None) => {}
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
        if !fits_device(shape, gpu.limits().alignment) {
            continue;
        }
        let message = {
            let words = shape.words();
            // Counted as the upload that it is.
            let buffer = gpu.buffer(words).map_err(failed)?;
            buffer.slice(0, words)
        };
        let (_, commitment) = backend.commit_words(&message, shape)?;
        drop(message);
        // A commitment is opened once the next one is there.
        if let Some((earlier, indices)) = previous.take() {
            backend.kernels.open(&earlier, &indices).map_err(failed)?;
        }
        previous = Some((commitment, spread(phase.log_height, phase.rows)));
    }
    if let Some((earlier, indices)) = previous {
        backend.kernels.open(&earlier, &indices).map_err(failed)?;
    }
    Ok(())
}

/// The first plan from `first` on that fits the limits, and its peak.
///
/// # Errors
/// The peak of the leanest plan.
pub fn choose<S: ProverSuite>(
    run: &WhirShape,
    order: Order,
    mode: Mode,
    handover: usize,
    limits: Limits,
    first: usize,
) -> Result<(usize, u64), u64> {
    let mut need = u64::MAX;
    for (index, &plan) in MemoryPlan::LADDER.iter().enumerate().skip(first) {
        match play::<S>(run, order, mode, handover, limits, plan) {
            Ok(played) => return Ok((index, played.peak)),
            Err(BackendError::Device(error)) => {
                if let DeviceErrorKind::OutOfMemory { need: more, .. } = error.kind {
                    need = need.min(more);
                }
            }
            Err(BackendError::Cancelled(_)) => {}
        }
    }
    Err(need)
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
    let leanest = MemoryPlan::LADDER[MemoryPlan::LADDER.len() - 1];
    let played = |limits, plan| play::<S>(&run, params.order, mode, HANDOVER, limits, plan);
    let leanest_peak_bytes = played(unlimited, leanest).map_err(ProveError::from)?.peak;
    let (index, _) =
        choose::<S>(&run, params.order, mode, HANDOVER, limits, 0).map_err(|need| {
            let kind = DeviceErrorKind::OutOfMemory {
                need,
                limit: limits.memory,
            };
            prova_whir_prover::error::DeviceError::new(kind, "even the leanest plan does not fit")
        })?;
    let plan = MemoryPlan::LADDER[index];
    let Played { peak, ledger } = played(limits, plan).map_err(ProveError::from)?;
    Ok(GpuEstimate {
        plan,
        peak_bytes: peak,
        leanest_peak_bytes,
        ledger,
    })
}
