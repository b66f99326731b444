//! The prover of the multipoint argument.

mod absorb;
mod group;
mod parallel;
mod sum;

use alloc::vec;
use alloc::vec::Vec;

use crate::element::{Commitment, Element};
use crate::field::{Fr, batch_invert};
use crate::ipa;
use crate::lagrange::{DOMAIN, Vector, domain_index};
use crate::setup::Setup;
use crate::transcript::Transcript;

use super::{MultiProof, Opening, Polynomial, ProveError};
use group::{Group, add, gather};
use parallel::for_each_chunk;

/// Proves all openings, in the order given, which the verifier must know. The number of threads
/// makes no difference to the proof. After an error the transcript is of no use.
///
/// # Errors
/// No openings, or values that are not canonical, of which the first is named.
pub fn prove(
    setup: &Setup,
    transcript: &mut Transcript,
    openings: &[Opening<'_>],
) -> Result<MultiProof, ProveError> {
    if openings.is_empty() {
        return Err(ProveError::NoOpenings);
    }
    transcript.domain_separator(b"multiproof");
    absorb::absorb(transcript, openings);
    let r = transcript.challenge(b"r");
    // No verifier would take it.
    if r.is_zero() {
        return Err(ProveError::ZeroChallenge);
    }
    let groups = gather(setup.arm, openings, r)?;

    let g = quotients(setup, &groups);
    let d = setup.commit(&g).to_commitment();
    transcript.append_point(b"D", &d);

    let t = transcript.challenge(b"t");
    if domain_index(t).is_some() {
        return Err(ProveError::ZeroChallenge);
    }
    let mut h = divided(setup, &groups, t);
    let e = setup.commit(&h);
    let both = Commitment::normalise(&[e, e - Element::from(&d)]);
    transcript.append_point(b"E", &both[0]);

    for (h, g) in h.iter_mut().zip(&g) {
        *h -= *g;
    }
    let (ipa, _) = ipa::prove(setup, transcript, &both[1], &h, t)?;
    Ok(MultiProof { d, ipa })
}

/// g: the sum over the points z of (F_z(X) − F_z(z))/(X − z).
fn quotients(setup: &Setup, groups: &[Group]) -> [Fr; DOMAIN] {
    const TASK: usize = 16;
    sum_of_parts(groups, TASK, |groups, sum| {
        let polynomials = groups.iter().map(|group| (group.point, &group.sum));
        sum::sum_of_quotients(setup.arm, &setup.weights, polynomials, sum);
    })
}

/// h: the sum over the points z of F_z(X)/(t − z).
fn divided(setup: &Setup, groups: &[Group], t: Fr) -> [Fr; DOMAIN] {
    const TASK: usize = 64;
    let mut inverses: Vec<Fr> = (0..DOMAIN as u64).map(|z| t - Fr::from_u64(z)).collect();
    batch_invert(&mut inverses);
    sum_of_parts(groups, TASK, |groups, sum| {
        let terms = groups.iter().map(|group| {
            let inverse = inverses[usize::from(group.point)];
            (inverse, Vector::Scalars(&group.sum))
        });
        sum::weighted_sum(setup.arm, terms, sum);
    })
}

/// The sum of what `f` makes of every `size` groups.
fn sum_of_parts(
    groups: &[Group],
    size: usize,
    f: impl Fn(&[Group], &mut [Fr; DOMAIN]) + Sync + Send,
) -> [Fr; DOMAIN] {
    let mut parts = vec![[Fr::ZERO; DOMAIN]; groups.len().div_ceil(size)];
    for_each_chunk(&mut parts, 1, |index, parts| {
        let groups = &groups[size * index..];
        for part in parts {
            f(&groups[..groups.len().min(size)], part);
        }
    });
    parts.iter().fold([Fr::ZERO; DOMAIN], |mut sum, part| {
        add(&mut sum, part);
        sum
    })
}
