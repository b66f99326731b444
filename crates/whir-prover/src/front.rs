//! The prover behind run-time parameters: what a command or a service calls.

use std::sync::Arc;
use std::time::{Duration, Instant};

use p3_commit::{Mmcs, MultilinearPcs};
use p3_field::{BasedVectorSpace, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;
use p3_multilinear_util::point::Point;
use p3_sumcheck::{OpeningEvals, PrescribedPointPcs};
use p3_whir::{PcsProof, WhirShape};
use prova_whir::derive;
use prova_whir::statement::DIGEST_BYTES;
use prova_whir::suite::Digest;
use prova_whir::{
    ConfigError, Opening, Params, Points, Shape, Statement, Suite, body, transcript, verify,
    with_suite,
};

use crate::error::{BackendError, DeviceError};
use crate::machine::{CpuMachine, Job, Machine, Prepared};
use crate::observer::{Cancelled, Observer, StageTimes, Stopwatch};
use crate::pcs::{PcsError, RunOptions, WhirPcs};
use crate::plan::{OverLimit, Plan};
use crate::suite::ProverSuite;

/// A table to commit to.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its shape.
    pub shape: Shape,
    /// Canonical values, column after column: `columns << num_variables` of them.
    pub values: Vec<u32>,
}

/// A point the caller chose.
#[derive(Clone, Debug)]
pub struct GivenPoint {
    /// Columns to open; empty means all.
    pub columns: Vec<usize>,
    /// `num_variables` coordinates of `extension_degree` canonical coefficients each; coordinate
    /// 0 belongs to the highest index bit.
    pub coordinates: Vec<u32>,
}

/// What to open.
#[derive(Clone, Debug)]
pub enum Request {
    /// Every column at `count` points drawn from the transcript.
    Drawn {
        /// Number of points, at least 1.
        count: usize,
    },
    /// Chosen points.
    Given(Vec<GivenPoint>),
}

/// How to run.
#[derive(Clone)]
pub struct Options {
    /// Most bytes the prover may hold at once.
    pub mem_limit: Option<u64>,
    /// Verify the proof with the stock verifier before returning it.
    pub self_check: bool,
    /// Watches the run.
    pub observer: Arc<dyn Observer + Send>,
}

/// A finished proof.
#[derive(Clone, Debug)]
pub struct Proved {
    /// What it proves.
    pub statement: Statement,
    /// The proof body.
    pub body: Vec<u8>,
    /// Time to commit, set-up excluded.
    pub commit_time: Duration,
    /// Time to open, claims included.
    pub open_time: Duration,
    /// Time by stage, from the call to the proof bytes; the self-check excluded.
    pub times: StageTimes,
    /// The memory plan that was followed.
    pub plan: Plan,
}

/// A commitment without a proof.
#[derive(Clone, Debug)]
pub struct Committed {
    /// Merkle root.
    pub root: [u8; DIGEST_BYTES],
    /// Time by stage.
    pub times: StageTimes,
    /// The memory plan that was followed.
    pub plan: Plan,
}

/// Why there is no proof.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// The parameters do not fit the table or the claims.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The table or the request is not well-formed.
    #[error("{what}: expected {expected}, got {got}")]
    BadRequest {
        /// What is wrong.
        what: &'static str,
        /// What it should be.
        expected: String,
        /// What it is.
        got: String,
    },
    /// No memory plan fits the limit.
    #[error(transparent)]
    Memory(#[from] OverLimit),
    /// The observer asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The machine that was to do the work failed; another may succeed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The stock verifier refused the fresh proof: a defect of the prover or of the machine.
    #[error("self-check failed, no proof is returned: {0}")]
    SelfCheck(String),
}

impl From<PcsError> for ProveError {
    fn from(error: PcsError) -> Self {
        match error {
            PcsError::Config(error) => Self::Config(error.into()),
            PcsError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            PcsError::Device(error) => Self::Device(error),
        }
    }
}

impl From<BackendError> for ProveError {
    fn from(error: BackendError) -> Self {
        PcsError::from(error).into()
    }
}

// Call sites pass numbers and strings as they are.
#[allow(clippy::needless_pass_by_value)]
fn bad(what: &'static str, expected: impl ToString, got: impl ToString) -> ProveError {
    ProveError::BadRequest {
        what,
        expected: expected.to_string(),
        got: got.to_string(),
    }
}

pub(crate) fn no_suite(params: &Params) -> ProveError {
    ConfigError::NoSuite {
        degree: params.extension_degree,
    }
    .into()
}

/// Commits to `table` and proves the requested openings, on the CPU.
///
/// # Errors
/// See [`ProveError`].
pub fn prove(
    params: &Params,
    table: Table,
    request: &Request,
    options: &Options,
) -> Result<Proved, ProveError> {
    prove_on(&CpuMachine, params, table, request, options)
}

/// [`prove`] on a machine; the bytes do not depend on it.
///
/// # Errors
/// See [`ProveError`].
pub fn prove_on<M: Machine>(
    machine: &M,
    params: &Params,
    table: Table,
    request: &Request,
    options: &Options,
) -> Result<Proved, ProveError> {
    params.check()?;
    with_suite!(params, S => prove_suite::<S, M>(machine, params, table, request, options), else Err(no_suite(params)))
}

/// Commits to `table`, on the CPU.
///
/// # Errors
/// See [`ProveError`].
pub fn commit(params: &Params, table: Table, options: &Options) -> Result<Committed, ProveError> {
    commit_on(&CpuMachine, params, table, options)
}

/// [`commit`] on a machine; the root does not depend on it.
///
/// # Errors
/// See [`ProveError`].
pub fn commit_on<M: Machine>(
    machine: &M,
    params: &Params,
    table: Table,
    options: &Options,
) -> Result<Committed, ProveError> {
    params.check()?;
    with_suite!(params, S => commit_suite::<S, M>(machine, params, table, options), else Err(no_suite(params)))
}

/// The openings of a request, values still empty.
pub(crate) fn openings(
    params: &Params,
    shape: Shape,
    request: &Request,
) -> Result<(Points, Vec<Opening>), ProveError> {
    let all: Vec<usize> = (0..shape.columns).collect();
    let (points, list) = match request {
        Request::Drawn { count } => {
            let opening = Opening {
                columns: all,
                point: Vec::new(),
                values: Vec::new(),
            };
            (
                Points::Drawn,
                vec![opening; (*count).min(usize::from(u16::MAX) + 1)],
            )
        }
        Request::Given(points) => {
            let expected = shape.num_variables * params.extension_degree;
            let modulus = params.field.modulus();
            let mut list = Vec::with_capacity(points.len());
            for point in points {
                if point.coordinates.len() != expected {
                    return Err(bad(
                        "coefficients of a point",
                        expected,
                        point.coordinates.len(),
                    ));
                }
                if let Some(&value) = point.coordinates.iter().find(|&&value| value >= modulus) {
                    return Err(bad("a coordinate", format!("below {modulus}"), value));
                }
                list.push(Opening {
                    columns: if point.columns.is_empty() {
                        all.clone()
                    } else {
                        point.columns.clone()
                    },
                    point: point.coordinates.clone(),
                    values: Vec::new(),
                });
            }
            (Points::Given, list)
        }
    };
    if list.is_empty() || list.len() > usize::from(u16::MAX) {
        return Err(bad("openings", "1 to 65535", list.len()));
    }
    Ok((points, list))
}

/// Checks a table's values and hands them over as field elements, in the same allocation.
pub(crate) fn elements<S: Suite>(params: &Params, table: Table) -> Result<Vec<S::F>, ProveError> {
    let expected = table.shape.columns << table.shape.num_variables;
    if table.values.len() != expected {
        return Err(bad("values of the table", expected, table.values.len()));
    }
    let modulus = params.field.modulus();
    if let Some(index) = table.values.iter().position(|&value| value >= modulus) {
        let got = format!("{} at index {index}", table.values[index]);
        return Err(bad("a value", format!("below {modulus}"), got));
    }
    use p3_field::integers::QuotientMap;
    Ok(table
        .values
        .into_iter()
        .map(<S::F as QuotientMap<u32>>::from_int)
        .collect())
}

/// A scheme over a machine's back end, with the plan and the clock of its run.
struct Ready<S: ProverSuite, M: Machine> {
    pcs: WhirPcs<S, S::Grinder, M::Backend<S>>,
    plan: Plan,
    watch: Arc<Stopwatch>,
}

fn prepare<S: ProverSuite, M: Machine>(
    machine: &M,
    params: &Params,
    shape: Shape,
    claims: usize,
    num_openings: usize,
    options: &Options,
) -> Result<Ready<S, M>, ProveError> {
    let config = params.config_for::<S, S::Grinder>(shape, claims)?;
    let run = WhirShape::new(&config, num_openings);
    let Prepared { backend, plan } = machine.prepare::<S>(&Job {
        params,
        shape,
        run: &run,
        mem_limit: options.mem_limit,
    })?;
    let watch = Arc::new(Stopwatch::new());
    let pcs = WhirPcs::new(config, params.order, backend).with_options(RunOptions {
        observer: Arc::clone(&options.observer),
        stopwatch: Arc::clone(&watch),
        keep_codeword: plan.keep_codeword,
    });
    Ok(Ready { pcs, plan, watch })
}

/// A statement's one table, as the layouts want it: a matrix with a column in each row.
pub(crate) fn tables<S: Suite>(
    shape: Shape,
    values: Vec<S::F>,
) -> Vec<p3_sumcheck::layout::Table<S::F>> {
    let columns = RowMajorMatrix::new(values, 1 << shape.num_variables);
    vec![p3_sumcheck::layout::Table::new(columns)]
}

fn commit_suite<S: ProverSuite, M: Machine>(
    machine: &M,
    params: &Params,
    table: Table,
    options: &Options,
) -> Result<Committed, ProveError> {
    let Ready { pcs, plan, watch } = prepare::<S, M>(machine, params, table.shape, 1, 1, options)?;
    let shape = table.shape;
    let values = elements::<S>(params, table)?;
    let witness = pcs.witness(tables::<S>(shape, values));
    let (commitment, _) = pcs.commit(witness, &mut machine.grinder::<S>())?;
    let root = root_bytes::<S>(&commitment);
    Ok(Committed {
        root,
        times: watch.times(),
        plan,
    })
}

fn prove_suite<S: ProverSuite, M: Machine>(
    machine: &M,
    params: &Params,
    table: Table,
    request: &Request,
    options: &Options,
) -> Result<Proved, ProveError> {
    let shape = table.shape;
    let (points, openings) = openings(params, shape, request)?;
    let protocol = derive::protocol(shape, &openings)?;
    let claims = openings.iter().map(|opening| opening.columns.len()).sum();
    let Ready { pcs, plan, watch } =
        prepare::<S, M>(machine, params, shape, claims, openings.len(), options)?;
    let mut statement = Statement {
        shape,
        commitment: [0; DIGEST_BYTES],
        points,
        openings,
    };

    let values = elements::<S>(params, table)?;
    let mut challenger = machine.grinder::<S>();
    transcript::begin::<S, _>(&mut challenger, params, &statement);
    let start = Instant::now();
    let witness = pcs.witness(tables::<S>(shape, values));
    let (commitment, data) = pcs.commit(witness, &mut challenger)?;
    let commit_time = start.elapsed();
    let start = Instant::now();
    let proof = match points {
        Points::Drawn => pcs.open(data, protocol.clone(), &mut challenger)?,
        Points::Given => {
            let points = given_points::<S>(&statement)?;
            transcript::observe_points::<S, _>(&mut challenger, &points);
            let points: Vec<_> = points.into_iter().map(Point::new).collect();
            pcs.open_at(data, &protocol, &points, &mut challenger)?
        }
    };
    let open_time = start.elapsed();
    let PcsProof { whir, evals } = proof;
    complete::<S>(&mut statement, &commitment, &evals);
    let body = body::write::<S>(
        &whir,
        &WhirShape::new(pcs.config(), protocol.num_openings()),
    );
    let times = watch.times();
    if options.self_check {
        verify::verify::<S>(params, &statement, &body)
            .map_err(|error| ProveError::SelfCheck(error.to_string()))?;
    }
    Ok(Proved {
        statement,
        body,
        commit_time,
        open_time,
        times,
        plan,
    })
}

/// The given points of a statement.
pub(crate) fn given_points<S: Suite>(statement: &Statement) -> Result<Vec<Vec<S::EF>>, ProveError> {
    statement
        .openings
        .iter()
        .map(|opening| verify::extension_elements::<S>(&opening.point))
        .collect::<Result<_, _>>()
        .map_err(|_| bad("a point", "canonical coordinates", "another"))
}

fn root_bytes<S: Suite>(commitment: &<S::Mmcs as Mmcs<S::F>>::Commitment) -> [u8; DIGEST_BYTES] {
    S::root(commitment)
        .expect("the cap height is zero")
        .to_bytes()
}

/// Fills in what proving found: the root and the claimed values.
pub(crate) fn complete<S: Suite>(
    statement: &mut Statement,
    commitment: &<S::Mmcs as Mmcs<S::F>>::Commitment,
    evals: &[OpeningEvals<S::EF>],
) {
    statement.commitment = root_bytes::<S>(commitment);
    for (opening, values) in statement.openings.iter_mut().zip(evals) {
        opening.values = coefficients::<S>(values.current());
    }
}

/// Canonical coefficients of extension elements, lowest first.
fn coefficients<S: Suite>(values: &[S::EF]) -> Vec<u32> {
    values
        .iter()
        .flat_map(|value| value.as_basis_coefficients_slice())
        .map(PrimeField32::as_canonical_u32)
        .collect()
}
