//! Compressions per second of the stages that do not touch the commitment, for every arm.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use prova_binary_pcs::field::E;
use prova_binary_pcs::transcript::{ChainV0, Transcript};
use prova_hash_batch_prover::arm::Arm;
use prova_hash_batch_prover::channel::Channel;
use prova_hash_batch_prover::observer::Unobserved;
use prova_hash_batch_prover::witness::{BitTables, Compression};
use prova_hash_batch_prover::{lincheck, zerocheck};

fn main() {
    divan::main();
}

const SIZES: [usize; 3] = [12, 14, 16];
const ARMS: [Arm; 3] = [Arm::Portable, Arm::Avx2, Arm::Gfni];

struct Sink(ChainV0);

impl Channel for Sink {
    fn send(&mut self, value: E) {
        self.0.observe(value);
    }

    fn sample(&mut self) -> E {
        self.0.sample()
    }
}

fn sink() -> Sink {
    Sink(ChainV0::new(b"bench"))
}

fn inputs(log: usize) -> Vec<Compression> {
    (0..1u32 << log)
        .map(|t| {
            Compression::single_block(std::array::from_fn(|i| t.wrapping_mul(i as u32 + 7)), 64)
        })
        .collect()
}

fn cases() -> impl Iterator<Item = (usize, Arm)> {
    SIZES
        .into_iter()
        .flat_map(|log| ARMS.map(|arm| (log, arm)))
        .filter(|(_, arm)| arm.available())
}

struct Case(usize, Arm);

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "2^{} {:?}", self.0, self.1)
    }
}

fn all() -> Vec<Case> {
    cases().map(|(log, arm)| Case(log, arm)).collect()
}

#[divan::bench(args = all(), sample_count = 5, sample_size = 1)]
fn witness(bencher: Bencher<'_, '_>, case: &Case) {
    let inputs = inputs(case.0);
    bencher
        .counter(ItemsCount::new(inputs.len()))
        .bench_local(|| BitTables::generate(black_box(&inputs), case.1));
}

#[divan::bench(args = all(), consts = [0, 1, 2, 3, 4], sample_count = 5, sample_size = 1)]
fn zerocheck_rounds_from_bits<const N: usize>(bencher: Bencher<'_, '_>, case: &Case) {
    let tables = BitTables::generate(&inputs(case.0), Arm::best());
    bencher
        .counter(ItemsCount::new(tables.instances()))
        .bench_local(|| zerocheck::prove(tables.view(), N, case.1, &mut sink(), &Unobserved));
}

#[divan::bench(args = all(), sample_count = 5, sample_size = 1)]
fn lincheck_alone(bencher: Bencher<'_, '_>, case: &Case) {
    let tables = BitTables::generate(&inputs(case.0), Arm::best());
    let claims = zerocheck::prove(tables.view(), 2, Arm::best(), &mut sink(), &Unobserved);
    let Ok(claims) = claims else { return };
    bencher
        .counter(ItemsCount::new(tables.instances()))
        .bench_local(|| lincheck::prove(tables.view(), &claims, case.1, &mut sink(), &Unobserved));
}
