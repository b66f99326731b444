//! Temporary stand-in for the prover's front door.
#![allow(missing_docs, dead_code, clippy::all)]
#[path = "../../whir-prover/src/observer.rs"]
pub mod observer;
use observer::*;
use p3_commit::MultilinearPcs;
use p3_field::integers::QuotientMap;
use p3_field::{BasedVectorSpace, PrimeField32};
use p3_multilinear_util::point::Point;
use p3_sumcheck::PrescribedPointPcs;
use p3_sumcheck::layout::{Layout, SuffixProver, Table as StockTable};
use p3_whir::{WhirProver, WhirShape};
use prova_whir::size::BodySize;
use prova_whir::suite::{Digest, Suite};
use prova_whir::{ConfigError, Opening, Order, Params, Points, Shape, Statement, body, derive, security, size, transcript, with_suite};

#[derive(Clone, Debug)] pub struct Table { pub shape: Shape, pub values: Vec<u32> }
#[derive(Clone, Debug)] pub enum Request { Drawn { count: usize }, Given(Vec<GivenPoint>) }
#[derive(Clone, Debug)] pub struct GivenPoint { pub columns: Vec<usize>, pub coordinates: Vec<u32> }
#[derive(Clone)] pub struct Options { pub mem_limit: Option<u64>, pub self_check: bool, pub observer: std::sync::Arc<dyn Observer + Send> }
#[derive(Debug, thiserror::Error)] #[error("needs {need} bytes of memory, the limit is {limit}")] pub struct OverLimit { pub need: u64, pub limit: u64 }
pub struct Proved { pub statement: Statement, pub body: Vec<u8>, pub times: StageTimes, pub plan: Plan }
pub struct Committed { pub root: [u8; 32], pub times: StageTimes, pub plan: Plan }
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    #[error(transparent)] Config(#[from] ConfigError),
    #[error("{what}: expected {expected}, got {got}")] BadRequest { what: &'static str, expected: String, got: String },
    #[error(transparent)] Memory(#[from] OverLimit),
    #[error(transparent)] Cancelled(#[from] Cancelled),
    #[error("self-check failed: {0}")] SelfCheck(String),
}
#[derive(Debug, Clone, Copy)]
pub struct Plan { pub keep_codeword: bool, pub peak_bytes: u64 }
impl Plan { pub fn describe(&self) -> &'static str { "stub plan" } }
#[derive(Clone, Debug)] pub struct Estimate { pub shape: Shape, pub stacked_variables: usize, pub rounds: Vec<RoundEstimate>, pub body: BodySize, pub statement_bytes: u64, pub file_bytes_expected: u64, pub file_bytes_max: u64, pub permutations: u64, pub butterflies: u64, pub grinding: f64, pub peak_bytes: u64, pub leanest_peak_bytes: u64, pub security: security::Report, pub max_pow_bits: usize }
#[derive(Clone, Debug)] pub struct RoundEstimate { pub num_variables: usize, pub fold: usize, pub log_inv_rate: usize, pub rows_log: usize, pub row_elements: usize, pub queries: usize, pub query_pow_bits: usize, pub fold_pow_bits: usize, pub ood_samples: usize }

fn check(o: &Options, e: &Estimate) -> Result<Plan, ProveError> {
    if let Some(limit) = o.mem_limit { if e.leanest_peak_bytes > limit { return Err(OverLimit { need: e.leanest_peak_bytes, limit }.into()); } }
    let keep = o.mem_limit.is_none_or(|l| e.peak_bytes <= l);
    Ok(Plan { keep_codeword: keep, peak_bytes: if keep { e.peak_bytes } else { e.leanest_peak_bytes } })
}
pub fn prove(params: &Params, table: Table, request: &Request, options: &Options) -> Result<Proved, ProveError> {
    let n = match request { Request::Drawn { count } => *count, Request::Given(l) => l.len() };
    let plan = check(options, &estimate(params, table.shape, n)?)?;
    let watch = Stopwatch::new();
    let (statement, body) = with_suite!(params, S => match params.order {
        Order::Suffix => run::<S, SuffixProver<<S as Suite>::F, <S as Suite>::EF>>(params, table, request, options, &watch),
        Order::Prefix => todo!(),
    }, else Err(ConfigError::NoSuite { degree: params.extension_degree }.into()))?;
    if options.self_check { prova_whir::verify_parts(params, &statement, &body).map_err(|e| ProveError::SelfCheck(e.to_string()))?; }
    Ok(Proved { statement, body, times: watch.times(), plan })
}
pub fn commit(params: &Params, table: Table, options: &Options) -> Result<Committed, ProveError> {
    let p = prove(params, table, &Request::Drawn { count: 1 }, options)?;
    Ok(Committed { root: p.statement.commitment, times: p.times, plan: p.plan })
}
fn run<S: Suite, L: Layout<S::F, S::EF>>(params: &Params, table: Table, request: &Request, options: &Options, watch: &Stopwatch) -> Result<(Statement, Vec<u8>), ProveError>
{
    let shape = table.shape;
    let (points, openings): (_, Vec<Opening>) = match request {
        Request::Drawn { count } => (Points::Drawn, (0..*count).map(|_| Opening { columns: (0..shape.columns).collect(), point: vec![], values: vec![] }).collect()),
        Request::Given(list) => (Points::Given, list.iter().map(|g| Opening { columns: if g.columns.is_empty() { (0..shape.columns).collect() } else { g.columns.clone() }, point: g.coordinates.clone(), values: vec![] }).collect()),
    };
    let claims = openings.iter().map(|o| o.columns.len()).sum();
    let config = params.config::<S>(shape, claims)?;
    let protocol = derive::protocol(shape, &openings)?;
    let wshape = WhirShape::new(&config, protocol.num_openings());
    let mut statement = Statement { shape, commitment: [0; 32], points, openings };
    let values: Vec<S::F> = table.values.iter().map(|&v| <S::F as QuotientMap<u32>>::from_int(v)).collect();
    let witness = L::new_witness(vec![StockTable::new(p3_matrix::dense::RowMajorMatrix::new(values, 1 << shape.num_variables))], params.fold_at(0));
    let pcs = WhirProver::<S::EF, S::F, p3_dft::Radix2DitParallel<S::F>, S::Mmcs, S::Challenger, L>::new(config, p3_dft::Radix2DitParallel::default(), S::mmcs());
    let mut ch = S::challenger();
    transcript::begin::<S, _>(&mut ch, params, &statement);
    options.observer.enter(Stage::Encode, 0);
    options.observer.progress(1, 3);
    if options.observer.cancelled() { return Err(Cancelled.into()); }
    let (commitment, data) = watch.time(Stage::Encode, || MultilinearPcs::commit(&pcs, witness, &mut ch)).map_err(|e| ConfigError::from(e))?;
    statement.commitment = S::root(&commitment).unwrap().to_bytes();
    options.observer.progress(2, 3);
    if options.observer.cancelled() { return Err(Cancelled.into()); }
    let proof = watch.time(Stage::Openings, || match points {
        Points::Drawn => pcs.open(data, protocol, &mut ch),
        Points::Given => {
            let pts: Vec<Vec<S::EF>> = statement.openings.iter().map(|o| prova_whir::verify::extension_elements::<S>(&o.point).unwrap()).collect();
            transcript::observe_points::<S, _>(&mut ch, &pts);
            let pts: Vec<_> = pts.into_iter().map(Point::new).collect();
            pcs.open_at(data, &protocol, &pts, &mut ch)
        }
    }).map_err(|e| ConfigError::from(e))?;
    if options.observer.cancelled() { return Err(Cancelled.into()); }
    for (o, e) in statement.openings.iter_mut().zip(&proof.evals) {
        o.values = e.current().iter().flat_map(|v: &S::EF| v.as_basis_coefficients_slice().iter().map(|c: &S::F| c.as_canonical_u32()).collect::<Vec<_>>()).collect();
    }
    Ok((statement, body::write::<S>(&proof.whir, &wshape)))
}
pub fn estimate(params: &Params, shape: Shape, openings: usize) -> Result<Estimate, ProveError> {
    with_suite!(params, S => est::<S>(params, shape, openings), else Err(ConfigError::NoSuite { degree: params.extension_degree }.into()))
}
fn est<S: Suite>(params: &Params, shape: Shape, openings: usize) -> Result<Estimate, ProveError> {
    let claims = openings * shape.columns;
    let config = params.config::<S>(shape, claims)?;
    let ws = WhirShape::new(&config, openings);
    let body = size::body_size(&ws, params.extension_degree);
    let phases = derive::query_phases(&ws);
    let (mut nv, mut rate, mut fpow, mut ood) = (config.num_variables(), params.log_inv_rate, config.starting_folding_pow_bits(), config.commitment_ood_samples());
    let mut rounds = vec![];
    for (i, p) in phases.iter().enumerate() {
        rounds.push(RoundEstimate { num_variables: nv, fold: config.folding_schedule()[i], log_inv_rate: rate, rows_log: p.log_height, row_elements: p.row_elements, queries: p.rows, query_pow_bits: p.pow_bits, fold_pow_bits: fpow, ood_samples: ood });
        if let Some(r) = config.round_parameters().get(i) { nv = r.num_variables; rate = r.log_inv_rate; fpow = r.folding_pow_bits; ood = r.ood_samples; }
    }
    let st = 8 + 32 + openings * (2 + shape.columns * params.extension_degree * 4);
    let grinding = rounds.iter().map(|r| 2f64.powi(r.query_pow_bits as i32) + r.fold as f64 * 2f64.powi(r.fold_pow_bits as i32)).sum();
    let perms = rounds.iter().map(|r| (1u64 << r.rows_log) * (1 + r.row_elements as u64 / 8)).sum();
    let peak = 4u64 << (config.num_variables() + params.log_inv_rate + 1);
    Ok(Estimate { shape, stacked_variables: shape.stacked_variables(), rounds, body, statement_bytes: st as u64, file_bytes_expected: st as u64 + body.expected_bytes() as u64 + 100, file_bytes_max: st as u64 + body.max_bytes() as u64 + 100, permutations: perms, butterflies: perms * 10, grinding, peak_bytes: peak, leanest_peak_bytes: peak / 2, security: security::report::<S>(params, &config, claims), max_pow_bits: config.max_pow_bits() })
}
