//! The proof body: a tape whose every length comes from the derived configuration.
//!
//! The one exception is the number of Merkle siblings of a query phase, which depends on the
//! drawn indices: it is written as a `u32`, and checked against the largest number the phase
//! allows and against the bytes that are left before anything is allocated.

use alloc::vec::Vec;

use p3_field::integers::QuotientMap;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::SumcheckData;
use p3_whir::transcript::SumcheckShape;
use p3_whir::{QueryOpenings, SharedProofOpening, WhirProof, WhirRoundProof, WhirShape};
use prova_proof_file::{Section, Tape, TapeError, TapeWriter};

use crate::derive::{QueryPhase, pow2, query_phases};
use crate::statement::DIGEST_BYTES;
use crate::suite::{Digest, Suite};

/// The stock proof type of a suite.
pub type Proof<S> = WhirProof<<S as Suite>::F, <S as Suite>::EF, <S as Suite>::Mmcs>;
type RoundProof<S> = WhirRoundProof<<S as Suite>::F, <S as Suite>::EF, <S as Suite>::Mmcs>;
type MultiProof<S> = <<S as Suite>::Mmcs as p3_commit::Mmcs<<S as Suite>::F>>::MultiProof;
type Openings<S> = QueryOpenings<<S as Suite>::F, <S as Suite>::EF, MultiProof<S>>;
type Sumcheck<S> = SumcheckData<<S as Suite>::F, <S as Suite>::EF>;

/// Reads one base-field element, canonical and little-endian.
fn read_base<S: Suite>(tape: &mut Tape<'_>) -> Result<S::F, TapeError> {
    let offset = tape.position();
    let value = tape.u32()?;
    <S::F as QuotientMap<u32>>::from_canonical_checked(value).ok_or(TapeError::Invalid {
        section: Section::Body,
        offset,
        expected: "a canonical field element",
        got: u64::from(value),
    })
}

/// Reads one challenge-field element, lowest coefficient first.
fn read_ext<S: Suite>(tape: &mut Tape<'_>) -> Result<S::EF, TapeError> {
    let mut coefficients = [S::F::ZERO; 8];
    let degree = <S::EF as BasedVectorSpace<S::F>>::DIMENSION;
    for coefficient in coefficients.iter_mut().take(degree) {
        *coefficient = read_base::<S>(tape)?;
    }
    Ok(S::EF::from_basis_coefficients_fn(|i| {
        coefficients.get(i).copied().unwrap_or(S::F::ZERO)
    }))
}

/// Reads `count` items of at least four bytes each; the allocation is bounded by the bytes left.
fn read_many<T>(
    tape: &mut Tape<'_>,
    count: usize,
    mut read: impl FnMut(&mut Tape<'_>) -> Result<T, TapeError>,
) -> Result<Vec<T>, TapeError> {
    let mut out = Vec::with_capacity(count.min(tape.remaining() / 4));
    for _ in 0..count {
        out.push(read(tape)?);
    }
    Ok(out)
}

fn read_digest<S: Suite>(tape: &mut Tape<'_>) -> Result<S::Digest, TapeError> {
    let offset = tape.position();
    let bytes = tape.array::<DIGEST_BYTES>()?;
    S::Digest::from_bytes(&bytes).ok_or(TapeError::Invalid {
        section: Section::Body,
        offset,
        expected: "a digest of canonical words",
        got: 0,
    })
}

/// A witness is on the tape only where work is asked for; elsewhere the proof's zero is implied.
fn read_witness<S: Suite>(tape: &mut Tape<'_>, bits: usize) -> Result<S::F, TapeError> {
    if bits == 0 {
        Ok(S::F::ZERO)
    } else {
        read_base::<S>(tape)
    }
}

fn read_sumcheck<S: Suite>(
    tape: &mut Tape<'_>,
    shape: &SumcheckShape,
) -> Result<Sumcheck<S>, TapeError> {
    let polynomial_evaluations = read_many(tape, shape.rounds, |t| {
        Ok([read_ext::<S>(t)?, read_ext::<S>(t)?])
    })?;
    let witnesses = if shape.pow_bits == 0 { 0 } else { shape.rounds };
    let pow_witnesses = read_many(tape, witnesses, read_base::<S>)?;
    Ok(SumcheckData {
        polynomial_evaluations,
        pow_witnesses,
    })
}

/// Largest number of siblings `rows` openings of a tree of height `2^log_height` can need.
#[must_use]
pub fn max_siblings(phase: &QueryPhase) -> usize {
    (0..phase.log_height)
        .map(|level| {
            phase
                .rows
                .min(pow2(phase.log_height.saturating_sub(level)) / 2)
        })
        .fold(0, usize::saturating_add)
}

fn read_siblings<S: Suite>(
    tape: &mut Tape<'_>,
    phase: &QueryPhase,
) -> Result<MultiProof<S>, TapeError> {
    let offset = tape.position();
    let count = tape.u32()?;
    let siblings = usize::try_from(count).unwrap_or(usize::MAX);
    let fits = siblings <= max_siblings(phase)
        && siblings.saturating_mul(DIGEST_BYTES) <= tape.remaining();
    if !fits {
        return Err(TapeError::Invalid {
            section: Section::Body,
            offset,
            expected: "no more Merkle siblings than the queries can need and the proof holds",
            got: u64::from(count),
        });
    }
    Ok(S::multiproof(read_many(tape, siblings, read_digest::<S>)?))
}

fn read_openings<S: Suite>(
    tape: &mut Tape<'_>,
    phase: &QueryPhase,
    base: bool,
) -> Result<Openings<S>, TapeError> {
    if base {
        let rows = read_many(tape, phase.rows, |t| {
            read_many(t, phase.row_elements, read_base::<S>)
        })?;
        let proof = read_siblings::<S>(tape, phase)?;
        Ok(QueryOpenings::Base(SharedProofOpening { rows, proof }))
    } else {
        let rows = read_many(tape, phase.rows, |t| {
            read_many(t, phase.row_elements, read_ext::<S>)
        })?;
        let proof = read_siblings::<S>(tape, phase)?;
        Ok(QueryOpenings::Extension(SharedProofOpening { rows, proof }))
    }
}

/// Reads a proof body; every byte must be used.
///
/// # Errors
/// Missing or trailing bytes, elements or digest words that are not canonical, more siblings than
/// possible.
pub fn read<S: Suite>(bytes: &[u8], shape: &WhirShape) -> Result<Proof<S>, TapeError> {
    let mut owned = Tape::new(Section::Body, bytes);
    let tape = &mut owned;
    let phases = query_phases(shape);
    let initial_ood_answers = read_many(tape, shape.commitment_ood_samples, read_ext::<S>)?;
    let initial_sumcheck = read_sumcheck::<S>(tape, &shape.initial_sumcheck)?;
    let mut rounds = Vec::with_capacity(shape.rounds.len());
    for (index, (round, phase)) in shape.rounds.iter().zip(&phases).enumerate() {
        let commitment = Some(S::commitment(read_digest::<S>(tape)?));
        let ood_answers = read_many(tape, round.ood_samples, read_ext::<S>)?;
        let pow_witness = read_witness::<S>(tape, phase.pow_bits)?;
        let openings = read_openings::<S>(tape, phase, index == 0)?;
        let sumcheck = read_sumcheck::<S>(tape, &round.sumcheck)?;
        rounds.push(RoundProof::<S> {
            commitment,
            ood_answers,
            pow_witness,
            openings,
            sumcheck,
        });
    }
    let final_poly = Some(Poly::new(read_many(
        tape,
        shape.final_poly_len,
        read_ext::<S>,
    )?));
    let final_pow_witness = read_witness::<S>(tape, shape.final_pow_bits)?;
    let last = phases.last().copied().unwrap_or(QueryPhase {
        log_height: 0,
        rows: 0,
        row_elements: 0,
        pow_bits: 0,
    });
    let final_openings = read_openings::<S>(tape, &last, shape.rounds.is_empty())?;
    let final_sumcheck = if shape.final_sumcheck.rounds == 0 {
        None
    } else {
        Some(read_sumcheck::<S>(tape, &shape.final_sumcheck)?)
    };
    owned.finish()?;
    Ok(WhirProof {
        initial_ood_answers,
        initial_sumcheck,
        rounds,
        final_poly,
        final_pow_witness,
        final_openings,
        final_sumcheck,
    })
}

struct Writer<S: Suite> {
    tape: TapeWriter,
    suite: core::marker::PhantomData<S>,
}

impl<S: Suite> Writer<S> {
    fn base(&mut self, value: S::F) {
        self.tape.u32(value.as_canonical_u32());
    }

    fn ext(&mut self, value: &S::EF) {
        for &coefficient in value.as_basis_coefficients_slice() {
            self.base(coefficient);
        }
    }

    fn witness(&mut self, bits: usize, witness: S::F) {
        if bits != 0 {
            self.base(witness);
        }
    }

    fn sumcheck(&mut self, data: &Sumcheck<S>) {
        for value in data.polynomial_evaluations.iter().flatten() {
            self.ext(value);
        }
        for &witness in &data.pow_witnesses {
            self.base(witness);
        }
    }

    fn openings(&mut self, openings: &Openings<S>) {
        let proof = match openings {
            QueryOpenings::Base(opening) => {
                opening
                    .rows
                    .iter()
                    .flatten()
                    .for_each(|&value| self.base(value));
                &opening.proof
            }
            QueryOpenings::Extension(opening) => {
                opening
                    .rows
                    .iter()
                    .flatten()
                    .for_each(|value| self.ext(value));
                &opening.proof
            }
        };
        let siblings = S::siblings(proof);
        self.tape
            .u32(u32::try_from(siblings.len()).unwrap_or(u32::MAX));
        for digest in siblings {
            self.tape.bytes(&digest.to_bytes());
        }
    }
}

/// The body of a proof that has the form `shape` describes.
#[must_use]
pub fn write<S: Suite>(proof: &Proof<S>, shape: &WhirShape) -> Vec<u8> {
    let mut out = Writer::<S> {
        tape: TapeWriter::new(),
        suite: core::marker::PhantomData,
    };
    proof
        .initial_ood_answers
        .iter()
        .for_each(|answer| out.ext(answer));
    out.sumcheck(&proof.initial_sumcheck);
    for (round, described) in proof.rounds.iter().zip(&shape.rounds) {
        if let Some(root) = round.commitment.as_ref().and_then(|c| S::root(c)) {
            out.tape.bytes(&root.to_bytes());
        }
        round.ood_answers.iter().for_each(|answer| out.ext(answer));
        out.witness(described.query_pow_bits, round.pow_witness);
        out.openings(&round.openings);
        out.sumcheck(&round.sumcheck);
    }
    if let Some(poly) = &proof.final_poly {
        poly.as_slice().iter().for_each(|value| out.ext(value));
    }
    out.witness(shape.final_pow_bits, proof.final_pow_witness);
    out.openings(&proof.final_openings);
    if let Some(data) = &proof.final_sumcheck {
        out.sumcheck(data);
    }
    out.tape.into_bytes()
}
