//! Transcripts and grinding against the stock challengers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use p3_baby_bear::BabyBear;
use p3_blake3::Blake3;
use p3_challenger::{
    CanObserve, CanSample, CanSampleUniformBits, DuplexChallenger, FieldChallenger,
    GrindingChallenger, HashChallenger, SerializingChallenger32, UniformSamplingField,
};
use p3_field::PrimeField32;
use p3_field::extension::{BinomialExtensionField, BinomiallyExtendable};
use p3_keccak::Keccak256Hash;
use p3_koala_bear::KoalaBear;
use p3_symmetric::{CryptographicHasher, MerkleCap};
use p3_whir::transcript::WhirProverTranscript;
use prova_hash::challenger::{ByteGrinder, ByteSearch, DuplexGrinder, DuplexSearch, HashGrinder};
use prova_hash::{Poseidon2Field, Poseidon2Kernel};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

trait Transcript<F: PrimeField32 + BinomiallyExtendable<4>>:
    FieldChallenger<F>
    + GrindingChallenger<Witness = F>
    + CanSampleUniformBits<F>
    + CanSample<BinomialExtensionField<F, 4>>
    + Clone
{
}

impl<F, C> Transcript<F> for C
where
    F: PrimeField32 + BinomiallyExtendable<4>,
    C: FieldChallenger<F>
        + GrindingChallenger<Witness = F>
        + CanSampleUniformBits<F>
        + CanSample<BinomialExtensionField<F, 4>>
        + Clone,
{
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

/// Drives both transcripts through the same random steps.
fn equal<F, A, B>(stock: &A, ours: &B, seed: u64)
where
    F: PrimeField32 + BinomiallyExtendable<4>,
    A: Transcript<F>,
    B: Transcript<F> + Send,
{
    let mut rng = StdRng::seed_from_u64(seed);
    let pools = [pool(1), pool(4)];
    for _ in 0..20 {
        let (mut a, mut b) = (stock.clone(), ours.clone());
        for _ in 0..40 {
            match rng.random_range(0..6) {
                0 | 1 => {
                    for _ in 0..rng.random_range(1..20) {
                        let x = F::from_u32(rng.random_range(0..F::ORDER_U32));
                        a.observe(x);
                        b.observe(x);
                    }
                }
                2 => {
                    let x: F = a.sample();
                    assert_eq!(x, b.sample());
                }
                3 => {
                    let x: BinomialExtensionField<F, 4> = a.sample();
                    assert_eq!(x, b.sample());
                }
                4 => assert_eq!(a.sample_bits(9), b.sample_bits(9)),
                _ => {
                    let bits = rng.random_range(0..28);
                    let x = a.sample_uniform_bits::<true>(bits).unwrap();
                    assert_eq!(x, b.sample_uniform_bits::<true>(bits).unwrap());
                }
            }
        }
        for bits in [0, 1, 5, 10] {
            let smallest = (0..F::ORDER_U32)
                .map(F::from_u32)
                .find(|&w| a.clone().check_witness(bits, w))
                .unwrap();
            for pool in &pools {
                let mut c = b.clone();
                assert_eq!(pool.install(|| c.grind(bits)), smallest);
            }
            assert_eq!(b.grind(bits), smallest);
            assert!(a.check_witness(bits, smallest));
            let x: F = a.sample();
            assert_eq!(x, b.sample());
        }
    }
}

fn duplex<F: Poseidon2Field<16> + UniformSamplingField + BinomiallyExtendable<4>>(seed: u64) {
    let (external, internal) = F::grain_constants();
    for kernel in [
        Poseidon2Kernel::grain(),
        Poseidon2Kernel::portable(&external, &internal),
    ] {
        let stock = DuplexChallenger::<F, F::Perm, 16, 8>::new(kernel.permutation().clone());
        equal::<F, _, _>(&stock, &DuplexGrinder::new(kernel), seed);
    }
}

#[test]
fn duplex_transcripts_match() {
    duplex::<BabyBear>(1);
    duplex::<KoalaBear>(2);
}

/// A searcher that answers as told, and counts how often it is asked.
struct Told<F: Poseidon2Field<16>> {
    answer: fn(&Poseidon2Kernel<F, 16>, &[F; 16], usize, usize) -> Option<u64>,
    kernel: Poseidon2Kernel<F, 16>,
    asked: AtomicUsize,
}

impl<F: Poseidon2Field<16>> DuplexSearch<F> for Told<F> {
    fn search(&self, state: &[F; 16], slot: usize, bits: usize) -> Option<u64> {
        assert!(slot < 8 && bits > 0);
        self.asked.fetch_add(1, Ordering::Relaxed);
        (self.answer)(&self.kernel, state, slot, bits)
    }
}

fn told<F: Poseidon2Field<16> + UniformSamplingField + BinomiallyExtendable<4>>(seed: u64) {
    // Right, declined, refused by the transcript, right but for the order, not an element.
    let answers: [fn(&Poseidon2Kernel<F, 16>, &[F; 16], usize, usize) -> Option<u64>; 5] = [
        |kernel, state, slot, bits| kernel.search(state, slot, (1 << bits) - 1, 0, F::ORDER_U64),
        |_, _, _, _| None,
        |kernel, state, slot, bits| {
            (0..F::ORDER_U64).find(|&w| {
                kernel
                    .search(state, slot, (1 << bits) - 1, w, w + 1)
                    .is_none()
            })
        },
        |kernel, state, slot, bits| {
            let found = kernel.search(state, slot, (1 << bits) - 1, 0, F::ORDER_U64);
            found.map(|w| w + F::ORDER_U64)
        },
        |_, _, _, _| Some(u64::MAX),
    ];
    for answer in answers {
        let search = Arc::new(Told {
            answer,
            kernel: Poseidon2Kernel::grain(),
            asked: AtomicUsize::new(0),
        });
        let stock = DuplexChallenger::<F, F::Perm, 16, 8>::new(F::grain());
        let ours = DuplexGrinder::new(Poseidon2Kernel::grain()).with_search(search.clone());
        equal::<F, _, _>(&stock, &ours, seed);
        // Three difficulties above zero on two pools and the transcript itself, 20 times.
        assert_eq!(search.asked.load(Ordering::Relaxed), 3 * 3 * 20);
    }
}

#[test]
fn a_searcher_never_changes_the_transcript() {
    told::<BabyBear>(7);
    told::<KoalaBear>(8);
}

#[test]
fn a_searchers_witness_is_taken() {
    // Passing, but not the smallest: only a searcher finds it.
    fn second(
        kernel: &Poseidon2Kernel<BabyBear, 16>,
        state: &[BabyBear; 16],
        slot: usize,
        bits: usize,
    ) -> Option<u64> {
        let search = |from| {
            kernel.search(
                state,
                slot,
                (1 << bits) - 1,
                from,
                u64::from(BabyBear::ORDER_U32),
            )
        };
        search(search(0)? + 1)
    }
    let kernel = Poseidon2Kernel::grain();
    let search = Arc::new(Told {
        answer: second,
        kernel: kernel.clone(),
        asked: AtomicUsize::new(0),
    });
    let mut plain = DuplexGrinder::<BabyBear>::new(kernel);
    let mut searched = plain.clone().with_search(search);
    let smallest = plain.clone().grind(5);
    let witness = searched.grind(5);
    assert!(witness.as_canonical_u32() > smallest.as_canonical_u32());
    assert!(plain.check_witness(5, witness));
    let (a, b): (BabyBear, BabyBear) = (plain.sample(), searched.sample());
    assert_eq!(a, b);
}

fn bytes<F, H>(hasher: H, seed: u64)
where
    F: PrimeField32 + BinomiallyExtendable<4>,
    H: CryptographicHasher<u8, [u8; 32]> + Send + Sync,
{
    let initial = vec![1, 2, 3];
    let stock = SerializingChallenger32::<F, _>::new(HashChallenger::<u8, H, 32>::new(
        initial.clone(),
        hasher.clone(),
    ));
    let ours = ByteGrinder::<F, H>::new(HashGrinder::new(initial, hasher));
    equal::<F, _, _>(&stock, &ours, seed);
}

#[test]
fn byte_transcripts_match() {
    bytes::<BabyBear, _>(Blake3, 3);
    bytes::<KoalaBear, _>(Blake3, 4);
    bytes::<BabyBear, _>(Keccak256Hash, 5);
    bytes::<KoalaBear, _>(Keccak256Hash, 6);
}

/// Answers with a fixed word, and remembers what it was asked for.
#[derive(Debug)]
struct Answers(u64, std::sync::Mutex<Vec<(usize, usize)>>);

impl ByteSearch for Answers {
    fn search(&self, pending: &[u8], bits: usize) -> Option<u64> {
        self.1.lock().unwrap().push((pending.len(), bits));
        Some(self.0)
    }
}

#[test]
fn a_byte_search_is_asked_and_checked() {
    let fresh = || HashGrinder::new(vec![9; 40], Blake3);
    let right = ByteGrinder::<BabyBear, _>::new(fresh()).grind(9);
    let smallest = u64::from(right.as_canonical_u32());
    // The right witness, one that fails, and one out of range.
    for answer in [smallest, smallest + 1, u64::MAX] {
        let search = std::sync::Arc::new(Answers(answer, Default::default()));
        let mut ours = ByteGrinder::<BabyBear, _>::new(fresh().with_search(search.clone()));
        assert_eq!(ours.grind(9), right);
        assert_eq!(*search.1.lock().unwrap(), [(32, 9)]);
    }
}

/// The bounds under which WHIR takes a challenger and a commitment.
fn usable_by_whir<F, C, D>()
where
    F: PrimeField32 + BinomiallyExtendable<4>,
    C: Transcript<F> + CanObserve<MerkleCap<F, D>>,
{
}

#[test]
fn whir_accepts_the_challengers() {
    usable_by_whir::<BabyBear, DuplexGrinder<BabyBear>, [BabyBear; 8]>();
    usable_by_whir::<KoalaBear, DuplexGrinder<KoalaBear>, [KoalaBear; 8]>();
    usable_by_whir::<BabyBear, ByteGrinder<BabyBear, Blake3>, [u8; 32]>();
    usable_by_whir::<KoalaBear, ByteGrinder<KoalaBear, Keccak256Hash>, [u64; 4]>();
    type Ef = BinomialExtensionField<BabyBear, 4>;
    let _: Option<WhirProverTranscript<'_, DuplexGrinder<BabyBear>, BabyBear, Ef>> = None;
    let _: Option<WhirProverTranscript<'_, ByteGrinder<BabyBear, Blake3>, BabyBear, Ef>> = None;
}
