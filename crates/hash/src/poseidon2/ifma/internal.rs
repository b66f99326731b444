//! The internal rounds, on the pairs and single elements of [`Plan`].
//!
//! A pair keeps `u_r` at one of its two places and `u_(r-1)` at the other; a round overwrites the
//! older one, so the places change roles every round.
//!
//! Bounds. The sum of a round is reduced, so below `2^33` with the S-box output. Elements
//! multiplied by `2^-k` stay below `2^35`. Those multiplied by a small integer, at most 16 every
//! second round for a pair and 2 every round for a single, are reduced every fourth round and stay
//! below `2^40`; the sum of the tail, hence the S-box input, stays below `2^43`.

use core::arch::x86_64::*;

use super::lanes::{V, add, mul_from, reduce, rescale, sbox_internal, splat, sub};
use crate::poseidon2::params::Poseidon2Field;
use crate::poseidon2::plan::{Plan, Step, plan};
use crate::poseidon2::scaled::{ScaledConstants, neg_inverse};

struct PlanOf<F, const W: usize>(core::marker::PhantomData<F>);

impl<F: Poseidon2Field<W>, const W: usize> PlanOf<F, W> {
    const PLAN: Plan = plan::<F, W>();

    const fn step(pair: bool, k: usize) -> Step {
        if pair {
            Self::PLAN.pair[k].square
        } else {
            Self::PLAN.single[k].1
        }
    }
}

/// Evaluates the body for each pair, `$k` a constant.
macro_rules! pairs {
    ($f:ty, $w:ident, |$k:ident| $body:block) => {
        pairs!(@ $f, $w, $k, $body, 0 1 2 3 4 5 6 7 8 9 10 11)
    };
    (@ $f:ty, $w:ident, $k:ident, $body:block, $($literal:literal)*) => {
        $(if const { $literal < PlanOf::<$f, $w>::PLAN.pairs } {
            const $k: usize = $literal;
            $body
        })*
    };
}

/// Evaluates the body for each unpaired element, `$k` a constant.
macro_rules! singles {
    ($f:ty, $w:ident, |$k:ident| $body:block) => {
        singles!(@ $f, $w, $k, $body, 0 1 2 3 4 5 6 7)
    };
    (@ $f:ty, $w:ident, $k:ident, $body:block, $($literal:literal)*) => {
        const { assert!(PlanOf::<$f, $w>::PLAN.singles <= 8) };
        $(if const { $literal < PlanOf::<$f, $w>::PLAN.singles } {
            const $k: usize = $literal;
            $body
        })*
    };
}

/// What every element gets added.
#[derive(Clone, Copy)]
struct Sum {
    plain: V,
    /// With `10 p` added.
    lifted: V,
}

/// `x` times the square of pair `K`'s entry, or the entry of single `K`, up to a multiple of `p`,
/// plus the sum.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn apply<F: Poseidon2Field<W>, const W: usize, const PAIR: bool, const K: usize>(
    x: V,
    sum: Sum,
) -> V {
    let p = F::ORDER_U64;
    match const { PlanOf::<F, W>::step(PAIR, K) } {
        Step::Times(1) => add(x, sum.plain),
        Step::Times(d) => _mm512_madd52lo_epu64(sum.plain, x, splat(u64::from(d))),
        Step::Inv(k) => {
            let high = _mm512_srlv_epi64(x, splat(u64::from(k)));
            let low = _mm512_andnot_si512(x, splat((1 << k) - 1));
            _mm512_madd52lo_epu64(add(high, sum.plain), low, splat((p - 1) >> k))
        }
        Step::NegInv(k) => {
            let high = _mm512_srlv_epi64(x, splat(u64::from(k)));
            let low = _mm512_and_si512(x, splat((1 << k) - 1));
            _mm512_madd52lo_epu64(sub(sum.lifted, high), low, splat((p - 1) >> k))
        }
        Step::Reduced(d) => {
            let factor = ((u128::from(d) << 52) % u128::from(p)) as u64;
            let quotient = factor.wrapping_mul(neg_inverse(p)) & ((1 << 52) - 1);
            mul_from::<F, W>(sum.plain, x, splat(factor), splat(quotient))
        }
    }
}

/// Everything of a round but the S-box, whose output is `power`: returns the new sum of the tail.
///
/// `ODD` is whether the pairs' places are swapped before the round.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn linear<F: Poseidon2Field<W>, const W: usize, const ODD: bool, const SETTLE: bool>(
    s: &mut [V; W],
    tail: V,
    power: V,
    next: u64,
) -> V {
    // sum - 2 y = tail - y, kept non-negative.
    s[0] = sub(add(tail, splat(4 * F::ORDER_U64 + next)), power);
    let plain = add(reduce::<F, W>(tail), power);
    let sum = Sum {
        plain,
        lifted: add(plain, splat(10 * F::ORDER_U64)),
    };
    let mut total = _mm512_setzero_si512();
    pairs!(F, W, |K| {
        let pair = const { PlanOf::<F, W>::PLAN.pair[K] };
        let at = if ODD { pair.plus } else { pair.minus };
        let mut x = apply::<F, W, true, K>(s[at], sum);
        if SETTLE && matches!(pair.square, Step::Times(_)) {
            x = reduce::<F, W>(x);
        }
        s[at] = x;
        total = if K == 0 { x } else { add(total, x) };
    });
    let mut total = add(total, total);
    singles!(F, W, |K| {
        let (at, step) = const { PlanOf::<F, W>::PLAN.single[K] };
        let mut x = apply::<F, W, false, K>(s[at], sum);
        if SETTLE && ODD && matches!(step, Step::Times(2)) {
            x = reduce::<F, W>(x);
        }
        s[at] = x;
        total = add(total, x);
    });
    total
}

/// All internal rounds of `G` groups, from the scale of the initial rounds to that of the terminal
/// ones; `sums` are the column sums that the initial rounds leave out.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn internal_rounds<F: Poseidon2Field<W>, const W: usize, const G: usize>(
    c: &ScaledConstants<W>,
    state: &mut [[V; W]; G],
    sums: &[[V; 4]; G],
) {
    // A multiple of p above every element after an external round.
    let lift = splat(F::ORDER_U64 << 13);
    let mut tails = [_mm512_setzero_si512(); G];
    for ((s, tail), sums) in state.iter_mut().zip(&mut tails).zip(sums) {
        s[0] = rescale::<F, W>(add(s[0], sums[0]), &c.enter_first);
        pairs!(F, W, |K| {
            let pair = const { PlanOf::<F, W>::PLAN.pair[K] };
            let a = add(s[pair.plus], sums[pair.plus % 4]);
            let b = add(s[pair.minus], sums[pair.minus % 4]);
            s[pair.plus] = rescale::<F, W>(add(a, b), &c.enter_sum);
            s[pair.minus] = rescale::<F, W>(add(a, sub(lift, b)), &c.enter_difference[K]);
            *tail = add(*tail, s[pair.plus]);
        });
        *tail = add(*tail, *tail);
        singles!(F, W, |K| {
            let (at, _) = const { PlanOf::<F, W>::PLAN.single[K] };
            s[at] = rescale::<F, W>(add(s[at], sums[at % 4]), &c.enter_single);
            *tail = add(*tail, s[at]);
        });
    }
    // In program order, each group's S-box comes just before the other group's linear layer, which
    // fills the gaps in its long chain.
    let rounds = c.internal.len();
    let mut power = sbox_internal::<F, W>(state[0][0]);
    for (r, &next) in c.internal.iter().enumerate() {
        for g in 0..G {
            let mut ahead = power;
            if G > 1 && (g + 1 < G || r + 1 < rounds) {
                ahead = sbox_internal::<F, W>(state[(g + 1) % G][0]);
            }
            let (s, tail) = (&mut state[g], &mut tails[g]);
            *tail = match r % 4 {
                0 => linear::<F, W, false, false>(s, *tail, power, next),
                1 => linear::<F, W, true, false>(s, *tail, power, next),
                2 => linear::<F, W, false, true>(s, *tail, power, next),
                _ => linear::<F, W, true, true>(s, *tail, power, next),
            };
            power = ahead;
            if G == 1 && r + 1 < rounds {
                power = sbox_internal::<F, W>(state[0][0]);
            }
        }
    }
    let odd = c.internal.len() % 2 == 1;
    let lift = splat(4 * F::ORDER_U64);
    for s in state.iter_mut() {
        pairs!(F, W, |K| {
            let pair = const { PlanOf::<F, W>::PLAN.pair[K] };
            let (mut u, mut older) = (s[pair.plus], s[pair.minus]);
            if odd {
                core::mem::swap(&mut u, &mut older);
            }
            let v = rescale::<F, W>(older, &c.leave[K]);
            s[pair.plus] = add(u, v);
            s[pair.minus] = add(u, sub(lift, v));
        });
    }
}
