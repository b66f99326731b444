//! A small assembler: instructions in a row, with labels for branches and jumps.

use alloc::vec::Vec;

use crate::isa::{BranchOp, EncodeError, ImmOp, Instruction, LoadOp, Reg, RegOp, StoreOp};

/// A place in the program, from [`Assembler::label`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// Why a program cannot be assembled. Instructions are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AsmError {
    /// An instruction has no encoding; a branch may be too far from its label.
    #[error("instruction {index}: {error}")]
    Encode {
        /// Which instruction.
        index: usize,
        /// What is wrong with it.
        error: EncodeError,
    },
    /// A label that is used was never bound.
    #[error("instruction {index}: its label is not bound")]
    Unbound {
        /// Which instruction.
        index: usize,
    },
}

#[derive(Clone, Copy, Debug)]
enum Item {
    Done(Instruction),
    Branch(BranchOp, Reg, Reg, Label),
    Jal(Reg, Label),
    Word(u32),
}

/// Collects instructions.
#[derive(Clone, Debug, Default)]
pub struct Assembler {
    items: Vec<Item>,
    /// Index of the instruction each label stands before.
    labels: Vec<Option<usize>>,
}

impl Assembler {
    /// Without instructions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes so far.
    #[must_use]
    pub fn size(&self) -> usize {
        4 * self.items.len()
    }

    /// Appends an instruction.
    pub fn push(&mut self, instruction: Instruction) -> &mut Self {
        self.items.push(Item::Done(instruction));
        self
    }

    /// Appends a word as it is.
    pub fn word(&mut self, word: u32) -> &mut Self {
        self.items.push(Item::Word(word));
        self
    }

    /// A label, to be bound later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Puts a label before the next instruction.
    pub fn bind(&mut self, label: Label) -> &mut Self {
        if let Some(place) = self.labels.get_mut(label.0) {
            *place = Some(self.items.len());
        }
        self
    }

    /// A label before the next instruction.
    pub fn here(&mut self) -> Label {
        let label = self.label();
        self.bind(label);
        label
    }

    /// A conditional branch to a label.
    pub fn branch(&mut self, op: BranchOp, rs1: Reg, rs2: Reg, to: Label) -> &mut Self {
        self.items.push(Item::Branch(op, rs1, rs2, to));
        self
    }

    /// A jump to a label.
    pub fn jal(&mut self, rd: Reg, to: Label) -> &mut Self {
        self.items.push(Item::Jal(rd, to));
        self
    }

    /// `rd = value`, in one or two instructions.
    pub fn li(&mut self, rd: Reg, value: u32) -> &mut Self {
        let low = (value.cast_signed() << 20) >> 20;
        let high = value.wrapping_add_signed(low.wrapping_neg());
        if high != 0 {
            self.push(Instruction::Lui { rd, imm: high });
        }
        if low != 0 || high == 0 {
            let rs1 = if high == 0 { Reg::ZERO } else { rd };
            self.op_imm(ImmOp::Addi, rd, rs1, low);
        }
        self
    }

    /// Appends an operation with an immediate.
    pub fn op_imm(&mut self, op: ImmOp, rd: Reg, rs1: Reg, imm: i32) -> &mut Self {
        self.push(Instruction::OpImm { op, rd, rs1, imm })
    }

    /// Appends an operation on registers.
    pub fn op(&mut self, op: RegOp, rd: Reg, rs1: Reg, rs2: Reg) -> &mut Self {
        self.push(Instruction::Op { op, rd, rs1, rs2 })
    }

    /// Appends a load.
    pub fn load(&mut self, op: LoadOp, rd: Reg, offset: i32, rs1: Reg) -> &mut Self {
        self.push(Instruction::Load {
            op,
            rd,
            rs1,
            offset,
        })
    }

    /// Appends a store.
    pub fn store(&mut self, op: StoreOp, rs2: Reg, offset: i32, rs1: Reg) -> &mut Self {
        self.push(Instruction::Store {
            op,
            rs1,
            rs2,
            offset,
        })
    }

    /// Appends a system call without its arguments: its number to `a7` and `ecall`.
    pub fn syscall(&mut self, number: u32) -> &mut Self {
        self.li(Reg::A7, number).push(Instruction::Ecall)
    }

    /// The program's bytes.
    ///
    /// # Errors
    /// [`AsmError`]: which instruction cannot be encoded.
    pub fn finish(&self) -> Result<Vec<u8>, AsmError> {
        let mut bytes = Vec::with_capacity(self.size());
        for (index, &item) in self.items.iter().enumerate() {
            bytes.extend_from_slice(&self.encode(index, item)?.to_le_bytes());
        }
        Ok(bytes)
    }

    fn encode(&self, index: usize, item: Item) -> Result<u32, AsmError> {
        let instruction = match item {
            Item::Word(word) => return Ok(word),
            Item::Done(instruction) => instruction,
            Item::Branch(op, rs1, rs2, to) => Instruction::Branch {
                op,
                rs1,
                rs2,
                offset: self.offset(index, to)?,
            },
            Item::Jal(rd, to) => Instruction::Jal {
                rd,
                offset: self.offset(index, to)?,
            },
        };
        instruction
            .encode()
            .map_err(|error| AsmError::Encode { index, error })
    }

    fn offset(&self, index: usize, to: Label) -> Result<i32, AsmError> {
        let place = self.labels.get(to.0).copied().flatten();
        let place = place.ok_or(AsmError::Unbound { index })?;
        let words = place as i64 - index as i64;
        // Saturated offsets have no encoding either.
        Ok(i32::try_from(4 * words).unwrap_or(i32::MAX))
    }
}
