//! How a command fails: an exit code, a message, and what to try instead.

use std::fmt::Display;
use std::path::Path;

use prova_proof_file::Exit;

use crate::memsize::MemSize;

/// A failed command.
#[derive(Debug)]
pub struct Failure {
    /// Exit code of the process.
    pub exit: Exit,
    /// What is wrong, in one line.
    pub message: String,
    /// Command-line options that would help, nearest first.
    pub suggestions: Vec<String>,
    /// More for programs: a name and a value of the error's JSON object.
    pub detail: Option<(&'static str, serde_json::Value)>,
}

impl Failure {
    fn new(exit: Exit, message: impl Display) -> Self {
        Self {
            exit,
            message: message.to_string(),
            suggestions: Vec::new(),
            detail: None,
        }
    }

    /// Exit code 2: malformed input, bad arguments, unsupported version.
    pub fn malformed(message: impl Display) -> Self {
        Self::new(Exit::Malformed, message)
    }

    /// Exit code 1: the proof was read and is not accepted.
    pub fn rejected(message: impl Display) -> Self {
        Self::new(Exit::Rejected, message)
    }

    /// Exit code 3: a resource limit.
    pub fn resource(message: impl Display) -> Self {
        Self::new(Exit::Resource, message)
    }

    /// Exit code 3: more memory is needed than the limit allows.
    pub fn memory(need: u64, limit: u64) -> Self {
        Self::resource(format_args!(
            "not enough memory: need {need} bytes ({}), limit {limit} bytes ({}); \
             see --mem-limit",
            MemSize(need),
            MemSize(limit)
        ))
    }

    /// Exit code 4.
    pub fn cancelled() -> Self {
        Self::new(Exit::Cancelled, "cancelled; no file was written")
    }

    /// An input or output error on `path`: exit code 3 when a disk is full or memory is short,
    /// else 2.
    pub fn io(action: &str, path: &Path, error: &std::io::Error) -> Self {
        use std::io::ErrorKind::{FileTooLarge, OutOfMemory, QuotaExceeded, StorageFull};
        let exit = match error.kind() {
            StorageFull | QuotaExceeded | FileTooLarge | OutOfMemory => Exit::Resource,
            _ => Exit::Malformed,
        };
        Self::new(
            exit,
            format_args!("cannot {action} {}: {error}", path.display()),
        )
    }

    /// The same failure with more for programs.
    #[must_use]
    pub fn with_detail(mut self, name: &'static str, value: serde_json::Value) -> Self {
        self.detail = Some((name, value));
        self
    }

    /// The same failure with things to try.
    #[must_use]
    pub fn with_suggestions(mut self, suggestions: Vec<String>) -> Self {
        self.suggestions = suggestions;
        self
    }
}
