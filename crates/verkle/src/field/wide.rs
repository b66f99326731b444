//! Sums of products, reduced once.

use super::limbs::{adc, mac, sub};
use super::{Field, Modulus};

/// A sum of products of 256-bit integers, below 2^64 of them.
#[derive(Clone, Copy)]
pub(crate) struct Wide([u64; 9]);

impl Wide {
    pub(crate) const ZERO: Self = Self([0; 9]);

    /// Adds a·b, for any 256-bit integers.
    #[inline(always)]
    pub(crate) fn add_product(&mut self, a: &[u64; 4], b: &[u64; 4]) {
        let mut product = [0u64; 8];
        for (i, a) in a.iter().enumerate() {
            let mut carry = 0;
            for (j, b) in b.iter().enumerate() {
                (product[i + j], carry) = mac(product[i + j], *a, *b, carry);
            }
            product[i + 4] = carry;
        }
        let mut carry = 0;
        for (sum, limb) in self.0.iter_mut().zip(product) {
            (*sum, carry) = adc(*sum, limb, carry);
        }
        self.0[8] += carry;
    }

    /// The sum times 2^-256: for a sum of products of Montgomery forms, its Montgomery form.
    /// The factors on one side must be below the modulus.
    #[inline]
    pub(crate) fn reduce<M: Modulus>(&self) -> Field<M> {
        if self.0 == [0; 9] {
            return Field::ZERO;
        }
        // A Montgomery step for each of the four low limbs. What remains is below n·m + m for n
        // products, hence five limbs.
        let mut limbs = self.0;
        for i in 0..4 {
            let quotient = limbs[i].wrapping_mul(Field::<M>::INV);
            let mut carry = 0;
            for (limb, modulus) in limbs[i..].iter_mut().zip(M::MODULUS) {
                (*limb, carry) = mac(*limb, quotient, modulus, carry);
            }
            for limb in &mut limbs[i + 4..] {
                (*limb, carry) = adc(*limb, 0, carry);
            }
        }
        let [_, _, _, _, low @ .., high] = limbs;
        // Few products leave less than twice the modulus, many any 256-bit integer and more.
        let (less, below) = sub(&low, &M::MODULUS);
        if high == 0 && below != 0 {
            return Field::from_mont(low);
        }
        if high == 0 && sub(&less, &M::MODULUS).1 != 0 {
            return Field::from_mont(less);
        }
        // A product with one reduces any 256-bit integer.
        Field::from_mont(low) * Field::ONE + Field::from_limbs([high, 0, 0, 0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{BaseModulus, Fp, Fr, ScalarModulus};

    fn check<M: Modulus>(pairs: &[([u64; 4], Field<M>)]) {
        let mut wide = Wide::ZERO;
        let mut plain = Field::<M>::ZERO;
        for (a, b) in pairs {
            wide.add_product(a, &b.0);
            // `a` as a Montgomery form, whatever it is.
            plain += *b * (Field::from_mont(*a) * Field::ONE);
        }
        assert_eq!(wide.reduce::<M>(), plain);
    }

    #[test]
    fn sums_of_extremes() {
        for count in [0, 1, 2, 3, 8, 9, 10, 1000] {
            check::<ScalarModulus>(
                &alloc::vec![([u64::MAX; 4], -Fr::from_mont([1, 0, 0, 0])); count],
            );
            check::<BaseModulus>(
                &alloc::vec![([u64::MAX; 4], -Fp::from_mont([1, 0, 0, 0])); count],
            );
            let largest = -Fr::from_mont([1, 0, 0, 0]);
            check(&alloc::vec![(largest.0, largest); count]);
            check(&alloc::vec![([0; 4], largest); count]);
        }
    }
}
