//! The first instructions of a guest.

use core::arch::global_asm;

use prova_riscv_abi::{DEFAULT_RAM_END, PROGRAM_BASE, STACK_TOP, call};

// `__ram_end` is weak: a guest for a machine with another amount of memory is linked with
// `--defsym=__ram_end=...`.
global_asm!(
    ".section .text._start,\"ax\",@progbits",
    ".globl _start",
    ".type _start, @function",
    "_start:",
    "li sp, {stack_top}",
    "call __prova_main",
    "li a0, 0",
    "li a7, {halt}",
    "ecall",
    ".size _start, . - _start",
    ".globl __program_base",
    ".set __program_base, {program_base}",
    ".weak __ram_end",
    ".set __ram_end, {ram_end}",
    stack_top = const STACK_TOP,
    halt = const call::HALT,
    program_base = const PROGRAM_BASE,
    ram_end = const DEFAULT_RAM_END,
);

/// Names the function a guest starts with; the guest halts with code 0 when it returns.
#[macro_export]
macro_rules! entry {
    ($main:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn __prova_main() {
            const MAIN: fn() = $main;
            MAIN()
        }
    };
}
