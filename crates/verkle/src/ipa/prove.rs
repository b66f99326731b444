//! The prover of the inner product argument.

use crate::curve::Extended;
use crate::element::{Commitment, Element};
use crate::field::Fr;
use crate::lagrange::{DOMAIN, inner_product};
use crate::msm::{msm, scalar_mul};
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
    let mut a = vector.to_vec();
    let mut b = setup.weights.evaluation_vector(point);
    let value = inner_product(&a, &b);
    let w = start(transcript, commitment, point, value);
    let q = scalar_mul(&setup.crs.q.extended(), w);

    let mut g = setup.crs.points.clone();
    let mut l = [Commitment::IDENTITY; ROUNDS];
    let mut r = [Commitment::IDENTITY; ROUNDS];
    for k in 0..ROUNDS {
        let half = a.len() / 2;
        let (a_low, a_high) = a.split_at(half);
        let (b_low, b_high) = b.split_at(half);
        let (g_low, g_high) = g.split_at(half);
        let left = msm(setup.arm, g_low, a_high) + scalar_mul(&q, inner_product(a_high, b_low));
        let right = msm(setup.arm, g_high, a_low) + scalar_mul(&q, inner_product(a_low, b_high));
        let both = Commitment::normalise(&[Element(left), Element(right)]);
        (l[k], r[k]) = (both[0], both[1]);
        let x = round(transcript, &l[k], &r[k]);
        let inverse = x.invert().ok_or(ProveError::ZeroChallenge)?;
        a = fold(a_low, a_high, x);
        b = fold(b_low, b_high, inverse);
        let folded: alloc::vec::Vec<Element> = g_low
            .iter()
            .zip(g_high)
            .map(|(low, high)| {
                let high: Extended = scalar_mul(&high.extended(), inverse);
                Element(high.add_addend(&low.addend()))
            })
            .collect();
        g = Commitment::normalise(&folded)
            .iter()
            .map(|c| c.point)
            .collect();
    }
    Ok((IpaProof { l, r, a: a[0] }, value))
}

fn fold(low: &[Fr], high: &[Fr], factor: Fr) -> alloc::vec::Vec<Fr> {
    low.iter()
        .zip(high)
        .map(|(low, high)| *low + factor * *high)
        .collect()
}
