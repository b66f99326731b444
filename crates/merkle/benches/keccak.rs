//! Merkle commitments with Keccak leaves on one thread: `p3-merkle-tree` with `p3-keccak` against the
//! tree here, in turn, with medians.
//!
//! `cargo bench -p prova-merkle --bench keccak -- [LOG_ROWS [WIDTH...]]`

#![allow(clippy::print_stdout)]

use std::time::Duration;

use p3_baby_bear::BabyBear;
use p3_commit::Mmcs;
use p3_field::PrimeCharacteristicRing;
use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{
    CompressionFunctionFromHasher, MerkleCap, PaddingFreeSponge, SerializingHasher,
};
use prova_hash::{Keccak256TreeHasher, KeccakArch, KeccakTreeHasher, TreeHasher};
use prova_merkle::Tree;

type F = BabyBear;

const ROUNDS: usize = 7;
const WIDTHS: [usize; 9] = [1, 2, 4, 8, 16, 34, 35, 64, 300];

fn main() {
    let numbers: Vec<usize> = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let (log_rows, widths) = match numbers.split_first() {
        Some((&log, widths)) => (log, widths),
        None => (20, &[][..]),
    };
    let widths = if widths.is_empty() { &WIDTHS } else { widths };
    println!(
        "2^{log_rows} rows, one thread, here: {}",
        KeccakArch::best().name()
    );
    println!("milliseconds: median and range of {ROUNDS}; here with leaves kept, and dropped");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread pool").install(|| {
        for &width in widths {
            row(log_rows, width);
        }
    });
}

fn row(log_rows: usize, width: usize) {
    let byte_mmcs = MerkleTreeMmcs::<F, u8, _, _, 2, 32>::new(
        SerializingHasher::new(Keccak256Hash),
        CompressionFunctionFromHasher::<_, 2, 32>::new(Keccak256Hash),
        0,
    );
    let sponge = PaddingFreeSponge::<KeccakF, 25, 17, 4>::new(KeccakF);
    let word_mmcs = MerkleTreeMmcs::<[F; VECTOR_LEN], [u64; VECTOR_LEN], _, _, 2, 4>::new(
        SerializingHasher::new(sponge),
        CompressionFunctionFromHasher::<_, 2, 4>::new(sponge),
        0,
    );
    let height = 1 << log_rows;
    let rows: Vec<F> = (0..height * width)
        .map(|i| F::from_usize(i.wrapping_mul(0x9e37_79b9) >> 7))
        .collect();
    // The tree here takes rows in bit-reversed order, in which encoders make them.
    let stored: Vec<F> = (0..height)
        .map(|i: usize| i.reverse_bits() >> (usize::BITS as usize - log_rows))
        .flat_map(|i| &rows[i * width..][..width])
        .copied()
        .collect();
    compare(
        "Keccak-256",
        width,
        &byte_mmcs,
        &Keccak256TreeHasher,
        &rows,
        &stored,
    );
    compare(
        "sponge",
        width,
        &word_mmcs,
        &KeccakTreeHasher,
        &rows,
        &stored,
    );
}

fn compare<M, H, W, const N: usize>(
    name: &str,
    width: usize,
    mmcs: &M,
    hasher: &H,
    rows: &[F],
    stored: &[F],
) where
    W: Copy + Eq + core::fmt::Debug + 'static,
    M: Mmcs<F, Commitment = MerkleCap<F, [W; N]>>,
    H: TreeHasher<F, Digest = [W; N]>,
{
    let mut times: [Vec<Duration>; 3] = Default::default();
    for _ in 0..ROUNDS {
        let matrix = RowMajorMatrix::new(rows.to_vec(), width);
        let (stock, (cap, _)) = timed(|| mmcs.commit_matrix(matrix));
        let (kept, tree) = timed(|| Tree::from_rows_keeping_leaves(hasher, stored, width));
        assert_eq!(cap.roots(), [tree.root()]);
        drop(tree);
        let (dropped, tree) = timed(|| Tree::from_rows(hasher, stored, width));
        assert_eq!(cap.roots(), [tree.root()]);
        for (times, time) in times.iter_mut().zip([stock, kept, dropped]) {
            times.push(time);
        }
    }
    let [stock, kept, dropped] = times.map(|mut times| {
        times.sort();
        let ms = |i: usize| times[i].as_secs_f64() * 1e3;
        (ms(ROUNDS / 2), ms(0), ms(ROUNDS - 1))
    });
    println!(
        "{name:>10} width {width:3}: p3 {:7.1} ({:.1}-{:.1}), kept {:7.1} ({:.1}-{:.1}) {:.2}x, dropped {:7.1} ({:.1}-{:.1}) {:.2}x; least {:.2}x {:.2}x",
        stock.0,
        stock.1,
        stock.2,
        kept.0,
        kept.1,
        kept.2,
        stock.0 / kept.0,
        dropped.0,
        dropped.1,
        dropped.2,
        stock.0 / dropped.0,
        stock.1 / kept.1,
        stock.1 / dropped.1,
    );
}

/// Results are dropped by the caller, outside the time.
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = now();
    let result = work();
    (now() - start, result)
}

/// The time that this thread ran, which other programs disturb least.
#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn now() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
