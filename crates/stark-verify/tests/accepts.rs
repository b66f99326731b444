//! Proofs of Plonky3's prover, accepted by both verifiers, and both ways between types and files.

mod support;

use prova_stark_verify::{Fibonacci, FriParams, host};
use support::{Cubes, TestAir, canonical, prove};

fn round_trip<A: TestAir>(air: A, fri: FriParams, degree_bits: u32) {
    let case = prove(air, fri, degree_bits);
    assert_eq!(case.oracle(&case.file), Some(true), "{fri:?} {degree_bits}");
    let verified = case.verify(&case.file).unwrap();
    assert_eq!(verified.key_digest, case.digest);
    assert_eq!(verified.public_values, canonical(&case.public));

    let (proof, public) = host::from_file(&case.key, &case.file).unwrap();
    assert_eq!(public, case.public);
    assert_eq!(
        host::to_file(&case.key, &proof, &public).unwrap(),
        case.file
    );
}

const SMALL: FriParams = FriParams {
    num_queries: 5,
    query_pow_bits: 3,
    ..FriParams::QUERIES_84
};

#[test]
fn presets() {
    round_trip(Fibonacci, FriParams::QUERIES_1, 10);
    round_trip(Fibonacci, FriParams::QUERIES_84, 10);
}

#[test]
fn heights() {
    for degree_bits in 1..=7 {
        round_trip(Fibonacci, SMALL, degree_bits);
    }
}

#[test]
fn arities_and_final_polynomials() {
    for max_log_arity in 1..=4 {
        for log_final_poly_len in [0, 1, 3] {
            let fri = FriParams {
                max_log_arity,
                log_final_poly_len,
                ..SMALL
            };
            round_trip(Fibonacci, fri, 6);
            round_trip(Fibonacci, fri, 7);
        }
    }
}

#[test]
fn rates_caps_and_work() {
    for (log_blowup, cap_height) in [(1, 1), (2, 3), (3, 10)] {
        let fri = FriParams {
            log_blowup,
            cap_height,
            ood_pow_bits: 2,
            batch_pow_bits: 3,
            commit_pow_bits: 1,
            ..SMALL
        };
        round_trip(Fibonacci, fri, 5);
    }
}

#[test]
fn quotient_parts_and_preprocessed_columns() {
    for (log_blowup, cap_height) in [(2, 0), (3, 2)] {
        let fri = FriParams {
            log_blowup,
            cap_height,
            num_queries: 40,
            ..SMALL
        };
        round_trip(Cubes { rows: 16 }, fri, 4);
    }
}
