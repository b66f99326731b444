//! Functionals of base-field messages.

use p3_field::{BasedVectorSpace, ExtensionField, Field, PackedValue, PrimeCharacteristicRing};

use super::super::planes::{Planes, Wide, add_mixed_dots, by_degree, divide};
use super::{Functional, add_all, unpack};

/// Rows whose products share a reduction.
const ROWS: usize = 8;

/// Most index bits of the inner factor of the row weights.
const MAX_LOG_LOW: usize = 8;

/// A functional applied to all index bits of a message but the lowest `k`, and then to those.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialEval<EF> {
    /// `columns[j] = sum_x weight(x) f[x * 2^k + j]` for the `2^k` values of the low bits, where
    /// `weight(x)` is what the high bits contribute.
    pub columns: Vec<EF>,
    /// The functional's value, which is the low bits' weights applied to `columns`.
    pub value: EF,
}

/// Applies functionals to a message of `2^n` base-field elements, keeping the lowest `k` index
/// bits apart. The message is read once for all of them.
///
/// # Panics
/// If the length of `f` is not a power of two of at least `2^k`, a point has another arity than
/// the message, or the degree of `EF` is neither 4 nor 5.
#[must_use]
pub fn base_evals<F: Field, EF: ExtensionField<F>>(
    f: &[F],
    functionals: &[Functional<'_, EF>],
    k: usize,
) -> Vec<PartialEval<EF>> {
    assert!(f.len().is_power_of_two(), "a message has 2^n elements");
    let n = f.len().ilog2() as usize;
    assert!(k <= n, "the message has fewer than k variables");
    // Lanes always hold the lowest bits; the ones above `k` are summed out at the end.
    let lanes = F::Packing::WIDTH.ilog2() as usize;
    let kept = if k.max(lanes) + 3 <= n {
        k.max(lanes)
    } else {
        n
    };
    let columns = if kept == n {
        vec![f.iter().map(|&c| EF::from(c)).collect(); functionals.len()]
    } else {
        by_degree!(EF::DIMENSION, D => kept_columns::<F, EF, D>(f, functionals, kept))
    };
    functionals
        .iter()
        .zip(columns)
        .map(|(functional, columns)| {
            let columns = if kept == k {
                columns
            } else {
                let weights = functional.factor(n, k, kept - k);
                let mut sums = EF::zero_vec(1 << k);
                for (&weight, row) in weights.iter().zip(columns.chunks(1 << k)) {
                    for (sum, &value) in sums.iter_mut().zip(row) {
                        *sum += weight * value;
                    }
                }
                sums
            };
            let weights = functional.factor(n, 0, k);
            let value = weights.iter().zip(&columns).map(|(&a, &b)| a * b).sum();
            PartialEval { columns, value }
        })
        .collect()
}

/// `columns` of [`PartialEval`] for each functional, for a `k` of at least a vector and at most
/// `n - 3`.
fn kept_columns<F: Field, EF: ExtensionField<F>, const D: usize>(
    f: &[F],
    functionals: &[Functional<'_, EF>],
    k: usize,
) -> Vec<Vec<EF>> {
    let n = f.len().ilog2() as usize;
    let log_low = (n - k).min(MAX_LOG_LOW);
    let high: Vec<Vec<EF>> = functionals
        .iter()
        .map(|g| g.factor(n, k + log_low, n - k - log_low))
        .collect();
    let low: Vec<Planes<F>> = functionals
        .iter()
        .map(|g| Planes::from_ext(&g.factor(n, k, log_low)))
        .collect();
    let low: Vec<[&[F]; D]> = low.iter().map(Planes::cols::<D>).collect();
    let vectors = (1 << k) / F::Packing::WIDTH;
    let rows = 1 << log_low;
    let block_len = rows << k;
    let grain = ((1 << 16) / block_len).max(1);
    let sums = divide(
        Wide([f], block_len),
        grain,
        &|Wide([f], _), first| {
            let mut sums = vec![EF::ExtensionPacking::ZERO; functionals.len() * vectors];
            let mut inner = vec![[F::Packing::ZERO; D]; functionals.len() * vectors];
            for (block, f) in f.chunks_exact(block_len).enumerate() {
                inner.fill([F::Packing::ZERO; D]);
                let f = F::Packing::pack_slice(f);
                for row in (0..rows).step_by(ROWS) {
                    add_rows(&f[row * vectors..], &low, row, vectors, &mut inner);
                }
                for ((sums, inner), high) in sums
                    .chunks_mut(vectors)
                    .zip(inner.chunks(vectors))
                    .zip(&high)
                {
                    for (sum, inner) in sums.iter_mut().zip(inner) {
                        let inner = EF::ExtensionPacking::from_basis_coefficients_fn(|d| inner[d]);
                        *sum += inner * high[first + block];
                    }
                }
            }
            sums
        },
        &add_all,
    );
    (0..functionals.len())
        .map(|i| unpack::<F, EF>(&sums[i * vectors..(i + 1) * vectors]))
        .collect()
}

/// Adds eight rows of `f`, times the low weights from `row` on, to every functional's sums.
fn add_rows<F: Field, const D: usize>(
    f: &[F::Packing],
    low: &[[&[F]; D]],
    row: usize,
    vectors: usize,
    inner: &mut [[F::Packing; D]],
) {
    for v in 0..vectors {
        let values: [F::Packing; ROWS] = std::array::from_fn(|i| f[i * vectors + v]);
        for (low, inner) in low.iter().zip(inner.chunks_mut(vectors)) {
            add_mixed_dots(
                ROWS,
                &mut inner[v],
                &values,
                low.map(|col| &col[row..row + ROWS]),
            );
        }
    }
}
