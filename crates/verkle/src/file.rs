//! Verkle multiproofs in proof files, and the 65-byte records of existing bindings.
//!
//! params: group (`1`, Banderwagon with the 256 generators of [`crate::SEED`]) ‖ length of the
//! transcript label (one byte) ‖ label. Statement: one record an opening, commitment (32 bytes) ‖
//! point (one byte) ‖ value (32 bytes, little-endian), in transcript order. Body: the proof's 576
//! bytes.

use alloc::vec::Vec;

use prova_proof_file::{FileError, ProofFile, Section, System, Tape, TapeError, TapeWriter};

use crate::element::{Commitment, PointError};
use crate::ipa::DecodeError;
use crate::multiproof::{self, MultiProof, Query, ScalarBytes, VerifyError};
use crate::setup::Setup;
use crate::transcript::Transcript;

/// Version of the format.
pub const FORMAT_VERSION: u16 = 1;
/// Length of a record.
pub const RECORD_LEN: usize = 65;
/// The number of the only group there is.
const GROUP: u8 = 1;

/// What is proved of one opening, as it is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Encoding of the commitment.
    pub commitment: [u8; 32],
    /// Point of the domain.
    pub point: u8,
    /// Claimed value.
    pub value: ScalarBytes,
}

/// A transcript label and openings in transcript order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The label that the transcript starts with, at most 255 bytes.
    pub label: Vec<u8>,
    /// The openings, at least one.
    pub records: Vec<Record>,
}

/// Why a file was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileVerifyError {
    /// The container is damaged or not Prova's.
    #[error(transparent)]
    File(#[from] FileError),
    /// A section is damaged.
    #[error(transparent)]
    Tape(#[from] TapeError),
    /// Records are not a whole number, or none.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// A commitment cannot be decoded.
    #[error("opening {opening}, commitment: {error}")]
    Commitment {
        /// The first opening that has it.
        opening: usize,
        /// What is wrong.
        error: PointError,
    },
    /// The proof cannot be decoded.
    #[error("proof: {0}")]
    Proof(#[from] DecodeError),
    /// Well-formed, and false.
    #[error("proof rejected: {0}")]
    Rejected(VerifyError),
}

impl FileVerifyError {
    /// Whether the proof was read whole and found false, rather than malformed.
    #[must_use]
    pub const fn is_rejection(&self) -> bool {
        matches!(self, Self::Rejected(_))
    }
}

/// Why bytes are not records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// The length is zero or no multiple of [`RECORD_LEN`].
    #[error("expected one or more records of 65 bytes, got {got} bytes")]
    Length {
        /// Number of bytes.
        got: usize,
    },
    /// A value is not canonical.
    #[error("opening {opening}: the value is not below the group's order")]
    Value {
        /// The opening.
        opening: usize,
    },
}

/// Reads records.
///
/// # Errors
/// A length that is zero or no multiple of [`RECORD_LEN`], or a value that is not canonical.
pub fn records(bytes: &[u8]) -> Result<Vec<Record>, RecordsError> {
    let (records, rest) = bytes.as_chunks::<RECORD_LEN>();
    if records.is_empty() || !rest.is_empty() {
        return Err(RecordsError::Length { got: bytes.len() });
    }
    records
        .iter()
        .enumerate()
        .map(|(opening, record)| {
            let [commitment @ .., _] = record.first_chunk::<33>().unwrap_or(&[0; 33]);
            let value = record.last_chunk::<32>().unwrap_or(&[0; 32]);
            let value = ScalarBytes::new(*value).ok_or(RecordsError::Value { opening })?;
            Ok(Record {
                commitment: *commitment,
                point: record.get(32).copied().unwrap_or(0),
                value,
            })
        })
        .collect()
}

impl Record {
    /// The record's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; RECORD_LEN] {
        let mut bytes = [0; RECORD_LEN];
        let (commitment, rest) = bytes.split_at_mut(32);
        commitment.copy_from_slice(&self.commitment);
        if let [point, value @ ..] = rest {
            *point = self.point;
            value.copy_from_slice(self.value.as_bytes());
        }
        bytes
    }
}

impl From<&Query<'_>> for Record {
    fn from(query: &Query<'_>) -> Self {
        Self {
            commitment: *query.commitment.as_bytes(),
            point: query.point,
            value: query.value,
        }
    }
}

impl Statement {
    /// The params section.
    ///
    /// A label over 255 bytes is cut; [`Self::read`] could not give one back.
    #[must_use]
    pub fn params(&self) -> Vec<u8> {
        let mut out = TapeWriter::new();
        out.u8(GROUP);
        let length = u8::try_from(self.label.len()).unwrap_or(u8::MAX);
        out.u8(length);
        out.bytes(self.label.get(..usize::from(length)).unwrap_or(&[]));
        out.into_bytes()
    }

    /// The statement section.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = TapeWriter::with_capacity(RECORD_LEN.saturating_mul(self.records.len()));
        for record in &self.records {
            out.bytes(&record.to_bytes());
        }
        out.into_bytes()
    }

    /// Reads the statement of a proof file, without verifying anything.
    ///
    /// # Errors
    /// Another system or version, or damaged sections.
    pub fn read(file: &ProofFile<'_>) -> Result<Self, FileVerifyError> {
        file.require(System::Verkle, &[FORMAT_VERSION])?;
        let mut tape = Tape::new(Section::Params, file.params);
        let group = tape.u8()?;
        if group != GROUP {
            return Err(TapeError::Invalid {
                section: Section::Params,
                offset: 0,
                expected: "group 1, Banderwagon",
                got: u64::from(group),
            }
            .into());
        }
        let length = tape.u8()?;
        let label = tape.bytes(usize::from(length))?.to_vec();
        tape.finish()?;
        Ok(Self {
            label,
            records: records(file.statement)?,
        })
    }

    /// Verifies 576 bytes of proof against this statement.
    ///
    /// Equal commitments are decoded once.
    ///
    /// # Errors
    /// See [`FileVerifyError`].
    pub fn verify(&self, setup: &Setup, proof: &[u8]) -> Result<(), FileVerifyError> {
        let proof = MultiProof::from_bytes(proof)?;
        let (commitments, index) = self.distinct()?;
        let queries: Vec<Query<'_>> = self
            .records
            .iter()
            .zip(&index)
            .filter_map(|(record, index)| {
                Some(Query {
                    commitment: commitments.get(*index)?,
                    point: record.point,
                    value: record.value,
                })
            })
            .collect();
        let mut transcript = Transcript::new(&self.label);
        multiproof::verify(setup, &mut transcript, &proof, &queries)
            .map_err(FileVerifyError::Rejected)
    }

    /// The distinct commitments, decoded, and which of them each record has.
    fn distinct(&self) -> Result<(Vec<Commitment>, Vec<usize>), FileVerifyError> {
        let encoding = |i: usize| self.records.get(i).map(|record| &record.commitment);
        let mut order: Vec<usize> = (0..self.records.len()).collect();
        order.sort_unstable_by_key(|i| (encoding(*i), *i));
        let mut encodings = Vec::new();
        let mut first = Vec::new();
        let mut index = alloc::vec![0; self.records.len()];
        for i in order {
            let Some(bytes) = encoding(i) else { continue };
            if encodings.last() != Some(bytes) {
                encodings.push(*bytes);
                first.push(i);
            }
            if let Some(index) = index.get_mut(i) {
                *index = encodings.len().saturating_sub(1);
            }
        }
        let commitments = Commitment::decode_all(&encodings).map_err(|(bad, error)| {
            let opening = first.get(bad).copied().unwrap_or(0);
            FileVerifyError::Commitment { opening, error }
        })?;
        Ok((commitments, index))
    }
}
