//! What a verifier pays: once a program, and once a proof.

use prova_binary_pcs::field::Y;
use prova_lean_vm::{Form, Program, Proof, verify};

const BYTECODE: &[u8] = include_bytes!("../vectors/bytecode.bin");
const PUBLIC_INPUT: &[u8; 32] = include_bytes!("../vectors/public_input.bin");
const WIRE: &[u8] = include_bytes!("../vectors/proof_wire.bin");
const RAW: &[u8] = include_bytes!("../vectors/proof_raw.bin");

fn main() {
    divan::main();
}

#[divan::bench]
fn program(bencher: divan::Bencher<'_, '_>) {
    bencher.bench(|| Program::new(divan::black_box(BYTECODE)).expect("a table of instructions"));
}

#[divan::bench]
fn wire(bencher: divan::Bencher<'_, '_>) {
    bench_form(bencher, Form::Wire, WIRE);
}

#[divan::bench]
fn raw(bencher: divan::Bencher<'_, '_>) {
    bench_form(bencher, Form::Raw, RAW);
}

fn bench_form(bencher: divan::Bencher<'_, '_>, form: Form, body: &[u8]) {
    let program = Program::new(BYTECODE).expect("a table of instructions");
    bencher.bench(|| {
        let proof = Proof::parse(form, divan::black_box(body)).expect("a proof");
        verify(&program, PUBLIC_INPUT, &proof).expect("a valid proof")
    });
}

/// The largest table in use: 2^19 instructions, with words in every slot that instructions use.
fn large() -> Vec<u8> {
    let words = (0..16_u64 << 19).map(|i| match i >> 19 {
        3..12 => i.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        _ => 0,
    });
    words.flat_map(u64::to_le_bytes).collect()
}

#[divan::bench(sample_count = 5)]
fn large_program(bencher: divan::Bencher<'_, '_>) {
    let table = large();
    bencher.bench(|| Program::new(divan::black_box(&table)).expect("a table of instructions"));
}

#[divan::bench(sample_count = 10)]
fn large_program_at_a_point(bencher: divan::Bencher<'_, '_>) {
    let program = Program::new(&large()).expect("a table of instructions");
    let point = vec![Y; 19];
    bencher.bench(|| program.evaluate(divan::black_box(&point), &[Y; 16]));
}
