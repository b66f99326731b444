//! The verifier of the inner product argument.

use alloc::vec::Vec;

use crate::curve::{Affine, Extended};
use crate::element::Commitment;
use crate::field::{Fr, batch_invert};
use crate::lagrange::{DOMAIN, inner_product};
use crate::msm::msm;
use crate::multiproof::VerifyError;
use crate::setup::Setup;
use crate::transcript::Transcript;

use super::{IpaProof, ROUNDS, round, start};

/// Verifies that the polynomial of `commitment` has `value` at `point`.
///
/// # Errors
/// [`VerifyError::Rejected`] for a proof that does not show it.
pub fn verify(
    setup: &Setup,
    transcript: &mut Transcript,
    commitment: &Commitment,
    point: Fr,
    value: Fr,
    proof: &IpaProof,
) -> Result<(), VerifyError> {
    let check = check(setup, transcript, commitment, point, value, proof)?;
    if check.evaluate(setup, commitment, proof).x.is_zero() {
        Ok(())
    } else {
        Err(VerifyError::Rejected)
    }
}

/// The equation that is left when the transcript has been replayed: the sum of all terms must be
/// the identity of Banderwagon.
pub(crate) struct Check {
    /// Factors of the generators.
    pub generators: Vec<Fr>,
    /// Factor of Q.
    pub q: Fr,
    /// Factors of L_k.
    pub l: [Fr; ROUNDS],
    /// Factors of R_k.
    pub r: [Fr; ROUNDS],
}

/// Replays the transcript: C + Σ x_k·L_k + Σ x_k⁻¹·R_k + w·(y − a·b)·Q − a·Σ s_i·G_i = 0 is left,
/// where s_i is the product of the x_k⁻¹ for the bits of i that are set, the first round having
/// the most significant bit, and b = ⟨evaluation vector, s⟩.
pub(crate) fn check(
    setup: &Setup,
    transcript: &mut Transcript,
    commitment: &Commitment,
    point: Fr,
    value: Fr,
    proof: &IpaProof,
) -> Result<Check, VerifyError> {
    let w = start(transcript, commitment, point, value);
    let mut x = [Fr::ZERO; ROUNDS];
    for ((x, l), r) in x.iter_mut().zip(&proof.l).zip(&proof.r) {
        *x = round(transcript, l, r);
        if x.is_zero() {
            return Err(VerifyError::ZeroChallenge);
        }
    }
    let mut inverse = x;
    batch_invert(&mut inverse);

    let mut s = Vec::with_capacity(DOMAIN);
    s.push(Fr::ONE);
    for factor in inverse {
        // Each round's bit comes below those before it.
        s = s.iter().flat_map(|s| [*s, *s * factor]).collect();
    }
    let b = inner_product(&setup.weights.evaluation_vector(point), &s);
    let minus_a = -proof.a;
    for s in &mut s {
        *s *= minus_a;
    }
    Ok(Check {
        generators: s,
        q: w * (value - proof.a * b),
        l: x,
        r: inverse,
    })
}

impl Check {
    /// The sum that must be the identity.
    fn evaluate(&self, setup: &Setup, commitment: &Commitment, proof: &IpaProof) -> Extended {
        let points: Vec<Affine> = proof
            .l
            .iter()
            .chain(&proof.r)
            .map(|c| c.point)
            .chain([setup.crs.q, commitment.point])
            .collect();
        let scalars: Vec<Fr> = self
            .l
            .iter()
            .chain(&self.r)
            .copied()
            .chain([self.q, Fr::ONE])
            .collect();
        msm(setup.arm, &setup.crs.points, &self.generators) + msm(setup.arm, &points, &scalars)
    }
}
