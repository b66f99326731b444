//! The stock verifier, Poseidon2 by system calls.
#![no_std]
#![no_main]

use prova_guest_whir::stock;

prova_guest_rt::entry!(main);

fn main() {
    stock::run(stock::call);
}
