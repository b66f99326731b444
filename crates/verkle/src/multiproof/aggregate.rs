//! All queries as one: E = Σ r^i/(t − z_i)·C_i has the value Σ r^i/(t − z_i)·y_i at t.

use alloc::vec::Vec;

use crate::chunks::for_chunks;
use crate::curve::Affine;
use crate::field::{Fr, batch_invert};
use crate::lagrange::{DOMAIN, domain_index};

use super::{Query, VerifyError};

/// Queries whose powers of r are computed together.
const CHUNK: usize = 2048;

/// The aggregated query.
pub(super) struct Aggregate {
    /// The commitments, each once.
    pub points: Vec<Affine>,
    /// Their factors.
    pub scalars: Vec<Fr>,
    /// The value.
    pub value: Fr,
}

impl Aggregate {
    /// # Errors
    /// [`VerifyError::ZeroChallenge`] for an r of zero, which leaves queries out, or a t in the
    /// domain.
    pub(super) fn new(queries: &[Query<'_>], r: Fr, t: Fr) -> Result<Self, VerifyError> {
        if r.is_zero() || domain_index(t).is_some() {
            return Err(VerifyError::ZeroChallenge);
        }
        let mut inverses: [Fr; DOMAIN] = core::array::from_fn(|z| t - Fr::from_u64(z as u64));
        batch_invert(&mut inverses);
        let (weights, value) = weigh(queries, r, &inverses);
        let (points, scalars) = merge(queries, weights);
        Ok(Self {
            points,
            scalars,
            value,
        })
    }
}

/// The factors r^i/(t − z_i), and the sum of the values times them.
fn weigh(queries: &[Query<'_>], r: Fr, inverses: &[Fr; DOMAIN]) -> (Vec<Fr>, Fr) {
    let mut weights = alloc::vec![Fr::ZERO; queries.len()];
    let values = for_chunks(CHUNK, queries, &mut weights, |start, queries, weights| {
        let mut power = r.pow(&[start as u64]);
        // Values opened at one point have one factor 1/(t − z): grouped, they share its product.
        let mut grouped = [Fr::ZERO; DOMAIN];
        for (query, weight) in queries.iter().zip(weights) {
            let point = usize::from(query.point);
            let value = Fr::from_canonical_le_bytes_over_radix(query.value.as_bytes());
            grouped[point] += power * value;
            *weight = power * inverses[point];
            power *= r;
        }
        let total: Fr = grouped.iter().zip(inverses).map(|(g, i)| *g * *i).sum();
        total.times_radix()
    });
    (weights, values.into_iter().sum())
}

/// Equal commitments once, with the sum of their factors, in the order in which they come first.
///
/// By sorting, so that no choice of commitments makes it slow: by eight bytes of the encoding,
/// which tell honest commitments apart, then, where these are equal and the rest is not, by all.
fn merge(queries: &[Query<'_>], mut weights: Vec<Fr>) -> (Vec<Affine>, Vec<Fr>) {
    let commitment = |index: usize| queries[index].commitment;
    let mut merged = alloc::vec![false; queries.len()];
    let mut join = |into: usize, index: usize| {
        let weight = weights[index];
        weights[into] += weight;
        merged[index] = true;
    };

    // A tree's openings come sorted by commitment: most equal ones are neighbours.
    let mut keys: Vec<u128> = Vec::with_capacity(queries.len());
    let mut first = 0;
    for index in 0..queries.len() {
        if index > 0 && commitment(index) == commitment(first) {
            join(first, index);
        } else {
            let (words, _) = commitment(index).as_bytes().as_chunks::<8>();
            keys.push(u128::from(u64::from_le_bytes(words[3])) << 64 | index as u128);
            first = index;
        }
    }
    sort(&mut keys);
    let index = |key: &u128| *key as u64 as usize;
    for run in keys.chunk_by_mut(|a, b| a >> 64 == b >> 64) {
        let [first, others @ ..] = &*run else {
            continue;
        };
        let first = commitment(index(first));
        if others.iter().any(|key| commitment(index(key)) != first) {
            run.sort_unstable_by_key(|key| (commitment(index(key)).as_bytes(), *key));
        }
        for equal in run.chunk_by(|a, b| commitment(index(a)) == commitment(index(b))) {
            for key in &equal[1..] {
                join(index(&equal[0]), index(key));
            }
        }
    }

    let mut points = Vec::with_capacity(queries.len());
    for (index, merged) in merged.iter().enumerate() {
        if !merged {
            weights[points.len()] = weights[index];
            points.push(commitment(index).point);
        }
    }
    weights.truncate(points.len());
    (points, weights)
}

fn sort(keys: &mut [u128]) {
    #[cfg(feature = "parallel")]
    if keys.len() > CHUNK {
        return rayon::slice::ParallelSliceMut::par_sort_unstable(keys);
    }
    keys.sort_unstable();
}

#[cfg(test)]
mod tests;
