//! Inverses and quadratic characters by the binary algorithm of Euclid.
//!
//! T. Pornin, "Optimized Binary GCD for Modular Inversion" (eprint 2020/972): a run of steps is
//! decided on 64-bit approximations of both numbers, their low bits exact and their high bits
//! right, and applied to the numbers at once. An approximation can misjudge which number is the
//! larger one when they are close; one of them then comes out negative, never both.

use super::limbs::{add, mac, reduce_once, sbb};

/// Steps of one run when only factors are wanted: every exact low bit is used.
const STEPS: u32 = 31;
/// Steps of one run when b mod 8 must be known in each.
const SYMBOL_STEPS: u32 = 29;

/// What a run of steps does: a ← (f0·a + g0·b)/2^steps and b ← (f1·a + g1·b)/2^steps, with
/// |f| + |g| ≤ 2^steps in both.
#[derive(Clone, Copy)]
struct Factors {
    f0: i64,
    g0: i64,
    f1: i64,
    g1: i64,
}

/// Two factors in one word, each offset when read so that −2^31 < f ≤ 2^31 fits.
#[inline(always)]
const fn unpack(packed: u64) -> (i64, i64) {
    const OFFSET: u64 = 0x7fff_ffff;
    let shifted = packed.wrapping_add(OFFSET << 32 | OFFSET);
    (
        (shifted & 0xffff_ffff) as i64 - OFFSET as i64,
        (shifted >> 32) as i64 - OFFSET as i64,
    )
}

/// The low 31 bits of both, and from the 64 bits below the higher one's top the upper 33.
#[inline(always)]
fn approximate(a: &[u64; 4], b: &[u64; 4]) -> (u64, u64) {
    const LOW: u64 = (1 << 31) - 1;
    let mut top = 3;
    while top > 0 && a[top] | b[top] == 0 {
        top -= 1;
    }
    if top == 0 {
        return (a[0], b[0]);
    }
    let shift = (a[top] | b[top]).leading_zeros();
    let high = |n: &[u64; 4]| {
        let both = u128::from(n[top]) << 64 | u128::from(n[top - 1]);
        (both << shift >> 64) as u64
    };
    (
        (high(a) & !LOW) | (a[0] & LOW),
        (high(b) & !LOW) | (b[0] & LOW),
    )
}

/// One run of steps: an odd `a` is made even by subtracting `b`, after an exchange if `b` is the
/// larger one, and `a` is halved. With `SYMBOL`, the low bit of `symbol` is flipped whenever
/// reciprocity, or the character of 2, flips (a | b).
#[inline(always)]
fn run<const COUNT: u32, const SYMBOL: bool>(mut a: u64, mut b: u64, symbol: &mut u64) -> Factors {
    let (mut fg0, mut fg1) = (1u64, 1u64 << 32);
    for _ in 0..COUNT {
        let odd = 0u64.wrapping_sub(a & 1);
        let exchange = if a < b { odd } else { 0 };
        if SYMBOL {
            *symbol ^= (a & b & exchange) >> 1;
        }
        let change = (a ^ b) & exchange;
        a ^= change;
        b ^= change;
        let change = (fg0 ^ fg1) & exchange;
        fg0 ^= change;
        fg1 ^= change;
        a = a.wrapping_sub(b & odd) >> 1;
        fg0 = fg0.wrapping_sub(fg1 & odd);
        fg1 <<= 1;
        if SYMBOL {
            *symbol ^= (b ^ (b >> 1)) >> 1;
        }
    }
    let (f0, g0) = unpack(fg0);
    let (f1, g1) = unpack(fg1);
    Factors { f0, g0, f1, g1 }
}

/// (f·a + g·b)/2^shift, which is exact: its absolute value, and whether it was negative.
#[inline(always)]
fn combine(a: &[u64; 4], b: &[u64; 4], f: i64, g: i64, shift: u32) -> ([u64; 4], bool) {
    let (sum, high) = linear(a, b, f, g);
    let mut out = shift_right(&sum, high, shift);
    let negative = high < 0;
    if negative {
        let mut borrow = 0;
        for limb in &mut out {
            (*limb, borrow) = sbb(0, *limb, borrow);
        }
    }
    (out, negative)
}

/// f·a + g·b: four limbs and a signed fifth.
#[inline(always)]
fn linear(a: &[u64; 4], b: &[u64; 4], f: i64, g: i64) -> ([u64; 4], i64) {
    let mut sum = [0; 4];
    let mut carry = 0i128;
    for ((sum, a), b) in sum.iter_mut().zip(a).zip(b) {
        // |f| + |g| ≤ 2^31: the total stays below 2^96.
        carry += i128::from(*a) * i128::from(f) + i128::from(*b) * i128::from(g);
        *sum = carry as u64;
        carry >>= 64;
    }
    (sum, carry as i64)
}

#[inline(always)]
fn shift_right(limbs: &[u64; 4], high: i64, shift: u32) -> [u64; 4] {
    let back = 64 - shift;
    [
        limbs[0] >> shift | limbs[1] << back,
        limbs[1] >> shift | limbs[2] << back,
        limbs[2] >> shift | limbs[3] << back,
        limbs[3] >> shift | (high as u64) << back,
    ]
}

/// (f·u + g·v)/2^31 modulo the modulus, reduced, for reduced `u` and `v`.
#[inline(always)]
fn combine_mod(
    u: &[u64; 4],
    v: &[u64; 4],
    (f, g): (i64, i64),
    modulus: &[u64; 4],
    inv: u64,
) -> [u64; 4] {
    let (mut sum, mut high) = linear(u, v, f, g);
    // The multiple of the modulus that makes the low bits zero.
    let quotient = sum[0].wrapping_mul(inv) & ((1 << STEPS) - 1);
    let mut carry = 0;
    for (sum, m) in sum.iter_mut().zip(modulus) {
        (*sum, carry) = mac(*sum, quotient, *m, carry);
    }
    high += carry as i64;
    let out = shift_right(&sum, high, STEPS);
    // Between −modulus and twice the modulus.
    if high < 0 {
        add(&out, modulus)
    } else {
        reduce_once(&out, modulus)
    }
}

/// `scale` divided by `value`, modulo an odd prime below 2^255; zero for a zero value. Both are
/// reduced.
/// `inv` is −modulus⁻¹ modulo 2^64.
pub(super) fn divide(scale: &[u64; 4], value: &[u64; 4], modulus: &[u64; 4], inv: u64) -> [u64; 4] {
    // scale·a = value·u and scale·b = value·v throughout.
    let (mut a, mut b) = (*value, *modulus);
    let (mut u, mut v) = (*scale, [0; 4]);
    while a != [0; 4] {
        let (x, y) = approximate(&a, &b);
        let mut factors = run::<STEPS, false>(x, y, &mut 0);
        let (next, negative) = combine(&a, &b, factors.f0, factors.g0, STEPS);
        if negative {
            (factors.f0, factors.g0) = (-factors.f0, -factors.g0);
        }
        let (other, negative) = combine(&a, &b, factors.f1, factors.g1, STEPS);
        if negative {
            (factors.f1, factors.g1) = (-factors.f1, -factors.g1);
        }
        (a, b) = (next, other);
        (u, v) = (
            combine_mod(&u, &v, (factors.f0, factors.g0), modulus, inv),
            combine_mod(&u, &v, (factors.f1, factors.g1), modulus, inv),
        );
    }
    v
}

/// Whether the Jacobi symbol (value | modulus) is not −1.
pub(super) fn is_residue(value: &[u64; 4], modulus: &[u64; 4]) -> bool {
    let (mut a, mut b) = (*value, *modulus);
    let mut symbol = 0;
    while a != [0; 4] {
        let (x, y) = approximate(&a, &b);
        let factors = run::<SYMBOL_STEPS, true>(x, y, &mut symbol);
        let (next, negative) = combine(&a, &b, factors.f0, factors.g0, SYMBOL_STEPS);
        (b, _) = combine(&a, &b, factors.f1, factors.g1, SYMBOL_STEPS);
        a = next;
        // (−a | b) = (−1 | b)·(a | b), and (a | −b) = (a | b) when a is positive.
        symbol ^= u64::from(negative) & (b[0] >> 1);
    }
    symbol & 1 == 0
}

#[cfg(test)]
mod tests;
