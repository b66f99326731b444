//! The stock verifier, portable Poseidon2.
#![no_std]
#![no_main]

use prova_guest_whir::stock;

prova_guest_rt::entry!(main);

fn main() {
    stock::run(stock::portable);
}
