//! Reads a name, prints a greeting, commits it.
#![no_std]
#![no_main]

use prova_guest_rt::{commit, print, read_input};
use prova_guest_samples::greeting;

prova_guest_rt::entry!(main);

fn main() {
    let greeting = greeting(read_input());
    print(&greeting);
    commit(greeting.as_bytes());
}
