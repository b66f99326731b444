//! Opened rows, reduced to one value a query.
//!
//! For a query point `x` and each pair of a tree's columns `p_i` with an opening point `z`, FRI
//! tests `sum_i alpha^(k + i) (p_i(z) - p_i(x)) / (z - x)`, where `k` counts the pairs before, in
//! the order trace, quotient, preprocessed, and for each of them zeta, then the next point.

use alloc::vec::Vec;

use crate::constraints::{generator, shift};
use crate::error::Rejection;
use crate::field::{
    EXT_ONE, EXT_ZERO, Ext, Factor, ONE, add, conjugates, dot, ext_add, ext_mul, ext_scale,
    ext_sub, invert_all, mul, products,
};
use crate::params::Shape;
use crate::tape::{Opened, Rows};

/// A query after its rows were reduced: where it stands in the domain, and what it folds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// Index in the domain, in bit-reversed order.
    pub(crate) index: usize,
    /// The inverse of the point of the subgroup with that index.
    pub(crate) inverse: u32,
    /// The value.
    pub(crate) value: Ext,
}

/// Powers of a generator of order `2^log` by exponent, from tables of sixteen powers each.
struct Powers {
    log: u32,
    tables: Vec<[u32; 16]>,
}

impl Powers {
    fn new(log: u32) -> Self {
        let mut tables = Vec::new();
        let mut base = generator(log);
        for _ in 0..log.div_ceil(4) {
            let mut power = ONE;
            tables.push(core::array::from_fn(|_| {
                let this = power;
                power = mul(power, base);
                this
            }));
            base = power;
        }
        Self { log, tables }
    }

    /// `g^exponent`.
    fn get(&self, exponent: u32) -> u32 {
        let mut power = ONE;
        let mut rest = exponent;
        for table in &self.tables {
            let digit = usize::try_from(rest & 15).unwrap_or(0);
            power = mul(power, table.get(digit).copied().unwrap_or(ONE));
            rest >>= 4;
        }
        power
    }

    /// The point with an index in bit-reversed order, and its inverse.
    fn point(&self, index: usize) -> (u32, u32) {
        let exponent = u32::try_from(index)
            .unwrap_or(0)
            .reverse_bits()
            .unbounded_shr(u32::BITS.wrapping_sub(self.log));
        // Exponents are taken modulo the order.
        (self.get(exponent), self.get(exponent.wrapping_neg()))
    }
}

/// `1 / (z - x)` for many base elements `x`. With `c` the monic polynomial of the conjugates of
/// `z`, `c(X) = (X - z) q(X)` for a cubic `q`, so that the fraction is `-q(x) / c(x)` with a
/// denominator in the base field.
struct Denominator {
    /// Coefficients of `1, X, X^2, X^3` of `c`.
    c: [u32; 4],
    /// Coefficients of `1, X, X^2` of `q`.
    q: [Ext; 3],
}

impl Denominator {
    fn new(z: &Ext) -> Self {
        let c = conjugates(z);
        let [_, c1, c2, c3] = c;
        let times_z = Factor::new(z);
        let plus = |a: &Ext, c: u32| ext_add(a, &[c, 0, 0, 0]);
        let q2 = plus(z, c3);
        let q1 = plus(&times_z.times(&q2), c2);
        let q0 = plus(&times_z.times(&q1), c1);
        Self { c, q: [q0, q1, q2] }
    }

    /// `c(x)`, zero only where `x` is `z`.
    fn norm(&self, x: u32) -> u32 {
        let [c0, c1, c2, c3] = self.c;
        let horner = |sum: u32, c: u32| add(mul(sum, x), c);
        [c2, c1, c0].into_iter().fold(add(x, c3), horner)
    }

    /// `q(x)`.
    fn cofactor(&self, x: u32) -> Ext {
        let [q0, q1, q2] = &self.q;
        let x2 = mul(x, x);
        let [a, b, c, d] = products(&[*q1, *q2], &[x, x2]);
        ext_add(q0, &[add(a, mul(x2, x)), b, c, d])
    }
}

/// Columns of one tree that are opened at one point, by the powers of the batching challenge.
struct Group<'a> {
    powers: &'a [Ext],
    rows: &'a [u32],
    width: usize,
}

/// What is opened at one point.
struct OpeningPoint<'a> {
    denominator: Denominator,
    /// `sum_i alpha^(k + i) p_i(z)` over all columns.
    claimed: Ext,
    groups: Vec<Group<'a>>,
}

impl OpeningPoint<'_> {
    /// `sum_i alpha^(k + i) p_i(x)` for a query.
    fn opened(&self, query: usize) -> Ext {
        let mut sum = EXT_ZERO;
        for group in &self.groups {
            let start = query.saturating_mul(group.width);
            let row = group
                .rows
                .get(start..start.saturating_add(group.width))
                .unwrap_or_default();
            sum = ext_add(&sum, &dot(group.powers, row));
        }
        sum
    }
}

/// `sum_i powers_i values_i`.
fn claimed(powers: &[Ext], values: &[Ext]) -> Ext {
    powers
        .iter()
        .zip(values)
        .fold(EXT_ZERO, |sum, (power, value)| {
            ext_add(&sum, &ext_mul(power, value))
        })
}

/// The opening points, zeta first, then the next point if it is read.
fn opening_points<'a>(
    shape: &Shape,
    opened: &Opened<'_>,
    rows: &Rows<'a>,
    powers: &'a [Ext],
    zeta: &Ext,
) -> Vec<OpeningPoint<'a>> {
    let next_point = ext_scale(zeta, generator(shape.params.air.degree_bits));
    let mut points = [*zeta, next_point].map(|z| OpeningPoint {
        denominator: Denominator::new(&z),
        claimed: EXT_ZERO,
        groups: Vec::new(),
    });
    let order = [
        (0, opened.local, rows.trace, shape.width),
        (1, opened.next, rows.trace, shape.width),
        (0, opened.quotient, rows.quotient, shape.quotient_width()),
        (
            0,
            opened.preprocessed_local,
            rows.preprocessed,
            shape.preprocessed_width,
        ),
        (
            1,
            opened.preprocessed_next,
            rows.preprocessed,
            shape.preprocessed_width,
        ),
    ];
    let mut rest = powers;
    for (which, values, rows, width) in order {
        let (powers, after) = rest.split_at(values.len().min(rest.len()));
        rest = after;
        if let (Some(point), false) = (points.get_mut(which), values.is_empty()) {
            point.claimed = ext_add(&point.claimed, &claimed(powers, values));
            point.groups.push(Group {
                powers,
                rows,
                width,
            });
        }
    }
    points
        .into_iter()
        .filter(|point| !point.groups.is_empty())
        .collect()
}

/// Powers of the batching challenge, one a pair of column and opening point.
pub(crate) fn powers(alpha: &Ext, count: usize) -> Vec<Ext> {
    let times_alpha = Factor::new(alpha);
    let mut powers = Vec::with_capacity(count);
    let mut power = EXT_ONE;
    for _ in 0..count {
        powers.push(power);
        power = times_alpha.times(&power);
    }
    powers
}

/// Reduces the opened rows of `queries`, pairs of an index and the query it is opened by.
///
/// # Errors
///
/// [`Rejection::QueryIsPoint`].
pub(crate) fn reduce(
    shape: &Shape,
    opened: &Opened<'_>,
    rows: &Rows<'_>,
    powers: &[Ext],
    zeta: &Ext,
    queries: &[(usize, usize)],
) -> Result<Vec<Point>, Rejection> {
    let points = opening_points(shape, opened, rows, powers, zeta);
    let domain = Powers::new(shape.log_domain);
    let coset = shift();
    let mut places = Vec::with_capacity(queries.len());
    let mut norms = Vec::with_capacity(queries.len().saturating_mul(points.len()));
    for &(index, _) in queries {
        let (root, inverse) = domain.point(index);
        let x = mul(coset, root);
        norms.extend(points.iter().map(|point| point.denominator.norm(x)));
        places.push((x, inverse));
    }
    let mut scratch = Vec::with_capacity(norms.len());
    if !invert_all(&mut norms, &mut scratch) {
        return Err(Rejection::QueryIsPoint);
    }
    let mut norms = norms.iter();
    let mut out = Vec::with_capacity(queries.len());
    for (&(index, query), &(x, inverse)) in queries.iter().zip(&places) {
        let mut value = EXT_ZERO;
        for (point, &norm) in points.iter().zip(norms.by_ref()) {
            let difference = ext_sub(&point.opened(query), &point.claimed);
            let cofactor = ext_scale(&point.denominator.cofactor(x), norm);
            value = ext_add(&value, &ext_mul(&difference, &cofactor));
        }
        out.push(Point {
            index,
            inverse,
            value,
        });
    }
    Ok(out)
}
