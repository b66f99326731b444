//! The only module that writes to stdout and stderr.
//!
//! Results go to stdout, as text or as one JSON object; everything else goes to stderr. A reader
//! that closes the pipe early is no error.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{ErrorKind, Write};

use prova_proof_file::Exit;
use serde_json::{Value, json};

use crate::error::Failure;

/// What a command found out, in both forms.
#[derive(Debug)]
pub struct Report {
    /// For people; ends without a line break.
    pub text: String,
    /// For programs; has a `schema`.
    pub json: Value,
}

/// How the user wants to be talked to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Output {
    /// Results as JSON.
    pub json: bool,
    /// No notes and no progress on stderr.
    pub quiet: bool,
}

impl Output {
    /// Prints a result; the exit code is that of a done command unless stdout fails.
    pub fn report(self, report: &Report) -> Exit {
        if self.json {
            self.json(&report.json)
        } else {
            print(&report.text)
        }
    }

    /// Prints a failure and returns its exit code.
    pub fn failure(self, failure: &Failure) -> Exit {
        let mut message = format!("error: {}", failure.message);
        if !failure.suggestions.is_empty() {
            message.push_str("\nnearest parameters that fit (use one):");
            for suggestion in &failure.suggestions {
                message.push_str("\n  ");
                message.push_str(suggestion);
            }
        }
        stderr(&message);
        if self.json {
            let mut json = json!({
                "schema": "prova.error/1",
                "error": failure.message,
                "code": failure.exit.code(),
                "suggestions": failure.suggestions,
            });
            if let Some((name, value)) = &failure.detail {
                json[*name] = value.clone();
            }
            self.json(&json);
        }
        failure.exit
    }

    /// Prints something worth knowing to stderr.
    pub fn note(self, message: &str) {
        if !self.quiet {
            stderr(message);
        }
    }

    fn json(self, value: &Value) -> Exit {
        print(&serde_json::to_string_pretty(value).unwrap_or_default())
    }
}

/// Prints help or a version as clap made it.
pub fn help(text: &str) -> Exit {
    print(text.trim_end())
}

/// Prints the parts of a line to stderr, as they are.
pub fn stderr_parts(parts: &[&str]) {
    let mut err = std::io::stderr();
    for part in parts.iter().chain(&["\n"]) {
        let _ = err.write_all(part.as_bytes());
    }
}

/// Prints a line to stderr, come what may.
pub fn stderr(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{message}");
}

fn print(text: &str) -> Exit {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Ok(()) => Exit::Done,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            stderr(&format!("error: cannot write to stdout: {error}"));
            Exit::Resource
        }
    }
}
