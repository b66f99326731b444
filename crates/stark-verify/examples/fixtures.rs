//! Writes the fixtures of this crate and the inputs of its guests, with Plonky3's own prover:
//! `cargo run -p prova-stark-verify --example fixtures -- FOLDER`.
//!
//! For 1 and 84 queries: `fibonacci-N.key` and `fibonacci-N.proof`, which are in `vectors`;
//! `fibonacci-N.input`, the two behind each other, for the guests `fri*`; `fibonacci-N.stock`, the
//! key and the proof in postcard's encoding, for `fri-stock*`; `fibonacci-N.rkyv`, the proof as an
//! archive, for `fri-rkyv`.

#[path = "../../../guests/fri/src/archive.rs"]
mod archive;
#[path = "../tests/support/mod.rs"]
mod support;

extern crate alloc;

use std::path::Path;
use std::{env, fs, io};

use archive::{Archive, Input, Round};
use p3_baby_bear::BabyBear;
use p3_field::{BasedVectorSpace, PrimeField32};
use prova_stark_verify::{Fibonacci, FriParams};
use support::{Case, canonical, prove};

fn main() -> io::Result<()> {
    let folder = env::args().nth(1).unwrap_or_else(|| ".".into());
    for (name, fri) in [("1", FriParams::QUERIES_1), ("84", FriParams::QUERIES_84)] {
        let case = prove(Fibonacci, fri, 10);
        let write = |kind: &str, bytes: &[u8]| {
            fs::write(
                Path::new(&folder).join(format!("fibonacci-{name}.{kind}")),
                bytes,
            )
        };
        write("key", &case.key_bytes)?;
        write("proof", &case.file)?;
        write("input", &[&case.key_bytes[..], &case.file].concat())?;
        let stock = postcard::to_allocvec(&(canonical(&case.public), &case.proof));
        let stock = stock.map_err(io::Error::other)?;
        write("stock", &[&case.key_bytes[..], &stock].concat())?;
        let archive = rkyv::to_bytes::<rkyv::rancor::Error>(&archive(&case));
        write("rkyv", &archive.map_err(io::Error::other)?)?;
    }
    Ok(())
}

fn words(digest: &[u8; 32]) -> [u32; 8] {
    core::array::from_fn(|i| u32::from_le_bytes(core::array::from_fn(|j| digest[4 * i + j])))
}

fn archive(case: &Case<Fibonacci>) -> Archive {
    let proof = &case.proof;
    let ext = |value: &p3_field::extension::BinomialExtensionField<BabyBear, 4>| {
        let coefficients: &[BabyBear] = value.as_basis_coefficients_slice();
        core::array::from_fn(|i| coefficients[i].to_unique_u32())
    };
    let nodes = |nodes: &[[u8; 32]]| nodes.iter().map(words).collect::<Vec<_>>();
    let opened = &proof.opened_values;
    let fri = &proof.opening_proof;
    Archive {
        public: canonical(&case.public),
        commitments: [&proof.commitments.trace, &proof.commitments.quotient_chunks]
            .iter()
            .flat_map(|cap| nodes(cap.roots()))
            .collect(),
        opened: opened
            .trace_local
            .iter()
            .chain(opened.trace_next.iter().flatten())
            .chain(opened.quotient_chunks.iter().flatten())
            .map(ext)
            .collect(),
        nonces: [
            proof.ood_pow_witness,
            fri.batch_pow_witness,
            fri.query_pow_witness,
        ]
        .iter()
        .chain(&fri.commit_pow_witnesses)
        .map(PrimeField32::to_unique_u32)
        .collect(),
        final_poly: fri.final_poly.iter().map(ext).collect(),
        inputs: fri
            .input_openings
            .iter()
            .map(|opening| Input {
                rows: opening
                    .opened_values
                    .iter()
                    .map(|rows| {
                        rows.iter()
                            .flatten()
                            .map(PrimeField32::to_unique_u32)
                            .collect()
                    })
                    .collect(),
                siblings: nodes(&opening.opening_proof.sibling_hashes),
            })
            .collect(),
        rounds: fri
            .commit_phase_openings
            .iter()
            .zip(&fri.commit_phase_commits)
            .map(|(opening, cap)| Round {
                commitment: nodes(cap.roots()),
                groups: opening
                    .sibling_values
                    .iter()
                    .map(|group| group.iter().map(ext).collect())
                    .collect(),
                siblings: nodes(&opening.opening_proof.sibling_hashes),
            })
            .collect(),
    }
}
