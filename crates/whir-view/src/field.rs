//! Two 31-bit prime fields on words in Montgomery form.
//!
//! An element `x` is the word `x * 2^32 mod p`, below `p`: what `p3-monty-31` keeps in memory and
//! what the machine's Poseidon2 call takes. Products are summed unreduced in 64 bits and reduced
//! once, which is where a 32-bit machine without a 64-bit division gains most.

/// A prime below `2^31`.
pub trait Modulus: Copy + Default + Send + Sync + 'static {
    /// The prime `p`.
    const P: u32;
    /// Tag of the field in a proof file.
    const TAG: u8;
    /// Largest `k` such that `2^k` divides `p - 1`.
    const TWO_ADICITY: usize;
    /// An element of order `2^TWO_ADICITY`, canonical; the one `p3-field` calls
    /// `two_adic_generator`.
    const GENERATOR: u32;
    /// Largest number of bits drawn from one element (`p3-field`'s `MAX_SINGLE_SAMPLE_BITS`).
    const MAX_SINGLE_SAMPLE_BITS: usize;

    /// `p^-1 mod 2^32`.
    const INVERSE: u32 = {
        // Newton's iteration doubles the number of correct bits; an odd number is its own inverse
        // modulo 8.
        let mut inverse = Self::P;
        let mut step = 0;
        while step < 4 {
            inverse = inverse.wrapping_mul(2_u32.wrapping_sub(Self::P.wrapping_mul(inverse)));
            step += 1;
        }
        inverse
    };
    /// `2^32 mod p`: one in Montgomery form.
    const ONE: u32 = ((1_u64 << 32) % Self::P as u64) as u32;
    /// `2^64 mod p`: multiplying by it brings a canonical integer into Montgomery form.
    const R2: u32 = ((Self::ONE as u64 * Self::ONE as u64) % Self::P as u64) as u32;
}

/// `p = 2^31 - 2^27 + 1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BabyBear;

/// `p = 2^31 - 2^24 + 1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KoalaBear;

impl Modulus for BabyBear {
    const P: u32 = 0x7800_0001;
    const TAG: u8 = 1;
    const TWO_ADICITY: usize = 27;
    const GENERATOR: u32 = 0x1a42_7a41;
    const MAX_SINGLE_SAMPLE_BITS: usize = 27;
}

impl Modulus for KoalaBear {
    const P: u32 = 0x7f00_0001;
    const TAG: u8 = 2;
    const TWO_ADICITY: usize = 24;
    const GENERATOR: u32 = 0x6ac4_9f88;
    const MAX_SINGLE_SAMPLE_BITS: usize = 24;
}

/// `a + b`.
#[inline(always)]
#[must_use]
pub const fn add<M: Modulus>(a: u32, b: u32) -> u32 {
    let sum = a.wrapping_add(b);
    let less = sum.wrapping_sub(M::P);
    if sum < M::P { sum } else { less }
}

/// `a - b`.
#[inline(always)]
#[must_use]
pub const fn sub<M: Modulus>(a: u32, b: u32) -> u32 {
    let difference = a.wrapping_sub(b);
    if a < b {
        difference.wrapping_add(M::P)
    } else {
        difference
    }
}

/// `x / 2^32` for `x < 2^32 * p` (Montgomery reduction).
#[inline(always)]
#[must_use]
pub const fn reduce<M: Modulus>(x: u64) -> u32 {
    let quotient = (x as u32).wrapping_mul(M::INVERSE);
    let subtrahend = ((quotient as u64 * M::P as u64) >> 32) as u32;
    // The low words are equal, so the difference of the high ones is exact.
    sub::<M>((x >> 32) as u32, subtrahend)
}

/// The unreduced product.
#[inline(always)]
#[must_use]
pub const fn wide(a: u32, b: u32) -> u64 {
    a as u64 * b as u64
}

/// Brings a sum below `2 * 2^32 * p` below `2^32 * p`, modulo `p`.
///
/// A product of two elements is below `2^32 * p / 2`, so a folded sum can take two more products
/// before it is folded again, and twice its bound is below `2^64`.
#[inline(always)]
#[must_use]
pub const fn fold<M: Modulus>(x: u64) -> u64 {
    let high = (x >> 32) as u32;
    let high = if high < M::P {
        high
    } else {
        high.wrapping_sub(M::P)
    };
    (x as u32 as u64) | ((high as u64) << 32)
}

/// `a * b`.
#[inline(always)]
#[must_use]
pub const fn mul<M: Modulus>(a: u32, b: u32) -> u32 {
    reduce::<M>(wide(a, b))
}

/// The Montgomery form of a canonical integer.
#[inline(always)]
#[must_use]
pub const fn from_canonical<M: Modulus>(x: u32) -> u32 {
    mul::<M>(x, M::R2)
}

/// The canonical integer of an element.
#[inline(always)]
#[must_use]
pub const fn to_canonical<M: Modulus>(x: u32) -> u32 {
    reduce::<M>(x as u64)
}

/// `base^exponent`.
#[must_use]
pub fn pow<M: Modulus>(base: u32, mut exponent: u32) -> u32 {
    let (mut result, mut square) = (M::ONE, base);
    while exponent != 0 {
        if exponent & 1 == 1 {
            result = mul::<M>(result, square);
        }
        square = mul::<M>(square, square);
        exponent >>= 1;
    }
    result
}

/// An element of order `2^log_order`; `log_order` at most [`Modulus::TWO_ADICITY`].
#[must_use]
pub fn root_of_unity<M: Modulus>(log_order: usize) -> u32 {
    let mut root = from_canonical::<M>(M::GENERATOR);
    for _ in log_order..M::TWO_ADICITY {
        root = mul::<M>(root, root);
    }
    root
}
