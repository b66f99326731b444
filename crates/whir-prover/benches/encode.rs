//! The encoder against the stock transform of the zero-padded matrix, side by side.
//!
//! Arguments filter: `m,width,r` shapes, and `t1`, `t2`, .. thread counts. Both sides write
//! into memory that has been touched before; the stock transform's copy of its input is not
//! timed.

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use p3_baby_bear::BabyBear;
use p3_dft::{Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use prova_whir_prover::cpu::encode::Encoder;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

type F = BabyBear;

const SHAPES: [(usize, usize, usize); 14] = [
    (18, 16, 1),
    (21, 2, 1),
    (20, 4, 1),
    (19, 8, 1),
    (16, 64, 1),
    (12, 64, 2),
    (14, 64, 2),
    (9, 64, 5),
    (20, 8, 1),
    (17, 64, 2),
    (4, 64, 12),
    (16, 20, 1),
    (14, 40, 2),
    (14, 80, 2),
];

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// `len` elements from a 64-byte boundary of a larger buffer.
fn aligned(buffer: &mut Vec<F>, len: usize) -> &mut [F] {
    buffer.resize(len + 16, F::ONE);
    let offset = buffer.as_ptr().align_offset(64);
    &mut buffer[offset..offset + len]
}

fn shape((m, width, r): (usize, usize, usize), threads: usize) {
    let encoder = Encoder::<F>::new(m + r);
    let dft = Radix2DFTSmallBatch::<F>::new(1 << (m + r));
    let len = width << m;
    let mut rng = StdRng::seed_from_u64(1);
    let (mut message, mut codeword, mut unaligned) = (Vec::new(), Vec::new(), Vec::new());
    let message = aligned(&mut message, len);
    message.fill_with(|| F::from_u32(rng.random()));
    let codeword = aligned(&mut codeword, len << r);
    unaligned.resize((len << r) + 1, F::ONE);
    let mut scratch = Vec::new();
    let mut padded = vec![F::ZERO; len << r];
    let mut times = [const { Vec::new() }; 5];
    let rounds = ((1usize << 28) >> (len << r).ilog2()).clamp(5, 41);
    for _ in 0..rounds {
        let mut time = |i: usize, run: &mut dyn FnMut()| {
            let start = Instant::now();
            run();
            times[i].push(start.elapsed().as_secs_f64() * 1e3);
        };
        padded[..len].copy_from_slice(message);
        padded[len..].fill(F::ZERO);
        let mut out = None;
        time(0, &mut || {
            out = Some(dft.dft_batch(RowMajorMatrix::new(core::mem::take(&mut padded), width)));
        });
        padded = black_box(out).expect("set").values;
        time(1, &mut || {
            encoder.encode(message, width, r, codeword, |_, _, _| {});
        });
        time(2, &mut || {
            encoder.encode(message, width, r, &mut unaligned[1..], |_, _, _| {});
        });
        time(3, &mut || {
            encoder.encode_discarding(message, width, r, &mut scratch, |_, l, u| {
                black_box((l, u));
            });
        });
        time(4, &mut || codeword.copy_from_slice(black_box(&padded)));
    }
    let [stock, ours, ours_unaligned, discarding, copy] = times.map(median);
    let vectors = (m * (len << r) / 2) as f64 / 16.0;
    println!(
        "({m:2},{width:3},{r:2}) t{threads}: stock {stock:8.2} ms, encode {ours:7.2} ms = {:5.2}x, \
         unaligned {ours_unaligned:7.2}, discarding {discarding:7.2}, codeword copy {copy:6.2}, \
         {:5.2} ns per 16 butterflies",
        stock / ours,
        ours * 1e6 / vectors,
    );
}

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let named = |name: &str| args.iter().any(|a| a == name);
    let any_threads = args.iter().any(|a| a.starts_with('t'));
    let any_shape = args.iter().any(|a| !a.starts_with('t'));
    for threads in 1..=2 {
        if any_threads && !named(&format!("t{threads}")) {
            continue;
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        for (m, width, r) in SHAPES {
            if !any_shape || named(&format!("{m},{width},{r}")) {
                pool.install(|| shape((m, width, r), threads));
            }
        }
    }
}
