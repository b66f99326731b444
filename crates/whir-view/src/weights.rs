//! The weight of every claim at the point that the sumcheck challenges make up.
//!
//! `challenges` lie with the coordinate of the highest index bit first in all of this module.

use alloc::vec::Vec;

use crate::ext::{self, Extension};
use crate::field::mul;
use crate::key::Key;
use crate::statement::Statement;

/// The claims about the first commitment, as far as the statement does not hold them.
#[derive(Clone, Debug)]
pub struct Claims<const D: usize> {
    /// Claim `i` has the weight `alpha^i`.
    pub alpha: [u32; D],
    /// `y` of each out-of-domain point `(y^(2^(n-1)), ..., y^2, y)`.
    pub ood_points: Vec<[u32; D]>,
    /// Likewise of each opening, when points are drawn.
    pub drawn_points: Vec<[u32; D]>,
}

/// The claims that one round adds.
#[derive(Clone, Debug)]
pub struct RoundClaims<const D: usize> {
    /// Fresh claim `i` has the weight `gamma^(i+1)`: the samples first, then the queries.
    pub gamma: [u32; D],
    /// Variables of the polynomial they are about.
    pub variables: usize,
    /// The out-of-domain samples.
    pub ood_points: Vec<[u32; D]>,
    /// The queried elements of the folded domain.
    pub queries: Vec<u32>,
}

/// Variables evaluated together: their factors become a polynomial of `2^GROUP` coefficients.
const GROUP: usize = 3;

/// The coordinates of a polynomial in the last `variables` variables: challenges are drawn for the
/// first bound variable first, and a suffix order binds the lowest index bit first.
#[must_use]
pub fn local<'c, T>(key: &Key<'_>, challenges: &'c [T], variables: usize) -> Option<&'c [T]> {
    if key.numbers.prefix_order {
        challenges.get(challenges.len().checked_sub(variables)?..)
    } else {
        challenges.get(..variables)
    }
}

/// A factor of the equality polynomial: `p r + (1 - p)(1 - r) = 1 - p - r + 2 p r`.
fn eq_factor<M: Extension<D>, const D: usize>(p: &[u32; D], r: &[u32; D]) -> [u32; D] {
    let product = ext::times::<M, D>(p, r);
    let both = ext::plus::<M, D>(&product, &product);
    let sum = ext::minus::<M, D>(&ext::minus::<M, D>(&both, p), r);
    ext::plus::<M, D>(&sum, &ext::one::<M, D>())
}

/// `eq((y^(2^(n-1)), ..., y^2, y), r)`.
fn eq_powers<M: Extension<D>, const D: usize>(y: &[u32; D], r: &[[u32; D]]) -> [u32; D] {
    let mut power = *y;
    let mut product = ext::one::<M, D>();
    for coordinate in r.iter().rev() {
        product = ext::times::<M, D>(&product, &eq_factor::<M, D>(&power, coordinate));
        power = ext::square::<M, D>(&power);
    }
    product
}

/// The batched weight of the claims about the first commitment. `None` when there are fewer
/// challenges than variables.
#[must_use]
pub fn initial<M: Extension<D>, const D: usize>(
    key: &Key<'_>,
    statement: &Statement<'_>,
    claims: &Claims<D>,
    challenges: &[[u32; D]],
) -> Option<[u32; D]> {
    let variables = key.numbers.column_variables;
    let selector_bits = key.numbers.variables.checked_sub(variables)?;
    if challenges.len() != key.numbers.variables {
        return None;
    }
    // Columns lie one after another, so the selector is the highest index bits; a prefix order
    // moves it, reversed, behind the column's own variables.
    let mut selectors = Vec::new();
    let column_point = if key.numbers.prefix_order {
        let (point, selector) = challenges.split_at(variables);
        ext::eq_weights::<M, D>(&mut selectors, selector.iter().rev());
        point
    } else {
        let (selector, point) = challenges.split_at(selector_bits);
        ext::eq_weights::<M, D>(&mut selectors, selector.iter());
        point
    };
    let mut power = ext::one::<M, D>();
    let mut total = ext::zero();
    let mut drawn = claims.drawn_points.iter();
    for opening in statement.openings::<M>() {
        let weight = match drawn.next() {
            Some(y) => eq_powers::<M, D>(y, column_point),
            None => {
                let factors = opening.point::<M, D>().zip(column_point);
                factors.fold(ext::one::<M, D>(), |product, (p, r)| {
                    ext::times::<M, D>(&product, &eq_factor::<M, D>(&p, r))
                })
            }
        };
        let mut columns = ext::zero();
        for column in opening.columns() {
            let term = ext::times::<M, D>(selectors.get(column)?, &power);
            columns = ext::plus::<M, D>(&columns, &term);
            power = ext::times::<M, D>(&power, &claims.alpha);
        }
        total = ext::plus::<M, D>(&total, &ext::times::<M, D>(&columns, &weight));
    }
    for y in &claims.ood_points {
        let weight = eq_powers::<M, D>(y, challenges);
        total = ext::plus::<M, D>(&total, &ext::times::<M, D>(&weight, &power));
        power = ext::times::<M, D>(&power, &claims.alpha);
    }
    Some(total)
}

impl<const D: usize> RoundClaims<D> {
    /// The batched weight of the round's claims. `None` when there are fewer challenges than
    /// variables.
    #[must_use]
    pub fn weight<M: Extension<D>>(
        &self,
        key: &Key<'_>,
        challenges: &[[u32; D]],
    ) -> Option<[u32; D]> {
        let point = local(key, challenges, self.variables)?;
        let groups = select_groups::<M, D>(point);
        let mut sum = ext::zero();
        for &query in self.queries.iter().rev() {
            let weight = select::<M, D>(&groups, query);
            sum = ext::times::<M, D>(&ext::plus::<M, D>(&sum, &weight), &self.gamma);
        }
        for y in self.ood_points.iter().rev() {
            let weight = eq_powers::<M, D>(y, point);
            sum = ext::times::<M, D>(&ext::plus::<M, D>(&sum, &weight), &self.gamma);
        }
        Some(sum)
    }
}

/// The factors `1 - r_j + r_j z^(2^j)` of the selection polynomial, a group of them multiplied
/// out: the coefficients of each group as a polynomial in `z^(2^(GROUP g))`, lowest group first.
fn select_groups<M: Extension<D>, const D: usize>(point: &[[u32; D]]) -> Vec<Vec<[u32; D]>> {
    let groups = point.rchunks(GROUP).map(|coordinates| {
        let mut coefficients = Vec::with_capacity(1 << GROUP);
        ext::eq_weights::<M, D>(&mut coefficients, coordinates.iter());
        coefficients
    });
    groups.collect()
}

/// The selection polynomial at `z`: multilinear evaluation in the powers of a base-field element.
fn select<M: Extension<D>, const D: usize>(groups: &[Vec<[u32; D]>], z: u32) -> [u32; D] {
    let mut product: Option<[u32; D]> = None;
    let mut base = z;
    for group in groups {
        let mut powers = [M::ONE; 1 << GROUP];
        let mut power = M::ONE;
        for slot in &mut powers {
            *slot = power;
            power = mul::<M>(power, base);
        }
        base = power;
        let factor = ext::dot_base::<M, D>(&powers, group);
        product = Some(match product {
            Some(product) => ext::times::<M, D>(&product, &factor),
            None => factor,
        });
    }
    product.unwrap_or(ext::one::<M, D>())
}
