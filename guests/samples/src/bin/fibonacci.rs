//! Commits the Fibonacci number whose index is the input.
#![no_std]
#![no_main]

use prova_guest_rt::{commit, read_input};
use prova_guest_samples::{fibonacci, number};

prova_guest_rt::entry!(main);

fn main() {
    commit(&fibonacci(number(read_input())).to_le_bytes());
}
