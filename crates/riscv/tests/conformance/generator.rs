//! Random RV32IM programs, one a seed, that any machine with RAM at the given base can run.
//!
//! A program sets every register, runs a few hundred instructions drawn from all of RV32IM and
//! ends at [`Generated::stop`]. Operands are extreme values as often as random ones; loads and
//! stores stay within the data region; every backward jump is bounded; words that are never reached
//! are junk, so that going astray shows; most results are stored as they come. The instructions
//! are encoded here, from the formats of the instruction set manual, and not by the crate under
//! test.

use super::{
    format::{I, S, U},
    writer::{ECALL, Writer},
};

/// Where the program lies, as bytes behind the base; likewise below.
pub const DATA: u32 = 0x2_0000;
/// Bytes of the data region: what loads and stores work on, then the log.
pub const DATA_SIZE: u32 = 2 * HALF;
/// The word that tells Spike and Sail to stop (`tohost`), behind it a word that they read.
pub const DONE: u32 = 0x3_0000;
/// Bytes from the base on that a program uses.
pub const SIZE: u32 = 0x4_0000;

/// Bytes of each of the two.
pub const HALF: u32 = 0x1000;
const SNIPPETS: usize = 60;

/// A program and what is in its data region at the start.
pub struct Generated {
    /// Where the program lies and begins.
    pub base: u32,
    /// Its instructions, from `base` on.
    pub words: Vec<u32>,
    /// [`DATA_SIZE`] bytes.
    pub data: Vec<u8>,
    /// Address of the first instruction that is no longer random: a store to [`DONE`], a commit of
    /// the data region and a halt, by the system calls of `prova-riscv-abi`.
    pub stop: u32,
}

/// The program of a seed.
#[must_use]
pub fn generate(seed: u64, base: u32) -> Generated {
    let mut writer = Writer::new(seed, base);
    for register in 1..32 {
        if register == writer.log {
            writer.set(register, base + DATA + HALF + HALF / 2);
        } else {
            writer.set_extreme(register);
        }
    }
    for _ in 0..SNIPPETS {
        writer.snippet();
    }
    let stop = writer.pc();
    writer.words.extend([
        U::LUI.word(5, base + DONE),
        I::ADDI.word(6, 0, 1),
        S::SW.word(5, 6, 0),
        S::SW.word(5, 0, 4),
        U::LUI.word(10, base + DATA),
        U::LUI.word(11, DATA_SIZE),
        I::ADDI.word(17, 0, 1),
        ECALL,
        I::ADDI.word(10, 0, 0),
        I::ADDI.word(17, 0, 0),
        ECALL,
    ]);
    let data = (0..DATA_SIZE / 4)
        .flat_map(|_| writer.value().to_le_bytes())
        .collect();
    Generated {
        base,
        words: writer.words,
        data,
        stop,
    }
}
