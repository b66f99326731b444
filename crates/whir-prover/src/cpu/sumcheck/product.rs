//! Sums of products of extension values, with the reduction by the extension's modulus left to
//! the end.

use p3_field::{BasedVectorSpace, ExtensionField, Field, PackedField};

use crate::cpu::planes::{dot, lane_sum};

/// Most coefficients the product of two values has before reduction.
const MAX_COEFFICIENTS: usize = 9;

/// Lane-wise `sum a b`, as the `2 D - 1` coefficients of a polynomial in the extension's
/// generator.
#[derive(Clone, Copy)]
pub(crate) struct Products<P, const D: usize>([P; MAX_COEFFICIENTS]);

/// Vector `v` of every plane.
#[inline(always)]
pub(crate) fn load<P: PackedField, const D: usize>(cols: &[&[P]; D], v: usize) -> [P; D] {
    std::array::from_fn(|d| cols[d][v])
}

impl<P: PackedField, const D: usize> Products<P, D> {
    pub(crate) fn new() -> Self {
        assert!(
            2 * D - 1 <= MAX_COEFFICIENTS,
            "extension degree {D} is not supported"
        );
        Self([P::ZERO; MAX_COEFFICIENTS])
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a += b;
        }
        self
    }

    /// Adds `a[0] b[0] + a[1] b[1]`.
    #[inline(always)]
    pub(crate) fn add(&mut self, a: &[[P; D]; 2], b: &[[P; D]; 2]) {
        // Both vectors' terms of a coefficient share one reduction, so they are kept side by
        // side; with `b` reversed, the terms of a coefficient are consecutive in both arrays.
        let mut left = [P::ZERO; 10];
        let mut right = [P::ZERO; 10];
        for d in 0..D {
            for t in 0..2 {
                left[2 * d + t] = a[t][d];
                right[2 * d + t] = b[t][D - 1 - d];
            }
        }
        macro_rules! coefficients {
            ($($k:literal)*) => {
                $(if $k < 2 * D - 1 {
                    let first = if $k < D { 0 } else { $k + 1 - D };
                    let last = if $k < D { $k } else { D - 1 };
                    let shift = if $k < D { D - 1 - $k } else { 0 };
                    let terms = 2 * (last - first + 1);
                    self.0[$k] += dot(terms, &left[2 * first..], &right[2 * shift..]);
                })*
            };
        }
        coefficients!(0 1 2 3 4 5 6 7 8);
    }

    /// The lane-wise sums, as packed extension values.
    pub(crate) fn reduce<F, EF>(self) -> EF::ExtensionPacking
    where
        F: Field<Packing = P>,
        EF: ExtensionField<F>,
    {
        let generator: EF = EF::ith_basis_element(1).expect("the degree is at least two");
        let low = EF::ExtensionPacking::from_basis_coefficients_fn(|d| self.0[d]);
        let high = EF::ExtensionPacking::from_basis_coefficients_fn(|d| {
            if d + 1 < D { self.0[D + d] } else { P::ZERO }
        });
        low + high * generator.exp_u64(D as u64)
    }

    /// The sum over all lanes, as an extension value.
    pub(crate) fn finish<EF: ExtensionField<P::Scalar>>(self) -> EF
    where
        P::Scalar: Field<Packing = P>,
    {
        let generator: EF = EF::ith_basis_element(1).expect("the degree is at least two");
        // Horner's rule in the generator.
        self.0[..2 * D - 1].iter().rev().fold(EF::ZERO, |acc, &c| {
            acc * generator + lane_sum::<P::Scalar>(c)
        })
    }
}
