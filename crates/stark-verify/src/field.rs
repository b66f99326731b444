//! BabyBear and its extension of degree four on Montgomery words, laid out for a 32-bit machine.
//!
//! An element is a `u32` below [`P`] that stands for `word / 2^32 mod P`: Montgomery form with
//! `R = 2^32`, which is what Plonky3 keeps in memory, hashes and serialises. An extension element
//! is four such words, the coefficients of `1, X, X^2, X^3` in `F[X] / (X^4 - 11)`. Sums of up to
//! four products are accumulated in 64 bits and reduced once.

/// The modulus, `2^31 - 2^27 + 1`.
pub(crate) const P: u32 = 0x7800_0001;
/// `P^-1 mod 2^32`.
const MU: u32 = 0x8800_0001;
/// `2^64 mod P`: multiplying by it brings a canonical integer into Montgomery form.
const R2: u32 = 0x45dd_dde3;
/// The number one.
pub(crate) const ONE: u32 = 0x0fff_fffe;
/// One half.
pub(crate) const HALF: u32 = 0x07ff_ffff;
/// The `W` of `X^4 = W`, eleven.
const W: u32 = 0x37ff_ffe9;

/// An element of the extension.
pub(crate) type Ext = [u32; 4];

/// The extension's zero.
pub(crate) const EXT_ZERO: Ext = [0; 4];
/// The extension's one.
pub(crate) const EXT_ONE: Ext = [ONE, 0, 0, 0];

/// The lower half of a 64-bit word.
#[inline(always)]
#[allow(
    clippy::as_conversions,
    reason = "the upper half is dropped on purpose"
)]
const fn low(x: u64) -> u32 {
    x as u32
}

/// The upper half of a 64-bit word.
#[inline(always)]
const fn high(x: u64) -> u32 {
    low(x >> 32)
}

#[inline(always)]
fn wide(a: u32, b: u32) -> u64 {
    u64::from(a).wrapping_mul(u64::from(b))
}

/// Montgomery's reduction (REDC): `hi * 2^32 + lo` over `2^32`, for `hi` below [`P`].
#[inline(always)]
fn redc(hi: u32, lo: u32) -> u32 {
    let t = high(wide(lo.wrapping_mul(MU), P));
    let (d, borrow) = hi.overflowing_sub(t);
    if borrow { d.wrapping_add(P) } else { d }
}

/// Reduces a sum of up to four products of elements.
#[inline(always)]
fn reduce(x: u64) -> u32 {
    // Four products are below 2 * P * 2^32.
    let hi = high(x);
    let hi = if hi >= P { hi.wrapping_sub(P) } else { hi };
    redc(hi, low(x))
}

/// `a + b`.
#[inline(always)]
pub(crate) fn add(a: u32, b: u32) -> u32 {
    let sum = a.wrapping_add(b);
    if sum >= P { sum.wrapping_sub(P) } else { sum }
}

/// `a - b`.
#[inline(always)]
pub(crate) fn sub(a: u32, b: u32) -> u32 {
    let (d, borrow) = a.overflowing_sub(b);
    if borrow { d.wrapping_add(P) } else { d }
}

/// `-a`.
#[inline(always)]
pub(crate) fn neg(a: u32) -> u32 {
    sub(0, a)
}

/// `a / 2`.
#[inline(always)]
fn halve(a: u32) -> u32 {
    const HALF: u32 = (P >> 1).wrapping_add(1);
    let half = a >> 1;
    if a & 1 == 1 {
        half.wrapping_add(HALF)
    } else {
        half
    }
}

/// `a * b`.
#[inline(always)]
pub(crate) fn mul(a: u32, b: u32) -> u32 {
    let x = wide(a, b);
    redc(high(x), low(x))
}

/// `a^2^n`.
pub(crate) fn square_times(mut a: u32, n: usize) -> u32 {
    for _ in 0..n {
        a = mul(a, a);
    }
    a
}

/// The Montgomery form of a canonical integer.
#[inline(always)]
pub(crate) fn from_canonical(a: u32) -> u32 {
    mul(a, R2)
}

/// The canonical integer of an element.
#[cfg(feature = "host")]
pub(crate) fn to_canonical(a: u32) -> u32 {
    redc(0, a)
}

/// `a^-1`, by Fermat; zero for zero.
pub(crate) fn inverse(a: u32) -> u32 {
    // P - 2 = 0b111 0111 followed by 24 ones, as chains of ones of length 3, 6, 12, 24.
    let ones = |x: u32, n: usize| mul(square_times(x, n), x);
    let a2 = ones(a, 1);
    let a3 = mul(square_times(a2, 1), a);
    let a6 = ones(a3, 3);
    let a12 = ones(a6, 6);
    let a24 = ones(a12, 12);
    let top = mul(square_times(a3, 4), a3);
    mul(square_times(top, 24), a24)
}

/// Sum of two extension elements.
#[inline(always)]
pub(crate) fn ext_add(a: &Ext, b: &Ext) -> Ext {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (*a, *b);
    [add(a0, b0), add(a1, b1), add(a2, b2), add(a3, b3)]
}

/// Difference of two extension elements.
#[inline(always)]
pub(crate) fn ext_sub(a: &Ext, b: &Ext) -> Ext {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (*a, *b);
    [sub(a0, b0), sub(a1, b1), sub(a2, b2), sub(a3, b3)]
}

/// An extension element times a base element.
#[inline(always)]
pub(crate) fn ext_scale(a: &Ext, b: u32) -> Ext {
    let [a0, a1, a2, a3] = *a;
    [mul(a0, b), mul(a1, b), mul(a2, b), mul(a3, b)]
}

/// Half of an extension element.
#[inline(always)]
pub(crate) fn ext_halve(a: &Ext) -> Ext {
    let [a0, a1, a2, a3] = *a;
    [halve(a0), halve(a1), halve(a2), halve(a3)]
}

/// A factor that many extension elements are multiplied by: `c`, and `W` times its upper three
/// coefficients, which meet what wraps around.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factor {
    c: Ext,
    wrapped: [u32; 3],
}

impl Factor {
    pub(crate) fn new(c: &Ext) -> Self {
        let [_, c1, c2, c3] = *c;
        Self {
            c: *c,
            wrapped: [mul(c1, W), mul(c2, W), mul(c3, W)],
        }
    }

    /// `c * v`.
    #[inline(always)]
    pub(crate) fn times(&self, v: &Ext) -> Ext {
        let [c0, c1, c2, c3] = self.c;
        let [w1, w2, w3] = self.wrapped;
        let [v0, v1, v2, v3] = *v;
        let sum = |a: u64, b: u64, c: u64, d: u64| {
            reduce(a.wrapping_add(b).wrapping_add(c).wrapping_add(d))
        };
        [
            sum(wide(c0, v0), wide(w1, v3), wide(w2, v2), wide(w3, v1)),
            sum(wide(c0, v1), wide(c1, v0), wide(w2, v3), wide(w3, v2)),
            sum(wide(c0, v2), wide(c1, v1), wide(c2, v0), wide(w3, v3)),
            sum(wide(c0, v3), wide(c1, v2), wide(c2, v1), wide(c3, v0)),
        ]
    }
}

/// Product of two extension elements.
pub(crate) fn ext_mul(a: &Ext, b: &Ext) -> Ext {
    Factor::new(a).times(b)
}

/// `a * X`.
pub(crate) fn ext_shift(a: &Ext) -> Ext {
    let [a0, a1, a2, a3] = *a;
    [mul(a3, W), a0, a1, a2]
}

/// `a^-1`; zero for zero. With `Y = X^2` an element is `A + X B` over `F[Y] / (Y^2 - W)`, and
/// `(A + X B)(A - X B) = A^2 - Y B^2` lies there.
pub(crate) fn ext_inverse(a: &Ext) -> Ext {
    let [a0, a1, a2, a3] = *a;
    let (n0, n1) = norm(a);
    let d = inverse(sub(mul(n0, n0), mul(W, mul(n1, n1))));
    let (i0, i1) = (mul(n0, d), neg(mul(n1, d)));
    let (b1, b3) = (neg(a1), neg(a3));
    let times = |x: u32, y: u32| {
        (
            add(mul(x, i0), mul(W, mul(y, i1))),
            add(mul(x, i1), mul(y, i0)),
        )
    };
    let (r0, r2) = times(a0, a2);
    let (r1, r3) = times(b1, b3);
    [r0, r1, r2, r3]
}

/// `A^2 - Y B^2` of `A + X B`, as coefficients of `1, Y`.
fn norm(a: &Ext) -> (u32, u32) {
    let [a0, a1, a2, a3] = *a;
    let square = |x: u32, y: u32| {
        let xy = mul(x, y);
        (add(mul(x, x), mul(W, mul(y, y))), add(xy, xy))
    };
    let (s0, s1) = square(a0, a2);
    let (t0, t1) = square(a1, a3);
    (sub(s0, mul(W, t1)), sub(s1, t0))
}

/// The coefficients of `1, T, T^2, T^3` of the monic quartic over the base field whose roots are
/// the conjugates of `z`. Conjugation by the square of Frobenius negates the odd coefficients, so
/// two of the factors multiply to `T^2 + u T + v` over `F[Y] / (Y^2 - W)` with `u = -2A` and
/// `v = A^2 - Y B^2`, and the other two to its conjugate.
pub(crate) fn conjugates(z: &Ext) -> [u32; 4] {
    let [z0, _, z2, _] = *z;
    let (v0, v1) = norm(z);
    let (u0, u1) = (neg(add(z0, z0)), neg(add(z2, z2)));
    let double = |x: u32| add(x, x);
    [
        sub(mul(v0, v0), mul(W, mul(v1, v1))),
        double(sub(mul(u0, v0), mul(W, mul(u1, v1)))),
        add(double(v0), sub(mul(u0, u0), mul(W, mul(u1, u1)))),
        double(u0),
    ]
}

/// `sum_i coefficients_i * row_i` over the shorter of the two.
#[inline]
pub(crate) fn dot(coefficients: &[Ext], row: &[u32]) -> Ext {
    let mut sum = EXT_ZERO;
    for chunk in coefficients.chunks(4).zip(row.chunks(4)) {
        let part = match chunk {
            ([a, b, c, d], [v, w, x, y]) => products(&[*a, *b, *c, *d], &[*v, *w, *x, *y]),
            ([a, b], [v, w]) => products(&[*a, *b], &[*v, *w]),
            (cs, vs) => cs
                .iter()
                .zip(vs)
                .fold(EXT_ZERO, |sum, (c, &v)| ext_add(&sum, &ext_scale(c, v))),
        };
        sum = ext_add(&sum, &part);
    }
    sum
}

/// The sum of up to four products, reduced once.
#[inline(always)]
pub(crate) fn products<const N: usize>(coefficients: &[Ext; N], row: &[u32; N]) -> Ext {
    const { assert!(N <= 4, "four products fit 64 bits") }
    let [mut a0, mut a1, mut a2, mut a3] = [0u64; 4];
    for (&[c0, c1, c2, c3], &v) in coefficients.iter().zip(row) {
        a0 = a0.wrapping_add(wide(c0, v));
        a1 = a1.wrapping_add(wide(c1, v));
        a2 = a2.wrapping_add(wide(c2, v));
        a3 = a3.wrapping_add(wide(c3, v));
    }
    [reduce(a0), reduce(a1), reduce(a2), reduce(a3)]
}

/// Replaces every element by its inverse with one inversion (Montgomery's trick). `false`, and
/// nothing useful in `values`, when one is zero. `scratch` is overwritten.
pub(crate) fn invert_all(values: &mut [u32], scratch: &mut alloc::vec::Vec<u32>) -> bool {
    scratch.clear();
    let mut product = ONE;
    for &value in values.iter() {
        scratch.push(product);
        product = mul(product, value);
    }
    if product == 0 {
        return false;
    }
    let mut rest = inverse(product);
    for (value, &before) in values.iter_mut().zip(scratch.iter()).rev() {
        let inverted = mul(rest, before);
        rest = mul(rest, *value);
        *value = inverted;
    }
    true
}
