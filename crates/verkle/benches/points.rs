//! Multi-scalar multiplication beside `ark-ec`'s, and commitments.

use ark_ec::{CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_ed_on_bls12_381_bandersnatch as ark;
use ark_ff::PrimeField;
use divan::{Bencher, black_box};
use prova_verkle::{Arm, Commitment, Element, Fr, Setup};

const SIZES: [usize; 5] = [18, 217, 2_000, 16_000, 128_000];

fn main() {
    // One thread, so that arms and `ark-ec` compare.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build();
    pool.expect("a pool").install(divan::main);
}

fn scalars(count: usize) -> Vec<Fr> {
    let factor = Fr::from(0x9e37_79b9_7f4a_7c15).pow(&[9]);
    let next = |last: &Fr| Some(*last * factor);
    std::iter::successors(Some(factor), next)
        .take(count)
        .collect()
}

fn points(count: usize) -> Vec<Commitment> {
    let step = Element::generator();
    let next = |last: &Element| Some(last.double() + step);
    let elements: Vec<_> = std::iter::successors(Some(step), next)
        .take(count)
        .collect();
    Commitment::normalise(&elements)
}

fn product(bencher: Bencher<'_, '_>, arm: Arm, count: usize) {
    let setup = Setup::ethereum().with_arm(arm);
    let (points, scalars) = (points(count), scalars(count));
    bencher.bench_local(|| setup.multi_scalar_mul(black_box(&points), black_box(&scalars)));
}

#[divan::bench(args = SIZES, max_time = 4)]
fn msm_best(bencher: Bencher<'_, '_>, count: usize) {
    product(bencher, Arm::best(), count);
}

#[divan::bench(args = SIZES, max_time = 4)]
fn msm_portable(bencher: Bencher<'_, '_>, count: usize) {
    product(bencher, Arm::Portable, count);
}

#[divan::bench(args = SIZES, max_time = 4)]
fn msm_ark(bencher: Bencher<'_, '_>, count: usize) {
    let generator = ark::EdwardsProjective::generator();
    let next = |last: &ark::EdwardsProjective| Some(*last + *last + generator);
    let points: Vec<_> = std::iter::successors(Some(generator), next)
        .take(count)
        .collect();
    let points = ark::EdwardsProjective::normalize_batch(&points);
    let scalars: Vec<_> = scalars(count)
        .iter()
        .map(|scalar| ark::Fr::from_le_bytes_mod_order(&scalar.to_le_bytes()))
        .collect();
    bencher.bench_local(|| ark::EdwardsProjective::msm(black_box(&points), black_box(&scalars)));
}

#[divan::bench(args = [Arm::Portable, Arm::best()])]
fn tables(bencher: Bencher<'_, '_>, arm: &Arm) {
    bencher
        .with_inputs(|| Setup::ethereum().with_arm(*arm))
        .bench_local_values(|setup| {
            setup.prepare();
            setup
        });
}

#[divan::bench(args = [Arm::Portable, Arm::best()])]
fn commit_dense(bencher: Bencher<'_, '_>, arm: &Arm) {
    let setup = Setup::ethereum().with_arm(*arm);
    let values = scalars(256);
    setup.prepare();
    bencher.bench_local(|| setup.commit(black_box(&values)));
}

#[divan::bench(args = [Arm::Portable, Arm::best()])]
fn commit_one_change(bencher: Bencher<'_, '_>, arm: &Arm) {
    let setup = Setup::ethereum().with_arm(*arm);
    let change = [(77, scalars(2)[1])];
    setup.prepare();
    bencher.bench_local(|| setup.commit_sparse(black_box(&change)));
}
