//! Many multiproofs at once.

use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use crate::chunks::for_chunks;
use crate::curve::Affine;
use crate::field::Fr;
use crate::ipa::Check;
use crate::lagrange::DOMAIN;
use crate::msm::msm;
use crate::setup::Setup;
use crate::transcript::Transcript;

use super::verify::replay;
use super::{MultiProof, Query, VerifyError};

/// One proof of a batch: what [`verify`](super::verify()) takes.
pub struct BatchItem<'a> {
    /// The transcript so far; afterwards it is in the state that [`verify`](super::verify()) leaves.
    pub transcript: &'a mut Transcript,
    /// The proof.
    pub proof: &'a MultiProof,
    /// What it shows, in the prover's order.
    pub queries: &'a [Query<'a>],
}

/// Which proofs of a batch were not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} of {count} proofs not accepted, the first of them at {}: {}",
    failures.len(), failures[0].0, failures[0].1)]
pub struct BatchError {
    /// Proofs in the batch.
    count: usize,
    /// Never empty.
    failures: Vec<(usize, VerifyError)>,
}

impl BatchError {
    /// Position and reason of every proof that was not accepted, in order.
    #[must_use]
    pub fn failures(&self) -> &[(usize, VerifyError)] {
        &self.failures
    }
}

/// Verifies many multiproofs, with the verdict that [`verify`](super::verify()) has on each.
///
/// The equations that the proofs leave are added up with random factors and checked as one, which
/// saves a multiplication by all generators for every proof but the first. The factors have 128
/// bits, are never zero, and are hashed from all transcripts and final scalars, which bind
/// everything that enters the equations. Should a proof not hold, the sum is the identity with
/// probability at most 2^-127 for every set of proofs that an adversary hashes; this adds to the
/// soundness error of the proofs themselves. When the sum is not the identity, the equations are
/// checked one by one. A batch of none holds.
///
/// # Errors
/// The positions of the proofs that do not hold, and why.
pub fn verify_batch(setup: &Setup, items: &mut [BatchItem<'_>]) -> Result<(), BatchError> {
    let count = items.len();
    let indices: Vec<usize> = (0..count).collect();
    let replayed = for_chunks(1, &indices, items, |_, _, items| {
        items.first_mut().map(|item| {
            let check = replay(setup, item.transcript, item.proof, item.queries);
            check.map(|check| (check, binding(item)))
        })
    });
    let mut failures = Vec::new();
    let mut checks = Vec::with_capacity(count);
    let mut seed = Sha256::new_with_prefix(b"prova verkle batch");
    for (index, result) in replayed.into_iter().flatten().enumerate() {
        match result {
            Ok((check, binding)) => {
                seed.update(binding);
                checks.push((index, check));
            }
            Err(error) => failures.push((index, error)),
        }
    }
    if !combine(setup, &checks, &seed.finalize().into()) {
        let mut verdicts = alloc::vec![Ok(()); checks.len()];
        for_chunks(1, &checks, &mut verdicts, |_, checks, verdicts| {
            for ((_, check), verdict) in checks.iter().zip(verdicts) {
                *verdict = check.finish(setup);
            }
        });
        let rejected = checks.iter().zip(verdicts);
        failures
            .extend(rejected.filter_map(|((index, _), verdict)| Some((*index, verdict.err()?))));
        failures.sort_unstable_by_key(|(index, _)| *index);
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(BatchError { count, failures })
    }
}

/// The transcript's state, which binds all that was absorbed, and the scalar that comes after.
fn binding(item: &BatchItem<'_>) -> [u8; 64] {
    let mut bytes = [0; 64];
    let state = item.transcript.clone().challenge(b"state");
    bytes[..32].copy_from_slice(&state.to_le_bytes());
    bytes[32..].copy_from_slice(&item.proof.ipa.a.to_le_bytes());
    bytes
}

/// A factor of 128 bits that is not zero.
fn factor(seed: &[u8; 32], position: u64) -> Fr {
    let digest: [u8; 32] = Sha256::new_with_prefix(seed)
        .chain_update(position.to_le_bytes())
        .finalize()
        .into();
    let (words, _) = digest.as_chunks::<8>();
    let [low, high] = [words[0], words[1]].map(u64::from_le_bytes);
    Fr::from_limbs([if high == 0 { low.max(1) } else { low }, high, 0, 0])
}

/// Whether the sum of all equations, each times its factor, holds.
fn combine(setup: &Setup, checks: &[(usize, Check)], seed: &[u8; 32]) -> bool {
    let mut generators = [Fr::ZERO; DOMAIN];
    let mut q = Fr::ZERO;
    let terms = checks.iter().map(|(_, check)| check.points.len()).sum();
    let mut points: Vec<Affine> = Vec::with_capacity(terms);
    let mut scalars: Vec<Fr> = Vec::with_capacity(terms);
    for (position, (_, check)) in checks.iter().enumerate() {
        let factor = factor(seed, position as u64);
        for (sum, value) in generators.iter_mut().zip(&check.generators) {
            *sum += factor * *value;
        }
        q += factor * check.q;
        points.extend(check.points);
        scalars.extend(check.scalars.map(|scalar| factor * scalar));
    }
    let sum = setup.commit_with_q(&generators, q) + msm(setup.arm, &points, &scalars);
    sum.is_identity()
}
