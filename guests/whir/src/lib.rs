//! What the guests that verify a WHIR proof have in common.
//!
//! All of them read a `prova_whir_view::input::Input` (a verifying key and a proof file) and commit
//! the digest of the key and the statement section, the same bytes whichever guest it is. They halt
//! with `prova_whir_view::Error::code`; [`OTHER_KEY`] and the codes behind it are theirs.
#![no_std]

extern crate alloc;

pub mod stock;

use prova_guest_rt::abi::poseidon2::{BABY_BEAR_16, KOALA_BEAR_16};
use prova_guest_rt::{commit, halt, step, sys};
use prova_whir_view::field::{BabyBear, Modulus};
use prova_whir_view::{Error, Observer, Permutation, Step, Verified};

/// Halt code: the key is not the one that its parameters and schedule have.
pub const OTHER_KEY: u32 = 70;
/// Halt code: the key's parameters have no key, or no suite in this guest.
pub const NO_KEY: u32 = 71;
/// Halt code: the stock verifier found a file malformed.
pub const STOCK_MALFORMED: u32 = 72;
/// Halt code: the stock verifier rejected a proof.
pub const STOCK_REJECTED: u32 = 73;

/// Poseidon2 by the system call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Call;

impl Permutation for Call {
    #[inline(always)]
    fn permute<M: Modulus>(&self, state: &mut [u32; 16]) {
        if M::TAG == BabyBear::TAG {
            sys::poseidon2_words::<BABY_BEAR_16>(state);
        } else {
            sys::poseidon2_words::<KOALA_BEAR_16>(state);
        }
    }
}

/// Marks the steps of a verification for the profiler, by their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks;

impl Observer for Marks {
    #[inline(always)]
    fn step(&mut self, now: Step) {
        match now {
            Step::Input => step::<{ Step::Input as u32 }>(),
            Step::Prefix => step::<{ Step::Prefix as u32 }>(),
            Step::Sumcheck => step::<{ Step::Sumcheck as u32 }>(),
            Step::OutOfDomain => step::<{ Step::OutOfDomain as u32 }>(),
            Step::Openings => step::<{ Step::Openings as u32 }>(),
            Step::Folding => step::<{ Step::Folding as u32 }>(),
            Step::Final => step::<{ Step::Final as u32 }>(),
        }
    }
}

/// Commits what was verified, or halts with the error's code.
pub fn finish(result: Result<Verified<'_>, Error>) {
    match result {
        Ok(verified) => {
            commit(&verified.key_digest);
            commit(verified.statement);
        }
        Err(error) => halt(error.code()),
    }
}
