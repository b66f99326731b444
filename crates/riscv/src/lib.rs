//! RV32IM: decoder, ELF loader, executor, system calls and profiles.
//!
//! The instruction set is that of "The RISC-V Instruction Set Manual, Volume I: Unprivileged
//! Architecture", RV32I and M.
#![forbid(unsafe_code)]
