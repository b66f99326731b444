use alloc::collections::BTreeMap;

use super::*;
use crate::element::{Commitment, Element};
use crate::field::Field;
use crate::multiproof::ScalarBytes;

/// Elements whose encodings agree in the eight bytes that are sorted by first, and others.
fn commitments() -> Vec<Commitment> {
    let mut commitments: Vec<Commitment> = (0..=255)
        .filter_map(|k| {
            let mut bytes = [7; 32];
            bytes[3] = k;
            Commitment::from_bytes(&bytes).ok()
        })
        .take(9)
        .collect();
    assert_eq!(commitments.len(), 9);
    let multiples = (1..40).map(|k| Element::generator() * Fr::from_u64(k));
    commitments.extend(multiples.map(|element| element.to_commitment()));
    commitments.push(Commitment::IDENTITY);
    commitments
}

/// Claims about the commitments in a disorderly order, many of them about one.
fn claims(count: usize) -> Vec<(usize, u8, Fr)> {
    (0..count)
        .map(|i| {
            let j = i * i % 97 * 31 % 49;
            (
                j,
                (i * 37 % 256) as u8,
                Fr::from_u64(i as u64 + 2).pow(&[9]),
            )
        })
        .collect()
}

fn check(count: usize) {
    let commitments = commitments();
    assert_eq!(commitments.len(), 49);
    let claims = claims(count);
    let queries: Vec<Query<'_>> = claims
        .iter()
        .map(|(j, point, value)| Query {
            commitment: &commitments[*j],
            point: *point,
            value: ScalarBytes::from(*value),
        })
        .collect();
    let (r, t) = (Fr::from_u64(5).pow(&[77]), Fr::from_u64(3).pow(&[99]));
    let aggregate = Aggregate::new(&queries, r, t).unwrap_or_else(|e| panic!("{e}"));

    let mut sums = BTreeMap::new();
    let mut total = Fr::ZERO;
    for (i, (j, point, value)) in claims.iter().enumerate() {
        let difference = t - Fr::from_u64(u64::from(*point));
        let factor = r.pow(&[i as u64]) * difference.invert().unwrap_or(Fr::ZERO);
        total += factor * *value;
        *sums.entry(*commitments[*j].as_bytes()).or_insert(Fr::ZERO) += factor;
    }
    assert_eq!(aggregate.value, total, "{count} queries");
    assert_eq!(aggregate.points.len(), sums.len(), "each once");
    for (point, scalar) in aggregate.points.iter().zip(&aggregate.scalars) {
        let bytes = *Commitment::from_affine(*point).as_bytes();
        assert_eq!(sums.remove(&bytes), Some(*scalar), "{count} queries");
    }
}

#[test]
fn equal_commitments_are_merged() {
    for count in [1, 2, 3, 50, 300, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5] {
        check(count);
    }
}

#[cfg(feature = "parallel")]
#[test]
fn threads_do_not_matter() {
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap_or_else(|e| panic!("{e}"))
            .install(|| check(2 * CHUNK + 3));
    }
}

#[test]
fn unusable_challenges_are_refused() {
    let commitment = Commitment::IDENTITY;
    let queries = [Query {
        commitment: &commitment,
        point: 3,
        value: ScalarBytes::ZERO,
    }];
    let verdict = |r, t| Aggregate::new(&queries, r, t).map(|_| ());
    let t = Fr::from_u64(256);
    assert_eq!(verdict(Fr::ONE, t), Ok(()));
    assert_eq!(verdict(Fr::ONE, -Field::ONE), Ok(()));
    assert_eq!(verdict(Fr::ZERO, t), Err(VerifyError::ZeroChallenge));
    for z in 0..256 {
        let verdict = verdict(Fr::ONE, Fr::from_u64(z));
        assert_eq!(verdict, Err(VerifyError::ZeroChallenge), "t = {z}");
    }
}
