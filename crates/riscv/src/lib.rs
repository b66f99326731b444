//! RV32IM: decoder, assembler, ELF loader, executor and system calls.
//!
//! The instruction set is that of "The RISC-V Instruction Set Manual, Volume I: Unprivileged
//! Architecture", RV32I and M, without compressed instructions, CSRs and `fence.i`. What a guest
//! finds around it is in `prova-riscv-abi`.
//!
//! ```text
//! ELF bytes ─ Program::from_elf ─┐
//! payload ─── Input::new ────────┴─ Machine::new ─ run(observer) ─ Outcome or Trap
//! ```
//!
//! A run keeps no trace: an [`Observer`] is told what was retired while it happens.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod asm;
mod elf;
mod input;
pub mod isa;
mod layout;
mod machine;
mod memory;
mod observer;
mod poseidon2;
mod program;
mod syscall;
mod trap;

pub use elf::{ElfError, Part as ElfPart};
pub use input::{Input, InputError};
pub use layout::Layout;
pub use machine::{
    Control, Exit, MAX_PANIC_MESSAGE, Machine, MachineError, Options, Outcome, POLL_INTERVAL, Step,
};
pub use observer::{NoObserver, Observer};
pub use program::{ImageError, Program, Segment};
pub use syscall::CallCounts;
pub use trap::{Cause, Trap};
