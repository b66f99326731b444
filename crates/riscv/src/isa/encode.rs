//! From instructions to words.

use super::{BranchOp, ImmOp, Instruction, LoadOp, Reg, RegOp, StoreOp};

/// Why an instruction has no encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// An immediate is out of range.
    #[error("immediate {value} is not in [{min}, {max}]")]
    Range {
        /// The immediate.
        value: i64,
        /// Least value.
        min: i64,
        /// Greatest value.
        max: i64,
    },
    /// The offset of a branch or a jump is odd, or bits of an upper immediate are set that the
    /// word has no room for.
    #[error("immediate {value:#x} is not a multiple of {multiple}")]
    Multiple {
        /// The immediate.
        value: u32,
        /// What it must be a multiple of.
        multiple: u32,
    },
}

impl Instruction {
    /// The instruction word.
    ///
    /// # Errors
    /// [`EncodeError`] if an immediate does not fit.
    pub fn encode(self) -> Result<u32, EncodeError> {
        Ok(match self {
            Self::Lui { rd, imm } => 0x37 | at(rd, 7) | upper(imm)?,
            Self::Auipc { rd, imm } => 0x17 | at(rd, 7) | upper(imm)?,
            Self::Jal { rd, offset } => 0x6f | at(rd, 7) | imm_j(offset)?,
            Self::Jalr { rd, rs1, offset } => 0x67 | at(rd, 7) | at(rs1, 15) | imm_i(offset)?,
            Self::Branch {
                op,
                rs1,
                rs2,
                offset,
            } => 0x63 | (branch(op) << 12) | at(rs1, 15) | at(rs2, 20) | imm_b(offset)?,
            Self::Load {
                op,
                rd,
                rs1,
                offset,
            } => 0x03 | at(rd, 7) | (load(op) << 12) | at(rs1, 15) | imm_i(offset)?,
            Self::Store {
                op,
                rs1,
                rs2,
                offset,
            } => {
                let imm = signed(offset, 12)?;
                let imm = ((imm >> 5) << 25) | ((imm & 31) << 7);
                0x23 | (store(op) << 12) | at(rs1, 15) | at(rs2, 20) | imm
            }
            Self::OpImm { op, rd, rs1, imm } => 0x13 | at(rd, 7) | at(rs1, 15) | op_imm(op, imm)?,
            Self::Op { op, rd, rs1, rs2 } => {
                let (funct7, funct3) = reg_op(op);
                0x33 | at(rd, 7) | (funct3 << 12) | at(rs1, 15) | at(rs2, 20) | (funct7 << 25)
            }
            Self::Fence {
                fm,
                pred,
                succ,
                rd,
                rs1,
            } => {
                let sets = (nibble(fm)? << 28) | (nibble(pred)? << 24) | (nibble(succ)? << 20);
                0x0f | at(rd, 7) | at(rs1, 15) | sets
            }
            Self::Ecall => 0x0000_0073,
            Self::Ebreak => 0x0010_0073,
        })
    }
}

fn at(reg: Reg, shift: u32) -> u32 {
    u32::from(reg.0) << shift
}

fn range(value: i32, min: i32, max: i32) -> Result<(), EncodeError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(EncodeError::Range {
        value: value.into(),
        min: min.into(),
        max: max.into(),
    })
}

/// The low `bits` of a value that fits them in two's complement.
fn signed(value: i32, bits: u32) -> Result<u32, EncodeError> {
    let half = 1 << (bits - 1);
    range(value, -half, half - 1)?;
    Ok(value.cast_unsigned() & ((1 << bits) - 1))
}

/// An offset to an instruction, `bits` wide with its lowest bit, which must be zero.
fn even(value: i32, bits: u32) -> Result<u32, EncodeError> {
    let low = signed(value, bits)?;
    multiple(value.cast_unsigned(), 2)?;
    Ok(low)
}

fn multiple(value: u32, multiple: u32) -> Result<(), EncodeError> {
    if value.is_multiple_of(multiple) {
        return Ok(());
    }
    Err(EncodeError::Multiple { value, multiple })
}

fn nibble(value: u8) -> Result<u32, EncodeError> {
    range(value.into(), 0, 15)?;
    Ok(value.into())
}

fn upper(imm: u32) -> Result<u32, EncodeError> {
    multiple(imm, 1 << 12)?;
    Ok(imm)
}

fn imm_i(value: i32) -> Result<u32, EncodeError> {
    Ok(signed(value, 12)? << 20)
}

fn imm_b(value: i32) -> Result<u32, EncodeError> {
    let v = even(value, 13)?;
    Ok(((v >> 12) << 31)
        | (((v >> 5) & 0x3f) << 25)
        | (((v >> 1) & 15) << 8)
        | (((v >> 11) & 1) << 7))
}

fn imm_j(value: i32) -> Result<u32, EncodeError> {
    let v = even(value, 21)?;
    Ok(
        ((v >> 20) << 31)
            | (((v >> 1) & 0x3ff) << 21)
            | (((v >> 11) & 1) << 20)
            | (v & 0x000f_f000),
    )
}

fn branch(op: BranchOp) -> u32 {
    match op {
        BranchOp::Beq => 0,
        BranchOp::Bne => 1,
        BranchOp::Blt => 4,
        BranchOp::Bge => 5,
        BranchOp::Bltu => 6,
        BranchOp::Bgeu => 7,
    }
}

fn load(op: LoadOp) -> u32 {
    match op {
        LoadOp::Lb => 0,
        LoadOp::Lh => 1,
        LoadOp::Lw => 2,
        LoadOp::Lbu => 4,
        LoadOp::Lhu => 5,
    }
}

fn store(op: StoreOp) -> u32 {
    match op {
        StoreOp::Sb => 0,
        StoreOp::Sh => 1,
        StoreOp::Sw => 2,
    }
}

/// `funct3` and the immediate, in place.
fn op_imm(op: ImmOp, imm: i32) -> Result<u32, EncodeError> {
    let shift = |funct3: u32, funct7: u32| {
        range(imm, 0, 31)?;
        Ok((funct3 << 12) | (imm.cast_unsigned() << 20) | (funct7 << 25))
    };
    let plain = |funct3: u32| Ok((funct3 << 12) | imm_i(imm)?);
    match op {
        ImmOp::Addi => plain(0),
        ImmOp::Slti => plain(2),
        ImmOp::Sltiu => plain(3),
        ImmOp::Xori => plain(4),
        ImmOp::Ori => plain(6),
        ImmOp::Andi => plain(7),
        ImmOp::Slli => shift(1, 0),
        ImmOp::Srli => shift(5, 0),
        ImmOp::Srai => shift(5, 0x20),
    }
}

/// `funct7` and `funct3`.
fn reg_op(op: RegOp) -> (u32, u32) {
    match op {
        RegOp::Add => (0, 0),
        RegOp::Sub => (0x20, 0),
        RegOp::Sll => (0, 1),
        RegOp::Slt => (0, 2),
        RegOp::Sltu => (0, 3),
        RegOp::Xor => (0, 4),
        RegOp::Srl => (0, 5),
        RegOp::Sra => (0x20, 5),
        RegOp::Or => (0, 6),
        RegOp::And => (0, 7),
        RegOp::Mul => (1, 0),
        RegOp::Mulh => (1, 1),
        RegOp::Mulhsu => (1, 2),
        RegOp::Mulhu => (1, 3),
        RegOp::Div => (1, 4),
        RegOp::Divu => (1, 5),
        RegOp::Rem => (1, 6),
        RegOp::Remu => (1, 7),
    }
}
