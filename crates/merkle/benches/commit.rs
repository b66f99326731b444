//! Merkle commitments of `2^17` rows: `p3-merkle-tree` against the lean tree.

use divan::Bencher;
use p3_baby_bear::BabyBear;
use p3_blake3::Blake3;
use p3_commit::Mmcs;
use p3_field::{Field, PrimeCharacteristicRing};
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{
    CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher, TruncatedPermutation,
};
use prova_hash::{Blake3TreeHasher, Poseidon2Kernel, Poseidon2TreeHasher16, TreeHasher};
use prova_merkle::Tree;

fn main() {
    divan::main();
}

type F = BabyBear;
type P = <F as Field>::Packing;

const LOG_ROWS: usize = 17;
const WIDTHS: [usize; 4] = [2, 8, 16, 64];

fn values(width: usize) -> Vec<F> {
    (0..width << LOG_ROWS).map(F::from_usize).collect()
}

fn stock<M: Mmcs<F>>(bencher: Bencher<'_, '_>, mmcs: &M, width: usize) {
    bencher
        .with_inputs(|| RowMajorMatrix::new(values(width), width))
        .bench_local_values(|matrix| mmcs.commit_matrix(matrix));
}

fn lean<H: TreeHasher<F>>(bencher: Bencher<'_, '_>, hasher: &H, width: usize) {
    let rows = values(width);
    bencher.bench_local(|| Tree::from_rows(hasher, &rows, width));
}

#[divan::bench(args = WIDTHS, sample_count = 10, sample_size = 1)]
fn poseidon2_plonky3(bencher: Bencher<'_, '_>, width: usize) {
    let perm = Poseidon2Kernel::<F, 16>::grain().permutation().clone();
    let mmcs = MerkleTreeMmcs::<P, P, _, _, 2, 8>::new(
        PaddingFreeSponge::<_, 16, 8, 8>::new(perm.clone()),
        TruncatedPermutation::<_, 2, 8, 16>::new(perm),
        0,
    );
    stock(bencher, &mmcs, width);
}

#[divan::bench(args = WIDTHS, sample_count = 10, sample_size = 1)]
fn poseidon2_prova(bencher: Bencher<'_, '_>, width: usize) {
    lean(bencher, &Poseidon2TreeHasher16::<F>::grain(), width);
}

#[divan::bench(args = WIDTHS, sample_count = 10, sample_size = 1)]
fn blake3_plonky3(bencher: Bencher<'_, '_>, width: usize) {
    let mmcs = MerkleTreeMmcs::<F, u8, _, _, 2, 32>::new(
        SerializingHasher::new(Blake3),
        CompressionFunctionFromHasher::<_, 2, 32>::new(Blake3),
        0,
    );
    stock(bencher, &mmcs, width);
}

#[divan::bench(args = WIDTHS, sample_count = 10, sample_size = 1)]
fn blake3_prova(bencher: Bencher<'_, '_>, width: usize) {
    lean(bencher, &Blake3TreeHasher, width);
}
