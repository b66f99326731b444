//! Field arithmetic of every multiplication against Plonky3's.

mod common;

use common::*;
use p3_baby_bear::BabyBear;
use p3_field::TwoAdicField;
use p3_koala_bear::KoalaBear;
use prova_gpu::mul;
use prova_hash::HashField;

fn products<F: HashField + TwoAdicField, EF: p3_field::ExtensionField<F>>() {
    let gpu = gpu();
    let near = |x: u32| [x.wrapping_sub(1), x, x + 1];
    let edges: Vec<u32> = [
        1,
        1 << 15,
        1 << 16,
        1 << 17,
        F::ORDER_U32 / 2,
        F::ORDER_U32 - 2,
    ]
    .into_iter()
    .flat_map(near)
    .collect();
    // Edge cases are stored words, not values.
    let from_word = |w: u32| F::from_u32(w) * F::from_u64(1 << 32).inverse();
    let mut left: Vec<F> = Vec::new();
    let mut right: Vec<F> = Vec::new();
    for &a in &edges {
        for &b in &edges {
            left.push(from_word(a));
            right.push(from_word(b));
        }
    }
    left.extend(elements::<F>(1, 4096));
    right.extend(elements::<F>(2, 4096));
    for multiply in gpu.multiplications() {
        let kit = kit_with::<F, EF>(&gpu, multiply);
        for rounds in [1, 2, 7] {
            let (a, b) = (
                gpu.upload(F::words(&left)).unwrap(),
                gpu.upload(F::words(&right)).unwrap(),
            );
            let n = left.len() as u64;
            let out = gpu.buffer(n).unwrap();
            let mut recorder = gpu.record();
            mul::chain(
                &kit,
                &mut recorder,
                &a.slice(0, n),
                &b.slice(0, n),
                &out.slice(0, n),
                rounds,
            )
            .unwrap();
            let ticket = recorder.read(&out.slice(0, n));
            let back = recorder.finish().unwrap();
            let expected: Vec<F> = left
                .iter()
                .zip(&right)
                .map(|(&x, &y)| x * y.exp_u64(u64::from(rounds)))
                .collect();
            assert_eq!(
                back.get(ticket),
                F::words(&expected),
                "{multiply:?}, {rounds} rounds"
            );
        }
    }
}

#[test]
fn products_of_baby_bear() {
    products::<BabyBear, BabyBear4>();
}

#[test]
fn products_of_koala_bear() {
    products::<KoalaBear, KoalaBear4>();
}

#[test]
fn a_fastest_multiplication_is_found() {
    let gpu = gpu();
    let kit = kit::<BabyBear, BabyBear4>(&gpu);
    let multiply = mul::fastest(&gpu, &kit.field, &kit.extension).unwrap();
    assert!(gpu.multiplications().contains(&multiply));
    assert!(gpu.products_per_second() > 0);
}
