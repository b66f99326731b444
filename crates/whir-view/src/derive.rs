//! Verifying keys from parameters and a shape, with the published `p3-whir`.

use alloc::vec::Vec;

use p3_challenger::fs::{DomainSeparator, FieldUnit};
use p3_challenger::{CanObserve, CanSample, CanSampleBits, FieldChallenger, GrindingChallenger};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use p3_multilinear_util::point::Point;
use p3_sumcheck::OpeningBatch;
use p3_sumcheck::layout::{
    Layout, PrefixProver, SuffixProver, Verifier, commitment_domain_separator,
};
use p3_sumcheck::strategy::Basis;
use p3_sumcheck::transcript::SumcheckShape;
use p3_whir::WhirShape;
use prova_whir::params::{Field, HashSuite};
use prova_whir::suite::{
    BabyBear4, BabyBear5, BabyBearField, KoalaBear4, KoalaBear5, KoalaBearField, Poseidon2x16,
};
use prova_whir::{ConfigError, Order, Params, Points, Shape, Statement, Suite, transcript};

use crate::field::{BabyBear, KoalaBear, Modulus};
use crate::input::digest_bytes;
use crate::key::{Key, Phase};
use crate::sponge::{Permutation, Transcript, WIDTH};

/// Why parameters and shape have no key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeriveError {
    /// The parameters cannot be used for this shape.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Another hash suite than Poseidon2 of width 16.
    #[error(
        "hash suite {got} has no verifying key (expected {})",
        HashSuite::Poseidon2x16
    )]
    Hash {
        /// The suite.
        got: HashSuite,
    },
    /// A run of a form that keys do not describe.
    #[error("{what} has no verifying key")]
    Form {
        /// The form.
        what: &'static str,
    },
}

/// An owned key. [`Key`] says what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    words: Vec<u32>,
}

/// Records what is absorbed; draws are zero.
#[derive(Default)]
struct Recorder<F> {
    absorbed: Vec<F>,
}

impl<F> CanObserve<F> for Recorder<F> {
    fn observe(&mut self, value: F) {
        self.absorbed.push(value);
    }
}

impl<F: p3_field::Field, A: BasedVectorSpace<F>> CanSample<A> for Recorder<F> {
    fn sample(&mut self) -> A {
        A::from_basis_coefficients_fn(|_| F::ZERO)
    }
}

impl<F> CanSampleBits<usize> for Recorder<F> {
    fn sample_bits(&mut self, _: usize) -> usize {
        0
    }
}

impl<F: p3_field::Field> FieldChallenger<F> for Recorder<F> {}

impl<F: p3_field::Field> GrindingChallenger for Recorder<F> {
    type Witness = F;
    fn grind(&mut self, _: usize) -> F {
        F::ZERO
    }
}

impl<F: PrimeField32> Recorder<F> {
    /// The words absorbed since the last call, without the last `values`.
    fn seed(&mut self, values: usize) -> Vec<u32> {
        let count = self.absorbed.len().saturating_sub(values);
        let words = self.absorbed.iter().take(count);
        // Of a Montgomery field this is the word in memory.
        let words = words.map(PrimeField32::to_unique_u32).collect();
        self.absorbed.clear();
        words
    }
}

struct Parts {
    prefix: [u32; WIDTH],
    pending: usize,
    phases: Vec<Phase>,
    ood_samples: usize,
    final_pow_bits: usize,
    seeds: Vec<Vec<u32>>,
}

impl VerifyingKey {
    /// Derives the key of all statements with the shape, the source of points and the columns of
    /// `schedule`; its commitment, points and values play no part.
    ///
    /// # Errors
    /// [`DeriveError`].
    pub fn derive<P: Permutation>(
        permutation: &P,
        params: &Params,
        schedule: &Statement,
    ) -> Result<Self, DeriveError> {
        if params.hash != HashSuite::Poseidon2x16 {
            return Err(DeriveError::Hash { got: params.hash });
        }
        let parts = match (params.field, params.extension_degree) {
            (Field::BabyBear, 4) => derive::<BabyBear, Poseidon2x16<BabyBearField, BabyBear4>, P>,
            (Field::BabyBear, 5) => derive::<BabyBear, Poseidon2x16<BabyBearField, BabyBear5>, P>,
            (Field::KoalaBear, 4) => {
                derive::<KoalaBear, Poseidon2x16<KoalaBearField, KoalaBear4>, P>
            }
            (Field::KoalaBear, 5) => {
                derive::<KoalaBear, Poseidon2x16<KoalaBearField, KoalaBear5>, P>
            }
            (_, degree) => return Err(ConfigError::NoSuite { degree }.into()),
        };
        let parts = parts(permutation, params, schedule)?;
        Ok(Self {
            words: encode(params, schedule, &parts),
        })
    }

    /// The key's words.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The key's bytes: its words, little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    /// The digest as a guest commits it; see [`Key::digest`].
    ///
    /// # Errors
    /// [`crate::Malformed::Key`] when shape or parameters are beyond what [`Key::parse`] admits.
    pub fn digest<P: Permutation>(&self, permutation: &P) -> Result<[u8; 32], crate::Malformed> {
        let key = Key::parse(&self.words)?;
        Ok(if key.numbers.field == u32::from(BabyBear::TAG) {
            digest_bytes::<BabyBear>(&key.digest::<BabyBear, P>(permutation))
        } else {
            digest_bytes::<KoalaBear>(&key.digest::<KoalaBear, P>(permutation))
        })
    }
}

/// Numbers that the ranges of [`Params`] and [`Shape`] keep far below `u32::MAX`; one that were
/// above it would be refused by [`Key::parse`].
fn word(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn encode(params: &Params, schedule: &Statement, parts: &Parts) -> Vec<u32> {
    let Shape {
        num_variables,
        columns,
    } = schedule.shape;
    let (params_bytes, schedule_bytes) = (params.to_bytes(), schedule.schedule_bytes());
    let points = match schedule.points {
        Points::Drawn => 1,
        Points::Given => 2,
    };
    let mut words: Vec<u32> = [
        usize::from(params.field.tag()),
        params.extension_degree,
        usize::from(params.order.tag()),
        points,
        num_variables,
        columns,
        schedule.shape.stacked_variables(),
        schedule.openings.len(),
        parts.ood_samples,
        parts.phases.len(),
        parts.final_pow_bits,
        parts.pending,
        params_bytes.len(),
        schedule_bytes.len(),
    ]
    .map(word)
    .to_vec();
    words.extend_from_slice(&parts.prefix);
    for phase in &parts.phases {
        let Phase {
            fold,
            fold_pow_bits,
            ood_samples,
            pow_bits,
            draws,
            log_height,
        } = *phase;
        let numbers = [
            fold,
            fold_pow_bits,
            ood_samples,
            pow_bits,
            draws,
            log_height,
        ];
        words.extend(numbers.map(word));
    }
    words.extend(
        params_bytes
            .iter()
            .chain(&schedule_bytes)
            .map(|&byte| u32::from(byte)),
    );
    for seed in &parts.seeds {
        words.push(word(seed.len()));
        words.extend_from_slice(seed);
    }
    words
}

fn derive<M: Modulus, S: Suite, P: Permutation>(
    permutation: &P,
    params: &Params,
    schedule: &Statement,
) -> Result<Parts, DeriveError> {
    let claims = schedule
        .openings
        .iter()
        .map(|opening| opening.columns.len());
    let config = params.config::<S>(schedule.shape, claims.sum())?;
    let protocol = prova_whir::derive::protocol(schedule.shape, &schedule.openings)?;
    let shape = WhirShape::new(&config, protocol.num_openings());
    let phases = phases(&shape)?;

    let mut recorder = Recorder::<S::F>::default();
    transcript::begin::<S, _>(&mut recorder, params, schedule);
    commitment_domain_separator::<S::F>().seed(&mut recorder);
    let mut prefix = Transcript::<M, &P>::resume(permutation, [0; WIDTH], 0);
    prefix.observe_slice(&recorder.seed(0));
    let (state, pending) = prefix.state();
    // What an earlier permutation left in the rate is overwritten before it is read.
    let mut state = *state;
    state
        .iter_mut()
        .take(8)
        .skip(pending)
        .for_each(|slot| *slot = 0);

    let mut seeds = match params.order {
        Order::Suffix => layout_seeds::<S, SuffixProver<S::F, S::EF>>(schedule, &protocol, &shape),
        Order::Prefix => layout_seeds::<S, PrefixProver<S::F, S::EF>>(schedule, &protocol, &shape),
    };
    let mut seed = |separator: &DomainSeparator<FieldUnit<S::F>>| {
        separator.seed(&mut recorder);
        recorder.seed(0)
    };
    // The run's own seed precedes that of the batching challenge.
    seeds.insert(
        seeds.len().saturating_sub(1),
        seed(&shape.domain_separator::<S::F, S::EF>()),
    );
    let rounds = shape.rounds.iter().map(|round| &round.sumcheck);
    let sumchecks = core::iter::once(&shape.initial_sumcheck)
        .chain(rounds)
        .chain(core::iter::once(&shape.final_sumcheck));
    for sumcheck in sumchecks.filter(|sumcheck| sumcheck.rounds > 0) {
        let shape = SumcheckShape::new(sumcheck.rounds, sumcheck.pow_bits, Basis::Evaluation);
        seeds.push(seed(&shape.domain_separator::<S::F, S::EF>()));
    }
    Ok(Parts {
        prefix: state,
        pending,
        phases,
        ood_samples: shape.commitment_ood_samples,
        final_pow_bits: shape.final_sumcheck.pow_bits,
        seeds,
    })
}

/// The phases of a run, and whether it has the form that a key describes.
fn phases(shape: &WhirShape) -> Result<Vec<Phase>, DeriveError> {
    let stratified = shape.stratified_queries || shape.rounds.iter().any(|r| r.stratified_queries);
    let final_variables = shape.final_poly_len.trailing_zeros() as usize;
    let folds = shape.rounds.iter().map(|round| round.sumcheck.rounds);
    let folded: usize = folds.sum::<usize>() + shape.initial_sumcheck.rounds;
    let what = if stratified {
        "a run with stratified queries"
    } else if shape.final_sumcheck.rounds != final_variables
        || folded + final_variables != shape.num_variables
    {
        "a run that does not fold every variable"
    } else {
        let mut sumchecks = core::iter::once(&shape.initial_sumcheck)
            .chain(shape.rounds.iter().map(|round| &round.sumcheck));
        let samples = shape.rounds.iter().map(|round| round.ood_samples);
        let queries = prova_whir::derive::query_phases(shape);
        let draws = shape.rounds.iter().map(|round| round.query_draws);
        let phases = queries
            .iter()
            .zip(draws.chain([shape.final_query_draws]))
            .zip(samples.chain([0]))
            .map_while(|((queries, draws), ood_samples)| {
                let sumcheck = sumchecks.next()?;
                Some(Phase {
                    fold: sumcheck.rounds,
                    fold_pow_bits: sumcheck.pow_bits,
                    ood_samples,
                    pow_bits: queries.pow_bits,
                    draws,
                    log_height: queries.log_height,
                })
            });
        return Ok(phases.collect());
    };
    Err(DeriveError::Form { what })
}

/// The seeds of one out-of-domain sample, of each opening and of the batching challenge.
///
/// `p3-sumcheck` keeps their descriptions to itself, so its own driver of a layout plays them on a
/// recorder.
fn layout_seeds<S: Suite, L: Layout<S::F, S::EF>>(
    schedule: &Statement,
    protocol: &p3_sumcheck::OpeningProtocol,
    shape: &WhirShape,
) -> Vec<Vec<u32>> {
    let degree = <S::EF as BasedVectorSpace<S::F>>::DIMENSION;
    let mut recorder = Recorder::<S::F>::default();
    let mut seeds = Vec::new();
    let verifier = || Verifier::<S::F, S::EF>::new(&protocol.table_shapes(), L::strategy());
    verifier().add_virtual_eval(S::EF::ZERO, &mut recorder);
    seeds.push(recorder.seed(degree));
    let mut layout = verifier();
    for _ in 0..shape.commitment_ood_samples {
        layout.add_virtual_eval(S::EF::ZERO, &mut recorder);
    }
    recorder.seed(0);
    let zeros = |count: usize| S::EF::zero_vec(count);
    for (table, batch) in protocol.iter_openings() {
        let evals = OpeningBatch::new(zeros(batch.len()), Vec::new());
        // The lists have the lengths of the schedule, which is all that this checks.
        let _ = match schedule.points {
            Points::Drawn => layout.add_claim(table, batch, &evals, &mut recorder),
            Points::Given => {
                let point = Point::new(zeros(schedule.shape.num_variables));
                layout.add_claim_at(table, batch, &point, &evals, &mut recorder)
            }
        };
        seeds.push(recorder.seed(degree * batch.len()));
    }
    layout.batching_challenge(&mut recorder);
    seeds.push(recorder.seed(0));
    seeds
}
