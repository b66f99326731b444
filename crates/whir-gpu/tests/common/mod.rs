//! Small runs shared by the tests. They need an adapter and fail without one.
#![allow(dead_code)] // each test binary uses its own part

use std::sync::Arc;

use prova_whir::{Field, Folding, HashSuite, Order, Params, Regime, Shape};
use prova_whir_gpu::{GpuMachine, GpuOptions};
use prova_whir_prover::{
    GivenPoint, Options, ProveError, Proved, Request, Table, Unobserved, prove,
};

/// Every table stays on the device as long as it can, and it searches whatever it can.
pub fn eager() -> GpuOptions {
    GpuOptions {
        handover: Some(3),
        least_grind_bits: Some(1),
        ..GpuOptions::default()
    }
}

/// The machine under test.
pub fn machine(options: &GpuOptions) -> GpuMachine {
    GpuMachine::open(options).expect("the tests need a GPU adapter; a software one will do")
}

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

/// One given point for all columns and one for the last alone.
pub fn given(params: &Params, shape: Shape) -> Request {
    let point = |seed: u32| -> Vec<u32> {
        (0..(shape.num_variables * params.extension_degree) as u32)
            .map(|i| {
                seed.wrapping_mul(2_654_435_761).wrapping_add(i * 40_503) % params.field.modulus()
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

pub fn on_cpu(params: &Params, table: &Table, request: &Request) -> Result<Proved, ProveError> {
    prove(params, table.clone(), request, &options())
}

pub fn on_gpu(
    machine: &GpuMachine,
    params: &Params,
    table: &Table,
    request: &Request,
) -> Result<Proved, ProveError> {
    machine.prove(
        params,
        || Ok::<_, ProveError>(table.clone()),
        request,
        &options(),
    )
}

/// Proves on both machines and compares statement and body.
pub fn same(machine: &GpuMachine, params: &Params, table: &Table, request: &Request, what: &str) {
    let expected = on_cpu(params, table, request).expect("the CPU proves");
    let proved = on_gpu(machine, params, table, request)
        .unwrap_or_else(|error| panic!("{what}: {error}\n{params:?} {:?}", table.shape));
    assert!(
        proved.statement == expected.statement,
        "{what}: another statement\n{params:?} {:?}",
        table.shape
    );
    assert!(
        proved.body == expected.body,
        "{what}: another proof\n{params:?} {:?}",
        table.shape
    );
}
