//! Runs programs on independent models and reads their logs.

use std::{fs, path::Path, process::Command};

use crate::{
    elf::executable,
    generator::{DATA, Generated, SIZE},
    trace::{Retired, Trace},
};

/// An independent implementation of the instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// The RISC-V ISA simulator.
    Spike,
    /// The C simulator made from the formal model in Sail.
    Sail,
}

impl Model {
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "spike" => Some(Self::Spike),
            "sail" => Some(Self::Sail),
            _ => None,
        }
    }

    /// Where its programs lie. Sail's RAM is fixed.
    pub const fn base(self) -> u32 {
        match self {
            Self::Spike => 0x0040_0000,
            Self::Sail => 0x8000_0000,
        }
    }

    /// What it does with a program. Files are written to `folder`.
    pub fn run(self, binary: &Path, folder: &Path, generated: &Generated) -> Result<Trace, String> {
        let program = folder.join("program.elf");
        let log = folder.join("log");
        let text = |error: std::io::Error| error.to_string();
        fs::write(&program, executable(generated)).map_err(text)?;
        let mut command = Command::new(binary);
        match self {
            Self::Spike => command
                .arg("--isa=rv32im")
                .arg(format!("-m{:#x}:{SIZE:#x}", generated.base))
                .arg("--instructions=20000")
                .arg("--log-commits")
                .arg(format!("--log={}", log.display())),
            Self::Sail => command.args(["-v", "-C", "-l", "20000"]),
        };
        let output = command.arg(&program).output().map_err(text)?;
        let log = match self {
            Self::Spike => fs::read_to_string(&log).map_err(text)?,
            Self::Sail => String::from_utf8_lossy(&output.stdout).into_owned(),
        };
        let mut reader = Reader::new(generated);
        for line in log.lines() {
            let read = match self {
                Self::Spike => reader.spike(line),
                Self::Sail => reader.sail(line),
            };
            read.ok_or_else(|| format!("cannot read the log line {line:?}"))?;
            if reader.stopped {
                return Ok(reader.trace);
            }
        }
        Err(format!(
            "the program did not end: {}",
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

struct Reader<'a> {
    generated: &'a Generated,
    trace: Trace,
    /// Whether the boot code is behind us.
    started: bool,
    stopped: bool,
}

impl<'a> Reader<'a> {
    fn new(generated: &'a Generated) -> Self {
        let trace = Trace {
            retired: Vec::new(),
            registers: [0; 32],
            memory: generated.data.clone(),
        };
        Self {
            generated,
            trace,
            started: false,
            stopped: false,
        }
    }

    fn instruction(&mut self, pc: u32) {
        self.started |= pc == self.generated.base;
        self.stopped = pc == self.generated.stop;
        if self.started && !self.stopped {
            self.trace.retired.push(Retired {
                pc,
                rd: 0,
                value: 0,
            });
        }
    }

    fn register(&mut self, rd: u32, value: u32) -> Option<()> {
        if let (true, false, Some(last)) =
            (self.started, self.stopped, self.trace.retired.last_mut())
        {
            (last.rd, last.value) = (rd, value);
            *self.trace.registers.get_mut(rd as usize)? = value;
        }
        Some(())
    }

    fn store(&mut self, address: u32, value: u32, size: usize) -> Option<()> {
        if self.started && !self.stopped {
            let offset = address.checked_sub(self.generated.base + DATA)? as usize;
            let bytes = self.trace.memory.get_mut(offset..offset + size)?;
            bytes.copy_from_slice(&value.to_le_bytes()[..size]);
        }
        Some(())
    }

    /// `core   0: 3 PC (WORD) [xN VALUE] [mem ADDRESS [VALUE]]`, the value of a store with as many
    /// digits as it has.
    fn spike(&mut self, line: &str) -> Option<()> {
        let mut fields = line.split_whitespace().skip(3).peekable();
        self.instruction(hex(fields.next()?)?);
        fields.next()?;
        while let Some(field) = fields.next() {
            if field == "mem" {
                let address = hex(fields.next()?)?;
                if let Some(value) = fields.next() {
                    self.store(address, hex(value)?, (value.len() - 2) / 2)?;
                }
            } else {
                self.register(field.strip_prefix('x')?.parse().ok()?, hex(fields.next()?)?)?;
            }
        }
        Some(())
    }

    /// `[N] [M]: PC (WORD) text`, then `xN <- VALUE` and `mem[0bADDRESS] <- VALUE`, among others.
    fn sail(&mut self, line: &str) -> Option<()> {
        if let Some((_, rest)) = line.split_once("] [M]: ") {
            self.instruction(hex(rest.split(' ').next()?)?);
        } else if let Some((to, value)) = line.split_once(" <- ") {
            if let Some(address) = to.strip_prefix("mem[0b") {
                let address = u64::from_str_radix(address.strip_suffix(']')?, 2).ok()?;
                let size = (value.len() - 2) / 2;
                self.store(u32::try_from(address).ok()?, hex(value)?, size)?;
            } else if let Some(register) = to.strip_prefix('x') {
                self.register(register.parse().ok()?, hex(value)?)?;
            }
        }
        Some(())
    }
}

fn hex(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}
