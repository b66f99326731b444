//! VM proofs in proof files.
//!
//! params: profile (`1`, the profile `v0`) ‖ form of the Merkle openings (`1` pruned, `2` full) ‖
//! environment digest (32 bytes). Statement: public input (32 bytes). Body: the proof.

use prova_binary_pcs::merkle::Digest;
use prova_binary_pcs::stream::{Form, Proof};
use prova_proof_file::{ProofFile, Section, System, Tape, TapeError, TapeWriter};

use crate::error::VerifyError;

/// Version of the format.
pub const FORMAT_VERSION: u16 = 1;
/// The number of the profile that proofs of leanVM-b have.
const PROFILE_V0: u8 = 1;

/// A VM proof as a proof file holds it.
#[derive(Clone, Debug)]
pub struct VmFile<'a> {
    /// The environment digest of the program that was executed. A verifier compares it with its own
    /// program's, see [`Program::seed`](crate::Program::seed).
    pub seed: Digest,
    /// The first two memory cells.
    pub public_input: [u8; 32],
    /// The proof.
    pub proof: Proof<'a>,
}

impl<'a> VmFile<'a> {
    /// Reads the sections of a proof file; nothing is verified but the shape of the body.
    ///
    /// # Errors
    /// Another system or version, or damaged sections.
    pub fn read(file: &ProofFile<'a>) -> Result<Self, VerifyError> {
        file.require(System::LeanVm, &[FORMAT_VERSION])?;
        let mut params = Tape::new(Section::Params, file.params);
        tag(&mut params, "profile 1 (v0)", &[PROFILE_V0])?;
        let form = match tag(&mut params, "pruned (1) or full (2) Merkle paths", &[1, 2])? {
            1 => Form::Wire,
            _ => Form::Raw,
        };
        let seed = params.array()?;
        params.finish()?;
        let mut statement = Tape::new(Section::Statement, file.statement);
        let public_input = statement.array()?;
        statement.finish()?;
        Ok(Self {
            seed,
            public_input,
            proof: Proof::parse(form, file.body)?,
        })
    }
}

fn tag(tape: &mut Tape<'_>, expected: &'static str, allowed: &[u8]) -> Result<u8, VerifyError> {
    let offset = tape.position();
    let got = tape.u8()?;
    if allowed.contains(&got) {
        return Ok(got);
    }
    Err(TapeError::Invalid {
        section: Section::Params,
        offset,
        expected,
        got: u64::from(got),
    }
    .into())
}

/// The params section.
#[must_use]
pub fn params(form: Form, seed: &Digest) -> alloc::vec::Vec<u8> {
    let mut out = TapeWriter::new();
    out.u8(PROFILE_V0);
    out.u8(match form {
        Form::Wire => 1,
        Form::Raw => 2,
    });
    out.bytes(seed);
    out.into_bytes()
}
