//! The prover of the inner product argument.
//!
//! The basis is not folded round by round. After k rounds, with w = 256/2^k, it would be
//! G'_j = Σ_u σ_u·G_{u·w+j}, where σ_u is the product of the inverse challenges of the rounds that
//! the bits of u stand for, the first round being the most significant. L and R together are then
//! one sum over all 256 generators, for which there are fixed-base tables.
//!
//! With windows of 8 bits that is 256·32 additions a round, 65 thousand in all, and where there are
//! lanes eight of them go in parallel. Without lanes the basis is folded once, to 32 points: one
//! more pass over the tables, a thousand additions for odd multiples of the points, and then 254
//! doublings and 68·21 additions a round instead, 42 thousand in all. One round earlier or later
//! would be a few thousand more.

use alloc::vec;
use alloc::vec::Vec;

use crate::arm::Arm;
use crate::element::{Commitment, Element};
use crate::field::Fr;
use crate::fixed::OddMultiples;
use crate::lagrange::{DOMAIN, inner_product};
use crate::msm::spread;
use crate::multiproof::ProveError;
use crate::setup::Setup;
use crate::transcript::Transcript;

use super::{IpaProof, ROUNDS, round, start};

/// Rounds before the basis is folded, where there are no lanes.
const FOLDED: usize = 3;

/// Proves the value at `point` of the polynomial whose values on the domain are `vector` and whose
/// commitment is `commitment`, and returns the value too.
///
/// # Errors
/// [`ProveError::ZeroChallenge`], which happens with negligible probability.
pub fn prove(
    setup: &Setup,
    transcript: &mut Transcript,
    commitment: &Commitment,
    vector: &[Fr; DOMAIN],
    point: Fr,
) -> Result<(IpaProof, Fr), ProveError> {
    let (mut a, mut b) = (*vector, setup.weights.evaluation_vector(point));
    let (mut a, mut b) = (a.as_mut_slice(), b.as_mut_slice());
    let value = inner_product(a, b);
    let w = start(transcript, commitment, point, value);
    if w.is_zero() {
        return Err(ProveError::ZeroChallenge);
    }

    // The basis in use, the generators at first, and what its points count in the folded one.
    let mut folded: Option<OddMultiples> = None;
    let mut sigma = vec![Fr::ONE];
    let mut l = [Commitment::IDENTITY; ROUNDS];
    let mut r = [Commitment::IDENTITY; ROUNDS];
    for k in 0..ROUNDS {
        if k == FOLDED && setup.arm != Arm::Ifma {
            folded = Some(setup.fold_generators(&sigma));
            sigma = vec![Fr::ONE];
        }
        let half = a.len() / 2;
        let (a_low, a_high) = a.split_at_mut(half);
        let (b_low, b_high) = b.split_at_mut(half);
        // L takes the points whose index has the bit of `half` clear, R the others; each takes Q,
        // which comes after them.
        let mut left = Vec::with_capacity(DOMAIN / 2 + 1);
        let mut right = Vec::with_capacity(DOMAIN / 2 + 1);
        for (u, sigma) in sigma.iter().enumerate() {
            let first = 2 * half * u;
            left.extend((first..).zip(a_high.iter().map(|a| *sigma * *a)));
            right.extend((first + half..).zip(a_low.iter().map(|a| *sigma * *a)));
        }
        let q = 2 * half * sigma.len();
        left.push((q, w * inner_product(a_high, b_low)));
        right.push((q, w * inner_product(a_low, b_high)));
        let sums = spread::map(&[left, right], |terms| {
            Element(match &folded {
                Some(folded) => folded.sum(terms),
                None => setup.sum(terms),
            })
        });
        let both = Commitment::normalise(&sums);
        (l[k], r[k]) = (both[0], both[1]);

        let x = round(transcript, &l[k], &r[k]);
        let inverse = x.invert().ok_or(ProveError::ZeroChallenge)?;
        fold(a_low, a_high, x);
        fold(b_low, b_high, inverse);
        (a, b) = (a_low, b_low);
        // The round's bit comes below those before it.
        sigma = sigma
            .iter()
            .flat_map(|sigma| [*sigma, *sigma * inverse])
            .collect();
    }
    Ok((IpaProof { l, r, a: a[0] }, value))
}

fn fold(low: &mut [Fr], high: &[Fr], factor: Fr) {
    for (low, high) in low.iter_mut().zip(high) {
        *low += factor * *high;
    }
}
