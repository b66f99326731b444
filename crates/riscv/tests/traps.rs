//! Each trap, with its cause, its place and what it leaves alone.

mod common;

use common::{DATA, r, reg_of, trap};
use prova_riscv::{
    Cause, Layout,
    isa::{BranchOp, Instruction, LoadOp, Reg, StoreOp},
};
use prova_riscv_abi::{DEFAULT_RAM_END as RAM_END, INPUT_BASE, RAM_BASE, call, poseidon2};

const BASE: u32 = Layout::GUEST.program_base;

/// The cause of the trap of a load into `rd`, which keeps its value, or of a store.
fn access(address: u32, instruction: Instruction) -> Cause {
    let (found, after) = trap(|a| _ = a.li(r(5), address).push(instruction));
    assert_eq!(found.pc, BASE + 4 * found.cycles as u32);
    assert_eq!(after[7], 0);
    found.cause
}

#[test]
fn misaligned_accesses() {
    for (address, op, size) in [
        (DATA + 1, LoadOp::Lw, 4),
        (DATA + 2, LoadOp::Lw, 4),
        (DATA + 3, LoadOp::Lhu, 2),
        // Wherever it is.
        (1, LoadOp::Lh, 2),
        (INPUT_BASE + 1, LoadOp::Lh, 2),
    ] {
        let load = Instruction::Load {
            op,
            rd: r(7),
            rs1: r(5),
            offset: 0,
        };
        assert_eq!(
            access(address, load),
            Cause::MisalignedLoad { address, size }
        );
    }
    for (address, op, size) in [
        (DATA + 2, StoreOp::Sw, 4),
        (DATA + 1, StoreOp::Sh, 2),
        (BASE + 1, StoreOp::Sh, 2),
    ] {
        let store = Instruction::Store {
            op,
            rs1: r(5),
            rs2: r(5),
            offset: 0,
        };
        assert_eq!(
            access(address, store),
            Cause::MisalignedStore { address, size }
        );
    }
}

#[test]
fn unmapped_loads() {
    for (address, op, size) in [
        (0, LoadOp::Lw, 4),
        (RAM_BASE - 1, LoadOp::Lb, 1),
        (RAM_END, LoadOp::Lw, 4),
        (RAM_END, LoadOp::Lbu, 1),
        (INPUT_BASE - 4, LoadOp::Lw, 4),
        (INPUT_BASE + 16, LoadOp::Lhu, 2),
        (u32::MAX, LoadOp::Lb, 1),
        (u32::MAX - 3, LoadOp::Lw, 4),
    ] {
        // A load to x0 traps all the same.
        for rd in [r(7), Reg::ZERO] {
            let load = Instruction::Load {
                op,
                rd,
                rs1: r(5),
                offset: 0,
            };
            assert_eq!(access(address, load), Cause::Load { address, size });
        }
    }
    let last = reg_of(r(7), |a| {
        _ = a.li(r(5), RAM_END).load(LoadOp::Lw, r(7), -4, r(5));
    });
    assert_eq!(last, 0);
}

#[test]
fn stores_where_none_may_be() {
    let input_end = INPUT_BASE + 16;
    for (address, op, size) in [
        (RAM_BASE - 4, StoreOp::Sw, 4),
        (RAM_END, StoreOp::Sb, 1),
        (input_end, StoreOp::Sw, 4),
        (0, StoreOp::Sh, 2),
    ] {
        let store = Instruction::Store {
            op,
            rs1: r(5),
            rs2: r(5),
            offset: 0,
        };
        assert_eq!(access(address, store), Cause::Store { address, size });
    }
    for (address, op, size) in [
        (INPUT_BASE, StoreOp::Sw, 4),
        (input_end - 1, StoreOp::Sb, 1),
        (BASE, StoreOp::Sb, 1),
        (BASE + 4, StoreOp::Sw, 4),
        (BASE + 6, StoreOp::Sh, 2),
    ] {
        let store = Instruction::Store {
            op,
            rs1: r(5),
            rs2: r(5),
            offset: 0,
        };
        assert_eq!(access(address, store), Cause::ReadOnly { address, size });
    }
    // The bytes around the code and the first of RAM.
    for address in [RAM_BASE, BASE - 1, BASE + 64] {
        let stored = reg_of(r(7), |a| {
            a.li(r(5), address)
                .store(StoreOp::Sb, r(5), 0, r(5))
                .load(LoadOp::Lbu, r(7), 0, r(5));
        });
        assert_eq!(stored, address & 255);
    }
}

#[test]
fn fetch_traps() {
    let jump = |to: u32| {
        trap(|a| {
            _ = a.li(r(5), to).push(Instruction::Jalr {
                rd: r(6),
                rs1: r(5),
                offset: 0,
            });
        })
    };
    for target in [BASE + 2, 2, 0xffff_fffe] {
        let (found, after) = jump(target | 1);
        assert_eq!(found.cause, Cause::MisalignedJump { target });
        assert_eq!(after[6], 0, "the link register keeps its value");
    }
    for target in [0, DATA, INPUT_BASE, 0xffff_fffc] {
        let (found, after) = jump(target);
        assert_eq!((found.cause, found.pc), (Cause::Fetch, target));
        assert_ne!(after[6], 0);
    }
    let (found, after) = trap(|a| {
        _ = a.push(Instruction::Jal {
            rd: r(6),
            offset: 6,
        });
    });
    assert_eq!(
        (found.cause, found.pc),
        (Cause::MisalignedJump { target: BASE + 6 }, BASE)
    );
    assert_eq!(after[6], 0);
    let (found, _) = trap(|a| {
        _ = a.push(Instruction::Jal {
            rd: r(6),
            offset: -8,
        });
    });
    assert_eq!(
        (found.cause, found.pc, found.cycles),
        (Cause::Fetch, BASE - 8, 1)
    );
    let branch = |op| Instruction::Branch {
        op,
        rs1: Reg::ZERO,
        rs2: Reg::ZERO,
        offset: 10,
    };
    let (found, _) = trap(|a| _ = a.push(branch(BranchOp::Beq)));
    assert_eq!(found.cause, Cause::MisalignedJump { target: BASE + 10 });
    // One that is not taken does not trap.
    let (found, _) = trap(|a| _ = a.push(branch(BranchOp::Bne)).push(Instruction::Ebreak));
    assert_eq!((found.cause, found.cycles), (Cause::Breakpoint, 1));
    // The end of the program.
    let (found, _) = trap(|a| _ = a.push(Instruction::NOP));
    assert_eq!(
        (found.cause, found.pc, found.cycles),
        (Cause::Fetch, BASE + 4, 1)
    );
}

#[test]
fn instructions_that_are_none() {
    let (found, _) = trap(|a| _ = a.push(Instruction::NOP).word(0));
    assert_eq!(
        (found.cause, found.pc),
        (Cause::Illegal { word: 0 }, BASE + 4)
    );
    let (found, _) = trap(|a| _ = a.word(0x0000_100f));
    assert_eq!(found.cause, Cause::Illegal { word: 0x100f });
    let (found, _) = trap(|a| _ = a.word(0x1234_4501));
    assert_eq!(found.cause, Cause::Compressed { half: 0x4501 });
    let (found, _) = trap(|a| _ = a.push(Instruction::Ebreak));
    assert_eq!((found.cause, found.cycles), (Cause::Breakpoint, 0));
    // Fences of any kind are no-operations.
    let fence = Instruction::Fence {
        fm: 8,
        pred: 3,
        succ: 3,
        rd: r(1),
        rs1: r(2),
    };
    assert_eq!(reg_of(r(1), |a| _ = a.push(fence)), 0);
}

#[test]
fn system_call_traps() {
    let number = call::KECCAK_F;
    let called = |number: u32, args: [u32; 5]| {
        trap(|a| {
            for (register, arg) in (10..).zip(args) {
                a.li(r(register), arg);
            }
            a.syscall(number);
        })
        .0
        .cause
    };
    for number in [4, 0xff, 0x103, u32::MAX] {
        assert_eq!(called(number, [0; 5]), Cause::UnknownCall { number });
    }
    for number in [call::COMMIT, call::PRINT, call::PANIC] {
        for (address, length) in [(0, 1), (DATA, u32::MAX), (INPUT_BASE, 17), (u32::MAX, 2)] {
            assert_eq!(
                called(number, [address, length, 0, 0, 0]),
                Cause::CallMemory {
                    number,
                    address,
                    length
                }
            );
        }
    }
    let length = 200;
    for address in [0, BASE, INPUT_BASE, RAM_END - 196] {
        assert_eq!(
            called(number, [address, 0, 0, 0, 0]),
            Cause::CallMemory {
                number,
                address,
                length
            }
        );
    }
    let address = DATA + 2;
    assert_eq!(
        called(number, [address, 0, 0, 0, 0]),
        Cause::CallMisaligned { number, address }
    );

    let number = call::POSEIDON2;
    assert_eq!(
        called(number, [DATA, 4, 0, 0, 0]),
        Cause::CallArgument {
            number,
            index: 1,
            value: 4
        }
    );
    let not_canonical = trap(|a| {
        a.li(r(5), u32::MAX)
            .li(r(10), DATA)
            .store(StoreOp::Sw, r(5), 60, r(10));
        a.li(r(11), poseidon2::KOALA_BEAR_16).syscall(number);
    });
    assert_eq!(
        not_canonical.0.cause,
        Cause::NotCanonical {
            address: DATA + 60,
            word: u32::MAX,
            modulus: 0x7f00_0001
        }
    );

    let number = call::BLAKE2S;
    let cause = called(number, [DATA, DATA, 0, 0, 2]);
    assert_eq!(
        cause,
        Cause::CallArgument {
            number,
            index: 4,
            value: 2
        }
    );
    let cause = called(number, [DATA, 0, 0, 0, 1]);
    assert_eq!(
        cause,
        Cause::CallMemory {
            number,
            address: 0,
            length: 64
        }
    );
    let cause = called(number, [INPUT_BASE, DATA, 0, 0, 1]);
    assert_eq!(
        cause,
        Cause::CallMemory {
            number,
            address: INPUT_BASE,
            length: 32
        }
    );
}
