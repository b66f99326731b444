//! Instructions of RV32IM as types: [`decode`](Instruction::decode), [`encode`](Instruction::encode)
//! and [`disasm`](Instruction::disasm).

mod decode;
mod disasm;
mod encode;
#[cfg(test)]
mod tests;

pub use decode::DecodeError;
pub use disasm::Disasm;
pub use encode::EncodeError;

/// An integer register, `x0` to `x31`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(u8);

impl Reg {
    /// `x0`, always zero.
    pub const ZERO: Self = Self(0);
    /// `x1`, the return address.
    pub const RA: Self = Self(1);
    /// `x2`, the stack pointer.
    pub const SP: Self = Self(2);
    /// `x5`, the alternate link register.
    pub const T0: Self = Self(5);
    /// `x10`, first argument and result.
    pub const A0: Self = Self(10);
    /// `x17`, number of a system call.
    pub const A7: Self = Self(17);

    /// `None` from 32 on.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if index < 32 { Some(Self(index)) } else { None }
    }

    /// The five bits of an instruction word that begin at bit `shift`.
    const fn field(word: u32, shift: u32) -> Self {
        Self(((word >> shift) & 31) as u8)
    }

    /// 0 to 31.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Name in the standard calling convention, such as `a0`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; 32] = [
            "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3",
            "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
            "t3", "t4", "t5", "t6",
        ];
        NAMES[self.index()]
    }

    /// Whether the calling convention keeps return addresses in it (`x1`, `x5`; unprivileged
    /// manual, section 2.5.1).
    #[must_use]
    pub const fn is_link(self) -> bool {
        matches!(self.0, 1 | 5)
    }
}

/// Conditional branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BranchOp {
    Beq,
    Bne,
    Blt,
    Bge,
    Bltu,
    Bgeu,
}

/// Loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum LoadOp {
    Lb,
    Lh,
    Lw,
    Lbu,
    Lhu,
}

/// Stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum StoreOp {
    Sb,
    Sh,
    Sw,
}

/// Operations on a register and an immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ImmOp {
    Addi,
    Slti,
    Sltiu,
    Xori,
    Ori,
    Andi,
    Slli,
    Srli,
    Srai,
}

/// Operations on two registers, the M extension's included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum RegOp {
    Add,
    Sub,
    Sll,
    Slt,
    Sltu,
    Xor,
    Srl,
    Sra,
    Or,
    And,
    Mul,
    Mulh,
    Mulhsu,
    Mulhu,
    Div,
    Divu,
    Rem,
    Remu,
}

/// An instruction. Offsets are in bytes; those of branches and jumps are relative to the
/// instruction itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Instruction {
    /// `imm` is the whole value, its low 12 bits are zero.
    Lui {
        rd: Reg,
        imm: u32,
    },
    /// `imm` is the whole summand, its low 12 bits are zero.
    Auipc {
        rd: Reg,
        imm: u32,
    },
    /// `offset` is even and in `[-2^20, 2^20)`.
    Jal {
        rd: Reg,
        offset: i32,
    },
    /// `offset` is in `[-2048, 2048)`.
    Jalr {
        rd: Reg,
        rs1: Reg,
        offset: i32,
    },
    /// `offset` is even and in `[-4096, 4096)`.
    Branch {
        op: BranchOp,
        rs1: Reg,
        rs2: Reg,
        offset: i32,
    },
    /// From `rs1 + offset`, with `offset` in `[-2048, 2048)`.
    Load {
        op: LoadOp,
        rd: Reg,
        rs1: Reg,
        offset: i32,
    },
    /// `rs2` to `rs1 + offset`, with `offset` in `[-2048, 2048)`.
    Store {
        op: StoreOp,
        rs1: Reg,
        rs2: Reg,
        offset: i32,
    },
    /// `imm` is in `[-2048, 2048)`, for shifts in `[0, 32)`.
    OpImm {
        op: ImmOp,
        rd: Reg,
        rs1: Reg,
        imm: i32,
    },
    Op {
        op: RegOp,
        rd: Reg,
        rs1: Reg,
        rs2: Reg,
    },
    /// Orders nothing on a single hart. Any value of the fields is a fence; reserved ones are
    /// to be treated as plain fences (unprivileged manual, section 2.7). `fm`, `pred` and `succ`
    /// have 4 bits each.
    Fence {
        fm: u8,
        pred: u8,
        succ: u8,
        rd: Reg,
        rs1: Reg,
    },
    Ecall,
    Ebreak,
}

impl Instruction {
    /// The canonical no-operation, `addi x0, x0, 0`.
    pub const NOP: Self = Self::OpImm {
        op: ImmOp::Addi,
        rd: Reg::ZERO,
        rs1: Reg::ZERO,
        imm: 0,
    };

    /// Value of a step marker, `addi x0, x0, N` with `N` other than 0, sign-extended.
    #[must_use]
    pub const fn marker(self) -> Option<u32> {
        match self {
            Self::OpImm {
                op: ImmOp::Addi,
                rd: Reg(0),
                rs1: Reg(0),
                imm,
            } if imm != 0 => Some(imm.cast_unsigned()),
            _ => None,
        }
    }

    /// The step marker of a value in `[1, 2048)`.
    #[must_use]
    pub const fn from_marker(value: u32) -> Option<Self> {
        if value == 0 || value >= 2048 {
            return None;
        }
        Some(Self::OpImm {
            op: ImmOp::Addi,
            rd: Reg::ZERO,
            rs1: Reg::ZERO,
            imm: value.cast_signed(),
        })
    }
}
