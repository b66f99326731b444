//! Verifies a proof of the Fibonacci constraints. Input: a verifying key, then the proof file.
//! Commits the key's digest and the public values; halts with the error's number otherwise.
#![no_std]
#![no_main]

use prova_stark_verify::{Fibonacci, Steps, code, verify_input};

#[cfg(not(feature = "call"))]
use prova_hash::shape::SoftKeccakF as Permutation;

/// The permutation by system call.
#[cfg(feature = "call")]
#[derive(Clone, Copy, Default)]
struct Permutation;

#[cfg(feature = "call")]
impl prova_hash::shape::KeccakF1600 for Permutation {
    #[inline(always)]
    fn permute(state: &mut [u64; 25]) {
        prova_guest_rt::KeccakCall::permute(state);
    }
}

#[cfg(feature = "generic")]
type Hash = prova_hash::shape::generic::GenericKeccak256<Permutation>;
#[cfg(not(feature = "generic"))]
type Hash = prova_hash::shape::Keccak256<Permutation>;

struct Markers;

impl Steps for Markers {
    #[inline(always)]
    fn step(n: u32) {
        match n {
            1 => prova_guest_rt::step::<1>(),
            2 => prova_guest_rt::step::<2>(),
            3 => prova_guest_rt::step::<3>(),
            4 => prova_guest_rt::step::<4>(),
            5 => prova_guest_rt::step::<5>(),
            _ => prova_guest_rt::step::<6>(),
        }
    }
}

prova_guest_rt::entry!(main);

fn main() {
    let input = prova_guest_rt::read_input();
    let verdict = verify_input::<_, _, Markers>(&Fibonacci, &Hash::new(), input);
    match &verdict {
        Ok(verified) => prova_guest_rt::commit(&verified.output()),
        Err(_) => prova_guest_rt::halt(code(&verdict)),
    }
}
