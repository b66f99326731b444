//! Completeness both ways: the stock verifier accepts our proofs, our reader the stock prover's.

mod common;

use common::{accepts, given, options, ours, params, stock, table};
use prova_whir::{Field, Folding, HashSuite, Order, Params, Regime};
use prova_whir_prover::{Request, prove};

fn suites() -> impl Iterator<Item = (Field, usize, HashSuite)> {
    Field::ALL.iter().flat_map(|&field| {
        [4, 5].into_iter().flat_map(move |degree| {
            HashSuite::ALL
                .iter()
                .map(move |&hash| (field, degree, hash))
        })
    })
}

/// Proves with both provers and verifies both; true if the parameters fit.
fn both_ways(params: &Params, variables: usize, columns: usize, request: &Request) -> bool {
    let table = table(params, variables, columns, variables as u32);
    let Some(stock) = stock(params, &table, request) else {
        let ours = ours(params, &table, request).unwrap();
        accepts(params, &ours.statement, &ours.body, "our proof");
        return true;
    };
    match (ours(params, &table, request), stock) {
        (Ok(ours), Ok(stock)) => {
            accepts(params, &ours.statement, &ours.body, "our proof");
            accepts(params, &stock.statement, &stock.body, "stock proof");
            assert_eq!(
                ours.statement.commitment, stock.statement.commitment,
                "roots differ"
            );
            true
        }
        (Err(a), Err(b)) => {
            assert_eq!(
                a.to_string(),
                b.to_string(),
                "refused for different reasons"
            );
            false
        }
        (ours, stock) => panic!(
            "one prover refuses what the other accepts: {params:?} {:?} {:?}",
            ours.err(),
            stock.err()
        ),
    }
}

#[test]
fn every_suite_order_and_shape() {
    for (field, degree, hash) in suites() {
        for order in [Order::Suffix, Order::Prefix] {
            let mut params = params(field, degree, hash);
            params.order = order;
            for (variables, columns, points) in [(10, 1, 1), (9, 3, 2), (8, 4, 1)] {
                assert!(both_ways(
                    &params,
                    variables,
                    columns,
                    &Request::Drawn { count: points }
                ));
            }
            let shape = table(&params, 9, 3, 0).shape;
            assert!(both_ways(&params, 9, 3, &given(&params, shape)));
        }
    }
}

#[test]
fn every_regime_fold_and_rate() {
    let mut fitted = 0;
    for regime in [Regime::UniqueDecoding, Regime::Johnson, Regime::Capacity] {
        for fold in 1..=6 {
            for rate in 1..=4 {
                for (field, degree, hash) in [
                    (Field::BabyBear, 4, HashSuite::Poseidon2x16),
                    (Field::KoalaBear, 5, HashSuite::Blake3),
                ] {
                    let mut params = params(field, degree, hash);
                    (params.regime, params.log_inv_rate) = (regime, rate);
                    params.folding = Folding::Constant(fold);
                    params.order = if fold % 2 == 0 {
                        Order::Prefix
                    } else {
                        Order::Suffix
                    };
                    for variables in [fold, fold + 1, 11] {
                        let request = Request::Drawn { count: 1 };
                        fitted += usize::from(both_ways(&params, variables, 1, &request));
                    }
                }
            }
        }
    }
    assert!(fitted > 400, "only {fitted} combinations fit");
}

#[test]
fn explicit_schedules() {
    let mut params = params(Field::BabyBear, 4, HashSuite::Poseidon2x24);
    params.folding = Folding::PerRound(vec![3, 1, 4]);
    assert!(both_ways(&params, 14, 1, &Request::Drawn { count: 3 }));
    params.round_log_inv_rates = vec![2, 2];
    assert!(both_ways(&params, 14, 1, &Request::Drawn { count: 1 }));
    params.round_log_inv_rates = vec![9, 2];
    assert!(
        !both_ways(&params, 14, 1, &Request::Drawn { count: 1 }),
        "the domain would grow"
    );
}

#[test]
fn wide_rows_take_the_lean_plan() {
    // Large enough for the transform that handles one coset at a time.
    for (fold, rate, hash) in [
        (5, 1, HashSuite::Blake3),
        (6, 2, HashSuite::Poseidon2x16),
        (6, 1, HashSuite::Keccak),
    ] {
        let mut params = params(Field::BabyBear, 4, hash);
        (params.folding, params.log_inv_rate) = (Folding::Constant(fold), rate);
        let table = table(&params, 18, 1, 3);
        let proved = ours(&params, &table, &Request::Drawn { count: 1 }).unwrap();
        assert!(!proved.plan.keep_codeword);
        assert!(both_ways(&params, 18, 1, &Request::Drawn { count: 1 }));
    }
}

#[test]
fn larger_polynomials() {
    for (variables, fold, hash) in [
        (18, 4, HashSuite::Poseidon2x16),
        (17, 1, HashSuite::Blake3),
        (16, 6, HashSuite::Keccak),
    ] {
        let mut params = params(Field::KoalaBear, 4, hash);
        (params.folding, params.security_bits) = (Folding::Constant(fold), 60);
        assert!(both_ways(
            &params,
            variables,
            1,
            &Request::Drawn { count: 1 }
        ));
    }
}

#[test]
fn the_same_bytes_for_any_thread_count_plan_and_run() {
    for (order, hash) in [
        (Order::Suffix, HashSuite::Poseidon2x16),
        (Order::Suffix, HashSuite::Blake3),
        (Order::Prefix, HashSuite::Keccak),
    ] {
        let mut params = params(Field::BabyBear, 4, hash);
        params.order = order;
        let table = table(&params, 13, 2, 9);
        let request = Request::Drawn { count: 2 };
        let run = |threads: usize, limit: Option<u64>| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let mut options = options();
            options.mem_limit = limit;
            pool.install(|| prove(&params, table.clone(), &request, &options))
                .unwrap()
        };
        let first = run(1, None);
        let estimate = prova_whir_prover::estimate(&params, table.shape, 2).unwrap();
        for other in [run(1, None), run(2, None), run(5, None)] {
            assert_eq!(
                (&first.statement, &first.body),
                (&other.statement, &other.body)
            );
        }
        if estimate.leanest_peak_bytes < estimate.peak_bytes {
            let lean = run(2, Some(estimate.leanest_peak_bytes));
            assert_ne!(lean.plan, first.plan);
            assert_eq!(
                (&first.statement, &first.body),
                (&lean.statement, &lean.body)
            );
        }
        let too_little = estimate.leanest_peak_bytes - 1;
        let mut options = options();
        options.mem_limit = Some(too_little);
        let refused = prove(&params, table.clone(), &request, &options);
        assert!(matches!(
            refused,
            Err(prova_whir_prover::ProveError::Memory(_))
        ));
    }
}

#[test]
fn sizes_are_as_estimated() {
    for fold in 1..=5 {
        let mut params = params(Field::KoalaBear, 5, HashSuite::Blake3);
        params.folding = Folding::Constant(fold);
        let table = table(&params, 12, 2, 1);
        let proved = ours(&params, &table, &Request::Drawn { count: 2 }).unwrap();
        let size = prova_whir_prover::estimate(&params, table.shape, 2)
            .unwrap()
            .body;
        let siblings = (proved.body.len() - size.fixed_bytes) / 32;
        assert_eq!(
            proved.body.len(),
            size.fixed_bytes + siblings * 32,
            "fixed part is exact"
        );
        assert!(siblings <= size.max_siblings);
        let deviation = (siblings as f64 - size.expected_siblings).abs();
        assert!(
            deviation < 0.1 * size.expected_siblings + 8.0,
            "{siblings} siblings, {size:?}"
        );
    }
}
