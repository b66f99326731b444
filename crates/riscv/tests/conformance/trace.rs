//! What a run of a generated program did, instruction by instruction, and its digest.

use std::{fmt, str::FromStr};

use sha3::{Digest, Sha3_256};

use super::generator::Generated;

/// A retired instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retired {
    pub pc: u32,
    /// The register that it wrote, 0 for none.
    pub rd: u32,
    /// What it wrote, 0 for none.
    pub value: u32,
}

/// A run up to [`Generated::stop`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub retired: Vec<Retired>,
    /// At the end.
    pub registers: [u32; 32],
    /// The data region at the end.
    pub memory: Vec<u8>,
}

impl Trace {
    #[must_use]
    pub fn record(&self, seed: u64, generated: &Generated) -> Record {
        let mut trace = Sha3_256::new();
        for Retired { pc, rd, value } in &self.retired {
            for word in [pc, rd, value] {
                trace.update(word.to_le_bytes());
            }
        }
        let mut program = Sha3_256::new();
        for word in &generated.words {
            program.update(word.to_le_bytes());
        }
        program.update(&generated.data);
        Record {
            seed,
            retired: self.retired.len(),
            program: program.finalize().into(),
            trace: trace.finalize().into(),
            memory: Sha3_256::digest(&self.memory).into(),
            registers: self.registers,
        }
    }
}

/// A trace in short: one line of the vectors, fields separated by a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub seed: u64,
    /// Retired instructions.
    pub retired: usize,
    /// SHA3-256 of the program's words and its data, little-endian.
    pub program: [u8; 32],
    /// SHA3-256 of pc, rd and value of every retired instruction, little-endian words.
    pub trace: [u8; 32],
    /// SHA3-256 of the data region at the end.
    pub memory: [u8; 32],
    /// Registers at the end.
    pub registers: [u32; 32],
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.seed, self.retired)?;
        for digest in [&self.program, &self.trace, &self.memory] {
            f.write_str(" ")?;
            digest.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        }
        self.registers[1..]
            .iter()
            .try_for_each(|register| write!(f, " {register:x}"))
    }
}

impl FromStr for Record {
    type Err = std::num::ParseIntError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let mut fields = line.split(' ');
        let mut next = || fields.next().unwrap_or_default();
        let (seed, retired) = (next().parse()?, next().parse()?);
        let (program, trace, memory) = (digest(next())?, digest(next())?, digest(next())?);
        let mut registers = [0; 32];
        for register in &mut registers[1..] {
            *register = u32::from_str_radix(next(), 16)?;
        }
        Ok(Self {
            seed,
            retired,
            program,
            trace,
            memory,
            registers,
        })
    }
}

fn digest(hex: &str) -> Result<[u8; 32], std::num::ParseIntError> {
    let mut bytes = [0; 32];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * i..2 * i + 2).unwrap_or_default(), 16)?;
    }
    Ok(bytes)
}
