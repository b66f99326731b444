//! What a function answers, and the details of what went wrong.

use core::ffi::{CStr, c_char};

use prova_verkle::witness::WitnessError;
use prova_verkle::{PointError, ProveError, VerifyError};

use crate::layout::PROOF_POINTS;

/// Bytes of the text of an error, the terminating zero among them.
pub const PROVA_VERKLE_MESSAGE_LEN: usize = 160;
/// The value of an index that does not apply. The header defines it by hand (`tests/header.rs`).
pub(crate) const PROVA_VERKLE_NO_INDEX: usize = usize::MAX;

/// What a function answers. Only zero is success: a proof holds when the answer is zero.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done; for a verification: the proof holds.
    Ok = 0,
    /// The proof, or the witness, is well-formed and does not show what it should.
    Rejected = 1,
    /// A pointer is null.
    NullPointer = 2,
    /// A length is not the right one, or not a multiple of an item's.
    BadLength = 3,
    /// An argument is none of its possible values.
    BadArgument = 4,
    /// Bytes are not a point; index: which query or point.
    BadPoint = 5,
    /// Bytes are not a scalar below the group's order; index: which query, scalar or update.
    BadScalar = 6,
    /// Bytes are not a proof; position: which of the 17 points, 17 being the scalar.
    BadProof = 7,
    /// The claimed value is not the polynomial's; index: which query.
    WrongValue = 8,
    /// There are no queries.
    NoQueries = 9,
    /// A challenge cannot be used. It happens by chance with probability below 2^-240.
    BadChallenge = 10,
    /// The threads could not be started.
    ThreadPool = 11,
    /// A defect of this library: a panic was caught. The context stays usable.
    Panic = 12,
    /// Bytes are not a witness: no JSON of that form, or with encodings that are not points or
    /// scalars.
    BadWitness = 13,
    /// The witness's proof holds, but leaves open whether some node is an inner node; index: the
    /// first such stem, in stateDiff. Only when asked to be strict.
    Ambiguous = 14,
}

impl Status {
    const ALL: [Self; 15] = [
        Self::Ok,
        Self::Rejected,
        Self::NullPointer,
        Self::BadLength,
        Self::BadArgument,
        Self::BadPoint,
        Self::BadScalar,
        Self::BadProof,
        Self::WrongValue,
        Self::NoQueries,
        Self::BadChallenge,
        Self::ThreadPool,
        Self::Panic,
        Self::BadWitness,
        Self::Ambiguous,
    ];

    fn text(self) -> &'static CStr {
        match self {
            Self::Ok => c"success",
            Self::Rejected => c"the proof or witness does not show what is claimed",
            Self::NullPointer => c"a pointer is null",
            Self::BadLength => c"a length is wrong",
            Self::BadArgument => c"an argument is none of its possible values",
            Self::BadPoint => c"bytes are not a point",
            Self::BadScalar => c"bytes are not a scalar below the group's order",
            Self::BadProof => c"bytes are not a proof",
            Self::WrongValue => c"a claimed value is not the polynomial's",
            Self::NoQueries => c"there are no queries",
            Self::BadChallenge => c"a challenge is zero or in the domain",
            Self::ThreadPool => c"the threads could not be started",
            Self::Panic => c"a panic was caught: a defect of the library",
            Self::BadWitness => c"bytes are not a witness",
            Self::Ambiguous => c"the witness leaves open whether some node is an inner node",
        }
    }
}

/// Details of what a function answered. Every function fills the one it is given, also on success;
/// a null pointer is allowed where they do not matter.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Error {
    /// The answer once more.
    pub status: Status,
    /// Which item of the input is wrong, from 0; PROVA_VERKLE_NO_INDEX if that does not apply.
    pub index: usize,
    /// Which part of that item is wrong, where it has many: the value of a polynomial, the point of
    /// a proof, the query of a proof in a batch. PROVA_VERKLE_NO_INDEX if that does not apply.
    pub position: usize,
    /// What was expected and what came, in English, ending with a zero byte.
    pub message: [c_char; PROVA_VERKLE_MESSAGE_LEN],
}

impl Error {
    pub(crate) fn new(result: &Result<(), Failure>) -> Self {
        let (status, [index, position], mut text) = match result {
            Ok(()) => (Status::Ok, [PROVA_VERKLE_NO_INDEX; 2], String::new()),
            Err(failure) => (failure.status(), failure.place(), failure.to_string()),
        };
        if text.contains(char::is_control) {
            // Part of the text may be a witness's. A zero would end it, an escape sequence would
            // reach the terminal that shows it.
            text = text.replace(char::is_control, "?");
        }
        let mut message = [0; PROVA_VERKLE_MESSAGE_LEN];
        let mut end = text.len().min(PROVA_VERKLE_MESSAGE_LEN - 1);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        for (to, from) in message.iter_mut().zip(text.bytes().take(end)) {
            // Signed on some machines, unsigned on others.
            *to = c_char::from_ne_bytes([from]);
        }
        Self {
            status,
            index,
            position,
            message,
        }
    }
}

/// A short description of a status, in English. It is never null and lives for ever; any number
/// may be asked for.
#[unsafe(no_mangle)]
pub extern "C" fn prova_verkle_status_message(status: i32) -> *const c_char {
    Status::ALL
        .into_iter()
        .find(|known| *known as i32 == status)
        .map_or(c"no status of this library", Status::text)
        .as_ptr()
}

/// Why a function did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}: null pointer")]
    Null(&'static str),
    #[error("{what}: expected {expected} bytes, got {got}")]
    Length {
        what: &'static str,
        expected: usize,
        got: usize,
    },
    #[error("{what}: expected a multiple of {unit} bytes, got {got}")]
    Multiple {
        what: &'static str,
        unit: usize,
        got: usize,
    },
    #[error("{what}: expected at most {max} bytes, got {got}")]
    TooLong {
        what: &'static str,
        max: usize,
        got: usize,
    },
    #[error("format: expected 0, 1 or 2, got {0}")]
    Format(u32),
    #[error("strict: expected 0 or 1, got {0}")]
    Strict(u32),
    #[error("threads: expected at most {max}, got {got}")]
    Threads { max: u32, got: u32 },
    #[error("{what} {index}: {error}")]
    Point {
        what: &'static str,
        index: usize,
        error: PointError,
    },
    #[error("root: {0}")]
    Root(PointError),
    #[error("{what} {index}: not below the group's order")]
    Scalar { what: &'static str, index: usize },
    #[error("query {index}: the claimed value is not the polynomial's at {point}")]
    Value { index: usize, point: u8 },
    #[error("point {position} of the proof: {error}")]
    ProofPoint { position: usize, error: PointError },
    #[error("scalar of the proof: not below the group's order")]
    ProofScalar,
    #[error(transparent)]
    Prove(#[from] ProveError),
    #[error(transparent)]
    Verify(#[from] VerifyError),
    #[error("{bad} of {count} proofs not accepted, the first of them at {index}: {failure}")]
    Batch {
        bad: usize,
        count: usize,
        index: usize,
        failure: Box<Failure>,
    },
    #[error(transparent)]
    Witness(#[from] WitnessError),
    #[error("stateDiff[{index}]: nothing shows that all nodes above the stem are inner nodes")]
    Ambiguous { index: usize },
    #[error("{0}")]
    Pool(#[from] rayon::ThreadPoolBuildError),
    #[error("panic: {0}")]
    Panic(String),
}

impl Failure {
    pub(crate) fn status(&self) -> Status {
        match self {
            Self::Null(_) => Status::NullPointer,
            Self::Length { .. } | Self::Multiple { .. } | Self::TooLong { .. } => Status::BadLength,
            Self::Format(_) | Self::Strict(_) | Self::Threads { .. } => Status::BadArgument,
            Self::Point { .. } | Self::Root(_) => Status::BadPoint,
            Self::Scalar { .. } | Self::Prove(ProveError::NotCanonical { .. }) => Status::BadScalar,
            Self::Value { .. } => Status::WrongValue,
            Self::ProofPoint { .. } | Self::ProofScalar => Status::BadProof,
            Self::Prove(ProveError::NoOpenings) | Self::Verify(VerifyError::NoOpenings) => {
                Status::NoQueries
            }
            Self::Prove(_) | Self::Verify(VerifyError::ZeroChallenge) => Status::BadChallenge,
            Self::Verify(_) => Status::Rejected,
            Self::Batch { failure, .. } => failure.status(),
            Self::Witness(error) if error.is_rejection() => Status::Rejected,
            Self::Witness(_) => Status::BadWitness,
            Self::Ambiguous { .. } => Status::Ambiguous,
            Self::Pool(_) => Status::ThreadPool,
            Self::Panic(_) => Status::Panic,
        }
    }

    /// Index and position of what is wrong.
    fn place(&self) -> [usize; 2] {
        let none = PROVA_VERKLE_NO_INDEX;
        match self {
            Self::Point { index, .. } | Self::Scalar { index, .. } | Self::Value { index, .. } => {
                [*index, none]
            }
            Self::Ambiguous { index } => [*index, none],
            // What is one item of a call that verifies one proof is a part of one item here.
            Self::Batch { index, failure, .. } => match failure.place() {
                [part, _] if part != none => [*index, part],
                [_, part] => [*index, part],
            },
            Self::Prove(ProveError::NotCanonical { opening, position }) => [*opening, *position],
            Self::ProofPoint { position, .. } => [none, *position],
            Self::ProofScalar => [none, PROOF_POINTS],
            _ => [none; 2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_cut_between_characters() {
        for text in ["é".repeat(200), format!("x{}", "é".repeat(200))] {
            let error = Error::new(&Err(Failure::Panic(text)));
            let bytes: Vec<u8> = error.message.iter().map(|c| c.to_ne_bytes()[0]).collect();
            let message = CStr::from_bytes_until_nul(&bytes).expect("ends with a zero");
            let message = message.to_str().expect("whole characters");
            assert!(message.starts_with("panic: "));
            assert!(
                (PROVA_VERKLE_MESSAGE_LEN - 2..PROVA_VERKLE_MESSAGE_LEN).contains(&message.len())
            );
        }
    }

    #[test]
    fn messages_have_no_control_characters() {
        let error = Error::new(&Err(Failure::Panic("a\0b\u{1b}[2J\n".to_owned())));
        let bytes = error.message.map(|c| c.to_ne_bytes()[0]);
        assert!(bytes.starts_with(b"panic: a?b?[2J?\0"));
    }

    #[test]
    fn every_status_has_a_text_of_its_own() {
        let texts: std::collections::HashSet<_> = Status::ALL.map(Status::text).into();
        assert_eq!(texts.len(), Status::ALL.len());
    }
}
