//! Ends in the way that the input's first byte chooses.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use core::hint::black_box;

use prova_guest_rt::{halt, read_input};

prova_guest_rt::entry!(main);

fn main() {
    let input = read_input();
    match input.first() {
        None => {}
        Some(b'c') => halt(7),
        Some(b'e') => drop(str::from_utf8(input.get(1..).unwrap_or_default()).expect("no text")),
        Some(b'f') => panic!("the input is {} bytes long", input.len()),
        Some(b'h') => drop(black_box(Vec::<u8>::with_capacity(0x1000_0000))),
        Some(b'i') => panic_by_index(input),
        Some(_) => panic!("fixed text"),
    }
}

fn panic_by_index(input: &[u8]) {
    halt(u32::from(input[input.len()]));
}
