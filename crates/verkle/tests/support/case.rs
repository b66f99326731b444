//! Openings with their proof, for tests of verifiers.
#![allow(dead_code, reason = "each test file uses its own part")]

use prova_verkle::{
    Commitment, Fr, MultiProof, Opening, Polynomial, Query, ScalarBytes, Setup, Transcript,
    VerifyError, multiproof,
};

pub const LABEL: &[u8] = b"test";

/// A polynomial with large values, different for every seed.
pub fn dense(seed: u64) -> [Fr; 256] {
    core::array::from_fn(|i| Fr::from(seed * 1000 + i as u64 + 3).pow(&[5, 1 << 40]))
}

/// Claims and a proof of them.
#[derive(Clone)]
pub struct Case {
    pub claims: Vec<(Commitment, u8, Fr)>,
    pub proof: MultiProof,
    /// A challenge drawn from the prover's transcript afterwards.
    pub state: Fr,
}

impl Case {
    /// Opens polynomials, each given by its index, at points.
    pub fn new(setup: &Setup, polynomials: &[[Fr; 256]], at: &[(usize, u8)]) -> Self {
        let commitments: Vec<Commitment> = polynomials
            .iter()
            .map(|f| setup.commit(f).to_commitment())
            .collect();
        Self::with_commitments(setup, polynomials, &commitments, at)
    }

    pub fn with_commitments(
        setup: &Setup,
        polynomials: &[[Fr; 256]],
        commitments: &[Commitment],
        at: &[(usize, u8)],
    ) -> Self {
        let openings: Vec<Opening<'_>> = at
            .iter()
            .map(|(index, point)| Opening {
                commitment: &commitments[*index],
                polynomial: Polynomial::Dense(&polynomials[*index]),
                point: *point,
            })
            .collect();
        let claims = at
            .iter()
            .map(|(i, z)| (commitments[*i], *z, polynomials[*i][usize::from(*z)]))
            .collect();
        let mut transcript = Transcript::new(LABEL);
        let proof = multiproof::prove(setup, &mut transcript, &openings).expect("proved");
        Self {
            claims,
            proof,
            state: transcript.challenge(b"state"),
        }
    }

    pub fn queries(&self) -> Vec<Query<'_>> {
        queries(&self.claims)
    }

    pub fn verify(&self, setup: &Setup) -> Result<(), VerifyError> {
        verify(setup, &self.proof, &self.claims)
    }
}

pub fn queries(claims: &[(Commitment, u8, Fr)]) -> Vec<Query<'_>> {
    claims
        .iter()
        .map(|(commitment, point, value)| Query {
            commitment,
            point: *point,
            value: ScalarBytes::from(*value),
        })
        .collect()
}

pub fn verify(
    setup: &Setup,
    proof: &MultiProof,
    claims: &[(Commitment, u8, Fr)],
) -> Result<(), VerifyError> {
    let mut transcript = Transcript::new(LABEL);
    multiproof::verify(setup, &mut transcript, proof, &queries(claims))
}

/// The same element by its other representative.
pub fn other_representative(commitment: &Commitment) -> Commitment {
    let bytes = commitment.to_uncompressed_le();
    let (words, _) = bytes.as_chunks::<32>();
    let negated = words.iter().flat_map(|word| {
        let coordinate = prova_verkle::Fp::from_le_bytes(word).expect("canonical");
        (-coordinate).to_le_bytes()
    });
    let negated: Vec<u8> = negated.collect();
    let other = Commitment::from_uncompressed_le(&negated).expect("an element");
    assert_ne!(other.to_uncompressed_le(), bytes);
    other
}
