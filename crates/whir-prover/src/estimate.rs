//! What a run will cost.

use p3_whir::WhirShape;
use prova_whir::derive::query_phases;
use prova_whir::security::Report;
use prova_whir::size::{BodySize, body_size};
use prova_whir::statement::DIGEST_BYTES;
use prova_whir::{HashSuite, Opening, Params, Points, Shape, Statement, security, with_suite};

use crate::front::{ProveError, no_suite};
use crate::plan;
use crate::suite::ProverSuite;

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
