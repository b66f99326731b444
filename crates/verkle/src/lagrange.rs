//! Polynomials given by their values on the domain {0, …, 255}, whose points are integers of
//! [`Fr`], not roots of unity.

use alloc::vec::Vec;

use crate::field::{Fr, Wide, batch_invert};

/// Number of points of the domain.
pub const DOMAIN: usize = 256;

/// 256 integers of 256 bits, borrowed.
#[cfg(feature = "prove")]
#[derive(Clone, Copy)]
pub(crate) enum Vector<'a> {
    /// Scalars, in Montgomery form.
    Scalars(&'a [Fr; DOMAIN]),
    /// 32 little-endian bytes each.
    Bytes(&'a [u8; 32 * DOMAIN]),
}

/// Constants of the domain: with A(X) = Π (X − i), the weights A'(j) and their inverses, and the
/// inverses of small integers.
pub struct Weights {
    /// A'(j) = (−1)^(255−j)·j!·(255−j)!
    derivative: Vec<Fr>,
    pub(crate) derivative_inverse: Vec<Fr>,
    /// 1/(i − 255) for i in 0..511, zero for i = 255.
    pub(crate) inverse: Vec<Fr>,
}

impl Default for Weights {
    fn default() -> Self {
        Self::new()
    }
}

impl Weights {
    /// Computes the constants.
    #[must_use]
    pub fn new() -> Self {
        let mut factorial = Vec::with_capacity(DOMAIN);
        factorial.push(Fr::ONE);
        for k in 1..DOMAIN as u64 {
            factorial.push(factorial[k as usize - 1] * Fr::from_u64(k));
        }
        let derivative: Vec<Fr> = (0..DOMAIN)
            .map(|j| {
                let product = factorial[j] * factorial[DOMAIN - 1 - j];
                if j % 2 == 1 { product } else { -product }
            })
            .collect();
        let mut derivative_inverse = derivative.clone();
        batch_invert(&mut derivative_inverse);
        let mut inverse: Vec<Fr> = (0..2 * DOMAIN as u64 - 1)
            .map(|i| Fr::from_u64(i) - Fr::from_u64(DOMAIN as u64 - 1))
            .collect();
        batch_invert(&mut inverse);
        Self {
            derivative,
            derivative_inverse,
            inverse,
        }
    }

    /// A'(j) of every j.
    #[must_use]
    pub fn derivative(&self) -> &[Fr] {
        &self.derivative
    }

    /// b with ⟨f, b⟩ = f(point) for every polynomial of degree below 256 given by its values.
    #[must_use]
    pub fn evaluation_vector(&self, point: Fr) -> Vec<Fr> {
        // 1/(point − i) times A(point)/A'(i): the barycentric form. At a point of the domain it
        // has no meaning, and the vector is a unit vector.
        if let Some(index) = domain_index(point) {
            let mut unit = alloc::vec![Fr::ZERO; DOMAIN];
            unit[index] = Fr::ONE;
            return unit;
        }
        let mut values: Vec<Fr> = (0..DOMAIN as u64)
            .map(|i| point - Fr::from_u64(i))
            .collect();
        let vanishing: Fr = values.iter().copied().product();
        batch_invert(&mut values);
        for (value, weight) in values.iter_mut().zip(&self.derivative_inverse) {
            *value *= vanishing * *weight;
        }
        values
    }

    /// The values of (f(X) − f(index))/(X − index).
    #[must_use]
    pub fn quotient(&self, values: &[Fr; DOMAIN], index: u8) -> [Fr; DOMAIN] {
        let index = usize::from(index);
        let mut quotient = [Fr::ZERO; DOMAIN];
        // At `index` itself the quotient is −Σ A'(index)/A'(j)·q_j over the others. The inverse
        // there is zero, so that it adds nothing.
        let mut sum = Wide::ZERO;
        let inverses = &self.inverse[DOMAIN - 1 - index..];
        for (j, (q, inverse)) in quotient.iter_mut().zip(inverses).enumerate() {
            *q = (values[j] - values[index]) * *inverse;
            sum.add_product(&q.0, &self.derivative_inverse[j].0);
        }
        quotient[index] = -(sum.reduce() * self.derivative[index]);
        quotient
    }
}

/// The index of a point in the domain, if it is there.
#[must_use]
pub fn domain_index(point: Fr) -> Option<usize> {
    match point.to_limbs() {
        [index @ 0..=255, 0, 0, 0] => Some(index as usize),
        _ => None,
    }
}

/// ⟨a, b⟩ over the shorter of the two.
#[must_use]
pub fn inner_product(a: &[Fr], b: &[Fr]) -> Fr {
    let mut sum = Wide::ZERO;
    for (a, b) in a.iter().zip(b) {
        sum.add_product(&a.0, &b.0);
    }
    sum.reduce()
}
