use core::mem::MaybeUninit;
use std::sync::Mutex;

use p3_baby_bear::BabyBear;
use p3_dft::{NaiveDft, Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_field::{PrimeCharacteristicRing, PrimeField32, TwoAdicField};
use p3_koala_bear::KoalaBear;
use p3_matrix::dense::RowMajorMatrix;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rayon::ThreadPoolBuilder;

use super::Encoder;
use super::kernel::Packed;

const WIDTHS: [usize; 22] = [
    1, 2, 3, 4, 5, 7, 8, 10, 12, 16, 20, 32, 40, 64, 80, 100, 256, 320, 6, 24, 48, 17,
];

fn random<F: PrimeField32>(len: usize, seed: u64) -> Vec<F> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..len).map(|_| F::from_u32(rng.random())).collect()
}

/// The reference codeword: the stock transform of the zero-padded matrix, rows bit-reversed.
fn reference<F: TwoAdicField>(
    dft: &impl TwoAdicSubgroupDft<F>,
    message: &[F],
    width: usize,
    log_inv_rate: usize,
) -> Vec<F> {
    let mut padded = message.to_vec();
    padded.resize(message.len() << log_inv_rate, F::ZERO);
    let natural = dft.dft_batch(RowMajorMatrix::new(padded, width));
    let natural: RowMajorMatrix<F> = p3_matrix::Matrix::to_row_major_matrix(natural);
    let bits = (natural.values.len() / width).ilog2();
    let mut stored = vec![F::ZERO; natural.values.len()];
    for (i, row) in natural.values.chunks_exact(width).enumerate() {
        let at = if bits == 0 {
            0
        } else {
            i.reverse_bits() >> (usize::BITS - bits)
        };
        stored[at * width..][..width].copy_from_slice(row);
    }
    stored
}

/// Checks what the sink saw against the whole codeword.
fn check_blocks<F: PrimeField32>(
    mut blocks: Vec<(usize, Vec<F>, Vec<F>)>,
    want: &[F],
    width: usize,
) {
    blocks.sort_by_key(|b| b.0);
    let half = want.len() / 2;
    let mut at = 0;
    for (s, lower, upper) in blocks {
        assert_eq!(s * width, at, "blocks in a row");
        assert!((lower.len() / width).is_power_of_two());
        assert!(
            lower.len() / width >= 32.min(half / width),
            "{} rows a block",
            lower.len() / width
        );
        assert!(lower == want[at..at + lower.len()], "lower block at {s}");
        assert!(
            upper == want[half + at..half + at + lower.len()],
            "upper block at {s}"
        );
        at += lower.len();
    }
    assert_eq!(at, half, "blocks cover half the rows");
}

fn check<F: TwoAdicField + PrimeField32>(
    encoder: &Encoder<F>,
    dft: &impl TwoAdicSubgroupDft<F>,
    m: usize,
    width: usize,
    r: usize,
) {
    let message = random::<F>(width << m, (m * 1000 + width * 10 + r) as u64);
    let want = reference(dft, &message, width, r);
    let mut codeword = vec![F::TWO; want.len()];
    let blocks = Mutex::new(Vec::new());
    let sink = |s: usize, lower: &[F], upper: &[F]| {
        blocks
            .lock()
            .unwrap()
            .push((s, lower.to_vec(), upper.to_vec()));
    };
    encoder.encode(&message, width, r, &mut codeword, sink);
    assert!(codeword == want, "m {m} width {width} r {r}");
    check_blocks(core::mem::take(&mut *blocks.lock().unwrap()), &want, width);
    // The portable arithmetic, where `encode` takes another.
    codeword.fill(F::TWO);
    // SAFETY: same layout, and only elements are written.
    let uninit = unsafe { &mut *(core::ptr::from_mut(&mut codeword[..]) as *mut [MaybeUninit<F>]) };
    encoder.encode_by::<Packed>(&message, width, r, uninit, &|_: usize, _: &[F], _: &[F]| {});
    assert!(codeword == want, "portable: m {m} width {width} r {r}");
    let mut scratch = vec![F::TWO; 5];
    encoder.encode_discarding(&message, width, r, &mut scratch, sink);
    check_blocks(blocks.into_inner().unwrap(), &want, width);
}

fn all_shapes<F: TwoAdicField + PrimeField32>() {
    let encoder = Encoder::<F>::new(18);
    let dft = Radix2DFTSmallBatch::<F>::default();
    for width in WIDTHS {
        for m in 0..=12 {
            for r in 1..=6 {
                if width << (m + r) <= 1 << 20 {
                    check(&encoder, &dft, m, width, r);
                }
            }
        }
    }
}

#[test]
fn equals_the_stock_transform_baby_bear() {
    all_shapes::<BabyBear>();
}

#[test]
fn equals_the_stock_transform_koala_bear() {
    all_shapes::<KoalaBear>();
}

#[test]
fn equals_the_definition() {
    let encoder = Encoder::<KoalaBear>::new(7);
    for width in [1, 2, 3, 16] {
        for m in 0..=5 {
            for r in 1..=2 {
                check(&encoder, &NaiveDft, m, width, r);
            }
        }
    }
}

#[test]
fn large_regions() {
    let encoder = Encoder::<BabyBear>::new(24);
    let dft = Radix2DFTSmallBatch::<BabyBear>::default();
    for (m, width, r) in [
        (19, 2, 1),
        (17, 1, 2),
        (15, 16, 2),
        (13, 64, 2),
        (14, 10, 1),
        (12, 80, 1),
    ] {
        check(&encoder, &dft, m, width, r);
    }
    for (m, width, r) in [
        (4, 64, 8),
        (1, 32, 9),
        (3, 2, 13),
        (2, 2, 12),
        (0, 4, 9),
        (5, 1, 12),
    ] {
        check(&encoder, &dft, m, width, r);
    }
}

/// Three passes: more top layers than one pass of tiles does.
#[test]
fn very_tall() {
    let encoder = Encoder::<BabyBear>::new(21);
    let dft = Radix2DFTSmallBatch::<BabyBear>::default();
    check(&encoder, &dft, 20, 3, 1);
    check(&encoder, &dft, 17, 64, 1);
}

#[test]
fn thread_counts_agree() {
    let encoder = Encoder::<BabyBear>::new(20);
    for (m, width, r) in [(15, 8, 1), (13, 40, 2), (6, 16, 6), (16, 2, 1)] {
        let message = random::<BabyBear>(width << m, 7);
        let run = |threads: usize| {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let mut codeword = vec![BabyBear::ZERO; message.len() << r];
            pool.install(|| encoder.encode(&message, width, r, &mut codeword, |_, _, _| {}));
            codeword
        };
        assert!(run(1) == run(4));
    }
}

#[test]
#[should_panic(expected = "codeword of 2^8 rows")]
fn refuses_more_rows_than_it_was_built_for() {
    let encoder = Encoder::<BabyBear>::new(7);
    encoder.encode(
        &[BabyBear::ONE; 128],
        1,
        1,
        &mut [BabyBear::ONE; 256],
        |_, _, _| {},
    );
}
