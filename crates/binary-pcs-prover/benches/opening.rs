//! Committing and opening: one claim at a random point, one about packed bits.

use divan::counter::ItemsCount;
use p3_field::PrimeCharacteristicRing;
use prova_binary_pcs::field::{E, K};
use prova_binary_pcs::params::{Schedule, Target};
use prova_binary_pcs::ring_switch::RingSwitch;
use prova_binary_pcs::stack::Placement;
use prova_binary_pcs::stream::Form;
use prova_binary_pcs::transcript::ChainV0;
use prova_binary_pcs_prover::encode::{Encoder, RowMajor};
use prova_binary_pcs_prover::lanes::Lanes;
use prova_binary_pcs_prover::matrix::LaneMatrix;
use prova_binary_pcs_prover::ring::RingSwitchWeight;
use prova_binary_pcs_prover::weight::{PointWeights, WeightSource};
use prova_binary_pcs_prover::{Committed, Plan, ProverChannel};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn main() {
    divan::main();
}

/// Logarithms of the words.
const SIZES: [usize; 3] = [20, 22, 24];

fn words(mu: usize) -> Vec<K> {
    let mut rng = StdRng::seed_from_u64(1);
    (0..1 << mu).map(|_| rng.random()).collect()
}

fn point(mu: usize) -> Vec<E> {
    let mut rng = StdRng::seed_from_u64(2);
    (0..mu).map(|_| rng.random()).collect()
}

fn ring(mu: usize) -> RingSwitchWeight {
    let mut rng = StdRng::seed_from_u64(3);
    let ring = RingSwitch::new(std::array::from_fn(|_| rng.random()), point(mu));
    let placement = Placement {
        offset: 0,
        log_size: mu as u32,
    };
    RingSwitchWeight::new(&ring, &point(mu), placement, mu)
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn encode(bencher: divan::Bencher<'_, '_>, mu: usize) {
    let encoder = Encoder::new(mu - 6, 1);
    let (words, mut rows) = (words(mu), words(mu));
    let message = RowMajor {
        words: &words,
        width: 64,
    };
    // One of the two cosets: as many words as the message.
    bencher
        .counter(ItemsCount::new(1_usize << mu))
        .bench_local(|| encoder.encode_coset(&message, 1, &mut rows));
}

#[divan::bench(args = SIZES, consts = [0, 1], sample_count = 5)]
fn commit<const PLAN: usize>(bencher: divan::Bencher<'_, '_>, mu: usize) {
    let words = words(mu);
    bencher
        .counter(ItemsCount::new(1_usize << mu))
        .bench_local(|| Committed::new(&words, mu, 1, Plan::ALL[PLAN]).root());
}

fn contract(bencher: divan::Bencher<'_, '_>, mu: usize, source: &dyn WeightSource) {
    let words = words(mu);
    let lanes = Lanes::new(&words, mu);
    bencher
        .counter(ItemsCount::new(1_usize << mu))
        .bench_local(|| {
            let mut matrix = LaneMatrix::default();
            source.contract(&lanes, &mut matrix);
            matrix
        });
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn contract_ring_switch(bencher: divan::Bencher<'_, '_>, mu: usize) {
    contract(bencher, mu, &ring(mu));
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn contract_point(bencher: divan::Bencher<'_, '_>, mu: usize) {
    let point = point(mu);
    contract(
        bencher,
        mu,
        &PointWeights::new([(point.as_slice(), E::ONE)]),
    );
}

#[divan::bench(args = SIZES, consts = [0, 1, 2], sample_count = 3)]
fn open<const PLAN: usize>(bencher: divan::Bencher<'_, '_>, mu: usize) {
    let words = words(mu);
    let ring = ring(mu);
    let mut matrix = LaneMatrix::default();
    ring.contract(&Lanes::new(&words, mu), &mut matrix);
    let target = matrix.claim();
    let schedule = Schedule::derive(mu, 1, Target::v0(1)).expect("a supported shape");
    let committed = Committed::new(&words, mu, 1, Plan::ALL[PLAN]);
    bencher
        .counter(ItemsCount::new(1_usize << mu))
        .with_inputs(|| committed.clone())
        .bench_local_values(|committed| {
            let mut channel = ProverChannel::new(ChainV0::new(b"bench"), Form::Wire);
            committed
                .open(&mut channel, &schedule, target, &ring)
                .expect("a true claim");
            channel.finish()
        });
}
