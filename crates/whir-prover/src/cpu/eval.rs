//! Evaluations of tables: out-of-domain answers, opening claims of base-field messages, and the
//! compression of a message by the first challenges.

mod base;
mod compress;
mod tensor;

use p3_field::{
    BasedVectorSpace, ExtensionField, Field, PackedFieldExtension, PackedValue,
    PrimeCharacteristicRing,
};

use super::planes::{Planes, Wide, by_degree, divide};
use super::sumcheck::{Products, load};
pub use base::{PartialEval, base_evals};
pub use compress::compress;
pub use tensor::Functional;
pub(crate) use tensor::eq_table;

/// Most index bits of the inner factor of an evaluation's weights.
const MAX_LOG_LOW: usize = 10;

/// Values of several functionals on one table, which is read once.
///
/// # Panics
/// If the table does not belong to `EF` or a point has another arity than the table.
#[must_use]
pub fn evaluate<F: Field, EF: ExtensionField<F>>(
    f: &Planes<F>,
    functionals: &[Functional<'_, EF>],
) -> Vec<EF> {
    assert_eq!(
        f.degree(),
        EF::DIMENSION,
        "the table belongs to another extension"
    );
    let n = f.log_len();
    let log_low = n.min(MAX_LOG_LOW);
    let tensors: Vec<_> = functionals.iter().map(|g| g.tensor(n, log_low)).collect();
    if 1 << log_low < 2 * F::Packing::WIDTH {
        // The high factor is the single weight one.
        let weigh = |low: &[EF]| {
            low.iter()
                .enumerate()
                .map(|(i, &c)| c * f.get::<EF>(i))
                .sum()
        };
        return tensors.iter().map(|t| weigh(&t.low)).collect();
    }
    let low: Vec<Planes<F>> = tensors.iter().map(|t| Planes::from_ext(&t.low)).collect();
    by_degree!(EF::DIMENSION, D => {
        let low: Vec<_> = low.iter().map(|t| t.cols::<D>().map(F::Packing::pack_slice)).collect();
        let grain = ((1 << 14) >> log_low).max(1);
        let sums = divide(Wide(f.cols::<D>(), 1 << log_low), grain, &|Wide(f, _), first| {
            let f = f.map(F::Packing::pack_slice);
            let vectors = low.first().map_or(0, |t| t[0].len());
            let mut sums = vec![EF::ExtensionPacking::ZERO; low.len()];
            for block in 0..f[0].len().checked_div(vectors).unwrap_or(0) {
                let f = f.map(|col| &col[block * vectors..][..vectors]);
                for ((sum, low), tensor) in sums.iter_mut().zip(&low).zip(&tensors) {
                    let mut products = Products::new();
                    for v in (0..vectors).step_by(2) {
                        products.add(
                            &[load(&f, v), load(&f, v + 1)],
                            &[load(low, v), load(low, v + 1)],
                        );
                    }
                    *sum += products.reduce::<F, EF>() * tensor.high[first + block];
                }
            }
            sums
        }, &add_all);
        sums.into_iter().map(lane_sum_ext::<F, EF>).collect()
    })
}

/// Element-wise sum.
fn add_all<T: PrimeCharacteristicRing>(mut a: Vec<T>, b: Vec<T>) -> Vec<T> {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
    a
}

fn lane_sum_ext<F: Field, EF: ExtensionField<F>>(packed: EF::ExtensionPacking) -> EF {
    EF::from_basis_coefficients_fn(|d| {
        super::planes::lane_sum::<F>(packed.as_basis_coefficients_slice()[d])
    })
}

/// The lanes of packed extension values, in order.
fn unpack<F: Field, EF: ExtensionField<F>>(packed: &[EF::ExtensionPacking]) -> Vec<EF> {
    packed
        .iter()
        .flat_map(|p| (0..F::Packing::WIDTH).map(|lane| p.extract(lane)))
        .collect()
}

#[cfg(test)]
mod tests;
