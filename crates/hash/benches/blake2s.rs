//! BLAKE2s: one message, sixteen in lanes, and `p3-blake2s` beside both.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use p3_blake2s::Blake2s256;
use p3_symmetric::CryptographicHasher;
use prova_hash::blake2s::{Arch, IV, Kernel, LANES, Lanes, compress};

fn main() {
    divan::main();
}

/// Messages of one block in a batch.
const BATCH: usize = 1024;

fn kernels() -> Vec<&'static str> {
    let available = Arch::ALL.into_iter().filter(|arch| arch.is_available());
    available.map(Arch::name).collect()
}

fn kernel(name: &str) -> Kernel {
    let arch = Arch::ALL.into_iter().find(|arch| arch.name() == name);
    arch.and_then(Kernel::new).expect("available")
}

#[divan::bench]
fn one_compression(bencher: Bencher<'_, '_>) {
    let mut state = IV;
    let block = black_box([7; 16]);
    let bencher = bencher.counter(ItemsCount::new(1u32));
    bencher.bench_local(|| compress(&mut state, &block, 64, true));
}

#[divan::bench]
fn one_message_p3(bencher: Bencher<'_, '_>) {
    let message = black_box([7; 64]);
    let bencher = bencher.counter(ItemsCount::new(1u32));
    bencher.bench_local(|| Blake2s256::hash(&message));
}

#[divan::bench(args = kernels())]
fn lane_compressions(bencher: Bencher<'_, '_>, name: &str) {
    let (kernel, block) = (kernel(name), black_box(Lanes::splat_all(&[7; 16])));
    let mut state = Lanes::splat_all(&IV);
    let bencher = bencher.counter(ItemsCount::new(LANES));
    bencher.bench_local(|| kernel.compress(&mut state, &block, 64, true));
}

#[divan::bench(args = kernels())]
fn messages_end_to_end(bencher: Bencher<'_, '_>, name: &str) {
    let (kernel, input) = (kernel(name), vec![7; 64 * BATCH]);
    let mut out = vec![[0; 32]; BATCH];
    let bencher = bencher.counter(ItemsCount::new(BATCH));
    bencher.bench_local(|| kernel.hash_many(black_box(&input), &mut out));
}

#[divan::bench]
fn messages_end_to_end_p3(bencher: Bencher<'_, '_>) {
    let input = vec![7; 64 * BATCH];
    let mut out = vec![[0; 32]; BATCH];
    let bencher = bencher.counter(ItemsCount::new(BATCH));
    bencher.bench_local(|| Blake2s256.hash_many(black_box(&input), &mut out));
}
