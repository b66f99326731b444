//! Verdicts agree with the stock verifier's on altered proofs. `vectors.rs` holds the honest ones
//! of every suite, order, source of points and of odd schedules.

mod common;

use common::{Case, aligned, ours, stock};
use prova_proof_file::ProofFile;
use prova_whir::{HashSuite, Params};
use prova_whir_view::{DeriveError, Portable, VerifyingKey};

#[test]
fn every_altered_word_is_refused_by_both() {
    let portable = Portable::default();
    for name in [
        "small-koalabear-5-suffix-drawn",
        "small-babybear-4-prefix-given",
    ] {
        let case = Case::read(name);
        let good = aligned(&case.bytes);
        ours(&portable, &case.key, &good).unwrap();
        let mut file = good.clone();
        let (mut rejected, mut malformed) = (0, 0);
        let body = (good.len() * 4 - case.file().body.len().next_multiple_of(16)) / 4;
        for i in 0..file.len() {
            for flip in [1_u32, 1 << 31] {
                file[i] ^= flip;
                let ours = ours(&portable, &case.key, &file).expect_err("altered word");
                let altered: &[u8] = bytemuck::cast_slice(&file);
                let stock = stock(altered).expect_err("altered word");
                // Other parameters and schedules are a mismatch with the key here, and another,
                // possibly malformed, run there.
                if i >= body {
                    assert_eq!(
                        ours.is_rejection(),
                        stock.is_rejection(),
                        "{name}, word {i}: {ours} / {stock}"
                    );
                }
                if ours.is_rejection() {
                    rejected += 1;
                } else {
                    malformed += 1;
                }
                file[i] ^= flip;
            }
        }
        assert_eq!(file, good);
        let least = good.len() * 3 / 4;
        assert!(
            rejected > least && malformed > least,
            "{rejected} rejected, {malformed} malformed"
        );
    }
}

#[test]
fn truncated_and_extended_files_are_malformed() {
    let portable = Portable::default();
    let case = Case::read("small-babybear-5-suffix-drawn");
    let good = aligned(&case.bytes);
    for length in 0..good.len() {
        let error = ours(&portable, &case.key, &good[..length]).unwrap_err();
        assert!(!error.is_rejection());
    }
    let parsed = case.file();
    // The container is whole, its body shorter or longer.
    let body = parsed.body;
    for body in [&body[4..], &[body, &[0; 4]].concat(), &body[1..]] {
        let file = ProofFile { body, ..parsed }.to_bytes().unwrap();
        assert!(
            !ours(&portable, &case.key, &aligned(&file))
                .unwrap_err()
                .is_rejection()
        );
        assert!(!stock(&file).unwrap_err().is_rejection());
    }
}

#[test]
fn other_parameters_schedules_and_hash_suites_are_refused() {
    let portable = Portable::default();
    let derive = |params: &Params, statement| VerifyingKey::derive(&portable, params, statement);
    let Case {
        bytes,
        params,
        statement,
        ..
    } = Case::read("small-koalabear-4-suffix-drawn");
    let stronger = Params {
        security_bits: params.security_bits + 8,
        ..params.clone()
    };
    let key = derive(&stronger, &statement).unwrap();
    assert_eq!(
        ours(&portable, &key, &aligned(&bytes)).unwrap_err().code(),
        40
    );
    let mut three = statement.clone();
    three.openings.push(three.openings[0].clone());
    let key = derive(&params, &three).unwrap();
    assert_eq!(
        ours(&portable, &key, &aligned(&bytes)).unwrap_err().code(),
        41
    );
    let keccak = Params {
        hash: HashSuite::Keccak,
        ..params
    };
    let error = derive(&keccak, &statement).unwrap_err();
    assert!(matches!(error, DeriveError::Hash { .. }));
}
