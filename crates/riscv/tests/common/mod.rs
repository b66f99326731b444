//! Small programs, and an observer that writes down what it is told.
#![allow(dead_code)]

use prova_riscv::{
    Input, Layout, Machine, Observer, Options, Outcome, Program, Trap,
    asm::Assembler,
    isa::{Reg, StoreOp},
};

/// Memory behind the program that nothing else uses.
pub const DATA: u32 = 0x50_0000;

pub fn r(index: u8) -> Reg {
    Reg::new(index).expect("below 32")
}

/// Events, and their order by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    pub cycles: u64,
    /// Runs, joined where one goes on where the last stopped.
    pub runs: Vec<(u32, u32)>,
    pub calls: Vec<(u32, u32, u32)>,
    pub rets: Vec<(u32, u32)>,
    pub markers: Vec<(u32, u32)>,
    pub syscalls: Vec<(u32, u32)>,
    pub order: Vec<String>,
}

impl Observer for Log {
    fn run(&mut self, pc: u32, count: u32) {
        assert!(count > 0);
        self.cycles += u64::from(count);
        self.order.push(format!("run {count}"));
        match self.runs.last_mut() {
            Some((start, length)) if start.wrapping_add(4 * *length) == pc => *length += count,
            _ => self.runs.push((pc, count)),
        }
    }

    fn call(&mut self, from: u32, to: u32, return_to: u32) {
        self.order.push("call".into());
        self.calls.push((from, to, return_to));
    }

    fn ret(&mut self, from: u32, to: u32) {
        self.order.push("ret".into());
        self.rets.push((from, to));
    }

    fn marker(&mut self, pc: u32, value: u32) {
        self.order.push("marker".into());
        self.markers.push((pc, value));
    }

    fn syscall(&mut self, pc: u32, number: u32) {
        self.order.push("syscall".into());
        self.syscalls.push((pc, number));
    }
}

pub fn asm(write: impl FnOnce(&mut Assembler)) -> Program {
    let mut asm = Assembler::new();
    write(&mut asm);
    let image = asm.finish().expect("labels are bound");
    let base = Layout::GUEST.program_base;
    Program::from_image(&image, base, base, Layout::GUEST).expect("fits")
}

pub fn exit_code(code: u32) -> impl FnOnce(&mut Assembler) {
    move |a| _ = a.li(Reg::A0, code).syscall(0)
}

pub fn store(a: &mut Assembler, address: u32, value: u32) {
    a.li(r(5), address)
        .li(r(6), value)
        .store(StoreOp::Sw, r(6), 0, r(5));
}

/// Runs with the empty input to the end.
pub fn run(write: impl FnOnce(&mut Assembler)) -> (Outcome, Log) {
    let (program, input, mut log) = (asm(write), Input::empty(), Log::default());
    let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
    let outcome = machine.run(&mut log).expect("ends by itself");
    (outcome, log)
}

/// The trap that ends a run, and the registers then.
pub fn trap(write: impl FnOnce(&mut Assembler)) -> (Trap, [u32; 32]) {
    let (program, input, mut log) = (asm(write), Input::empty(), Log::default());
    let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
    let trap = machine.run(&mut log).expect_err("traps");
    assert_eq!(log.cycles, trap.cycles);
    (trap, machine.registers())
}

/// A register after a program that goes on to halt.
pub fn reg_of(register: Reg, write: impl FnOnce(&mut Assembler)) -> u32 {
    let program = asm(|a| {
        write(a);
        a.syscall(0);
    });
    let input = Input::empty();
    let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
    machine.run(&mut prova_riscv::NoObserver).expect("halts");
    machine.registers()[register.index()]
}

pub fn load(machine: &Machine<'_>, address: u32) -> u32 {
    let bytes = machine.read_memory(address, 4).expect("mapped");
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}
