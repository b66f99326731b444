//! What a RISC-V guest and the machine that runs it agree on: the memory map, the system calls and
//! the header of the input. Guests and the executor depend on this crate and on nothing else in
//! common.
//!
//! A system call is `ecall` with its number in `a7` and its arguments in `a0`, `a1`, ...; it
//! changes no register and counts as one cycle.
#![no_std]
#![forbid(unsafe_code)]

/// Memory: `[RAM_BASE, RAM_BASE + size)` can be read, and written except in the program's executable
/// segments, which alone can be executed; everything outside it and the input is a fault. Addresses
/// below are never mapped, so that a null pointer is one.
pub const RAM_BASE: u32 = 0x0001_0000;
/// The stack grows down from here; running over its end reaches unmapped memory, which is a fault
/// rather than damage to the program.
pub const STACK_TOP: u32 = 0x0040_0000;
/// Where guests are linked; the heap begins behind the program.
pub const PROGRAM_BASE: u32 = STACK_TOP;
/// First address behind RAM, unless the machine is told otherwise.
pub const DEFAULT_RAM_END: u32 = 0x1000_0000;
/// No RAM lies at or above this address.
pub const MAX_RAM_END: u32 = 0x8000_0000;

/// The input region: a header of [`INPUT_HEADER`] bytes, the payload, zeros up to a multiple of
/// 16. It can only be read. The payload is therefore aligned to 16 bytes.
pub const INPUT_BASE: u32 = 0x8000_0000;
/// Bytes of the input's header: [`INPUT_MAGIC`], [`INPUT_VERSION`], the payload's length, zero;
/// each a little-endian word.
pub const INPUT_HEADER: u32 = 16;
/// First word of the input's header, `PRVI` in memory order.
pub const INPUT_MAGIC: u32 = u32::from_le_bytes(*b"PRVI");
/// Second word of the input's header.
pub const INPUT_VERSION: u32 = 1;
/// Longest payload in bytes.
pub const MAX_INPUT: u32 = 0x4000_0000;

/// Most bytes a guest may commit in one run.
pub const MAX_OUTPUT: usize = 1 << 20;

/// Exit code of a guest that panicked, were it to halt with it; the machine reports the message of
/// [`call::PANIC`] instead.
pub const PANIC_CODE: u32 = 101;

/// Numbers of the system calls (`a7`).
pub mod call {
    /// `halt(code)`: ends the run.
    pub const HALT: u32 = 0;
    /// `commit(address, length)`: appends bytes to the public output.
    pub const COMMIT: u32 = 1;
    /// `print(address, length)`: text for the person running the guest; no part of the output.
    pub const PRINT: u32 = 2;
    /// `panic(address, length)`: ends the run with a message.
    pub const PANIC: u32 = 3;
    /// `keccak_f(state)`: Keccak-f[1600] (FIPS 202, section 3.3) in place on 25 little-endian
    /// 64-bit lanes, aligned to 4 bytes.
    pub const KECCAK_F: u32 = 0x100;
    /// `poseidon2(state, instance)`: the permutation in place on 16 or 24 words, aligned to 4
    /// bytes; see [`crate::poseidon2`].
    pub const POSEIDON2: u32 = 0x101;
    /// `blake2s(chaining, block, count_low, count_high, last)`: the compression function F of RFC
    /// 7693, section 3.2, on 8 and 16 words, aligned to 4 bytes; `last` is 0 or 1.
    pub const BLAKE2S: u32 = 0x102;
}

/// Instances of [`call::POSEIDON2`] (`a1`), with the round constants that Plonky3 ships. Words are
/// in Montgomery form with `R = 2^32`, as Plonky3 keeps them in memory, and below the modulus.
pub mod poseidon2 {
    /// BabyBear, width 16.
    pub const BABY_BEAR_16: u32 = 0;
    /// BabyBear, width 24.
    pub const BABY_BEAR_24: u32 = 1;
    /// KoalaBear, width 16.
    pub const KOALA_BEAR_16: u32 = 2;
    /// KoalaBear, width 24.
    pub const KOALA_BEAR_24: u32 = 3;
}
