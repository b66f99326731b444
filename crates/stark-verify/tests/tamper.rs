//! Altered proofs: both verifiers reject them, and this one says why.

mod support;

use prova_proof_file::{Failure, ProofFile};
use prova_stark_verify::{
    Fibonacci, FriParams, Key, Malformed, NoSteps, Rejection, code, verify_input,
};
use support::{Case, Cubes, Hash, TestAir, prove};

/// Few queries, so that every word can be altered, with work everywhere and several arities.
const FRI: FriParams = FriParams {
    log_blowup: 2,
    log_final_poly_len: 1,
    max_log_arity: 2,
    num_queries: 6,
    ood_pow_bits: 4,
    batch_pow_bits: 4,
    commit_pow_bits: 4,
    query_pow_bits: 4,
    cap_height: 1,
};

/// Where the sections start in a file.
fn sections(file: &[u8]) -> [usize; 3] {
    let parsed = ProofFile::parse(file).unwrap();
    [parsed.params, parsed.statement, parsed.body]
        .map(|section| section.as_ptr().addr() - file.as_ptr().addr())
}

fn word(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(file[at..at + 4].try_into().unwrap())
}

fn with_word(file: &[u8], at: usize, word: u32) -> Vec<u8> {
    let mut out = file.to_vec();
    out[at..at + 4].copy_from_slice(&word.to_le_bytes());
    out
}

/// Alters every word of statement and body in two ways. `every` thins the proof out for long ones.
fn every_word<A: TestAir>(case: &Case<A>, every: usize) {
    let file = &case.file;
    let [_, statement, body] = sections(file);
    let parsed = ProofFile::parse(file).unwrap();
    let words = (statement..statement + parsed.statement.len())
        .step_by(4)
        .chain((body..body + parsed.body.len()).step_by(4 * every));
    for at in words {
        let old = word(file, at);
        for new in [old ^ 1, if old == 0 { 5 } else { 0 }, u32::MAX] {
            let altered = with_word(file, at, new);
            assert!(
                case.verify(&altered).is_err(),
                "word at {at}: {old:#x} to {new:#x}"
            );
            // What cannot be brought into Plonky3's types is malformed here too.
            match case.oracle(&altered) {
                Some(accepted) => assert!(!accepted, "word at {at}: {old:#x} to {new:#x}"),
                None => assert!(
                    matches!(case.verify(&altered), Err(Failure::Malformed(_))),
                    "word at {at}"
                ),
            }
        }
    }
}

#[test]
fn every_word_of_a_proof() {
    every_word(&prove(Fibonacci, FRI, 5), 1);
}

#[test]
fn every_word_without_work_or_arity() {
    every_word(&prove(Fibonacci, FriParams::QUERIES_1, 10), 1);
}

#[test]
fn words_with_parts_and_preprocessed_columns() {
    every_word(&prove(Cubes { rows: 16 }, FRI, 4), 1);
}

#[test]
fn words_of_the_full_preset() {
    every_word(&prove(Fibonacci, FriParams::QUERIES_84, 10), 61);
}

#[test]
fn lengths() {
    let case = prove(Fibonacci, FRI, 5);
    let file = ProofFile::parse(&case.file).unwrap();
    let rejected = |file: ProofFile<'_>| {
        let bytes = file.to_bytes().unwrap();
        matches!(
            case.verify(&bytes),
            Err(Failure::Malformed(
                Malformed::Length { .. } | Malformed::Alignment { .. }
            ))
        )
    };
    for cut in [1, 4, 8, 32, 36, file.body.len()] {
        let body = &file.body[..file.body.len() - cut];
        assert!(rejected(ProofFile { body, ..file }), "{cut}");
    }
    for more in [1, 4, 32] {
        let body = &[file.body, &vec![0; more]].concat();
        assert!(rejected(ProofFile { body, ..file }), "{more}");
    }
    for statement in [&file.statement[4..], &[file.statement, &[0; 4]].concat()] {
        assert!(rejected(ProofFile { statement, ..file }));
    }
    assert!(rejected(ProofFile {
        params: &file.params[4..],
        ..file
    }));
    for cut in 1..case.file.len() {
        assert!(case.verify(&case.file[..case.file.len() - cut]).is_err());
    }
}

/// Moves a sibling from one tree to the next: all lengths still add up.
#[test]
fn counts_of_siblings() {
    let case = prove(Fibonacci, FRI, 5);
    let [_, _, body] = sections(&case.file);
    let parsed = ProofFile::parse(&case.file).unwrap();
    let siblings: usize = case
        .proof
        .opening_proof
        .input_openings
        .iter()
        .map(|opening| opening.opening_proof.sibling_hashes.len())
        .chain(
            case.proof
                .opening_proof
                .commit_phase_openings
                .iter()
                .map(|opening| opening.opening_proof.sibling_hashes.len()),
        )
        .sum();
    let trees = 2 + case.proof.opening_proof.commit_phase_openings.len();
    let counts = body + parsed.body.len() - 32 * siblings - 4 * trees;
    for tree in 0..trees - 1 {
        let at = counts + 4 * tree;
        for (from, to) in [(at, at + 4), (at + 4, at)] {
            if word(&case.file, from) == 0 {
                continue;
            }
            let altered = with_word(&case.file, from, word(&case.file, from) - 1);
            let altered = with_word(&altered, to, word(&case.file, to) + 1);
            let verdict = case.verify(&altered);
            assert!(
                matches!(
                    verdict,
                    Err(Failure::Rejected(
                        Rejection::Siblings { .. } | Rejection::Root { .. }
                    ))
                ),
                "{verdict:?}"
            );
            assert_eq!(case.oracle(&altered), Some(false));
        }
    }
}

/// Reasons by class of the altered word, with their numbers and exit codes. Without work, since a
/// changed transcript already fails there.
#[test]
fn reasons() {
    let fri = FriParams {
        query_pow_bits: 0,
        ..FriParams::QUERIES_84
    };
    let case = prove(Fibonacci, fri, 10);
    let [params, statement, body] = sections(&case.file);
    let of = |at: usize, new: u32| {
        let verdict = case.verify(&with_word(&case.file, at, new)).map(|_| ());
        (code(&verdict), verdict.unwrap_err().exit().code())
    };
    assert_eq!(of(params, 1), (Rejection::OtherKey.code(), 1));
    assert_eq!(of(statement, 1), (Rejection::Constraints.code(), 1));
    assert_eq!(of(statement, 0x7800_0001).1, 2);
    assert_eq!(of(body, 1), (Rejection::Constraints.code(), 1));
    let last = body + ProofFile::parse(&case.file).unwrap().body.len() - 4;
    assert_eq!(of(last, 1), (Rejection::Root { tree: 11 }.code(), 1));
    // Commitments to two input trees and ten rounds, eight opened values.
    let nonces = body + 4 * (8 * 12 + 4 * 8);
    assert_eq!(of(nonces, 1), (260, 2));
    // The final polynomial's only coefficient, behind thirteen nonces.
    let final_poly = nonces + 4 * 13;
    assert_eq!(of(final_poly + 4, u32::MAX), (259, 2));
    assert!(matches!(of(final_poly, 1), (516..=520, 1)));

    let with_work = prove(Fibonacci, FriParams::QUERIES_84, 10);
    let nonce = nonces + 8;
    let altered = with_word(&with_work.file, nonce, word(&with_work.file, nonce) ^ 1);
    let verdict = with_work.verify(&altered);
    assert!(matches!(code(&verdict), 513 | 516..=520), "{verdict:?}");
    // Bad container.
    assert_eq!(code(&case.verify(&case.file[1..])), 256);
}

#[test]
fn a_key_that_came_with_the_proof() {
    let honest = prove(Fibonacci, FriParams::QUERIES_84, 10);
    let weak = prove(Fibonacci, FriParams::QUERIES_1, 10);
    // Under the honest key the weak proof is refused, also when it claims that key.
    let verdict = honest.verify(&weak.file);
    assert!(
        matches!(verdict, Err(Failure::Malformed(Malformed::Length { .. }))),
        "{verdict:?}"
    );
    let queries_83 = FriParams {
        num_queries: 83,
        ..FriParams::QUERIES_84
    };
    assert_ne!(prove(Fibonacci, queries_83, 10).digest, honest.digest);
    // A guest that is given both accepts, and commits a digest that is not the honest key's.
    let input = [&weak.key_bytes[..], &weak.file].concat();
    let verified = verify_input::<_, _, NoSteps>(&Fibonacci, &Hash::new(), &input).unwrap();
    let committed = verified.output();
    assert_eq!(committed[..32], *bytemuck::bytes_of(&weak.digest));
    assert_ne!(committed[..32], *bytemuck::bytes_of(&honest.digest));
}

/// A proof made for a key that differs in nothing the verifier computes with: only the transcript
/// and the stamp tell.
#[test]
fn keys_that_differ_in_a_seed() {
    let case = prove(Fibonacci, FRI, 5);
    let at = case.key_bytes.len() - 64;
    let altered = with_word(&case.key_bytes, at, word(&case.key_bytes, at) ^ 1);
    let input = [&altered[..], &case.file].concat();
    let verdict = verify_input::<_, _, NoSteps>(&Fibonacci, &Hash::new(), &input);
    assert_eq!(code(&verdict), Rejection::OtherKey.code());
    // With the stamp of the altered key, the transcript is another.
    let digest = Key::parse(&altered).unwrap().digest(&Hash::new());
    let file = ProofFile {
        params: bytemuck::bytes_of(&digest),
        ..ProofFile::parse(&case.file).unwrap()
    };
    let input = [&altered[..], &file.to_bytes().unwrap()].concat();
    assert!(verify_input::<_, _, NoSteps>(&Fibonacci, &Hash::new(), &input).is_err());
}

#[test]
fn malformed_keys() {
    let case = prove(Fibonacci, FRI, 5);
    let key = &case.key_bytes;
    let error = |bytes: &[u8]| Key::parse(bytes).map(|_| ()).unwrap_err();
    assert_eq!(error(&key[4..]), Malformed::NotAKey);
    assert!(matches!(
        error(&key[..key.len() - 16]),
        Malformed::Length { .. }
    ));
    assert!(matches!(
        error(&[&key[..], &[0; 16]].concat()),
        Malformed::Length { .. }
    ));
    assert!(matches!(error(&key[1..]), Malformed::Alignment { .. }));
    for number in 0..16 {
        let at = 4 * (17 + number);
        for new in [0, u32::MAX] {
            let altered = with_word(key, at, new);
            // Some numbers may be zero; the key then has another digest.
            if let Ok(parsed) = Key::parse(&altered) {
                assert!(altered == *key || parsed.digest(&Hash::new()) != case.digest);
            }
        }
        assert!(
            Key::parse(&with_word(key, at, u32::MAX)).is_err(),
            "{number}"
        );
    }
    let named = with_word(key, 32, word(key, 32) ^ 1);
    let input = [&named[..], &case.file].concat();
    let verdict = verify_input::<_, _, NoSteps>(&Fibonacci, &Hash::new(), &input);
    assert_eq!(code(&verdict), Malformed::OtherAir.code());
    for length in 0..key.len() {
        assert!(verify_input::<_, _, NoSteps>(&Fibonacci, &Hash::new(), &key[..length]).is_err());
    }
}
