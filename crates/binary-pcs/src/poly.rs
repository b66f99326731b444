//! Multilinear extensions, equality weights, Lagrange weights and round polynomials.

use alloc::vec::Vec;

use crate::field::{E, K, MixedAccumulator, PrimeCharacteristicRing, embed};

/// `1 + a + b`: the equality weight of one coordinate.
#[inline]
pub fn eq1(a: E, b: E) -> E {
    E::ONE + a + b
}

/// `prod_i (1 + a_i + b_i)` over the coordinates both points have.
pub fn eq(a: &[E], b: &[E]) -> E {
    a.iter()
        .zip(b)
        .fold(E::ONE, |product, (&a, &b)| product * eq1(a, b))
}

/// The equality weights of a point: entry `i` is `prod_k (bit_k(i) ? p_k : 1 + p_k)`, `2^len` of them.
#[must_use]
pub fn eq_table(point: &[E]) -> Vec<E> {
    let mut table = Vec::from([E::ONE]);
    for &coordinate in point {
        let high: Vec<E> = table.iter().map(|&low| low * coordinate).collect();
        for (low, &high) in table.iter_mut().zip(&high) {
            *low += high;
        }
        table.extend(high);
    }
    table
}

/// `sum_i a_i b_i` over the entries both lists have, with one reduction for four products.
pub fn dot(a: &[E], b: &[E]) -> E {
    let (fours_a, fours_b) = (a.as_chunks::<4>().0, b.as_chunks::<4>().0);
    let mut sum = E::ZERO;
    for (a, b) in fours_a.iter().zip(fours_b) {
        sum += E::dot_product::<4>(a, b);
    }
    let done = fours_a.len().min(fours_b.len()).saturating_mul(4);
    for (&a, &b) in a.iter().zip(b).skip(done) {
        sum += a * b;
    }
    sum
}

/// `sum_i weights_i words_i` over the entries both lists have, reduced once for the bulk of them.
pub fn dot_words(weights: &[E], words: &[K]) -> E {
    let (eights_e, eights_k) = (weights.as_chunks::<8>().0, words.as_chunks::<8>().0);
    let mut bulk = MixedAccumulator::new();
    for (weights, words) in eights_e.iter().zip(eights_k) {
        bulk.add_dot_product(weights, words);
    }
    let done = eights_e.len().min(eights_k.len()).saturating_mul(8);
    let mut sum = bulk.finish();
    for (&weight, &word) in weights.iter().zip(words).skip(done) {
        sum += weight * word;
    }
    sum
}

/// The multilinear extension of `table` (`2^len` entries) at `point`.
pub fn evaluate(table: &[E], point: &[E]) -> E {
    dot(table, &eq_table(point))
}

/// `prod_j (bit_j(number) ? p_j : 1 + p_j)`: the weight of one vertex.
pub fn vertex_weight(number: u64, point: &[E]) -> E {
    let mut bits = number;
    point.iter().fold(E::ONE, |product, &coordinate| {
        let factor = if bits & 1 == 1 {
            coordinate
        } else {
            E::ONE + coordinate
        };
        bits >>= 1;
        product * factor
    })
}

/// The `count` lowest bits of `number` as coordinates 0 and 1, lowest first.
pub fn bit_coordinates(number: u64, count: usize) -> impl Iterator<Item = E> {
    (0..count).scan(number, |bits, _| {
        let bit = *bits & 1;
        *bits >>= 1;
        Some(embed(bit))
    })
}

/// A quadratic round polynomial `c0 + c1 X + c2 X^2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quadratic {
    /// Coefficients, constant first.
    pub coefficients: [E; 3],
}

impl Quadratic {
    /// From the transmitted `c0, c2`; `c1` is what makes `h(0) + h(1)` the claim.
    pub fn plain(claim: E, [c0, c2]: [E; 2]) -> Self {
        Self {
            coefficients: [c0, claim + c2, c2],
        }
    }

    /// From the transmitted `c1, c2` of a polynomial without its equality factor; `c0` is what
    /// makes `(1 + r) h(0) + r h(1)` the claim.
    pub fn without_eq(claim: E, r: E, [c1, c2]: [E; 2]) -> Self {
        Self {
            coefficients: [claim + r * (c1 + c2), c1, c2],
        }
    }

    /// The value at `x`.
    pub fn at(&self, x: E) -> E {
        let [c0, c1, c2] = self.coefficients;
        c0 + x * (c1 + x * c2)
    }

    /// Adds `scale` times another polynomial.
    pub fn add_scaled(&mut self, scale: E, other: &Self) {
        for (coefficient, &term) in self.coefficients.iter_mut().zip(&other.coefficients) {
            *coefficient += scale * term;
        }
    }
}
