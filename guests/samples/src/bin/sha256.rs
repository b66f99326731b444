//! Commits the SHA-256 digest of the input, computed by an ordinary crate.
#![no_std]
#![no_main]

use prova_guest_rt::{commit, read_input};
use sha2::{Digest, Sha256};

prova_guest_rt::entry!(main);

fn main() {
    commit(&Sha256::digest(read_input()));
}
