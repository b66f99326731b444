//! Ring switching: 64 claims about the bits of packed words become one linear claim about the words.
//!
//! With `q(u) = sum_i Q_i(u) x^i` over bits `Q_i`, and claims `s_i = Q_i(P)` at one point, six
//! challenges define the GF(2)-linear map `Phi`, the composition of `a -> a + f_s a^(2^s)` for
//! `s = 32, 16, 8, 4, 2, 1` in this order. Then `sum_u Phi(eq(P, u)) q(u) = sum_i x^i Phi(s_i)`.

use alloc::vec::Vec;

use crate::field::{E, K, PrimeCharacteristicRing, frobenius};
use crate::poly::eq1;

/// The shifts of the six maps, in the order of their challenges.
const SHIFTS: [usize; 6] = [32, 16, 8, 4, 2, 1];

/// One ring-switched claim.
#[derive(Clone, Debug)]
pub struct RingSwitch {
    challenges: [E; 6],
    coefficients: Vec<E>,
    point: Vec<E>,
}

impl RingSwitch {
    /// The claim at `point` (a point over packed words) under the six challenges, in the order in
    /// which they were drawn.
    #[must_use]
    pub fn new(challenges: [E; 6], point: Vec<E>) -> Self {
        Self {
            challenges,
            coefficients: coefficients(&challenges),
            point,
        }
    }

    /// `Phi(a)`.
    pub fn map(&self, a: E) -> E {
        self.challenges
            .iter()
            .zip(SHIFTS)
            .fold(a, |a, (&f, shift)| a + f * frobenius(a, shift))
    }

    /// The coefficients of `Phi(a) = sum_k c_k a^(2^k)`, 64 of them.
    pub fn coefficients(&self) -> &[E] {
        &self.coefficients
    }

    /// The target `sum_i x^i Phi(s_i)` of the 64 bit claims.
    pub fn target(&self, claims: &[E; 64]) -> E {
        claims
            .iter()
            .enumerate()
            .map(|(i, &claim)| self.map(claim) * K::new(1 << i))
            .sum()
    }

    /// The weight `u -> Phi(eq(P, u))`, extended to a point:
    /// `sum_k c_k prod_n (1 + P_n^(2^k) + r_n)`.
    pub fn weight(&self, point: &[E]) -> E {
        let mut powers = self.point.clone();
        let mut sum = E::ZERO;
        for &coefficient in &self.coefficients {
            let product = powers
                .iter()
                .zip(point)
                .fold(coefficient, |product, (&p, &r)| product * eq1(p, r));
            sum += product;
            for power in &mut powers {
                *power = power.square();
            }
        }
        sum
    }
}

/// `c_k = prod over the set bits s of k of f_s^(2^(k mod s))`.
fn coefficients(challenges: &[E; 6]) -> Vec<E> {
    let mut coefficients = Vec::from([E::ONE]);
    // Smallest shift first: applied to a map with coefficients `c_k`, k < s, the map of shift s
    // acts before it, which puts `c_k f_s^(2^k)` at k + s.
    for (&f, shift) in challenges.iter().zip(SHIFTS).rev() {
        let mut power = f;
        for k in 0..shift {
            if let Some(&low) = coefficients.get(k) {
                coefficients.push(low * power);
            }
            power = power.square();
        }
    }
    coefficients
}
