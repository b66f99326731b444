//! Digests of rows.

use p3_baby_bear::BabyBear;
use p3_field::ExtensionField;
use p3_koala_bear::KoalaBear;
use prova_gpu::hash::{HashKind, Hashing};

use crate::common::*;
use crate::oracle::{self, HashedField};

/// Widths around the blocks of every hash, and beyond the chunks of BLAKE3.
const WIDE: [usize; 15] = [
    64, 68, 69, 80, 101, 128, 256, 257, 320, 512, 513, 777, 1024, 1025, 2049,
];

fn check<F: HashedField, EF: ExtensionField<F>>(kind: HashKind) {
    let gpu = gpu();
    let kit = kit::<F, EF>(&gpu);
    let hashing = Hashing::new::<F>(&kit, kind).unwrap();
    for width in (1..=41).chain(WIDE) {
        let count = [1, 63, 64, 65, 100][width % 5];
        let rows = elements::<F>(width as u64, width * count);
        let input = gpu.upload(F::words(&rows)).unwrap();
        let digests = gpu.buffer(oracle::digests(count)).unwrap();
        let digests = digests.slice(0, oracle::digests(count));
        let mut recorder = gpu.record();
        hashing
            .leaves(&mut recorder, &input.all(), width, count as u32, &digests)
            .unwrap();
        let ticket = recorder.read(&digests);
        let back = recorder.finish().unwrap();
        assert!(
            back.get(ticket) == oracle::levels(kind, &rows, width)[0],
            "{kind:?}, width {width}"
        );
    }
}

#[test]
fn poseidon2_16() {
    check::<BabyBear, BabyBear4>(HashKind::Poseidon2x16);
    check::<KoalaBear, KoalaBear5>(HashKind::Poseidon2x16);
}

#[test]
fn poseidon2_24() {
    check::<BabyBear, BabyBear5>(HashKind::Poseidon2x24);
    check::<KoalaBear, KoalaBear4>(HashKind::Poseidon2x24);
}

#[test]
fn keccak() {
    check::<BabyBear, BabyBear4>(HashKind::Keccak);
    check::<KoalaBear, KoalaBear4>(HashKind::Keccak);
}

#[test]
fn blake3() {
    check::<BabyBear, BabyBear4>(HashKind::Blake3);
    check::<KoalaBear, KoalaBear4>(HashKind::Blake3);
}
