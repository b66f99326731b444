//! The fast engine against the reference interpreter on random programs: whatever happens, traps
//! included, both end in the same state and tell the same.

mod common;

use common::Log;
use proptest::prelude::*;
use prova_riscv::{
    Input, Layout, Machine, NoObserver, Options, Outcome, Program, Step, Trap,
    isa::{BranchOp, ImmOp, Instruction, LoadOp, Reg, RegOp, StoreOp},
};

const BASE: u32 = Layout::GUEST.program_base;
const LIMIT: u64 = 3000;
const RAM_END: u32 = BASE + 0x1_0000;
/// Little RAM, all of which is compared.
const LAYOUT: Layout = Layout {
    ram_base: BASE - 0x1000,
    ..Layout::GUEST
};

fn reg() -> impl Strategy<Value = Reg> + Clone {
    // Few registers, so that results meet; x1, x5 and x17 have meanings.
    prop::sample::select(vec![0u8, 1, 5, 8, 9, 10, 11, 12, 17, 31])
        .prop_map(|index| Reg::new(index).expect("below 32"))
}

fn reg_op() -> impl Strategy<Value = RegOp> {
    use RegOp::*;
    prop::sample::select(vec![
        Add, Sub, Sll, Slt, Sltu, Xor, Srl, Sra, Or, And, Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem,
        Remu,
    ])
}

fn op_imm() -> impl Strategy<Value = (ImmOp, i32)> {
    use ImmOp::*;
    prop_oneof![
        (
            prop::sample::select(vec![Addi, Slti, Sltiu, Xori, Ori, Andi]),
            -2048..2048
        ),
        (prop::sample::select(vec![Slli, Srli, Srai]), 0..32),
    ]
}

fn load_op() -> impl Strategy<Value = LoadOp> {
    use LoadOp::*;
    prop::sample::select(vec![Lb, Lh, Lw, Lbu, Lhu])
}

fn store_op() -> impl Strategy<Value = StoreOp> {
    use StoreOp::*;
    prop::sample::select(vec![Sb, Sh, Sw])
}

fn branch_op() -> impl Strategy<Value = BranchOp> {
    use BranchOp::*;
    prop::sample::select(vec![Beq, Bne, Blt, Bge, Bltu, Bgeu])
}

fn instruction() -> impl Strategy<Value = Instruction> {
    // Mostly within the program and to whole instructions.
    let offset =
        prop_oneof![20 => (-12i32..24).prop_map(|n| 4 * n), 1 => (-50i32..50).prop_map(|n| 2 * n)];
    let aligned = prop_oneof![9 => (-32i32..32).prop_map(|n| 4 * n), 1 => -2048..2048];
    // x8 and x9 are set to addresses first.
    let base = prop_oneof![
        9 => prop::sample::select(vec![8u8, 9]).prop_map(|i| Reg::new(i).expect("below 32")),
        1 => reg()
    ];
    // Results seldom go to the registers with addresses.
    let rd = reg().prop_map(|r| {
        if matches!(r.index(), 8 | 9) {
            Reg::A0
        } else {
            r
        }
    });
    prop_oneof![
        6 => (reg_op(), rd.clone(), reg(), reg())
            .prop_map(|(op, rd, rs1, rs2)| Instruction::Op { op, rd, rs1, rs2 }),
        6 => (op_imm(), rd.clone(), reg())
            .prop_map(|((op, imm), rd, rs1)| Instruction::OpImm { op, rd, rs1, imm }),
        1 => (reg(), any::<u32>()).prop_map(|(rd, imm)| Instruction::Lui { rd, imm: imm & !0xfff }),
        1 => (rd.clone(), 0u32..3).prop_map(|(rd, n)| Instruction::Auipc { rd, imm: n << 12 }),
        4 => (load_op(), rd.clone(), base.clone(), aligned.clone())
            .prop_map(|(op, rd, rs1, offset)| Instruction::Load { op, rd, rs1, offset }),
        4 => (store_op(), base, reg(), aligned)
            .prop_map(|(op, rs1, rs2, offset)| Instruction::Store { op, rs1, rs2, offset }),
        4 => (branch_op(), reg(), reg(), offset.clone())
            .prop_map(|(op, rs1, rs2, offset)| Instruction::Branch { op, rs1, rs2, offset }),
        1 => (rd.clone(), offset.clone()).prop_map(|(rd, offset)| Instruction::Jal { rd, offset }),
        1 => (rd, reg(), offset).prop_map(|(rd, rs1, offset)| Instruction::Jalr { rd, rs1, offset }),
        1 => (1u32..2048).prop_map(|n| Instruction::from_marker(n).expect("in range")),
        1 => Just(Instruction::Fence { fm: 0, pred: 15, succ: 15, rd: Reg::ZERO, rs1: Reg::ZERO }),
        1 => Just(Instruction::Ecall),
    ]
}

fn words() -> impl Strategy<Value = Vec<u32>> {
    let word = prop_oneof![
        60 => instruction().prop_map(|instruction| instruction.encode().expect("in range")),
        1 => any::<u32>(),
    ];
    prop::collection::vec(word, 1..120)
}

/// x8 is in the middle of some RAM, x9 at the input, x12 at code.
fn image(words: &[u32]) -> Vec<u8> {
    let mut asm = prova_riscv::asm::Assembler::new();
    let reg = |index| Reg::new(index).expect("below 32");
    asm.li(reg(8), BASE + 0x8000)
        .li(reg(9), Layout::GUEST.input_base + 128)
        .li(reg(12), BASE);
    words.iter().for_each(|&word| _ = asm.word(word));
    asm.finish().expect("no labels")
}

#[derive(Debug, PartialEq)]
struct State {
    end: Result<Outcome, Trap>,
    pc: u32,
    cycles: u64,
    registers: [u32; 32],
    memory: Vec<u8>,
}

fn state(machine: &Machine<'_>, end: Result<Outcome, Trap>) -> State {
    let start = LAYOUT.ram_base;
    State {
        end,
        pc: machine.pc(),
        cycles: machine.cycles(),
        registers: machine.registers(),
        memory: machine
            .read_memory(start, RAM_END - start)
            .expect("RAM")
            .to_vec(),
    }
}

fn reference(machine: &mut Machine<'_>, log: &mut Log) -> Result<Outcome, Trap> {
    while machine.step(log)? == Step::Retired {}
    machine.run(log)
}

fn compare(program: &Program, limit: u64) -> Result<(), TestCaseError> {
    let payload: Vec<u8> = (0..240).map(|i: u32| (i * i) as u8).collect();
    let input = Input::new(&payload).expect("short");
    let options = Options {
        ram_end: RAM_END,
        cycle_limit: limit,
        ..Options::default()
    };
    let machine = || Machine::new(program, &input, options).expect("fits");
    let (mut slow, mut fast, mut plain) = (machine(), machine(), machine());
    let (mut expected, mut found) = (Log::default(), Log::default());
    let end = reference(&mut slow, &mut expected);
    let expected_state = state(&slow, end);
    let end = fast.run(&mut found);
    prop_assert_eq!(&state(&fast, end), &expected_state);
    let end = plain.run(&mut NoObserver);
    prop_assert_eq!(&state(&plain, end), &expected_state);

    prop_assert_eq!(found.cycles, expected_state.cycles);
    // How runs are cut is free, also in the list of names.
    let events = |log: &mut Log| log.order.retain(|name| !name.starts_with("run"));
    events(&mut expected);
    events(&mut found);
    prop_assert_eq!(found, expected);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn same_state_and_events(words in words(), limit in prop_oneof![Just(LIMIT), 0..200u64]) {
        let image = image(&words);
        let program = Program::from_image(&image, BASE, BASE, LAYOUT).expect("fits");
        compare(&program, limit)?;
    }

    #[test]
    fn same_with_code_that_is_data(words in words()) {
        let layout = Layout { writable_code: true, ..LAYOUT };
        let program = Program::from_image(&image(&words), BASE, BASE, layout).expect("fits");
        compare(&program, LIMIT)?;
    }
}
