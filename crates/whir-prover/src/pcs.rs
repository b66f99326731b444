//! The prover behind Plonky3's commitment traits, so that it can stand in for the stock one.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use p3_commit::{Mmcs, MultilinearPcs};
use p3_dft::NaiveDft;
use p3_multilinear_util::point::Point;
use p3_sumcheck::layout::{Layout, PrefixProver, SuffixProver, Table, Witness, observe_commitment};
use p3_sumcheck::{
    OpeningEvals, OpeningProtocol, PrescribedOpeningSecurity, PrescribedPointPcs, SumcheckData,
};
use p3_whir::{PcsProof, VerifierError, WhirConfig, WhirConfigError, WhirProver};
use prova_whir::Order;

use crate::backend::{Backend, Column, Context, Message};
use crate::error::{BackendError, DeviceError};
use crate::layout::{self, DirectLayout, Recording};
use crate::observer::{Cancelled, Observer, Stage, Stopwatch, Unobserved};
use crate::rounds::{Challenger, FirstFold, Run};
use crate::suite::ProverSuite;

/// Why proving failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PcsError {
    /// The claims do not fit the configuration.
    #[error(transparent)]
    Config(#[from] WhirConfigError),
    /// The observer asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The back end's machine failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl From<BackendError> for PcsError {
    fn from(error: BackendError) -> Self {
        match error {
            BackendError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            BackendError::Device(error) => Self::Device(error),
        }
    }
}

/// Options of one run that do not change its bytes.
#[derive(Clone)]
pub struct RunOptions {
    /// Watches the run.
    pub observer: Arc<dyn Observer + Send>,
    /// Attributes time to stages.
    pub stopwatch: Arc<Stopwatch>,
    /// See [`Context::keep_codeword`].
    pub keep_codeword: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            observer: Arc::new(Unobserved),
            stopwatch: Arc::new(Stopwatch::new()),
            keep_codeword: true,
        }
    }
}

/// Prova's WHIR prover as a Plonky3 commitment scheme over suite `S`, challenger `C`, back end
/// `B`. It proves with its own loop and verifies with the stock verifier.
pub struct WhirPcs<S: ProverSuite, C, B> {
    config: WhirConfig<S::EF, S::F, C>,
    order: Order,
    backend: B,
    options: RunOptions,
    suite: PhantomData<S>,
}

impl<S: ProverSuite, C, B: fmt::Debug> fmt::Debug for WhirPcs<S, C, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WhirPcs")
            .field("order", &self.order)
            .finish_non_exhaustive()
    }
}

/// What the prover keeps between committing and opening. Clones share everything large.
pub struct ProverData<S: ProverSuite, B: Backend<S>> {
    layout: Claimable<S>,
    base: Arc<B::Base>,
}

impl<S: ProverSuite, B: Backend<S>> Clone for ProverData<S, B> {
    fn clone(&self) -> Self {
        Self {
            layout: self.layout.clone(),
            base: Arc::clone(&self.base),
        }
    }
}

/// Stock layouts without claims: they own the committed tables.
#[derive(Clone)]
enum Claimable<S: ProverSuite> {
    Suffix(Arc<SuffixProver<S::F, S::EF>>),
    Prefix(Arc<PrefixProver<S::F, S::EF>>),
}

impl<S: ProverSuite, B: Backend<S>> ProverData<S, B> {
    /// Source table `id`.
    #[must_use]
    pub fn table(&self, id: usize) -> &Table<S::F> {
        match &self.layout {
            Claimable::Suffix(layout) => layout.table(id),
            Claimable::Prefix(layout) => layout.table(id),
        }
    }
}

/// A cloned or unwrapped layout; unwrapping avoids copying tables nobody else holds.
fn own<T: Clone>(shared: Arc<T>) -> T {
    Arc::try_unwrap(shared).unwrap_or_else(|shared| T::clone(&shared))
}

impl<S: ProverSuite, C: Challenger<S>, B: Backend<S>> WhirPcs<S, C, B> {
    /// A prover for a derived configuration.
    #[must_use]
    pub fn new(config: WhirConfig<S::EF, S::F, C>, order: Order, backend: B) -> Self {
        Self {
            config,
            order,
            backend,
            options: RunOptions::default(),
            suite: PhantomData,
        }
    }

    /// The same prover, watched.
    #[must_use]
    pub fn with_options(mut self, options: RunOptions) -> Self {
        self.options = options;
        self
    }

    /// The derived configuration.
    #[must_use]
    pub const fn config(&self) -> &WhirConfig<S::EF, S::F, C> {
        &self.config
    }

    fn context(&self) -> Context<'_> {
        Context {
            stopwatch: &self.options.stopwatch,
            observer: &*self.options.observer,
            order: self.order,
            keep_codeword: self.options.keep_codeword,
        }
    }

    /// Lays tables out for [`MultilinearPcs::commit`] in this prover's order.
    #[must_use]
    pub fn witness(&self, tables: Vec<Table<S::F>>) -> Witness<S::F> {
        let fold = self.config.round_folding_factor(0);
        match self.order {
            Order::Suffix => SuffixProver::<S::F, S::EF>::new_witness(tables, fold),
            Order::Prefix => PrefixProver::<S::F, S::EF>::new_witness(tables, fold),
        }
    }

    fn commit_message(
        &self,
        message: &Message<'_, S::F>,
    ) -> Result<(S::Digest, B::Base), BackendError> {
        let ctx = self.context();
        ctx.observer.enter(Stage::Encode, 0);
        ctx.stopwatch.time(Stage::Encode, || {
            self.backend.commit(
                ctx,
                message,
                self.config.round_folding_factor(0),
                self.config.starting_log_inv_rate,
            )
        })
    }

    fn commit_witness(
        &self,
        witness: Witness<S::F>,
    ) -> Result<(S::Digest, ProverData<S, B>), BackendError> {
        let fold = self.config.round_folding_factor(0);
        let num_variables = witness.num_variables();
        match self.order {
            Order::Suffix => {
                let layout = SuffixProver::<S::F, S::EF>::from_witness(witness);
                let message = layout::message(|id| layout.table(id), &layout.table_shapes());
                let (root, base) = self.commit_message(&message)?;
                let layout = Claimable::Suffix(Arc::new(layout));
                Ok((
                    root,
                    ProverData {
                        layout,
                        base: Arc::new(base),
                    },
                ))
            }
            Order::Prefix => {
                let values = PrefixMessage::<S>::new(&witness, fold);
                let (root, base) = self.commit_message(&values.message(num_variables))?;
                let layout = PrefixProver::<S::F, S::EF>::from_witness(witness);
                let layout = Claimable::Prefix(Arc::new(layout));
                Ok((
                    root,
                    ProverData {
                        layout,
                        base: Arc::new(base),
                    },
                ))
            }
        }
    }

    /// Records the claims of `protocol` on a stock layout and plays the run.
    fn open_stock<L: Recording<S::F, S::EF>>(
        &self,
        mut layout: L,
        base: Arc<B::Base>,
        message: Message<'_, S::F>,
        protocol: &OpeningProtocol,
        points: Option<&[Point<S::EF>]>,
        challenger: &mut C,
    ) -> Result<PcsProof<S::F, S::EF, S::Mmcs>, PcsError> {
        let ctx = self.context();
        let (answers, evals) = self.record(&mut layout, protocol, points, challenger)?;
        let run = Run::<S, B, C> {
            config: &self.config,
            backend: &self.backend,
            ctx,
            base,
            message,
        };
        let pow_bits = self.config.starting_folding_pow_bits();
        let whir = run.play(challenger, protocol.num_openings(), answers, |challenger| {
            ctx.stopwatch.time(Stage::Sumcheck, || {
                let mut data = SumcheckData::default();
                let (mut prover, _) = layout.into_sumcheck(&mut data, pow_bits, challenger);
                let (values, weights) = (prover.evals(), prover.weights());
                let tables = self.backend.load(values.as_slice(), weights.as_slice())?;
                Ok(FirstFold { tables, data })
            })
        })?;
        Ok(PcsProof { whir, evals })
    }

    /// Records the claims of `protocol` on the back end and plays the run.
    fn open_direct(
        &self,
        layout: SuffixProver<S::F, S::EF>,
        base: Arc<B::Base>,
        protocol: &OpeningProtocol,
        points: Option<&[Point<S::EF>]>,
        challenger: &mut C,
    ) -> Result<PcsProof<S::F, S::EF, S::Mmcs>, PcsError> {
        let ctx = self.context();
        let fold = self.config.round_folding_factor(0);
        let mut layout =
            DirectLayout::<S, B>::new(layout, fold, &self.backend, ctx, Arc::clone(&base));
        let (answers, evals) = self.record(&mut layout, protocol, points, challenger)?;
        let (openings, pow_bits) = (
            protocol.num_openings(),
            self.config.starting_folding_pow_bits(),
        );
        let first_fold = |layout: &DirectLayout<'_, S, B>, challenger: &mut C| {
            ctx.stopwatch.time(Stage::Sumcheck, || {
                let mut data = SumcheckData::default();
                let (challenges, weights) = layout.play(&mut data, pow_bits, challenger);
                let tables = layout.fold_message(&challenges, &weights)?;
                Ok(FirstFold { tables, data })
            })
        };
        let run = |message| Run::<S, B, C> {
            config: &self.config,
            backend: &self.backend,
            ctx,
            base,
            message,
        };
        let whir = if ctx.keep_codeword {
            // Rows come from the codeword: the message is dropped as soon as it is folded.
            run(self.no_message()).play(challenger, openings, answers, move |challenger| {
                first_fold(&layout, challenger)
            })
        } else {
            run(layout.message()).play(challenger, openings, answers, |challenger| {
                first_fold(&layout, challenger)
            })
        }?;
        Ok(PcsProof { whir, evals })
    }

    /// Stands for a message that no opening will ask for.
    const fn no_message(&self) -> Message<'static, S::F> {
        Message {
            num_variables: self.config.num_variables(),
            columns: Vec::new(),
        }
    }

    /// Draws the out-of-domain claims, then the opening claims, as the stock scheme does.
    ///
    /// # Errors
    /// The back end's, as soon as a claim cannot be recorded.
    fn record<L: Recording<S::F, S::EF>>(
        &self,
        layout: &mut L,
        protocol: &OpeningProtocol,
        points: Option<&[Point<S::EF>]>,
        challenger: &mut C,
    ) -> Result<(Vec<S::EF>, Vec<OpeningEvals<S::EF>>), BackendError> {
        let ctx = self.context();
        ctx.observer.enter(Stage::Claims, 0);
        ctx.stopwatch.time(Stage::Claims, || {
            let answers = (0..self.config.commitment_ood_samples())
                .map(|_| {
                    let answer = layout.add_virtual_eval(challenger);
                    layout.check().map(|()| answer)
                })
                .collect::<Result<_, _>>()?;
            let evals = protocol
                .iter_openings()
                .enumerate()
                .map(|(index, (table, batch))| {
                    let evals = match points {
                        Some(points) => layout.eval_at(table, batch, &points[index], challenger),
                        None => layout.eval(table, batch, challenger),
                    };
                    layout.check().map(|()| evals)
                })
                .collect::<Result<_, _>>()?;
            Ok((answers, evals))
        })
    }

    fn open_any(
        &self,
        data: ProverData<S, B>,
        protocol: &OpeningProtocol,
        points: Option<&[Point<S::EF>]>,
        challenger: &mut C,
    ) -> Result<PcsProof<S::F, S::EF, S::Mmcs>, PcsError> {
        let claims = protocol
            .checked_num_claims()
            .and_then(|n| n.checked_add(self.config.commitment_ood_samples()))
            .ok_or(WhirConfigError::InitialClaimCountOverflow)?;
        self.config.validate_initial_claims(claims)?;
        let direct = protocol
            .iter_openings()
            .all(|(_, batch)| batch.next().is_empty());
        let ProverData { layout, base } = data;
        match layout {
            Claimable::Suffix(layout) if direct => {
                self.open_direct(own(layout), base, protocol, points, challenger)
            }
            Claimable::Suffix(layout) => {
                // Successor claims run on a copy of the stock layout; the rows stay here.
                let claims = SuffixProver::clone(&layout);
                let message = layout::message(|id| layout.table(id), &layout.table_shapes());
                self.open_stock(claims, base, message, protocol, points, challenger)
            }
            Claimable::Prefix(layout) if self.options.keep_codeword => {
                let message = self.no_message();
                self.open_stock(own(layout), base, message, protocol, points, challenger)
            }
            Claimable::Prefix(layout) => {
                let claims = PrefixProver::clone(&layout);
                let fold = self.config.round_folding_factor(0);
                let tables = (0..layout.table_shapes().len()).map(|id| layout.table(id).clone());
                let witness = PrefixProver::<S::F, S::EF>::new_witness(tables.collect(), fold);
                let values = PrefixMessage::<S>::new(&witness, fold);
                let message = values.message(self.config.num_variables());
                self.open_stock(claims, base, message, protocol, points, challenger)
            }
        }
    }

    fn stock<L: Layout<S::F, S::EF>>(&self) -> StockPcs<S, C, L>
    where
        C: Clone,
    {
        WhirProver::new(self.config.clone(), NaiveDft, S::mmcs())
    }
}

type StockPcs<S, C, L> = WhirProver<
    <S as prova_whir::Suite>::EF,
    <S as prova_whir::Suite>::F,
    NaiveDft,
    <S as prova_whir::Suite>::Mmcs,
    C,
    L,
>;

/// The message of a prefix-order commitment: rows strided through the tables, laid out once.
struct PrefixMessage<S: ProverSuite>(Vec<S::F>);

impl<S: ProverSuite> PrefixMessage<S> {
    fn new(witness: &Witness<S::F>, fold: usize) -> Self {
        use p3_field::PrimeCharacteristicRing;
        let mut values = S::F::zero_vec(1 << witness.num_variables());
        PrefixProver::<S::F, S::EF>::write_message(witness, fold, &mut values);
        Self(values)
    }

    fn message(&self, num_variables: usize) -> Message<'_, S::F> {
        Message {
            num_variables,
            columns: vec![Column {
                values: &self.0,
                offset: 0,
            }],
        }
    }
}

impl<S, C, B> MultilinearPcs<S::EF, C> for WhirPcs<S, C, B>
where
    S: ProverSuite,
    C: Challenger<S> + Clone,
    B: Backend<S>,
{
    type Val = S::F;
    type Commitment = <S::Mmcs as Mmcs<S::F>>::Commitment;
    type ProverData = ProverData<S, B>;
    type Proof = PcsProof<S::F, S::EF, S::Mmcs>;
    type Error = VerifierError;
    type ProverError = PcsError;
    type Witness = Witness<S::F>;
    type OpeningProtocol = OpeningProtocol;

    fn num_vars(&self) -> usize {
        self.config.num_variables()
    }

    fn commit(
        &self,
        witness: Self::Witness,
        challenger: &mut C,
    ) -> Result<(Self::Commitment, Self::ProverData), Self::ProverError> {
        assert_eq!(witness.num_variables(), self.config.num_variables());
        let (root, data) = self.commit_witness(witness)?;
        let commitment = S::commitment(root);
        self.observe_commitment(&commitment, challenger);
        Ok((commitment, data))
    }

    fn observe_commitment(&self, commitment: &Self::Commitment, challenger: &mut C) {
        observe_commitment::<S::F, _, _>(challenger, commitment.clone());
    }

    fn open(
        &self,
        prover_data: Self::ProverData,
        protocol: Self::OpeningProtocol,
        challenger: &mut C,
    ) -> Result<Self::Proof, Self::ProverError> {
        self.open_any(prover_data, &protocol, None, challenger)
    }

    fn verify(
        &self,
        commitment: &Self::Commitment,
        proof: &Self::Proof,
        challenger: &mut C,
        protocol: Self::OpeningProtocol,
    ) -> Result<(), Self::Error> {
        match self.order {
            Order::Suffix => self
                .stock::<SuffixProver<S::F, S::EF>>()
                .verify(commitment, proof, challenger, protocol),
            Order::Prefix => self
                .stock::<PrefixProver<S::F, S::EF>>()
                .verify(commitment, proof, challenger, protocol),
        }
    }
}

impl<S, C, B> PrescribedPointPcs<S::EF, C> for WhirPcs<S, C, B>
where
    S: ProverSuite,
    C: Challenger<S> + Clone,
    B: Backend<S>,
{
    fn prescribed_security(&self, protocol: &OpeningProtocol) -> Option<PrescribedOpeningSecurity> {
        self.stock::<SuffixProver<S::F, S::EF>>()
            .prescribed_security(protocol)
    }

    fn open_at(
        &self,
        prover_data: Self::ProverData,
        protocol: &OpeningProtocol,
        points: &[Point<S::EF>],
        challenger: &mut C,
    ) -> Result<Self::Proof, Self::ProverError> {
        assert_eq!(
            protocol.num_openings(),
            points.len(),
            "one point an opening"
        );
        self.open_any(prover_data, protocol, Some(points), challenger)
    }

    fn verify_at(
        &self,
        commitment: &Self::Commitment,
        proof: &Self::Proof,
        protocol: &OpeningProtocol,
        points: &[Point<S::EF>],
        challenger: &mut C,
    ) -> Result<Vec<OpeningEvals<S::EF>>, Self::Error> {
        match self.order {
            Order::Suffix => self
                .stock::<SuffixProver<S::F, S::EF>>()
                .verify_at(commitment, proof, protocol, points, challenger),
            Order::Prefix => self
                .stock::<PrefixProver<S::F, S::EF>>()
                .verify_at(commitment, proof, protocol, points, challenger),
        }
    }
}
