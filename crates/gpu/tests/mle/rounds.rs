//! Round messages and binding.

use p3_baby_bear::BabyBear;
use p3_field::{ExtensionField, TwoAdicField};
use p3_koala_bear::KoalaBear;
use prova_gpu::mle::{Mle, Order, cost};
use prova_hash::HashField;

use crate::common::*;
use crate::support::*;

for_all_fields! {
    messages: round_messages;
}

fn round_messages<F: HashField + TwoAdicField, EF: ExtensionField<F>>() {
    let gpu = gpu();
    let mle = mle::<F, EF>(&gpu);
    for order in [Order::Suffix, Order::Prefix] {
        for v in 1..=14 {
            let f = extension_elements::<F, EF>(v, 1 << v);
            let w = extension_elements::<F, EF>(100 + v, 1 << v);
            let r = extension_elements::<F, EF>(200, 1)[0];
            let v = v as usize;
            let from = (&mle.upload(&f).unwrap(), &mle.upload(&w).unwrap());
            let to = (&mle.table(v - 1).unwrap(), &mle.table(v - 1).unwrap());
            let again = (&mle.table(v - 1).unwrap(), &mle.table(v - 1).unwrap());
            let out = room(mle.kit(), 5);
            let r_words = words::<F, EF>(&[r]);
            let more = v > 1;
            let _ = gpu.take_ledger();
            let mut slices = vec![out.clone()];
            for table in [to.0, to.1, again.0, again.1] {
                slices.extend(table.pieces.iter().cloned());
            }
            let got = run(&gpu, &slices, |recorder| {
                recorder.clear(&out);
                mle.round_message(recorder, order, from, &out, 1).unwrap();
                mle.bind(recorder, order, from, to, &r_words).unwrap();
                if more {
                    mle.bind_and_measure(recorder, order, from, again, &r_words, &out, 3)
                        .unwrap();
                } else {
                    mle.bind(recorder, order, from, again, &r_words).unwrap();
                }
            });
            let (f2, w2) = (bound(order, &f, r), bound(order, &w, r));
            let mut expected = vec![EF::ZERO];
            expected.extend(message(order, &f, &w));
            expected.extend(message(order, &f2, &w2));
            for t in [&f2, &w2, &f2, &w2] {
                expected.extend(t);
            }
            assert!(got == words::<F, EF>(&expected), "{order:?}, {v} variables");
            if more {
                let d = EF::DIMENSION;
                let all = cost::round_message(d, v, 1)
                    + cost::bind(d, v)
                    + cost::bind_and_measure(d, v, 1);
                assert_eq!(gpu.take_ledger().cost("mle"), all);
            }
        }
    }
}

#[test]
fn every_multiplication_gives_the_same() {
    type F = BabyBear;
    type EF = BabyBear4;
    let gpu = gpu();
    let f = extension_elements::<F, EF>(1, 1 << 10);
    let w = extension_elements::<F, EF>(2, 1 << 10);
    for multiply in gpu.multiplications() {
        let mle = Mle::new(&kit_with::<F, EF>(&gpu, multiply)).unwrap();
        let out = room(mle.kit(), 2);
        let from = (
            &mle.upload::<F, EF>(&f).unwrap(),
            &mle.upload::<F, EF>(&w).unwrap(),
        );
        let got = run(&gpu, core::slice::from_ref(&out), |recorder| {
            mle.round_message(recorder, Order::Suffix, from, &out, 0)
                .unwrap();
        });
        assert_eq!(got, words::<F, EF>(&message(Order::Suffix, &f, &w)));
    }
}

/// Workgroups that walk, and dispatches cut into several.
#[test]
fn a_large_table() {
    type F = KoalaBear;
    type EF = KoalaBear5;
    let gpu = gpu();
    let mle = mle::<F, EF>(&gpu);
    let v = 21;
    let f = extension_elements::<F, EF>(1, 1 << v);
    let w = extension_elements::<F, EF>(2, 1 << v);
    let r = extension_elements::<F, EF>(3, 1)[0];
    let r_words = words::<F, EF>(&[r]);
    let from = (
        &mle.upload::<F, EF>(&f).unwrap(),
        &mle.upload::<F, EF>(&w).unwrap(),
    );
    let to = (&mle.table(v - 1).unwrap(), &mle.table(v - 1).unwrap());
    let out = room(mle.kit(), 4);
    for order in [Order::Suffix, Order::Prefix] {
        let slices = [out.clone(), to.0.pieces[0].clone(), to.1.pieces[0].clone()];
        let got = run(&gpu, &slices, |recorder| {
            mle.round_message(recorder, order, from, &out, 0).unwrap();
            mle.bind_and_measure(recorder, order, from, to, &r_words, &out, 2)
                .unwrap();
        });
        let (f2, w2) = (bound(order, &f, r), bound(order, &w, r));
        let mut expected = message(order, &f, &w).to_vec();
        expected.extend(message(order, &f2, &w2));
        expected.extend(f2.into_iter().chain(w2));
        assert!(got == words::<F, EF>(&expected), "{order:?}");
    }
}
