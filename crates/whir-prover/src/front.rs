//! The prover behind run-time parameters: what a command or a service calls.

use std::sync::Arc;
use std::time::{Duration, Instant};

use p3_commit::{Mmcs, MultilinearPcs};
use p3_field::{BasedVectorSpace, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;
use p3_multilinear_util::point::Point;
use p3_sumcheck::{OpeningEvals, PrescribedPointPcs};
use p3_whir::{PcsProof, WhirShape};
use prova_whir::derive::{self, query_phases};
use prova_whir::security::Report;
use prova_whir::size::{BodySize, body_size};
use prova_whir::statement::DIGEST_BYTES;
use prova_whir::suite::Digest;
use prova_whir::{
    ConfigError, HashSuite, Opening, Params, Points, Shape, Statement, Suite, body, security,
    transcript, verify, with_suite,
};

use crate::cpu::Cpu;
use crate::observer::{Cancelled, Observer, StageTimes, Stopwatch};
use crate::pcs::{PcsError, RunOptions, WhirPcs};
use crate::plan::{self, OverLimit, Plan};
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
    /// The stock verifier refused the fresh proof: a defect of the prover or of the machine.
    #[error("self-check failed, no proof is returned: {0}")]
    SelfCheck(String),
}

impl From<PcsError> for ProveError {
    fn from(error: PcsError) -> Self {
        match error {
            PcsError::Config(error) => Self::Config(error.into()),
            PcsError::Cancelled(cancelled) => Self::Cancelled(cancelled),
        }
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

fn no_suite(params: &Params) -> ProveError {
    ConfigError::NoSuite {
        degree: params.extension_degree,
    }
    .into()
}

/// Commits to `table` and proves the requested openings.
///
/// # Errors
/// See [`ProveError`].
pub fn prove(
    params: &Params,
    table: Table,
    request: &Request,
    options: &Options,
) -> Result<Proved, ProveError> {
    params.check()?;
    with_suite!(params, S => prove_suite::<S>(params, table, request, options), else Err(no_suite(params)))
}

/// Commits to `table`.
///
/// # Errors
/// See [`ProveError`].
pub fn commit(params: &Params, table: Table, options: &Options) -> Result<Committed, ProveError> {
    params.check()?;
    with_suite!(params, S => commit_suite::<S>(params, table, options), else Err(no_suite(params)))
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

struct Prepared<S: ProverSuite> {
    pcs: WhirPcs<S, S::Grinder, Cpu<S>>,
    plan: Plan,
    watch: Arc<Stopwatch>,
}

fn prepare<S: ProverSuite>(
    params: &Params,
    shape: Shape,
    claims: usize,
    num_openings: usize,
    options: &Options,
) -> Result<Prepared<S>, ProveError> {
    let config = params.config_for::<S, S::Grinder>(shape, claims)?;
    let run = WhirShape::new(&config, num_openings);
    let plan = plan::choose(
        &plan::plans(shape, &run, params.extension_degree),
        options.mem_limit,
    )?;
    let watch = Arc::new(Stopwatch::new());
    let backend = Cpu::<S>::for_run(&run);
    let pcs = WhirPcs::new(config, params.order, backend).with_options(RunOptions {
        observer: Arc::clone(&options.observer),
        stopwatch: Arc::clone(&watch),
        keep_codeword: plan.keep_codeword,
    });
    Ok(Prepared { pcs, plan, watch })
}

/// A statement's one table, as the layouts want it: a matrix with a column in each row.
pub(crate) fn tables<S: Suite>(
    shape: Shape,
    values: Vec<S::F>,
) -> Vec<p3_sumcheck::layout::Table<S::F>> {
    let columns = RowMajorMatrix::new(values, 1 << shape.num_variables);
    vec![p3_sumcheck::layout::Table::new(columns)]
}

fn commit_suite<S: ProverSuite>(
    params: &Params,
    table: Table,
    options: &Options,
) -> Result<Committed, ProveError> {
    let Prepared { pcs, plan, watch } = prepare::<S>(params, table.shape, 1, 1, options)?;
    let shape = table.shape;
    let values = elements::<S>(params, table)?;
    let witness = pcs.witness(tables::<S>(shape, values));
    let (commitment, _) = pcs.commit(witness, &mut S::grinder())?;
    let root = root_bytes::<S>(&commitment);
    Ok(Committed {
        root,
        times: watch.times(),
        plan,
    })
}

fn prove_suite<S: ProverSuite>(
    params: &Params,
    table: Table,
    request: &Request,
    options: &Options,
) -> Result<Proved, ProveError> {
    let shape = table.shape;
    let (points, openings) = openings(params, shape, request)?;
    let protocol = derive::protocol(shape, &openings)?;
    let claims = openings.iter().map(|opening| opening.columns.len()).sum();
    let Prepared { pcs, plan, watch } =
        prepare::<S>(params, shape, claims, openings.len(), options)?;
    let mut statement = Statement {
        shape,
        commitment: [0; DIGEST_BYTES],
        points,
        openings,
    };

    let values = elements::<S>(params, table)?;
    let mut challenger = S::grinder();
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

/// One commitment of an estimated run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundEstimate {
    /// Variables of the committed polynomial.
    pub num_variables: usize,
    /// Variables folded after it, which is also `log2` of a row's values.
    pub fold: usize,
    /// `log2(1 / rho)` of its code.
    pub log_inv_rate: usize,
    /// `log2` of the number of rows.
    pub rows_log: usize,
    /// Values of a row.
    pub row_elements: usize,
    /// Rows opened.
    pub queries: usize,
    /// Proof-of-work before the queries.
    pub query_pow_bits: usize,
    /// Proof-of-work in each fold.
    pub fold_pow_bits: usize,
    /// Out-of-domain samples.
    pub ood_samples: usize,
}

/// What a run will cost, before any work.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// Shape of the table.
    pub shape: Shape,
    /// Variables of the stacked polynomial.
    pub stacked_variables: usize,
    /// Commitments, the first included.
    pub rounds: Vec<RoundEstimate>,
    /// Proof body.
    pub body: BodySize,
    /// Statement section.
    pub statement_bytes: u64,
    /// Whole file, expected.
    pub file_bytes_expected: u64,
    /// Whole file, at most.
    pub file_bytes_max: u64,
    /// Hash permutations or compressions of all trees.
    pub permutations: u64,
    /// Butterflies of all transforms, in base-field products.
    pub butterflies: u64,
    /// Expected hash calls of all proofs-of-work.
    pub grinding: f64,
    /// Peak memory of the default plan.
    pub peak_bytes: u64,
    /// Peak memory of the leanest plan.
    pub leanest_peak_bytes: u64,
    /// Error terms.
    pub security: Report,
    /// Largest proof-of-work.
    pub max_pow_bits: usize,
}

/// Estimates the run that opens every column at `num_openings` drawn points.
///
/// # Errors
/// Parameters that do not fit.
pub fn estimate(
    params: &Params,
    shape: Shape,
    num_openings: usize,
) -> Result<Estimate, ProveError> {
    params.check()?;
    with_suite!(params, S => estimate_suite::<S>(params, shape, num_openings), else Err(no_suite(params)))
}

/// Hash calls for one row of `elements` base-field values.
fn row_hashes(hash: HashSuite, elements: u64) -> u64 {
    match hash {
        HashSuite::Poseidon2x16 => elements.div_ceil(8),
        HashSuite::Poseidon2x24 => elements.div_ceil(16),
        HashSuite::Keccak => elements.div_ceil(2).div_ceil(17),
        // Blocks of 64 bytes, and one parent for each chunk of 16 blocks beyond the first.
        HashSuite::Blake3 => {
            let blocks = elements.div_ceil(16);
            blocks + blocks.div_ceil(16) - 1
        }
    }
}

fn estimate_suite<S: ProverSuite>(
    params: &Params,
    shape: Shape,
    num_openings: usize,
) -> Result<Estimate, ProveError> {
    let claims = num_openings.saturating_mul(shape.columns);
    let config = params.config::<S>(shape, claims)?;
    let run = WhirShape::new(&config, num_openings);
    let degree = params.extension_degree;
    let phases = query_phases(&run);

    let mut rounds = Vec::with_capacity(phases.len());
    let (mut permutations, mut butterflies, mut grinding) = (0_u64, 0_u64, 0.0);
    let mut grind = |bits: usize, times: usize| {
        if bits > 0 {
            grinding += (bits as f64).exp2() * times as f64;
        }
    };
    let (mut variables, mut rate) = (run.num_variables, run.starting_log_inv_rate);
    let (mut ood_samples, mut folding) = (run.commitment_ood_samples, run.initial_sumcheck);
    for (index, phase) in phases.iter().enumerate() {
        let elements = (phase.row_elements * if index == 0 { 1 } else { degree }) as u64;
        let rows = 1_u64 << phase.log_height;
        permutations += rows * row_hashes(params.hash, elements) + rows - 1;
        let layers = (variables - folding.rounds) as u64;
        butterflies += rows / 2 * layers * elements + rows * elements;
        grind(phase.pow_bits, 1);
        grind(folding.pow_bits, folding.rounds);
        rounds.push(RoundEstimate {
            num_variables: variables,
            fold: folding.rounds,
            log_inv_rate: rate,
            rows_log: phase.log_height,
            row_elements: phase.row_elements,
            queries: phase.rows,
            query_pow_bits: phase.pow_bits,
            fold_pow_bits: folding.pow_bits,
            ood_samples,
        });
        variables -= folding.rounds;
        if let Some(round) = run.rounds.get(index) {
            (rate, ood_samples, folding) = (round.log_inv_rate, round.ood_samples, round.sumcheck);
        }
    }
    grind(run.final_sumcheck.pow_bits, run.final_sumcheck.rounds);

    let body = body_size(&run, degree);
    let opening = Opening {
        columns: (0..shape.columns).collect(),
        point: Vec::new(),
        values: vec![0; shape.columns * degree],
    };
    let statement = Statement {
        shape,
        commitment: [0; DIGEST_BYTES],
        points: Points::Drawn,
        openings: vec![opening; num_openings],
    };
    let statement_bytes = statement.to_bytes().len() as u64;
    let padded = |bytes: u64| bytes.div_ceil(16) * 16;
    let fixed = 32 + padded(params.to_bytes().len() as u64) + padded(statement_bytes);
    let [default, lean] = plan::plans(shape, &run, degree);
    Ok(Estimate {
        shape,
        stacked_variables: run.num_variables,
        rounds,
        statement_bytes,
        file_bytes_expected: fixed + padded(body.expected_bytes() as u64),
        file_bytes_max: fixed + padded(body.max_bytes() as u64),
        body,
        permutations,
        butterflies,
        grinding,
        peak_bytes: default.peak_bytes,
        leanest_peak_bytes: lean.peak_bytes.min(default.peak_bytes),
        security: security::report::<S>(params, &config, claims),
        max_pow_bits: config.max_pow_bits(),
    })
}
