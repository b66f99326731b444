//! Small cases shared by the tests.
#![allow(dead_code)] // each test binary uses its own part

use std::sync::Arc;

use prova_whir::suite::{
    BabyBear4, BabyBearField, Blake3Suite, KoalaBear5, KoalaBearField, Poseidon2x16,
};
use prova_whir::{Field, Folding, HashSuite, Order, Params, Regime, Shape, Statement};
use prova_whir_prover::stock::{self, StockProved};
use prova_whir_prover::{
    GivenPoint, Options, ProveError, Proved, Request, Table, Unobserved, prove,
};

/// Parameters of moderate security, so that small cases have several rounds and some grinding.
pub fn params(field: Field, extension_degree: usize, hash: HashSuite) -> Params {
    Params {
        field,
        extension_degree,
        hash,
        order: Order::Suffix,
        regime: Regime::Johnson,
        security_bits: 40,
        pow_bits: 6,
        log_inv_rate: 1,
        folding: Folding::Constant(2),
        round_log_inv_rates: Vec::new(),
    }
}

/// A table of pseudo-random values (a 32-bit linear congruence, reduced).
pub fn table(params: &Params, num_variables: usize, columns: usize, seed: u32) -> Table {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let values = (0..columns << num_variables)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state ^ (state >> 15)) % params.field.modulus()
        })
        .collect();
    Table {
        shape: Shape {
            num_variables,
            columns,
        },
        values,
    }
}

pub fn options() -> Options {
    Options {
        mem_limit: None,
        self_check: false,
        observer: Arc::new(Unobserved),
    }
}

pub fn ours(params: &Params, table: &Table, request: &Request) -> Result<Proved, ProveError> {
    prove(params, table.clone(), request, &options())
}

/// The stock prover, or `None` in prefix order for suites that no test compiles it for: each adds
/// much to the time of a build, and the order does not depend on the suite.
pub fn stock(
    params: &Params,
    table: &Table,
    request: &Request,
) -> Option<Result<StockProved, ProveError>> {
    let table = table.clone();
    if params.order == Order::Suffix {
        return Some(prova_whir::with_suite!(
            params,
            S => stock::prove_suffix::<S>(params, table, request),
            else unreachable!("degrees are 4 and 5")
        ));
    }
    match (params.field, params.extension_degree, params.hash) {
        (Field::BabyBear, 4, HashSuite::Poseidon2x16) => Some(stock::prove::<
            Poseidon2x16<BabyBearField, BabyBear4>,
        >(params, table, request)),
        (Field::KoalaBear, 5, HashSuite::Blake3) => Some(stock::prove::<
            Blake3Suite<KoalaBearField, KoalaBear5>,
        >(params, table, request)),
        _ => None,
    }
}

pub fn accepts(params: &Params, statement: &Statement, body: &[u8], what: &str) {
    prova_whir::verify_parts(params, statement, body)
        .unwrap_or_else(|error| panic!("{what}: {error}\n{params:?} {:?}", statement.shape));
}

/// Given points: one for all columns, one for the last column alone, with 0 and 1 among their
/// coordinates.
pub fn given(params: &Params, shape: Shape) -> Request {
    let degree = params.extension_degree;
    let point = |seed: u32| -> Vec<u32> {
        (0..shape.num_variables * degree)
            .map(|i| match (i / degree) % 5 {
                3 => 0,
                4 => u32::from(i % degree == 0),
                _ => {
                    seed.wrapping_mul(2_654_435_761)
                        .wrapping_add(i as u32 * 40_503)
                        % params.field.modulus()
                }
            })
            .collect()
    };
    Request::Given(vec![
        GivenPoint {
            columns: vec![],
            coordinates: point(3),
        },
        GivenPoint {
            columns: vec![shape.columns - 1],
            coordinates: point(5),
        },
    ])
}
