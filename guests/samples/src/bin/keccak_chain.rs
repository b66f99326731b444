//! Applies Keccak-f[1600] as often as the input says, by the system call.
#![no_std]
#![no_main]

use prova_guest_rt::{KeccakCall, commit, read_input};
use prova_guest_samples::{keccak_chain, number};

prova_guest_rt::entry!(main);

fn main() {
    commit(&keccak_chain(number(read_input()), KeccakCall::permute));
}
