//! Text of instructions, in the form of GNU `objdump` with its pseudo-instructions.

use core::fmt::{self, Display, Formatter};

use super::{BranchOp, ImmOp, Instruction, LoadOp, Reg, RegOp, StoreOp};

/// An instruction as text; see [`Instruction::disasm`].
#[derive(Clone, Copy, Debug)]
pub struct Disasm {
    instruction: Instruction,
    pc: u32,
}

impl Instruction {
    /// Assembly text of the instruction at address `pc`: mnemonic, a space, operands; targets of
    /// branches and jumps are absolute.
    #[must_use]
    pub const fn disasm(self, pc: u32) -> Disasm {
        Disasm {
            instruction: self,
            pc,
        }
    }
}

impl Display for Disasm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let pc = self.pc;
        match self.instruction {
            Instruction::Lui { rd, imm } => write!(f, "lui {},{:#x}", rd, imm >> 12),
            Instruction::Auipc { rd, imm } => write!(f, "auipc {},{:#x}", rd, imm >> 12),
            Instruction::Jal { rd, offset } => {
                let to = pc.wrapping_add_signed(offset);
                match rd {
                    Reg::ZERO => write!(f, "j {to:#x}"),
                    Reg::RA => write!(f, "jal {to:#x}"),
                    _ => write!(f, "jal {rd},{to:#x}"),
                }
            }
            Instruction::Jalr { rd, rs1, offset } => jalr(f, rd, rs1, offset),
            Instruction::Branch {
                op,
                rs1,
                rs2,
                offset,
            } => branch(f, op, rs1, rs2, pc.wrapping_add_signed(offset)),
            Instruction::Load {
                op,
                rd,
                rs1,
                offset,
            } => {
                write!(f, "{} {rd},{offset}({rs1})", load_name(op))
            }
            Instruction::Store {
                op,
                rs1,
                rs2,
                offset,
            } => {
                write!(f, "{} {rs2},{offset}({rs1})", store_name(op))
            }
            Instruction::OpImm { op, rd, rs1, imm } => op_imm(f, op, rd, rs1, imm),
            Instruction::Op { op, rd, rs1, rs2 } => reg_op(f, op, rd, rs1, rs2),
            Instruction::Fence { fm, pred, succ, .. } => fence(f, fm, pred, succ),
            Instruction::Ecall => f.write_str("ecall"),
            Instruction::Ebreak => f.write_str("ebreak"),
        }
    }
}

impl Display for Reg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn jalr(f: &mut Formatter<'_>, rd: Reg, rs1: Reg, offset: i32) -> fmt::Result {
    match (rd, rs1, offset) {
        (Reg::ZERO, Reg::RA, 0) => f.write_str("ret"),
        (Reg::ZERO, _, 0) => write!(f, "jr {rs1}"),
        (Reg::ZERO, ..) => write!(f, "jr {offset}({rs1})"),
        (Reg::RA, _, 0) => write!(f, "jalr {rs1}"),
        (Reg::RA, ..) => write!(f, "jalr {offset}({rs1})"),
        (_, _, 0) => write!(f, "jalr {rd},{rs1}"),
        _ => write!(f, "jalr {rd},{offset}({rs1})"),
    }
}

fn branch(f: &mut Formatter<'_>, op: BranchOp, rs1: Reg, rs2: Reg, to: u32) -> fmt::Result {
    let (name, right_zero, left_zero) = match op {
        BranchOp::Beq => ("beq", Some("beqz"), None),
        BranchOp::Bne => ("bne", Some("bnez"), None),
        BranchOp::Blt => ("blt", Some("bltz"), Some("bgtz")),
        BranchOp::Bge => ("bge", Some("bgez"), Some("blez")),
        BranchOp::Bltu => ("bltu", None, None),
        BranchOp::Bgeu => ("bgeu", None, None),
    };
    match (right_zero, left_zero) {
        (Some(alias), _) if rs2 == Reg::ZERO => write!(f, "{alias} {rs1},{to:#x}"),
        (_, Some(alias)) if rs1 == Reg::ZERO => write!(f, "{alias} {rs2},{to:#x}"),
        _ => write!(f, "{name} {rs1},{rs2},{to:#x}"),
    }
}

fn load_name(op: LoadOp) -> &'static str {
    match op {
        LoadOp::Lb => "lb",
        LoadOp::Lh => "lh",
        LoadOp::Lw => "lw",
        LoadOp::Lbu => "lbu",
        LoadOp::Lhu => "lhu",
    }
}

fn store_name(op: StoreOp) -> &'static str {
    match op {
        StoreOp::Sb => "sb",
        StoreOp::Sh => "sh",
        StoreOp::Sw => "sw",
    }
}

fn op_imm(f: &mut Formatter<'_>, op: ImmOp, rd: Reg, rs1: Reg, imm: i32) -> fmt::Result {
    let name = match op {
        ImmOp::Addi => match (rd, rs1, imm) {
            (Reg::ZERO, Reg::ZERO, 0) => return f.write_str("nop"),
            (_, Reg::ZERO, _) => return write!(f, "li {rd},{imm}"),
            (_, _, 0) => return write!(f, "mv {rd},{rs1}"),
            _ => "addi",
        },
        ImmOp::Slti => "slti",
        ImmOp::Sltiu if imm == 1 => return write!(f, "seqz {rd},{rs1}"),
        ImmOp::Sltiu => "sltiu",
        ImmOp::Xori if imm == -1 => return write!(f, "not {rd},{rs1}"),
        ImmOp::Xori => "xori",
        ImmOp::Ori => "ori",
        ImmOp::Andi if imm == 255 => return write!(f, "zext.b {rd},{rs1}"),
        ImmOp::Andi => "andi",
        ImmOp::Slli => return write!(f, "slli {rd},{rs1},{imm:#x}"),
        ImmOp::Srli => return write!(f, "srli {rd},{rs1},{imm:#x}"),
        ImmOp::Srai => return write!(f, "srai {rd},{rs1},{imm:#x}"),
    };
    write!(f, "{name} {rd},{rs1},{imm}")
}

fn reg_op(f: &mut Formatter<'_>, op: RegOp, rd: Reg, rs1: Reg, rs2: Reg) -> fmt::Result {
    let name = match op {
        RegOp::Add => "add",
        RegOp::Sub if rs1 == Reg::ZERO => return write!(f, "neg {rd},{rs2}"),
        RegOp::Sub => "sub",
        RegOp::Sll => "sll",
        RegOp::Slt if rs2 == Reg::ZERO => return write!(f, "sltz {rd},{rs1}"),
        RegOp::Slt if rs1 == Reg::ZERO => return write!(f, "sgtz {rd},{rs2}"),
        RegOp::Slt => "slt",
        RegOp::Sltu if rs1 == Reg::ZERO => return write!(f, "snez {rd},{rs2}"),
        RegOp::Sltu => "sltu",
        RegOp::Xor => "xor",
        RegOp::Srl => "srl",
        RegOp::Sra => "sra",
        RegOp::Or => "or",
        RegOp::And => "and",
        RegOp::Mul => "mul",
        RegOp::Mulh => "mulh",
        RegOp::Mulhsu => "mulhsu",
        RegOp::Mulhu => "mulhu",
        RegOp::Div => "div",
        RegOp::Divu => "divu",
        RegOp::Rem => "rem",
        RegOp::Remu => "remu",
    };
    write!(f, "{name} {rd},{rs1},{rs2}")
}

fn fence(f: &mut Formatter<'_>, fm: u8, pred: u8, succ: u8) -> fmt::Result {
    match (fm, pred, succ) {
        (0, 15, 15) => return f.write_str("fence"),
        (8, 3, 3) => return f.write_str("fence.tso"),
        _ => f.write_str("fence ")?,
    }
    fence_set(f, pred)?;
    f.write_str(",")?;
    fence_set(f, succ)
}

fn fence_set(f: &mut Formatter<'_>, set: u8) -> fmt::Result {
    if set & 15 == 0 {
        return f.write_str("0");
    }
    for (bit, letter) in [(8, "i"), (4, "o"), (2, "r"), (1, "w")] {
        if set & bit != 0 {
            f.write_str(letter)?;
        }
    }
    Ok(())
}
