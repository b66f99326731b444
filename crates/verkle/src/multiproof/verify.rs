//! The verifier of the multipoint argument.

use alloc::vec::Vec;

use crate::curve::Affine;
use crate::element::{Commitment, Element};
use crate::field::{Fr, batch_invert};
use crate::ipa;
use crate::lagrange::{DOMAIN, domain_index};
use crate::msm::msm;
use crate::setup::Setup;
use crate::transcript::Transcript;

use super::{MultiProof, Query, VerifyError};

/// Verifies that every query holds. Order matters: it must be the prover's.
///
/// # Errors
/// [`VerifyError::Rejected`] if the proof does not show it, [`VerifyError::NoOpenings`] if there is
/// nothing to show.
pub fn verify(
    setup: &Setup,
    transcript: &mut Transcript,
    proof: &MultiProof,
    queries: &[Query<'_>],
) -> Result<(), VerifyError> {
    if queries.is_empty() {
        return Err(VerifyError::NoOpenings);
    }
    transcript.domain_separator(b"multiproof");
    for query in queries {
        transcript.append_point(b"C", query.commitment);
        transcript.append_scalar(b"z", Fr::from_u64(u64::from(query.point)));
        transcript.append_scalar(b"y", query.value.into());
    }
    let r = transcript.challenge(b"r");
    transcript.append_point(b"D", &proof.d);
    let t = transcript.challenge(b"t");
    if domain_index(t).is_some() {
        return Err(VerifyError::ZeroChallenge);
    }
    let mut inverses: Vec<Fr> = (0..DOMAIN as u64).map(|z| t - Fr::from_u64(z)).collect();
    batch_invert(&mut inverses);

    let mut scalars = Vec::with_capacity(queries.len());
    let mut points: Vec<Affine> = Vec::with_capacity(queries.len());
    let mut value = Fr::ZERO;
    let mut power = Fr::ONE;
    for query in queries {
        let scalar = power * inverses[usize::from(query.point)];
        value += scalar * query.value.into();
        scalars.push(scalar);
        points.push(query.commitment.point);
        power *= r;
    }
    let e = Element(msm(setup.arm, &points, &scalars));
    let both = Commitment::normalise(&[e, e - Element::from(&proof.d)]);
    transcript.append_point(b"E", &both[0]);
    ipa::verify(setup, transcript, &both[1], t, value, &proof.ipa)
}
