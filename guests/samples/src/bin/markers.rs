//! Three steps, the second and third twice: work for the profiler.
#![no_std]
#![no_main]

use prova_guest_rt::{commit, step};
use prova_guest_samples::squares;

prova_guest_rt::entry!(main);

fn main() {
    step::<1>();
    let mut sum = squares(100);
    for round in 0..2 {
        step::<2>();
        sum ^= squares(200 + round);
        step::<3>();
        sum ^= squares(300 + round);
    }
    step::<2047>();
    commit(&sum.to_le_bytes());
}
