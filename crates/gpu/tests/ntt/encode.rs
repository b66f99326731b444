//! Encodings, by the planned passes and by others.

use p3_baby_bear::BabyBear;
use p3_field::TwoAdicField;
use p3_koala_bear::KoalaBear;
use prova_gpu::ntt::{Kind, Ntt, Shape, plan_pieces};
use prova_hash::HashField;

use crate::common::*;
use crate::oracle::*;

#[test]
fn planned_encodings() {
    let gpu = gpu();
    let kit = kit::<BabyBear, BabyBear4>(&gpu);
    let ntt = Ntt::new(&kit, 20).unwrap();
    for log_rows in 0..=12 {
        for (i, width) in [1, 2, 4, 5, 8, 16, 20, 64, 80, 320].into_iter().enumerate() {
            // Where plans have tiles, some of the widths: each has kernels of its own to compile.
            if width << log_rows > 1 << 16 || (log_rows > 5 && (log_rows + i) % 3 != 0) {
                continue;
            }
            let rate = (log_rows + 2 * i) % 5;
            check::<BabyBear>(&kit, &ntt, shape(log_rows, width, rate), None);
        }
    }
    check::<BabyBear>(&kit, &ntt, shape(14, 4, 1), None);
    check::<BabyBear>(&kit, &ntt, shape(14, 16, 2), None);
}

#[test]
fn planned_encodings_of_koala_bear() {
    let gpu = gpu();
    let kit = kit::<KoalaBear, KoalaBear4>(&gpu);
    let ntt = Ntt::new(&kit, 20).unwrap();
    for (log_rows, width, rate) in [
        (0, 4, 3),
        (3, 5, 2),
        (4, 64, 5),
        (7, 20, 1),
        (8, 64, 4),
        (10, 16, 1),
    ] {
        check::<KoalaBear>(&kit, &ntt, shape(log_rows, width, rate), None);
    }
}

/// Every kernel in every place, with twiddles from the low table alone and from both.
fn forced<F: HashField + TwoAdicField, EF: p3_field::ExtensionField<F>>(low_tables: &[usize]) {
    const STAGES: Kind = Kind::Stages;
    const fn tile(columns: usize, units: usize) -> Kind {
        Kind::Tile { columns, units }
    }
    const fn lifted(lift: usize, columns: usize) -> Kind {
        Kind::Lifted { lift, columns }
    }
    let gpu = gpu();
    let kit = kit::<F, EF>(&gpu);
    for &low in low_tables {
        let ntt = Ntt::with_low_table(&kit, 16, low).unwrap();
        let run = |shape: Shape, list: &[(usize, Kind)]| {
            check::<F>(&kit, &ntt, shape, Some(&passes(shape, list)));
        };
        run(shape(3, 5, 3), &[(1, STAGES), (2, STAGES)]);
        run(shape(7, 4, 2), &[(3, STAGES), (4, STAGES)]);
        run(shape(10, 2, 1), &[(5, STAGES), (5, STAGES)]);
        // Tiles of parts of rows and of whole rows, a stretch of memory or not, not a power of two.
        run(shape(9, 16, 1), &[(4, tile(64, 4)), (5, tile(16, 8))]);
        run(shape(8, 4, 1), &[(2, tile(16, 3)), (6, tile(4, 16))]);
        run(shape(7, 20, 2), &[(7, tile(20, 1))]);
        run(shape(7, 20, 2), &[(2, STAGES), (5, tile(20, 6))]);
        // Parts in registers, first and in place.
        run(shape(8, 16, 3), &[(8, lifted(0, 16))]);
        run(shape(10, 16, 1), &[(9, lifted(1, 16)), (1, STAGES)]);
        run(shape(11, 16, 1), &[(1, STAGES), (10, lifted(2, 16))]);
        // One coset alone.
        run(shape(9, 16, 0), &[(9, lifted(1, 16))]);
        run(shape(10, 16, 0), &[(10, lifted(2, 16))]);
        run(shape(10, 16, 2), &[(10, lifted(2, 16))]);
        run(
            shape(12, 8, 1),
            &[(2, STAGES), (5, lifted(1, 256)), (5, STAGES)],
        );
        run(shape(13, 4, 0), &[(2, STAGES), (11, lifted(1, 4))]);
        run(shape(12, 4, 1), &[(6, lifted(0, 64)), (6, tile(4, 1))]);
    }
}

#[test]
fn every_kernel_in_every_place() {
    forced::<BabyBear, BabyBear4>(&[17, 2]);
}

#[test]
fn every_kernel_in_every_place_of_koala_bear() {
    forced::<KoalaBear, KoalaBear4>(&[2]);
}

#[test]
fn cosets_apart_and_some_only() {
    let gpu = gpu();
    let kit = kit::<BabyBear, BabyBear5>(&gpu);
    let ntt = Ntt::new(&kit, 10).unwrap();
    let shape = shape(6, 5, 3);
    let words = shape.words();
    let message = elements::<BabyBear>(9, words as usize);
    let uploaded = gpu.upload(BabyBear::words(&message)).unwrap();
    // Stored blocks 1, 2 and 3 in a row, 6 elsewhere.
    let near = gpu.buffer(3 * words).unwrap();
    let far = gpu.buffer(words).unwrap();
    let cosets = [
        (reverse(3, 3), near.slice(2 * words, words)),
        (reverse(6, 3), far.slice(0, words)),
        (reverse(1, 3), near.slice(0, words)),
        (reverse(2, 3), near.slice(words, words)),
    ];
    let mut recorder = gpu.record();
    ntt.encode(
        &mut recorder,
        &uploaded.slice(0, words),
        shape,
        &cosets,
        None,
    )
    .unwrap();
    let near = recorder.read(&near.slice(0, 3 * words));
    let far = recorder.read(&far.slice(0, words));
    let back = recorder.finish().unwrap();
    let expected = reference(&message, shape);
    let expected = BabyBear::words(&expected);
    let words = words as usize;
    assert!(back.get(near) == &expected[words..4 * words]);
    assert!(back.get(far) == &expected[6 * words..7 * words]);
}

#[test]
fn message_and_cosets_in_one_buffer() {
    let gpu = gpu();
    let kit = kit::<BabyBear, BabyBear4>(&gpu);
    let ntt = Ntt::new(&kit, 12).unwrap();
    for shape in [shape(3, 8, 1), shape(6, 16, 1), shape(10, 16, 1)] {
        let words = shape.words();
        let message = elements::<BabyBear>(5, words as usize);
        let buffer = gpu.buffer(3 * words).unwrap();
        gpu.write(&buffer.all(), BabyBear::words(&message)).unwrap();
        let cosets = [
            (0, buffer.slice(words, words)),
            (1, buffer.slice(2 * words, words)),
        ];
        let mut recorder = gpu.record();
        let input = buffer.slice(0, words);
        ntt.encode(&mut recorder, &input, shape, &cosets, None)
            .unwrap();
        let ticket = recorder.read(&buffer.slice(0, 3 * words));
        let back = recorder.finish().unwrap();
        let (kept, codeword) = back.get(ticket).split_at(words as usize);
        assert!(kept == BabyBear::words(&message), "{shape:?}: message");
        let expected = reference(&message, shape);
        assert!(codeword == BabyBear::words(&expected), "{shape:?}");
    }
}

#[test]
fn messages_in_pieces() {
    let gpu = gpu();
    let kit = kit::<KoalaBear, KoalaBear5>(&gpu);
    let ntt = Ntt::new(&kit, 13).unwrap();
    for (log_pieces, log_rows, width, rate) in [
        (0, 5, 16, 1),
        (1, 1, 64, 1),
        (1, 8, 5, 2),
        (2, 10, 16, 1),
        (3, 7, 20, 1),
        (4, 12, 16, 0),
    ] {
        let shape = shape(log_rows, width, rate);
        let words = shape.words() >> log_pieces;
        let message = elements::<KoalaBear>(6, shape.words() as usize);
        let pieces: Vec<_> = KoalaBear::words(&message)
            .chunks(words as usize)
            .map(|piece| gpu.upload(piece).unwrap().slice(0, words))
            .collect();
        let cosets: Vec<_> = (0..1 << rate)
            .map(|j| {
                let place = || gpu.buffer(words).unwrap().slice(0, words);
                (j, (0..1 << log_pieces).map(|_| place()).collect::<Vec<_>>())
            })
            .collect();
        let mut recorder = gpu.record();
        ntt.encode_pieces(&mut recorder, &pieces, shape, &cosets, None)
            .unwrap();
        let tickets: Vec<Vec<_>> = cosets
            .iter()
            .map(|(_, pieces)| pieces.iter().map(|p| recorder.read(p)).collect())
            .collect();
        let back = recorder.finish().unwrap();
        let expected = reference(&message, shape);
        let expected = KoalaBear::words(&expected);
        for (j, tickets) in tickets.into_iter().enumerate() {
            let got: Vec<u32> = tickets.iter().flat_map(|&t| back.get(t)).copied().collect();
            let at = reverse(j, rate) * shape.words() as usize;
            let expected = &expected[at..at + shape.words() as usize];
            assert!(
                got == expected,
                "{shape:?}, 2^{log_pieces} pieces, coset {j}"
            );
        }
        let passes = plan_pieces(shape, log_pieces, &gpu.limits(), false).unwrap();
        assert_eq!(passes.iter().map(|p| p.bits).sum::<usize>(), log_rows);
    }
}
