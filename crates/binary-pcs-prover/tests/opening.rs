//! Openings against the verifier: many shapes accepted, every altered byte group rejected.

mod common;

use common::Statement;
use prova_binary_pcs::stack::Placement;
use prova_binary_pcs::stream::Form;
use prova_binary_pcs_prover::{Plan, ProveError};
use rayon::prelude::*;

fn column(offset: u64, log_size: u32) -> Placement {
    Placement { offset, log_size }
}

/// Columns of several sizes in `2^mu` words, longer and shorter than a lane.
fn columns(mu: u32) -> [Placement; 4] {
    let half = 1 << (mu - 1);
    [
        column(0, mu - 1),
        column(half, mu - 7),
        column(half + (1 << (mu - 7)), mu - 7),
        column(half + (2 << (mu - 7)), mu - 9),
    ]
}

#[test]
fn every_number_of_variables_and_rate_is_accepted() {
    for (mu, rate) in [
        (15, 1),
        (16, 2),
        (17, 3),
        (18, 4),
        (18, 1),
        (19, 2),
        (20, 1),
    ] {
        let total = 1 << mu;
        let ring = column(total as u64 / 2, mu as u32 - 2);
        let statement =
            Statement::random(mu as u64, mu, rate, total, &columns(mu as u32), Some(ring));
        let (commitment, proof) = statement
            .prove(Plan::FAST, Form::Wire)
            .expect("a true claim");
        assert!(
            statement.accepts(&commitment, Form::Wire, &proof),
            "mu {mu}, rate 2^-{rate}"
        );
    }
}

#[test]
fn every_number_of_lanes_is_accepted() {
    let mu = 15;
    let counts = [1, 2, 9].into_iter().chain(33..=64);
    counts
        .collect::<Vec<usize>>()
        .into_par_iter()
        .for_each(|lanes| {
            // The last lane is not full, but for the last number.
            let total = (lanes << (mu - 6)) - if lanes == 64 { 0 } else { 3 };
            let ring = (lanes > 32).then(|| column(0, mu as u32 - 1));
            let statement =
                Statement::random(lanes as u64, mu, 1, total, &columns(mu as u32), ring);
            let (commitment, proof) = statement
                .prove(Plan::FAST, Form::Wire)
                .expect("a true claim");
            assert_eq!(commitment.lanes, lanes);
            assert!(
                statement.accepts(&commitment, Form::Wire, &proof),
                "{lanes} lanes"
            );
        });
}

#[test]
fn ring_switched_columns_shorter_than_a_lane_are_accepted() {
    for log_size in [3, 8, 9, 10, 15] {
        let ring = column(if log_size == 15 { 0 } else { 1 << 14 }, log_size);
        let statement = Statement::random(1, 15, 1, 1 << 15, &[], Some(ring));
        let (commitment, proof) = statement
            .prove(Plan::FAST, Form::Raw)
            .expect("a true claim");
        assert!(
            statement.accepts(&commitment, Form::Raw, &proof),
            "column of 2^{log_size}"
        );
    }
}

#[test]
fn a_false_claim_is_refused_by_the_prover() {
    let mut statement = Statement::random(2, 15, 1, 1 << 15, &columns(15), None);
    statement.target += statement.lambda;
    assert_eq!(
        statement.prove(Plan::FAST, Form::Wire),
        Err(ProveError::Claim)
    );
}

#[test]
fn threads_and_plans_change_no_byte() {
    let statement = Statement::random(3, 16, 2, 40_000, &columns(16)[..1], Some(column(0, 14)));
    let proofs: Vec<_> = [1, 2, 3]
        .into_iter()
        .flat_map(|threads| Plan::ALL.map(|plan| (threads, plan)))
        .map(|(threads, plan)| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.expect("a thread pool");
            pool.install(|| statement.prove(plan, Form::Wire).expect("a true claim"))
        })
        .collect();
    assert!(proofs.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn every_kind_of_altered_byte_is_rejected() {
    let statement = Statement::random(4, 15, 1, 1 << 15, &columns(15), Some(column(0, 14)));
    for form in [Form::Wire, Form::Raw] {
        let (commitment, proof) = statement.prove(Plan::FAST, form).expect("a true claim");
        assert!(statement.accepts(&commitment, form, &proof));
        let scalars = u64::from_le_bytes(proof[..8].try_into().expect("a count")) as usize;
        // Every scalar; of the rows, siblings and counts after them, words at a prime stride.
        let ends = 8 + 24 * scalars;
        let places = (8..ends)
            .step_by(8)
            .chain((ends..proof.len()).step_by(8 * 97));
        places
            .collect::<Vec<_>>()
            .into_par_iter()
            .for_each(|place| {
                let mut altered = proof.clone();
                altered[place + place / 8 % 8] ^= 1 << (place / 64 % 8);
                assert!(
                    !statement.accepts(&commitment, form, &altered),
                    "byte {place}"
                );
            });
        let mut longer = proof.clone();
        longer.push(0);
        assert!(!statement.accepts(&commitment, form, &longer));
        assert!(!statement.accepts(&commitment, form, &proof[..proof.len() - 1]));
        let mut other = commitment;
        other.root[31] ^= 0x80;
        assert!(!statement.accepts(&other, form, &proof));
    }
}
