//! What a run needs: a program, its input and its limits.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use prova_riscv::{
    Cause, Control, Exit, Input, Machine, Observer, Options, Outcome, Program, Trap,
};
use prova_riscv_abi::{MAX_INPUT, MAX_RAM_END, RAM_BASE};
use serde_json::{Value, json};

use crate::error::Failure;
use crate::infile;
use crate::memsize::MemSize;
use crate::output::Output;
use crate::progress::Watch;
use crate::signals;
use crate::text::{fields, hex, thousands};

/// Longest program that is read.
pub const MAX_PROGRAM: u64 = 256 << 20;

/// A program, its input and its limits.
#[derive(Args, Debug)]
pub struct ProgramArgs {
    /// Program: a 32-bit RISC-V ELF executable.
    pub program: PathBuf,
    /// File whose bytes the program finds as its input [default: no bytes].
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The input as hexadecimal digits.
    #[arg(long, value_name = "HEX", conflicts_with = "input")]
    input_hex: Option<String>,
    /// Stop after this many cycles, with exit code 3.
    #[arg(long, value_name = "N")]
    max_cycles: Option<u64>,
    /// Memory of the machine, from address 0x10000 on, in which program, stack and heap lie.
    #[arg(long, value_name = "SIZE", default_value = "256MiB")]
    memory: MemSize,
}

/// A finished run.
pub struct Run {
    /// What came out.
    pub outcome: Outcome,
    /// How long it took.
    pub time: Duration,
}

impl ProgramArgs {
    /// The program's file.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read_elf(&self) -> Result<Vec<u8>, Failure> {
        infile::read(&self.program, MAX_PROGRAM, "a program")
    }

    /// Parses the program.
    ///
    /// # Errors
    /// What is wrong with the ELF file.
    pub fn parse(&self, elf: &[u8]) -> Result<Program, Failure> {
        Program::from_elf(elf).map_err(|error| {
            Failure::malformed(format_args!("{}: {error}", self.program.display()))
        })
    }

    fn read_input(&self) -> Result<Input, Failure> {
        let payload = match (&self.input, &self.input_hex) {
            (Some(path), _) => infile::read(path, u64::from(MAX_INPUT), "an input")?,
            (None, Some(text)) => bytes_of_hex(text)?,
            (None, None) => Vec::new(),
        };
        Input::new(&payload).map_err(Failure::malformed)
    }

    /// Runs the program.
    ///
    /// # Errors
    /// A trap, the cycle limit, a signal.
    pub fn run(
        &self,
        program: &Program,
        observer: &mut impl Observer,
        output: Output,
    ) -> Result<Run, Failure> {
        let input = self.read_input()?;
        let options = Options {
            ram_end: self.ram_end()?,
            cycle_limit: self.max_cycles.unwrap_or(u64::MAX),
            ..Options::default()
        };
        let mut machine = Machine::new(program, &input, options).map_err(Failure::malformed)?;
        let mut terminal = Terminal {
            watch: Watch::new(output),
            limit: self.max_cycles,
        };
        let start = Instant::now();
        let result = machine.run_controlled(observer, &mut terminal);
        let time = start.elapsed();
        drop(terminal);
        let outcome = result.map_err(|trap| self.trapped(trap))?;
        Ok(Run { outcome, time })
    }

    fn ram_end(&self) -> Result<u32, Failure> {
        let most = u64::from(MAX_RAM_END - RAM_BASE);
        let end = self.memory.0.saturating_add(u64::from(RAM_BASE)) & !15;
        match u32::try_from(end) {
            Ok(end) if end <= MAX_RAM_END && end > RAM_BASE => Ok(end),
            _ => Err(Failure::malformed(format_args!(
                "--memory is {} bytes, expected 16 to {most}",
                self.memory.0
            ))),
        }
    }

    fn trapped(&self, trap: Trap) -> Failure {
        let message = format!("{}: {trap}", self.program.display());
        let failure = match trap.cause {
            Cause::Cancelled => return Failure::cancelled(),
            Cause::CycleLimit { .. } => Failure::resource(message),
            _ => Failure::rejected(message),
        };
        failure.with_detail("trap", json!({ "pc": trap.pc, "cycles": trap.cycles }))
    }
}

/// The progress bar and the cancellation flag of a run.
struct Terminal {
    watch: Watch,
    limit: Option<u64>,
}

impl Control for Terminal {
    fn poll(&mut self, cycles: u64) -> ControlFlow<()> {
        match self.limit {
            Some(limit) => self.watch.show(cycles, limit, "running"),
            None => self.watch.count(cycles, "cycles"),
        }
        if signals::cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Run {
    /// The guest's own verdict: an error unless it halted with code 0.
    ///
    /// # Errors
    /// Exit code 1 if it halted with another code or panicked.
    pub fn check(&self, report: &Value) -> Result<(), Failure> {
        let message = match &self.outcome.exit {
            Exit::Halted(0) => return Ok(()),
            Exit::Halted(code) => format!("the program halted with code {code}"),
            Exit::Panicked(message) => format!("the program ended in a panic: {message}"),
        };
        Err(Failure::rejected(message).with_detail("run", report.clone()))
    }

    /// How it ended, in words.
    pub fn exit(&self) -> String {
        match &self.outcome.exit {
            Exit::Halted(code) => format!("halted with code {code}"),
            Exit::Panicked(message) => format!("panic: {message}"),
        }
    }

    /// Calls of each system call that was made.
    pub fn calls(&self) -> Vec<(&'static str, u64)> {
        let counts = self.outcome.calls;
        let mut calls = vec![
            ("halt", counts.halt),
            ("commit", counts.commit),
            ("print", counts.print),
            ("panic", counts.panic),
            ("keccak_f", counts.keccak_f),
            ("poseidon2", counts.poseidon2),
            ("blake2s", counts.blake2s),
        ];
        calls.retain(|&(_, count)| count > 0);
        calls
    }

    /// Passes on what the guest printed.
    pub fn show_printed(&self, output: Output) {
        let text = String::from_utf8_lossy(&self.outcome.printed);
        if !text.is_empty() {
            output.note(text.trim_end_matches('\n'));
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let calls: Vec<String> = self
            .calls()
            .iter()
            .map(|(name, count)| format!("{name} {}", thousands(*count)))
            .collect();
        fields(&[
            ("exit", self.exit()),
            ("cycles", thousands(self.outcome.cycles)),
            (
                "output",
                format!(
                    "{} ({} bytes)",
                    hex(&self.outcome.output),
                    self.outcome.output.len()
                ),
            ),
            ("system calls", calls.join(", ")),
            ("speed", speed(self.outcome.cycles, self.time)),
        ])
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let calls: serde_json::Map<String, Value> = self
            .calls()
            .into_iter()
            .map(|(name, count)| (name.to_owned(), count.into()))
            .collect();
        json!({
            "exit": match &self.outcome.exit {
                Exit::Halted(code) => json!({ "halted": code }),
                Exit::Panicked(message) => json!({ "panicked": message }),
            },
            "cycles": self.outcome.cycles,
            "output": hex(&self.outcome.output),
            "printed": String::from_utf8_lossy(&self.outcome.printed),
            "system_calls": calls,
            "seconds": self.time.as_secs_f64(),
        })
    }
}

/// Instructions a second, in words.
#[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
fn speed(cycles: u64, time: Duration) -> String {
    let rate = cycles as f64 / time.as_secs_f64().max(1e-9) / 1e6;
    format!(
        "{rate:.0} million cycles a second ({})",
        crate::text::duration(time)
    )
}

fn bytes_of_hex(text: &str) -> Result<Vec<u8>, Failure> {
    let refuse =
        || Failure::malformed("--input-hex: expected an even number of hexadecimal digits");
    let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes();
    let digit = |c: u8| char::from(c).to_digit(16);
    let pairs = digits.chunks(2).map(|pair| match *pair {
        [high, low] => Some((digit(high)? << 4 | digit(low)?) as u8),
        _ => None,
    });
    pairs.collect::<Option<Vec<u8>>>().ok_or_else(refuse)
}
