//! Our verifier in place, portable Poseidon2.
#![no_std]
#![no_main]

use prova_guest_rt::read_input;
use prova_guest_whir::{Marks, finish};
use prova_whir_view::{Portable, verify_input};

prova_guest_rt::entry!(main);

fn main() {
    finish(verify_input(&Portable::default(), read_input(), &mut Marks));
}
