//! System calls, as thin as they come; [`prova_riscv_abi::call`] defines them.

use core::arch::asm;

use prova_riscv_abi::call;
use prova_riscv_abi::poseidon2::{BABY_BEAR_16, KOALA_BEAR_16};

/// Ends the run with an exit code.
#[inline]
pub fn halt(code: u32) -> ! {
    // SAFETY: the machine does not come back from this call.
    unsafe {
        asm!("ecall", in("a0") code, in("a7") call::HALT, options(noreturn, nostack));
    }
}

/// Appends bytes to the public output.
#[inline]
pub fn commit(bytes: &[u8]) {
    // SAFETY: the machine reads the slice and changes nothing.
    unsafe {
        asm!("ecall", in("a0") bytes.as_ptr(), in("a1") bytes.len(), in("a7") call::COMMIT,
            options(nostack, readonly, preserves_flags));
    }
}

/// Shows text to the person running the guest.
#[inline]
pub fn print(text: &[u8]) {
    // SAFETY: the machine reads the slice and changes nothing.
    unsafe {
        asm!("ecall", in("a0") text.as_ptr(), in("a1") text.len(), in("a7") call::PRINT,
            options(nostack, readonly, preserves_flags));
    }
}

/// Ends the run with a message.
#[inline]
pub fn panic(message: &[u8]) -> ! {
    // SAFETY: the machine reads the slice and does not come back.
    unsafe {
        asm!("ecall", in("a0") message.as_ptr(), in("a1") message.len(), in("a7") call::PANIC,
            options(noreturn, nostack));
    }
}

/// Keccak-f[1600] in place.
#[inline(always)]
pub fn keccak_f(state: &mut [u64; 25]) {
    // SAFETY: the machine reads and writes the 200 bytes of the state, which is aligned.
    unsafe {
        asm!("ecall", in("a0") state.as_mut_ptr(), in("a7") call::KECCAK_F,
            options(nostack, preserves_flags));
    }
}

/// The BLAKE2s compression function (RFC 7693, section 3.2): folds `block` into `chaining`.
/// `count` is the number of message bytes so far, this block included.
#[inline(always)]
pub fn blake2s(chaining: &mut [u32; 8], block: &[u32; 16], count: u64, last: bool) {
    // SAFETY: the machine reads both arrays and writes the first; words are aligned.
    unsafe {
        asm!("ecall", in("a0") chaining.as_mut_ptr(), in("a1") block.as_ptr(),
            in("a2") count as u32, in("a3") (count >> 32) as u32, in("a4") u32::from(last),
            in("a7") call::BLAKE2S, options(nostack, preserves_flags));
    }
}

/// Poseidon2 of width 16 in place on words in Montgomery form; `INSTANCE` is one of the instances of
/// that width in [`prova_riscv_abi::poseidon2`].
#[inline(always)]
pub fn poseidon2_words<const INSTANCE: u32>(state: &mut [u32; 16]) {
    const { assert!(INSTANCE == BABY_BEAR_16 || INSTANCE == KOALA_BEAR_16) }
    // SAFETY: the state is as wide as the instance, aligned, and borrowed for writing.
    unsafe { poseidon2::<INSTANCE>(state.as_mut_ptr()) }
}

/// Poseidon2 in place; `INSTANCE` is one of [`prova_riscv_abi::poseidon2`], which fixes the width.
///
/// # Safety
/// `state` must point to as many words as the instance is wide, aligned to 4 bytes and free to be
/// written.
#[inline(always)]
pub(crate) unsafe fn poseidon2<const INSTANCE: u32>(state: *mut u32) {
    // SAFETY: the caller vouches for the words that the machine reads and writes.
    unsafe {
        asm!("ecall", in("a0") state, in("a1") INSTANCE, in("a7") call::POSEIDON2,
            options(nostack, preserves_flags));
    }
}

/// Keccak-f[1600] by the system call, for code that takes its permutation as a type.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeccakCall;

impl KeccakCall {
    /// The permutation in place.
    #[inline(always)]
    pub fn permute(state: &mut [u64; 25]) {
        keccak_f(state);
    }
}

#[cfg(feature = "hash")]
impl prova_hash::shape::KeccakF1600 for KeccakCall {
    #[inline(always)]
    fn permute(state: &mut [u64; 25]) {
        keccak_f(state);
    }
}
