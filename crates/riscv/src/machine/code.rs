//! The program decoded once, in the form that the fast engine executes.

use alloc::vec::Vec;

use crate::{
    isa::{BranchOp, ImmOp, Instruction, LoadOp, Reg, RegOp, StoreOp},
    program::Segment,
};

/// What an operation does. Everything that the fast engine does not do itself is [`Kind::Slow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Slow,
    Nop,
    Marker,
    /// `lui`, and `auipc` with the sum.
    Constant,
    Addi,
    Slti,
    Sltiu,
    Xori,
    Ori,
    Andi,
    Slli,
    Srli,
    Srai,
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
    Lb,
    Lh,
    Lw,
    Lbu,
    Lhu,
    Sb,
    Sh,
    Sw,
    Beq,
    Bne,
    Blt,
    Bge,
    Bltu,
    Bgeu,
    Jal,
    JalLink,
    Jalr,
    JalrLink,
    Ret,
}

impl Kind {
    /// Whether what follows is never executed next.
    const fn always_jumps(self) -> bool {
        matches!(
            self,
            Self::Jal | Self::JalLink | Self::Jalr | Self::JalrLink | Self::Ret
        )
    }
}

/// An operation. Destination `x0` is replaced by a register that nothing reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Op {
    pub kind: Kind,
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    /// The immediate; of branches and `jal`, the index of the target's operation.
    pub imm: u32,
}

/// Where results for `x0` go.
pub(super) const SINK: u8 = 32;

/// The executable segments of a program.
#[derive(Clone, Debug)]
pub(crate) struct Code(Vec<CodeSegment>);

/// The operations of an executable segment.
#[derive(Clone, Debug)]
pub(super) struct CodeSegment {
    pub base: u32,
    /// One for each word that has a byte in the file, and [`Kind::Slow`] behind them.
    pub ops: Vec<Op>,
    /// Most operations in a row from one on to the next that jumps always or is slow, with a jump
    /// and without a slow one.
    pub longest: u32,
}

impl Code {
    pub fn new(segments: &[Segment]) -> Self {
        Self(
            segments
                .iter()
                .filter(|segment| segment.executable)
                .map(CodeSegment::new)
                .collect(),
        )
    }

    /// The segment whose operations those at `pc` are among.
    pub(super) fn segment_at(&self, pc: u32) -> Option<&CodeSegment> {
        self.0
            .iter()
            .find(|segment| (pc.wrapping_sub(segment.base) / 4) < segment.count())
    }
}

impl CodeSegment {
    fn new(segment: &Segment) -> Self {
        let words = (segment.data.len() as u32)
            .div_ceil(4)
            .min(segment.size / 4);
        let base = segment.address;
        let lower = |index: u32| {
            let pc = base + 4 * index;
            match Instruction::decode(segment.word(4 * index)) {
                Ok(instruction) => lower(instruction, pc, base, words),
                Err(_) => Op::SLOW,
            }
        };
        let ops: Vec<Op> = (0..words).map(lower).chain([Op::SLOW]).collect();
        let longest = longest(&ops);
        Self { base, ops, longest }
    }

    fn count(&self) -> u32 {
        self.ops.len() as u32
    }
}

fn longest(ops: &[Op]) -> u32 {
    let (mut longest, mut here) = (0, 0);
    for op in ops {
        if op.kind != Kind::Slow {
            here += 1;
            longest = longest.max(here);
        }
        if op.kind == Kind::Slow || op.kind.always_jumps() {
            here = 0;
        }
    }
    longest
}

impl Op {
    const SLOW: Self = Self {
        kind: Kind::Slow,
        rd: SINK,
        rs1: 0,
        rs2: 0,
        imm: 0,
    };

    fn new(kind: Kind, rd: Reg, rs1: Reg, rs2: Reg, imm: u32) -> Self {
        let index = |register: Reg| register.index() as u8;
        let rd = if rd == Reg::ZERO { SINK } else { index(rd) };
        Self {
            kind,
            rd,
            rs1: index(rs1),
            rs2: index(rs2),
            imm,
        }
    }
}

/// The operation of the instruction at `pc` in a segment of `words` words at `base`. Jumps that
/// are not to a word of the segment are slow.
fn lower(instruction: Instruction, pc: u32, base: u32, words: u32) -> Op {
    const X0: Reg = Reg::ZERO;
    let jump = |kind, rd, rs1, rs2, offset: i32| {
        let distance = pc.wrapping_add_signed(offset).wrapping_sub(base);
        if distance.is_multiple_of(4) && distance / 4 < words {
            Op::new(kind, rd, rs1, rs2, distance / 4)
        } else {
            Op::SLOW
        }
    };
    match instruction {
        Instruction::Lui { rd, imm } => Op::new(Kind::Constant, rd, X0, X0, imm),
        Instruction::Auipc { rd, imm } => Op::new(Kind::Constant, rd, X0, X0, pc.wrapping_add(imm)),
        Instruction::Jal { rd, offset } => {
            let kind = if rd.is_link() {
                Kind::JalLink
            } else {
                Kind::Jal
            };
            jump(kind, rd, X0, X0, offset)
        }
        Instruction::Jalr { rd, rs1, offset } => {
            let kind = match rd {
                _ if rd.is_link() => Kind::JalrLink,
                Reg::ZERO if rs1.is_link() && offset == 0 => Kind::Ret,
                _ => Kind::Jalr,
            };
            Op::new(kind, rd, rs1, X0, offset.cast_unsigned())
        }
        Instruction::Branch {
            op,
            rs1,
            rs2,
            offset,
        } => jump(branch_kind(op), X0, rs1, rs2, offset),
        Instruction::Load {
            op,
            rd,
            rs1,
            offset,
        } => Op::new(load_kind(op), rd, rs1, X0, offset.cast_unsigned()),
        Instruction::Store {
            op,
            rs1,
            rs2,
            offset,
        } => Op::new(store_kind(op), X0, rs1, rs2, offset.cast_unsigned()),
        Instruction::OpImm { op, rd, rs1, imm } => {
            let kind = if instruction.marker().is_some() {
                Kind::Marker
            } else {
                imm_kind(op)
            };
            Op::new(kind, rd, rs1, X0, imm.cast_unsigned())
        }
        Instruction::Op { op, rd, rs1, rs2 } => Op::new(reg_kind(op), rd, rs1, rs2, 0),
        Instruction::Fence { .. } => Op::new(Kind::Nop, X0, X0, X0, 0),
        Instruction::Ecall | Instruction::Ebreak => Op::SLOW,
    }
}

const fn branch_kind(op: BranchOp) -> Kind {
    match op {
        BranchOp::Beq => Kind::Beq,
        BranchOp::Bne => Kind::Bne,
        BranchOp::Blt => Kind::Blt,
        BranchOp::Bge => Kind::Bge,
        BranchOp::Bltu => Kind::Bltu,
        BranchOp::Bgeu => Kind::Bgeu,
    }
}

const fn load_kind(op: LoadOp) -> Kind {
    match op {
        LoadOp::Lb => Kind::Lb,
        LoadOp::Lh => Kind::Lh,
        LoadOp::Lw => Kind::Lw,
        LoadOp::Lbu => Kind::Lbu,
        LoadOp::Lhu => Kind::Lhu,
    }
}

const fn store_kind(op: StoreOp) -> Kind {
    match op {
        StoreOp::Sb => Kind::Sb,
        StoreOp::Sh => Kind::Sh,
        StoreOp::Sw => Kind::Sw,
    }
}

const fn imm_kind(op: ImmOp) -> Kind {
    match op {
        ImmOp::Addi => Kind::Addi,
        ImmOp::Slti => Kind::Slti,
        ImmOp::Sltiu => Kind::Sltiu,
        ImmOp::Xori => Kind::Xori,
        ImmOp::Ori => Kind::Ori,
        ImmOp::Andi => Kind::Andi,
        ImmOp::Slli => Kind::Slli,
        ImmOp::Srli => Kind::Srli,
        ImmOp::Srai => Kind::Srai,
    }
}

const fn reg_kind(op: RegOp) -> Kind {
    match op {
        RegOp::Add => Kind::Add,
        RegOp::Sub => Kind::Sub,
        RegOp::Sll => Kind::Sll,
        RegOp::Slt => Kind::Slt,
        RegOp::Sltu => Kind::Sltu,
        RegOp::Xor => Kind::Xor,
        RegOp::Srl => Kind::Srl,
        RegOp::Sra => Kind::Sra,
        RegOp::Or => Kind::Or,
        RegOp::And => Kind::And,
        RegOp::Mul => Kind::Mul,
        RegOp::Mulh => Kind::Mulh,
        RegOp::Mulhsu => Kind::Mulhsu,
        RegOp::Mulhu => Kind::Mulhu,
        RegOp::Div => Kind::Div,
        RegOp::Divu => Kind::Divu,
        RegOp::Rem => Kind::Rem,
        RegOp::Remu => Kind::Remu,
    }
}
