//! Our verifier in place, Poseidon2 by system calls, under the input's key.
#![no_std]
#![no_main]

use prova_guest_rt::read_input;
use prova_guest_whir::{Call, Marks, finish};
use prova_whir_view::verify_input;

prova_guest_rt::entry!(main);

fn main() {
    finish(verify_input(&Call, read_input(), &mut Marks));
}
