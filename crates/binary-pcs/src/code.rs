//! The additive Reed-Solomon code: subspace polynomials and the weight of a column.
//!
//! The domain of length `2^d` is all of `0..2^d`, an integer standing for the element of [`K`] with
//! these bits. With the subspace polynomials `V_0 = X`, `V_{i+1} = V_i (V_i + V_i(x^i))` and
//! `W_i = V_i / V_i(x^i)`, a message `m` is read as coefficients in the novel basis of Lin, Chung
//! and Han (arXiv 1404.3458): `Enc(m)[p] = sum_u m_u prod_i W_i(p)^{u_i}`.

use alloc::vec::Vec;

use crate::field::{E, K, PrimeCharacteristicRing};

/// The constants `V_i(x^i)` of the subspace polynomials, and their inverses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subspaces {
    pivots: Vec<(K, K)>,
}

impl Subspaces {
    /// Constants for messages of up to `2^log_message` words; at most 64 are computed.
    #[must_use]
    pub fn new(log_message: usize) -> Self {
        let mut images: Vec<K> = (0..log_message.min(64)).map(|i| K::new(1 << i)).collect();
        let mut pivots = Vec::with_capacity(images.len());
        let mut rest = images.as_mut_slice();
        // `rest` holds V_k(x^j) for j >= k.
        while let Some((&mut pivot, tail)) = rest.split_first_mut() {
            pivots.push((pivot, pivot.invert_or_zero()));
            for image in &mut *tail {
                *image = image.square() + pivot * *image;
            }
            rest = tail;
        }
        Self { pivots }
    }

    /// `V_i(x^i)` for `i = 0, 1, ..`.
    pub fn pivots(&self) -> impl Iterator<Item = K> {
        self.pivots.iter().map(|&(pivot, _)| pivot)
    }

    /// `W_0(p), W_1(p), ..`: the normalised subspace polynomials at a position.
    pub fn normalised(&self, position: u64) -> impl Iterator<Item = K> {
        self.pivots
            .iter()
            .scan(K::new(position), |value, &(pivot, inverse)| {
                let normalised = *value * inverse;
                *value = value.square() + pivot * *value;
                Some(normalised)
            })
    }

    /// The multilinear extension of `u -> prod_i W_i(p)^{u_i}` at a point:
    /// `prod_i (1 + r_i (1 + W_i(p)))`. An encoded word at position `p` is the sum of the message
    /// against these weights.
    pub fn column_weight(&self, position: u64, point: &[E]) -> E {
        self.normalised(position)
            .zip(point)
            .fold(E::ONE, |product, (value, &coordinate)| {
                product * (E::ONE + coordinate * (K::ONE + value))
            })
    }
}
