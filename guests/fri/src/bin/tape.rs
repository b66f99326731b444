//! Reads and checks a key and a proof file as `verify` does, and commits the sum of all words of
//! the proof: what reading costs.
#![no_std]
#![no_main]

use prova_stark_verify::{Key, ProofTape};

prova_guest_rt::entry!(main);

fn main() {
    match run(prova_guest_rt::read_input()) {
        Some(sum) => prova_guest_rt::commit(&sum.to_le_bytes()),
        None => prova_guest_rt::halt(1),
    }
}

fn run(input: &[u8]) -> Option<u32> {
    let (key, proof) = Key::parse_prefix(input).ok()?;
    let proof = ProofTape::parse(&key, proof).ok()?;
    let add = |sum: u32, word: &u32| sum.wrapping_add(*word);
    let sum = proof.elements().iter().fold(0, add);
    Some(proof.siblings().as_flattened().iter().fold(sum, add))
}
