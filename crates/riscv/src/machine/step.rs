//! The reference interpreter: one instruction at a time, decoded from its word.

use super::{Machine, Step};
use crate::{
    isa::{BranchOp, DecodeError, ImmOp, Instruction, LoadOp, Reg, RegOp, StoreOp},
    memory::Fault,
    observer::Observer,
    trap::{Cause, Trap},
};

impl Machine<'_> {
    /// Executes one instruction. After an exit, does nothing.
    ///
    /// # Errors
    /// [`Trap`]: why it cannot be retired; the machine is as before.
    pub fn step<O: Observer>(&mut self, observer: &mut O) -> Result<Step, Trap> {
        if self.exit.is_some() {
            return Ok(Step::Exited);
        }
        self.try_step(observer).map_err(|cause| self.trap(cause))
    }

    fn try_step<O: Observer>(&mut self, observer: &mut O) -> Result<Step, Cause> {
        if self.cycles >= self.cycle_limit {
            return Err(Cause::CycleLimit {
                limit: self.cycle_limit,
            });
        }
        let instruction = self.fetch()?;
        let from = self.pc;
        if let Some(value) = instruction.marker() {
            observer_event::<O>(|| observer.marker(from, value));
        }
        let next = self.execute(instruction)?;
        self.cycles += 1;
        observer_event::<O>(|| {
            observer.run(from, 1);
            self.tell(instruction, from, next, observer);
        });
        if self.exit.is_some() {
            return Ok(Step::Exited);
        }
        self.pc = next;
        Ok(Step::Retired)
    }

    fn fetch(&self) -> Result<Instruction, Cause> {
        let word = self.program.fetch(self.pc).ok_or(Cause::Fetch)?;
        Instruction::decode(word).map_err(|error| match error {
            DecodeError::Illegal(word) => Cause::Illegal { word },
            DecodeError::Compressed(half) => Cause::Compressed { half },
        })
    }

    /// The event that follows the run of a jump or a system call.
    fn tell<O: Observer>(&self, instruction: Instruction, from: u32, to: u32, observer: &mut O) {
        let return_to = from.wrapping_add(4);
        match instruction {
            Instruction::Jal { rd, .. } | Instruction::Jalr { rd, .. } if rd.is_link() => {
                observer.call(from, to, return_to);
            }
            Instruction::Jalr {
                rd: Reg::ZERO,
                rs1,
                offset: 0,
            } if rs1.is_link() => {
                observer.ret(from, to);
            }
            Instruction::Ecall => observer.syscall(from, self.get(Reg::A7)),
            _ => {}
        }
    }

    fn get(&self, register: Reg) -> u32 {
        self.registers.get(register)
    }

    fn set(&mut self, register: Reg, value: u32) {
        self.registers.set(register, value);
    }

    /// The address of the next instruction.
    fn execute(&mut self, instruction: Instruction) -> Result<u32, Cause> {
        let pc = self.pc;
        let next = pc.wrapping_add(4);
        match instruction {
            Instruction::Lui { rd, imm } => self.set(rd, imm),
            Instruction::Auipc { rd, imm } => self.set(rd, pc.wrapping_add(imm)),
            Instruction::Jal { rd, offset } => {
                let target = check_target(pc.wrapping_add_signed(offset))?;
                self.set(rd, next);
                return Ok(target);
            }
            Instruction::Jalr { rd, rs1, offset } => {
                let target = check_target(self.get(rs1).wrapping_add_signed(offset) & !1)?;
                self.set(rd, next);
                return Ok(target);
            }
            Instruction::Branch {
                op,
                rs1,
                rs2,
                offset,
            } => {
                if branch(op, self.get(rs1), self.get(rs2)) {
                    return check_target(pc.wrapping_add_signed(offset));
                }
            }
            Instruction::Load {
                op,
                rd,
                rs1,
                offset,
            } => {
                let value = self.load(op, self.get(rs1).wrapping_add_signed(offset))?;
                self.set(rd, value);
            }
            Instruction::Store {
                op,
                rs1,
                rs2,
                offset,
            } => {
                self.store(op, self.get(rs1).wrapping_add_signed(offset), self.get(rs2))?;
            }
            Instruction::OpImm { op, rd, rs1, imm } => {
                self.set(rd, op_imm(op, self.get(rs1), imm.cast_unsigned()));
            }
            Instruction::Op { op, rd, rs1, rs2 } => {
                self.set(rd, reg_op(op, self.get(rs1), self.get(rs2)));
            }
            Instruction::Fence { .. } => {}
            Instruction::Ecall => self.system_call()?,
            Instruction::Ebreak => return Err(Cause::Breakpoint),
        }
        Ok(next)
    }

    fn system_call(&mut self) -> Result<(), Cause> {
        let registers = self.registers();
        let args = core::array::from_fn(|i| registers[Reg::A0.index() + i]);
        let number = self.get(Reg::A7);
        self.exit = self.calls.call(&mut self.memory, number, args)?;
        Ok(())
    }

    fn load(&self, op: LoadOp, address: u32) -> Result<u32, Cause> {
        let size = match op {
            LoadOp::Lb | LoadOp::Lbu => 1,
            LoadOp::Lh | LoadOp::Lhu => 2,
            LoadOp::Lw => 4,
        };
        if !address.is_multiple_of(size) {
            return Err(Cause::MisalignedLoad { address, size });
        }
        let bytes = self
            .memory
            .bytes(address, size)
            .ok_or(Cause::Load { address, size })?;
        let mut word = [0; 4];
        for (to, &byte) in word.iter_mut().zip(bytes) {
            *to = byte;
        }
        let value = u32::from_le_bytes(word);
        let sign = match op {
            LoadOp::Lb => 24,
            LoadOp::Lh => 16,
            LoadOp::Lw | LoadOp::Lbu | LoadOp::Lhu => 0,
        };
        Ok(((value << sign).cast_signed() >> sign).cast_unsigned())
    }

    fn store(&mut self, op: StoreOp, address: u32, value: u32) -> Result<(), Cause> {
        let size = match op {
            StoreOp::Sb => 1,
            StoreOp::Sh => 2,
            StoreOp::Sw => 4,
        };
        if !address.is_multiple_of(size) {
            return Err(Cause::MisalignedStore { address, size });
        }
        let bytes = self
            .memory
            .bytes_mut(address, size)
            .map_err(|fault| match fault {
                Fault::Unmapped => Cause::Store { address, size },
                Fault::ReadOnly => Cause::ReadOnly { address, size },
            })?;
        for (to, byte) in bytes.iter_mut().zip(value.to_le_bytes()) {
            *to = byte;
        }
        Ok(())
    }
}

#[inline(always)]
fn observer_event<O: Observer>(event: impl FnOnce()) {
    if O::ACTIVE {
        event();
    }
}

fn check_target(target: u32) -> Result<u32, Cause> {
    if target.is_multiple_of(4) {
        return Ok(target);
    }
    Err(Cause::MisalignedJump { target })
}

fn branch(op: BranchOp, a: u32, b: u32) -> bool {
    match op {
        BranchOp::Beq => a == b,
        BranchOp::Bne => a != b,
        BranchOp::Blt => a.cast_signed() < b.cast_signed(),
        BranchOp::Bge => a.cast_signed() >= b.cast_signed(),
        BranchOp::Bltu => a < b,
        BranchOp::Bgeu => a >= b,
    }
}

fn op_imm(op: ImmOp, a: u32, imm: u32) -> u32 {
    let op = match op {
        ImmOp::Addi => RegOp::Add,
        ImmOp::Slti => RegOp::Slt,
        ImmOp::Sltiu => RegOp::Sltu,
        ImmOp::Xori => RegOp::Xor,
        ImmOp::Ori => RegOp::Or,
        ImmOp::Andi => RegOp::And,
        ImmOp::Slli => RegOp::Sll,
        ImmOp::Srli => RegOp::Srl,
        ImmOp::Srai => RegOp::Sra,
    };
    reg_op(op, a, imm)
}

/// Division by zero gives a quotient of all ones and the dividend as remainder, the one quotient
/// that overflows gives itself and remainder 0 (unprivileged manual, section "Division
/// Operations").
fn reg_op(op: RegOp, a: u32, b: u32) -> u32 {
    let (x, y) = (a.cast_signed(), b.cast_signed());
    let high = |product: i64| (product >> 32) as u32;
    match op {
        RegOp::Add => a.wrapping_add(b),
        RegOp::Sub => a.wrapping_sub(b),
        RegOp::Sll => a << (b & 31),
        RegOp::Slt => u32::from(x < y),
        RegOp::Sltu => u32::from(a < b),
        RegOp::Xor => a ^ b,
        RegOp::Srl => a >> (b & 31),
        RegOp::Sra => (x >> (b & 31)).cast_unsigned(),
        RegOp::Or => a | b,
        RegOp::And => a & b,
        RegOp::Mul => a.wrapping_mul(b),
        RegOp::Mulh => high(i64::from(x) * i64::from(y)),
        RegOp::Mulhsu => high(i64::from(x) * i64::from(b)),
        RegOp::Mulhu => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        RegOp::Div if b == 0 => u32::MAX,
        RegOp::Div => x.wrapping_div(y).cast_unsigned(),
        RegOp::Divu => a.checked_div(b).unwrap_or(u32::MAX),
        RegOp::Rem if b == 0 => a,
        RegOp::Rem => x.wrapping_rem(y).cast_unsigned(),
        RegOp::Remu => a.checked_rem(b).unwrap_or(a),
    }
}
