//! Rows without a codeword, and the row layout of prefix order.

use p3_field::{Field, PackedValue, PrimeCharacteristicRing, TwoAdicField};
use rayon::prelude::*;

use super::planes::Planes;

/// Message rows a task evaluates at all points before its result is added up.
const BLOCK_ROWS: usize = 1 << 11;

/// Rows whose products share a reduction.
const ROWS: usize = 8;

/// Evaluates codeword rows from the message: row `i` is `sum_x z^x m[x]` for `z = g^i`, `m[x]`
/// the `width` elements of message row `x`, and `g` the generator of order `2^log_rows`.
pub fn evaluate<F: TwoAdicField>(
    message: &[F],
    width: usize,
    log_rows: usize,
    indices: &[usize],
) -> Vec<Vec<F>> {
    let generator = F::two_adic_generator(log_rows);
    let lanes = F::Packing::WIDTH;
    let groups = indices.len().div_ceil(lanes);
    // One lane a queried row; the last group is filled up with index 0.
    let points: Vec<F::Packing> = (0..groups)
        .map(|group| {
            F::Packing::from_fn(|lane| {
                let index = indices.get(group * lanes + lane).copied().unwrap_or(0);
                generator.exp_u64(index as u64)
            })
        })
        .collect();
    let zero = || vec![F::Packing::ZERO; groups * width];
    let sums = message
        .par_chunks(BLOCK_ROWS * width)
        .enumerate()
        .map(|(block, rows)| {
            let mut sums = zero();
            for (group, &z) in points.iter().enumerate() {
                let sums = &mut sums[group * width..][..width];
                let mut powers: [F::Packing; ROWS] = {
                    let mut power = z.exp_u64((block * BLOCK_ROWS) as u64);
                    core::array::from_fn(|_| {
                        let current = power;
                        power *= z;
                        current
                    })
                };
                let step = z.exp_u64(ROWS as u64);
                for rows in rows.chunks(ROWS * width) {
                    for (column, sum) in sums.iter_mut().enumerate() {
                        let values = core::array::from_fn(|i| {
                            F::Packing::from(
                                rows.get(i * width + column).copied().unwrap_or(F::ZERO),
                            )
                        });
                        *sum += F::Packing::dot_product::<ROWS>(&powers, &values);
                    }
                    powers.iter_mut().for_each(|power| *power *= step);
                }
            }
            sums
        })
        .reduce(zero, |mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        });
    (0..indices.len())
        .map(|i| {
            let sums = &sums[i / lanes * width..][..width];
            sums.iter().map(|sum| sum.as_slice()[i % lanes]).collect()
        })
        .collect()
}

/// Writes a table as the rows of a prefix-order commitment: row `x` holds, for each `j < 2^fold`,
/// the coefficients of value `j * 2^(n - fold) + x`.
pub fn write_transposed<F: Field>(table: &Planes<F>, fold: usize, out: &mut [F]) {
    let degree = table.degree();
    let rows = table.len() >> fold;
    out.par_chunks_exact_mut(degree << fold)
        .enumerate()
        .for_each(|(x, row)| {
            for (j, value) in row.chunks_exact_mut(degree).enumerate() {
                for (d, cell) in value.iter_mut().enumerate() {
                    *cell = table.plane(d)[j * rows + x];
                }
            }
        });
}
