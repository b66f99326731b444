//! Statements about random polynomials, proved and verified.

#![allow(dead_code, reason = "every test target uses a part")]

use p3_field::PrimeCharacteristicRing;
use prova_binary_pcs::field::{E, K};
use prova_binary_pcs::opening::{self, Commitment, Weight};
use prova_binary_pcs::params::{Schedule, Target};
use prova_binary_pcs::poly::eq_table;
use prova_binary_pcs::ring_switch::RingSwitch;
use prova_binary_pcs::stack::{Placement, PointClaim, PointClaims};
use prova_binary_pcs::stream::{self, Form, Proof};
use prova_binary_pcs::transcript::ChainV0;
use prova_binary_pcs_prover::ring::RingSwitchWeight;
use prova_binary_pcs_prover::weight::{PointWeights, WeightSource};
use prova_binary_pcs_prover::{Committed, Plan, ProveError, ProverChannel};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A polynomial, claims about it and the challenges that batch them.
pub struct Statement {
    pub mu: usize,
    pub log_inv_rate: u32,
    pub words: Vec<K>,
    pub claims: Vec<PointClaim>,
    pub lambda: E,
    pub ring: Option<(RingSwitch, Vec<E>, Placement)>,
    pub target: E,
    pub grinding_bits: u32,
}

pub fn rng(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

pub fn point(rng: &mut StdRng, variables: usize) -> Vec<E> {
    (0..variables).map(|_| rng.random()).collect()
}

/// The value of the column at `placement` at `point`.
fn evaluate(words: &[K], placement: Placement, point: &[E]) -> E {
    let column = words.iter().skip(placement.offset as usize);
    eq_table(point)
        .iter()
        .zip(column)
        .map(|(&eq, &word)| eq * word)
        .sum()
}

impl Statement {
    /// `total` random words; a claim for every column, and one about the bits of the last.
    pub fn random(
        seed: u64,
        mu: usize,
        log_inv_rate: u32,
        total: usize,
        columns: &[Placement],
        ring: Option<Placement>,
    ) -> Self {
        let mut rng = rng(seed);
        let words: Vec<K> = (0..total).map(|_| rng.random()).collect();
        // Columns of one size are claimed at one point, as tables are.
        let shared = point(&mut rng, mu);
        let mut claims: Vec<PointClaim> = columns
            .iter()
            .map(|placement| {
                let inner = &shared[..placement.variables()];
                PointClaim {
                    point: placement.lift(inner, mu),
                    value: evaluate(&words, *placement, inner),
                }
            })
            .collect();
        if let Some(column) = columns.first() {
            // One claim about every fourth word, one that is nearly a vertex.
            let rows = column.variables() - 2;
            let strided: Vec<E> = [E::ONE, E::ZERO]
                .iter()
                .chain(&shared[..rows])
                .copied()
                .collect();
            let line: Vec<E> = (0..column.variables())
                .map(|k| if k == 0 { shared[0] } else { E::ZERO })
                .collect();
            for inner in [strided, line] {
                claims.push(PointClaim {
                    value: evaluate(&words, *column, &inner),
                    point: column.lift(&inner, mu),
                });
            }
        }
        let lambda = rng.random();
        let mut target = PointClaims {
            claims: &claims,
            challenge: lambda,
        }
        .target();
        let ring = ring.map(|placement| {
            let ring_point = point(&mut rng, placement.variables());
            let ring = RingSwitch::new(std::array::from_fn(|_| rng.random()), ring_point.clone());
            let eq = eq_table(&ring_point);
            let column = &words[placement.offset as usize..][..eq.len()];
            let slices = std::array::from_fn(|bit| {
                let set = |word: &K| word.to_bits() >> bit & 1 == 1;
                column
                    .iter()
                    .zip(&eq)
                    .filter(|(word, _)| set(word))
                    .map(|(_, &eq)| eq)
                    .sum()
            });
            target += ring.target(&slices);
            (ring, ring_point, placement)
        });
        Self {
            mu,
            log_inv_rate,
            words,
            claims,
            lambda,
            ring,
            target,
            grinding_bits: 17,
        }
    }

    pub fn schedule(&self) -> Schedule {
        let target = Target {
            grinding_bits: self.grinding_bits,
            later_grinding_bits: self.grinding_bits,
            ..Target::v0(self.claims.len() as u32 + 1)
        };
        Schedule::derive(self.mu, self.log_inv_rate, target).expect("a supported shape")
    }

    pub fn prove(&self, plan: Plan, form: Form) -> Result<(Commitment, Vec<u8>), ProveError> {
        let (commitment, channel) = self.converse(plan, form)?;
        Ok((commitment, channel.finish()))
    }

    pub fn converse(
        &self,
        plan: Plan,
        form: Form,
    ) -> Result<(Commitment, ProverChannel<ChainV0>), ProveError> {
        let committed = Committed::new(&self.words, self.mu, self.log_inv_rate, plan);
        let commitment = committed.commitment();
        let powers = std::iter::successors(Some(self.lambda), |&power| Some(power * self.lambda));
        let points = self.claims.iter().map(|claim| claim.point.as_slice());
        let points = PointWeights::new(points.zip(powers));
        let ring = self.ring.as_ref().map(|(ring, point, placement)| {
            RingSwitchWeight::new(ring, point, *placement, self.mu)
        });
        let mut sources: Vec<&dyn WeightSource> = vec![&points];
        sources.extend(ring.as_ref().map(|ring| ring as &dyn WeightSource));
        let mut channel = ProverChannel::new(ChainV0::new(b"test"), form);
        committed.open(
            &mut channel,
            &self.schedule(),
            self.target,
            sources.as_slice(),
        )?;
        Ok((commitment, channel))
    }

    pub fn accepts(&self, commitment: &Commitment, form: Form, proof: &[u8]) -> bool {
        Proof::parse(form, proof).is_ok_and(|parsed| {
            let (channel, openings) = parsed.channel(ChainV0::new(b"test"));
            self.holds(commitment, channel, openings)
        })
    }

    pub fn accepts_bare(&self, commitment: &Commitment, proof: &[u8]) -> bool {
        let scalars = self.schedule().scalar_count();
        stream::bare(ChainV0::new(b"test"), scalars, proof)
            .is_ok_and(|(channel, openings)| self.holds(commitment, channel, openings))
    }

    fn holds(
        &self,
        commitment: &Commitment,
        mut channel: stream::Channel<'_, ChainV0>,
        mut openings: stream::Openings<'_>,
    ) -> bool {
        let schedule = self.schedule();
        opening::verify(
            &mut channel,
            &mut openings,
            &schedule,
            commitment,
            self.target,
            self,
        )
        .is_ok()
            && channel.finish().is_ok()
            && openings.finish().is_ok()
    }
}

impl Weight for Statement {
    fn evaluate(&self, point: &[E]) -> E {
        let claims = PointClaims {
            claims: &self.claims,
            challenge: self.lambda,
        };
        let ring = self.ring.as_ref().map(|(ring, _, placement)| {
            placement.selector_weight(point) * ring.weight(&point[..placement.variables()])
        });
        claims.evaluate(point) + ring.unwrap_or(E::ZERO)
    }
}
