//! Instructions per second of the executor on small loops.

use std::hint::black_box;

use divan::{Bencher, counter::ItemsCount};
use prova_riscv::{
    Input, Layout, Machine, NoObserver, Observer, Options, Program,
    asm::Assembler,
    isa::{BranchOp, ImmOp, LoadOp, Reg, RegOp, StoreOp},
};

fn main() {
    divan::main();
}

/// Counts lines by their start, as a profiler would.
struct Counter(Vec<u64>);

impl Observer for Counter {
    fn run(&mut self, pc: u32, count: u32) {
        let index = (pc - Layout::GUEST.program_base) as usize / 4;
        if let Some(total) = self.0.get_mut(index) {
            *total += u64::from(count);
        }
    }
}

const LOOPS: [&str; 5] = ["sieve", "matrix", "memcpy", "keccak-like", "calls"];

#[divan::bench(args = LOOPS, sample_count = 200)]
fn plain(bencher: Bencher<'_, '_>, name: &str) {
    bench(bencher, name, || NoObserver);
}

#[divan::bench(args = LOOPS, sample_count = 200)]
fn counted(bencher: Bencher<'_, '_>, name: &str) {
    bench(bencher, name, || Counter(vec![0; 4096]));
}

fn bench<O: Observer>(bencher: Bencher<'_, '_>, name: &str, observer: impl Fn() -> O) {
    let image = build(name);
    let base = Layout::GUEST.program_base;
    let program = Program::from_image(&image, base, base, Layout::GUEST).expect("fits");
    let input = Input::empty();
    let run = |observer: &mut O| {
        let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
        machine.run(observer).expect("halts").cycles
    };
    let cycles = run(&mut observer());
    bencher
        .counter(ItemsCount::new(cycles))
        .bench_local(|| black_box(run(&mut observer())));
}

fn x(index: u8) -> Reg {
    Reg::new(index).expect("below 32")
}

const DATA: u32 = 0x50_0000;

fn build(name: &str) -> Vec<u8> {
    let mut asm = Assembler::new();
    match name {
        "sieve" => sieve(&mut asm),
        "matrix" => matrix(&mut asm),
        "memcpy" => memcpy(&mut asm),
        "keccak-like" => mix(&mut asm),
        _ => calls(&mut asm),
    }
    asm.li(Reg::A0, 0).syscall(0);
    asm.finish().expect("labels are bound")
}

/// Primes below 200,000, one byte each.
fn sieve(asm: &mut Assembler) {
    let (base, n, i, j, t) = (x(8), x(9), x(10), x(11), x(12));
    asm.li(base, DATA).li(n, 200_000).li(i, 2);
    let outer = asm.here();
    let (skip, done) = (asm.label(), asm.label());
    asm.op(RegOp::Mul, j, i, i)
        .branch(BranchOp::Bgeu, j, n, done);
    asm.op(RegOp::Add, t, base, i).load(LoadOp::Lbu, t, 0, t);
    asm.branch(BranchOp::Bne, t, Reg::ZERO, skip);
    asm.li(x(14), 1);
    let inner = asm.here();
    asm.op(RegOp::Add, t, base, j)
        .store(StoreOp::Sb, x(14), 0, t);
    asm.op(RegOp::Add, j, j, i)
        .branch(BranchOp::Bltu, j, n, inner);
    asm.bind(skip)
        .op_imm(ImmOp::Addi, i, i, 1)
        .jal(Reg::ZERO, outer);
    asm.bind(done);
}

/// Product of two 48 by 48 matrices of words.
fn matrix(asm: &mut Assembler) {
    let (a, b, c, i, j, k) = (x(8), x(9), x(18), x(19), x(20), x(21));
    let (n, sum, t, u) = (x(22), x(23), x(5), x(6));
    asm.li(a, DATA)
        .li(b, DATA + 0x1_0000)
        .li(c, DATA + 0x2_0000)
        .li(n, 48)
        .li(i, 0);
    let rows = asm.here();
    asm.li(j, 0);
    let columns = asm.here();
    asm.li(k, 0).li(sum, 0);
    asm.op_imm(ImmOp::Slli, u, j, 2).op(RegOp::Add, u, u, b);
    asm.op_imm(ImmOp::Addi, t, a, 0);
    let inner = asm.here();
    asm.load(LoadOp::Lw, x(28), 0, t)
        .load(LoadOp::Lw, x(29), 0, u);
    asm.op(RegOp::Mul, x(28), x(28), x(29))
        .op(RegOp::Add, sum, sum, x(28));
    asm.op_imm(ImmOp::Addi, t, t, 4)
        .op_imm(ImmOp::Addi, u, u, 4 * 48);
    asm.op_imm(ImmOp::Addi, k, k, 1)
        .branch(BranchOp::Bne, k, n, inner);
    asm.store(StoreOp::Sw, sum, 0, c)
        .op_imm(ImmOp::Addi, c, c, 4);
    asm.op_imm(ImmOp::Addi, j, j, 1)
        .branch(BranchOp::Bne, j, n, columns);
    asm.op_imm(ImmOp::Addi, a, a, 4 * 48);
    asm.op_imm(ImmOp::Addi, i, i, 1)
        .branch(BranchOp::Bne, i, n, rows);
}

/// Copies 64 KiB sixteen bytes at a time, thirty times.
fn memcpy(asm: &mut Assembler) {
    let (from, to, end, count) = (x(10), x(11), x(12), x(13));
    asm.li(count, 30);
    let again = asm.here();
    asm.li(from, DATA)
        .li(to, DATA + 0x2_0000)
        .li(end, DATA + 0x1_0000);
    let inner = asm.here();
    for word in 0..4 {
        asm.load(LoadOp::Lw, x(14 + word), 4 * i32::from(word), from);
    }
    for word in 0..4 {
        asm.store(StoreOp::Sw, x(14 + word), 4 * i32::from(word), to);
    }
    asm.op_imm(ImmOp::Addi, from, from, 16)
        .op_imm(ImmOp::Addi, to, to, 16);
    asm.branch(BranchOp::Bne, from, end, inner);
    asm.op_imm(ImmOp::Addi, count, count, -1);
    asm.branch(BranchOp::Bne, count, Reg::ZERO, again);
}

/// Long straight lines of logic, shifts and stack accesses, as unrolled hash rounds have.
fn mix(asm: &mut Assembler) {
    let (count, stack) = (x(8), Reg::SP);
    asm.li(count, 10_000).li(stack, 0x3f_0000);
    let again = asm.here();
    for round in 0..24u8 {
        let (a, b, c, d) = (
            x(10 + round % 5),
            x(15 + round % 3),
            x(18 + round % 7),
            x(28),
        );
        let slot = 4 * i32::from(round);
        asm.load(LoadOp::Lw, d, slot, stack).op(RegOp::Xor, a, a, b);
        asm.op_imm(ImmOp::Slli, b, a, 7)
            .op_imm(ImmOp::Srli, a, a, 25);
        asm.op(RegOp::Or, a, a, b).op_imm(ImmOp::Xori, c, c, -1);
        asm.op(RegOp::And, c, c, d).op(RegOp::Xor, d, d, c);
        asm.op(RegOp::Add, b, b, d)
            .store(StoreOp::Sw, d, slot, stack);
    }
    asm.op_imm(ImmOp::Addi, count, count, -1);
    asm.branch(BranchOp::Bne, count, Reg::ZERO, again);
}

/// Recursive Fibonacci: calls, returns and stack frames.
fn calls(asm: &mut Assembler) {
    let (fib, base, end) = (asm.label(), asm.label(), asm.label());
    asm.li(Reg::SP, 0x3f_0000)
        .li(Reg::A0, 24)
        .jal(Reg::RA, fib)
        .jal(Reg::ZERO, end);
    asm.bind(fib)
        .li(x(5), 2)
        .branch(BranchOp::Bltu, Reg::A0, x(5), base);
    asm.op_imm(ImmOp::Addi, Reg::SP, Reg::SP, -16);
    asm.store(StoreOp::Sw, Reg::RA, 12, Reg::SP)
        .store(StoreOp::Sw, Reg::A0, 8, Reg::SP);
    asm.op_imm(ImmOp::Addi, Reg::A0, Reg::A0, -1)
        .jal(Reg::RA, fib);
    asm.load(LoadOp::Lw, x(6), 8, Reg::SP)
        .store(StoreOp::Sw, Reg::A0, 8, Reg::SP);
    asm.op_imm(ImmOp::Addi, Reg::A0, x(6), -2).jal(Reg::RA, fib);
    asm.load(LoadOp::Lw, x(6), 8, Reg::SP)
        .load(LoadOp::Lw, Reg::RA, 12, Reg::SP);
    asm.op(RegOp::Add, Reg::A0, Reg::A0, x(6))
        .op_imm(ImmOp::Addi, Reg::SP, Reg::SP, 16);
    asm.bind(base).push(prova_riscv::isa::Instruction::Jalr {
        rd: Reg::ZERO,
        rs1: Reg::RA,
        offset: 0,
    });
    asm.bind(end);
}
