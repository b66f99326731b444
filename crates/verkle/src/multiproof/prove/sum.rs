//! Weighted sums of vectors.

use crate::arm::Arm;
use crate::field::{Fr, Wide};
use crate::lagrange::{DOMAIN, Vector, Weights};

/// Writes the sum of the vectors, each times its weight: at most 448 of them.
pub(super) fn weighted_sum<'a>(
    arm: Arm,
    terms: impl Iterator<Item = (Fr, Vector<'a>)>,
    sum: &mut [Fr; DOMAIN],
) {
    match arm {
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        Arm::Ifma => crate::simd::mac::weighted_sum(terms, sum),
        _ => portable(terms, sum),
    }
}

/// Adds up the values of (f(X) − f(z))/(X − z) over pairs of z and f: at most 64 of them.
pub(super) fn sum_of_quotients<'a>(
    arm: Arm,
    weights: &Weights,
    polynomials: impl Iterator<Item = (u8, &'a [Fr; DOMAIN])>,
    sum: &mut [Fr; DOMAIN],
) {
    match arm {
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        Arm::Ifma => crate::simd::quotient::sum_of_quotients(weights, polynomials, sum),
        _ => {
            *sum = [Fr::ZERO; DOMAIN];
            for (point, values) in polynomials {
                super::group::add(sum, &weights.quotient(values, point));
            }
        }
    }
}

fn portable<'a>(mut terms: impl Iterator<Item = (Fr, Vector<'a>)>, sum: &mut [Fr; DOMAIN]) {
    let (first, second) = (terms.next(), terms.next());
    // A single product is best reduced on the way.
    if let (Some((weight, Vector::Scalars(scalars))), None) = (first, second) {
        for (sum, scalar) in sum.iter_mut().zip(scalars) {
            *sum = weight * *scalar;
        }
        return;
    }
    let mut wides = Wides::default();
    for (weight, vector) in first.into_iter().chain(second).chain(terms) {
        match vector {
            Vector::Scalars(scalars) => {
                for (wide, scalar) in wides.0.iter_mut().zip(scalars) {
                    add(wide, &weight, &scalar.0);
                }
            }
            Vector::Bytes(bytes) => {
                // The reduction divides by 2^256, which integers are not multiplied with yet.
                let weight = Fr::from_limbs(weight.0);
                for (wide, bytes) in wides.0.iter_mut().zip(bytes.as_chunks::<32>().0) {
                    add(wide, &weight, &limbs(bytes));
                }
            }
        }
    }
    for (sum, wide) in sum.iter_mut().zip(&wides.0) {
        *sum = wide.reduce();
    }
}

/// Values of trees are mostly zero.
#[inline(always)]
fn add(wide: &mut Wide, weight: &Fr, value: &[u64; 4]) {
    if *value != [0; 4] {
        wide.add_product(value, &weight.0);
    }
}

fn limbs(bytes: &[u8; 32]) -> [u64; 4] {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *limb = u64::from_le_bytes(*bytes);
    }
    limbs
}

/// A sum of products for every position.
pub(super) struct Wides([Wide; DOMAIN]);

impl Default for Wides {
    fn default() -> Self {
        Self([Wide::ZERO; DOMAIN])
    }
}

impl Wides {
    /// Adds weight·value at a position.
    pub(super) fn add(&mut self, position: u8, weight: Fr, value: Fr) {
        add(&mut self.0[usize::from(position)], &weight, &value.0);
    }

    /// Adds the sums to scalars.
    pub(super) fn add_to(&self, scalars: &mut [Fr; DOMAIN]) {
        for (scalar, wide) in scalars.iter_mut().zip(&self.0) {
            *scalar += wide.reduce();
        }
    }
}
