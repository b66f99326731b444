//! The endomorphism of Bandersnatch, and scalars split by it.
//!
//! Masson, Sanso, Zhang, "Bandersnatch: a fast elliptic curve built over the BLS12-381 scalar
//! field", section 4: ψ(x : y : z) = (f·h : g·x·y : h·x·y) with f = c·(z² − y²),
//! g = b·(y² + b·z²), h = y² − b·z² multiplies the elements of prime order by λ, a square root of
//! −2 modulo r. It depends on y² and x·y only, so it is well defined on Banderwagon.

use crate::field::{Fp, Fr};

use super::Extended;

/// The constant b of the endomorphism.
pub(crate) const B: Fp = Fp::from_limbs([
    0xee0f_014d_1725_10b4,
    0x2ea7_1277_0d9a_f4d6,
    0x61f0_0d3a_6351_1a88,
    0x52c9_f28b_8284_26a5,
]);

/// The constant c of the endomorphism.
pub(crate) const C: Fp = Fp::from_limbs([
    0x515c_806c_df65_0b3d,
    0x8456_abcf_ff36_f4e9,
    0xa97c_6efd_6c17_d107,
    0x6cc6_24cf_8654_57c3,
]);

/// A basis of the lattice of (u, v) with u + λ·v = 0 modulo r: (A1, B1) and (A2, −A1), of
/// determinant −r.
const A1: u128 = 0x555f_e200_4be6_928e_4b02_f94a_9789_181f;
const B1: u128 = 0x0814_b3ee_e55e_8f5d_f8e2_591a_23d6_1f44;
const A2: u128 = 0x1029_67dd_cabd_1ebb_f1c4_b234_47ac_3e88;

/// A1·2^256/r and B1·2^256/r, rounded.
const A1_OVER_R: [u64; 3] = [
    0xdeba_c77a_3f47_47c2,
    0xf21d_f5b0_541c_f632,
    0x0000_0000_0000_0002,
];
const B1_OVER_R: [u64; 3] = [
    0x993b_75e7_5477_68ab,
    0x4760_f127_d876_7bde,
    0x0000_0000_0000_0000,
];

/// Bits of a half of a scalar.
pub(crate) const HALF_BITS: u32 = 127;

/// An integer by sign and magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Half {
    pub negative: bool,
    pub magnitude: u128,
}

/// Integers k1 and k2, below 2^127 in magnitude, with k1 + λ·k2 = `scalar` modulo r.
pub(crate) fn split(scalar: Fr) -> [Half; 2] {
    let k = scalar.to_limbs();
    // The lattice vector next to (k, 0), in the basis above: its coefficients are k·A1/r and
    // k·B1/r. Their rounding, and that of the quotients by r, is off by less than one unit, and the
    // halves are at most (A1 + A2)·(1/2 + 2^-2) and less.
    let first = rounded_product(&k, &A1_OVER_R);
    let second = rounded_product(&k, &B1_OVER_R);
    // Both fit in 127 bits and a sign, so modulo 2^128 is enough.
    let low = u128::from(k[1]) << 64 | u128::from(k[0]);
    let k1 = low
        .wrapping_sub(first.wrapping_mul(A1))
        .wrapping_sub(second.wrapping_mul(A2));
    let k2 = second.wrapping_mul(A1).wrapping_sub(first.wrapping_mul(B1));
    [k1, k2].map(|half| {
        let signed = half.cast_signed();
        Half {
            negative: signed < 0,
            magnitude: signed.unsigned_abs(),
        }
    })
}

/// `a·b/2^256`, rounded.
fn rounded_product(a: &[u64; 4], b: &[u64; 3]) -> u128 {
    let mut t = [0u64; 7];
    // One half, before the cut.
    t[3] = 1 << 63;
    for (i, a) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, b) in b.iter().enumerate() {
            let sum = u128::from(t[i + j]) + u128::from(*a) * u128::from(*b) + u128::from(carry);
            t[i + j] = sum as u64;
            carry = (sum >> 64) as u64;
        }
        for t in &mut t[i + 3..] {
            let (sum, over) = t.overflowing_add(carry);
            *t = sum;
            carry = u64::from(over);
        }
    }
    u128::from(t[5]) << 64 | u128::from(t[4])
}

impl Extended {
    /// λ times this, of a Banderwagon class.
    #[must_use]
    pub(crate) fn endomorphism(&self) -> Self {
        // The formula has no value on the classes of the identity.
        if self.x.is_zero() {
            return Self::IDENTITY;
        }
        let yy = self.y.square();
        let bzz = B * self.z.square();
        let f = C * (self.z.square() - yy);
        let g = B * (yy + bzz);
        let h = yy - bzz;
        let xy = self.x * self.y;
        Self {
            x: f * h,
            y: g * xy,
            t: f * g,
            z: h * xy,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::curve::{Affine, GENERATOR};
    use crate::element::Element;

    const LAMBDA: Fr = Fr::from_limbs([
        0xd13d_2140_8783_df05,
        0xcfc4_9db9_70a5_056e,
        0xedf8_4956_2b38_c72b,
        0x13b4_f3dc_4a39_a493,
    ]);

    fn scalars() -> Vec<Fr> {
        let two = Fr::from_u64(2);
        let mut scalars: Vec<Fr> = (0..253).map(|i| two.pow(&[i])).collect();
        scalars.extend([Fr::ZERO, LAMBDA, LAMBDA.square(), LAMBDA - Fr::ONE]);
        // Multiples of the lattice's basis and the middles between them.
        for whole in [A1, B1, A2] {
            let [low, high] = [whole as u64, (whole >> 64) as u64];
            let value = Fr::from_limbs([low, high, 0, 0]);
            let half = value * two.invert().unwrap_or(Fr::ONE);
            scalars.extend([value, half, value * LAMBDA, half * LAMBDA]);
        }
        let negated: Vec<Fr> = scalars.iter().map(|s| -*s).collect();
        scalars.extend(negated);
        let mut rng = StdRng::seed_from_u64(8);
        scalars.extend((0..20_000).map(|_| Fr::from_le_bytes_reduced(&rng.random())));
        scalars
    }

    #[test]
    fn halves_are_short_and_add_up() {
        assert_eq!(LAMBDA.square(), -Fr::from_u64(2));
        for scalar in scalars() {
            let [k1, k2] = split(scalar).map(|half| {
                assert!(half.magnitude < 1 << HALF_BITS, "{scalar:?}");
                let words = [half.magnitude as u64, (half.magnitude >> 64) as u64, 0, 0];
                let value = Fr::from_limbs(words);
                if half.negative { -value } else { value }
            });
            assert_eq!(k1 + LAMBDA * k2, scalar);
        }
    }

    #[test]
    fn the_endomorphism_multiplies_by_lambda() {
        let mut point = GENERATOR.extended();
        let mut multiple = plain_mul(&point, LAMBDA);
        for _ in 0..30 {
            let image = point.endomorphism();
            assert_eq!(Element(image), Element(multiple));
            // On the curve, and with T right.
            assert_eq!(image.x * image.y, image.t * image.z);
            let inverse = image.z.invert().expect("not at infinity");
            assert!(
                Affine {
                    x: image.x * inverse,
                    y: image.y * inverse
                }
                .is_on_curve()
            );
            // The other representative has the same image.
            let other = Extended {
                x: -point.x,
                y: -point.y,
                ..point
            };
            assert_eq!(Element(other.endomorphism()), Element(multiple));
            point = point.double() + GENERATOR.extended();
            multiple = multiple.double() + plain_mul(&GENERATOR.extended(), LAMBDA);
        }
    }

    #[test]
    fn the_identity_has_an_image() {
        for y in [Fp::ONE, -Fp::ONE] {
            let image = Affine { x: Fp::ZERO, y }.extended().endomorphism();
            assert!(Element(image).is_identity());
            assert!(!image.z.is_zero() && !image.y.is_zero());
        }
    }

    /// Double and add.
    fn plain_mul(point: &Extended, scalar: Fr) -> Extended {
        let limbs = scalar.to_limbs();
        let mut sum = Extended::IDENTITY;
        for bit in (0..256).rev() {
            sum = sum.double();
            if (limbs[bit / 64] >> (bit % 64)) & 1 == 1 {
                sum += *point;
            }
        }
        sum
    }
}
