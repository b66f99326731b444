//! The two fields and how their elements are written.
//!
//! * [`K`] = GF(2)\[x\] / (x^64 + x^4 + x^3 + x + 1); bit `i` of the word is the coefficient of `x^i`.
//! * [`E`] = K\[y\] / (y^3 + y + 1); three words, the constant coefficient first.
//!
//! Every bit pattern is an element of either, so no encoding can be non-canonical.

pub use p3_binary_field::{Poly64 as K, Poly192 as E, Poly192MixedAccumulator as MixedAccumulator};
pub use p3_field::{Field, PrimeCharacteristicRing};

/// Bytes of an [`E`] element: three little-endian words.
pub const E_BYTES: usize = 24;

/// The generator `x` of the multiplicative group of [`K`].
pub const G: K = K::new(2);

/// The element `y` of [`E`].
pub const Y: E = from_limbs([0, 1, 0]);

/// The element with coefficients `[c0, c1, c2]` of `1, y, y^2`.
pub const fn from_limbs([c0, c1, c2]: [u64; 3]) -> E {
    E::new([K::new(c0), K::new(c1), K::new(c2)])
}

/// The coefficients of `1, y, y^2`.
#[must_use]
pub fn to_limbs(element: E) -> [u64; 3] {
    element.coefficients().map(K::to_bits)
}

/// The word embedded in [`E`].
pub const fn embed(word: u64) -> E {
    from_limbs([word, 0, 0])
}

/// Reads an element; every byte string is one.
pub fn from_bytes(bytes: &[u8; E_BYTES]) -> E {
    let mut limbs = [0; 3];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *limb = u64::from_le_bytes(*chunk);
    }
    from_limbs(limbs)
}

/// Writes an element.
#[must_use]
pub fn to_bytes(element: E) -> [u8; E_BYTES] {
    let mut bytes = [0; E_BYTES];
    for (chunk, limb) in bytes
        .as_chunks_mut::<8>()
        .0
        .iter_mut()
        .zip(to_limbs(element))
    {
        *chunk = limb.to_le_bytes();
    }
    bytes
}

/// `g^exponent`.
pub fn power_of_g(exponent: u64) -> K {
    (0..u64::BITS).rev().fold(K::ONE, |power, bit| {
        let square = power.square();
        if exponent >> bit & 1 == 1 {
            square * G
        } else {
            square
        }
    })
}

/// `element^(2^times)`.
pub fn frobenius(element: E, times: usize) -> E {
    // Three times 64 squarings are the identity; 64 of them cost two additions.
    let [c0, c1, c2] = element.coefficients();
    let whole = match times / 64 % 3 {
        0 => element,
        1 => E::new([c0, c2, c1 + c2]),
        _ => E::new([c0, c1 + c2, c1]),
    };
    (0..times % 64).fold(whole, |power, _| power.square())
}

/// Images of `1, x, .., x^7` of the byte field GF(2)\[x\] / (x^8 + x^4 + x^3 + x + 1) in [`K`].
///
/// One of the eight embeddings; which one is a constant of the protocol.
const PHI8: [u64; 8] = [
    0x1,
    0x033c_e8be_ddc8_a656,
    0x5126_2037_5ed2_a108,
    0x0c9e_6360_90aa_fc01,
    0xba4f_3cd8_2801_769c,
    0xba26_e790_4adb_4a47,
    0x4676_9859_8926_dc01,
    0x4418_ae80_8b28_bdd0,
];

/// The embedding of the byte field in [`K`].
pub fn phi8(byte: u8) -> K {
    let mut image = 0;
    for (bit, power) in PHI8.iter().enumerate() {
        if byte >> bit & 1 == 1 {
            image ^= power;
        }
    }
    K::new(image)
}
