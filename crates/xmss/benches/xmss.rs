//! Verification, alone and in batches; the search for a randomizer; key generation.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use prova_hash::blake2s::{Arch, Kernel};
use prova_xmss::batch::{Signed, verify_batch_with};
use prova_xmss::sign::{SecretKey, Unobserved, Window};
use prova_xmss::{Ethereum, PublicKey, Signature};

fn main() {
    divan::main();
}

const MESSAGE: [u8; 32] = [0x11; 32];

fn key(bits: u32) -> SecretKey {
    let window = Window::new(0, (1 << bits) - 1).expect("not empty");
    SecretKey::generate(&[7; 32], window, &Unobserved).expect("nobody cancels")
}

fn signed(count: u32) -> (PublicKey, Vec<Signature>) {
    let mut key = key(10);
    let sign = |epoch| key.sign_untracked(epoch, &MESSAGE).expect("a signature");
    let signatures = (0..count).map(sign).collect();
    (*key.public_key(), signatures)
}

fn kernels() -> Vec<&'static str> {
    let available = Arch::ALL.into_iter().filter(|arch| arch.is_available());
    available.map(Arch::name).collect()
}

fn kernel(name: &str) -> Kernel {
    let arch = Arch::ALL.into_iter().find(|arch| arch.name() == name);
    arch.and_then(Kernel::new).expect("available")
}

#[divan::bench]
fn verify_one(bencher: Bencher<'_, '_>) {
    let (key, signatures) = signed(1);
    let bencher = bencher.counter(ItemsCount::new(1u32));
    bencher.bench_local(|| {
        key.verify(0, &MESSAGE, black_box(&signatures[0]))
            .expect("valid");
    });
}

/// A thousand signatures on one thread.
#[divan::bench(args = kernels(), sample_count = 20)]
fn verify_batch(bencher: Bencher<'_, '_>, name: &str) {
    let (key, signatures) = signed(1000);
    let items: Vec<Signed<'_>> = (0..)
        .zip(&signatures)
        .map(|(epoch, signature)| Signed {
            key: &key,
            epoch,
            message: &MESSAGE,
            signature,
        })
        .collect();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool");
    let bencher = bencher.counter(ItemsCount::new(items.len()));
    bencher.bench_local(|| {
        let verdict = pool.install(|| verify_batch_with::<Ethereum>(kernel(name), &items));
        verdict.expect("valid");
    });
}

/// Trials without a hit.
const TRIALS: u64 = 2048;

#[divan::bench]
fn search_one_by_one(bencher: Bencher<'_, '_>) {
    let key = key(4);
    let bencher = bencher.counter(ItemsCount::new(TRIALS));
    bencher.bench_local(|| key.search_scalar(black_box(0), &MESSAGE, 0..TRIALS));
}

#[divan::bench(args = kernels())]
fn search_in_lanes(bencher: Bencher<'_, '_>, name: &str) {
    let (key, kernel) = (key(4), kernel(name));
    let bencher = bencher.counter(ItemsCount::new(TRIALS));
    bencher.bench_local(|| key.search(kernel, black_box(0), &MESSAGE, 0..TRIALS));
}

#[divan::bench(args = [10, 12, 14], sample_count = 5)]
fn generate(bits: u32) -> SecretKey {
    key(bits)
}

#[divan::bench(sample_count = 30)]
fn sign(bencher: Bencher<'_, '_>) {
    let mut key = key(10);
    let mut epoch = 0;
    bencher.bench_local(|| {
        epoch = (epoch + 1) % 1024;
        key.sign_untracked(epoch, &MESSAGE).expect("a signature")
    });
}
