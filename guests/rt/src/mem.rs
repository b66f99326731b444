//! `memcpy`, `memmove`, `memset`, `memcmp`, `bcmp` for a machine that charges one cycle for each
//! instruction and refuses misaligned words. In assembly, because a compiler may turn a loop that
//! copies into a call of `memcpy`.
//!
//! Aligned data moves in blocks of eight words. If source and destination are misaligned by
//! different amounts, words are put together from two aligned ones by shifts.

use core::arch::global_asm;

global_asm!(include_str!("mem.s"));
