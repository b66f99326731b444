//! From words to instructions (unprivileged manual, chapter "RV32/64G Instruction Set Listings").

use super::{BranchOp, ImmOp, Instruction, LoadOp, Reg, RegOp, StoreOp};

/// Why a word is no instruction of RV32IM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Its two low bits are not both set, which makes it a compressed (16-bit) instruction.
    #[error("{0:#06x} is a compressed instruction; only RV32IM without C is supported")]
    Compressed(u16),
    /// Any other word.
    #[error("{0:#010x} is no RV32IM instruction")]
    Illegal(u32),
}

impl Instruction {
    /// Reads an instruction word. Exactly the words that [`encode`](Self::encode) can give are
    /// accepted.
    ///
    /// # Errors
    /// [`DecodeError`]: what the word is instead. All zeros and all ones are illegal, as the
    /// manual requires.
    pub const fn decode(word: u32) -> Result<Self, DecodeError> {
        if word == 0 {
            return Err(DecodeError::Illegal(word));
        }
        if word & 3 != 3 {
            return Err(DecodeError::Compressed((word & 0xffff) as u16));
        }
        match parse(word) {
            Some(instruction) => Ok(instruction),
            None => Err(DecodeError::Illegal(word)),
        }
    }
}

const fn parse(word: u32) -> Option<Instruction> {
    let rd = Reg::field(word, 7);
    let rs1 = Reg::field(word, 15);
    let rs2 = Reg::field(word, 20);
    let funct3 = (word >> 12) & 7;
    Some(match word & 0x7f {
        0x37 => Instruction::Lui {
            rd,
            imm: word & 0xffff_f000,
        },
        0x17 => Instruction::Auipc {
            rd,
            imm: word & 0xffff_f000,
        },
        0x6f => Instruction::Jal {
            rd,
            offset: imm_j(word),
        },
        0x67 if funct3 == 0 => Instruction::Jalr {
            rd,
            rs1,
            offset: imm_i(word),
        },
        0x63 => match branch(funct3) {
            Some(op) => Instruction::Branch {
                op,
                rs1,
                rs2,
                offset: imm_b(word),
            },
            None => return None,
        },
        0x03 => match load(funct3) {
            Some(op) => Instruction::Load {
                op,
                rd,
                rs1,
                offset: imm_i(word),
            },
            None => return None,
        },
        0x23 => match store(funct3) {
            Some(op) => Instruction::Store {
                op,
                rs1,
                rs2,
                offset: imm_s(word),
            },
            None => return None,
        },
        0x13 => match op_imm(funct3, word) {
            Some((op, imm)) => Instruction::OpImm { op, rd, rs1, imm },
            None => return None,
        },
        0x33 => match op(funct3, word >> 25) {
            Some(op) => Instruction::Op { op, rd, rs1, rs2 },
            None => return None,
        },
        0x0f if funct3 == 0 => Instruction::Fence {
            fm: (word >> 28) as u8,
            pred: ((word >> 24) & 15) as u8,
            succ: ((word >> 20) & 15) as u8,
            rd,
            rs1,
        },
        0x73 if word == 0x0000_0073 => Instruction::Ecall,
        0x73 if word == 0x0010_0073 => Instruction::Ebreak,
        _ => return None,
    })
}

/// Bits 31:20, sign-extended.
const fn imm_i(word: u32) -> i32 {
    word.cast_signed() >> 20
}

/// Bits 31:25 and 11:7, sign-extended.
const fn imm_s(word: u32) -> i32 {
    ((word.cast_signed() >> 25) << 5) | ((word >> 7) & 31).cast_signed()
}

/// Bits 31, 7, 30:25, 11:8 as a multiple of 2.
const fn imm_b(word: u32) -> i32 {
    ((word.cast_signed() >> 31) << 12)
        | (((word >> 7) & 1) << 11).cast_signed()
        | (((word >> 25) & 0x3f) << 5).cast_signed()
        | (((word >> 8) & 15) << 1).cast_signed()
}

/// Bits 31, 19:12, 20, 30:21 as a multiple of 2.
const fn imm_j(word: u32) -> i32 {
    ((word.cast_signed() >> 31) << 20)
        | (word & 0x000f_f000).cast_signed()
        | (((word >> 20) & 1) << 11).cast_signed()
        | (((word >> 21) & 0x3ff) << 1).cast_signed()
}

const fn branch(funct3: u32) -> Option<BranchOp> {
    Some(match funct3 {
        0 => BranchOp::Beq,
        1 => BranchOp::Bne,
        4 => BranchOp::Blt,
        5 => BranchOp::Bge,
        6 => BranchOp::Bltu,
        7 => BranchOp::Bgeu,
        _ => return None,
    })
}

const fn load(funct3: u32) -> Option<LoadOp> {
    Some(match funct3 {
        0 => LoadOp::Lb,
        1 => LoadOp::Lh,
        2 => LoadOp::Lw,
        4 => LoadOp::Lbu,
        5 => LoadOp::Lhu,
        _ => return None,
    })
}

const fn store(funct3: u32) -> Option<StoreOp> {
    Some(match funct3 {
        0 => StoreOp::Sb,
        1 => StoreOp::Sh,
        2 => StoreOp::Sw,
        _ => return None,
    })
}

const fn op_imm(funct3: u32, word: u32) -> Option<(ImmOp, i32)> {
    let shift = ((word >> 20) & 31).cast_signed();
    Some(match (funct3, word >> 25) {
        (0, _) => (ImmOp::Addi, imm_i(word)),
        (2, _) => (ImmOp::Slti, imm_i(word)),
        (3, _) => (ImmOp::Sltiu, imm_i(word)),
        (4, _) => (ImmOp::Xori, imm_i(word)),
        (6, _) => (ImmOp::Ori, imm_i(word)),
        (7, _) => (ImmOp::Andi, imm_i(word)),
        (1, 0) => (ImmOp::Slli, shift),
        (5, 0) => (ImmOp::Srli, shift),
        (5, 0x20) => (ImmOp::Srai, shift),
        _ => return None,
    })
}

const fn op(funct3: u32, funct7: u32) -> Option<RegOp> {
    Some(match (funct7, funct3) {
        (0, 0) => RegOp::Add,
        (0x20, 0) => RegOp::Sub,
        (0, 1) => RegOp::Sll,
        (0, 2) => RegOp::Slt,
        (0, 3) => RegOp::Sltu,
        (0, 4) => RegOp::Xor,
        (0, 5) => RegOp::Srl,
        (0x20, 5) => RegOp::Sra,
        (0, 6) => RegOp::Or,
        (0, 7) => RegOp::And,
        (1, 0) => RegOp::Mul,
        (1, 1) => RegOp::Mulh,
        (1, 2) => RegOp::Mulhsu,
        (1, 3) => RegOp::Mulhu,
        (1, 4) => RegOp::Div,
        (1, 5) => RegOp::Divu,
        (1, 6) => RegOp::Rem,
        (1, 7) => RegOp::Remu,
        _ => return None,
    })
}
