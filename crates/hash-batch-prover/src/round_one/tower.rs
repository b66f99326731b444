//! The byte field as a quadratic extension of the sixteen-element field, where a product is a few
//! look-ups of nibbles: for CPUs with byte shuffles and without byte-field instructions.
//!
//! `GF(16) = GF(2)[u]/(u^4 + u + 1)`, `GF(256) = GF(16)[w]/(w^2 + w + u^3)`; the low nibble of a
//! byte is the coefficient of 1.

#[cfg(test)]
use crate::field::f8_mul;

/// The constant term of the quadratic polynomial.
const CONSTANT: u8 = 8;
/// Logarithm of zero: any sum with it keeps its top bit, which a shuffle reads as "zero".
const LOG_ZERO: u8 = 0x90;

/// Shuffle tables of the product, and the map from the usual basis.
pub(super) struct Tower {
    /// Discrete logarithms to the base `u`.
    pub(super) log: [u8; 16],
    /// Antilogarithm in the low and in the high nibble.
    pub(super) both: [u8; 16],
    /// Antilogarithm in the high nibble.
    pub(super) high: [u8; 16],
    /// Antilogarithm times the constant, in the low nibble.
    pub(super) scaled: [u8; 16],
    /// Product with the image of `x`, by low and by high nibble.
    pub(super) times_x: [[u8; 16]; 2],
    /// Images of all bytes of the usual basis.
    pub(super) image: [u8; 256],
}

/// Product in the sixteen-element field.
fn f4_mul(a: u8, b: u8) -> u8 {
    let mut product = (0..4)
        .filter(|t| b >> t & 1 == 1)
        .fold(0, |sum, t| sum ^ a << t);
    for t in (4..7).rev() {
        if product >> t & 1 == 1 {
            product ^= 0b10011 << (t - 4);
        }
    }
    product
}

/// Product in the tower.
pub(super) fn tower_mul(a: u8, b: u8) -> u8 {
    let (a0, a1, b0, b1) = (a & 15, a >> 4, b & 15, b >> 4);
    let low = f4_mul(a0, b0);
    (low ^ f4_mul(CONSTANT, f4_mul(a1, b1))) | (f4_mul(a0 ^ a1, b0 ^ b1) ^ low) << 4
}

impl Tower {
    pub(super) fn new() -> Self {
        let mut powers = [1u8; 15];
        for i in 1..15 {
            powers[i] = f4_mul(powers[i - 1], 2);
        }
        let mut log = [LOG_ZERO; 16];
        for (i, &power) in powers.iter().enumerate() {
            log[usize::from(power)] = i as u8;
        }
        let antilog = |f: &dyn Fn(u8) -> u8| -> [u8; 16] {
            std::array::from_fn(|i| powers.get(i).map_or(0, |&p| f(p)))
        };
        let image = isomorphism();
        Self {
            log,
            both: antilog(&|p| p | p << 4),
            high: antilog(&|p| p << 4),
            scaled: antilog(&|p| f4_mul(CONSTANT, p)),
            times_x: [
                std::array::from_fn(|i| tower_mul(image[2], i as u8)),
                std::array::from_fn(|i| tower_mul(image[2], (i as u8) << 4)),
            ],
            image,
        }
    }
}

/// The image of every byte under the isomorphism that takes `x` to the least root of
/// `x^8 + x^4 + x^3 + x + 1` in the tower.
fn isomorphism() -> [u8; 256] {
    let powers = |root: u8| {
        let mut powers = [1u8; 9];
        for i in 1..9 {
            powers[i] = tower_mul(powers[i - 1], root);
        }
        powers
    };
    let is_root = |&root: &u8| {
        let p = powers(root);
        p[8] ^ p[4] ^ p[3] ^ p[1] ^ p[0] == 0
    };
    // The polynomial is irreducible of degree 8, so that any field of 256 elements has a root.
    let root = (2..=255u8).find(is_root).unwrap_or_default();
    let powers = powers(root);
    std::array::from_fn(|byte| {
        (0..8)
            .filter(|t| byte >> t & 1 == 1)
            .fold(0, |sum, t| sum ^ powers[t])
    })
}

/// The usual product, for the portable arm: bytewise over whole arrays.
#[inline(always)]
pub(super) fn multiply_bytes(a: &[u8; 64], b: &[u8; 64]) -> [u8; 64] {
    let mut shifted = *a;
    let mut product = [0; 64];
    for bit in 0..8 {
        for i in 0..64 {
            let mask = (b[i] >> bit & 1).wrapping_neg();
            product[i] ^= shifted[i] & mask;
            shifted[i] = times_x(shifted[i]);
        }
    }
    product
}

/// Product with `x` in the usual basis.
#[inline(always)]
pub(super) fn times_x(byte: u8) -> u8 {
    (byte << 1) ^ ((byte >> 7).wrapping_neg() & 0x1b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_isomorphism_keeps_products() {
        let tower = Tower::new();
        let mut seen = [false; 256];
        for a in 0..=255u8 {
            seen[usize::from(tower.image[usize::from(a)])] = true;
            for b in 0..=255u8 {
                assert_eq!(
                    tower.image[usize::from(f8_mul(a, b))],
                    tower_mul(tower.image[usize::from(a)], tower.image[usize::from(b)])
                );
            }
        }
        assert!(seen.iter().all(|&s| s));
    }

    #[test]
    fn array_products_are_products() {
        for start in 0..=255u8 {
            let a: [u8; 64] = std::array::from_fn(|i| start.wrapping_add(3 * i as u8));
            let b: [u8; 64] = std::array::from_fn(|i| start.wrapping_mul(5).wrapping_add(i as u8));
            let product = multiply_bytes(&a, &b);
            for i in 0..64 {
                assert_eq!(product[i], f8_mul(a[i], b[i]));
            }
        }
    }
}
