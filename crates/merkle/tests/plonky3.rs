//! Roots and openings against `p3-merkle-tree`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use p3_baby_bear::BabyBear;
use p3_blake3::Blake3;
use p3_commit::Mmcs;
use p3_field::Field;
use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_koala_bear::KoalaBear;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::{MerkleTreeMmcs, PrunedMerklePaths};
use p3_symmetric::{
    CompressionFunctionFromHasher, MerkleCap, PaddingFreeSponge, SerializingHasher,
    TruncatedPermutation,
};
use prova_hash::shape::{Keccak256, MerkleHash, SoftKeccakF, node_from_bytes};
use prova_hash::{
    Blake3TreeHasher, HashField, Keccak256TreeHasher, KeccakTreeHasher, Poseidon2Field,
    Poseidon2Kernel, Poseidon2TreeHasher16, Poseidon2TreeHasher24, TreeHasher,
};
use prova_merkle::verify::{VerifyError, verify_pruned};
use prova_merkle::{Tree, TreeBuilder};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Compares root and openings for one shape.
fn check<F, M, H, W, const D: usize>(
    mmcs: &M,
    hasher: &H,
    log: usize,
    width: usize,
    rng: &mut StdRng,
) where
    F: HashField,
    W: Copy + Eq + core::fmt::Debug + 'static,
    M: Mmcs<F, Commitment = MerkleCap<F, [W; D]>, MultiProof = PrunedMerklePaths<W, D>>,
    H: TreeHasher<F, Digest = [W; D]>,
    [W; D]: Default + Send + Sync,
{
    let count = 1usize << log;
    let values: Vec<F> = (0..count * width)
        .map(|_| F::from_u32(rng.random_range(0..F::ORDER_U32)))
        .collect();
    let row = |i: usize| &values[i * width..][..width];
    let reverse = |i: usize| {
        if log == 0 {
            0
        } else {
            i.reverse_bits() >> (64 - log)
        }
    };
    let stored: Vec<F> = (0..count).flat_map(|i| row(reverse(i)).to_vec()).collect();

    let matrix = RowMajorMatrix::new(values.clone(), width);
    let dimensions = [matrix.dimensions()];
    let (cap, data) = mmcs.commit_matrix(matrix);
    let full = Tree::from_rows_keeping_leaves(hasher, &stored, width);
    let lean = Tree::from_rows(hasher, &stored, width);
    assert_eq!(cap.roots(), [full.root()], "2^{log} rows of {width}");
    assert_eq!(full.root(), lean.root());
    assert_eq!(full.log_leaves(), log);
    if log > 0 {
        let builder = TreeBuilder::keeping_leaves(log);
        for (s, row) in stored.chunks(width).enumerate().rev() {
            builder.absorb_rows(hasher, s, row, width);
        }
        assert_eq!(builder.finish::<F, _>(hasher), full, "row by row");
    }

    for picks in [0, 1, 2, 7, 40] {
        let indices: Vec<usize> = (0..picks).map(|_| rng.random_range(0..count)).collect();
        if indices.is_empty() {
            assert!(full.open(&indices, |_, _| unreachable!()).is_empty());
            continue;
        }
        let (rows, proof) = mmcs.open_multi_batch(&indices, &data);
        let siblings = full.open(&indices, |_, _| unreachable!("the leaves are kept"));
        assert_eq!(siblings, proof.sibling_hashes, "{indices:?}");
        let leaf = |i: usize| {
            let mut out = [Default::default()];
            hasher.hash_rows(row(i), width, &mut out);
            out[0]
        };
        let recomputed = lean.open(&indices, |level, i| {
            assert_eq!(level, 0, "only the leaves are missing");
            leaf(i)
        });
        assert_eq!(recomputed, siblings);
        let mut leaner = lean.clone();
        leaner.drop_below(2);
        assert_eq!(leaner.root(), lean.root());
        let recomputed = leaner.open(&indices, |level, i| {
            if level == 0 {
                return leaf(i);
            }
            assert_eq!(level, 1, "only the two lowest levels are missing");
            let mut out = [Default::default()];
            hasher.compress(&[leaf(2 * i)], &[leaf(2 * i + 1)], &mut out);
            out[0]
        });
        assert_eq!(recomputed, siblings);
        let proof = PrunedMerklePaths {
            sibling_hashes: recomputed,
        };
        mmcs.verify_multi_batch(&cap, &dimensions, &indices, &rows, &proof)
            .expect("the opening verifies");
    }
}

fn shapes() -> impl Iterator<Item = (usize, usize)> {
    (1..=70)
        .map(|width| (1 + width % 6, width))
        .chain((0..=10).map(|log| (log, 8)))
        .chain([(7, 128), (5, 320), (9, 16)])
}

fn poseidon2<F: Poseidon2Field<16> + Poseidon2Field<24>>(seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let leaf24 = Poseidon2Kernel::<F, 24>::grain();
    let node = Poseidon2Kernel::<F, 16>::grain();
    let perm16 = node.permutation().clone();
    let compress = TruncatedPermutation::<_, 2, 8, 16>::new(perm16.clone());
    let mmcs16 = MerkleTreeMmcs::<<F as Field>::Packing, <F as Field>::Packing, _, _, 2, 8>::new(
        PaddingFreeSponge::<_, 16, 8, 8>::new(perm16),
        compress.clone(),
        0,
    );
    let mmcs24 = MerkleTreeMmcs::<<F as Field>::Packing, <F as Field>::Packing, _, _, 2, 8>::new(
        PaddingFreeSponge::<_, 24, 16, 8>::new(leaf24.permutation().clone()),
        compress,
        0,
    );
    let hasher16 = Poseidon2TreeHasher16::new(node.clone());
    let hasher24 = Poseidon2TreeHasher24::new(leaf24, node);
    for (log, width) in shapes() {
        check(&mmcs16, &hasher16, log, width, &mut rng);
        check(&mmcs24, &hasher24, log, width, &mut rng);
    }
}

#[test]
fn poseidon2_matches_baby_bear() {
    poseidon2::<BabyBear>(1);
}

#[test]
fn poseidon2_matches_koala_bear() {
    poseidon2::<KoalaBear>(2);
}

/// Caps and their openings, from each to the verifier of the other.
fn check_caps<F, H, V>(
    mmcs: impl Fn(usize) -> KeccakMmcs<F>,
    hasher: &H,
    verifier: &V,
    rng: &mut StdRng,
) where
    F: HashField,
    H: TreeHasher<F, Digest = [u8; 32]>,
    V: MerkleHash<Word = u32, Node = [u32; 8]>,
{
    for (log, cap_height) in (0..=7u32).flat_map(|log| (0..=log).map(move |cap| (log, cap))) {
        let (count, width) = (1usize << log, 1 + (log + cap_height) as usize % 5);
        let values: Vec<F> = (0..count * width)
            .map(|_| F::from_u32(rng.random_range(0..F::ORDER_U32)))
            .collect();
        let row = |i: usize| &values[i * width..][..width];
        let reverse = |i: usize| i.reverse_bits().unbounded_shr(usize::BITS - log);
        let stored: Vec<F> = (0..count).flat_map(|i| row(reverse(i)).to_vec()).collect();
        let mmcs = mmcs(cap_height as usize);
        let matrix = RowMajorMatrix::new(values.clone(), width);
        let dimensions = [matrix.dimensions()];
        let (cap, data) = mmcs.commit_matrix(matrix);
        let tree = Tree::from_rows_keeping_leaves(hasher, &stored, width);
        assert_eq!(cap.roots(), tree.cap(cap_height as usize));
        if cap_height < log {
            let mut lean = Tree::from_rows(hasher, &stored, width);
            lean.drop_below((log - cap_height) as usize);
            assert_eq!(cap.roots(), lean.cap(cap_height as usize));
        }

        let indices: Vec<usize> = (0..9).map(|_| rng.random_range(0..count)).collect();
        let (rows, proof) = mmcs.open_multi_batch(&indices, &data);
        let siblings = tree.open_below_cap(cap_height as usize, &indices, |_, _| {
            unreachable!("all kept")
        });
        assert_eq!(siblings, proof.sibling_hashes);
        let ours = PrunedMerklePaths {
            sibling_hashes: siblings,
        };
        mmcs.verify_multi_batch(&cap, &dimensions, &indices, &rows, &ours)
            .expect("our opening verifies there");

        let nodes = |bytes: &[[u8; 32]]| bytes.iter().map(node_from_bytes).collect::<Vec<_>>();
        let leaves: Vec<[u32; 8]> = rows
            .iter()
            .map(|rows| verifier.leaf(F::words(&rows[0])))
            .collect();
        let (mut cap, siblings) = (nodes(cap.roots()), nodes(&proof.sibling_hashes));
        verify_pruned(verifier, log as usize, &cap, &indices, &leaves, &siblings)
            .expect("their opening verifies here");
        let opened = indices[0] >> (log - cap_height);
        cap[opened][0] ^= 1;
        let got = verify_pruned(verifier, log as usize, &cap, &indices, &leaves, &siblings);
        assert_eq!(got, Err(VerifyError::Root { index: opened }));
    }
}

type KeccakMmcs<F> = MerkleTreeMmcs<
    F,
    u8,
    SerializingHasher<Keccak256Hash>,
    CompressionFunctionFromHasher<Keccak256Hash, 2, 32>,
    2,
    32,
>;

fn keccak_mmcs<F: HashField>(cap_height: usize) -> KeccakMmcs<F> {
    MerkleTreeMmcs::new(
        SerializingHasher::new(Keccak256Hash),
        CompressionFunctionFromHasher::new(Keccak256Hash),
        cap_height,
    )
}

#[test]
fn caps_match() {
    let mut rng = StdRng::seed_from_u64(5);
    let verifier = Keccak256::<SoftKeccakF>::new();
    check_caps::<BabyBear, _, _>(keccak_mmcs, &Keccak256TreeHasher, &verifier, &mut rng);
    check_caps::<KoalaBear, _, _>(keccak_mmcs, &Keccak256TreeHasher, &verifier, &mut rng);
}

#[test]
#[should_panic(expected = "was dropped")]
fn a_dropped_cap_is_not_given() {
    let tree = Tree::from_rows(&Blake3TreeHasher, &[BabyBear::new(1); 16], 1);
    let _ = tree.cap(4);
}

fn bytes<F: HashField>(seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let blake3 = MerkleTreeMmcs::<F, u8, _, _, 2, 32>::new(
        SerializingHasher::new(Blake3),
        CompressionFunctionFromHasher::<_, 2, 32>::new(Blake3),
        0,
    );
    let sponge = PaddingFreeSponge::<KeccakF, 25, 17, 4>::new(KeccakF);
    let keccak = MerkleTreeMmcs::<[F; VECTOR_LEN], [u64; VECTOR_LEN], _, _, 2, 4>::new(
        SerializingHasher::new(sponge),
        CompressionFunctionFromHasher::<_, 2, 4>::new(sponge),
        0,
    );
    for (log, width) in shapes() {
        check(&blake3, &Blake3TreeHasher, log, width, &mut rng);
        check(&keccak, &KeccakTreeHasher, log, width, &mut rng);
        check(
            &keccak_mmcs::<F>(0),
            &Keccak256TreeHasher,
            log,
            width,
            &mut rng,
        );
    }
}

#[test]
fn bytes_match() {
    bytes::<BabyBear>(3);
    bytes::<KoalaBear>(4);
}

#[test]
fn blocks_may_arrive_in_any_order() {
    let rows: Vec<BabyBear> = (0..256 * 3).map(BabyBear::new).collect();
    let hasher = Blake3TreeHasher;
    let builder = TreeBuilder::new(8);
    for s in [96, 0, 64, 32] {
        let lower = &rows[3 * s..][..3 * 32];
        let upper = &rows[3 * (128 + s)..][..3 * 32];
        builder.absorb_pair(&hasher, s, lower, upper, 3);
    }
    let tree = builder.finish::<BabyBear, _>(&hasher);
    assert_eq!(tree, Tree::from_rows(&hasher, &rows, 3));
}

#[test]
#[should_panic(expected = "absorbed before")]
fn overlap_is_refused() {
    let rows = [BabyBear::new(1); 16];
    let builder = TreeBuilder::new(5);
    builder.absorb_pair(&Blake3TreeHasher, 0, &rows[..8], &rows[8..], 1);
    builder.absorb_pair(&Blake3TreeHasher, 7, &rows[..8], &rows[8..], 1);
}

#[test]
#[should_panic(expected = "absorbed before")]
fn a_row_of_a_pair_is_refused() {
    let rows = [BabyBear::new(1); 16];
    let builder = TreeBuilder::keeping_leaves(5);
    builder.absorb_pair(&Blake3TreeHasher, 0, &rows[..8], &rows[8..], 1);
    builder.absorb_rows(&Blake3TreeHasher, 23, &rows[..1], 1);
}

#[test]
#[should_panic(expected = "absorbed before")]
fn a_pair_over_a_row_is_refused() {
    let rows = [BabyBear::new(1); 16];
    let builder = TreeBuilder::keeping_leaves(5);
    builder.absorb_rows(&Blake3TreeHasher, 16, &rows[..1], 1);
    builder.absorb_pair(&Blake3TreeHasher, 0, &rows[..8], &rows[8..], 1);
}

#[test]
#[should_panic(expected = "all alone or all in pairs: 8 pairs and 16 rows of 2^5")]
fn a_mixture_is_refused() {
    let rows = [BabyBear::new(1); 16];
    let builder = TreeBuilder::keeping_leaves(5);
    builder.absorb_pair(&Blake3TreeHasher, 0, &rows[..8], &rows[8..], 1);
    builder.absorb_rows(&Blake3TreeHasher, 8, &rows[..8], 1);
    builder.absorb_rows(&Blake3TreeHasher, 24, &rows[..8], 1);
    let _ = builder.finish::<BabyBear, _>(&Blake3TreeHasher);
}

/// Gives up at the first compression.
#[derive(Clone, Copy)]
struct Failing;

impl TreeHasher<BabyBear> for Failing {
    type Digest = [u8; 32];

    fn hash_rows(&self, _: &[BabyBear], _: usize, _: &mut [[u8; 32]]) {}

    fn compress(&self, _: &[[u8; 32]], _: &[[u8; 32]], _: &mut [[u8; 32]]) {
        panic!("no compression");
    }
}

#[test]
#[should_panic(expected = "must be absorbed")]
fn what_a_panic_left_out_is_missing() {
    let rows = [BabyBear::new(1); 16];
    let builder = TreeBuilder::keeping_leaves(4);
    let absorbed = catch_unwind(AssertUnwindSafe(|| {
        builder.absorb_pair(&Failing, 0, &rows[..8], &rows[8..], 1);
    }));
    assert!(absorbed.is_err());
    let _ = builder.finish::<BabyBear, _>(&Blake3TreeHasher);
}

#[test]
fn kept_leaves_may_arrive_from_several_threads() {
    let rows: Vec<BabyBear> = (0..1024).map(BabyBear::new).collect();
    let hasher = &Blake3TreeHasher;
    let (in_pairs, alone) = (
        TreeBuilder::keeping_leaves(10),
        TreeBuilder::keeping_leaves(10),
    );
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (rows, in_pairs, alone) = (&rows, &in_pairs, &alone);
            scope.spawn(move || {
                for s in (0..512).step_by(100).skip(thread).step_by(4) {
                    let end = (s + 100).min(512);
                    in_pairs.absorb_pair(hasher, s, &rows[s..end], &rows[512 + s..512 + end], 1);
                    alone.absorb_rows(hasher, s, &rows[s..end], 1);
                    alone.absorb_rows(hasher, 512 + s, &rows[512 + s..512 + end], 1);
                }
            });
        }
    });
    let expected = Tree::from_rows_keeping_leaves(hasher, &rows, 1);
    assert_eq!(in_pairs.finish::<BabyBear, _>(hasher), expected);
    assert_eq!(alone.finish::<BabyBear, _>(hasher), expected);
}

#[test]
#[should_panic(expected = "must be absorbed")]
fn gaps_are_refused() {
    let rows = [BabyBear::new(1); 16];
    let builder = TreeBuilder::new(5);
    builder.absorb_pair(&Blake3TreeHasher, 0, &rows[..8], &rows[8..], 1);
    let _ = builder.finish::<BabyBear, _>(&Blake3TreeHasher);
}
