//! Whole runs: how they end, what they leave, limits and events.

mod common;

use std::ops::ControlFlow;

use common::{DATA, Log, asm, exit_code, load, r, run, store, trap};
use prova_riscv::{
    Cause, Exit, Input, Layout, Machine, NoObserver, Options, POLL_INTERVAL, Program, Step,
    asm::Assembler,
    isa::{ImmOp, Instruction, LoadOp, Reg, StoreOp},
};
use prova_riscv_abi::{MAX_OUTPUT, call};

const BASE: u32 = Layout::GUEST.program_base;

#[test]
fn halts_with_code_output_and_text() {
    let (outcome, events) = run(|a| {
        a.li(r(5), u32::from_le_bytes(*b"abcd")).li(r(6), DATA);
        a.store(StoreOp::Sw, r(5), 0, r(6));
        a.li(Reg::A0, DATA)
            .li(r(11), 3)
            .syscall(call::COMMIT)
            .syscall(call::PRINT);
        a.li(Reg::A0, 7).syscall(call::HALT);
    });
    assert_eq!(outcome.exit, Exit::Halted(7));
    assert_eq!(outcome.output, b"abc");
    assert_eq!(outcome.printed, b"abc");
    assert_eq!(
        (
            outcome.calls.commit,
            outcome.calls.print,
            outcome.calls.halt
        ),
        (1, 1, 1)
    );
    let numbers: Vec<u32> = events.syscalls.iter().map(|&(_, number)| number).collect();
    assert_eq!(numbers, [call::COMMIT, call::PRINT, call::HALT]);
    assert_eq!(events.cycles, outcome.cycles);
}

#[test]
fn panics_with_message() {
    let (outcome, _) = run(|a| {
        a.li(r(5), u32::from_le_bytes(*b"no!\xff")).li(r(6), DATA);
        a.store(StoreOp::Sw, r(5), 0, r(6));
        a.li(Reg::A0, DATA).li(r(11), 4).syscall(call::PANIC);
    });
    assert_eq!(outcome.exit, Exit::Panicked("no!\u{fffd}".into()));
    assert_eq!(outcome.calls.panic, 1);
}

#[test]
fn no_bytes_are_anywhere() {
    let (outcome, _) = run(|a| {
        a.li(Reg::A0, 1)
            .syscall(call::COMMIT)
            .syscall(call::PRINT)
            .li(Reg::A0, 0);
        a.syscall(call::PANIC);
    });
    assert_eq!(outcome.exit, Exit::Panicked(String::new()));
    assert!(outcome.output.is_empty());
}

#[test]
fn output_has_a_limit() {
    let most = MAX_OUTPUT as u32;
    let (found, _) = trap(|a| {
        a.li(Reg::A0, DATA).li(r(11), most).syscall(call::COMMIT);
        a.li(r(11), 1).syscall(call::COMMIT);
    });
    assert_eq!(
        found.cause,
        Cause::OutputTooLong {
            length: u64::from(most) + 1
        }
    );
    let program = asm(|a| {
        a.li(Reg::A0, DATA)
            .li(r(11), 100)
            .syscall(call::PRINT)
            .syscall(call::HALT);
    });
    let input = Input::empty();
    let options = Options {
        print_limit: 60,
        ..Options::default()
    };
    let mut machine = Machine::new(&program, &input, options).expect("fits");
    let outcome = machine.run(&mut NoObserver).expect("halts");
    assert_eq!((outcome.printed.len(), outcome.printed_lost), (60, 40));
}

/// 2^64 steps would be needed.
fn forever() -> Program {
    asm(|a| {
        let again = a.here();
        a.op_imm(ImmOp::Addi, r(5), r(5), 1)
            .op_imm(ImmOp::Addi, r(6), r(6), 1);
        a.jal(Reg::ZERO, again);
    })
}

#[test]
fn cycle_limit_is_exact_and_can_be_raised() {
    let (program, input) = (forever(), Input::empty());
    for limit in (0..12).chain([1000, 1001, 1002, POLL_INTERVAL + 5]) {
        let options = Options {
            cycle_limit: limit,
            ..Options::default()
        };
        let mut machine = Machine::new(&program, &input, options).expect("fits");
        let found = machine.run(&mut NoObserver).expect_err("endless");
        assert_eq!(
            (found.cause, found.cycles),
            (Cause::CycleLimit { limit }, limit)
        );
        assert_eq!(u64::from(machine.registers()[5]), limit.div_ceil(3));
        assert_eq!(u64::from(found.pc), u64::from(BASE) + 4 * (limit % 3));
        machine.set_cycle_limit(limit + 2);
        let found = machine.run(&mut NoObserver).expect_err("endless");
        assert_eq!(found.cycles, limit + 2);
    }
}

#[test]
fn control_is_asked_and_obeyed() {
    let (program, input) = (forever(), Input::empty());
    let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
    let mut asked = Vec::new();
    let found = machine
        .run_controlled(&mut NoObserver, &mut |cycles| {
            asked.push(cycles);
            if asked.len() == 3 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .expect_err("cancelled");
    assert_eq!(found.cause, Cause::Cancelled);
    let rounded: Vec<u64> = asked.iter().map(|cycles| cycles / POLL_INTERVAL).collect();
    assert_eq!(rounded, [1, 2, 3]);
    assert_eq!(Some(&found.cycles), asked.last());
}

#[test]
fn machine_can_be_stepped() {
    let (program, input) = (asm(exit_code(5)), Input::empty());
    let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
    for pc in [BASE, BASE + 4] {
        assert_eq!(machine.pc(), pc);
        assert_eq!(machine.step(&mut NoObserver), Ok(Step::Retired));
    }
    for _ in 0..2 {
        assert_eq!(machine.step(&mut NoObserver), Ok(Step::Exited));
        assert_eq!((machine.pc(), machine.cycles()), (BASE + 8, 3));
        assert_eq!(machine.exit(), Some(&Exit::Halted(5)));
    }
    let outcome = machine.run(&mut NoObserver).expect("has halted");
    assert_eq!((outcome.exit, outcome.cycles), (Exit::Halted(5), 3));
    assert_eq!(
        machine.read_memory(BASE, 8),
        program.segments()[0].data.get(..8)
    );
    assert_eq!(machine.read_memory(0, 1), None);
}

#[test]
fn permutations_match_their_libraries() {
    use sha3::{Digest, Keccak256};
    // Keccak-256 of the empty message: one permutation of the padded block.
    let program = asm(|a| {
        store(a, DATA, 1);
        store(a, DATA + 132, 0x8000_0000);
        a.li(Reg::A0, DATA).syscall(call::KECCAK_F);
        a.li(r(11), 32).syscall(call::COMMIT).syscall(call::HALT);
    });
    let input = Input::empty();
    let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
    let outcome = machine.run(&mut NoObserver).expect("halts");
    assert_eq!(outcome.output, Keccak256::digest(b"").to_vec());

    let program = asm(|a| {
        for (word, value) in (0..).zip(prova_hash::blake2s::initial_state(0)) {
            store(a, DATA + 4 * word, value);
        }
        store(a, DATA + 64, u32::from_le_bytes(*b"abc\0"));
        a.li(r(10), DATA)
            .li(r(11), DATA + 64)
            .li(r(12), 3)
            .li(r(13), 0)
            .li(r(14), 1);
        a.syscall(call::BLAKE2S)
            .li(r(11), 32)
            .syscall(call::COMMIT)
            .syscall(call::HALT);
    });
    let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
    let outcome = machine.run(&mut NoObserver).expect("halts");
    assert_eq!(outcome.output, blake2::Blake2s256::digest(b"abc").to_vec());
    assert_eq!(outcome.calls.blake2s, 1);
}

#[test]
fn events_in_order() {
    let mut log = Log::default();
    let program = asm(|a| {
        let (function, end) = (a.label(), a.label());
        a.push(Instruction::NOP)
            .push(Instruction::from_marker(3).expect("small"));
        a.jal(Reg::RA, function).jal(Reg::ZERO, end);
        a.bind(function).push(Instruction::NOP);
        a.push(Instruction::Jalr {
            rd: Reg::ZERO,
            rs1: Reg::RA,
            offset: 0,
        });
        a.bind(end);
        exit_code(0)(a);
    });
    let input = Input::empty();
    let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
    machine.run(&mut log).expect("halts");
    let at = |index: u32| BASE + 4 * index;
    assert_eq!(log.markers, [(at(1), 3)]);
    assert_eq!(log.calls, [(at(2), at(4), at(3))]);
    assert_eq!(log.rets, [(at(5), at(3))]);
    assert_eq!(log.syscalls, [(at(8), 0)]);
    let order = [
        "run 1", "marker", "run 2", "call", "run 2", "ret", "run 1", "run 2", "run 1", "syscall",
    ];
    assert_eq!(log.order, order);
}

#[test]
fn programs_for_other_machines() {
    let layout = Layout::bare(0x8000_0000);
    let mut a = Assembler::new();
    // The image holds data that the program writes.
    a.push(Instruction::Auipc { rd: r(5), imm: 0 })
        .store(StoreOp::Sw, r(5), 12, r(5));
    a.load(LoadOp::Lw, r(6), 12, r(5)).push(Instruction::Ebreak);
    let image = a.finish().expect("bound");
    let program = Program::from_image(&image, 0x8000_0000, 0x8000_0000, layout).expect("fits");
    let options = Options {
        ram_end: 0x8010_0000,
        ..Options::default()
    };
    let input = Input::empty();
    let mut machine = Machine::new(&program, &input, options).expect("fits");
    let found = machine.run(&mut NoObserver).expect_err("breaks");
    // Fetches do not see the store.
    assert_eq!((found.cause, found.pc), (Cause::Breakpoint, 0x8000_000c));
    assert_eq!(machine.registers()[6], 0x8000_0000);
    assert!(load(&machine, 0x8000_000c) == 0x8000_0000);
    for ram_end in [0x8000_0000, 0x8000_0008, 0x8010_0001] {
        let options = Options {
            ram_end,
            ..Options::default()
        };
        assert!(Machine::new(&program, &input, options).is_err());
    }
}
