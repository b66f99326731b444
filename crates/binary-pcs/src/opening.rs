//! Verification of an opening: the ladder of folds, out-of-domain samples and queries.
//!
//! The statement: `sum_u weight(u) q(u) = target` for a committed `q` of `2^variables` words of K
//! and a weight with values in E. The running claim is `h(0) + h(1)` of a quadratic `h`; each level
//! folds some variables, commits to what is left, and glues claims about its new and its old oracle
//! to the running one. At the end the residual table is sent, and the claim must be the weight times
//! the residual at the point of all fold challenges.
//!
//! The first level's lanes are the top six variables, in ascending order; later levels fold the
//! lowest variables left.

use alloc::vec::Vec;

use prova_proof_file::Failure;

use crate::code::Subspaces;
use crate::error::{Outcome, Rejection};
use crate::field::{E, K, PrimeCharacteristicRing, to_limbs};
use crate::merkle::{self, Digest, TreeShape};
use crate::params::{FIRST_FOLD, Level, Schedule};
use crate::poly::{Quadratic, dot_words, eq, eq_table, evaluate};
use crate::stream::{Channel, Openings};
use crate::transcript::{Transcript, halves};

/// A linear form on the committed words, known by what it is at a point.
pub trait Weight {
    /// The multilinear extension of the weight at a point of all variables, lowest first.
    fn evaluate(&self, point: &[E]) -> E;
}

/// What was committed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commitment {
    /// Root of the first oracle.
    pub root: Digest,
    /// Lanes that hold words, from the first; the others are zero. 1 to 64.
    pub lanes: usize,
}

impl Commitment {
    /// Lanes that `total` words fill, of a polynomial in `variables` variables: at least one.
    #[must_use]
    pub fn lanes_for(total: u64, variables: usize) -> usize {
        let log_lane = u32::try_from(variables.saturating_sub(FIRST_FOLD)).unwrap_or(u32::MAX);
        let lane = 1_u64.checked_shl(log_lane).unwrap_or(u64::MAX);
        usize::try_from(total.div_ceil(lane).max(1)).unwrap_or(usize::MAX)
    }
}

/// What was opened at a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenedLevel {
    /// Depth of the level's Merkle tree.
    pub depth: u32,
    /// Queries, with repetitions.
    pub queries: usize,
    /// Rows in the proof.
    pub rows: usize,
    /// Siblings in the proof.
    pub siblings: usize,
}

/// The ladder as it is walked: the running claim and what will be needed at the end.
struct Walk {
    claim: E,
    round: Quadratic,
    challenges: Vec<E>,
    glued: Vec<Glued>,
}

/// Claims that were glued to the running one after the folds of a level. `bound` is how many
/// variables were folded by then; the weights live on the others.
struct Glued {
    bound: usize,
    /// Scale and point of the claim about the next oracle.
    out_of_domain: Option<(E, Vec<E>)>,
    /// Scale of the queries, the challenge whose powers batch them, and their positions.
    queries: (E, E, Vec<u64>),
}

/// Verifies that the committed polynomial has the claimed weighted sum.
///
/// Reads all Merkle openings and [`Schedule::scalar_count`] scalars; the caller ends both readers.
///
/// # Errors
/// Malformed parts of the proof; the step that rejected.
pub fn verify<T: Transcript>(
    channel: &mut Channel<'_, T>,
    openings: &mut Openings<'_>,
    schedule: &Schedule,
    commitment: &Commitment,
    target: E,
    weight: &impl Weight,
) -> Outcome<Vec<OpenedLevel>> {
    channel.observe(target);
    for half in halves(&commitment.root) {
        channel.observe(half);
    }
    openings
        .begin(schedule.levels.len(), schedule.queries())
        .map_err(Failure::Malformed)?;

    let mut walk = Walk {
        claim: target,
        round: Quadratic::plain(target, channel.read_array()?),
        challenges: Vec::new(),
        glued: Vec::new(),
    };
    let mut opened = Vec::with_capacity(schedule.levels.len());
    let mut root = commitment.root;
    let mut residual = Vec::new();
    for (index, level) in schedule.levels.iter().enumerate() {
        let folds = walk.fold(channel, level.folds)?;
        let next = if index + 1 == schedule.levels.len() {
            residual = channel.read_many(1 << schedule.residual_variables)?;
            None
        } else {
            Some(Next::read(channel, level.log_message)?)
        };
        let bits = level.grinding_bits;
        if !channel.read_grinding(bits)? {
            let level = index;
            return Err(Failure::Rejected(Rejection::Grinding { level, bits }));
        }
        let oracle = Oracle {
            index,
            root,
            lanes: if index == 0 {
                commitment.lanes
            } else {
                1 << level.folds
            },
        };
        opened.push(walk.query(channel, openings, level, &oracle, &folds, next.as_ref())?);
        if let Some(next) = next {
            root = next.root;
        }
    }
    let tail = walk.fold_tail(channel, schedule.residual_variables)?;
    let total = walk.weight(schedule, weight);
    if walk.claim == total * evaluate(&residual, &tail) {
        Ok(opened)
    } else {
        Err(Failure::Rejected(Rejection::Terminal))
    }
}

/// What a level but the last sends about the oracle that follows it.
struct Next {
    root: Digest,
    point: Vec<E>,
    value: E,
    round: Quadratic,
}

impl Next {
    fn read<T: Transcript>(channel: &mut Channel<'_, T>, variables: usize) -> Outcome<Self> {
        let root = channel.read_digest()?;
        let point = channel.sample_many(variables);
        let value = channel.read()?;
        let round = Quadratic::plain(value, channel.read_array()?);
        Ok(Self {
            root,
            point,
            value,
            round,
        })
    }
}

/// The oracle that a level queries.
struct Oracle {
    index: usize,
    root: Digest,
    lanes: usize,
}

impl Oracle {
    fn shape(&self, level: &Level) -> TreeShape {
        let (image_words, zero_words) = if self.index == 0 {
            let lanes = 1_usize << level.folds;
            (lanes, lanes.saturating_sub(self.lanes))
        } else {
            (self.lanes.saturating_mul(3), 0)
        };
        TreeShape {
            depth: level.depth(),
            image_words,
            zero_words,
        }
    }

    /// The inner product of an opened row with the weights of its lanes.
    ///
    /// The first oracle's image holds a word a lane, the last lane first; later ones three words a
    /// lane, in order. `weights` must be in the order of the image.
    fn row_value(&self, weights: &[E], image: &[K]) -> E {
        if self.index == 0 {
            return dot_words(weights, image);
        }
        let lanes = image.as_chunks::<3>().0;
        lanes
            .iter()
            .zip(weights)
            .fold(E::ZERO, |sum, (&lane, &weight)| sum + E::new(lane) * weight)
    }
}

impl Walk {
    /// Folds `count` variables, each with the message of the next round.
    fn fold<T: Transcript>(
        &mut self,
        channel: &mut Channel<'_, T>,
        count: usize,
    ) -> Outcome<Vec<E>> {
        let mut folds = Vec::with_capacity(count);
        for _ in 0..count {
            folds.push(self.bind(channel));
            self.round = Quadratic::plain(self.claim, channel.read_array()?);
        }
        Ok(folds)
    }

    /// Folds what the residual is left with; the last challenge is followed by no message.
    fn fold_tail<T: Transcript>(
        &mut self,
        channel: &mut Channel<'_, T>,
        count: usize,
    ) -> Outcome<Vec<E>> {
        let mut tail = self.fold(channel, count.saturating_sub(1))?;
        tail.push(self.bind(channel));
        Ok(tail)
    }

    fn bind<T: Transcript>(&mut self, channel: &mut Channel<'_, T>) -> E {
        let challenge = channel.sample();
        self.claim = self.round.at(challenge);
        self.challenges.push(challenge);
        challenge
    }

    /// Queries an oracle, checks the rows and glues the claims of the level.
    fn query<T: Transcript>(
        &mut self,
        channel: &mut Channel<'_, T>,
        openings: &mut Openings<'_>,
        level: &Level,
        oracle: &Oracle,
        folds: &[E],
        next: Option<&Next>,
    ) -> Outcome<OpenedLevel> {
        let positions = sample_positions(|| channel.sample(), level.depth(), level.queries);
        let lambda = channel.sample();
        let shape = oracle.shape(level);
        let rows = merkle::open(openings, oracle.index, &oracle.root, &shape, &positions)?;

        let mut weights = eq_table(folds);
        if oracle.index == 0 {
            weights.reverse();
        }
        let values = rows.map_in_order(|image| oracle.row_value(&weights, image));
        let enforced = horner(values.iter().copied(), lambda);
        let query_round = Quadratic::plain(enforced, channel.read_array()?);

        let mut scale = lambda;
        let mut out_of_domain = None;
        if let Some(next) = next {
            self.glue(scale, next.value, &next.round);
            out_of_domain = Some((scale, next.point.clone()));
            scale *= lambda;
        }
        self.glue(scale, enforced, &query_round);
        let opened = OpenedLevel {
            depth: shape.depth,
            queries: positions.len(),
            rows: rows.rows(),
            siblings: rows.siblings(),
        };
        self.glued.push(Glued {
            bound: self.challenges.len(),
            out_of_domain,
            queries: (scale, lambda, positions),
        });
        Ok(opened)
    }

    fn glue(&mut self, scale: E, claim: E, round: &Quadratic) {
        self.claim += scale * claim;
        self.round.add_scaled(scale, round);
    }

    /// The weight of everything in the last claim, at the terminal point.
    fn weight(&self, schedule: &Schedule, external: &impl Weight) -> E {
        // The top six variables were folded first.
        let mut point = self.challenges.clone();
        let lanes = FIRST_FOLD.min(point.len());
        point.rotate_left(lanes);
        let subspaces = Subspaces::new(schedule.variables.saturating_sub(FIRST_FOLD));
        self.glued
            .iter()
            .fold(external.evaluate(&point), |sum, glued| {
                let rest = self.challenges.get(glued.bound..).unwrap_or_default();
                let mut weight = E::ZERO;
                if let Some((scale, point)) = &glued.out_of_domain {
                    weight += *scale * eq(point, rest);
                }
                let (scale, lambda, positions) = &glued.queries;
                let columns = positions
                    .iter()
                    .map(|&position| subspaces.column_weight(position, rest));
                sum + weight + *scale * horner(columns, *lambda)
            })
    }
}

/// `sum_i values_i x^i`.
fn horner(values: impl DoubleEndedIterator<Item = E>, x: E) -> E {
    values.rev().fold(E::ZERO, |sum, value| sum * x + value)
}

/// Draws `count` positions below `2^depth`: each element drawn is an integer of 192 bits, cut from
/// the low end into as many pieces of `depth` bits (1 to 63) as fit.
pub fn sample_positions(mut sample: impl FnMut() -> E, depth: u32, count: usize) -> Vec<u64> {
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let pieces = pieces(sample(), depth);
        positions.extend(pieces.take(count.saturating_sub(positions.len())));
    }
    positions
}

fn pieces(element: E, depth: u32) -> impl Iterator<Item = u64> {
    let depth = depth.clamp(1, 63);
    let [c0, c1, c2] = to_limbs(element);
    let mut low = u128::from(c0) | u128::from(c1) << 64;
    let mut high = c2;
    (0..192 / depth).map(move |_| {
        let mask = u128::from(u64::MAX >> (64 - depth));
        let piece = u64::try_from(low & mask).unwrap_or(0);
        low = low >> depth | u128::from(high) << (128 - depth);
        high >>= depth;
        piece
    })
}
