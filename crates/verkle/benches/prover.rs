//! The prover of multiproofs. From 16,000 openings on, polynomials are opened at several points:
//! 128,000 different ones would take a gigabyte. Those there are do not fit into caches.
//! Commitments need not be right for a proof to be made, so one stands for all.

use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::ItemsCount;
use prova_verkle::lagrange::Weights;
use prova_verkle::{Arm, Commitment, Fr, Opening, Polynomial, Setup, Transcript, ipa, multiproof};

fn main() {
    divan::main();
}

const COUNTS: [usize; 4] = [217, 2_000, 16_000, 128_000];

static PORTABLE: LazyLock<Setup> = LazyLock::new(|| Setup::ethereum().with_arm(Arm::Portable));
static BEST: LazyLock<Setup> = LazyLock::new(Setup::ethereum);
static DENSE: LazyLock<Vec<[Fr; 256]>> = LazyLock::new(|| {
    let step = -Fr::from(0x1234_5678_9abc_def1).pow(&[77]);
    let mut value = Fr::ONE;
    let mut next = || {
        value = value * step + Fr::ONE;
        value
    };
    (0..16_000)
        .map(|_| core::array::from_fn(|_| next()))
        .collect()
});
static BYTES: LazyLock<Vec<[u8; 8192]>> = LazyLock::new(|| {
    DENSE
        .iter()
        .map(|values| {
            let mut bytes = [0; 8192];
            for (bytes, value) in bytes.as_chunks_mut::<32>().0.iter_mut().zip(values) {
                *bytes = value.to_le_bytes();
            }
            bytes
        })
        .collect()
});

/// On one thread, at all points alike.
fn bench<'a>(
    bencher: Bencher<'_, '_>,
    setup: &Setup,
    count: usize,
    polynomial: impl Fn(usize) -> Polynomial<'a>,
) {
    let openings: Vec<Opening<'_>> = (0..count)
        .map(|i| Opening {
            commitment: &Commitment::IDENTITY,
            polynomial: polynomial(i),
            point: (i * 167 % 256) as u8,
        })
        .collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("a thread");
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        pool.install(|| multiproof::prove(setup, &mut Transcript::new(b"vt"), &openings))
            .expect("proved")
    });
}

#[divan::bench(args = COUNTS, max_time = 3)]
fn dense(bencher: Bencher<'_, '_>, count: usize) {
    bench(bencher, &BEST, count, |i| {
        Polynomial::Dense(&DENSE[i % DENSE.len()])
    });
}

#[divan::bench(args = COUNTS, max_time = 3)]
fn dense_portable(bencher: Bencher<'_, '_>, count: usize) {
    bench(bencher, &PORTABLE, count, |i| {
        Polynomial::Dense(&DENSE[i % DENSE.len()])
    });
}

#[divan::bench(args = COUNTS, max_time = 3)]
fn bytes(bencher: Bencher<'_, '_>, count: usize) {
    bench(bencher, &BEST, count, |i| {
        Polynomial::Bytes(&BYTES[i % BYTES.len()])
    });
}

/// Four values of each polynomial.
#[divan::bench(args = COUNTS, max_time = 3)]
fn sparse(bencher: Bencher<'_, '_>, count: usize) {
    let pairs: Vec<(u8, Fr)> = (0..)
        .zip(DENSE[0])
        .filter(|(position, _): &(u8, _)| position % 64 == 1)
        .collect();
    bench(bencher, &BEST, count, |_| Polynomial::Sparse(&pairs));
}

#[divan::bench(max_time = 3)]
fn inner_product_argument(bencher: Bencher<'_, '_>) {
    let point = Fr::from(1000);
    bencher.bench_local(|| {
        let mut transcript = Transcript::new(b"vt");
        ipa::prove(
            &BEST,
            &mut transcript,
            &Commitment::IDENTITY,
            &DENSE[0],
            point,
        )
    });
}

#[divan::bench]
fn quotient(bencher: Bencher<'_, '_>) {
    let weights = Weights::new();
    bencher.bench_local(|| weights.quotient(&DENSE[0], 7));
}
