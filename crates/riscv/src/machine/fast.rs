//! The fast engine: pre-decoded operations, counted a row at a time.
//!
//! It retires only what cannot trap, or is found not to; an operation that may is left to the
//! reference interpreter, which then finds the same and reports it. So no trap is decided here.

use super::code::{CodeSegment, Kind, SINK};
use crate::{isa::Reg, memory::Memory, observer::Observer};

/// Registers, with one for results that go nowhere. Indexed by bytes, so that no index is out of
/// bounds.
#[derive(Clone, Debug)]
pub(super) struct Registers(pub [u32; 256]);

impl Default for Registers {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl Registers {
    pub fn get(&self, register: Reg) -> u32 {
        self.0[register.index()]
    }

    pub fn set(&mut self, register: Reg, value: u32) {
        let sink = usize::from(SINK);
        let index = if register == Reg::ZERO {
            sink
        } else {
            register.index()
        };
        self.0[index] = value;
    }
}

/// Why the fast engine stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The operation at `pc` is not for it.
    Slow,
    /// The budget is used up, or `pc` is in no word of this segment.
    Budget,
}

/// Runs from `pc`, which is in `code`, until something is to be done elsewhere. Returns the
/// instructions retired: fewer than `budget` and [`CodeSegment::longest`] together.
///
/// What was retired is only counted where a jump breaks the row of operations.
pub(super) fn run<O: Observer>(
    code: &CodeSegment,
    registers: &mut Registers,
    memory: &mut Memory<'_>,
    pc: &mut u32,
    budget: u32,
    observer: &mut O,
) -> (u64, Stop) {
    let x = &mut registers.0;
    let address = |index: usize| code.base.wrapping_add((index as u32).wrapping_mul(4));
    let ops = code.ops.as_slice();
    let budget = i64::from(budget);
    let mut left = budget;
    // The row that is not yet counted, and the operation behind the one in execution.
    let mut start = (pc.wrapping_sub(code.base) / 4) as usize;
    let mut at = start;

    let quiet = |_: &mut O, _: u32, _: u32| {};
    let call = |o: &mut O, from: u32, to: u32| o.call(from, to, from.wrapping_add(4));
    let ret = |o: &mut O, from: u32, to: u32| o.ret(from, to);

    macro_rules! a {
        ($op:ident) => {
            x[usize::from($op.rs1)]
        };
    }
    macro_rules! b {
        ($op:ident) => {
            x[usize::from($op.rs2)]
        };
    }
    macro_rules! count {
        ($end:expr) => {
            let end: usize = $end;
            left -= (end - start) as i64;
            if O::ACTIVE && end > start {
                observer.run(address(start), (end - start) as u32);
            }
        };
    }
    // This operation was not retired.
    macro_rules! slow {
        () => {{
            at -= 1;
            count!(at);
            break Stop::Slow;
        }};
    }
    macro_rules! load {
        ($op:ident, $load:ident, $extend:expr) => {
            match memory.$load(a!($op).wrapping_add($op.imm)) {
                Some(value) => x[usize::from($op.rd)] = $extend(value),
                None => slow!(),
            }
        };
    }
    macro_rules! store {
        ($op:ident, $store:ident, $type:ty) => {
            match memory.$store(a!($op).wrapping_add($op.imm), b!($op) as $type) {
                Some(()) => {}
                None => slow!(),
            }
        };
    }
    macro_rules! jump {
        ($to:expr, $event:expr) => {{
            let to: usize = $to;
            count!(at);
            if O::ACTIVE {
                $event(observer, address(at - 1), address(to));
            }
            (start, at) = (to, to);
            if left <= 0 {
                break Stop::Budget;
            }
        }};
    }
    macro_rules! branch {
        ($op:ident, $taken:expr) => {
            if $taken {
                jump!($op.imm as usize, quiet);
            }
        };
    }
    macro_rules! jalr {
        ($op:ident, $event:expr) => {{
            let target = a!($op).wrapping_add($op.imm) & !1;
            if target & 2 != 0 {
                slow!();
            }
            x[usize::from($op.rd)] = address(at);
            jump!((target.wrapping_sub(code.base) / 4) as usize, $event);
        }};
    }

    let stop = loop {
        let Some(op) = ops.get(at) else {
            count!(at);
            break Stop::Budget;
        };
        at += 1;
        let rd = usize::from(op.rd);
        match op.kind {
            Kind::Slow => slow!(),
            Kind::Nop => {}
            Kind::Marker => {
                if O::ACTIVE {
                    count!(at - 1);
                    start = at - 1;
                    observer.marker(address(start), op.imm);
                }
            }
            Kind::Constant => x[rd] = op.imm,
            Kind::Addi => x[rd] = a!(op).wrapping_add(op.imm),
            Kind::Slti => x[rd] = less(a!(op), op.imm),
            Kind::Sltiu => x[rd] = u32::from(a!(op) < op.imm),
            Kind::Xori => x[rd] = a!(op) ^ op.imm,
            Kind::Ori => x[rd] = a!(op) | op.imm,
            Kind::Andi => x[rd] = a!(op) & op.imm,
            Kind::Slli => x[rd] = a!(op).wrapping_shl(op.imm),
            Kind::Srli => x[rd] = a!(op).wrapping_shr(op.imm),
            Kind::Srai => x[rd] = shift_right(a!(op), op.imm),
            Kind::Add => x[rd] = a!(op).wrapping_add(b!(op)),
            Kind::Sub => x[rd] = a!(op).wrapping_sub(b!(op)),
            Kind::Sll => x[rd] = a!(op).wrapping_shl(b!(op)),
            Kind::Slt => x[rd] = less(a!(op), b!(op)),
            Kind::Sltu => x[rd] = u32::from(a!(op) < b!(op)),
            Kind::Xor => x[rd] = a!(op) ^ b!(op),
            Kind::Srl => x[rd] = a!(op).wrapping_shr(b!(op)),
            Kind::Sra => x[rd] = shift_right(a!(op), b!(op)),
            Kind::Or => x[rd] = a!(op) | b!(op),
            Kind::And => x[rd] = a!(op) & b!(op),
            Kind::Mul => x[rd] = a!(op).wrapping_mul(b!(op)),
            Kind::Mulh => x[rd] = high(signed(a!(op)) * signed(b!(op))),
            Kind::Mulhsu => x[rd] = high(signed(a!(op)) * i64::from(b!(op))),
            Kind::Mulhu => {
                x[rd] = ((u64::from(a!(op)) * u64::from(b!(op))) >> 32) as u32;
            }
            Kind::Div => x[rd] = divide(a!(op), b!(op)),
            Kind::Divu => x[rd] = a!(op).checked_div(b!(op)).unwrap_or(u32::MAX),
            Kind::Rem => x[rd] = remainder(a!(op), b!(op)),
            Kind::Remu => x[rd] = a!(op).checked_rem(b!(op)).unwrap_or(a!(op)),
            Kind::Lb => load!(op, load_byte, |v: u8| i32::from(v.cast_signed())
                .cast_unsigned()),
            Kind::Lh => {
                load!(op, load_half, |v: u16| i32::from(v.cast_signed())
                    .cast_unsigned());
            }
            Kind::Lw => load!(op, load_word, |v: u32| v),
            Kind::Lbu => load!(op, load_byte, u32::from),
            Kind::Lhu => load!(op, load_half, u32::from),
            Kind::Sb => store!(op, store_byte, u8),
            Kind::Sh => store!(op, store_half, u16),
            Kind::Sw => store!(op, store_word, u32),
            Kind::Beq => branch!(op, a!(op) == b!(op)),
            Kind::Bne => branch!(op, a!(op) != b!(op)),
            Kind::Blt => branch!(op, a!(op).cast_signed() < b!(op).cast_signed()),
            Kind::Bge => branch!(op, a!(op).cast_signed() >= b!(op).cast_signed()),
            Kind::Bltu => branch!(op, a!(op) < b!(op)),
            Kind::Bgeu => branch!(op, a!(op) >= b!(op)),
            Kind::Jal => {
                x[rd] = address(at);
                jump!(op.imm as usize, quiet);
            }
            Kind::JalLink => {
                x[rd] = address(at);
                jump!(op.imm as usize, call);
            }
            Kind::Jalr => jalr!(op, quiet),
            Kind::JalrLink => jalr!(op, call),
            Kind::Ret => jalr!(op, ret),
        }
    };
    *pc = address(at);
    ((budget - left) as u64, stop)
}

#[inline(always)]
fn signed(a: u32) -> i64 {
    i64::from(a.cast_signed())
}

#[inline(always)]
fn high(product: i64) -> u32 {
    (product >> 32) as u32
}

#[inline(always)]
fn less(a: u32, b: u32) -> u32 {
    u32::from(a.cast_signed() < b.cast_signed())
}

#[inline(always)]
fn shift_right(a: u32, by: u32) -> u32 {
    a.cast_signed().wrapping_shr(by).cast_unsigned()
}

#[inline(always)]
fn divide(a: u32, b: u32) -> u32 {
    if b == 0 {
        u32::MAX
    } else {
        a.cast_signed()
            .wrapping_div(b.cast_signed())
            .cast_unsigned()
    }
}

#[inline(always)]
fn remainder(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        a.cast_signed()
            .wrapping_rem(b.cast_signed())
            .cast_unsigned()
    }
}
