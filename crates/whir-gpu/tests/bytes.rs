//! Proofs of the device are those of the CPU, byte for byte.

mod common;

use common::*;
use prova_whir::{Field, Folding, HashSuite, Order};
use prova_whir_gpu::{GpuOptions, MemoryPlan, Mode};
use prova_whir_prover::Request;

const HASHES: [HashSuite; 4] = [
    HashSuite::Poseidon2x16,
    HashSuite::Poseidon2x24,
    HashSuite::Keccak,
    HashSuite::Blake3,
];

#[test]
fn every_suite_in_both_orders() {
    let machine = machine(&eager());
    for field in [Field::BabyBear, Field::KoalaBear] {
        for degree in [4, 5] {
            for hash in HASHES {
                for order in [Order::Suffix, Order::Prefix] {
                    let mut params = params(field, degree, hash);
                    params.order = order;
                    let table = table(&params, 10, 1, 7);
                    let request = Request::Drawn { count: 1 };
                    same(&machine, &params, &table, &request, "a suite");
                }
            }
        }
    }
}

#[test]
fn every_mode() {
    for mode in Mode::ALL {
        let machine = machine(&GpuOptions { mode, ..eager() });
        for (hash, fold, rate) in [
            (HashSuite::Poseidon2x16, 4, 1),
            (HashSuite::Poseidon2x24, 1, 2),
            (HashSuite::Blake3, 3, 3),
        ] {
            let mut params = params(Field::BabyBear, 4, hash);
            params.folding = Folding::Constant(fold);
            params.log_inv_rate = rate;
            let table = table(&params, 12, 1, 3);
            let what = format!("mode {mode}");
            same(
                &machine,
                &params,
                &table,
                &Request::Drawn { count: 2 },
                &what,
            );
        }
    }
}

#[test]
fn every_memory_plan() {
    for plan in 0..MemoryPlan::LADDER.len() {
        let machine = machine(&GpuOptions {
            first_plan: plan,
            ..eager()
        });
        for (fold, rate) in [(4, 1), (2, 3), (1, 2)] {
            let mut params = params(Field::KoalaBear, 4, HashSuite::Poseidon2x16);
            params.folding = Folding::Constant(fold);
            params.log_inv_rate = rate;
            let table = table(&params, 11, 1, 5);
            let what = format!("plan {plan}");
            same(
                &machine,
                &params,
                &table,
                &Request::Drawn { count: 1 },
                &what,
            );
            assert_eq!(machine.last_plan(), Some(MemoryPlan::LADDER[plan]));
        }
    }
}

#[test]
fn several_columns_and_given_points() {
    let machine = machine(&eager());
    for order in [Order::Suffix, Order::Prefix] {
        for (variables, columns) in [(8, 3), (11, 3), (10, 5), (11, 4)] {
            let mut params = params(Field::BabyBear, 5, HashSuite::Poseidon2x24);
            params.order = order;
            let table = table(&params, variables, columns, 11);
            let request = given(&params, table.shape);
            same(&machine, &params, &table, &request, "given points");
            same(
                &machine,
                &params,
                &table,
                &Request::Drawn { count: 2 },
                "drawn points",
            );
        }
    }
}

#[test]
fn small_and_odd_sizes() {
    let machine = machine(&eager());
    for variables in 4..10 {
        for fold in [1, 2, 3] {
            let mut params = params(Field::BabyBear, 4, HashSuite::Poseidon2x16);
            params.folding = Folding::Constant(fold);
            params.security_bits = 24;
            params.pow_bits = 4;
            let table = table(&params, variables, 1, 13);
            let request = Request::Drawn { count: 1 };
            if on_cpu(&params, &table, &request).is_ok() {
                same(&machine, &params, &table, &request, "a small size");
            }
        }
    }
}

#[test]
fn bindings_are_split() {
    // Blocks of a codeword and of a tree in buffers of their own; tables in pieces.
    for (limit, variables) in [(64 << 10, 14), (256 << 10, 15)] {
        let machine = machine(&GpuOptions {
            max_binding_bytes: Some(limit),
            ..eager()
        });
        let mut params = params(Field::BabyBear, 4, HashSuite::Poseidon2x16);
        params.folding = Folding::Constant(4);
        params.log_inv_rate = 3;
        let table = table(&params, variables, 1, 17);
        same(
            &machine,
            &params,
            &table,
            &Request::Drawn { count: 1 },
            "split bindings",
        );
    }
}

#[test]
fn sixteen_variables_with_the_usual_thresholds() {
    let machine = machine(&GpuOptions::default());
    let mut params = params(Field::KoalaBear, 4, HashSuite::Poseidon2x16);
    params.folding = Folding::Constant(4);
    let table = table(&params, 16, 1, 19);
    let request = Request::Drawn { count: 1 };
    same(&machine, &params, &table, &request, "16 variables");
}

#[test]
fn fifty_runs_of_mixed_sizes_on_one_machine() {
    let machine = machine(&eager());
    let mut modes = Mode::ALL.iter().cycle();
    for run in 0..50_usize {
        let machine = machine.with_mode(*modes.next().expect("a cycle"));
        let mut params = params(
            [Field::BabyBear, Field::KoalaBear][run % 2],
            4,
            [HashSuite::Poseidon2x16, HashSuite::Blake3][run / 2 % 2],
        );
        params.folding = Folding::Constant(1 + run % 4);
        params.log_inv_rate = 1 + run % 3;
        let table = table(&params, 7 + run % 6, 1, run as u32);
        let request = Request::Drawn { count: 1 };
        if on_cpu(&params, &table, &request).is_ok() {
            same(&machine, &params, &table, &request, "one of fifty runs");
        }
    }
}

#[test]
fn every_multiplication() {
    for multiply in machine(&eager()).gpu().multiplications() {
        let machine = machine(&GpuOptions {
            multiply: Some(multiply),
            ..eager()
        });
        for (field, degree) in [(Field::BabyBear, 4), (Field::KoalaBear, 5)] {
            for hash in [HashSuite::Poseidon2x16, HashSuite::Poseidon2x24] {
                let params = params(field, degree, hash);
                let table = table(&params, 12, 1, 23);
                let what = multiply.name();
                same(
                    &machine,
                    &params,
                    &table,
                    &Request::Drawn { count: 1 },
                    what,
                );
            }
        }
    }
}
