//! Quadratic characters in [`Fp`](crate::Fp), eight at a time: the algorithm of `field/gcd.rs` in
//! lanes, on nine limbs of 29 bits, of which every run of 29 steps takes away one.

use core::arch::x86_64::*;

use crate::field::{BaseModulus, Modulus};

use super::field::V;

const BITS: u32 = 29;
const MASK: u64 = (1 << BITS) - 1;
const LIMBS: usize = 9;

/// Eight numbers; only the highest limb can be negative, and only for a moment.
type Number = [V; LIMBS];

/// The state of eight symbols: (a | b) is what bit 1 of `symbol` says, times the wanted one.
#[derive(Clone, Copy)]
struct State {
    a: Number,
    b: Number,
    symbol: V,
}

/// What a run of steps does to `a` and `b`: factors of both, in packed form.
#[derive(Clone, Copy)]
struct Run {
    a: V,
    b: V,
    fg0: V,
    fg1: V,
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(value: u64) -> V {
    _mm512_set1_epi64(value as i64)
}

/// 29 bits of 256-bit numbers from bit `29·limb` on.
#[inline]
#[target_feature(enable = "avx512f")]
fn limb(words: [V; 4], limb: usize) -> V {
    let (word, offset) = (29 * limb / 64, (29 * limb % 64) as u64);
    let mut value = _mm512_srlv_epi64(words[word], splat(offset));
    if offset > 64 - u64::from(BITS) && word < 3 {
        let above = _mm512_sllv_epi64(words[word + 1], splat(64 - offset));
        value = _mm512_or_si512(value, above);
    }
    _mm512_and_si512(value, splat(MASK))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn number(words: [V; 4]) -> Number {
    let mut limbs = [_mm512_setzero_si512(); LIMBS];
    for (i, value) in limbs.iter_mut().enumerate() {
        *value = limb(words, i);
    }
    limbs
}

/// Which of eight integers below 2^256, given by words, are zero or squares modulo p, for several
/// groups of eight side by side.
#[target_feature(enable = "avx512f,avx512cd")]
pub(super) fn are_squares<const K: usize>(words: [[V; 4]; K]) -> [__mmask8; K] {
    let zero = _mm512_setzero_si512();
    let mut modulus = [zero; 4];
    for (word, limb) in modulus.iter_mut().zip(BaseModulus::MODULUS) {
        *word = splat(limb);
    }
    let mut states = [State {
        a: [zero; LIMBS],
        b: number(modulus),
        symbol: zero,
    }; K];
    for (state, words) in states.iter_mut().zip(words) {
        state.a = number(words);
    }
    while states.iter().any(|state| state.is_unfinished()) {
        let mut runs = [Run {
            a: zero,
            b: zero,
            fg0: splat(1),
            fg1: splat(1 << 32),
        }; K];
        for (run, state) in runs.iter_mut().zip(&states) {
            (run.a, run.b) = state.approximations();
        }
        for _ in 0..BITS {
            for (run, state) in runs.iter_mut().zip(&mut states) {
                run.step(&mut state.symbol);
            }
        }
        for (run, state) in runs.iter().zip(&mut states) {
            state.apply(run);
        }
    }
    let mut squares = [0; K];
    for (squares, state) in squares.iter_mut().zip(&states) {
        *squares = _mm512_testn_epi64_mask(state.symbol, splat(2));
    }
    squares
}

impl Run {
    /// One step: an odd `a` is made even by subtracting `b`, after an exchange if `b` is the larger
    /// one, and `a` is halved.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn step(&mut self, symbol: &mut V) {
        let Self { a, b, fg0, fg1 } = *self;
        let odd = _mm512_test_epi64_mask(a, splat(1));
        let exchange = _mm512_mask_cmplt_epu64_mask(odd, a, b);
        // Reciprocity: a flip if both are 3 modulo 4.
        let both = _mm512_maskz_and_epi64(exchange, a, b);
        let (a, b) = (
            _mm512_mask_mov_epi64(a, exchange, b),
            _mm512_mask_mov_epi64(b, exchange, a),
        );
        let (fg0, fg1) = (
            _mm512_mask_mov_epi64(fg0, exchange, fg1),
            _mm512_mask_mov_epi64(fg1, exchange, fg0),
        );
        // The character of 2: a flip if b is 3 or 5 modulo 8.
        let two = _mm512_xor_si512(b, _mm512_srli_epi64::<1>(b));
        *symbol = _mm512_xor_si512(*symbol, _mm512_xor_si512(both, two));
        *self = Self {
            a: _mm512_srli_epi64::<1>(_mm512_mask_sub_epi64(a, odd, a, b)),
            b,
            fg0: _mm512_mask_sub_epi64(fg0, odd, fg0, fg1),
            fg1: _mm512_slli_epi64::<1>(fg1),
        };
    }
}

/// The two factors packed in one word.
#[inline]
#[target_feature(enable = "avx512f")]
fn unpack(packed: V) -> (V, V) {
    let offset = splat(0x7fff_ffff);
    let shifted = _mm512_add_epi64(packed, splat(0x7fff_ffff_7fff_ffff));
    let low = _mm512_and_si512(shifted, splat(0xffff_ffff));
    (
        _mm512_sub_epi64(low, offset),
        _mm512_sub_epi64(_mm512_srli_epi64::<32>(shifted), offset),
    )
}

impl State {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn is_unfinished(&self) -> bool {
        let mut any = self.a[0];
        for limb in &self.a[1..] {
            any = _mm512_or_si512(any, *limb);
        }
        _mm512_test_epi64_mask(any, any) != 0
    }

    /// The low 31 bits of both numbers, and from the 64 bits below the higher one's top the upper
    /// 33; the numbers themselves if both are below 2^64.
    #[inline]
    #[target_feature(enable = "avx512f,avx512cd")]
    fn approximations(&self) -> (V, V) {
        let (mut a, mut b) = (
            [self.a[2], self.a[1], self.a[0]],
            [self.b[2], self.b[1], self.b[0]],
        );
        // Three limbs have 87 bits: shifted by 23 at most, their upper 64 bits are the lower ones.
        let mut limit = splat(23);
        for i in 3..LIMBS {
            let either = _mm512_or_si512(self.a[i], self.b[i]);
            let top = _mm512_test_epi64_mask(either, either);
            for j in 0..3 {
                a[j] = _mm512_mask_mov_epi64(a[j], top, self.a[i - j]);
                b[j] = _mm512_mask_mov_epi64(b[j], top, self.b[i - j]);
            }
            limit = _mm512_mask_mov_epi64(limit, top, splat(63));
        }
        let zeros = _mm512_lzcnt_epi64(_mm512_or_si512(a[0], b[0]));
        let shift = _mm512_sub_epi64(zeros, splat(64 - u64::from(BITS)));
        let shift = _mm512_min_epu64(shift, limit);
        (
            approximation(a, shift, &self.a),
            approximation(b, shift, &self.b),
        )
    }

    /// Applies what a run of steps does to the numbers, and makes them positive.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn apply(&mut self, run: &Run) {
        let a = combine(&self.a, &self.b, run.fg0);
        let b = combine(&self.a, &self.b, run.fg1);
        let negative = sign(&b);
        self.b = absolute(b, negative);
        let negative = sign(&a);
        self.a = absolute(a, negative);
        // (−a | b) = (−1 | b)·(a | b), and (a | −b) = (a | b) when a is positive.
        self.symbol = _mm512_mask_xor_epi64(self.symbol, negative, self.symbol, self.b[0]);
    }
}

/// The upper 64 of the 87 bits of three limbs, shifted left first, with the low 31 bits of the
/// number in place of their own.
#[inline]
#[target_feature(enable = "avx512f")]
fn approximation(top: [V; 3], shift: V, number: &Number) -> V {
    // Shifts by 64 and more, or by negative counts, give zero.
    let high = _mm512_sllv_epi64(top[0], _mm512_add_epi64(shift, splat(35)));
    let middle = _mm512_sllv_epi64(top[1], _mm512_add_epi64(shift, splat(6)));
    let less = _mm512_sub_epi64(shift, splat(23));
    let more = _mm512_sub_epi64(splat(23), shift);
    let low = _mm512_or_si512(
        _mm512_sllv_epi64(top[2], less),
        _mm512_srlv_epi64(top[2], more),
    );
    let window = _mm512_or_si512(high, _mm512_or_si512(middle, low));
    let exact = _mm512_or_si512(number[0], _mm512_slli_epi64::<BITS>(number[1]));
    let low = splat((1 << 31) - 1);
    _mm512_or_si512(
        _mm512_andnot_si512(low, window),
        _mm512_and_si512(low, exact),
    )
}

/// (f·a + g·b)/2^29, which is exact.
#[inline]
#[target_feature(enable = "avx512f")]
fn combine(a: &Number, b: &Number, packed: V) -> Number {
    let (f, g) = unpack(packed);
    let mask = splat(MASK);
    let mut out = [_mm512_setzero_si512(); LIMBS];
    let mut carry = _mm512_setzero_si512();
    for i in 0..LIMBS {
        let sum = _mm512_add_epi64(_mm512_mul_epi32(a[i], f), _mm512_mul_epi32(b[i], g));
        carry = _mm512_add_epi64(carry, sum);
        if i > 0 {
            out[i - 1] = _mm512_and_si512(carry, mask);
        }
        carry = _mm512_srai_epi64::<BITS>(carry);
    }
    out[LIMBS - 1] = carry;
    out
}

/// The lanes that are negative.
#[inline]
#[target_feature(enable = "avx512f")]
fn sign(number: &Number) -> __mmask8 {
    _mm512_cmplt_epi64_mask(number[LIMBS - 1], _mm512_setzero_si512())
}

/// With the lanes negated that are negative.
#[inline]
#[target_feature(enable = "avx512f")]
fn absolute(mut number: Number, negative: __mmask8) -> Number {
    if negative == 0 {
        return number;
    }
    let zero = _mm512_setzero_si512();
    let mut carry = zero;
    for limb in &mut number {
        carry = _mm512_sub_epi64(carry, *limb);
        let negated = _mm512_and_si512(carry, splat(MASK));
        carry = _mm512_srai_epi64::<BITS>(carry);
        *limb = _mm512_mask_mov_epi64(*limb, negative, negated);
    }
    number
}

#[cfg(test)]
mod tests {
    use super::super::field::read_words;
    use super::*;
    use crate::arm::Arm;
    use crate::field::{Fp, batch_invert};

    #[test]
    fn lanes_equal_the_plain_symbol() {
        if !Arm::Ifma.is_available() {
            return;
        }
        let mut values: alloc::vec::Vec<Fp> = (0..40).map(Fp::from_u64).collect();
        for bit in 0..255 {
            let power = Fp::from_u64(2).pow(&[bit]);
            values.extend([power - Fp::ONE, power + Fp::from_u64(5), -power]);
            values.push(Fp::from_u64(bit + 3).pow(&[1 << 40, bit]));
        }
        // Near multiples of p by short fractions, which bring both numbers close to each other.
        let mut denominators: alloc::vec::Vec<Fp> = (1..64)
            .flat_map(|i| [i, (1 << i) - 1, i << 20 | 1, u64::MAX / i])
            .map(Fp::from_u64)
            .collect();
        batch_invert(&mut denominators);
        for (i, inverse) in denominators.into_iter().enumerate() {
            for numerator in [1, 2, 3, 7, 1 << 31, (1 << 33) - 1, u64::MAX - i as u64] {
                let value = Fp::from_u64(numerator) * inverse;
                values.extend([value, -value]);
            }
        }
        values.resize(values.len().next_multiple_of(16), Fp::ZERO);
        for chunk in values.as_chunks::<16>().0 {
            let limbs = chunk.map(|value| value.to_limbs());
            let [low, high] = [0, 8].map(|at| core::array::from_fn(|i| &limbs[at + i]));
            // SAFETY: the CPU has what this arm needs.
            let masks = unsafe { are_squares([read_words(low), read_words(high)]) };
            for (i, value) in chunk.iter().enumerate() {
                let square = masks[i / 8] >> (i % 8) & 1 == 1;
                assert_eq!(square, value.is_square(), "{value:?}");
            }
        }
    }
}
