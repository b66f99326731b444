//! The verifier of the inner product argument.

use alloc::vec::Vec;

use crate::curve::Affine;
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
    check(setup, transcript, commitment, point, value, proof)?.finish(setup)
}

/// The equation that is left when the transcript has been replayed: the sum of all terms must be
/// the identity of Banderwagon.
pub(crate) struct Check {
    /// Factors of the generators.
    pub generators: Vec<Fr>,
    /// Factor of Q.
    pub q: Fr,
    /// L_k, R_k and the commitment.
    pub points: [Affine; TERMS],
    /// Their factors.
    pub scalars: [Fr; TERMS],
}

/// Terms of a [`Check`] besides generators and Q.
pub(crate) const TERMS: usize = 2 * ROUNDS + 1;

/// The challenges of one argument.
struct Challenges {
    w: Fr,
    x: [Fr; ROUNDS],
}

/// Replays the transcript.
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
    }
    let b = setup.weights.evaluation_vector(point);
    equation(&Challenges { w, x }, commitment, &b, value, proof)
}

/// C + Σ x_k·L_k + Σ x_k⁻¹·R_k + w·(y − a·⟨b, s⟩)·Q − a·Σ s_i·G_i = 0 is left, where s_i is the
/// product of the x_k⁻¹ for the bits of i that are set, the first round having the most significant
/// bit, and b is the evaluation vector.
fn equation(
    challenges: &Challenges,
    commitment: &Commitment,
    b: &[Fr],
    value: Fr,
    proof: &IpaProof,
) -> Result<Check, VerifyError> {
    let Challenges { w, x } = challenges;
    // A zero w would leave the value out of the equation.
    if w.is_zero() || x.iter().any(Fr::is_zero) {
        return Err(VerifyError::ZeroChallenge);
    }
    let mut inverse = *x;
    batch_invert(&mut inverse);

    // −a·s, from the least significant bit up.
    let mut generators = Vec::with_capacity(DOMAIN);
    generators.push(-proof.a);
    for factor in inverse.iter().rev() {
        for i in 0..generators.len() {
            generators.push(generators[i] * *factor);
        }
    }
    let q = *w * (value + inner_product(b, &generators));

    let mut points = [commitment.point; TERMS];
    let mut scalars = [Fr::ONE; TERMS];
    let terms = proof.l.iter().zip(x).chain(proof.r.iter().zip(&inverse));
    for ((point, scalar), (element, factor)) in points.iter_mut().zip(&mut scalars).zip(terms) {
        (*point, *scalar) = (element.point, *factor);
    }
    Ok(Check {
        generators,
        q,
        points,
        scalars,
    })
}

impl Check {
    /// Evaluates the equation.
    pub(crate) fn finish(&self, setup: &Setup) -> Result<(), VerifyError> {
        let sum = setup.commit_with_q(&self.generators, self.q)
            + msm(setup.arm, &self.points, &self.scalars);
        if sum.is_identity() {
            Ok(())
        } else {
            Err(VerifyError::Rejected)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;

    fn proof() -> IpaProof {
        IpaProof {
            l: [Commitment::IDENTITY; ROUNDS],
            r: [Commitment::IDENTITY; ROUNDS],
            a: Fr::ONE,
        }
    }

    #[test]
    fn zero_challenges_are_refused() {
        let b = [Fr::ONE; DOMAIN];
        let of = |w, x| {
            equation(
                &Challenges { w, x },
                &Commitment::IDENTITY,
                &b,
                Fr::ONE,
                &proof(),
            )
            .map(|_| ())
        };
        let x = core::array::from_fn(|k| Fr::from_u64(k as u64 + 2));
        assert_eq!(of(Fr::ONE, x), Ok(()));
        assert_eq!(of(Fr::ZERO, x), Err(VerifyError::ZeroChallenge));
        for k in 0..ROUNDS {
            let mut x = x;
            x[k] = Fr::ZERO;
            assert_eq!(of(Fr::ONE, x), Err(VerifyError::ZeroChallenge), "round {k}");
        }
    }

    #[test]
    fn factors_of_the_generators() {
        let x: [Fr; ROUNDS] = core::array::from_fn(|k| Fr::from_u64(k as u64 + 2));
        let challenges = Challenges { w: Fr::ONE, x };
        let b: Vec<Fr> = (0..DOMAIN as u64).map(Fr::from_u64).collect();
        let check = equation(
            &challenges,
            &Commitment::IDENTITY,
            &b,
            Fr::from_u64(9),
            &proof(),
        );
        let check = check.unwrap_or_else(|e| panic!("{e}"));
        let mut dot = Fr::ZERO;
        for (i, (factor, b)) in check.generators.iter().zip(&b).enumerate() {
            let product: Fr = (0..ROUNDS)
                .filter(|k| i >> (ROUNDS - 1 - k) & 1 == 1)
                .map(|k| x[k])
                .product();
            assert_eq!(*factor * product, -Field::ONE, "generator {i}");
            dot += *factor * *b;
        }
        assert_eq!(check.q, Fr::from_u64(9) + dot);
    }
}
