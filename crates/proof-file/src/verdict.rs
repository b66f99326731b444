//! How a verification ended, and the exit code it gives.

use crate::{FileError, Malformed, TapeError};

/// What a verification ends with: `Ok(())` is a valid proof, [`Failure`] is anything else.
///
/// `R` is the system's own reason for a rejection. `M` is its error for input that could not be
/// read; a system whose parameters can be wrong in more ways than [`Malformed`] knows puts its own
/// type there, with `From<FileError>` and `From<TapeError>`.
pub type Verdict<R, M = Malformed> = Result<(), Failure<R, M>>;

/// Why a proof is not valid. The message is that of the inner error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure<R, M = Malformed> {
    /// The proof was read, and it does not prove its statement under its parameters.
    #[error(transparent)]
    Rejected(R),
    /// There was nothing to check: the file, a section or a parameter could not be read or is not
    /// supported.
    #[error(transparent)]
    Malformed(M),
}

impl<R, M> Failure<R, M> {
    /// The exit code for this failure: [`Exit::Rejected`] or [`Exit::Malformed`].
    #[must_use]
    pub const fn exit(&self) -> Exit {
        match self {
            Self::Rejected(_) => Exit::Rejected,
            Self::Malformed(_) => Exit::Malformed,
        }
    }

    /// Converts the reason for a rejection and leaves a malformed input as it is.
    pub fn map_rejected<S>(self, f: impl FnOnce(R) -> S) -> Failure<S, M> {
        match self {
            Self::Rejected(reason) => Failure::Rejected(f(reason)),
            Self::Malformed(error) => Failure::Malformed(error),
        }
    }
}

impl<R, M: From<FileError>> From<FileError> for Failure<R, M> {
    fn from(error: FileError) -> Self {
        Self::Malformed(error.into())
    }
}

impl<R, M: From<TapeError>> From<TapeError> for Failure<R, M> {
    fn from(error: TapeError) -> Self {
        Self::Malformed(error.into())
    }
}

impl<R, M: From<Malformed>> From<Malformed> for Failure<R, M> {
    fn from(error: Malformed) -> Self {
        Self::Malformed(error.into())
    }
}

/// How a command ended: the exit codes of every `prova` command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// 0: done; for `verify`: the proof is valid.
    Done,
    /// 1: the proof was read and rejected.
    Rejected,
    /// 2: malformed input, bad arguments or an unsupported version. The message names the file,
    /// offset or argument, and what was expected.
    Malformed,
    /// 3: a resource limit (memory, device) would be or was exceeded. The message gives need and
    /// limit.
    Resource,
    /// 4: cancelled (SIGINT); nothing half-written is left behind.
    Cancelled,
}

impl Exit {
    /// The number that the process ends with.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Rejected => 1,
            Self::Malformed => 2,
            Self::Resource => 3,
            Self::Cancelled => 4,
        }
    }
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> Self {
        exit.code()
    }
}

impl<R, M> From<&Verdict<R, M>> for Exit {
    fn from(verdict: &Verdict<R, M>) -> Self {
        verdict
            .as_ref()
            .map_or_else(|failure| failure.exit(), |()| Self::Done)
    }
}
