//! The smallest statements at every rate, and bytes that no prover writes.

use prova_binary_pcs::params::LEAST_VARIABLES;
use prova_hash_batch::file::{FORMAT_VERSION, read};
use prova_hash_batch::verify::Shape;
use prova_hash_batch::{Kind, Parameters, Profile, Statement, verify};
use prova_hash_batch_prover::batch::Batch;
use prova_hash_batch_prover::observer::Unobserved;
use prova_hash_batch_prover::prove::{Options, prove};
use prova_proof_file::{ProofFile, System};
use rayon::prelude::*;

fn all_parameters() -> impl Iterator<Item = Parameters> + Clone {
    [Profile::V0, Profile::V1].into_iter().flat_map(|profile| {
        (1..=4).map(move |log_inv_rate| Parameters {
            log_inv_rate,
            profile,
        })
    })
}

fn smallest() -> [Batch; 4] {
    let messages: Vec<[u8; 64]> = (0..4).map(|i| [i; 64]).collect();
    [
        Batch::digests(&messages[1..2]).unwrap(),
        Batch::merkle_tree(&messages).unwrap(),
        Batch::chain([7; 32], 1).unwrap(),
        Batch::chain([7; 32], 8).unwrap(),
    ]
}

/// Statements that differ from a true one in one place, with the same number of instances.
fn neighbours(statement: &Statement) -> Vec<Statement> {
    let flip = |digest: &[u8; 32]| {
        let mut digest = *digest;
        digest[31] ^= 128;
        digest
    };
    let neighbours = match statement.kind() {
        Kind::Digests(digests) => vec![
            Statement::digests(digests.iter().map(flip).collect()),
            // The digest that instances past the end have is in no list by itself.
            Statement::digests([&digests[..], &digests[..]].concat()),
        ],
        Kind::MerkleRoot { root, log_leaves } => {
            vec![Statement::merkle_root(flip(root), *log_leaves)]
        }
        Kind::Chain { start, end, steps } => vec![
            Statement::chain(flip(start), *end, *steps),
            Statement::chain(*start, flip(end), *steps),
            Statement::chain(*start, *end, steps % 8 + 1),
            Statement::chain(*end, *start, *steps),
        ],
    };
    neighbours.into_iter().map(Result::unwrap).collect()
}

#[test]
fn the_smallest_statements_at_every_rate() {
    for batch in smallest() {
        assert_eq!(batch.statement.log_instances(), 3);
        all_parameters().par_bridge().for_each(|parameters| {
            let proof = prove(&batch, &parameters, &Options::default(), &Unobserved).unwrap();
            verify(&batch.statement, &parameters, &proof).unwrap();
            for other in neighbours(&batch.statement) {
                assert!(verify(&other, &parameters, &proof).is_err(), "{other:?}");
            }
            for other in all_parameters().filter(|other| *other != parameters) {
                assert!(verify(&batch.statement, &other, &proof).is_err());
            }
        });
    }
}

#[test]
fn every_shape_reaches_the_security_it_claims() {
    for log_instances in 3..=20 {
        let statement = Statement::chain([0; 32], [0; 32], 1 << log_instances).unwrap();
        for parameters in all_parameters() {
            let shape = Shape::new(&statement, &parameters).unwrap();
            let variables = (log_instances as usize + 8).max(LEAST_VARIABLES);
            assert_eq!(shape.variables, variables);
            assert!(
                shape.schedule.security_bits() >= 128.0,
                "{}",
                shape.schedule
            );
            // Whole lanes, and all of the words in them.
            let lane = 1 << (variables - 6);
            assert_eq!(shape.lanes * lane, 256 << log_instances);
        }
    }
}

/// Bytes of all kinds that come from one proof file.
#[test]
fn altered_files_are_refused() {
    let mut random = 7_u64;
    let mut draw = |below: usize| {
        random = random
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (random >> 33) as usize % below
    };
    for batch in smallest() {
        for parameters in all_parameters().filter(|p| p.log_inv_rate % 3 == 1) {
            let proof = prove(&batch, &parameters, &Options::default(), &Unobserved).unwrap();
            let sections = [parameters.to_bytes(), batch.statement.to_bytes(), proof];
            let accepted = |[params, statement, body]: &[Vec<u8>; 3]| {
                let file = ProofFile {
                    system: System::HashBatch,
                    version: FORMAT_VERSION,
                    params,
                    statement,
                    body,
                };
                read(&file).is_ok_and(|(parameters, statement)| {
                    verify(&statement, &parameters, body).is_ok()
                })
            };
            assert!(accepted(&sections));
            for _ in 0..25 {
                let mut altered = sections.clone();
                let part = &mut altered[[0, 1, 1, 2, 2, 2, 2, 2][draw(8)]];
                let at = draw(part.len());
                match draw(6) {
                    0 => part.truncate(at),
                    1 => drop(part.drain(at..(at + 1 + draw(48)).min(part.len()))),
                    2 => {
                        let more: Vec<u8> = (0..=draw(48)).map(|_| draw(256) as u8).collect();
                        part.splice(at..at, more);
                    }
                    3 => part.extend(vec![0; 1 + draw(64)]),
                    _ => part[at] ^= 1 + draw(255) as u8,
                }
                assert!(altered == sections || !accepted(&altered));
            }
        }
    }
}
