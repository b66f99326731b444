//! Sumcheck weights of batched constraints, added in place.

mod eq;
mod select;

use p3_field::{ExtensionField, TwoAdicField};

use super::planes::{Planes, by_degree};
use eq::EqRows;
use select::{Plan, Table};

/// Select constraints at powers of one root of unity: term `(i, c)` adds `c * g^(i b)` to weight
/// `b`, where `g` is the field's generator of the subgroup of order `2^log_order`
/// (`TwoAdicField::two_adic_generator`).
#[derive(Clone, Copy, Debug)]
pub struct Select<'a, EF> {
    /// Base-two logarithm of the order of the root of unity.
    pub log_order: usize,
    /// Exponents below `2^log_order`, in any order and with repetitions, and their coefficients.
    pub terms: &'a [(usize, EF)],
}

/// Adds the weights of equality and select constraints to a table of `2^n` values:
/// `w[b] += sum_(z, c) c * eq(z, b) + sum_(i, c) c * g^(i b)`, where `z[0]` belongs to the highest
/// bit of `b`.
///
/// A weight is read and written once for all constraints.
///
/// # Panics
/// If the table does not belong to `EF`, a point has another arity than the table, an exponent is
/// out of range, or `log_order` exceeds the field's two-adicity.
pub fn add_constraints<F: TwoAdicField, EF: ExtensionField<F>>(
    w: &mut Planes<F>,
    eq: &[(&[EF], EF)],
    select: Select<'_, EF>,
) {
    assert_eq!(
        w.degree(),
        EF::DIMENSION,
        "the table belongs to another extension"
    );
    assert!(
        eq.iter().all(|(point, _)| point.len() == w.log_len()),
        "a point has another arity than the table"
    );
    let plan = Plan::choose::<F>(w.log_len(), select.log_order, select.terms.len());
    add_planned(w, eq, select, plan);
}

fn add_planned<F: TwoAdicField, EF: ExtensionField<F>>(
    w: &mut Planes<F>,
    eq: &[(&[EF], EF)],
    select: Select<'_, EF>,
    plan: Option<Plan>,
) {
    let order = 1usize << select.log_order;
    assert!(
        select.terms.iter().all(|&(i, _)| i < order),
        "an exponent is out of range"
    );
    let Some(plan) = plan else {
        eq::add_scalar(w, eq);
        select::add_scalar(w, select);
        return;
    };
    by_degree!(EF::DIMENSION, D => {
        let rows = EqRows::<F, EF, D>::new(eq, plan.log_block());
        let table = Table::<F, EF>::new(plan, select);
        table.for_each_block::<D>(w, |first, blocks| rows.add(first, blocks));
    });
}

/// Adds equality weights alone: `w[b] += sum_(z, c) c * eq(z, b)`.
///
/// # Panics
/// As [`add_constraints`].
pub fn add_eq<F: TwoAdicField, EF: ExtensionField<F>>(w: &mut Planes<F>, eq: &[(&[EF], EF)]) {
    add_constraints(
        w,
        eq,
        Select {
            log_order: w.log_len().min(F::TWO_ADICITY),
            terms: &[],
        },
    );
}

#[cfg(test)]
mod tests;
