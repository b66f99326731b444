//! Our verifier in place, Poseidon2 by system calls, under a key that it derives itself: what a
//! cached key saves. The key of the input must be the derived one.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;

use prova_guest_rt::{halt, read_input};
use prova_guest_whir::{Call, Marks, NO_KEY, OTHER_KEY, finish};
use prova_proof_file::ProofFile;
use prova_whir::{Params, Statement};
use prova_whir_view::input::Input;
use prova_whir_view::{Error, Key, Malformed, VerifyingKey, verify_file};

prova_guest_rt::entry!(main);

/// The key of the parameters and the schedule of a proof file.
fn derived(file: &[u8]) -> Result<VerifyingKey, u32> {
    let malformed = |error: Malformed| Error::from(error).code();
    let file = ProofFile::parse(file).map_err(|error| malformed(Malformed::File(error)))?;
    let params = Params::from_bytes(file.params).map_err(|_| NO_KEY)?;
    params.check().map_err(|_| NO_KEY)?;
    let statement = Statement::from_bytes(file.statement, params.field, params.extension_degree);
    let statement = statement.map_err(|_| {
        let what = "a whole statement";
        malformed(Malformed::Statement { what, offset: 0 })
    })?;
    VerifyingKey::derive(&Call, &params, &statement).map_err(|_| NO_KEY)
}

fn main() {
    let input = match Input::parse(read_input()) {
        Ok(input) => input,
        Err(error) => halt(Error::from(error).code()),
    };
    let words: Vec<u32> = match derived(input.file) {
        Ok(key) if key.words() == input.key => key.words().to_vec(),
        Ok(_) => halt(OTHER_KEY),
        Err(code) => halt(code),
    };
    match Key::parse(&words) {
        Ok(key) => finish(verify_file(&Call, &key, input.file, &mut Marks)),
        Err(error) => halt(Error::from(error).code()),
    }
}
