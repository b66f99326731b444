//! Openings to prove: distinct dense polynomials with pseudo-random values, at pseudo-random points.

use prova_verkle::{Commitment, Element, Fr, Opening, Polynomial, Query, ScalarBytes, Setup};
use rayon::prelude::*;

/// Polynomials that the others are sums of two of, so that a commitment costs one addition.
const BASES: usize = 512;

/// What is opened.
pub struct Inputs {
    polynomials: Vec<[Fr; 256]>,
    commitments: Vec<Commitment>,
    points: Vec<u8>,
}

/// SplitMix64 (Steele, Lea, Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn scalar(&mut self) -> Fr {
        let mut bytes = [0; 32];
        for word in bytes.as_chunks_mut::<8>().0 {
            *word = self.next().to_le_bytes();
        }
        Fr::from_le_bytes_reduced(&bytes)
    }
}

/// The `index`-th pair (a, b) with a > b, counted by a.
fn pair(index: usize) -> (usize, usize) {
    let mut a = 1;
    let mut before = 0;
    while before + a <= index {
        before += a;
        a += 1;
    }
    (a, index - before)
}

impl Inputs {
    /// Bytes that so many openings take.
    pub const fn bytes(openings: usize) -> u64 {
        (openings * (256 * 32 + 96 + 64 + 128)) as u64
    }

    /// Makes so many openings, at most 130,816.
    pub fn new(openings: usize, seed: u64, setup: &Setup) -> Self {
        let mut random = Random(seed);
        let bases: Vec<[Fr; 256]> = (0..BASES)
            .map(|_| std::array::from_fn(|_| random.scalar()))
            .collect();
        let base_commitments: Vec<Element> =
            bases.par_iter().map(|base| setup.commit(base)).collect();
        let polynomials = (0..openings)
            .into_par_iter()
            .map(|i| {
                let (a, b) = pair(i);
                std::array::from_fn(|j| bases[a][j] + bases[b][j])
            })
            .collect();
        let elements: Vec<Element> = (0..openings)
            .map(pair)
            .map(|(a, b)| base_commitments[a] + base_commitments[b])
            .collect();
        Self {
            polynomials,
            commitments: Commitment::normalise(&elements),
            points: (0..openings).map(|_| random.next() as u8).collect(),
        }
    }

    /// The commitments.
    pub fn commitments(&self) -> &[Commitment] {
        &self.commitments
    }

    /// For the prover.
    pub fn openings(&self) -> Vec<Opening<'_>> {
        (0..self.points.len())
            .map(|i| Opening {
                commitment: &self.commitments[i],
                polynomial: Polynomial::Dense(&self.polynomials[i]),
                point: self.points[i],
            })
            .collect()
    }

    /// For the verifier.
    pub fn queries(&self) -> Vec<Query<'_>> {
        (0..self.points.len())
            .map(|i| Query {
                commitment: &self.commitments[i],
                point: self.points[i],
                value: ScalarBytes::from(self.polynomials[i][usize::from(self.points[i])]),
            })
            .collect()
    }

    /// Scalars for the yardstick.
    pub fn scalars(&self) -> impl Iterator<Item = Fr> + '_ {
        self.polynomials.iter().map(|polynomial| polynomial[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_distinct() {
        let all: std::collections::HashSet<_> = (0..2_000).map(pair).collect();
        assert_eq!(all.len(), 2_000);
        assert!(all.iter().all(|(a, b)| b < a));
        assert_eq!(pair(BASES * (BASES - 1) / 2 - 1), (BASES - 1, BASES - 2));
    }

    #[test]
    fn commitments_are_those_of_the_polynomials() {
        let setup = Setup::ethereum();
        let inputs = Inputs::new(5, 1, &setup);
        for (polynomial, commitment) in inputs.polynomials.iter().zip(&inputs.commitments) {
            assert_eq!(setup.commit(polynomial).to_commitment(), *commitment);
        }
    }
}
