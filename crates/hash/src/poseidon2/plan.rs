//! How the wide-lane kernel walks the internal rounds.
//!
//! The diagonal holds most of its entries in both signs. For a pair of elements with entries `V`
//! and `-V`, and `t` the sum of the whole state, one round maps `(a, b)` to
//! `(V a + t, -V b + t)`. With `u = (a + b) / 2` and `v = (a - b) / 2` that is
//! `(u, v) -> (V v + t, V u)`, so `v` need not be computed at all:
//!
//! `u_(r+2) = V^2 u_r + t_(r+1)`, starting from `u_0` and `u_(-1) = v_0 / V`.
//!
//! A pair thus costs one multiplication and one addition a round, and adds `2 u` to the sum.

use super::params::{Diag, Poseidon2Field, two_adicity};

/// One multiplication of an internal round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// By a small integer; the value grows by as much.
    Times(u32),
    /// By `2^-k`, leaving out `1 - 2^-k`.
    Inv(u32),
    /// By `-2^-k`.
    NegInv(u32),
    /// By this residue, reduced, leaving out `1 - 2^-52`.
    Reduced(u32),
}

/// Two elements with opposite entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// Index of the element with entry `V`.
    pub(super) plus: usize,
    /// Index of the element with entry `-V`.
    pub(super) minus: usize,
    /// `V`.
    pub(super) entry: Diag,
    /// `V^2`.
    pub(super) square: Step,
}

/// The tail of the state, without element 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The paired elements: the first `pairs` entries.
    pub(super) pair: [Pair; 12],
    pub(super) pairs: usize,
    /// Index and step of the others: the first `singles` entries.
    pub(super) single: [(usize, Step); 24],
    pub(super) singles: usize,
}

const fn opposite(a: Diag, b: Diag) -> bool {
    match (a, b) {
        (Diag::Small(x), Diag::Small(y)) => x > 0 && x == -y,
        (Diag::Inv(x), Diag::NegInv(y)) => x == y,
        _ => false,
    }
}

const fn square<F: Poseidon2Field<W>, const W: usize>(entry: Diag) -> Step {
    match entry {
        Diag::Small(d) => Step::Times((d as i32 * d as i32) as u32),
        Diag::Inv(k) | Diag::NegInv(k) => {
            if 2 * k <= two_adicity::<F>() {
                Step::Inv(2 * k)
            } else {
                // 2^-k = -(p - 1) / 2^k.
                let root = (F::ORDER_U64 - 1) >> k;
                Step::Reduced((root * root % F::ORDER_U64) as u32)
            }
        }
    }
}

const fn lone(entry: Diag) -> Step {
    match entry {
        Diag::Small(d) => {
            assert!(0 < d && d <= 2, "the growth of unpaired elements");
            Step::Times(d as u32)
        }
        Diag::Inv(k) => Step::Inv(k),
        Diag::NegInv(k) => {
            assert!(
                k > 1,
                "keeps the shifted value below the multiple of p it is taken from"
            );
            Step::NegInv(k)
        }
    }
}

pub(super) const fn plan<F: Poseidon2Field<W>, const W: usize>() -> Plan {
    let none = Pair {
        plus: 0,
        minus: 0,
        entry: Diag::Small(1),
        square: Step::Times(1),
    };
    let mut plan = Plan {
        pair: [none; 12],
        pairs: 0,
        single: [(0, Step::Times(1)); 24],
        singles: 0,
    };
    let mut i = 1;
    while i < W {
        let mut matched = false;
        let mut j = 1;
        while j < W {
            if opposite(F::DIAG[i], F::DIAG[j]) {
                plan.pair[plan.pairs] = Pair {
                    plus: i,
                    minus: j,
                    entry: F::DIAG[i],
                    square: square::<F, W>(F::DIAG[i]),
                };
                plan.pairs += 1;
                matched = true;
            }
            matched |= opposite(F::DIAG[j], F::DIAG[i]);
            j += 1;
        }
        if !matched {
            plan.single[plan.singles] = (i, lone(F::DIAG[i]));
            plan.singles += 1;
        }
        i += 1;
    }
    assert!(2 * plan.pairs + plan.singles == W - 1);
    plan
}
