//! Where things lie in the address space.

use prova_riscv_abi as abi;

/// The address space that programs are checked against. [`Layout::GUEST`] is the one of
/// `prova-riscv-abi`; others serve programs that were linked for another machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// First address of RAM, a multiple of 4.
    pub ram_base: u32,
    /// No segment of a program begins below.
    pub program_base: u32,
    /// RAM ends at or below this address, a multiple of 4.
    pub max_ram_end: u32,
    /// First address of the input, a multiple of 16. The input may lie on either side of RAM.
    pub input_base: u32,
    /// Whether a segment may be writable and executable at once, and stores to executable segments
    /// are allowed. What is executed is the program as it was loaded either way: instruction
    /// fetches do not see stores, which the architecture permits where there is no `fence.i`.
    pub writable_code: bool,
}

impl Layout {
    /// The memory map of guests. Executable segments cannot be written.
    pub const GUEST: Self = Self {
        ram_base: abi::RAM_BASE,
        program_base: abi::PROGRAM_BASE,
        max_ram_end: abi::MAX_RAM_END,
        input_base: abi::INPUT_BASE,
        writable_code: false,
    };

    /// RAM and program from `base` on, a multiple of 4, with code that can be written; for programs
    /// linked for bare-metal machines, such as those with RAM at `0x8000_0000`. The input lies in
    /// the half of the address space that `base` is not in.
    #[must_use]
    pub const fn bare(base: u32) -> Self {
        let (max_ram_end, input_base) = if base < 0x8000_0000 {
            (abi::MAX_RAM_END, abi::INPUT_BASE)
        } else {
            (0xffff_fff0, 0x1000_0000)
        };
        Self {
            ram_base: base,
            program_base: base,
            max_ram_end,
            input_base,
            writable_code: true,
        }
    }
}

impl Default for Layout {
    fn default() -> Self {
        Self::GUEST
    }
}
