//! Verifies a proof of the Fibonacci constraints with Plonky3's own verifier. Input: a verifying
//! key, then the public values and the proof in postcard's encoding. Commits what `verify` commits;
//! halts with 1 otherwise.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;

use prova_hash::shape::{Keccak256, KeccakF1600, SoftKeccakF};
use prova_stark_verify::host::{Element, Proof, config};
use prova_stark_verify::{Fibonacci, Key};

/// The permutation that stock code runs with.
#[derive(Clone, Copy, Default)]
struct Permutation;

impl KeccakF1600 for Permutation {
    fn permute(state: &mut [u64; 25]) {
        if cfg!(feature = "keccak-call") {
            prova_guest_rt::KeccakCall::permute(state);
        } else {
            SoftKeccakF::permute(state);
        }
    }
}

prova_guest_rt::entry!(main);

fn main() {
    if run(prova_guest_rt::read_input()).is_none() {
        prova_guest_rt::halt(1);
    }
}

fn run(input: &[u8]) -> Option<()> {
    let (key, proof) = Key::parse_prefix(input).ok()?;
    let digest = key.digest(&Keccak256::<Permutation>::new());
    let (public, proof): (Vec<u32>, Proof) = postcard::from_bytes(proof).ok()?;
    let elements: Vec<Element> = public.iter().map(|&word| Element::new(word)).collect();
    let config = config(&key.params().fri, &digest);
    p3_uni_stark::verify(&config, &Fibonacci, &proof, &elements).ok()?;
    let output: Vec<u8> = digest
        .iter()
        .chain(&public)
        .flat_map(|word| word.to_le_bytes())
        .collect();
    prova_guest_rt::commit(&output);
    Some(())
}
