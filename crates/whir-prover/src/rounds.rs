//! The WHIR run after the opening claims are recorded: fold, commit, query, repeat.
//!
//! The transcript steps are played through `p3-whir`'s own drivers, which panic on a step out of
//! order; the messages between them come from a [`Backend`].

use core::mem::ManuallyDrop;
use std::sync::Arc;

use p3_challenger::{CanObserve, CanSampleUniformBits, FieldChallenger, GrindingChallenger};
use p3_commit::Mmcs;
use p3_field::PrimeCharacteristicRing;
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::SumcheckData;
use p3_sumcheck::strategy::Basis;
use p3_sumcheck::transcript::{ProverTranscript, SumcheckShape};
use p3_whir::transcript::WhirProverTranscript;
use p3_whir::{
    QueryOpenings, SharedProofOpening, WhirConfig, WhirProof, WhirRoundProof, WhirShape,
};
use prova_whir::body::Proof;

use crate::backend::{Backend, Claims, Context, Message, Opened};
use crate::error::BackendError;
use crate::observer::{Cancelled, Stage};
use crate::suite::ProverSuite;

/// A challenger that can play a run of suite `S`.
pub trait Challenger<S: ProverSuite>:
    FieldChallenger<S::F>
    + GrindingChallenger<Witness = S::F>
    + CanSampleUniformBits<S::F>
    + CanObserve<<S::Mmcs as Mmcs<S::F>>::Commitment>
{
}

impl<S: ProverSuite, C> Challenger<S> for C where
    C: FieldChallenger<S::F>
        + GrindingChallenger<Witness = S::F>
        + CanSampleUniformBits<S::F>
        + CanObserve<<S::Mmcs as Mmcs<S::F>>::Commitment>
{
}

/// The commitment that the next query phase opens.
enum Queried<'a, S: ProverSuite, B: Backend<S>> {
    Base(Arc<B::Base>, Message<'a, S::F>),
    Folded(B::Folded),
}

type MultiProof<S> =
    <<S as prova_whir::Suite>::Mmcs as Mmcs<<S as prova_whir::Suite>::F>>::MultiProof;
type Openings<S> =
    QueryOpenings<<S as prova_whir::Suite>::F, <S as prova_whir::Suite>::EF, MultiProof<S>>;

fn shared<S: ProverSuite, T>(opened: Opened<T, S::Digest>) -> SharedProofOpening<T, MultiProof<S>> {
    SharedProofOpening {
        rows: opened.rows,
        proof: S::multiproof(opened.siblings),
    }
}

/// What the first fold leaves behind.
pub struct FirstFold<S: ProverSuite, B: Backend<S>> {
    /// Sumcheck tables.
    pub tables: B::Tables,
    /// Messages and witnesses of the first rounds.
    pub data: SumcheckData<S::F, S::EF>,
}

/// Everything a run needs beside the transcript.
pub struct Run<'a, S: ProverSuite, B: Backend<S>, C> {
    /// Derived configuration.
    pub config: &'a WhirConfig<S::EF, S::F, C>,
    /// Back end.
    pub backend: &'a B,
    /// Stage times, cancellation, order.
    pub ctx: Context<'a>,
    /// The initial commitment; dropped once its rows are opened, if nobody else holds it.
    pub base: Arc<B::Base>,
    /// The message behind it.
    pub message: Message<'a, S::F>,
}

impl<'a, S: ProverSuite, B: Backend<S>, C: Challenger<S>> Run<'a, S, B, C> {
    /// Plays the run. `first_fold` draws the batching challenge of the recorded claims and plays
    /// the first rounds on the challenger it is lent.
    ///
    /// # Errors
    /// The back end's, and [`Cancelled`] when the observer asks for it; the challenger is then
    /// unusable.
    pub fn play(
        self,
        challenger: &mut C,
        num_openings: usize,
        initial_ood_answers: Vec<S::EF>,
        first_fold: impl FnOnce(&mut C) -> Result<FirstFold<S, B>, BackendError>,
    ) -> Result<Proof<S>, BackendError> {
        let shape = WhirShape::new(self.config, num_openings);
        let described = shape.clone();
        // The driver checks on drop that it was played to its end; a failed run gives it up.
        let mut transcript = ManuallyDrop::new(WhirProverTranscript::new(challenger, shape));
        let proof = self.steps(&mut transcript, &described, initial_ood_answers, first_fold)?;
        ManuallyDrop::into_inner(transcript).finish();
        Ok(proof)
    }

    /// The steps of [`Self::play`] but the last, which closes the transcript.
    fn steps(
        self,
        transcript: &mut WhirProverTranscript<'_, C, S::F, S::EF>,
        described: &WhirShape,
        initial_ood_answers: Vec<S::EF>,
        first_fold: impl FnOnce(&mut C) -> Result<FirstFold<S, B>, BackendError>,
    ) -> Result<Proof<S>, BackendError> {
        let Self {
            backend,
            ctx,
            base,
            message,
            ..
        } = self;
        let watch = ctx.stopwatch;
        let FirstFold {
            mut tables,
            data: initial_sumcheck,
        } = transcript.delegate_initial_fold(first_fold)?;

        let mut queried = Queried::<S, B>::Base(base, message);
        let open =
            |queried: &Queried<'_, S, B>, indices: &[usize]| -> Result<Openings<S>, BackendError> {
                watch.time(Stage::Openings, || {
                    Ok(match queried {
                        Queried::Base(base, message) => QueryOpenings::Base(shared::<S, _>(
                            backend.open(base, message, indices)?,
                        )),
                        Queried::Folded(folded) => QueryOpenings::Extension(shared::<S, _>(
                            backend.open_folded(folded, indices)?,
                        )),
                    })
                })
            };

        let mut rounds = Vec::with_capacity(described.rounds.len());
        for (index, round) in described.rounds.iter().enumerate() {
            if ctx.observer.cancelled() {
                return Err(Cancelled.into());
            }
            ctx.observer.enter(Stage::Encode, index + 1);
            let (root, folded) = watch.time(Stage::Encode, || {
                backend.commit_folded(ctx, &tables, round.sumcheck.rounds, round.log_inv_rate)
            })?;
            let commitment = S::commitment(root);
            transcript.commitment(commitment.clone());

            let mut claims = Claims {
                out_of_domain: Vec::with_capacity(round.ood_samples),
                queries: Vec::new(),
                log_domain: round.index_bits,
            };
            let mut ood_answers = Vec::with_capacity(round.ood_samples);
            for _ in 0..round.ood_samples {
                let y = transcript.ood_point();
                let answer = watch.time(Stage::Claims, || backend.evaluate(&tables, y))?;
                transcript.ood_answer(answer);
                ood_answers.push(answer);
                claims.out_of_domain.push((y, S::EF::ZERO));
            }

            let pow_witness = watch.time(Stage::Grinding, || transcript.query_pow(index));
            let indices = transcript.query_indices(index);
            let openings = open(&queried, &indices)?;
            // From here on only the new commitment can be queried.
            queried = Queried::Folded(folded);

            let batching = transcript.round_batching();
            // The carried claim keeps coefficient one.
            let mut coefficients = batching.shifted_powers(batching);
            for (claim, coefficient) in claims.out_of_domain.iter_mut().zip(&mut coefficients) {
                claim.1 = coefficient;
            }
            claims.queries = indices.iter().copied().zip(&mut coefficients).collect();
            watch.time(Stage::Weights, || backend.add_claims(&mut tables, &claims))?;

            let sumcheck = transcript.delegate_round_fold(|challenger| {
                fold::<S, B, C>(
                    ctx,
                    backend,
                    &mut tables,
                    challenger,
                    round.sumcheck.rounds,
                    round.sumcheck.pow_bits,
                )
            })?;
            rounds.push(WhirRoundProof {
                commitment: Some(commitment),
                ood_answers,
                pow_witness,
                openings,
                sumcheck,
            });
        }

        let last = described.rounds.len();
        let final_values = backend.values(&tables)?;
        transcript.final_poly(&final_values);
        let final_pow_witness = watch.time(Stage::Grinding, || transcript.query_pow(last));
        let indices = transcript.query_indices(last);
        let final_openings = open(&queried, &indices)?;
        let closing = described.final_sumcheck;
        let final_sumcheck = transcript
            .delegate_final_fold(|challenger| {
                fold::<S, B, C>(
                    ctx,
                    backend,
                    &mut tables,
                    challenger,
                    closing.rounds,
                    closing.pow_bits,
                )
            })
            .transpose()?;

        Ok(WhirProof {
            initial_ood_answers,
            initial_sumcheck,
            rounds,
            final_poly: Some(Poly::new(final_values)),
            final_pow_witness,
            final_openings,
            final_sumcheck,
        })
    }
}

/// Plays `rounds` sumcheck rounds on the tables.
fn fold<S: ProverSuite, B: Backend<S>, C: Challenger<S>>(
    ctx: Context<'_>,
    backend: &B,
    tables: &mut B::Tables,
    challenger: &mut C,
    rounds: usize,
    pow_bits: usize,
) -> Result<SumcheckData<S::F, S::EF>, BackendError> {
    let watch = ctx.stopwatch;
    let mut data = SumcheckData::default();
    let shape = SumcheckShape::new(rounds, pow_bits, Basis::Evaluation);
    // As in `Run::play`: a failed fold gives its driver up.
    let mut transcript =
        ManuallyDrop::new(ProverTranscript::<C, S::F, S::EF>::new(challenger, shape));
    let stage = if pow_bits == 0 {
        Stage::Sumcheck
    } else {
        Stage::Grinding
    };
    let mut message = watch.time(Stage::Sumcheck, || backend.round_message(ctx, tables))?;
    for left in (0..rounds).rev() {
        let r = watch.time(stage, || {
            data.observe_and_sample(&mut transcript, message[0], message[1])
        });
        let next = watch.time(Stage::Sumcheck, || backend.bind(ctx, tables, r, left > 0))?;
        message = next.unwrap_or(message);
    }
    ManuallyDrop::into_inner(transcript).finish();
    Ok(data)
}
