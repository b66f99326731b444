//! Runs the real binary in a folder of its own.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder for one test, emptied at the start.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).expect("write");
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("read")
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Names of all files, hidden ones included.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("list");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prova"));
        command.current_dir(&self.0).args(args.split_whitespace());
        command
    }

    /// Runs `prova` with space-separated arguments.
    pub fn run(&self, args: &str) -> Run {
        let output = self.command(args).output().expect("start the program");
        Run::new(args, &output)
    }

    /// Runs and expects exit code 0.
    pub fn ok(&self, args: &str) -> Run {
        self.run(args).exits(0)
    }

    /// Starts a job of seconds, sends SIGINT after `delay` milliseconds, and expects it to end soon,
    /// cancelled.
    #[cfg(unix)]
    pub fn interrupted(&self, args: &str, delay: u64) {
        use std::process::Stdio;
        use std::time::{Duration, Instant};
        let child = self
            .command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start the program");
        std::thread::sleep(Duration::from_millis(delay));
        let signalled = Instant::now();
        let kill = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .expect("kill");
        assert!(kill.success());
        let output = child.wait_with_output().expect("wait");
        Run::new(args, &output).exits(4);
        assert!(signalled.elapsed() < Duration::from_secs(10));
    }

    /// Runs with `--json`, expects exit code 0 and parses the result.
    pub fn json(&self, args: &str) -> serde_json::Value {
        self.ok(&format!("{args} --json")).json()
    }
}

/// A finished run.
pub struct Run {
    pub args: String,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn new(args: &str, output: &Output) -> Self {
        Self {
            args: args.to_string(),
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "prova {}\n{}\n{}",
            self.args,
            self.stdout,
            self.stderr
        );
        assert!(
            !self.stderr.contains("panicked"),
            "prova {}\n{}",
            self.args,
            self.stderr
        );
        self
    }

    /// Expects a part of the error message, and nothing on stdout.
    #[track_caller]
    pub fn says(self, part: &str) -> Self {
        assert!(
            self.stderr.contains(part),
            "{part:?} not in: {}",
            self.stderr
        );
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        assert_eq!(self.stdout, "");
        self
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).expect("one JSON object on stdout")
    }
}

/// Little-endian 32-bit words.
pub fn words(values: &[u32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}
