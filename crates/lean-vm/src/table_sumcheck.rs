//! The table sumcheck: what the bus leaves owe, and the tables' constraints, as one claim a column.
//!
//! Summed over the rows `x` of every table, `eq(zeta, x) F(x)` must be what the leaves owe, for the
//! three forms `F` of push, pull and counters; and the constraints must vanish. A table with fewer
//! variables than the highest waits: its summand is lifted by the product of the variables above its
//! own, and variables are bound from the highest.

use alloc::vec::Vec;

use prova_binary_pcs::field::{E, PrimeCharacteristicRing};
use prova_binary_pcs::poly::eq1;
use prova_binary_pcs::stream::Channel;
use prova_binary_pcs::transcript::Transcript;

use crate::bus::{Fingerprint, Selectors};
use crate::error::{Outcome, Rejection, reject};
use crate::layout::Layout;
use crate::rows::Row;
use crate::tables::{Columns, TABLES, Table};

/// Where the sumcheck ends: claims about all columns of all tables.
#[derive(Clone, Debug)]
pub struct TableClaims {
    /// One coordinate a variable of the highest table, lowest first; a table's columns are claimed
    /// at as many of them as it has variables.
    pub point: Vec<E>,
    /// Values of the columns, table by table.
    pub columns: Vec<Columns>,
}

/// Verifies the sumcheck for what the tables `owed`, under the selectors at the leaves' point
/// `zeta`.
///
/// # Errors
/// Too few scalars; [`Rejection::Tables`].
pub fn verify<T: Transcript>(
    channel: &mut Channel<'_, T>,
    layout: &Layout,
    fingerprint: &Fingerprint,
    selectors: &Selectors,
    zeta: &[E],
    owed: &[E; 3],
) -> Outcome<TableClaims> {
    let batching = Batching::new(channel.sample());
    let claim = batching.forms(owed);
    let rounds = bind(channel, layout, zeta, claim)?;

    let mut columns = Vec::with_capacity(TABLES);
    let mut sum = E::ZERO;
    let blocks = selectors.flushes.iter().zip(&selectors.counters);
    let tables = Table::ALL.into_iter().zip(rounds.weights).zip(blocks);
    for ((table, weight), (flushes, counters)) in tables {
        let values = Columns::read(table, channel)?;
        let row = values.row();
        let forms = forms(&row, fingerprint, flushes, counters);
        sum += weight * (batching.forms(&forms) + batching.constraints(&row));
        columns.push(values);
    }
    if sum != rounds.claim {
        return reject(Rejection::Tables);
    }
    Ok(TableClaims {
        point: rounds.point,
        columns,
    })
}

/// What the rounds end with.
struct Rounds {
    claim: E,
    point: Vec<E>,
    weights: [E; TABLES],
}

fn bind<T: Transcript>(
    channel: &mut Channel<'_, T>,
    layout: &Layout,
    zeta: &[E],
    mut claim: E,
) -> Outcome<Rounds> {
    let variables = usize::try_from(layout.sizes.most_height()).unwrap_or(usize::MAX);
    let mut point = Vec::with_capacity(zeta.len());
    let mut weights = [E::ONE; TABLES];
    let coordinates = zeta.iter().zip(0_u32..).take(variables);
    for (&coordinate, variable) in coordinates.collect::<Vec<_>>().into_iter().rev() {
        let [c0, c2, c3] = channel.read_array()?;
        let c1 = claim + c2 + c3;
        let r = channel.sample();
        claim = c0 + r * (c1 + r * (c2 + r * c3));
        point.push(r);
        for (weight, height) in weights.iter_mut().zip(layout.sizes.log_heights) {
            *weight *= if height > variable {
                eq1(coordinate, r)
            } else {
                r
            };
        }
    }
    point.reverse();
    Ok(Rounds {
        claim,
        point,
        weights,
    })
}

/// Powers of one challenge: two for the constraints, then one for each of the three forms.
struct Batching {
    constraint: E,
    forms: [E; 3],
}

impl Batching {
    fn new(challenge: E) -> Self {
        let square = challenge.square();
        Self {
            constraint: challenge,
            forms: [square, square * challenge, square.square()],
        }
    }

    fn forms(&self, forms: &[E; 3]) -> E {
        E::dot_product(&self.forms, forms)
    }

    fn constraints(&self, row: &Row) -> E {
        let [first, second] = row.constraints;
        first + self.constraint * second
    }
}

/// A row's contribution to the leaves of push, pull and counters.
fn forms(row: &Row, fingerprint: &Fingerprint, flushes: &[E], counters: &[E]) -> [E; 3] {
    let (mut push, mut pull) = (E::ZERO, E::ZERO);
    for (flush, &selector) in row.flushes().iter().zip(flushes) {
        push += selector * fingerprint.of(&flush.push);
        pull += selector * fingerprint.of(&flush.pull);
    }
    let counted = row.counters().zip(counters);
    let count = counted.map(|(counter, &selector)| selector * counter).sum();
    [push, pull, count]
}
