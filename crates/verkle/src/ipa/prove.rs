//! The prover of the inner product argument.
//!
//! The basis is never folded. After k rounds, with w = 256/2^k, it would be
//! G'_j = Σ_u σ_u·G_{u·w+j}, where σ_u is the product of the inverse challenges of the rounds that
//! the bits of u stand for, the first round being the most significant. L and R together are then
//! one sum over all 256 generators, for which there are fixed-base tables.
//!
//! With windows of 8 bits that is 256·32 additions a round, 65 thousand in all, and eight of them
//! go in parallel lanes. Folding the basis once to 32 points would leave some 42 thousand (four
//! such sums, and five rounds of 506 doublings and 32·42 additions), but the last nine thousand
//! would be for points that have no tables: it saves nothing where there are lanes, and without
//! them less than a third.

use crate::element::{Commitment, Element};
use crate::field::Fr;
use crate::lagrange::{DOMAIN, inner_product};
use crate::multiproof::ProveError;
use crate::setup::Setup;
use crate::transcript::Transcript;

use super::{IpaProof, ROUNDS, round, start};

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

    let mut sigma = [Fr::ONE; DOMAIN];
    let mut l = [Commitment::IDENTITY; ROUNDS];
    let mut r = [Commitment::IDENTITY; ROUNDS];
    for k in 0..ROUNDS {
        let half = a.len() / 2;
        // L takes the generators whose index has the bit of `half` clear, R the others.
        let coefficients: [Fr; DOMAIN] =
            core::array::from_fn(|i| sigma[i / a.len()] * a[(i % a.len()) ^ half]);
        let [left, right] = setup.commit_halves(&coefficients, half.trailing_zeros());

        let (a_low, a_high) = a.split_at_mut(half);
        let (b_low, b_high) = b.split_at_mut(half);
        let left = left + setup.mul_q(w * inner_product(a_high, b_low));
        let right = right + setup.mul_q(w * inner_product(a_low, b_high));
        let both = Commitment::normalise(&[Element(left), Element(right)]);
        (l[k], r[k]) = (both[0], both[1]);

        let x = round(transcript, &l[k], &r[k]);
        let inverse = x.invert().ok_or(ProveError::ZeroChallenge)?;
        fold(a_low, a_high, x);
        fold(b_low, b_high, inverse);
        (a, b) = (a_low, b_low);
        // The round's bit comes below those before it.
        for u in (0..1 << k).rev() {
            sigma[2 * u + 1] = sigma[u] * inverse;
            sigma[2 * u] = sigma[u];
        }
    }
    Ok((IpaProof { l, r, a: a[0] }, value))
}

fn fold(low: &mut [Fr], high: &[Fr], factor: Fr) {
    for (low, high) in low.iter_mut().zip(high) {
        *low += factor * *high;
    }
}
