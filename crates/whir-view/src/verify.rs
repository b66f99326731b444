//! The run: transcript, sumchecks, openings, final check.
//!
//! It follows the verifier of `p3-whir` step by step; `docs/transcript-whir.md` lists what is
//! absorbed and drawn. WHIR: <https://eprint.iacr.org/2024/1586>.

use alloc::vec::Vec;

use crate::body::{Body, PhaseWords};
use crate::error::{Error, Malformed, Rejected};
use crate::ext::{self, Extension};
use crate::field::{Modulus, from_canonical, mul, to_canonical};
use crate::key::{Key, Seeds};
use crate::observe::{Observer, Step};
use crate::openings::query_points;
use crate::sponge::{Digest, Permutation, Transcript};
use crate::statement::Statement;
use crate::weights::{self, Claims, RoundClaims};

/// Verifies a statement by a body under a key.
///
/// # Errors
/// [`Rejected`], and [`Malformed::Key`] for a key whose parts do not fit one another.
pub fn verify<M: Extension<D>, const D: usize, P: Permutation>(
    permutation: &P,
    key: &Key<'_>,
    statement: &Statement<'_>,
    body: &Body<'_>,
    observer: &mut impl Observer,
) -> Result<(), Error> {
    observer.step(Step::Prefix);
    let commitment = statement.commitment::<M>()?;
    let mut run = Run::<M, P, D> {
        transcript: Transcript::resume(permutation, *key.prefix, key.numbers.pending),
        permutation,
        seeds: key.seeds(),
        challenges: Vec::with_capacity(key.numbers.variables),
        claim: ext::zero(),
        scratch: Scratch::default(),
    };
    let first = run.claims(key, statement, body, &commitment)?;
    let rounds = run.phases(key, body, commitment, observer)?;
    run.seeds.finish()?;
    // Weights want the coordinate of the highest index bit first.
    if !key.numbers.prefix_order {
        run.challenges.reverse();
    }
    let total = weights::initial::<M, D>(key, statement, &first, &run.challenges)
        .and_then(|weight| {
            rounds.iter().try_fold(weight, |sum, round| {
                Some(ext::plus::<M, D>(
                    &sum,
                    &round.weight::<M>(key, &run.challenges)?,
                ))
            })
        })
        .ok_or(Malformed::Key {
            what: "phases that fold no more variables than there are",
            offset: 0,
        })?;
    let value = run.final_value(key, body);
    if ext::times::<M, D>(&total, &value) == run.claim {
        Ok(())
    } else {
        Err(Rejected::Sumcheck.into())
    }
}

/// Buffers that every phase uses again.
#[derive(Default)]
pub(crate) struct Scratch<const D: usize> {
    pub indices: Vec<usize>,
    pub order: Vec<u64>,
    pub sorted: Vec<usize>,
    pub rows: Vec<u32>,
    pub leaves: Vec<Digest>,
    pub siblings: Vec<Digest>,
    pub folds: Vec<[u32; D]>,
    pub weights: Vec<[u32; D]>,
}

pub(crate) struct Run<'a, M, P, const D: usize> {
    pub transcript: Transcript<M, &'a P>,
    pub permutation: &'a P,
    seeds: Seeds<'a>,
    /// Sumcheck challenges, in the order they were drawn.
    pub challenges: Vec<[u32; D]>,
    /// What the sumcheck still has to show.
    claim: [u32; D],
    pub scratch: Scratch<D>,
}

pub(crate) fn element<M: Modulus, const D: usize>(words: &[u32; D]) -> [u32; D] {
    words.map(from_canonical::<M>)
}

fn elements<M: Modulus, const D: usize>(words: &[u32]) -> impl Iterator<Item = [u32; D]> {
    words.as_chunks().0.iter().map(element::<M, D>)
}

impl<M: Extension<D>, P: Permutation, const D: usize> Run<'_, M, P, D> {
    fn seed(&mut self) -> Result<(), Malformed> {
        let seed = self.seeds.take()?;
        self.transcript.observe_slice(seed);
        Ok(())
    }

    pub(crate) fn nonce(
        &mut self,
        words: &[u32],
        bits: usize,
        phase: usize,
    ) -> Result<(), Rejected> {
        let Some(&nonce) = words.first() else {
            return Ok(());
        };
        self.transcript.observe(from_canonical::<M>(nonce));
        if to_canonical::<M>(self.transcript.sample()) & ((1 << bits) - 1) == 0 {
            Ok(())
        } else {
            Err(Rejected::ProofOfWork { phase, bits })
        }
    }

    /// Commitment, points, claimed values; then the claims batched.
    fn claims(
        &mut self,
        key: &Key<'_>,
        statement: &Statement<'_>,
        body: &Body<'_>,
        commitment: &Digest,
    ) -> Result<Claims<D>, Error> {
        self.transcript.observe_slice(commitment);
        if key.numbers.given_points {
            for opening in statement.openings::<M>() {
                for coordinate in opening.point::<M, D>() {
                    self.transcript.observe_slice(&coordinate);
                }
            }
        }
        let mut ood_points = Vec::new();
        let sample_seed = self.seeds.take()?;
        for answer in elements::<M, D>(body.ood_answers) {
            self.transcript.observe_slice(sample_seed);
            ood_points.push(self.transcript.sample_extension());
            self.transcript.observe_slice(&answer);
        }
        let mut drawn_points = Vec::new();
        for opening in statement.openings::<M>() {
            self.seed()?;
            if !key.numbers.given_points {
                drawn_points.push(self.transcript.sample_extension());
            }
            for value in opening.values::<M, D>() {
                self.transcript.observe_slice(&value);
            }
        }
        self.seed()?;
        self.seed()?;
        let alpha = self.transcript.sample_extension();
        let values = statement
            .openings::<M>()
            .flat_map(|opening| opening.values::<M, D>());
        let mut power = ext::one::<M, D>();
        for value in values.chain(elements::<M, D>(body.ood_answers)) {
            let term = ext::times::<M, D>(&value, &power);
            self.claim = ext::plus::<M, D>(&self.claim, &term);
            power = ext::times::<M, D>(&power, &alpha);
        }
        Ok(Claims {
            alpha,
            ood_points,
            drawn_points,
        })
    }

    /// Sumcheck rounds: `h(r) = h(0) + r (h(1) - h(0) + (r - 1) h(inf))` with
    /// `h(1) = claim - h(0)`.
    fn sumcheck(
        &mut self,
        polynomials: &[u32],
        nonces: &[u32],
        pow_bits: usize,
        phase: usize,
    ) -> Result<(), Error> {
        if polynomials.is_empty() {
            return Ok(());
        }
        self.seed()?;
        let mut nonces = nonces.chunks(1);
        for [at_zero, at_infinity] in polynomials.as_chunks::<D>().0.as_chunks::<2>().0 {
            let at_zero = element::<M, D>(at_zero);
            let at_infinity = element::<M, D>(at_infinity);
            self.transcript.observe_slice(&at_zero);
            self.transcript.observe_slice(&at_infinity);
            self.nonce(nonces.next().unwrap_or_default(), pow_bits, phase)?;
            let r = self.transcript.sample_extension();
            let less = ext::minus::<M, D>(&r, &ext::one::<M, D>());
            let at_one = ext::minus::<M, D>(&self.claim, &at_zero);
            let slope = ext::minus::<M, D>(&at_one, &at_zero);
            let slope = ext::plus::<M, D>(&slope, &ext::times::<M, D>(&less, &at_infinity));
            self.claim = ext::plus::<M, D>(&at_zero, &ext::times::<M, D>(&r, &slope));
            self.challenges.push(r);
        }
        Ok(())
    }

    fn phases(
        &mut self,
        key: &Key<'_>,
        body: &Body<'_>,
        mut root: Digest,
        observer: &mut impl Observer,
    ) -> Result<Vec<RoundClaims<D>>, Error> {
        let mut rounds = Vec::with_capacity(body.phases.len());
        let mut variables = key.numbers.variables;
        let last = body.phases.len().saturating_sub(1);
        for (index, phase) in body.phases.iter().enumerate() {
            observer.step(Step::Sumcheck);
            let shape = &phase.shape;
            self.sumcheck(
                phase.sumcheck,
                phase.sumcheck_nonces,
                shape.fold_pow_bits,
                index,
            )?;
            variables = variables.saturating_sub(shape.fold);
            if index == last {
                self.final_phase(key, body, phase, &root, observer)?;
            } else {
                observer.step(Step::OutOfDomain);
                let round = self.round(key, phase, index, variables, &mut root, observer)?;
                rounds.push(round);
            }
        }
        Ok(rounds)
    }

    /// A round: the next commitment with its samples, the queries into the one before, and the
    /// batching of both into the claim.
    fn round(
        &mut self,
        key: &Key<'_>,
        phase: &PhaseWords<'_>,
        index: usize,
        variables: usize,
        root: &mut Digest,
        observer: &mut impl Observer,
    ) -> Result<RoundClaims<D>, Error> {
        let mut next = Digest::default();
        for (slot, &word) in next.iter_mut().zip(phase.root) {
            *slot = from_canonical::<M>(word);
        }
        self.transcript.observe_slice(&next);
        let mut ood_points = Vec::with_capacity(phase.shape.ood_samples);
        for answer in elements::<M, D>(phase.ood_answers) {
            ood_points.push(self.transcript.sample_extension());
            self.transcript.observe_slice(&answer);
        }
        observer.step(Step::Openings);
        self.open(phase, index, root)?;
        *root = next;
        observer.step(Step::Folding);
        self.fold_rows(key, phase, index);
        let queries = query_points::<M>(&phase.shape, &self.scratch.indices);
        let gamma = self.transcript.sample_extension();
        let mut fresh = ext::zero();
        for fold in self.scratch.folds.iter().rev() {
            fresh = ext::times::<M, D>(&ext::plus::<M, D>(&fresh, fold), &gamma);
        }
        for answer in phase.ood_answers.as_chunks().0.iter().rev() {
            let sum = ext::plus::<M, D>(&fresh, &element::<M, D>(answer));
            fresh = ext::times::<M, D>(&sum, &gamma);
        }
        self.claim = ext::plus::<M, D>(&self.claim, &fresh);
        Ok(RoundClaims {
            gamma,
            variables,
            ood_points,
            queries,
        })
    }

    /// The last phase: the final polynomial in the clear must take the folded values.
    fn final_phase(
        &mut self,
        key: &Key<'_>,
        body: &Body<'_>,
        phase: &PhaseWords<'_>,
        root: &Digest,
        observer: &mut impl Observer,
    ) -> Result<(), Error> {
        let index = body.phases.len().saturating_sub(1);
        observer.step(Step::Openings);
        let mut polynomial = Vec::with_capacity(body.final_poly.len() / D);
        for coefficient in elements::<M, D>(body.final_poly) {
            self.transcript.observe_slice(&coefficient);
            polynomial.push(coefficient);
        }
        self.open(phase, index, root)?;
        observer.step(Step::Folding);
        self.fold_rows(key, phase, index);
        observer.step(Step::Final);
        let queries = query_points::<M>(&phase.shape, &self.scratch.indices);
        let mut powers = Vec::with_capacity(polynomial.len());
        for (&query, fold) in queries.iter().zip(&self.scratch.folds) {
            powers.clear();
            let mut power = M::ONE;
            powers.resize_with(polynomial.len(), || {
                let now = power;
                power = mul::<M>(power, query);
                now
            });
            if ext::dot_base::<M, D>(&powers, &polynomial) != *fold {
                return Err(Rejected::FinalPolynomial.into());
            }
        }
        let bits = key.numbers.final_pow_bits;
        self.sumcheck(body.final_sumcheck, body.final_nonces, bits, index + 1)
    }

    /// The final polynomial at the challenges of the closing sumcheck; `challenges` lie with the
    /// coordinate of the highest index bit first.
    fn final_value(&mut self, key: &Key<'_>, body: &Body<'_>) -> [u32; D] {
        let weights = &mut self.scratch.weights;
        weights.clear();
        let point = weights::local(key, &self.challenges, key.final_variables());
        ext::eq_weights::<M, D>(weights, point.unwrap_or_default().iter());
        let polynomial: Vec<[u32; D]> = elements::<M, D>(body.final_poly).collect();
        ext::dot::<M, D>(&polynomial, weights)
    }
}
