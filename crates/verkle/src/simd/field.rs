//! Eight field elements at a time, in five limbs of 52 bits.
//!
//! Montgomery form with R = 2^260. Limbs are always normalised (below 2^52, since the multiplier
//! reads no more than 52 bits of each), the integer they stand for is only bounded: it is below
//! 2^260, and the bounds below say when that holds. With R/p > 35 and R/r > 140, for a < α·m and
//! b < β·m where m is the modulus:
//!
//! | operation | result below |
//! |---|---|
//! | `a.mul(b)` | (1 + α·β/35)·m |
//! | `a.square()` | (1 + α²/35)·m |
//! | `a.add(b)` | (α + β)·m |
//! | `a.sub::<K>(b)`, for β ≤ K | (α + K)·m |
//! | `Lanes::load` | 16·m |
//! | `a.reduce()` | 2·m |
//!
//! Every result must be below 35·m (which is below 2^260 for both fields). A product of operands
//! with α·β ≤ 35 is below 2·m.

use core::arch::x86_64::*;
use core::marker::PhantomData;

use crate::field::{Field, Modulus, double_mod};

pub(crate) use super::words::{V, read_words, write_words};

const MASK: u64 = (1 << 52) - 1;

/// Eight elements; lane i of every limb belongs to the i-th.
pub(crate) struct Lanes<M> {
    limbs: [V; 5],
    modulus: PhantomData<M>,
}

impl<M> Clone for Lanes<M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Lanes<M> {}

const fn split(words: [u64; 4]) -> [u64; 5] {
    [
        words[0] & MASK,
        (words[0] >> 52 | words[1] << 12) & MASK,
        (words[1] >> 40 | words[2] << 24) & MASK,
        (words[2] >> 28 | words[3] << 36) & MASK,
        words[3] >> 16,
    ]
}

struct Constants<M>(PhantomData<M>);

impl<M: Modulus> Constants<M> {
    const MODULUS: [u64; 5] = split(M::MODULUS);
    /// 2^260 less the modulus.
    const COMPLEMENT: [u64; 5] = {
        let m = Self::MODULUS;
        [
            MASK + 1 - m[0],
            MASK - m[1],
            MASK - m[2],
            MASK - m[3],
            MASK - m[4],
        ]
    };
    /// Modulus⁻¹ modulo 2^52.
    const INVERSE: u64 = Field::<M>::INV.wrapping_neg() & MASK;
    /// Whether the modulus is 1 − 2^32 modulo 2^52, as that of [`crate::Fp`] is.
    const SHIFTS: bool = Self::MODULUS[0] == MASK + 2 - (1 << 32);
    /// 2^256 and 2^260 modulo the modulus.
    const TO_WORDS: [u64; 5] = split(Self::power_of_two(0));
    const ONE: [u64; 5] = split(Self::power_of_two(4));

    const fn power_of_two(beyond_256: usize) -> [u64; 4] {
        double_mod(Field::<M>::R, &M::MODULUS, beyond_256)
    }

    const fn multiple(k: u64) -> [u64; 5] {
        let mut limbs = [0; 5];
        let mut carry = 0;
        let mut i = 0;
        while i < 5 {
            let product = Self::MODULUS[i] as u128 * k as u128 + carry;
            limbs[i] = product as u64 & MASK;
            carry = product >> 52;
            i += 1;
        }
        assert!(carry == 0, "the multiple is below 2^260");
        limbs
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(value: u64) -> V {
    _mm512_set1_epi64(value as i64)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat_all(limbs: [u64; 5]) -> [V; 5] {
    [
        splat(limbs[0]),
        splat(limbs[1]),
        splat(limbs[2]),
        splat(limbs[3]),
        splat(limbs[4]),
    ]
}

/// Carries from limb to limb. Limbs may be negative (two's complement) as long as the integer
/// is in 0‥2^260; otherwise the highest limb keeps the sign and the excess.
#[inline]
#[target_feature(enable = "avx512f")]
fn carry(mut t: [V; 5]) -> [V; 5] {
    let mask = splat(MASK);
    for i in 0..4 {
        t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srai_epi64::<52>(t[i]));
        t[i] = _mm512_and_si512(t[i], mask);
    }
    t
}

/// (t − q·m)/2^260 for the q below 2^260 that makes it an integer: above 0 and at most t/2^260, if
/// m·2^260 was added to t beforehand. Each limb of t is a sum of at most twenty 52-bit numbers, and
/// as many are added here: far from overflow.
///
/// One limb of q at a time is q_i = t_i·m⁻¹ mod 2^52. What is added is q_i·(2^260 − m), which
/// needs no subtraction but that of q_i·2^260; a limb of the result may be negative before the
/// carries.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn montgomery<M: Modulus>(mut t: [V; 10]) -> [V; 5] {
    let complement = splat_all(const { Constants::<M>::COMPLEMENT });
    let mask = splat(MASK);
    let zero = _mm512_setzero_si512();
    for i in 0..5 {
        let q;
        if const { Constants::<M>::SHIFTS } {
            // m⁻¹ = 1 + 2^32 and 2^52 − m_0 = 2^32 − 1. With u = t + 2^32·(t mod 2^20) and
            // q = u mod 2^52, t + q·(2^32 − 1) is 2^52·(⌊u/2^52⌋ + ⌊q/2^20⌋).
            let low = _mm512_srli_epi64::<12>(_mm512_slli_epi64::<44>(t[i]));
            let u = _mm512_add_epi64(t[i], low);
            q = _mm512_and_si512(u, mask);
            let up = _mm512_add_epi64(_mm512_srli_epi64::<52>(u), _mm512_srli_epi64::<20>(q));
            t[i + 1] = _mm512_add_epi64(t[i + 1], up);
        } else {
            let inverse = splat(const { Constants::<M>::INVERSE });
            q = _mm512_madd52lo_epu64(zero, t[i], inverse);
            let low = _mm512_madd52lo_epu64(t[i], q, complement[0]);
            t[i + 1] = _mm512_madd52hi_epu64(t[i + 1], q, complement[0]);
            t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srli_epi64::<52>(low));
        }
        for j in 1..5 {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], q, complement[j]);
        }
        for j in 1..5 {
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], q, complement[j]);
        }
        t[i + 5] = _mm512_sub_epi64(t[i + 5], q);
    }
    carry([t[5], t[6], t[7], t[8], t[9]])
}

impl<M: Modulus> Lanes<M> {
    #[inline(always)]
    fn new(limbs: [V; 5]) -> Self {
        Self {
            limbs,
            modulus: PhantomData,
        }
    }

    /// Zero in every lane.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn zero() -> Self {
        Self::new([_mm512_setzero_si512(); 5])
    }

    /// One in every lane.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn one() -> Self {
        Self::new(splat_all(const { Constants::<M>::ONE }))
    }

    /// The same element in every lane; below 16 times the modulus.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn splat(value: Field<M>) -> Self {
        Self::from_montgomery_words([
            splat(value.0[0]),
            splat(value.0[1]),
            splat(value.0[2]),
            splat(value.0[3]),
        ])
    }

    /// The limbs of an element, for [`Self::splat_limbs`]; below the modulus.
    pub(crate) const fn constant(value: Field<M>) -> [u64; 5] {
        split(double_mod(value.0, &M::MODULUS, 4))
    }

    /// The same limbs in every lane.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn splat_limbs(limbs: [u64; 5]) -> Self {
        Self::new(splat_all(limbs))
    }

    /// The limbs, for kernels that keep them in memory.
    #[inline(always)]
    pub(crate) fn limbs(&self) -> [V; 5] {
        self.limbs
    }

    /// From limbs below 2^52 of an integer below 2^260.
    #[inline(always)]
    pub(crate) fn from_limbs(limbs: [V; 5]) -> Self {
        Self::new(limbs)
    }

    /// From words of integers below 2^256: of elements in this module's Montgomery form, or of
    /// plain integers.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn from_words(w: [V; 4]) -> Self {
        let mask = splat(MASK);
        let l1 = _mm512_or_si512(_mm512_srli_epi64::<52>(w[0]), _mm512_slli_epi64::<12>(w[1]));
        let l2 = _mm512_or_si512(_mm512_srli_epi64::<40>(w[1]), _mm512_slli_epi64::<24>(w[2]));
        let l3 = _mm512_or_si512(_mm512_srli_epi64::<28>(w[2]), _mm512_slli_epi64::<36>(w[3]));
        Self::new([
            _mm512_and_si512(w[0], mask),
            _mm512_and_si512(l1, mask),
            _mm512_and_si512(l2, mask),
            _mm512_and_si512(l3, mask),
            _mm512_srli_epi64::<16>(w[3]),
        ])
    }

    /// The words of integers that must be below 2^256, as they are below twice the modulus.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn to_words(self) -> [V; 4] {
        let l = self.limbs;
        [
            _mm512_or_si512(l[0], _mm512_slli_epi64::<52>(l[1])),
            _mm512_or_si512(_mm512_srli_epi64::<12>(l[1]), _mm512_slli_epi64::<40>(l[2])),
            _mm512_or_si512(_mm512_srli_epi64::<24>(l[2]), _mm512_slli_epi64::<28>(l[3])),
            _mm512_or_si512(_mm512_srli_epi64::<36>(l[3]), _mm512_slli_epi64::<16>(l[4])),
        ]
    }

    /// From words of elements as [`Field`] holds them. Its Montgomery form has 2^256 where this one
    /// has 2^260: a shift by four bits is all it takes, and the integer is below 16 times the
    /// modulus.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn from_montgomery_words(w: [V; 4]) -> Self {
        let mask = splat(MASK);
        let l1 = _mm512_or_si512(_mm512_srli_epi64::<48>(w[0]), _mm512_slli_epi64::<16>(w[1]));
        let l2 = _mm512_or_si512(_mm512_srli_epi64::<36>(w[1]), _mm512_slli_epi64::<28>(w[2]));
        let l3 = _mm512_or_si512(_mm512_srli_epi64::<24>(w[2]), _mm512_slli_epi64::<40>(w[3]));
        Self::new([
            _mm512_and_si512(_mm512_slli_epi64::<4>(w[0]), mask),
            _mm512_and_si512(l1, mask),
            _mm512_and_si512(l2, mask),
            _mm512_and_si512(l3, mask),
            _mm512_srli_epi64::<12>(w[3]),
        ])
    }

    /// Words of elements as [`Field`] holds them, fully reduced.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn to_montgomery_words(self) -> [V; 4] {
        let factor = Self::new(splat_all(const { Constants::<M>::TO_WORDS }));
        self.mul(factor).canonical().to_words()
    }

    /// Eight elements; below 16 times the modulus.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn load(values: &[Field<M>; 8]) -> Self {
        Self::from_montgomery_words(read_words(values.each_ref().map(|value| &value.0)))
    }

    /// Eight elements from eight places; below 16 times the modulus.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn load_each(values: [&Field<M>; 8]) -> Self {
        Self::from_montgomery_words(read_words(values.map(|value| &value.0)))
    }

    /// The eight elements.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn store(self, values: &mut [Field<M>; 8]) {
        let to = values.each_mut().map(|value| &mut value.0);
        write_words(self.to_montgomery_words(), to);
    }

    /// The same elements, below twice the modulus.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn reduce(self) -> Self {
        self.mul(Self::one())
    }

    /// The same elements fully reduced, of integers below twice the modulus.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn canonical(self) -> Self {
        let modulus = splat_all(const { Constants::<M>::MODULUS });
        let mut less = self.limbs;
        for i in 0..5 {
            less[i] = _mm512_sub_epi64(less[i], modulus[i]);
        }
        let less = carry(less);
        let below = _mm512_cmplt_epi64_mask(less[4], _mm512_setzero_si512());
        Self::select(below, self, Self::new(less))
    }

    /// The lanes whose bits are set from `set`, the others from `clear`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn select(mask: __mmask8, set: Self, clear: Self) -> Self {
        let mut limbs = clear.limbs;
        for (limb, set) in limbs.iter_mut().zip(set.limbs) {
            *limb = _mm512_mask_mov_epi64(*limb, mask, set);
        }
        Self::new(limbs)
    }

    /// Product.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn mul(self, other: Self) -> Self {
        let (a, b) = (self.limbs, other.limbs);
        let mut t = Self::accumulators();
        for i in 0..5 {
            for j in 0..5 {
                t[i + j] = _mm512_madd52lo_epu64(t[i + j], a[i], b[j]);
            }
            for j in 0..5 {
                t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a[i], b[j]);
            }
        }
        Self::new(montgomery::<M>(t))
    }

    /// Square.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn square(self) -> Self {
        let a = self.limbs;
        let mut t = [_mm512_setzero_si512(); 10];
        for i in 0..5 {
            for j in i + 1..5 {
                t[i + j] = _mm512_madd52lo_epu64(t[i + j], a[i], a[j]);
                t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a[i], a[j]);
            }
        }
        let start = Self::accumulators();
        for i in 0..10 {
            t[i] = _mm512_add_epi64(_mm512_add_epi64(t[i], t[i]), start[i]);
        }
        for i in 0..5 {
            t[2 * i] = _mm512_madd52lo_epu64(t[2 * i], a[i], a[i]);
            t[2 * i + 1] = _mm512_madd52hi_epu64(t[2 * i + 1], a[i], a[i]);
        }
        Self::new(montgomery::<M>(t))
    }

    /// What sums of products start from: the modulus in the upper half, so that the result of the
    /// reduction is positive.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn accumulators() -> [V; 10] {
        let zero = _mm512_setzero_si512();
        let m = splat_all(const { Constants::<M>::MODULUS });
        [zero, zero, zero, zero, zero, m[0], m[1], m[2], m[3], m[4]]
    }

    /// Sum.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn add(self, other: Self) -> Self {
        let mut t = self.limbs;
        for (t, other) in t.iter_mut().zip(other.limbs) {
            *t = _mm512_add_epi64(*t, other);
        }
        Self::new(carry(t))
    }

    /// Difference, plus `K` times the modulus, which `other` must not exceed.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn sub<const K: u64>(self, other: Self) -> Self {
        let multiple = splat_all(const { Constants::<M>::multiple(K) });
        let mut t = self.limbs;
        for i in 0..5 {
            t[i] = _mm512_add_epi64(_mm512_sub_epi64(t[i], other.limbs[i]), multiple[i]);
        }
        Self::new(carry(t))
    }

    /// `self − a − b` plus `K` times the modulus, which `a + b` must not exceed.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn sub_two<const K: u64>(self, a: Self, b: Self) -> Self {
        let multiple = splat_all(const { Constants::<M>::multiple(K) });
        let mut t = self.limbs;
        for i in 0..5 {
            let both = _mm512_add_epi64(a.limbs[i], b.limbs[i]);
            t[i] = _mm512_add_epi64(_mm512_sub_epi64(t[i], both), multiple[i]);
        }
        Self::new(carry(t))
    }

    /// `K` times the modulus less this, which must not exceed it.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn neg<const K: u64>(self) -> Self {
        Self::zero().sub::<K>(self)
    }

    /// Negates, as [`Self::neg`] does, the lanes whose bits are set.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn neg_where<const K: u64>(self, mask: __mmask8) -> Self {
        Self::select(mask, self.neg::<K>(), self)
    }

    /// Twice this.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn double(self) -> Self {
        self.add(self)
    }

    /// `other` plus five times this.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn times5_plus(self, other: Self) -> Self {
        let mut t = other.limbs;
        for (t, limb) in t.iter_mut().zip(self.limbs) {
            let four = _mm512_slli_epi64::<2>(limb);
            *t = _mm512_add_epi64(_mm512_add_epi64(*t, limb), four);
        }
        Self::new(carry(t))
    }

    /// Five times this.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn times5(self) -> Self {
        self.times5_plus(Self::zero())
    }

    /// The lanes that are zero.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn is_zero(self) -> __mmask8 {
        let l = self.reduce().canonical().limbs;
        let any = _mm512_or_si512(
            _mm512_or_si512(_mm512_or_si512(l[0], l[1]), _mm512_or_si512(l[2], l[3])),
            l[4],
        );
        _mm512_cmpeq_epi64_mask(any, _mm512_setzero_si512())
    }

    /// To a common exponent given by words, least significant first; this must be below five times
    /// the modulus. Time depends on the exponent.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn pow(self, exponent: &[u64; 4]) -> Self {
        let mut window = [Self::one(); 16];
        for i in 1..16 {
            window[i] = window[i - 1].mul(self);
        }
        let mut power = Self::one();
        for shift in (0..64).rev() {
            power = power.square().square().square().square();
            let digit = (exponent[shift / 16] >> (4 * (shift % 16))) & 15;
            if digit != 0 {
                power = power.mul(window[digit as usize]);
            }
        }
        power
    }

    /// Inverses; zero for zero. This must be below five times the modulus.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn invert(self) -> Self {
        let mut exponent = M::MODULUS;
        exponent[0] -= 2;
        self.pow(&exponent)
    }
}

#[cfg(test)]
mod tests;
