//! The prover of the multipoint argument.

use crate::element::{Commitment, Element};
use crate::field::{Fr, batch_invert};
use crate::ipa;
use crate::lagrange::{DOMAIN, domain_index};
use crate::setup::Setup;
use crate::transcript::Transcript;

use super::{MultiProof, Opening, Polynomial, ProveError};

/// Proves all openings, in the order given, which the verifier must know.
///
/// # Errors
/// No openings, or values that are not canonical.
pub fn prove(
    setup: &Setup,
    transcript: &mut Transcript,
    openings: &[Opening<'_>],
) -> Result<MultiProof, ProveError> {
    if openings.is_empty() {
        return Err(ProveError::NoOpenings);
    }
    transcript.domain_separator(b"multiproof");
    let mut polynomials = alloc::vec::Vec::new();
    for (index, opening) in openings.iter().enumerate() {
        let polynomial = dense(index, opening.polynomial)?;
        transcript.append_point(b"C", opening.commitment);
        transcript.append_scalar(b"z", Fr::from_u64(u64::from(opening.point)));
        transcript.append_scalar(b"y", polynomial[usize::from(opening.point)]);
        polynomials.push(polynomial);
    }
    let r = transcript.challenge(b"r");

    // The polynomials opened at each point, weighted by powers of r.
    let mut groups: alloc::vec::Vec<Option<[Fr; DOMAIN]>> = alloc::vec![None; DOMAIN];
    let mut power = Fr::ONE;
    for (opening, polynomial) in openings.iter().zip(&polynomials) {
        let group = groups[usize::from(opening.point)].get_or_insert([Fr::ZERO; DOMAIN]);
        for (sum, value) in group.iter_mut().zip(polynomial) {
            *sum += power * *value;
        }
        power *= r;
    }
    let mut g = [Fr::ZERO; DOMAIN];
    for (point, group) in groups.iter().enumerate() {
        if let Some(group) = group {
            for (sum, q) in g.iter_mut().zip(setup.weights.quotient(group, point as u8)) {
                *sum += q;
            }
        }
    }
    let d = setup.commit(&g).to_commitment();
    transcript.append_point(b"D", &d);

    let t = transcript.challenge(b"t");
    if domain_index(t).is_some() {
        return Err(ProveError::ZeroChallenge);
    }
    let mut inverses: alloc::vec::Vec<Fr> =
        (0..DOMAIN as u64).map(|z| t - Fr::from_u64(z)).collect();
    batch_invert(&mut inverses);
    let mut h = [Fr::ZERO; DOMAIN];
    for (group, inverse) in groups.iter().zip(&inverses) {
        if let Some(group) = group {
            for (sum, value) in h.iter_mut().zip(group) {
                *sum += *value * *inverse;
            }
        }
    }
    let e = setup.commit(&h);
    let both = Commitment::normalise(&[e, e - Element::from(&d)]);
    transcript.append_point(b"E", &both[0]);

    for (h, g) in h.iter_mut().zip(&g) {
        *h -= *g;
    }
    let (ipa, _) = ipa::prove(setup, transcript, &both[1], &h, t)?;
    Ok(MultiProof { d, ipa })
}

fn dense(index: usize, polynomial: Polynomial<'_>) -> Result<[Fr; DOMAIN], ProveError> {
    let mut values = [Fr::ZERO; DOMAIN];
    match polynomial {
        Polynomial::Dense(dense) => values = *dense,
        Polynomial::Bytes(bytes) => {
            let (words, _) = bytes.as_chunks::<32>();
            for (position, (value, word)) in values.iter_mut().zip(words).enumerate() {
                *value = Fr::from_le_bytes(word).ok_or(ProveError::NotCanonical {
                    opening: index,
                    position,
                })?;
            }
        }
        Polynomial::Sparse(pairs) => {
            for (position, value) in pairs {
                values[usize::from(*position)] += *value;
            }
        }
    }
    Ok(values)
}
