//! Commitments and their openings.
//!
//! An opening proves `sum_u weight(u) q(u) = target` along the ladder that
//! [`prova_binary_pcs::opening`] verifies, message for message.

use p3_field::{PackedValue, PrimeCharacteristicRing};
use prova_binary_pcs::code::Subspaces;
use prova_binary_pcs::merkle::Digest;
use prova_binary_pcs::opening;
use prova_binary_pcs::params::{Level, Schedule};
use prova_binary_pcs::poly::Quadratic;
use prova_binary_pcs::transcript::halves;
use rayon::prelude::*;

use crate::channel::ProverChannel;
use crate::error::ProveError;
use crate::grind::Grinding;
use crate::induce::query_weight;
use crate::lanes::{LANES, LOG_LANES, Lanes};
use crate::matrix::{LaneMatrix, TernaryGrid};
use crate::oracle::{Message, Oracle};
use crate::plan::Plan;
use crate::vector::{self, PIECE, PackedE, PackedK, WIDTH};
use crate::weight::WeightSource;
use crate::{E, K};

/// A committed polynomial: its words, the tree over its codeword, and what opening it needs.
#[derive(Clone, Debug)]
pub struct Committed<'a> {
    lanes: Lanes<'a>,
    oracle: Oracle<'a>,
    log_inv_rate: u32,
    plan: Plan,
}

impl<'a> Committed<'a> {
    /// Commits to the polynomial in `mu` variables that begins with `words` and is zero after them,
    /// at rate `2^-log_inv_rate`.
    ///
    /// # Panics
    /// See [`Lanes::new`].
    #[must_use]
    pub fn new(words: &'a [K], mu: usize, log_inv_rate: u32, plan: Plan) -> Self {
        let lanes = Lanes::new(words, mu);
        let message = Message::Words(lanes);
        let oracle = if plan.keep_first_codeword {
            Oracle::keeping_codeword(&message, log_inv_rate as usize)
        } else {
            Oracle::keeping_message(message, log_inv_rate as usize)
        };
        Self {
            lanes,
            oracle,
            log_inv_rate,
            plan,
        }
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> Digest {
        self.oracle.tree().root()
    }

    /// What a verifier has to know.
    #[must_use]
    pub fn commitment(&self) -> opening::Commitment {
        opening::Commitment {
            root: self.root(),
            lanes: self.lanes.count(),
        }
    }

    /// Opens the commitment: proves that its sum weighted by `weight` is `target`.
    ///
    /// # Errors
    /// [`ProveError::Claim`] when it is not; a schedule of another shape; a grinding failure.
    pub fn open<T: Grinding>(
        self,
        channel: &mut ProverChannel<T>,
        schedule: &Schedule,
        target: E,
        weight: &(impl WeightSource + ?Sized),
    ) -> Result<(), ProveError> {
        self.check(schedule)?;
        channel.observe(target);
        halves(&self.root())
            .into_iter()
            .for_each(|half| channel.observe(half));

        let mut matrix = LaneMatrix::default();
        weight.contract(&self.lanes, &mut matrix);
        if matrix.claim() != target {
            return Err(ProveError::Claim);
        }
        let mut ladder = Ladder::begin(channel, target, &matrix);
        let folds = ladder.fold_lanes(channel, &matrix);
        ladder.values = fold_words(&self.lanes, &folds);
        ladder.weights = vector::zeros(1 << self.lanes.log_rows());
        weight.fold(&folds, &mut ladder.weights);
        ladder.send_round(channel);

        let subspaces = Subspaces::new(self.lanes.log_rows());
        let mut oracle = self.oracle;
        for (index, level) in schedule.levels.iter().enumerate() {
            if index > 0 {
                ladder.fold(channel, level.folds);
            }
            let next = schedule.levels.get(index + 1);
            let next = match next {
                None => {
                    channel.send_all(&ladder.values);
                    None
                }
                Some(next) => Some(ladder.commit(channel, next, self.plan)),
            };
            channel.grind(level.grinding_bits)?;
            ladder.query(channel, level, &oracle, next.as_ref(), &subspaces);
            if let Some(next) = next {
                oracle = next.oracle;
            }
        }
        ladder.finish(channel, schedule.residual_variables);
        Ok(())
    }

    fn check(&self, schedule: &Schedule) -> Result<(), ProveError> {
        let variables = self.lanes.log_rows() + LOG_LANES;
        if schedule.variables != variables {
            return Err(ProveError::Variables {
                expected: variables,
                got: schedule.variables,
            });
        }
        if schedule.log_inv_rate != self.log_inv_rate {
            return Err(ProveError::Rate {
                expected: self.log_inv_rate,
                got: schedule.log_inv_rate,
            });
        }
        Ok(())
    }
}

/// The next oracle with the claim that makes it one polynomial.
struct Next<'a> {
    oracle: Oracle<'a>,
    value: E,
    round: Quadratic,
    /// The equality weights of the out-of-domain point.
    eq: Vec<E>,
}

/// The running claim and both factors of the sum that it is about.
struct Ladder {
    claim: E,
    round: Quadratic,
    values: Vec<E>,
    weights: Vec<E>,
}

impl Ladder {
    fn begin<T: Grinding>(channel: &mut ProverChannel<T>, claim: E, matrix: &LaneMatrix) -> Self {
        let round = send_quadratic(channel, claim, TernaryGrid::new(matrix).round());
        Self {
            claim,
            round,
            values: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Draws the next challenge.
    fn bind<T: Grinding>(&mut self, channel: &mut ProverChannel<T>) -> E {
        let challenge = channel.sample();
        self.claim = self.round.at(challenge);
        challenge
    }

    /// The rounds of the lanes, short of the message that follows the last.
    fn fold_lanes<T: Grinding>(
        &mut self,
        channel: &mut ProverChannel<T>,
        matrix: &LaneMatrix,
    ) -> [E; LOG_LANES] {
        let mut grid = TernaryGrid::new(matrix);
        let mut folds = [E::ZERO; LOG_LANES];
        for (index, fold) in folds.iter_mut().enumerate() {
            *fold = self.bind(channel);
            if index + 1 < LOG_LANES {
                grid.fold(*fold);
                self.round = send_quadratic(channel, self.claim, grid.round());
            }
        }
        folds
    }

    fn send_round<T: Grinding>(&mut self, channel: &mut ProverChannel<T>) {
        let round = vector::round(&self.values, &self.weights);
        self.round = send_quadratic(channel, self.claim, round);
    }

    fn fold_once<T: Grinding>(&mut self, channel: &mut ProverChannel<T>) {
        let challenge = self.bind(channel);
        self.values = vector::fold(&self.values, challenge);
        self.weights = vector::fold(&self.weights, challenge);
    }

    /// The rounds of a later level.
    fn fold<T: Grinding>(&mut self, channel: &mut ProverChannel<T>, count: usize) {
        for _ in 0..count {
            self.fold_once(channel);
            self.send_round(channel);
        }
    }

    /// Commits to what is left and claims its value at a random point.
    fn commit<'a, T: Grinding>(
        &self,
        channel: &mut ProverChannel<T>,
        level: &Level,
        plan: Plan,
    ) -> Next<'a> {
        let log_inv_rate = level.log_inv_rate as usize;
        let oracle = if plan.keep_later_codewords {
            let message = Message::Elements(self.values.as_slice().into());
            Oracle::keeping_codeword(&message, log_inv_rate)
        } else {
            Oracle::keeping_message(Message::Elements(self.values.clone().into()), log_inv_rate)
        };
        channel.send_digest(&oracle.tree().root());
        let point = channel.sample_many(self.values.len().ilog2() as usize);
        let eq = vector::eq_table(&point, E::ONE);
        let value = vector::dot(&self.values, &eq);
        channel.send(value);
        let round = send_quadratic(channel, value, vector::round(&self.values, &eq));
        Next {
            oracle,
            value,
            round,
            eq,
        }
    }

    /// Opens rows of the level's oracle and glues what they and the next oracle claim.
    fn query<T: Grinding>(
        &mut self,
        channel: &mut ProverChannel<T>,
        level: &Level,
        oracle: &Oracle<'_>,
        next: Option<&Next<'_>>,
        subspaces: &Subspaces,
    ) {
        let positions = channel.sample_positions(level.depth(), level.queries);
        let lambda = channel.sample();
        channel.open(oracle, &positions);
        let powers = std::iter::successors(Some(E::ONE), |&power| Some(power * lambda));
        let queries = positions.into_iter().zip(powers).collect();
        // A row folded over its lanes is the folded message encoded at the row's position, so
        // the weight of the rows on the message tells what the rows add up to.
        let weight = query_weight(subspaces, level.log_message, queries);
        let enforced = vector::dot(&self.values, &weight);
        let round = send_quadratic(channel, enforced, vector::round(&self.values, &weight));

        let mut scale = lambda;
        if let Some(next) = next {
            self.glue(scale, next.value, &next.round, &next.eq);
            scale *= lambda;
        }
        self.glue(scale, enforced, &round, &weight);
    }

    fn glue(&mut self, scale: E, claim: E, round: &Quadratic, weight: &[E]) {
        self.claim += scale * claim;
        self.round.add_scaled(scale, round);
        vector::add_scaled(&mut self.weights, weight, scale);
    }

    /// The rounds of the residual; the last challenge is followed by no message.
    fn finish<T: Grinding>(mut self, channel: &mut ProverChannel<T>, variables: usize) {
        self.fold(channel, variables - 1);
        // Drawn by the verifier to check the last claim; nothing depends on it here.
        let _ = self.bind(channel);
    }
}

fn send_quadratic<T: Grinding>(
    channel: &mut ProverChannel<T>,
    claim: E,
    round: [E; 2],
) -> Quadratic {
    channel.send_all(&round);
    Quadratic::plain(claim, round)
}

/// Entry `j` is `sum_l eq(folds, l) f_l(j)`.
fn fold_words(lanes: &Lanes<'_>, folds: &[E; LOG_LANES]) -> Vec<E> {
    let mut scales = [PackedE::ZERO; LANES];
    for (scale, eq) in scales.iter_mut().zip(vector::eq_table(folds, E::ONE)) {
        *scale = PackedE::from(eq);
    }
    let scales = &scales[..lanes.count()];
    let mut folded = vector::zeros(1 << lanes.log_rows());
    folded
        .par_chunks_mut(PIECE)
        .enumerate()
        .for_each(|(piece, folded)| {
            let from = piece * PIECE;
            // Only the last lane can end early.
            let mut last = K::zero_vec(folded.len());
            let part = lanes.part(lanes.count() - 1, from, from + folded.len());
            last[..part.len()].copy_from_slice(part);
            let parts: Vec<&[PackedK]> = (0..lanes.count() - 1)
                .map(|lane| lanes.part(lane, from, from + folded.len()))
                .chain([last.as_slice()])
                .map(PackedK::pack_slice)
                .collect();
            let mut words = [PackedK::ZERO; LANES];
            let words = &mut words[..parts.len()];
            for (x, folded) in folded.chunks_exact_mut(WIDTH).enumerate() {
                words
                    .iter_mut()
                    .zip(&parts)
                    .for_each(|(word, part)| *word = part[x]);
                vector::store(vector::mixed_dot(scales, words), folded);
            }
        });
    folded
}
