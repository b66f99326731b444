//! Verification of many multiproofs at once: the same verdicts as one by one.

mod support {
    pub mod case;
}

use prova_verkle::multiproof::{BatchError, BatchItem, verify_batch};
use prova_verkle::{Commitment, Fr, Setup, Transcript, VerifyError};
use support::case::{Case, LABEL, dense};

fn cases(setup: &Setup) -> Vec<Case> {
    let polynomials = [dense(1), dense(2), [Fr::ZERO; 256]];
    let shapes: [&[(usize, u8)]; 5] = [
        &[(0, 1)],
        &[(0, 1), (1, 2), (2, 3)],
        &[(1, 255), (1, 255)],
        &[(2, 0), (0, 5)],
        &[(0, 7), (1, 7), (0, 8)],
    ];
    shapes
        .iter()
        .map(|at| Case::new(setup, &polynomials, at))
        .collect()
}

/// The verdict on a batch, and the states its transcripts are left in.
fn batch(setup: &Setup, cases: &[Case]) -> (Result<(), BatchError>, Vec<Fr>) {
    let mut transcripts = vec![Transcript::new(LABEL); cases.len()];
    let queries: Vec<_> = cases.iter().map(Case::queries).collect();
    let mut items: Vec<BatchItem<'_>> = transcripts
        .iter_mut()
        .zip(cases)
        .zip(&queries)
        .map(|((transcript, case), queries)| BatchItem {
            transcript,
            proof: &case.proof,
            queries,
        })
        .collect();
    let verdict = verify_batch(setup, &mut items);
    let states = transcripts.iter_mut().map(|t| t.challenge(b"state"));
    (verdict, states.collect())
}

fn failures(setup: &Setup, cases: &[Case]) -> Vec<(usize, VerifyError)> {
    match batch(setup, cases).0 {
        Ok(()) => Vec::new(),
        Err(error) => {
            assert!(!error.failures().is_empty());
            error.failures().to_vec()
        }
    }
}

/// One false value, in ways by turns.
fn spoil(case: &Case, way: usize) -> Case {
    let mut case = case.clone();
    match way % 4 {
        0 => case.claims[0].2 += Fr::ONE,
        1 => case.proof.ipa.a += Fr::ONE,
        2 => case.proof.ipa.l[way % 8] = Commitment::IDENTITY,
        _ => case.claims[0].1 ^= 1,
    }
    case
}

#[test]
fn all_good() {
    let setup = Setup::ethereum();
    let cases = cases(&setup);
    for count in 0..=cases.len() {
        let (verdict, states) = batch(&setup, &cases[..count]);
        assert_eq!(verdict, Ok(()));
        let expected: Vec<Fr> = cases[..count].iter().map(|case| case.state).collect();
        assert_eq!(states, expected);
    }
    let twice = [cases.clone(), cases].concat();
    assert_eq!(failures(&setup, &twice), []);
}

#[test]
fn every_bad_one_is_named() {
    let setup = Setup::ethereum();
    let cases = cases(&setup);
    let count = cases.len();
    for mask in 1..1usize << count {
        // All single ones, all pairs, and some of the rest.
        if mask.count_ones() > 2 && mask % 5 != 0 {
            continue;
        }
        let bad = |i: usize| mask >> i & 1 == 1;
        let mixed: Vec<Case> = cases
            .iter()
            .enumerate()
            .map(|(i, case)| {
                if bad(i) {
                    spoil(case, i + mask)
                } else {
                    case.clone()
                }
            })
            .collect();
        let expected: Vec<(usize, VerifyError)> = (0..count)
            .filter(|i| bad(*i))
            .map(|i| (i, VerifyError::Rejected))
            .collect();
        assert_eq!(failures(&setup, &mixed), expected, "{mask:05b}");
        if mask.count_ones() == 2 {
            continue;
        }
        // In another order the same ones are bad.
        let reversed: Vec<Case> = mixed.iter().rev().cloned().collect();
        let mut named: Vec<usize> = failures(&setup, &reversed)
            .iter()
            .map(|(i, _)| count - 1 - i)
            .collect();
        named.reverse();
        let expected: Vec<usize> = expected.iter().map(|(i, _)| *i).collect();
        assert_eq!(named, expected, "{mask:05b} reversed");
    }
}

/// Two errors that would be gone if the equations were just added up.
#[test]
fn errors_do_not_cancel() {
    let setup = Setup::ethereum();
    let case = &cases(&setup)[1];
    let (mut more, mut less) = (case.clone(), case.clone());
    more.proof.ipa.a += Fr::from(5);
    less.proof.ipa.a -= Fr::from(5);
    let expected = [(0, VerifyError::Rejected), (1, VerifyError::Rejected)];
    assert_eq!(failures(&setup, &[more, less]), expected);
}

#[test]
fn reasons_are_kept_apart() {
    let setup = Setup::ethereum();
    let mut cases = cases(&setup);
    cases[1].claims.clear();
    assert_eq!(failures(&setup, &cases), [(1, VerifyError::NoOpenings)]);
    cases[3] = spoil(&cases[3], 1);
    let expected = [(1, VerifyError::NoOpenings), (3, VerifyError::Rejected)];
    assert_eq!(failures(&setup, &cases), expected);
    let (verdict, _) = batch(&setup, &cases);
    let message = verdict.map_err(|error| error.to_string());
    let expected = "2 of 5 proofs not accepted, the first of them at 1: no openings";
    assert_eq!(message, Err(expected.into()));
}
