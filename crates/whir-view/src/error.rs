//! Why an input is not accepted, with a stable number for each reason.

use prova_proof_file::FileError;

/// The input does not have the form that its key describes. Codes 10 to 39.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// Fewer bytes than the header of an input.
    #[error("an input has a header of {expected} bytes, got {got} bytes in all")]
    NoHeader {
        /// Bytes of a header.
        expected: usize,
        /// Bytes of the input.
        got: usize,
    },
    /// Another first word.
    #[error("expected the magic number {expected:#010x}, got {got:#010x}")]
    Magic {
        /// The magic number of an input.
        expected: u32,
        /// The first word.
        got: u32,
    },
    /// Another version.
    #[error("expected version {expected} of the input, got {got}")]
    Version {
        /// The version this verifier reads.
        expected: u32,
        /// The version of the input.
        got: u32,
    },
    /// The input does not start at a multiple of four bytes, or is not whole words.
    #[error("{what} must be whole words at an address that is a multiple of 4")]
    Misaligned {
        /// Which part.
        what: &'static str,
    },
    /// Lengths of the header that the input does not have.
    #[error("the header tells of {expected} bytes, the input has {got}")]
    Length {
        /// Bytes by the header.
        expected: usize,
        /// Bytes of the input.
        got: usize,
    },
    /// A word of the key out of its range, or a key that ends early or late.
    #[error("key: {what} at word {offset}")]
    Key {
        /// What was expected.
        what: &'static str,
        /// Index of the word behind the one read last.
        offset: usize,
    },
    /// No extension of this degree over this field.
    #[error(
        "no suite of field {field} and degree {degree} (expected fields 1, 2 and degrees 4, 5)"
    )]
    Suite {
        /// Tag of the field.
        field: u32,
        /// Degree of the extension.
        degree: u32,
    },
    /// The proof file's container.
    #[error(transparent)]
    File(#[from] FileError),
    /// The statement section ends early or late, or holds a number out of range.
    #[error("statement: expected {what} at byte {offset}")]
    Statement {
        /// What was expected.
        what: &'static str,
        /// Offset in the section.
        offset: usize,
    },
    /// The body ends early.
    #[error("body: {expected} words wanted at word {offset}, {got} left")]
    BodyTooShort {
        /// Words wanted.
        expected: usize,
        /// Index of the first of them.
        offset: usize,
        /// Words left.
        got: usize,
    },
    /// The body goes on behind the proof.
    #[error("body: {got} words behind the proof")]
    BodyTooLong {
        /// Words too many.
        got: usize,
    },
    /// A word that is not a canonical field element.
    #[error("body: word {offset} is not a canonical field element")]
    NotCanonical {
        /// Index of the word.
        offset: usize,
    },
    /// More Merkle siblings than the queries can need.
    #[error("body: {got} siblings at word {offset}, at most {expected} possible")]
    Siblings {
        /// The most possible.
        expected: usize,
        /// Number in the proof.
        got: usize,
        /// Index of the word.
        offset: usize,
    },
}

/// The proof was read, and does not prove its statement under its key. Codes 40 to 69.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejected {
    /// The proof was made under other parameters than the key's.
    #[error("the parameters of the proof are not those of the key")]
    OtherParameters,
    /// The statement has another shape than the key's.
    #[error("the shape and schedule of the statement are not those of the key")]
    OtherSchedule,
    /// The commitment is not eight canonical field elements.
    #[error("the commitment holds a word that is not canonical")]
    Commitment,
    /// A nonce does not have the work that the key asks for.
    #[error("phase {phase}: the nonce has fewer than {bits} bits of work")]
    ProofOfWork {
        /// Phase of the run.
        phase: usize,
        /// Bits wanted.
        bits: usize,
    },
    /// Rows opened twice at one position differ.
    #[error("phase {phase}: two different rows at one position")]
    Rows {
        /// Phase of the run.
        phase: usize,
    },
    /// Another number of siblings than the drawn positions need.
    #[error("phase {phase}: the positions need another number of siblings than {got}")]
    SiblingCount {
        /// Phase of the run.
        phase: usize,
        /// Siblings in the proof.
        got: usize,
    },
    /// The opened rows are not those of the commitment.
    #[error("phase {phase}: the rows do not lead to the committed root")]
    Root {
        /// Phase of the run.
        phase: usize,
    },
    /// The final polynomial does not take the folded values.
    #[error("the final polynomial differs from the folded rows")]
    FinalPolynomial,
    /// The sumcheck does not end in the value of the final polynomial.
    #[error("the last claim of the sumcheck is not the weighted value of the final polynomial")]
    Sumcheck,
}

/// Why a proof is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Malformed: nothing was decided.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// Read and found false.
    #[error("proof rejected: {0}")]
    Rejected(#[from] Rejected),
}

impl Error {
    /// Whether the proof was read and found false, rather than malformed.
    #[must_use]
    pub const fn is_rejection(&self) -> bool {
        matches!(self, Self::Rejected(_))
    }

    /// A number that stays the same from version to version: what a guest halts with. Never 0.
    #[must_use]
    pub const fn code(&self) -> u32 {
        match self {
            Self::Malformed(error) => match error {
                Malformed::NoHeader { .. } => 10,
                Malformed::Magic { .. } => 11,
                Malformed::Version { .. } => 12,
                Malformed::Misaligned { .. } => 13,
                Malformed::Length { .. } => 14,
                Malformed::Key { .. } => 15,
                Malformed::Suite { .. } => 16,
                Malformed::File(_) => 17,
                Malformed::Statement { .. } => 18,
                Malformed::BodyTooShort { .. } => 19,
                Malformed::BodyTooLong { .. } => 20,
                Malformed::NotCanonical { .. } => 21,
                Malformed::Siblings { .. } => 22,
            },
            Self::Rejected(error) => match error {
                Rejected::OtherParameters => 40,
                Rejected::OtherSchedule => 41,
                Rejected::Commitment => 42,
                Rejected::ProofOfWork { .. } => 43,
                Rejected::Rows { .. } => 44,
                Rejected::SiblingCount { .. } => 45,
                Rejected::Root { .. } => 46,
                Rejected::FinalPolynomial => 47,
                Rejected::Sumcheck => 48,
            },
        }
    }
}
