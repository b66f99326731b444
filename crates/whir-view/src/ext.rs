//! Extensions of degree 4 and 5, elements as coefficients, lowest first.

use alloc::vec::Vec;

use crate::field::{BabyBear, KoalaBear, Modulus, add, fold, from_canonical, reduce, sub, wide};

/// Coefficients of an unreduced product of two elements of degree at most 5.
type Wide = [u64; 9];

/// An extension of degree `D` of the field of a modulus.
pub trait Extension<const D: usize>: Modulus {
    /// The unreduced product, each coefficient below `2^32 * p`.
    fn product(a: &[u32; D], b: &[u32; D]) -> Wide;
    /// The element of an unreduced product.
    fn close(product: &Wide) -> [u32; D];
    /// See [`dot_base`].
    fn weigh(a: &[u32], b: &[[u32; D]]) -> [u32; D];
}

// What follows is written out, coefficient by coefficient: as loops it is left in memory, which on
// a 32-bit machine costs several times the arithmetic.

/// Two products fit below `2^32 * p`; three and four fit in 64 bits and are folded.
#[inline(always)]
fn product_4<M: Modulus>(a: &[u32; 4], b: &[u32; 4]) -> Wide {
    let [a0, a1, a2, a3] = *a;
    let [b0, b1, b2, b3] = *b;
    [
        wide(a0, b0),
        wide(a0, b1) + wide(a1, b0),
        fold::<M>(wide(a0, b2) + wide(a1, b1) + wide(a2, b0)),
        fold::<M>(wide(a0, b3) + wide(a1, b2) + wide(a2, b1) + wide(a3, b0)),
        fold::<M>(wide(a1, b3) + wide(a2, b2) + wide(a3, b1)),
        wide(a2, b3) + wide(a3, b2),
        wide(a3, b3),
        0,
        0,
    ]
}

/// Likewise; of five products four are folded before the fifth comes.
#[inline(always)]
fn product_5<M: Modulus>(a: &[u32; 5], b: &[u32; 5]) -> Wide {
    let [a0, a1, a2, a3, a4] = *a;
    let [b0, b1, b2, b3, b4] = *b;
    let four = fold::<M>(wide(a0, b4) + wide(a1, b3) + wide(a2, b2) + wide(a3, b1));
    [
        wide(a0, b0),
        wide(a0, b1) + wide(a1, b0),
        fold::<M>(wide(a0, b2) + wide(a1, b1) + wide(a2, b0)),
        fold::<M>(wide(a0, b3) + wide(a1, b2) + wide(a2, b1) + wide(a3, b0)),
        fold::<M>(four + wide(a4, b0)),
        fold::<M>(wide(a1, b4) + wide(a2, b3) + wide(a3, b2) + wide(a4, b1)),
        fold::<M>(wide(a2, b4) + wide(a3, b3) + wide(a4, b2)),
        wide(a3, b4) + wide(a4, b3),
        wide(a4, b4),
    ]
}

/// `low + w * high` of two coefficients below `2^32 * p`.
#[inline(always)]
fn join<M: Modulus>(low: u64, high: u64, w: u32) -> u32 {
    reduce::<M>(fold::<M>(low + wide(w, reduce::<M>(high))))
}

/// `X^4 = w`.
#[inline(always)]
fn close_4<M: Modulus>(d: &Wide, w: u32) -> [u32; 4] {
    let low = |k: usize| join::<M>(d[k], d[k + 4], w);
    [low(0), low(1), low(2), reduce::<M>(d[3])]
}

macro_rules! weigh {
    ($name:ident, $degree:literal, $($sum:ident $k:literal),+) => {
        #[inline(always)]
        fn $name<M: Modulus>(a: &[u32], b: &[[u32; $degree]]) -> [u32; $degree] {
            $(let mut $sum = 0_u64;)+
            let pairs = a.as_chunks::<2>().0.iter().zip(b.as_chunks::<2>().0);
            let paired = 2 * pairs.len();
            for ([x, y], [u, v]) in pairs {
                $($sum = fold::<M>($sum + wide(*x, u[$k]) + wide(*y, v[$k]));)+
            }
            if let (Some(x), Some(u)) = (a.get(paired), b.get(paired)) {
                $($sum = fold::<M>($sum + wide(*x, u[$k]));)+
            }
            [$(reduce::<M>($sum)),+]
        }
    };
}
weigh!(weigh_4, 4, s0 0, s1 1, s2 2, s3 3);
weigh!(weigh_5, 5, s0 0, s1 1, s2 2, s3 3, s4 4);

macro_rules! extension {
    ($field:ty, $degree:literal, $product:ident, $weigh:ident, |$d:ident| $close:expr) => {
        impl Extension<$degree> for $field {
            #[inline(always)]
            fn product(a: &[u32; $degree], b: &[u32; $degree]) -> Wide {
                $product::<Self>(a, b)
            }
            #[inline(always)]
            fn close($d: &Wide) -> [u32; $degree] {
                $close
            }
            #[inline(always)]
            fn weigh(a: &[u32], b: &[[u32; $degree]]) -> [u32; $degree] {
                $weigh::<Self>(a, b)
            }
        }
    };
}

extension!(BabyBear, 4, product_4, weigh_4, |d| {
    close_4::<Self>(d, const { from_canonical::<Self>(11) })
});
extension!(KoalaBear, 4, product_4, weigh_4, |d| {
    close_4::<Self>(d, const { from_canonical::<Self>(3) })
});
// `X^5 = 2`.
extension!(BabyBear, 5, product_5, weigh_5, |d| {
    let low = |k: usize| join::<Self>(d[k], d[k + 5], const { from_canonical::<Self>(2) });
    [low(0), low(1), low(2), low(3), reduce::<Self>(d[4])]
});
// `X^5 = 1 - X^2`.
extension!(KoalaBear, 5, product_5, weigh_5, |d| {
    let low = |k: usize| reduce::<Self>(d[k]);
    let (plus, minus) = (add::<Self>, sub::<Self>);
    let (d5, d6, d7, d8) = (low(5), low(6), low(7), low(8));
    [
        minus(plus(low(0), d5), d8),
        plus(low(1), d6),
        plus(minus(plus(low(2), d7), d5), d8),
        plus(minus(low(3), d6), d8),
        minus(low(4), d7),
    ]
});

/// Adds `a * b` to a folded sum of products and folds it again.
#[inline(always)]
fn accumulate<M: Extension<D>, const D: usize>(sum: &mut Wide, a: &[u32; D], b: &[u32; D]) {
    let [d0, d1, d2, d3, d4, d5, d6, d7, d8] = M::product(a, b);
    let [s0, s1, s2, s3, s4, s5, s6, s7, s8] = *sum;
    *sum = [
        fold::<M>(s0 + d0),
        fold::<M>(s1 + d1),
        fold::<M>(s2 + d2),
        fold::<M>(s3 + d3),
        fold::<M>(s4 + d4),
        fold::<M>(s5 + d5),
        fold::<M>(s6 + d6),
        fold::<M>(s7 + d7),
        fold::<M>(s8 + d8),
    ];
}

/// Zero.
#[must_use]
pub const fn zero<const D: usize>() -> [u32; D] {
    [0; D]
}

/// One.
#[must_use]
pub fn one<M: Modulus, const D: usize>() -> [u32; D] {
    embed::<M, D>(M::ONE)
}

/// A base-field element as an element of the extension.
#[inline(always)]
#[must_use]
pub fn embed<M: Modulus, const D: usize>(x: u32) -> [u32; D] {
    core::array::from_fn(|k| if k == 0 { x } else { 0 })
}

/// `a + b`.
#[inline(always)]
#[must_use]
pub fn plus<M: Modulus, const D: usize>(a: &[u32; D], b: &[u32; D]) -> [u32; D] {
    core::array::from_fn(|k| add::<M>(a[k], b[k]))
}

/// `a - b`.
#[inline(always)]
#[must_use]
pub fn minus<M: Modulus, const D: usize>(a: &[u32; D], b: &[u32; D]) -> [u32; D] {
    core::array::from_fn(|k| sub::<M>(a[k], b[k]))
}

/// `1 - a`.
#[inline(always)]
#[must_use]
pub fn complement<M: Modulus, const D: usize>(a: &[u32; D]) -> [u32; D] {
    minus::<M, D>(&one::<M, D>(), a)
}

/// `a * b`.
#[inline(never)]
#[must_use]
pub fn times<M: Extension<D>, const D: usize>(a: &[u32; D], b: &[u32; D]) -> [u32; D] {
    M::close(&M::product(a, b))
}

/// `a^2`.
#[inline(always)]
#[must_use]
pub fn square<M: Extension<D>, const D: usize>(a: &[u32; D]) -> [u32; D] {
    times::<M, D>(a, a)
}

/// `sum_i a_i * b_i` over extension elements; the shorter list decides.
#[inline(never)]
#[must_use]
pub fn dot<M: Extension<D>, const D: usize>(a: &[[u32; D]], b: &[[u32; D]]) -> [u32; D] {
    let mut sum = Wide::default();
    for (a, b) in a.iter().zip(b) {
        accumulate::<M, D>(&mut sum, a, b);
    }
    M::close(&sum)
}

/// `sum_i a_i * b_i` with `a_i` in the base field; the shorter list decides.
#[inline(never)]
#[must_use]
pub fn dot_base<M: Extension<D>, const D: usize>(a: &[u32], b: &[[u32; D]]) -> [u32; D] {
    M::weigh(a, b)
}

/// Appends the equality weights `eq(point, i)` for `i < 2^n`: coordinate 0 belongs to the highest
/// bit of `i`.
pub fn eq_weights<'p, M: Extension<D>, const D: usize>(
    out: &mut Vec<[u32; D]>,
    point: impl Iterator<Item = &'p [u32; D]>,
) {
    let start = out.len();
    out.push(one::<M, D>());
    for coordinate in point {
        // From the back, so that a weight is read before it is overwritten.
        let count = out.len() - start;
        out.resize(start + 2 * count, zero());
        let weights = out.get_mut(start..).unwrap_or_default();
        for i in (0..count).rev() {
            let high = times::<M, D>(&weights[i], coordinate);
            weights[2 * i] = minus::<M, D>(&weights[i], &high);
            weights[2 * i + 1] = high;
        }
    }
}
