//! Folding and evaluating.

use p3_baby_bear::BabyBear;
use p3_field::{ExtensionField, PrimeCharacteristicRing, PrimeField32, TwoAdicField};
use p3_koala_bear::KoalaBear;
use prova_gpu::mle::{cost, eq_factors};
use prova_hash::HashField;

use crate::common::*;
use crate::support::*;

for_all_fields! {
    folds: folded_messages;
    partials: partial_evaluations;
    tables: evaluated_tables;
}

/// Folds to try: all for one extension, some for the others, because each is a kernel to compile.
fn folds<F: HashField, EF: ExtensionField<F>>() -> Vec<usize> {
    if EF::DIMENSION == 4 && F::ORDER_U32 == BabyBear::ORDER_U32 {
        (0..=8).collect()
    } else if EF::DIMENSION == 5 {
        vec![0, 1, 3, 6]
    } else {
        vec![2, 5]
    }
}

fn folded_messages<F: HashField + TwoAdicField, EF: ExtensionField<F>>() {
    let gpu = gpu();
    let mle = mle::<F, EF>(&gpu);
    for fold in folds::<F, EF>() {
        for v in (fold..=14).filter(|v| (fold < 7 || v % 3 == 0) && (v - fold) % 2 == 0) {
            let columns = [elements::<F>(1, 1 << v), elements::<F>(2, 1 << v)];
            let row = extension_elements::<F, EF>(3, 1 << fold);
            let uploaded = mle.upload_row(&row).unwrap();
            let to = mle.table(v - fold + 1).unwrap();
            let _ = gpu.take_ledger();
            let got = run(&gpu, &to.pieces, |recorder| {
                for (i, column) in columns.iter().enumerate() {
                    let slice = gpu.upload(F::words(column)).unwrap().slice(0, 1 << v);
                    let offset = (i << (v - fold)) as u64;
                    mle.fold_message(recorder, &[slice], &uploaded, &to, offset)
                        .unwrap();
                }
            });
            let spent = gpu.take_ledger().cost("mle");
            assert_eq!(spent, cost::fold_message(EF::DIMENSION, v, fold) * 2);
            let expected: Vec<EF> = columns
                .iter()
                .flat_map(|column| folded::<F, EF>(column, &row))
                .collect();
            assert!(got == words::<F, EF>(&expected), "fold {fold} of {v}");
        }
    }
}

fn partial_evaluations<F: HashField + TwoAdicField, EF: ExtensionField<F>>() {
    let gpu = gpu();
    let mle = mle::<F, EF>(&gpu);
    let check = |v: usize, fold: usize, count: usize| {
        let column = elements::<F>(1, 1 << v);
        let slice = gpu.upload(F::words(&column)).unwrap().slice(0, 1 << v);
        let points: Vec<_> = (0..count as u64)
            .map(|i| extension_elements::<F, EF>(10 + i, v - fold))
            .collect();
        let slices: Vec<&[EF]> = points.iter().map(Vec::as_slice).collect();
        let tables = mle.eq_tables(&slices).unwrap();
        let out = room(mle.kit(), 1 + (count << fold));
        let _ = gpu.take_ledger();
        let got = run(&gpu, core::slice::from_ref(&out), |recorder| {
            recorder.clear(&out);
            mle.partial_evaluations(recorder, &[slice], fold, &tables, &out, 1)
                .unwrap();
        });
        let spent = gpu.take_ledger().cost("mle");
        let expected = cost::partial_evaluations(EF::DIMENSION, v, 1, fold, count);
        assert_eq!(spent, expected, "fold {fold} of {v}, {count} points");
        let mut expected = vec![EF::ZERO];
        for point in &points {
            expected.extend(partial::<F, EF>(&column, point, fold));
        }
        assert!(
            got == words::<F, EF>(&expected),
            "fold {fold} of {v}, {count} points"
        );
    };
    for fold in folds::<F, EF>() {
        for v in (fold..=14).filter(|v| (v - fold) % 3 == 0) {
            check(v, fold, 1);
        }
    }
    for count in [2, 3, 4, 6] {
        check(13, 4, count);
        if EF::DIMENSION == 4 {
            check(5, 1, count);
            check(12, 8, count);
        }
    }
    check(18, 4, 1);
}

fn evaluated_tables<F: HashField + TwoAdicField, EF: ExtensionField<F>>() {
    let gpu = gpu();
    let mle = mle::<F, EF>(&gpu);
    for v in 0..=14 {
        let f = extension_elements::<F, EF>(1, 1 << v);
        let table = mle.upload(&f).unwrap();
        for count in [1, 2, 3, 4, 7] {
            let points: Vec<_> = (0..count as u64)
                .map(|i| extension_elements::<F, EF>(10 + i, v))
                .collect();
            let slices: Vec<&[EF]> = points.iter().map(Vec::as_slice).collect();
            let tables = mle.eq_tables(&slices).unwrap();
            let out = room(mle.kit(), count + 2);
            let _ = gpu.take_ledger();
            let got = run(&gpu, core::slice::from_ref(&out), |recorder| {
                recorder.clear(&out);
                mle.evaluate(recorder, &table, &tables, &out, 2).unwrap();
            });
            let spent = gpu.take_ledger().cost("mle");
            assert_eq!(spent, cost::evaluate(EF::DIMENSION, v, 1, count));
            let mut expected = vec![EF::ZERO; 2];
            expected.extend(evaluations(&f, &slices));
            assert!(got == words::<F, EF>(&expected), "{v}, {count} points");
        }
    }
}

#[test]
fn factors_multiply_to_the_eq_table() {
    for v in 0..=12 {
        let point = extension_elements::<BabyBear, BabyBear4>(7, v);
        let (high, low) = eq_factors(&point);
        let product: Vec<_> = high
            .iter()
            .flat_map(|&h| low.iter().map(move |&l| h * l))
            .collect();
        assert!(product == eq(&point, BabyBear4::ONE));
    }
}
