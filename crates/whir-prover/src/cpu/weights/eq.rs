//! Equality weights.

use p3_field::{ExtensionField, Field, PackedValue};

use super::super::eval::eq_table;
use super::super::planes::{Planes, add_mixed_dots, mul_matrix};
use super::super::sumcheck::load;

/// Equality weights of several points by blocks of `2^log_block` consecutive indices:
/// `sum_p c_p eq(z_p, x) = sum_p high_p[x >> log_block] low_p[x mod 2^log_block]`.
pub(super) struct EqRows<F, EF, const D: usize> {
    /// Multiplied by the points' coefficients.
    high: Vec<Vec<EF>>,
    low: Vec<Planes<F>>,
}

impl<F: Field, EF: ExtensionField<F>, const D: usize> EqRows<F, EF, D> {
    pub(super) fn new(points: &[(&[EF], EF)], log_block: usize) -> Self {
        let (high, low) = points
            .iter()
            .map(|&(point, scale)| {
                let (high, low) = point.split_at(point.len() - log_block);
                (
                    eq_table(high, scale),
                    Planes::from_ext(&eq_table(low, EF::ONE)),
                )
            })
            .unzip();
        Self { high, low }
    }

    /// Adds the weights of block `block` to its values.
    pub(super) fn add(&self, block: usize, values: &mut [&mut [F]; D]) {
        for (high, low) in self.high.chunks(2).zip(self.low.chunks(2)) {
            let matrices = [0, high.len() - 1].map(|p| mul_matrix::<F, EF, D>(high[p][block]));
            let tables = [0, low.len() - 1].map(|p| low[p].cols::<D>().map(F::Packing::pack_slice));
            // The rows of both matrices side by side, as the terms of one dot product.
            let rows: [[F; 10]; D] = std::array::from_fn(|k| {
                std::array::from_fn(|i| {
                    if i < 2 * D {
                        matrices[i / D][k][i % D]
                    } else {
                        F::ZERO
                    }
                })
            });
            let values = values.each_mut().map(|col| F::Packing::pack_slice_mut(col));
            let rows = rows.each_ref().map(|row| &row[..]);
            for v in 0..values[0].len() {
                let first: [F::Packing; D] = load(&tables[0], v);
                let mut sums: [F::Packing; D] = std::array::from_fn(|k| values[k][v]);
                if high.len() == 1 {
                    add_mixed_dots(D, &mut sums, &first, rows);
                } else {
                    let second: [F::Packing; D] = load(&tables[1], v);
                    let both: [F::Packing; 10] = std::array::from_fn(|i| {
                        if i < D {
                            first[i]
                        } else {
                            second[(i - D).min(D - 1)]
                        }
                    });
                    add_mixed_dots(2 * D, &mut sums, &both, rows);
                }
                for k in 0..D {
                    values[k][v] = sums[k];
                }
            }
        }
    }
}

/// The formula, for short tables.
pub(super) fn add_scalar<F: Field, EF: ExtensionField<F>>(
    w: &mut Planes<F>,
    points: &[(&[EF], EF)],
) {
    for &(point, scale) in points {
        for (b, weight) in eq_table(point, scale).into_iter().enumerate() {
            w.set(b, w.get::<EF>(b) + weight);
        }
    }
}
