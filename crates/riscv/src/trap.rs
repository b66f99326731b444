//! Why a run ended without its guest asking for it.

use prova_riscv_abi::MAX_OUTPUT;

/// A run that stopped. The instruction at `pc` was not retired and changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at pc {pc:#010x} after {cycles} cycles: {cause}")]
pub struct Trap {
    /// Address of the instruction that could not be retired.
    pub pc: u32,
    /// Instructions retired before it.
    pub cycles: u64,
    /// What is wrong.
    pub cause: Cause,
}

/// What is wrong with an instruction, or with going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// The word is no RV32IM instruction.
    #[error("illegal instruction {word:#010x}")]
    Illegal {
        /// The instruction word.
        word: u32,
    },
    /// The word's low bits are those of a 16-bit instruction.
    #[error("compressed instruction {half:#06x}; only RV32IM without C is supported")]
    Compressed {
        /// The instruction's 16 bits.
        half: u16,
    },
    /// A jump or a taken branch to an address that is no multiple of 4. It is the jump that traps;
    /// its link register keeps its value.
    #[error("jump to the misaligned address {target:#010x}")]
    MisalignedJump {
        /// Where to.
        target: u32,
    },
    /// Nothing executable lies at `pc`.
    #[error("no executable segment at this address")]
    Fetch,
    /// A load from an address that is no multiple of its size.
    #[error("misaligned load of {size} bytes from {address:#010x}")]
    MisalignedLoad {
        /// Where from.
        address: u32,
        /// 2 or 4.
        size: u32,
    },
    /// A store to an address that is no multiple of its size.
    #[error("misaligned store of {size} bytes to {address:#010x}")]
    MisalignedStore {
        /// Where to.
        address: u32,
        /// 2 or 4.
        size: u32,
    },
    /// A load from outside RAM and input.
    #[error("load of {size} bytes from unmapped address {address:#010x}")]
    Load {
        /// Where from.
        address: u32,
        /// 1, 2 or 4.
        size: u32,
    },
    /// A store to outside RAM.
    #[error("store of {size} bytes to unmapped address {address:#010x}")]
    Store {
        /// Where to.
        address: u32,
        /// 1, 2 or 4.
        size: u32,
    },
    /// A store to the input or to an executable segment.
    #[error("store of {size} bytes to read-only address {address:#010x}")]
    ReadOnly {
        /// Where to.
        address: u32,
        /// 1, 2 or 4.
        size: u32,
    },
    /// `ebreak`.
    #[error("ebreak")]
    Breakpoint,
    /// `ecall` with a number in `a7` that no system call has.
    #[error("unknown system call {number:#x}")]
    UnknownCall {
        /// `a7`.
        number: u32,
    },
    /// A system call on memory that cannot be read, or written where it writes.
    #[error("system call {number:#x}: {length} bytes at {address:#010x} cannot be accessed")]
    CallMemory {
        /// `a7`.
        number: u32,
        /// Start of the memory.
        address: u32,
        /// Its bytes.
        length: u32,
    },
    /// A system call on words at an address that is no multiple of 4.
    #[error("system call {number:#x}: misaligned address {address:#010x}")]
    CallMisaligned {
        /// `a7`.
        number: u32,
        /// Start of the memory.
        address: u32,
    },
    /// An argument that has no meaning for the system call.
    #[error("system call {number:#x}: argument a{index} cannot be {value:#x}")]
    CallArgument {
        /// `a7`.
        number: u32,
        /// Which argument, from 0.
        index: u32,
        /// Its value.
        value: u32,
    },
    /// A field element of the `poseidon2` call that is not below the modulus.
    #[error("field element {word:#x} at {address:#010x} is not below {modulus:#x}")]
    NotCanonical {
        /// Where it is.
        address: u32,
        /// Its value.
        word: u32,
        /// What it must be below.
        modulus: u32,
    },
    /// More committed bytes than a run may have.
    #[error("output of {length} bytes is longer than {MAX_OUTPUT}")]
    OutputTooLong {
        /// Bytes with those that were to be appended.
        length: u64,
    },
    /// The cycle limit of the run is reached.
    #[error("the cycle limit of {limit} is reached")]
    CycleLimit {
        /// The limit.
        limit: u64,
    },
    /// The [`Control`](crate::Control) of the run asked to stop.
    #[error("cancelled")]
    Cancelled,
}
