//! Digests of rows out of the last pass.

use p3_baby_bear::BabyBear;
use p3_field::{ExtensionField, PrimeCharacteristicRing, TwoAdicField};
use p3_koala_bear::KoalaBear;
use prova_gpu::hash::{DIGEST_WORDS, HashKind, Hashing};
use prova_gpu::ntt::{Leaves, Ntt, plan_with_leaves};
use prova_hash::{HashField, Poseidon2Field, Poseidon2TreeHasher16, TreeHasher};

use crate::common::*;
use crate::oracle::*;

fn fused<F, EF>(kind: HashKind, shapes: &[(usize, usize, usize)])
where
    F: TwoAdicField + Poseidon2Field<16> + Poseidon2Field<24>,
    EF: ExtensionField<F>,
{
    let gpu = gpu();
    let kit = kit::<F, EF>(&gpu);
    let ntt = Ntt::new(&kit, 16).unwrap();
    let hashing = Hashing::new::<F>(&kit, kind).unwrap();
    for &(log_rows, width, rate) in shapes {
        let shape = shape(log_rows, width, rate);
        let words = shape.words();
        let message = elements::<F>(3, words as usize);
        let uploaded = gpu.upload(F::words(&message)).unwrap().slice(0, words);
        let codeword = gpu.buffer(words << rate).unwrap();
        let each = DIGEST_WORDS << log_rows;
        let digests = gpu.buffer(each << rate).unwrap();
        let places: Vec<_> = (0..1 << rate)
            .map(|j| {
                let block = reverse(j, rate) as u64;
                (
                    (j, codeword.slice(block * words, words)),
                    digests.slice(block * each, each),
                )
            })
            .collect();
        let (cosets, places): (Vec<_>, Vec<_>) = places.into_iter().unzip();
        let leaves = Leaves {
            hashing: &hashing,
            digests: &places,
        };
        let passes = plan_with_leaves(shape, cosets.len(), &gpu.limits());
        let passes = passes.expect("tiles of enough whole rows");
        let mut recorder = gpu.record();
        let leaves = Some(leaves);
        ntt.encode_by(&mut recorder, &uploaded, shape, &cosets, leaves, &passes)
            .unwrap();
        let rows = recorder.read(&codeword.slice(0, words << rate));
        let fused = recorder.read(&digests.slice(0, each << rate));
        let back = recorder.finish().unwrap();
        let expected = reference(&message, shape);
        assert!(back.get(rows) == F::words(&expected), "{shape:?}: rows");

        let apart = gpu.buffer(each << rate).unwrap().slice(0, each << rate);
        let mut recorder = gpu.record();
        let count = 1 << (log_rows + rate);
        hashing
            .leaves(&mut recorder, &codeword.all(), width, count, &apart)
            .unwrap();
        let apart = recorder.read(&apart);
        let alone = recorder.finish().unwrap();
        assert!(back.get(fused) == alone.get(apart), "{kind:?}, {shape:?}");
        if kind == HashKind::Poseidon2x16 {
            let mut digests = vec![[F::ZERO; 8]; count as usize];
            Poseidon2TreeHasher16::<F>::grain().hash_rows(&expected, width, &mut digests);
            assert!(
                back.get(fused) == F::words(digests.as_flattened()),
                "{shape:?}"
            );
        }
    }
}

#[test]
fn fused_poseidon2() {
    fused::<BabyBear, BabyBear4>(
        HashKind::Poseidon2x16,
        &[
            (4, 64, 2),
            (6, 64, 3),
            (8, 16, 1),
            (10, 16, 2),
            (7, 20, 1),
            (12, 4, 1),
        ],
    );
}

#[test]
fn fused_poseidon2_of_koala_bear() {
    fused::<KoalaBear, KoalaBear4>(HashKind::Poseidon2x16, &[(7, 64, 1)]);
    fused::<KoalaBear, KoalaBear4>(HashKind::Poseidon2x24, &[(9, 16, 1)]);
}

#[test]
fn fused_byte_hashes() {
    fused::<BabyBear, BabyBear4>(HashKind::Blake3, &[(9, 16, 1), (3, 5, 4)]);
    fused::<BabyBear, BabyBear4>(HashKind::Keccak, &[(6, 64, 1)]);
}

#[test]
fn encode_says_whether_it_hashed() {
    let gpu = gpu();
    let kit = kit::<BabyBear, BabyBear4>(&gpu);
    let ntt = Ntt::new(&kit, 10).unwrap();
    let hashing = Hashing::new::<BabyBear>(&kit, HashKind::Poseidon2x16).unwrap();
    for (width, expected) in [(16, true), (320, false)] {
        let shape = shape(8, width, 0);
        let words = shape.words();
        let message = gpu.upload(&vec![1; words as usize]).unwrap();
        let rows = gpu.buffer(words).unwrap().slice(0, words);
        let digests = [gpu
            .buffer(DIGEST_WORDS << 8)
            .unwrap()
            .slice(0, DIGEST_WORDS << 8)];
        let leaves = Leaves {
            hashing: &hashing,
            digests: &digests,
        };
        let mut recorder = gpu.record();
        let message = message.slice(0, words);
        let hashed = ntt.encode(&mut recorder, &message, shape, &[(0, rows)], Some(leaves));
        assert_eq!(hashed.unwrap(), expected, "width {width}");
        recorder.finish().unwrap();
    }
}

#[test]
fn fused_in_pieces() {
    let gpu = gpu();
    let kit = kit::<BabyBear, BabyBear4>(&gpu);
    let ntt = Ntt::new(&kit, 11).unwrap();
    let hashing = Hashing::new::<BabyBear>(&kit, HashKind::Poseidon2x16).unwrap();
    let shape = shape(9, 16, 1);
    let (words, each) = (shape.words() / 2, DIGEST_WORDS << 8);
    let message = elements::<BabyBear>(8, shape.words() as usize);
    let pieces: Vec<_> = BabyBear::words(&message)
        .chunks(words as usize)
        .map(|piece| gpu.upload(piece).unwrap().slice(0, words))
        .collect();
    let place = |words: u64| gpu.buffer(words).unwrap().slice(0, words);
    let cosets = [1, 0].map(|j| (j, vec![place(words), place(words)]));
    let digests: Vec<_> = (0..4).map(|_| place(each)).collect();
    let leaves = Leaves {
        hashing: &hashing,
        digests: &digests,
    };
    let mut recorder = gpu.record();
    let hashed = ntt.encode_pieces(&mut recorder, &pieces, shape, &cosets, Some(leaves));
    assert!(hashed.unwrap());
    let tickets: Vec<_> = digests.iter().map(|d| recorder.read(d)).collect();
    let back = recorder.finish().unwrap();
    let mut expected = vec![[BabyBear::ZERO; 8]; 1 << 10];
    let rows = reference(&message, shape);
    Poseidon2TreeHasher16::<BabyBear>::grain().hash_rows(&rows, 16, &mut expected);
    let (low, high) = expected.split_at(1 << 9);
    // Coset 1, the upper half, was first.
    let expected = [high, low].concat();
    let got: Vec<u32> = tickets.iter().flat_map(|&t| back.get(t)).copied().collect();
    assert!(got == BabyBear::words(expected.as_flattened()));
}
