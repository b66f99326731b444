//! Batch proofs in proof files.
//!
//! params: profile (one byte: `0` for `v0`, `1` for `v1`) ‖ logarithm of the inverse rate (one
//! byte). Statement: kind (one byte) and its data, see [`Statement::to_bytes`]. Body: the proof.

use alloc::vec::Vec;

use prova_binary_pcs::merkle::{DIGEST_BYTES, Digest};
use prova_proof_file::{ProofFile, Section, System, Tape, TapeError, TapeWriter};

use crate::statement::{Kind, Statement, StatementError};
use crate::verify::{Malformed, Parameters, Profile};

/// Version of the format.
pub const FORMAT_VERSION: u16 = 1;

/// Why a statement section cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The container or a section is damaged.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The statement has a size that no batch has.
    #[error("statement: {0}")]
    Statement(#[from] StatementError),
}

impl From<TapeError> for FileError {
    fn from(error: TapeError) -> Self {
        Self::Malformed(error.into())
    }
}

impl From<prova_proof_file::FileError> for FileError {
    fn from(error: prova_proof_file::FileError) -> Self {
        Self::Malformed(error.into())
    }
}

impl Parameters {
    /// The params section.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = TapeWriter::new();
        out.u8(match self.profile {
            Profile::V0 => 0,
            Profile::V1 => 1,
        });
        out.u8(u8::try_from(self.log_inv_rate).unwrap_or(u8::MAX));
        out.into_bytes()
    }

    /// Reads the params section; whether there is such a rate is found out with the shape.
    fn from_bytes(bytes: &[u8]) -> Result<Self, TapeError> {
        let mut tape = Tape::new(Section::Params, bytes);
        let profile = match tape.u8()? {
            0 => Profile::V0,
            1 => Profile::V1,
            got => {
                return Err(TapeError::Invalid {
                    section: Section::Params,
                    offset: 0,
                    expected: "profile v0 (0) or v1 (1)",
                    got: got.into(),
                });
            }
        };
        let log_inv_rate = tape.u8()?.into();
        tape.finish()?;
        Ok(Self {
            log_inv_rate,
            profile,
        })
    }
}

impl Statement {
    /// The statement section: `0` and the digests; `1`, log leaves (one byte) and the root; or `2`,
    /// steps (eight bytes), start and end.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = TapeWriter::new();
        match self.kind() {
            Kind::Digests(digests) => {
                out.u8(0);
                out.bytes(digests.as_flattened());
            }
            Kind::MerkleRoot { root, log_leaves } => {
                out.u8(1);
                out.u8(u8::try_from(*log_leaves).unwrap_or(u8::MAX));
                out.bytes(root);
            }
            Kind::Chain { start, end, steps } => {
                out.u8(2);
                out.u64(*steps);
                out.bytes(start);
                out.bytes(end);
            }
        }
        out.into_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let mut tape = Tape::new(Section::Statement, bytes);
        let statement = match tape.u8()? {
            0 => {
                let rest = tape.bytes(tape.remaining())?;
                let (digests, left) = rest.as_chunks::<DIGEST_BYTES>();
                if !left.is_empty() {
                    return Err(TapeError::Invalid {
                        section: Section::Statement,
                        offset: bytes.len().saturating_sub(left.len()),
                        expected: "whole digests of 32 bytes",
                        got: u64::try_from(left.len()).unwrap_or(u64::MAX),
                    }
                    .into());
                }
                Self::digests(Vec::<Digest>::from(digests))?
            }
            1 => {
                let log_leaves = tape.u8()?;
                Self::merkle_root(tape.array()?, log_leaves.into())?
            }
            2 => {
                let steps = tape.u64()?;
                let start = tape.array()?;
                Self::chain(start, tape.array()?, steps)?
            }
            got => {
                return Err(TapeError::Invalid {
                    section: Section::Statement,
                    offset: 0,
                    expected: "digests (0), a Merkle root (1) or a chain (2)",
                    got: got.into(),
                }
                .into());
            }
        };
        tape.finish()?;
        Ok(statement)
    }
}

/// Reads parameters and statement of a proof file, without verifying anything.
///
/// # Errors
/// Another system or version, or damaged sections.
pub fn read(file: &ProofFile<'_>) -> Result<(Parameters, Statement), FileError> {
    file.require(System::HashBatch, &[FORMAT_VERSION])?;
    let parameters = Parameters::from_bytes(file.params)?;
    let statement = Statement::from_bytes(file.statement)?;
    Ok((parameters, statement))
}
