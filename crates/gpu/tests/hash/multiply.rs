//! Every way to multiply, where hashing multiplies.

use p3_baby_bear::BabyBear;
use p3_field::ExtensionField;
use p3_koala_bear::KoalaBear;
use prova_gpu::hash::{HashKind, Hashing};

use crate::common::*;
use crate::oracle::{self, HashedField, digests};

fn check<F: HashedField, EF: ExtensionField<F>>() {
    let gpu = gpu();
    let (width, count) = (19, 64);
    let rows = elements::<F>(5, width * count);
    let input = gpu.upload(F::words(&rows)).unwrap();
    let expected = oracle::levels(HashKind::Poseidon2x24, &rows, width);
    for multiply in gpu.multiplications() {
        let kit = kit_with::<F, EF>(&gpu, multiply);
        let hashing = Hashing::new::<F>(&kit, HashKind::Poseidon2x24).unwrap();
        let leaves = gpu.buffer(digests(count)).unwrap().all();
        let parents = gpu.buffer(digests(count / 2)).unwrap().all();
        let mut recorder = gpu.record();
        hashing
            .leaves(&mut recorder, &input.all(), width, count as u32, &leaves)
            .unwrap();
        hashing
            .parents(&mut recorder, &leaves, count as u32, &parents)
            .unwrap();
        let ticket = recorder.read(&parents.slice(0, digests(count / 2)));
        let back = recorder.finish().unwrap();
        assert!(back.get(ticket) == expected[1], "{multiply:?}");
    }
}

#[test]
fn baby_bear() {
    check::<BabyBear, BabyBear4>();
}

#[test]
fn koala_bear() {
    check::<KoalaBear, KoalaBear5>();
}
