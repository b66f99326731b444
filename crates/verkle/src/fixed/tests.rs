use alloc::vec::Vec;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::crs::Crs;
use crate::element::{Commitment, Element};
use crate::lagrange::DOMAIN;
use crate::setup::Setup;

/// Terms of all sizes and signs.
fn values(seed: u64) -> Vec<Fr> {
    let mut rng = StdRng::seed_from_u64(seed);
    let half = Fr::from_u64(2).invert().expect("odd");
    (0..DOMAIN as u64)
        .map(|i| {
            let power = Fr::from_u64(2).pow(&[i % 253]);
            match i % 8 {
                0 => Fr::ZERO,
                1 => power,
                2 => -power,
                3 => Fr::from_u64(i),
                // Around (r ± 1)/2, where the sign changes.
                4 => half - Fr::from_u64(i / 64),
                5 => Fr::from_u64(2).pow(&[128]) + Fr::from_u64(rng.random()),
                _ => Fr::from_le_bytes_reduced(&rng.random()),
            }
        })
        .collect()
}

/// The encoding of a sum, which must be a point: with X = Y = 0 it would equal everything.
fn encoded(sum: Element) -> Commitment {
    assert!(
        !sum.0.y.is_zero() && !sum.0.z.is_zero(),
        "no point: {sum:?}"
    );
    sum.to_commitment()
}

fn plain(crs: &Crs, values: &[Fr]) -> Element {
    crs.elements()
        .zip(values)
        .map(|(point, value)| Element::from(&point) * *value)
        .sum()
}

#[test]
fn tables_of_every_width_and_arm() {
    let crs = Crs::ethereum();
    let (values, q) = (values(1), -Fr::from_u64(12345));
    let whole = plain(&crs, &values);
    let both = encoded(whole + crs.q() * q);
    let whole = encoded(whole);
    let pairs: Vec<(u8, Fr)> = (0..=255).zip(values.iter().copied()).collect();
    for (arm, widths) in [
        (Arm::Portable, [2, 8, 9].as_slice()),
        (Arm::Adx, &[5]),
        (Arm::Ifma, &[2, 3, 5, 6, 7, 8, 9, 10]),
    ] {
        for &bits in widths {
            let setup = Setup::ethereum().with_arm(arm).with_table_window(bits);
            assert_eq!(encoded(Element(setup.commit_with_q(&values, q))), both);
            assert_eq!(setup.table_bytes(), 0);
            setup.prepare();
            let bytes = setup.table_bytes();
            assert!(
                bytes > 0 && bytes <= BUDGET + 96,
                "{bits} bits: {bytes} bytes"
            );
            let got = encoded(setup.commit(&values));
            assert_eq!(got, whole, "{arm:?}, {bits} bits");
            assert_eq!(encoded(setup.commit_sparse(&pairs)), whole);
            assert_eq!(encoded(Element(setup.commit_with_q(&values, q))), both);
        }
    }
}

/// Sums over the folded basis are sums over the generators with the factors multiplied in.
#[cfg(feature = "prove")]
#[test]
fn folded_generators() {
    let crs = Crs::ethereum();
    let values = values(6);
    for arm in [Arm::Portable, Arm::Adx] {
        let setup = Setup::ethereum().with_arm(arm);
        for count in [1, 8, 256] {
            let w = DOMAIN / count;
            let mut factors = values[DOMAIN - count..].to_vec();
            factors[0] = Fr::ONE;
            let folded = setup.fold_generators(&factors);
            assert_eq!(encoded(Element(folded.sum(&[]))), Commitment::IDENTITY);
            // Q comes last. Some terms are zero, and one point occurs twice.
            let mut terms: Vec<_> = (0..=w).zip(values.iter().copied()).collect();
            terms.push((w / 2, values[7]));
            let mut expanded = vec![Fr::ZERO; DOMAIN];
            let mut q = Fr::ZERO;
            for (j, scalar) in &terms {
                if *j == w {
                    q += *scalar;
                    continue;
                }
                for (u, factor) in factors.iter().enumerate() {
                    expanded[u * w + j] += *factor * *scalar;
                }
            }
            let expected = plain(&crs, &expanded) + crs.q() * q;
            let got = encoded(Element(folded.sum(&terms)));
            assert_eq!(got, encoded(expected), "{arm:?}, {count}");
        }
    }
}

#[test]
fn few_terms() {
    let crs = Crs::ethereum();
    let values = values(2);
    let points: Vec<Element> = crs.elements().map(|point| Element::from(&point)).collect();
    for arm in [Arm::Portable, Arm::Ifma] {
        let setup = Setup::ethereum().with_arm(arm);
        assert_eq!(encoded(setup.commit(&[])), Commitment::IDENTITY);
        assert_eq!(
            encoded(setup.commit(&[Fr::ZERO; 300])),
            Commitment::IDENTITY
        );
        assert_eq!(encoded(setup.commit_sparse(&[])), Commitment::IDENTITY);
        for (i, value) in values.iter().enumerate() {
            let got = setup.commit_sparse(&[(i as u8, *value)]);
            let expected = encoded(points[i] * *value);
            assert_eq!(encoded(got), expected, "{arm:?}, {i}");
        }
        // The same index more than once, and values beyond the last generator.
        let twice = setup.commit_sparse(&[(9, values[1]), (9, values[2]), (9, Fr::ONE)]);
        let expected = points[9] * (values[1] + values[2] + Fr::ONE);
        assert_eq!(encoded(twice), encoded(expected));
        let nothing = setup.commit_sparse(&[(7, values[6]), (7, -values[6])]);
        assert_eq!(encoded(nothing), Commitment::IDENTITY);
        let long = [values.clone(), values.clone()].concat();
        assert_eq!(encoded(setup.commit(&long)), encoded(plain(&crs, &values)));
        let first = encoded(plain(&crs, &values[..20]));
        assert_eq!(encoded(setup.commit(&values[..20])), first);
    }
}

/// Every list of jobs has room from the start.
#[test]
fn jobs_do_not_grow() {
    let points = &Crs::ethereum().points[..2];
    let mut tables = FixedBase::new(Arm::Portable, 2, points, false);
    tables.layout.groups = 3;
    let jobs = tables.jobs(&[(0, Fr::ZERO), (1, Fr::ZERO)]);
    assert_eq!(jobs.groups.len(), 3);
    for group in &jobs.groups {
        assert!(group.capacity() >= 2 * tables.layout.tables);
    }
}

#[test]
fn arms_that_cannot_run_and_other_generators() {
    let crs = Crs::generate(b"other generators");
    let values = values(3);
    let expected = encoded(plain(&crs, &values));
    let setup = Setup::new(crs).with_arm(Arm::best());
    assert_eq!(encoded(setup.commit(&values)), expected);
    // Tables are made anew for another arm.
    let setup = setup.with_arm(Arm::Portable);
    assert_eq!(encoded(setup.commit(&values)), expected);
}

#[cfg(feature = "parallel")]
#[test]
fn threads_do_not_change_the_sum() {
    let values = values(4);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool").install(|| {
            let setup = Setup::ethereum();
            encoded(setup.commit(&values))
        })
    };
    assert_eq!(with(1), with(2));
    assert_eq!(with(1), with(5));
}

/// Tables made while other work of the same pool waits for them.
#[cfg(feature = "parallel")]
#[test]
fn first_commitments_at_the_same_time() {
    use rayon::iter::{IntoParallelIterator, ParallelIterator};
    let values = values(5);
    let expected = encoded(plain(&Crs::ethereum(), &values));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    pool.expect("a pool").install(|| {
        let setup = Setup::ethereum();
        let equal = (0..20).into_par_iter().all(|i| {
            if i % 5 == 4 {
                setup.prepare();
            }
            encoded(setup.commit(&values)) == expected
        });
        assert!(equal);
    });
}
