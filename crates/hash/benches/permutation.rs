//! Poseidon2 throughput: Plonky3's packed permutation against the batched kernel.

use divan::{Bencher, counter::ItemsCount};
use p3_baby_bear::BabyBear;
use p3_koala_bear::KoalaBear;
use p3_symmetric::Permutation;
use prova_hash::{Poseidon2Field, Poseidon2Kernel};

fn main() {
    divan::main();
}

const ROWS: usize = 1024;

#[divan::bench(types = [BabyBear, KoalaBear], sample_count = 200)]
fn plonky3_16<F: Poseidon2Field<16>>(bencher: Bencher<'_, '_>) {
    packed::<F, 16>(bencher);
}

#[divan::bench(types = [BabyBear, KoalaBear], sample_count = 200)]
fn plonky3_24<F: Poseidon2Field<24>>(bencher: Bencher<'_, '_>) {
    packed::<F, 24>(bencher);
}

fn packed<F: Poseidon2Field<W>, const W: usize>(bencher: Bencher<'_, '_>) {
    let kernel = Poseidon2Kernel::<F, W>::grain();
    let lanes = <F::Packing as p3_field::PackedValue>::WIDTH;
    let mut states = vec![[<F::Packing as Default>::default(); W]; ROWS / lanes];
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
        for state in &mut states {
            kernel.permutation().permute_mut(state);
        }
    });
}

#[divan::bench(types = [BabyBear, KoalaBear], sample_count = 200)]
fn prova_compress_16<F: Poseidon2Field<16>>(bencher: Bencher<'_, '_>) {
    let kernel = Poseidon2Kernel::<F, 16>::grain();
    let left = vec![[F::TWO; 8]; ROWS];
    let right = vec![[F::ONE; 8]; ROWS];
    let mut out = vec![[F::ZERO; 8]; ROWS];
    bencher
        .counter(ItemsCount::new(ROWS))
        .bench_local(|| kernel.compress(&left, &right, &mut out));
}

#[divan::bench(types = [BabyBear, KoalaBear], sample_count = 200)]
fn prova_leaf_24<F: Poseidon2Field<24>>(bencher: Bencher<'_, '_>) {
    let kernel = Poseidon2Kernel::<F, 24>::grain();
    let rows = vec![F::TWO; 16 * ROWS];
    let mut out = vec![[F::ZERO; 8]; ROWS];
    bencher
        .counter(ItemsCount::new(ROWS))
        .bench_local(|| kernel.hash_rows(&rows, 16, &mut out));
}
