//! Halts at once: what every run costs.
#![no_std]
#![no_main]

prova_guest_rt::entry!(main);

fn main() {}
