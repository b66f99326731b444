//! The zerocheck prover: `a b + z = 0` for all bits of all blocks, the message order of
//! [`prova_lean_vm::blake2s::zerocheck`].
//!
//! After the univariate-skip round the variables of a block are bound first, eight instances side
//! by side, then those that number instances. The first rounds fold the bit tables anew for every
//! message; elements are stored only from a chosen round on.

use crate::arm::Arm;
use crate::channel::Channel;
use crate::circuit::BLOCK_WORDS;
use crate::field::{E, K, Octet, OctetSum, eq_table, par_eq_table};
use crate::fold::{BitFold, TILE};
use crate::observer::{Cancelled, Observer, Stage, check};
use crate::round_one::round_one;
use crate::witness::{GROUP, GROUP_WORDS, TableView};
use p3_field::{Field, PrimeCharacteristicRing};
use prova_binary_pcs::poly::{Quadratic, dot};
use prova_lean_vm::blake2s::skip::lagrange_weights;
use prova_lean_vm::blake2s::zerocheck::{
    BLOCK_VARIABLES, FIXED, ZerocheckClaims, fixed_coordinates,
};
use rayon::prelude::*;

/// Low equality coordinates that lie in `K`.
const BASE_COORDINATES: usize = 3;
/// Most rounds whose messages are computed from the bits alone.
pub const MOST_ROUNDS_FROM_BITS: usize = 4;

/// Proves the zerocheck. The messages of rounds `0..from_bits` are computed from the bit tables;
/// the tables of elements that follow have `256 >> from_bits` entries an instance.
///
/// # Errors
/// [`Cancelled`] when the observer asks for it.
///
/// # Panics
/// If `from_bits` exceeds [`MOST_ROUNDS_FROM_BITS`].
pub fn prove(
    tables: TableView<'_>,
    from_bits: usize,
    arm: Arm,
    channel: &mut impl Channel,
    observer: &dyn Observer,
) -> Result<ZerocheckClaims, Cancelled> {
    assert!(from_bits <= MOST_ROUNDS_FROM_BITS);
    observer.enter(Stage::UnivariateSkip);
    let mut r = fixed_coordinates().to_vec();
    r.extend(channel.sample_many(BLOCK_VARIABLES + tables.log_instances - FIXED));
    let values = round_one(tables, &r, arm);
    check(observer)?;
    channel.send_all(&values);
    observer.enter(Stage::Zerocheck);
    let skip = channel.sample();
    let claim = dot(&values, &lagrange_weights(7, skip)[64..]);
    let mut rounds = Rounds {
        r: &r,
        claim,
        challenges: Vec::with_capacity(r.len()),
        observer,
    };
    let instances = BlockRounds {
        tables,
        skip: lagrange_weights(6, skip),
        from_bits,
        arm,
        outer: par_eq_table(&r[BLOCK_VARIABLES..]),
    }
    .run(&mut rounds, channel)?;
    let [a, b] = instance_rounds(instances, &mut rounds, channel)?;
    channel.send_all(&[a, b]);
    let (inner, outer) = rounds.challenges.split_at(BLOCK_VARIABLES);
    Ok(ZerocheckClaims {
        skip,
        inner: std::array::from_fn(|i| inner[i]),
        outer: outer.to_vec(),
        values: [a, b, rounds.claim + a * b],
    })
}

/// The running claim of the multilinear rounds.
struct Rounds<'a> {
    r: &'a [E],
    claim: E,
    challenges: Vec<E>,
    observer: &'a dyn Observer,
}

impl Rounds<'_> {
    /// Sends the round polynomial with value `at_one` at 1 and leading coefficient `c2`, without
    /// its equality factor, and draws the challenge.
    ///
    /// The value at 0 follows from the claim. A coordinate equal to one, which occurs with
    /// probability `2^-192`, leaves it undetermined; the proof is then rejected.
    fn finish(&mut self, at_one: E, c2: E, channel: &mut impl Channel) -> Result<E, Cancelled> {
        check(self.observer)?;
        let r = self.r[self.challenges.len()];
        let c0 = (self.claim + r * at_one) * (E::ONE + r).try_inverse().unwrap_or(E::ZERO);
        let sent = [c0 + at_one + c2, c2];
        channel.send_all(&sent);
        let challenge = channel.sample();
        self.claim = Quadratic::without_eq(self.claim, r, sent).at(challenge);
        self.challenges.push(challenge);
        Ok(challenge)
    }
}

/// Equality weights of the block variables above the bound one: those in `K` apart, because
/// products with them cost half.
struct PairWeights {
    base: Vec<K>,
    extension: Vec<Octet>,
}

impl PairWeights {
    /// The weights in round `round`.
    fn new(r: &[E], round: usize) -> Self {
        let split = BASE_COORDINATES.max(round + 1);
        let low = |e: &E| e.coefficients()[0];
        Self {
            base: eq_table(&r[round + 1..split]).iter().map(low).collect(),
            extension: eq_table(&r[split..BLOCK_VARIABLES])
                .into_iter()
                .map(Octet::broadcast)
                .collect(),
        }
    }

    /// Adds the terms of neighbouring pairs, the first of which has number `first`, to the sums
    /// of the value at one and of the leading coefficient.
    #[inline(always)]
    fn accumulate(&self, [a, b, z]: [&[Octet]; 3], first: usize, sums: &mut [OctetSum; 2]) {
        let per_weight = self.base.len();
        for chunk in 0..a.len() / 2 / per_weight {
            let weight = &self.extension[first / per_weight + chunk];
            let start = 2 * per_weight * chunk;
            let rows = [a, b, z].map(|table| &table[start..start + 2 * per_weight]);
            if per_weight == 1 {
                Octet::add_weighted_pair(rows, weight, sums);
            } else {
                Octet::add_weighted_pairs(rows, &self.base, weight, sums);
            }
        }
    }
}

/// The eight rounds over the variables of a block.
struct BlockRounds<'a> {
    tables: TableView<'a>,
    skip: Vec<E>,
    from_bits: usize,
    arm: Arm,
    /// Equality weights of the instances.
    outer: Vec<E>,
}

/// Sums over groups of instances, and how two of them join.
type Totals = [OctetSum; 2];

fn no_totals() -> Totals {
    [OctetSum::zero(); 2]
}

fn join(mut x: Totals, y: Totals) -> Totals {
    for (x, y) in x.iter_mut().zip(y) {
        x.merge(y);
    }
    x
}

impl BlockRounds<'_> {
    /// Runs the rounds; returns the values of `a`, `b`, `z` for every instance.
    fn run(
        &self,
        rounds: &mut Rounds<'_>,
        channel: &mut impl Channel,
    ) -> Result<[Vec<E>; 3], Cancelled> {
        for round in 0..self.from_bits {
            let weights = PairWeights::new(rounds.r, round);
            let fold = BitFold::new(&self.skip, &rounds.challenges, self.arm);
            let totals = self.message_from_bits(&weights, &fold);
            // The fold of the next round reads the challenge from the list.
            let _ = self.send(totals, rounds, channel)?;
        }
        let weights = PairWeights::new(rounds.r, self.from_bits);
        let fold = BitFold::new(&self.skip, &rounds.challenges, self.arm);
        let (mut stored, totals) = self.store(&weights, &fold);
        let mut challenge = self.send(totals, rounds, channel)?;
        for round in self.from_bits + 1..BLOCK_VARIABLES {
            let weights = PairWeights::new(rounds.r, round);
            let totals = self.fold_stored(&weights, challenge, &mut stored);
            challenge = self.send(totals, rounds, channel)?;
        }
        let values = [0, 1, 2].map(|table| stored.last_fold(table, challenge));
        prova_pages::release(stored.octets);
        Ok(values)
    }

    fn send(
        &self,
        totals: Totals,
        rounds: &mut Rounds<'_>,
        channel: &mut impl Channel,
    ) -> Result<E, Cancelled> {
        let [at_one, leading] = totals.map(OctetSum::total);
        rounds.finish(at_one, leading, channel)
    }

    /// Weighs the sums of one group by its instances.
    #[inline(always)]
    fn add_group(&self, group: usize, sums: [OctetSum; 2], totals: &mut Totals) {
        let weight = Octet::from_slice(&self.outer[GROUP * group..]);
        for (total, sum) in totals.iter_mut().zip(sums) {
            total.add_product(sum.reduce(), weight);
        }
    }

    /// The words of `a`, `b`, `z` of one group.
    fn words(&self, group: usize) -> [&[u64]; 3] {
        let TableView { a, b, z, .. } = self.tables;
        [a, b, z].map(|table| &table[GROUP_WORDS * group..][..GROUP_WORDS])
    }

    fn message_from_bits(&self, weights: &PairWeights, fold: &BitFold) -> Totals {
        let tiles = BLOCK_WORDS >> fold.depth() >> TILE.ilog2();
        (0..self.tables.instances() / GROUP)
            .into_par_iter()
            .fold(no_totals, |mut totals, group| {
                let words = self.words(group);
                let mut sums = no_totals();
                let mut parts = [[Octet::ZERO; TILE]; 3];
                for tile in 0..tiles {
                    for (part, words) in parts.iter_mut().zip(words) {
                        fold.tile(words, tile, part);
                    }
                    let rows = std::array::from_fn(|i| &parts[i][..]);
                    weights.accumulate(rows, TILE / 2 * tile, &mut sums);
                }
                self.add_group(group, sums, &mut totals);
                totals
            })
            .reduce(no_totals, join)
    }

    /// [`Self::message_from_bits`] that keeps what it folded.
    fn store(&self, weights: &PairWeights, fold: &BitFold) -> (Stored, Totals) {
        let height = BLOCK_WORDS >> fold.depth();
        let len = self.tables.instances() / GROUP * 3 * height;
        let mut octets = Vec::with_capacity(len);
        let totals = octets.spare_capacity_mut()[..len]
            .par_chunks_exact_mut(3 * height)
            .enumerate()
            .fold(no_totals, |mut totals, (group, room)| {
                let words = self.words(group);
                let mut sums = no_totals();
                let mut parts = [[Octet::ZERO; TILE]; 3];
                for tile in 0..height / TILE {
                    let tables = room.chunks_exact_mut(height);
                    for ((part, words), room) in parts.iter_mut().zip(words).zip(tables) {
                        fold.tile(words, tile, part);
                        for (room, &octet) in room[TILE * tile..].iter_mut().zip(&*part) {
                            room.write(octet);
                        }
                    }
                    let rows = std::array::from_fn(|i| &parts[i][..]);
                    weights.accumulate(rows, TILE / 2 * tile, &mut sums);
                }
                self.add_group(group, sums, &mut totals);
                totals
            })
            .reduce(no_totals, join);
        // SAFETY: the capacity is at least `len`, and every octet below it was written: each group
        // of the `len` octets is three tables of whole tiles.
        unsafe { octets.set_len(len) };
        let rows = height;
        let stored = Stored {
            octets,
            height,
            rows,
        };
        (stored, totals)
    }

    /// Binds a variable of the stored tables in place and sums the next message.
    fn fold_stored(&self, weights: &PairWeights, challenge: E, stored: &mut Stored) -> Totals {
        let challenge = Octet::broadcast(challenge);
        let (height, half) = (stored.height, stored.rows / 2);
        stored.rows = half;
        stored
            .octets
            .par_chunks_exact_mut(3 * height)
            .enumerate()
            .fold(no_totals, |mut totals, (group, octets)| {
                for table in octets.chunks_exact_mut(height) {
                    for i in 0..half {
                        table[i] = bind(table[2 * i], table[2 * i + 1], challenge);
                    }
                }
                let mut sums = no_totals();
                let rows = std::array::from_fn(|i| &octets[height * i..][..half]);
                weights.accumulate(rows, 0, &mut sums);
                self.add_group(group, sums, &mut totals);
                totals
            })
            .reduce(no_totals, join)
    }
}

/// The folded tables, group after group in one buffer: of each of the three tables of a group the
/// first `rows` of `height` octets are in use.
struct Stored {
    octets: Vec<Octet>,
    height: usize,
    rows: usize,
}

impl Stored {
    /// Binds the last block variable of a table: one element an instance.
    fn last_fold(&self, table: usize, challenge: E) -> Vec<E> {
        debug_assert_eq!(self.rows, 2);
        let challenge = Octet::broadcast(challenge);
        let mut values = E::zero_vec(self.octets.len() / (3 * self.height) * GROUP);
        values
            .par_chunks_exact_mut(GROUP)
            .zip(self.octets.par_chunks_exact(3 * self.height))
            .for_each(|(values, octets)| {
                let rows = &octets[self.height * table..];
                let octet = bind(rows[0], rows[1], challenge);
                for (lane, value) in values.iter_mut().enumerate() {
                    *value = octet.lane(lane);
                }
            });
        values
    }
}

/// `even + challenge (even + odd)`.
#[inline(always)]
fn bind(even: Octet, odd: Octet, challenge: Octet) -> Octet {
    even.add(even.add(odd).mul(challenge))
}

/// Pairs that one task handles in the rounds over instances.
const PAIRS: usize = 1 << 9;

/// The rounds over the variables that number instances; returns the values of `a` and `b`.
fn instance_rounds(
    mut tables: [Vec<E>; 3],
    rounds: &mut Rounds<'_>,
    channel: &mut impl Channel,
) -> Result<[E; 2], Cancelled> {
    let variables = rounds.r.len() - BLOCK_VARIABLES;
    let mut weights = par_eq_table(&rounds.r[BLOCK_VARIABLES + 1..]);
    for _ in 0..variables {
        let [a, b, z] = &tables;
        let zero = || [E::ZERO; 2];
        let [at_one, leading] = weights
            .par_chunks(PAIRS)
            .zip(a.par_chunks(2 * PAIRS))
            .zip(b.par_chunks(2 * PAIRS))
            .zip(z.par_chunks(2 * PAIRS))
            .fold(zero, |mut sums, (((weights, a), b), z)| {
                for (i, &weight) in weights.iter().enumerate() {
                    let (even, odd) = (2 * i, 2 * i + 1);
                    sums[0] += weight * (a[odd] * b[odd] + z[odd]);
                    sums[1] += weight * (a[even] + a[odd]) * (b[even] + b[odd]);
                }
                sums
            })
            .reduce(zero, |x, y| [x[0] + y[0], x[1] + y[1]]);
        let challenge = rounds.finish(at_one, leading, channel)?;
        tables = tables.map(|table| {
            table
                .par_chunks(2)
                .with_min_len(PAIRS)
                .map(|pair| pair[0] + challenge * (pair[0] + pair[1]))
                .collect()
        });
        // The weights of a variable add up to one.
        weights = weights
            .chunks(2)
            .map(|pair| pair.iter().copied().sum())
            .collect();
    }
    let [a, b, _] = tables;
    Ok([a[0], b[0]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unobserved;
    use crate::test_util::{Recorder, random_compressions};
    use crate::witness::BitTables;
    use prova_binary_pcs::stream::{Form, Proof};
    use prova_binary_pcs::transcript::ChainV0;
    use prova_lean_vm::blake2s::zerocheck;

    fn run(tables: &BitTables, from_bits: usize, arm: Arm) -> (ZerocheckClaims, Vec<E>) {
        let mut recorder = Recorder::new();
        let claims = prove(tables.view(), from_bits, arm, &mut recorder, &Unobserved).unwrap();
        (claims, recorder.sent)
    }

    /// The value of a bit table at the claims' point.
    fn evaluate(words: &[u64], claims: &ZerocheckClaims) -> E {
        let skip = lagrange_weights(6, claims.skip);
        let mut point = claims.inner.to_vec();
        point.extend(&claims.outer);
        let row = |word: u64| -> E {
            (0..64)
                .filter(|i| word >> i & 1 == 1)
                .map(|i| skip[i])
                .sum()
        };
        words
            .iter()
            .zip(par_eq_table(&point))
            .map(|(&word, eq)| row(word) * eq)
            .sum()
    }

    #[test]
    fn claims_are_those_of_the_verifier_and_true() {
        for instances in [8, 16, 64] {
            let tables = BitTables::generate(&random_compressions(20, instances), Arm::best());
            let (claims, sent) = run(&tables, 2, Arm::best());
            let body = Recorder::body(&sent);
            let bytes = Proof::parse(Form::Wire, &body).unwrap();
            let (mut channel, _) = bytes.channel(ChainV0::new(b"test"));
            let verified = zerocheck::verify(&mut channel, tables.log_instances).unwrap();
            channel.finish().unwrap();
            assert_eq!(verified, claims);
            for (table, value) in [&tables.a, &tables.b, &tables.z]
                .into_iter()
                .zip(claims.values)
            {
                assert_eq!(evaluate(table, &claims), value);
            }
        }
    }

    #[test]
    fn messages_do_not_depend_on_arm_memory_or_threads() {
        let tables = BitTables::generate(&random_compressions(21, 32), Arm::best());
        let expected = run(&tables, 0, Arm::Portable);
        for arm in Arm::all_available() {
            for from_bits in 0..=MOST_ROUNDS_FROM_BITS {
                assert_eq!(run(&tables, from_bits, arm), expected);
            }
        }
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            assert_eq!(pool.install(|| run(&tables, 2, Arm::best())), expected);
        }
    }
}
