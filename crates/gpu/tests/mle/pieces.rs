//! Tables and columns in pieces.

use p3_baby_bear::BabyBear;
use p3_field::{ExtensionField, TwoAdicField};
use p3_koala_bear::KoalaBear;
use prova_gpu::GpuError;
use prova_gpu::mle::{Order, cost};
use prova_hash::HashField;

use crate::common::*;
use crate::support::*;

for_all_fields! {
    pieces: tables_in_pieces;
}

fn tables_in_pieces<F: HashField + TwoAdicField, EF: ExtensionField<F>>() {
    let gpu = gpu();
    let mle = mle::<F, EF>(&gpu);
    let order = Order::Suffix;
    let r = extension_elements::<F, EF>(3, 1)[0];
    let r_words = words::<F, EF>(&[r]);
    let out = room(mle.kit(), 4);
    for (v, piece) in [(6, 4), (9, 64), (12, 1024), (13, 4096)] {
        let f = extension_elements::<F, EF>(1, 1 << v);
        let w = extension_elements::<F, EF>(2, 1 << v);
        let (f2, w2) = (bound(order, &f, r), bound(order, &w, r));
        let from = (
            &cut::<F, EF>(&gpu, &f, piece),
            &cut::<F, EF>(&gpu, &w, piece),
        );
        let blank = vec![EF::ZERO; f2.len()];
        for piece_to in [piece / 2, piece] {
            let to = (
                &cut::<F, EF>(&gpu, &blank, piece_to),
                &cut::<F, EF>(&gpu, &blank, piece_to),
            );
            let mut slices = vec![out.clone()];
            slices.extend(to.0.pieces.iter().chain(&to.1.pieces).cloned());
            let _ = gpu.take_ledger();
            let got = run(&gpu, &slices, |recorder| {
                mle.round_message(recorder, order, from, &out, 0).unwrap();
                mle.bind_and_measure(recorder, order, from, to, &r_words, &out, 2)
                    .unwrap();
            });
            let pieces = f.len() / piece;
            let all = cost::round_message(EF::DIMENSION, v, pieces)
                + cost::bind_and_measure(EF::DIMENSION, v, pieces);
            assert_eq!(gpu.take_ledger().cost("mle"), all);
            let mut expected = message(order, &f, &w).to_vec();
            expected.extend(message(order, &f2, &w2));
            expected.extend(f2.iter().chain(&w2));
            assert!(got == words::<F, EF>(&expected), "pieces of {piece}");
            // Pairs of the prefix order lie in two pieces.
            let refused = mle.bind(&mut gpu.record(), Order::Prefix, from, to, &r_words);
            assert!(matches!(refused, Err(GpuError::Unsupported(_))));
        }

        // Evaluations and weights, in slots that cover several pieces or a part of one.
        let points: Vec<_> = (0..5)
            .map(|i| extension_elements::<F, EF>(10 + i, v))
            .collect();
        let slices: Vec<&[EF]> = points.iter().map(Vec::as_slice).collect();
        let tables = mle.eq_tables(&slices).unwrap();
        let out = room(mle.kit(), 5);
        let got = run(&gpu, core::slice::from_ref(&out), |recorder| {
            mle.evaluate(recorder, from.0, &tables, &out, 0).unwrap();
        });
        assert!(got == words::<F, EF>(&evaluations(&f, &slices)));
        for (log_len, offset) in [(v, 0), (v - 1, 1 << (v - 1)), (5, 32), (1, 6), (0, 63)] {
            let point = extension_elements::<F, EF>(20, log_len);
            let equalities = [(point.as_slice(), r)];
            let selects = [(3, r * r), (5, r)];
            let terms = mle
                .weight_terms::<F, EF>(log_len, &equalities, 13, &selects)
                .unwrap();
            let table = cut::<F, EF>(&gpu, &w, piece);
            let got = run(&gpu, &table.pieces, |recorder| {
                mle.add_weights(recorder, &terms, &table, offset as u64)
                    .unwrap();
            });
            let mut expected = w.clone();
            let slot = &mut expected[offset..offset + (1 << log_len)];
            add_weights::<F, EF>(slot, &equalities, 13, &selects);
            assert!(got == words::<F, EF>(&expected), "{log_len} at {offset}");
        }
    }

    // A base-field column in pieces, folded into a slot of a table in other pieces.
    let column = elements::<F>(4, 1 << 9);
    for (fold, piece, piece_to) in [(2, 128, 16), (2, 16, 128), (4, 1 << 9, 8), (0, 64, 1024)] {
        let slices: Vec<_> = column
            .chunks_exact(piece)
            .map(|c| gpu.upload(F::words(c)).unwrap().slice(0, piece as u64))
            .collect();
        let row = extension_elements::<F, EF>(5, 1 << fold);
        let rows = column.len() >> fold;
        let blank = vec![EF::ZERO; 2 * rows];
        let to = cut::<F, EF>(&gpu, &blank, piece_to);
        let uploaded = mle.upload_row(&row).unwrap();
        let point = extension_elements::<F, EF>(6, 9 - fold);
        let tables = mle.eq_tables(&[&point]).unwrap();
        let out = room(mle.kit(), 1 << fold);
        let mut results = to.pieces.clone();
        results.push(out.clone());
        let got = run(&gpu, &results, |recorder| {
            mle.fold_message(recorder, &slices, &uploaded, &to, rows as u64)
                .unwrap();
            mle.partial_evaluations(recorder, &slices, fold, &tables, &out, 0)
                .unwrap();
        });
        let mut expected = blank;
        expected.truncate(rows);
        expected.extend(folded::<F, EF>(&column, &row));
        expected.extend(partial::<F, EF>(&column, &point, fold));
        assert!(got == words::<F, EF>(&expected), "fold {fold}, {piece}");
    }
}
