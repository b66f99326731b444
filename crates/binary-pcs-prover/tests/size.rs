//! Sizes of proofs: the model against proofs, and profile `v1` against `v0`.

mod common;

use common::Statement;
use prova_binary_pcs::params::{Schedule, Target};
use prova_binary_pcs::stream::Form;
use prova_binary_pcs_prover::Plan;
use prova_binary_pcs_prover::size::{Framing, expected_bytes};
use rayon::prelude::*;

#[test]
fn the_model_is_near_real_sizes() {
    for (mu, rate, lanes) in [(15, 1, 64), (16, 2, 40), (18, 1, 33)] {
        let statement = Statement::random(1, mu, rate, lanes << (mu - 6), &[], None);
        let (_, proof) = statement
            .prove(Plan::FAST, Form::Wire)
            .expect("a true claim");
        let expected = expected_bytes(&statement.schedule(), lanes, Framing::Counts);
        let ratio = proof.len() as f64 / expected;
        assert!(
            (0.97..1.03).contains(&ratio),
            "{} bytes, {expected} expected",
            proof.len()
        );
    }
}

#[test]
fn profile_v1_is_a_twentieth_smaller_at_the_same_security() {
    for (mu, least) in [(26, 0.055), (28, 0.055), (24, 0.04), (20, 0.01)] {
        let v0 = Schedule::derive(mu, 1, Target::v0(1)).expect("a supported shape");
        let v1 = Schedule::derive(mu, 1, Target::v1(mu, 1)).expect("a supported shape");
        assert!(v1.security_bits() >= 128.0, "{v1}");
        let before = expected_bytes(&v0, 64, Framing::Counts);
        let after = expected_bytes(&v1, 64, Framing::Bare);
        assert!(
            after < before * (1.0 - least),
            "mu {mu}: {before} to {after} bytes\n{v1}"
        );
    }
}

#[test]
fn a_bare_proof_is_a_framed_one_without_its_counts() {
    let statement = Statement::random(2, 15, 1, 1 << 15, &[], None);
    let (_, channel) = statement
        .converse(Plan::FAST, Form::Wire)
        .expect("a true claim");
    let (framed, bare) = (channel.finish(), channel.finish_bare());
    let mut words = framed.as_chunks::<8>().0.iter();
    let mut left: Vec<u8> = Vec::new();
    let mut take = |words: &mut std::slice::Iter<'_, [u8; 8]>, size: usize| -> usize {
        let count = u64::from_le_bytes(*words.next().expect("a count")) as usize;
        left.extend(words.by_ref().take(count * size).flatten());
        count
    };
    take(&mut words, 3);
    for _ in 0..take(&mut words, 0) {
        for _ in 0..take(&mut words, 0) {
            take(&mut words, 1);
        }
        take(&mut words, 4);
    }
    assert_eq!(words.next(), None);
    assert!(left == bare);
}

#[test]
fn bare_proofs_are_accepted_and_every_kind_of_altered_byte_is_rejected() {
    let statement = Statement::random(5, 15, 2, 40 << 9, &[], None);
    let (commitment, channel) = statement
        .converse(Plan::FAST, Form::Wire)
        .expect("a true claim");
    let proof = channel.finish_bare();
    assert!(statement.accepts_bare(&commitment, &proof));
    assert!(!statement.accepts(&commitment, Form::Wire, &proof));
    assert!(!statement.accepts_bare(&commitment, &channel.finish()));
    // Every limb of every scalar; of the rows and siblings after them, words at a prime stride.
    let ends = 24 * statement.schedule().scalar_count();
    let places = (0..ends)
        .step_by(8)
        .chain((ends..proof.len()).step_by(8 * 97));
    places
        .collect::<Vec<_>>()
        .into_par_iter()
        .for_each(|place| {
            let mut altered = proof.clone();
            altered[place + place / 8 % 8] ^= 1 << (place / 64 % 8);
            assert!(
                !statement.accepts_bare(&commitment, &altered),
                "byte {place}"
            );
        });
    for extra in [1, 8, 32] {
        let longer = [&proof[..], &vec![0; extra]].concat();
        assert!(!statement.accepts_bare(&commitment, &longer));
        let shorter = &proof[..proof.len() - extra];
        assert!(!statement.accepts_bare(&commitment, shorter));
    }
    for length in [0, 1, 24, ends - 1, ends, ends + 1] {
        assert!(!statement.accepts_bare(&commitment, &proof[..length]));
    }
}

#[test]
fn more_grinding_is_accepted_with_fewer_queries() {
    let mut statement = Statement::random(3, 15, 1, 1 << 15, &[], None);
    let before = statement.schedule().queries();
    statement.grinding_bits = 19;
    assert!(statement.schedule().queries() < before);
    let (commitment, proof) = statement
        .prove(Plan::FAST, Form::Wire)
        .expect("a true claim");
    assert!(statement.accepts(&commitment, Form::Wire, &proof));
    statement.grinding_bits = 20;
    assert!(!statement.accepts(&commitment, Form::Wire, &proof));
}
