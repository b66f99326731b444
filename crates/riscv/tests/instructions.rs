//! Each instruction's results, through the machine.

mod common;

use common::{DATA, asm, r, reg_of};
use prova_riscv::{
    Exit, Input, Layout, Machine, NoObserver, Options,
    isa::{BranchOp, ImmOp, Instruction, LoadOp, Reg, RegOp, StoreOp},
};
use prova_riscv_abi::{INPUT_BASE, call};

const BASE: u32 = Layout::GUEST.program_base;

#[test]
fn operations_on_registers() {
    const MIN: u32 = 0x8000_0000;
    let minus = u32::MAX;
    let cases = [
        (RegOp::Add, minus, 2, 1),
        (RegOp::Sub, 1, 2, minus),
        (RegOp::Sll, 1, 33, 2),
        (RegOp::Slt, MIN, 1, 1),
        (RegOp::Slt, 1, MIN, 0),
        (RegOp::Sltu, MIN, 1, 0),
        (RegOp::Sltu, 1, MIN, 1),
        (RegOp::Xor, 0b1100, 0b1010, 0b0110),
        (RegOp::Srl, MIN, 63, 1),
        (RegOp::Sra, MIN, 63, minus),
        (RegOp::Or, 0b1100, 0b1010, 0b1110),
        (RegOp::And, 0b1100, 0b1010, 0b1000),
        (RegOp::Mul, minus, minus, 1),
        (RegOp::Mulh, minus, minus, 0),
        (RegOp::Mulh, MIN, MIN, 0x4000_0000),
        (RegOp::Mulhsu, minus, minus, minus),
        (RegOp::Mulhsu, MIN, MIN, 0xc000_0000),
        (RegOp::Mulhu, minus, minus, 0xffff_fffe),
        (RegOp::Div, 7, 0, minus),
        (RegOp::Div, MIN, minus, MIN),
        (RegOp::Div, minus - 6, 2, minus - 2),
        (RegOp::Divu, 7, 0, minus),
        (RegOp::Divu, MIN, minus, 0),
        (RegOp::Rem, 7, 0, 7),
        (RegOp::Rem, MIN, minus, 0),
        (RegOp::Rem, minus - 6, 2, minus),
        (RegOp::Remu, 7, 0, 7),
        (RegOp::Remu, MIN, minus, MIN),
    ];
    for (op, a, b, expected) in cases {
        let found = reg_of(r(7), |asm| {
            asm.li(r(5), a).li(r(6), b).op(op, r(7), r(5), r(6));
        });
        assert_eq!(found, expected, "{op:?} {a:#x} {b:#x}");
    }
}

#[test]
fn operations_on_immediates() {
    let cases = [
        (ImmOp::Addi, 1, -2, u32::MAX),
        (ImmOp::Slti, u32::MAX, 0, 1),
        (ImmOp::Slti, 0, -1, 0),
        (ImmOp::Sltiu, 5, -1, 1),
        (ImmOp::Sltiu, u32::MAX, 1, 0),
        (ImmOp::Xori, 0x0f, -1, 0xffff_fff0),
        (ImmOp::Ori, 0x10, 0x0f, 0x1f),
        (ImmOp::Andi, 0x1234_5678, -256, 0x1234_5600),
        (ImmOp::Slli, 3, 31, 0x8000_0000),
        (ImmOp::Srli, 0x8000_0000, 31, 1),
        (ImmOp::Srai, 0x8000_0000, 31, u32::MAX),
    ];
    for (op, a, imm, expected) in cases {
        let found = reg_of(r(7), |asm| {
            asm.li(r(5), a).op_imm(op, r(7), r(5), imm);
        });
        assert_eq!(found, expected, "{op:?} {a:#x} {imm}");
    }
}

#[test]
fn upper_immediates_and_links() {
    assert_eq!(
        reg_of(r(7), |a| _ = a.push(Instruction::Lui {
            rd: r(7),
            imm: 0xfffff000
        })),
        0xfffff000
    );
    let auipc = Instruction::Auipc {
        rd: r(7),
        imm: 0x1000,
    };
    assert_eq!(
        reg_of(r(7), |a| _ = a.push(Instruction::NOP).push(auipc)),
        BASE + 0x1004
    );
    // The target's bit 0 is cleared, also where rd is rs1.
    let found = reg_of(r(5), |a| {
        a.push(Instruction::Auipc { rd: r(5), imm: 0 });
        a.push(Instruction::Jalr {
            rd: r(5),
            rs1: r(5),
            offset: 13,
        });
        a.push(Instruction::Ebreak);
    });
    assert_eq!(found, BASE + 8);
}

#[test]
fn zero_register_stays_zero() {
    for instruction in [
        Instruction::OpImm {
            op: ImmOp::Addi,
            rd: Reg::ZERO,
            rs1: r(5),
            imm: 9,
        },
        Instruction::Lui {
            rd: Reg::ZERO,
            imm: 0x1000,
        },
        Instruction::Op {
            op: RegOp::Mul,
            rd: Reg::ZERO,
            rs1: r(5),
            rs2: r(5),
        },
        Instruction::Load {
            op: LoadOp::Lw,
            rd: Reg::ZERO,
            rs1: r(6),
            offset: 0,
        },
        Instruction::Jal {
            rd: Reg::ZERO,
            offset: 4,
        },
    ] {
        let found = reg_of(r(7), |a| {
            a.li(r(5), 3).li(r(6), INPUT_BASE).push(instruction);
            a.op_imm(ImmOp::Addi, r(7), Reg::ZERO, 1);
        });
        assert_eq!(found, 1, "{instruction:?}");
    }
}

#[test]
fn branches() {
    let minus = u32::MAX;
    let cases = [
        (BranchOp::Beq, 1, 1, true),
        (BranchOp::Beq, 1, 2, false),
        (BranchOp::Bne, 1, 2, true),
        (BranchOp::Bne, 1, 1, false),
        (BranchOp::Blt, minus, 1, true),
        (BranchOp::Blt, 1, minus, false),
        (BranchOp::Blt, 1, 1, false),
        (BranchOp::Bge, 1, minus, true),
        (BranchOp::Bge, 1, 1, true),
        (BranchOp::Bge, minus, 1, false),
        (BranchOp::Bltu, 1, minus, true),
        (BranchOp::Bltu, minus, 1, false),
        (BranchOp::Bgeu, minus, 1, true),
        (BranchOp::Bgeu, 1, 1, true),
        (BranchOp::Bgeu, 1, minus, false),
    ];
    for (op, a, b, taken) in cases {
        let found = reg_of(r(7), |asm| {
            asm.li(r(5), a).li(r(6), b);
            let over = asm.label();
            asm.branch(op, r(5), r(6), over).li(r(7), 1).bind(over);
        });
        assert_eq!(found == 0, taken, "{op:?} {a:#x} {b:#x}");
    }
}

#[test]
fn loads_and_stores() {
    let cases = [
        (LoadOp::Lb, 3, 0xffff_ff84),
        (LoadOp::Lbu, 3, 0x84),
        (LoadOp::Lh, 2, 0xffff_8483),
        (LoadOp::Lhu, 2, 0x8483),
        (LoadOp::Lw, 0, 0x8483_8281),
        (LoadOp::Lb, 4, 0),
    ];
    for (op, offset, expected) in cases {
        let found = reg_of(r(7), |a| {
            a.li(r(5), 0x8483_8281)
                .li(r(6), DATA)
                .store(StoreOp::Sw, r(5), 0, r(6));
            a.load(op, r(7), offset, r(6));
        });
        assert_eq!(found, expected, "{op:?}");
    }
    for (op, expected) in [
        (StoreOp::Sb, 0x81),
        (StoreOp::Sh, 0x8281),
        (StoreOp::Sw, 0x8483_8281),
    ] {
        let found = reg_of(r(7), |a| {
            a.li(r(5), 0x8483_8281)
                .li(r(6), DATA)
                .store(op, r(5), -4, r(6));
            a.load(LoadOp::Lw, r(7), -4, r(6));
        });
        assert_eq!(found, expected, "{op:?}");
    }
}

#[test]
fn input_is_in_memory() {
    let payload = *b"0123456789";
    for (op, offset, expected) in [
        (LoadOp::Lw, 0, u32::from_le_bytes(*b"PRVI")),
        (LoadOp::Lw, 8, 10),
        (LoadOp::Lw, 16, u32::from_le_bytes(*b"0123")),
        (LoadOp::Lhu, 18, u32::from(u16::from_le_bytes(*b"23"))),
        (LoadOp::Lbu, 25, u32::from(b'9')),
        (LoadOp::Lbu, 26, 0),
        (LoadOp::Lb, 31, 0),
    ] {
        let program = asm(|a| {
            a.li(r(5), INPUT_BASE)
                .load(op, Reg::A0, offset, r(5))
                .syscall(call::HALT);
        });
        let input = Input::new(&payload).expect("short");
        let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
        let outcome = machine.run(&mut NoObserver).expect("halts");
        assert_eq!(outcome.exit, Exit::Halted(expected), "{op:?} {offset}");
    }
}
