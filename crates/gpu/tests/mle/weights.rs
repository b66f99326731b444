//! Weights of claims.

use p3_baby_bear::BabyBear;
use p3_field::{ExtensionField, TwoAdicField};
use p3_koala_bear::KoalaBear;
use prova_gpu::Cost;
use prova_gpu::mle::cost;
use prova_hash::HashField;

use crate::common::*;
use crate::support::*;

for_all_fields! {
    claims: weights_of_claims;
    slots: weights_in_slots;
}

/// Select terms with repeated positions and both ends of the range.
fn selects<F: HashField, EF: ExtensionField<F>>(q: usize, log_domain: usize) -> Vec<(usize, EF)> {
    let order = 1_u64 << log_domain;
    extension_elements::<F, EF>(q as u64, q)
        .into_iter()
        .zip(0_u64..)
        .map(|(c, i)| {
            let position = match i % 7 {
                0 => order - 1,
                1 => 0,
                _ => (i / 2 * 0x9e37_79b1) % order,
            };
            (position as usize, c)
        })
        .collect()
}

fn weights_of_claims<F: HashField + TwoAdicField, EF: ExtensionField<F>>() {
    let gpu = gpu();
    let mle = mle::<F, EF>(&gpu);
    let check = |v: usize, points: usize, q: usize, log_domain: usize| {
        let w = extension_elements::<F, EF>(1, 1 << v);
        let selects = selects::<F, EF>(q, log_domain);
        let points: Vec<_> = (0..points as u64)
            .map(|i| extension_elements::<F, EF>(10 + i, v))
            .collect();
        let equalities: Vec<_> = points
            .iter()
            .zip(extension_elements::<F, EF>(5, points.len()))
            .map(|(point, c)| (point.as_slice(), c))
            .collect();
        let terms = mle
            .weight_terms::<F, EF>(v, &equalities, log_domain, &selects)
            .unwrap();
        let table = mle.upload(&w).unwrap();
        let fresh = mle.upload(&w).unwrap();
        let _ = gpu.take_ledger();
        let got = run(
            &gpu,
            &[table.pieces[0].clone(), fresh.pieces[0].clone()],
            |recorder| {
                mle.add_weights(recorder, &terms, &table, 0).unwrap();
                mle.set_weights(recorder, &terms, &fresh, 0).unwrap();
            },
        );
        let add = match (points.len(), q) {
            (0, 0) => Cost::default(),
            _ => cost::add_weights(EF::DIMENSION, v, q, points.len(), false),
        };
        let set = cost::add_weights(EF::DIMENSION, v, q, points.len(), true);
        assert_eq!(gpu.take_ledger().cost("mle"), add + set);
        let mut expected = w;
        add_weights::<F, EF>(&mut expected, &equalities, log_domain, &selects);
        let mut alone = vec![EF::ZERO; 1 << v];
        add_weights::<F, EF>(&mut alone, &equalities, log_domain, &selects);
        expected.extend(alone);
        assert!(
            got == words::<F, EF>(&expected),
            "{v} variables, {} points, {q} positions of 2^{log_domain}",
            points.len()
        );
    };
    for v in 0..=14 {
        check(v, 1 + v % 3, 1 + v, (v + 3).min(F::TWO_ADICITY));
    }
    for q in [1, 3, 100, 700] {
        check(11, 0, q, 14);
    }
    for log_domain in 1..=20 {
        check(8, 0, 20, log_domain);
    }
    check(12, 4, 0, 0);
    // A dispatch that is cut into several.
    check(15, 1, 500, 20);
    check(4, 0, 0, 5);
    check(13, 2, 100, F::TWO_ADICITY);
}

fn weights_in_slots<F: HashField + TwoAdicField, EF: ExtensionField<F>>() {
    let gpu = gpu();
    let mle = mle::<F, EF>(&gpu);
    let v = 13;
    let slots = [
        (0, 12),
        (4096, 11),
        (6144, 5),
        (6176, 0),
        (6178, 1),
        (7168, 10),
    ];
    let table = mle.table(v).unwrap();
    let mut expected = vec![EF::ZERO; 1 << v];
    let got = run(&gpu, &table.pieces, |recorder| {
        recorder.clear(&table.pieces[0]);
        for (seed, (offset, log_len)) in (0..).zip(slots) {
            let point = extension_elements::<F, EF>(seed, log_len);
            let c = extension_elements::<F, EF>(50 + seed, 1)[0];
            let equalities = [(point.as_slice(), c), (point.as_slice(), c * c)];
            let terms = mle
                .weight_terms::<F, EF>(log_len, &equalities, 0, &[])
                .unwrap();
            mle.set_weights(recorder, &terms, &table, offset).unwrap();
            let offset = offset as usize;
            let slot = &mut expected[offset..offset + (1 << log_len)];
            add_weights::<F, EF>(slot, &equalities, 0, &[]);
        }
    });
    assert!(got == words::<F, EF>(&expected));
}
