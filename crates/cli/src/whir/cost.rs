//! Cost models of a run, from its estimate.
//!
//! They are coarse: they rank schedules of one field and hash suite, they do not predict seconds.
//! The help text of `prova whir tune` states them.

use clap::ValueEnum;
use prova_whir::{HashSuite, Params};

use crate::front::Estimate;

/// What to make small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Objective {
    /// The prover's work.
    Time,
    /// The expected bytes of the proof file.
    Size,
    /// The verifier's hashing.
    Verify,
}

/// The cost of a run; see the help text for the models.
pub fn cost(objective: Objective, params: &Params, estimate: &Estimate) -> f64 {
    match objective {
        Objective::Time => time(params, estimate),
        Objective::Size => estimate.file_bytes_expected as f64,
        Objective::Verify => verify(params, estimate),
    }
}

fn hash_weight(hash: HashSuite) -> f64 {
    match hash {
        HashSuite::Poseidon2x16 => 180.0,
        HashSuite::Poseidon2x24 => 300.0,
        HashSuite::Keccak => 150.0,
        HashSuite::Blake3 => 30.0,
    }
}

fn time(params: &Params, estimate: &Estimate) -> f64 {
    let hashes = (estimate.permutations as f64 + estimate.grinding) * hash_weight(params.hash);
    // A round's folds halve tables of challenge-field elements: in all some four products of
    // `degree^2` base-field ones for each of the round's values.
    let degree = params.extension_degree as f64;
    let sumcheck: f64 = estimate
        .rounds
        .iter()
        .map(|round| 4.0 * degree * degree * (round.num_variables as f64).exp2())
        .sum();
    hashes + estimate.butterflies as f64 + sumcheck
}

fn verify(params: &Params, estimate: &Estimate) -> f64 {
    let rows: f64 = estimate
        .rounds
        .iter()
        .enumerate()
        .map(|(index, round)| {
            let width = if index == 0 {
                1
            } else {
                params.extension_degree
            };
            let bytes = 4 * width * round.row_elements;
            let block = match params.hash {
                HashSuite::Poseidon2x16 => 32,
                HashSuite::Poseidon2x24 | HashSuite::Blake3 => 64,
                HashSuite::Keccak => 136,
            };
            (round.queries * bytes.div_ceil(block)) as f64
        })
        .sum();
    rows + estimate.body.expected_siblings
}
