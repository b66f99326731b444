//! The files in `vectors`. To write them anew:
//! `cargo run -p prova-stark-verify --example fixtures -- FOLDER`, then copy the keys and proofs.

mod support;

use prova_hash::shape::MerkleHash;
use prova_hash::shape::generic::GenericKeccak256;
use prova_stark_verify::host::{derive_key, from_file, to_file};
use prova_stark_verify::{Digest, Fibonacci, FriParams, NoSteps, Steps, verify_input};
use std::cell::RefCell;
use std::fs;
use support::{Hash, prove};

fn fixture(name: &str) -> Vec<u8> {
    let folder = env!("CARGO_MANIFEST_DIR");
    fs::read(format!("{folder}/vectors/fibonacci-{name}")).unwrap()
}

fn output<H: MerkleHash<Word = u32, Node = Digest>>(hash: &H, input: &[u8]) -> Vec<u8> {
    verify_input::<_, _, NoSteps>(&Fibonacci, hash, input)
        .unwrap()
        .output()
}

#[test]
fn are_what_the_prover_writes_and_verify() {
    for (queries, fri) in [("1", FriParams::QUERIES_1), ("84", FriParams::QUERIES_84)] {
        let key = derive_key(&Fibonacci, &fri, 10, None).unwrap();
        let (key_bytes, file) = (
            fixture(&format!("{queries}.key")),
            fixture(&format!("{queries}.proof")),
        );
        assert_eq!(key.to_bytes(), key_bytes);

        let case = prove(Fibonacci, fri, 10);
        assert_eq!(case.oracle(&file), Some(true));
        let (proof, public) = from_file(&key, &file).unwrap();
        assert_eq!(to_file(&key, &proof, &public).unwrap(), file);
        // Everything before the first nonce; a parallel prover may find another one.
        assert_eq!(proof.commitments.trace, case.proof.commitments.trace);
        assert_eq!(
            proof.opened_values.trace_local,
            case.proof.opened_values.trace_local
        );
        assert_eq!(
            proof.opening_proof.final_poly,
            case.proof.opening_proof.final_poly
        );
        assert_eq!(public, case.public);

        let input = [key_bytes, file].concat();
        let shaped = output(&Hash::new(), &input);
        let generic = output(
            &GenericKeccak256::<prova_hash::shape::SoftKeccakF>::new(),
            &input,
        );
        assert_eq!(shaped, generic);
        assert_eq!(shaped[..32], *bytemuck::bytes_of(&case.digest));
    }
}

thread_local! {
    static STEPS: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

struct Recorder;

impl Steps for Recorder {
    fn step(n: u32) {
        STEPS.with_borrow_mut(|steps| steps.push(n));
    }
}

fn steps(input: &[u8]) -> Vec<u32> {
    STEPS.with_borrow_mut(Vec::clear);
    let _ = verify_input::<_, _, Recorder>(&Fibonacci, &Hash::new(), input);
    STEPS.take()
}

#[test]
fn steps_come_in_order_and_stop_where_a_proof_fails() {
    let input = [fixture("84.key"), fixture("84.proof")].concat();
    assert_eq!(steps(&input), [1, 2, 3, 4, 5, 6]);
    let mut reached = Vec::new();
    // The first public value is bound by a constraint and by nothing before.
    let public = fixture("84.key").len() + 64;
    for at in (0..input.len()).step_by(97).chain([public]) {
        let mut altered = input.clone();
        altered[at] ^= 1;
        let steps = steps(&altered);
        assert!(
            steps
                .iter()
                .copied()
                .eq(1..=u32::try_from(steps.len()).unwrap()),
            "{steps:?}"
        );
        assert!(steps.len() < 6, "byte {at}");
        reached.push(steps.len());
    }
    for stop in [0, 1, 5] {
        assert!(reached.contains(&stop), "{stop}");
    }
}
