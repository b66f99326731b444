//! The verifier of the multipoint argument.

use crate::element::{Commitment, Element};
use crate::ipa::{self, Check};
use crate::msm::msm;
use crate::setup::Setup;
use crate::transcript::Transcript;

use super::aggregate::Aggregate;
use super::{MultiProof, Query, VerifyError};

/// Verifies that every query holds. Order matters: it must be the prover's.
///
/// Equal commitments may come as often as they like: they are merged first, and cost little more
/// than one.
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
    replay(setup, transcript, proof, queries)?.finish(setup)
}

/// Replays the transcript; what is left is the equation of the inner product argument for E − D,
/// at t.
pub(super) fn replay(
    setup: &Setup,
    transcript: &mut Transcript,
    proof: &MultiProof,
    queries: &[Query<'_>],
) -> Result<Check, VerifyError> {
    if queries.is_empty() {
        return Err(VerifyError::NoOpenings);
    }
    transcript.domain_separator(b"multiproof");
    transcript.append_queries(
        queries
            .iter()
            .map(|query| (query.commitment, query.point, query.value.as_bytes())),
    );
    let r = transcript.challenge(b"r");
    transcript.append_point(b"D", &proof.d);
    let t = transcript.challenge(b"t");

    let aggregate = Aggregate::new(queries, r, t)?;
    let e = Element(msm(setup.arm, &aggregate.points, &aggregate.scalars));
    let both = Commitment::normalise(&[e, e - Element::from(&proof.d)]);
    transcript.append_point(b"E", &both[0]);
    ipa::check(setup, transcript, &both[1], t, aggregate.value, &proof.ipa)
}
