//! The published Plonky3 prover behind the same door as ours: the peer of benchmarks and the
//! oracle of tests.

use std::time::{Duration, Instant};

use p3_commit::MultilinearPcs;
use p3_dft::Radix2DFTSmallBatch;
use p3_multilinear_util::point::Point;
use p3_sumcheck::PrescribedPointPcs;
use p3_sumcheck::layout::{Layout, PrefixProver, SuffixProver};
use p3_whir::{PcsProof, WhirProver, WhirShape};
use prova_whir::statement::DIGEST_BYTES;
use prova_whir::{Order, Params, Points, Statement, Suite, body, derive, transcript};

use crate::front::{
    ProveError, Request, Table, complete, elements, given_points, openings, tables,
};
use crate::pcs::PcsError;

/// A proof by the stock prover.
#[derive(Clone, Debug)]
pub struct StockProved {
    /// What it proves.
    pub statement: Statement,
    /// The proof body.
    pub body: Vec<u8>,
    /// Time to commit.
    pub commit_time: Duration,
    /// Time to open, claims included.
    pub open_time: Duration,
}

type Stock<S, L> = WhirProver<
    <S as Suite>::EF,
    <S as Suite>::F,
    Radix2DFTSmallBatch<<S as Suite>::F>,
    <S as Suite>::Mmcs,
    <S as Suite>::Challenger,
    L,
>;

/// Proves with the stock prover of suite `S`, over the transcript of [`crate::prove`].
///
/// Twiddles are built and values converted before the clock starts, as for ours.
///
/// # Errors
/// As [`crate::prove`], cancellation and memory limits excepted.
pub fn prove<S: Suite>(
    params: &Params,
    table: Table,
    request: &Request,
) -> Result<StockProved, ProveError> {
    match params.order {
        Order::Suffix => prove_layout::<S, SuffixProver<S::F, S::EF>>(params, table, request),
        Order::Prefix => prove_layout::<S, PrefixProver<S::F, S::EF>>(params, table, request),
    }
}

/// [`prove`] in suffix order, for callers that need no other and would compile both.
///
/// # Errors
/// As [`prove`].
///
/// # Panics
/// If the parameters ask for prefix order.
pub fn prove_suffix<S: Suite>(
    params: &Params,
    table: Table,
    request: &Request,
) -> Result<StockProved, ProveError> {
    assert_eq!(params.order, Order::Suffix, "suffix order only");
    prove_layout::<S, SuffixProver<S::F, S::EF>>(params, table, request)
}

fn prove_layout<S: Suite, L: Layout<S::F, S::EF>>(
    params: &Params,
    table: Table,
    request: &Request,
) -> Result<StockProved, ProveError> {
    let shape = table.shape;
    let (points, openings) = openings(params, shape, request)?;
    let protocol = derive::protocol(shape, &openings)?;
    let claims = openings.iter().map(|opening| opening.columns.len()).sum();
    let config = params.config::<S>(shape, claims)?;
    let described = WhirShape::new(&config, protocol.num_openings());
    let fold = config.round_folding_factor(0);
    let dft = Radix2DFTSmallBatch::new(1 << config.max_fft_size());
    let pcs = Stock::<S, L>::new(config, dft, S::mmcs());
    let mut statement = Statement {
        shape,
        commitment: [0; DIGEST_BYTES],
        points,
        openings,
    };
    let tables = tables::<S>(shape, elements::<S>(params, table)?);

    let mut challenger = S::challenger();
    transcript::begin::<S, _>(&mut challenger, params, &statement);
    let start = Instant::now();
    let witness = L::new_witness(tables, fold);
    let (commitment, data) = pcs
        .commit(witness, &mut challenger)
        .map_err(PcsError::Config)?;
    let commit_time = start.elapsed();
    let start = Instant::now();
    let proof = match points {
        Points::Drawn => pcs.open(data, protocol, &mut challenger),
        Points::Given => {
            let points = given_points::<S>(&statement)?;
            transcript::observe_points::<S, _>(&mut challenger, &points);
            let points: Vec<_> = points.into_iter().map(Point::new).collect();
            pcs.open_at(data, &protocol, &points, &mut challenger)
        }
    }
    .map_err(PcsError::Config)?;
    let open_time = start.elapsed();

    let PcsProof { whir, evals } = proof;
    complete::<S>(&mut statement, &commitment, &evals);
    let body = body::write::<S>(&whir, &described);
    Ok(StockProved {
        statement,
        body,
        commit_time,
        open_time,
    })
}
