//! Proofs of both profiles: their sizes, and what is rejected.

use prova_binary_pcs_prover::Plan;
use prova_binary_pcs_prover::size::{Framing, expected_bytes};
use prova_hash_batch::file::{FORMAT_VERSION, read};
use prova_hash_batch::verify::Shape;
use prova_hash_batch::{Parameters, Profile, Statement, verify};
use prova_hash_batch_prover::batch::Batch;
use prova_hash_batch_prover::observer::Unobserved;
use prova_hash_batch_prover::prove::{Options, prove};
use prova_proof_file::{ProofFile, System};
use rayon::prelude::*;

const PROFILES: [Profile; 2] = [Profile::V0, Profile::V1];
const SCALAR: usize = 24;

fn parameters(profile: Profile, log_inv_rate: u32) -> Parameters {
    Parameters {
        log_inv_rate,
        profile,
    }
}

fn proof(batch: &Batch, parameters: &Parameters) -> Vec<u8> {
    prove(batch, parameters, &Options::default(), &Unobserved).unwrap()
}

fn accepts(batch: &Batch, parameters: &Parameters, proof: &[u8]) -> bool {
    verify(&batch.statement, parameters, proof).is_ok()
}

/// What a proof of this shape takes on average.
fn expected(shape: &Shape, profile: Profile) -> f64 {
    let framing = match profile {
        Profile::V0 => Framing::Counts,
        Profile::V1 => Framing::Bare,
    };
    let others = shape.scalar_count() - shape.schedule.scalar_count();
    expected_bytes(&shape.schedule, shape.lanes, framing) + (SCALAR * others) as f64
}

#[test]
fn profiles_are_not_exchanged() {
    let batch = Batch::chain([5; 32], 40).unwrap();
    let v0 = proof(&batch, &parameters(Profile::V0, 1));
    let v1 = proof(&batch, &parameters(Profile::V1, 1));
    for (profile, proof, other) in [(Profile::V0, &v0, &v1), (Profile::V1, &v1, &v0)] {
        assert!(accepts(&batch, &parameters(profile, 1), proof));
        assert!(!accepts(&batch, &parameters(profile, 1), other));
        assert!(!accepts(&batch, &parameters(profile, 2), proof));
    }
    assert_eq!(Parameters::default(), parameters(Profile::V1, 1));
}

#[test]
fn sizes_are_those_of_the_model() {
    for (steps, rate) in [(100, 1), (1000, 2)] {
        let batch = Batch::chain([6; 32], steps).unwrap();
        for profile in PROFILES {
            let parameters = parameters(profile, rate);
            let shape = Shape::new(&batch.statement, &parameters).unwrap();
            let proof = proof(&batch, &parameters);
            let ratio = proof.len() as f64 / expected(&shape, profile);
            assert!((0.97..1.03).contains(&ratio), "{ratio} of what is expected");
            // What was opened gives the size to the byte.
            let summary = verify(&batch.statement, &parameters, &proof).unwrap();
            let (mut words, mut digests, mut counts) = (0, 0, 2);
            for (index, level) in summary.levels.iter().enumerate() {
                words += level.rows * if index == 0 { shape.lanes } else { 24 };
                digests += level.siblings;
                counts += level.rows + 2;
            }
            let bare = SCALAR * shape.scalar_count() + 8 * words + 32 * digests;
            let framed = match profile {
                Profile::V0 => bare + 8 * counts,
                Profile::V1 => bare,
            };
            assert_eq!(proof.len(), framed);
        }
    }
}

#[test]
fn a_large_batch_is_a_twentieth_smaller_in_v1_at_the_same_security() {
    let statement = Statement::merkle_root([0; 32], 17).unwrap();
    assert_eq!(statement.log_instances(), 18);
    let [v0, v1] = PROFILES.map(|profile| {
        let shape = Shape::new(&statement, &parameters(profile, 1)).unwrap();
        assert_eq!(shape.variables, 26);
        assert!(
            shape.schedule.security_bits() >= 128.0,
            "{}",
            shape.schedule
        );
        expected(&shape, profile)
    });
    assert!(v1 <= 0.95 * v0, "{v0} to {v1} bytes");
}

#[test]
fn threads_and_plans_change_no_byte() {
    let batch = Batch::chain([7; 32], 100).unwrap();
    for profile in PROFILES {
        let parameters = parameters(profile, 1);
        let expected = proof(&batch, &parameters);
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            for plan in Plan::ALL {
                let options = Options {
                    plan,
                    ..Options::default()
                };
                let made = pool
                    .as_ref()
                    .unwrap()
                    .install(|| prove(&batch, &parameters, &options, &Unobserved));
                assert_eq!(made.unwrap(), expected);
            }
        }
    }
}

#[test]
fn every_altered_scalar_row_and_sibling_is_rejected() {
    let batch = Batch::chain([3; 32], 11).unwrap();
    for profile in PROFILES {
        let parameters = parameters(profile, 1);
        let shape = Shape::new(&batch.statement, &parameters).unwrap();
        let proof = proof(&batch, &parameters);
        let start = match profile {
            Profile::V0 => 8,
            Profile::V1 => 0,
        };
        let end = start + SCALAR * shape.scalar_count();
        let scalars = (start..end)
            .step_by(SCALAR)
            .map(|at| at + at / SCALAR % SCALAR);
        let places: Vec<usize> = (0..start)
            .chain(scalars)
            .chain((end..proof.len()).step_by(997))
            .chain([proof.len() - 1])
            .collect();
        places.into_par_iter().for_each(|place| {
            let mut altered = proof.clone();
            altered[place] ^= 1 << (place % 8);
            assert!(!accepts(&batch, &parameters, &altered), "byte {place}");
        });
        for extra in [1, 8, 32] {
            let longer = [&proof[..], &vec![0; extra]].concat();
            assert!(!accepts(&batch, &parameters, &longer));
            assert!(!accepts(&batch, &parameters, &proof[..proof.len() - extra]));
        }
        for length in [0, 8, end - 1, end, end + 8] {
            assert!(!accepts(&batch, &parameters, &proof[..length]));
        }
    }
}

#[test]
fn files_hold_the_profile() {
    let batch = Batch::chain([3; 32], 11).unwrap();
    let statement = batch.statement.to_bytes();
    let section = |params: &[u8]| {
        read(&ProofFile {
            system: System::HashBatch,
            version: FORMAT_VERSION,
            params,
            statement: &statement,
            body: &[],
        })
    };
    for profile in PROFILES {
        for rate in 1..=4 {
            let expected = parameters(profile, rate);
            let bytes = expected.to_bytes();
            let held = section(&bytes).unwrap();
            assert_eq!(held, (expected, batch.statement.clone()));
            assert!(section(&bytes[..1]).is_err());
            assert!(section(&[&bytes[..], &[0]].concat()).is_err());
        }
    }
    for unknown in 2..=255 {
        assert!(section(&[unknown, 1]).is_err());
    }
    assert!(section(&[]).is_err());
}
