//! FRI's folding, for all queries at once.
//!
//! A round partitions the domain into groups of `2^a` neighbours in bit-reversed order, the points
//! whose `2^a`-th powers are equal. The values of a word on a group interpolate to a polynomial of
//! degree below `2^a`; its value at the round's challenge is the next word's value at that power.
//! Queries that meet in a group go on as one.

use alloc::vec::Vec;

use crate::constraints::generator;
use crate::error::Rejection;
use crate::field::{
    EXT_ZERO, Ext, Factor, ONE, ext_add, ext_halve, ext_mul, ext_scale, ext_sub, inverse, mul,
};
use crate::openings::Point;
use crate::params::Round;

/// Groups that the queries of one round fall into, by ascending index, with all their values.
#[derive(Debug)]
pub(crate) struct Groups {
    pub(crate) indices: Vec<usize>,
    /// `2^a` values a group.
    pub(crate) values: Vec<Ext>,
}

/// The points that the queries have reached, by ascending index, and which of them each query
/// reached, in the order of the points.
#[derive(Debug)]
pub(crate) struct Folding {
    pub(crate) points: Vec<Point>,
    /// Pairs of a query and the place in `points`.
    pub(crate) queries: Vec<(usize, usize)>,
}

impl Folding {
    /// Folds one round. `rest` are the groups' other values, `2^a - 1` for each query in the order
    /// in which they were drawn; `challenge` is the round's.
    ///
    /// # Errors
    ///
    /// [`Rejection::RowsDiffer`] if queries of one group state different values.
    pub(crate) fn fold(
        &mut self,
        round: &Round,
        challenge: &Ext,
        rest: &[Ext],
        tree: usize,
    ) -> Result<Groups, Rejection> {
        // The parameters allow these four arities.
        let fold = match round.log_arity {
            1 => Self::fold_by::<2>,
            2 => Self::fold_by::<4>,
            3 => Self::fold_by::<8>,
            _ => Self::fold_by::<16>,
        };
        fold(self, round.log_arity, challenge, rest, tree)
    }

    fn fold_by<const ARITY: usize>(
        &mut self,
        log_arity: u32,
        challenge: &Ext,
        rest: &[Ext],
        tree: usize,
    ) -> Result<Groups, Rejection> {
        let folder = Folder::<ARITY>::new(log_arity, challenge);
        let mut groups = Groups {
            indices: Vec::with_capacity(self.points.len()),
            values: Vec::with_capacity(self.points.len().saturating_mul(ARITY)),
        };
        let mut folded: Vec<Point> = Vec::with_capacity(self.points.len());
        for (query, place) in &mut self.queries {
            let start = query.saturating_mul(ARITY.wrapping_sub(1));
            let Some((point, others)) = self.points.get(*place).zip(rest.get(start..)) else {
                continue;
            };
            let index = point.index.unbounded_shr(log_arity);
            let values = group::<ARITY>(point, others);
            if groups.indices.last() == Some(&index) {
                if groups.values.last_chunk() != Some(&values) {
                    return Err(Rejection::RowsDiffer { tree });
                }
            } else {
                groups.indices.push(index);
                groups.values.extend_from_slice(&values);
                folded.push(folder.fold(index, point, values));
            }
            *place = folded.len().saturating_sub(1);
        }
        self.points = folded;
        Ok(groups)
    }

    /// Checks that every query has reached the value of the final polynomial at its point.
    ///
    /// # Errors
    ///
    /// [`Rejection::FinalPolynomial`].
    pub(crate) fn finish(&self, final_poly: &[Ext]) -> Result<(), Rejection> {
        for point in &self.points {
            let value = if let [constant] = final_poly {
                *constant
            } else {
                let x = inverse(point.inverse);
                let horner = |sum: Ext, c: &Ext| ext_add(&ext_scale(&sum, x), c);
                final_poly.iter().rev().fold(EXT_ZERO, horner)
            };
            if value != point.value {
                return Err(Rejection::FinalPolynomial);
            }
        }
        Ok(())
    }
}

/// The place of a point in its group of `ARITY`.
#[inline]
fn place<const ARITY: usize>(point: &Point) -> usize {
    point.index & ARITY.wrapping_sub(1)
}

/// The values of a point's group: its own in its place, `others` around it.
#[inline]
fn group<const ARITY: usize>(point: &Point, others: &[Ext]) -> [Ext; ARITY] {
    let own = place::<ARITY>(point);
    let mut others = others.iter();
    core::array::from_fn(|place| {
        if place == own {
            point.value
        } else {
            others.next().copied().unwrap_or(EXT_ZERO)
        }
    })
}

/// What folding the groups of one round needs.
struct Folder<const ARITY: usize> {
    /// The challenge of the first halving, and those of the others: its square, the square's
    /// square, ...
    first: Factor,
    others: Vec<Factor>,
    /// `w^j` for `w` of order `ARITY`, by `j` in bit-reversed order, and the inverses.
    roots: [u32; ARITY],
    inverses: [u32; ARITY],
}

/// Powers of roots of unity of order `ARITY` in bit-reversed order; `root(log)` is one of order
/// `2^log`, and the square of `root(log + 1)`. The second half of each table of `2^log` entries is
/// the first half times that root; a table starts with the tables of smaller orders.
fn reversed_powers<const ARITY: usize>(log_arity: u32, root: impl Fn(u32) -> u32) -> [u32; ARITY] {
    let mut table = [ONE; ARITY];
    let mut filled = 1usize;
    for log in 1..=log_arity {
        let step = root(log);
        let (known, new) = table.split_at_mut(filled.min(ARITY));
        for (new, known) in new.iter_mut().zip(known.iter()) {
            *new = mul(*known, step);
        }
        filled = filled.saturating_mul(2);
    }
    table
}

impl<const ARITY: usize> Folder<ARITY> {
    fn new(log_arity: u32, challenge: &Ext) -> Self {
        let mut power = *challenge;
        let mut others = Vec::new();
        for _ in 1..log_arity {
            power = ext_mul(&power, &power);
            others.push(Factor::new(&power));
        }
        Self {
            first: Factor::new(challenge),
            others,
            roots: reversed_powers(log_arity, generator),
            inverses: reversed_powers(log_arity, |log| inverse(generator(log))),
        }
    }

    /// Folds a group to the point that its members share.
    #[inline]
    fn fold(&self, index: usize, point: &Point, mut values: [Ext; ARITY]) -> Point {
        let own = self.roots.get(place::<ARITY>(point)).copied();
        // The point is its group's first times this root.
        let mut start = mul(point.inverse, own.unwrap_or(ONE));
        let mut pairs = ARITY >> 1;
        self.halve(&mut values, pairs, start, &self.first);
        start = mul(start, start);
        for challenge in &self.others {
            pairs >>= 1;
            self.halve(&mut values, pairs, start, challenge);
            start = mul(start, start);
        }
        Point {
            index,
            // All points of a group have this power.
            inverse: start,
            value: values.first().copied().unwrap_or(EXT_ZERO),
        }
    }

    /// One halving: the values at `x` and `-x` become `(f(x) + f(-x)) / 2 + challenge (f(x) -
    /// f(-x)) / (2 x)` at `x^2`, for pairs whose first `1 / x` is `start`.
    #[inline(always)]
    fn halve(&self, values: &mut [Ext; ARITY], pairs: usize, start: u32, challenge: &Factor) {
        for pair in 0..pairs {
            let place = pair.wrapping_mul(2);
            let (Some(&[low, high]), Some(&root)) = (
                values.get(place..).and_then(<[Ext]>::first_chunk),
                self.inverses.get(place),
            ) else {
                continue;
            };
            let odd = ext_scale(&ext_sub(&low, &high), mul(start, root));
            let sum = ext_add(&ext_add(&low, &high), &challenge.times(&odd));
            if let Some(to) = values.get_mut(pair) {
                *to = ext_halve(&sum);
            }
        }
    }
}
