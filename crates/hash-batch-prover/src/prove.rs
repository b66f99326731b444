//! One proof of a batch, stage by stage: the prover of [`prova_hash_batch::verify()`].

use crate::arm::Arm;
use crate::batch::Batch;
use crate::channel::Channel;
use crate::circuit::BLOCK_WORDS;
use crate::field::{E, K};
use crate::observer::{Cancelled, Observer, Stage, check};
use crate::witness::{BitTables, Compression, TableView, instances_for};
use crate::zerocheck::MOST_ROUNDS_FROM_BITS;
use crate::{lincheck, zerocheck};
use prova_binary_pcs::field::E_BYTES;
use prova_binary_pcs::stream::Form;
use prova_binary_pcs::transcript::ChainV0;
use prova_binary_pcs_prover::grind::Grinding;
use prova_binary_pcs_prover::ring::RingSwitchWeight;
use prova_binary_pcs_prover::weight::{PointWeights, WeightSource};
use prova_binary_pcs_prover::{Committed, Plan, ProverChannel};
use prova_hash_batch::Statement;
use prova_hash_batch::claims::claims;
use prova_hash_batch::verify::{Batched, Malformed, Shape, transcript};
use prova_hash_batch::{Parameters, Profile};
use prova_lean_vm::blake2s::lincheck::BitClaims;

/// How a prover works; none of it changes a byte of the proof.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Kernels to use.
    pub arm: Arm,
    /// Zerocheck rounds whose messages are computed from the bit tables, at most
    /// [`MOST_ROUNDS_FROM_BITS`]. One more halves the memory of the tables that follow.
    pub rounds_from_bits: usize,
    /// What the commitment keeps in memory.
    pub plan: Plan,
}

impl Default for Options {
    fn default() -> Self {
        Self::fast(Arm::best())
    }
}

impl Options {
    /// The fastest options with an arm: folding bits is cheap where it needs no tables in memory.
    #[must_use]
    pub fn fast(arm: Arm) -> Self {
        Self {
            arm,
            rounds_from_bits: if arm == Arm::Portable { 2 } else { 3 },
            plan: Plan::FAST,
        }
    }

    /// The options with an arm that need the least memory.
    #[must_use]
    pub fn lean(arm: Arm) -> Self {
        Self {
            arm,
            rounds_from_bits: MOST_ROUNDS_FROM_BITS,
            plan: Plan::LEAN,
        }
    }

    /// The fastest options with an arm that stay within `limit` bytes.
    ///
    /// # Errors
    /// [`ProveError::Memory`] when none do.
    pub fn within(limit: u64, shape: &Shape, arm: Arm) -> Result<Self, ProveError> {
        let (fast, lean) = (Self::fast(arm), Self::lean(arm));
        let rounds = [fast.rounds_from_bits, lean.rounds_from_bits];
        Plan::ALL
            .into_iter()
            .flat_map(|plan| rounds.map(|rounds_from_bits| (plan, rounds_from_bits)))
            .map(|(plan, rounds_from_bits)| Self {
                arm,
                rounds_from_bits,
                plan,
            })
            .find(|options| options.peak_bytes(shape) <= limit)
            .ok_or_else(|| ProveError::Memory {
                need: lean.peak_bytes(shape),
                limit,
            })
    }

    /// The most bytes that a proof holds at a time, besides inputs and what threads need for
    /// themselves.
    #[must_use]
    pub fn peak_bytes(&self, shape: &Shape) -> u64 {
        let instances = 1_u64 << shape.instance_variables;
        let block = 8 * BLOCK_WORDS as u64;
        // The factors of the products are there during the constraints only.
        let (witness, factors) = (block * instances, 2 * block * instances);
        // Three tables of elements.
        let rows = (BLOCK_WORDS >> self.rounds_from_bits.min(MOST_ROUNDS_FROM_BITS)) as u64;
        let folded = 3 * E_BYTES as u64 * rows * instances;
        // Equality weights: two an instance in the first round, one later.
        let weights = 2 * E_BYTES as u64 * instances;
        let tree = shape
            .schedule
            .levels
            .first()
            .map_or(0, |level| 64 << level.depth());
        let codeword = if self.plan.keep_first_codeword {
            (block * instances) << shape.schedule.log_inv_rate
        } else {
            0
        };
        let constraints = factors + tree + codeword + folded + weights;
        witness + constraints.max(self.plan.peak_bytes(&shape.schedule, shape.lanes))
    }
}

/// A proof was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// The observer asked for it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The compressions do not fill the statement's instances: there are too many, or so few that
    /// half the instances would be enough.
    #[error("expected compressions for {most} instances, more than half of them, got {got}")]
    Compressions {
        /// Instances of the statement.
        most: usize,
        /// Compressions given.
        got: usize,
    },
    /// No options stay below the memory limit.
    #[error("a proof needs {need} bytes at least, the limit is {limit}")]
    Memory {
        /// Bytes of the leanest options.
        need: u64,
        /// The limit.
        limit: u64,
    },
    /// The parameters are not supported.
    #[error(transparent)]
    Parameters(#[from] Malformed),
    /// The commitment could not be opened. With
    /// [`Claim`](prova_binary_pcs_prover::ProveError::Claim) the compressions do not make the
    /// statement true.
    #[error(transparent)]
    Opening(#[from] prova_binary_pcs_prover::ProveError),
}

impl<T: Grinding> Channel for ProverChannel<T> {
    fn send(&mut self, value: E) {
        Self::send(self, value);
    }

    fn sample(&mut self) -> E {
        Self::sample(self)
    }
}

/// Proves a batch.
///
/// # Errors
/// See [`ProveError`].
pub fn prove(
    batch: &Batch,
    parameters: &Parameters,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Vec<u8>, ProveError> {
    prove_with(
        &batch.statement,
        &batch.compressions,
        parameters,
        options,
        observer,
    )
}

fn prove_with(
    statement: &Statement,
    compressions: &[Compression],
    parameters: &Parameters,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Vec<u8>, ProveError> {
    observer.enter(Stage::Setup);
    let shape = Shape::new(statement, parameters)?;
    let most = 1 << shape.instance_variables;
    if instances_for(compressions) != most {
        let got = compressions.len();
        return Err(ProveError::Compressions { most, got });
    }
    let mut channel = ProverChannel::new(transcript(statement, parameters), Form::Wire);
    check(observer)?;
    observer.enter(Stage::Witness);
    let conversation = &mut channel;
    if options.plan.keep_first_codeword {
        let BitTables { z, a, b, .. } = BitTables::generate(compressions, options.arm);
        let factors = || [a, b];
        prove_words(
            statement,
            &z,
            factors,
            &shape,
            conversation,
            options,
            observer,
        )?;
    } else {
        let z = BitTables::generate_witness(compressions, options.arm);
        let factors = || BitTables::generate_factors(compressions, options.arm);
        prove_words(
            statement,
            &z,
            factors,
            &shape,
            conversation,
            options,
            observer,
        )?;
    }
    Ok(framed(&channel, parameters.profile))
}

/// The bytes of a finished proof.
fn framed(channel: &ProverChannel<ChainV0>, profile: Profile) -> Vec<u8> {
    match profile {
        Profile::V0 => channel.finish(),
        Profile::V1 => channel.finish_bare(),
    }
}

/// Proves with a witness that is there already; `factors` gives its row values `A z` and `B z` once
/// the commitment is made.
fn prove_words(
    statement: &Statement,
    z: &[u64],
    factors: impl FnOnce() -> [Vec<u64>; 2],
    shape: &Shape,
    channel: &mut ProverChannel<ChainV0>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<(), ProveError> {
    check(observer)?;
    observer.enter(Stage::Commit);
    let rate = shape.schedule.log_inv_rate;
    let committed = Committed::new(as_field(z), shape.variables, rate, options.plan);
    check(observer)?;
    channel.send_digest(&committed.root());
    let rho = channel.sample_many(shape.instance_variables);
    let [a, b] = factors();
    let tables = TableView {
        log_instances: shape.instance_variables,
        z,
        a: &a,
        b: &b,
    };
    let bits = constraints(tables, channel, options, observer)?;
    drop((a, b));

    observer.enter(Stage::Opening);
    check(observer)?;
    let ring_challenges = std::array::from_fn(|_| channel.sample());
    let lambda = channel.sample();
    let claims = claims(statement, &rho);
    let batched = Batched::new(shape, &bits, ring_challenges, &claims, lambda);
    let points = batched
        .terms
        .iter()
        .map(|(scale, point)| (&point[..], *scale));
    let points = PointWeights::new(points);
    let ring = RingSwitchWeight::new(&batched.ring, &bits.point, shape.placement, shape.variables);
    let weight: [&dyn WeightSource; 2] = [&ring, &points];
    committed.open(channel, &shape.schedule, batched.target, &weight[..])?;
    Ok(())
}

/// Zerocheck and lincheck.
fn constraints(
    tables: TableView<'_>,
    channel: &mut impl Channel,
    options: &Options,
    observer: &dyn Observer,
) -> Result<BitClaims, Cancelled> {
    let rounds = options.rounds_from_bits.min(MOST_ROUNDS_FROM_BITS);
    let products = zerocheck::prove(tables, rounds, options.arm, channel, observer)?;
    lincheck::prove(tables, &products, options.arm, channel, observer)
}

/// Packed words as field elements.
fn as_field(words: &[u64]) -> &[K] {
    const { assert!(size_of::<K>() == 8 && align_of::<K>() == align_of::<u64>()) };
    // SAFETY: the element type is a transparent wrapper of the word, and every word is an element.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unobserved;
    use prova_hash_batch::verify;
    use prova_proof_file::Failure;

    fn messages(count: usize) -> Vec<[u8; 64]> {
        (0..count)
            .map(|t| std::array::from_fn(|i| (31 * t + 7 * i + t * i) as u8))
            .collect()
    }

    fn batches() -> [Batch; 5] {
        [
            Batch::digests(&messages(8)).unwrap(),
            Batch::digests(&messages(21)).unwrap(),
            Batch::merkle_tree(&messages(16)).unwrap(),
            Batch::chain([7; 32], 13).unwrap(),
            Batch::chain([9; 32], 8).unwrap(),
        ]
    }

    fn prove_default(batch: &Batch) -> Result<Vec<u8>, ProveError> {
        prove(
            batch,
            &Parameters::default(),
            &Options::default(),
            &Unobserved,
        )
    }

    /// The proof that a prover with these tables makes, if the opening goes through.
    fn prove_false(statement: &Statement, tables: &BitTables) -> Result<Vec<u8>, ProveError> {
        let parameters = Parameters::default();
        let shape = Shape::new(statement, &parameters).unwrap();
        let mut channel = ProverChannel::new(transcript(statement, &parameters), Form::Wire);
        let factors = || [tables.a.clone(), tables.b.clone()];
        let options = Options::default();
        prove_words(
            statement,
            &tables.z,
            factors,
            &shape,
            &mut channel,
            &options,
            &Unobserved,
        )?;
        Ok(framed(&channel, parameters.profile))
    }

    fn rejected(statement: &Statement, proof: &[u8]) -> bool {
        let verdict = verify(statement, &Parameters::default(), proof);
        matches!(verdict, Err(Failure::Rejected(_)))
    }

    #[test]
    fn proofs_of_all_statements_are_accepted() {
        for batch in batches() {
            let proof = prove_default(&batch).unwrap();
            let summary = verify(&batch.statement, &Parameters::default(), &proof).unwrap();
            assert_eq!(summary.proof_bytes, proof.len());
            assert_eq!(summary.log_instances, batch.statement.log_instances());
        }
    }

    #[test]
    fn bytes_depend_on_statement_and_parameters_only() {
        let batch = Batch::merkle_tree(&messages(8)).unwrap();
        let expected = prove_default(&batch).unwrap();
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            assert_eq!(pool.install(|| prove_default(&batch)).unwrap(), expected);
        }
        for arm in Arm::all_available() {
            let options = Options::lean(arm);
            let proof = prove(&batch, &Parameters::default(), &options, &Unobserved).unwrap();
            assert_eq!(proof, expected);
        }
        let parameters = Parameters {
            log_inv_rate: 2,
            ..Parameters::default()
        };
        let proof = prove(&batch, &parameters, &Options::default(), &Unobserved).unwrap();
        assert!(verify(&batch.statement, &parameters, &proof).is_ok());
        assert!(verify(&batch.statement, &Parameters::default(), &proof).is_err());
    }

    #[test]
    fn other_statements_are_not_proved() {
        let batch = Batch::digests(&messages(8)).unwrap();
        let other = Batch::digests(&messages(9)).unwrap();
        let mut changed = other.clone();
        changed.statement = batch.statement.clone();
        let got = prove_default(&changed);
        assert_eq!(got, Err(ProveError::Compressions { most: 8, got: 9 }));

        changed.compressions = Vec::new();
        changed.statement = other.statement;
        let got = prove_default(&changed);
        assert_eq!(got, Err(ProveError::Compressions { most: 16, got: 0 }));

        // Honest proofs, read for another statement.
        for batch in batches() {
            let proof = prove_default(&batch).unwrap();
            for statement in batches().map(|b| b.statement) {
                if statement != batch.statement {
                    let verdict = verify(&statement, &Parameters::default(), &proof);
                    assert!(verdict.is_err());
                }
            }
        }
    }

    #[test]
    fn compressions_that_do_not_make_the_statement_true_are_noticed() {
        for batch in batches() {
            for instance in [0, 1, batch.compressions.len() - 1] {
                let changes: [fn(&mut Compression); 5] = [
                    |c| c.message[3] ^= 1 << 9,
                    |c| c.message[11] ^= 1 << 31,
                    |c| c.chaining[5] ^= 1,
                    |c| c.counter ^= 1 << 40,
                    |c| c.flags[1] ^= 1,
                ];
                for change in changes {
                    let mut changed = batch.clone();
                    change(&mut changed.compressions[instance]);
                    let claim = prova_binary_pcs_prover::ProveError::Claim;
                    assert_eq!(prove_default(&changed), Err(ProveError::Opening(claim)));
                }
            }
        }
    }

    #[test]
    fn false_witnesses_are_rejected() {
        let batch = Batch::digests(&messages(8)).unwrap();
        let honest = BitTables::generate(&batch.compressions, Arm::best());
        // A product bit is in no claim of the statement: the proof is made, and it is rejected.
        let mut flipped = honest.clone();
        flipped.z[256 * 5 + 100] ^= 1 << 17;
        let proof = prove_false(&batch.statement, &flipped).unwrap();
        assert!(rejected(&batch.statement, &proof));
        // Free inputs of all instances zero, the constant wire included.
        let mut zero = honest;
        for table in [&mut zero.z, &mut zero.a, &mut zero.b] {
            table.fill(0);
        }
        assert!(prove_false(&batch.statement, &zero).is_err());
    }

    #[test]
    fn an_observer_sees_every_stage_and_can_stop() {
        use std::sync::Mutex;
        struct Watch(Mutex<Vec<Stage>>, Option<Stage>);
        impl Observer for Watch {
            fn enter(&self, stage: Stage) {
                self.0.lock().unwrap().push(stage);
            }
            fn cancelled(&self) -> bool {
                self.1
                    .is_some_and(|stop| self.0.lock().unwrap().last() == Some(&stop))
            }
        }
        let batch = Batch::digests(&messages(8)).unwrap();
        for stop in Stage::ALL.map(Some).into_iter().chain([None]) {
            let watch = Watch(Mutex::new(Vec::new()), stop);
            let result = prove(&batch, &Parameters::default(), &Options::default(), &watch);
            let seen = watch.0.into_inner().unwrap();
            let end = stop.map_or(7, |s| 1 + Stage::ALL.iter().position(|&t| t == s).unwrap());
            assert_eq!(seen, Stage::ALL[..end]);
            assert_eq!(result.is_err(), stop.is_some());
        }
    }
}
