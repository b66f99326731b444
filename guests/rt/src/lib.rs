//! What a guest of the RISC-V machine needs: the entry, an allocator, a panic handler, system
//! calls, input and output.
//!
//! ```ignore
//! #![no_std]
//! #![no_main]
//!
//! prova_guest_rt::entry!(main);
//!
//! fn main() {
//!     let input = prova_guest_rt::read_input();
//!     prova_guest_rt::commit(input);
//! }
//! ```
//!
//! The machine starts with zeroed memory and runs one thread; the allocator and `memcpy` and its
//! kin rely on both.
#![no_std]

#[cfg(not(target_arch = "riscv32"))]
compile_error!("prova-guest-rt is for the RISC-V machine: build with scripts/build-guests.sh");

mod heap;
mod io;
mod mem;
#[cfg(feature = "p3")]
pub mod p3;
mod panic;
mod start;
mod stock_keccak;
pub mod sys;

pub use io::{commit, halt, print, read_input};
pub use prova_riscv_abi as abi;
pub use sys::KeccakCall;

/// Tells the profiler that step `N` begins here. Costs one cycle and changes nothing; memory
/// accesses are not moved across it.
#[inline(always)]
pub fn step<const N: u32>() {
    const { assert!(N >= 1 && N <= 2047, "a step is a number from 1 to 2047") }
    // SAFETY: `addi x0, x0, N` changes no register and no memory.
    unsafe {
        core::arch::asm!("addi x0, x0, {n}", n = const N, options(nostack, preserves_flags));
    }
}
