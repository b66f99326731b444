//! Binding the first variables of a base-field message at once.

use p3_field::{ExtensionField, Field, PackedValue, PrimeCharacteristicRing};

use super::super::planes::{GRAIN, Planes, Wide, add_mixed_dots, by_degree, deinterleave, divide};
use super::eq_table;

/// Binds the lowest `k` variables of a message of `2^n` base-field elements to `k` challenges in
/// suffix order, the first challenge to the lowest index bit:
/// `out[x] = sum_j weight[j] f[x * 2^k + j]` with `weight[j] = eq((r_k, .., r_1), j)`.
///
/// # Panics
/// If the length of `f` is not a power of two of at least `2^k`, or the degree of `EF` is neither
/// 4 nor 5.
#[must_use]
pub fn compress<F: Field, EF: ExtensionField<F>>(f: &[F], challenges: &[EF]) -> Planes<F> {
    assert!(f.len().is_power_of_two(), "a message has 2^n elements");
    let (n, k) = (f.len().ilog2() as usize, challenges.len());
    assert!(k <= n, "the message has fewer than k variables");
    let point: Vec<EF> = challenges.iter().rev().copied().collect();
    let weights = eq_table(&point, EF::ONE);
    let mut out = Planes::zeros(n - k, EF::DIMENSION);
    let width = F::Packing::WIDTH;
    if out.len() < width {
        for (x, row) in f.chunks(1 << k).enumerate() {
            let value: EF = row
                .iter()
                .zip(&weights)
                .map(|(&c, &weight)| weight * c)
                .sum();
            out.set(x, value);
        }
        return out;
    }
    // Blocks of columns whose transpose is made of whole vectors, in the order it comes out.
    let block = width.min(1 << k);
    let bits = block.ilog2();
    let position = |j: usize| {
        let low = j % block;
        j - low
            + if bits == 0 {
                0
            } else {
                low.reverse_bits() >> (usize::BITS - bits)
            }
    };
    let weights: Vec<EF> = (0..1 << k).map(|j| weights[position(j)]).collect();
    let weights = Planes::from_ext(&weights);
    by_degree!(EF::DIMENSION, D => {
        let weights = weights.cols::<D>();
        divide((out.cols_mut::<D>(), Wide([f], 1 << k)), GRAIN >> 2, &|(out, Wide([f], _)), _| {
            match block {
                1 => compress_rows::<F, D, 1>(out, f, weights),
                2 => compress_rows::<F, D, 2>(out, f, weights),
                4 => compress_rows::<F, D, 4>(out, f, weights),
                8 => compress_rows::<F, D, 8>(out, f, weights),
                16 => compress_rows::<F, D, 16>(out, f, weights),
                _ => unreachable!("packings have at most 16 lanes"),
            }
        }, &|(), ()| ());
    });
    out
}

/// `N` is the smaller of the row length and the packing width.
fn compress_rows<F: Field, const D: usize, const N: usize>(
    out: [&mut [F]; D],
    f: &[F],
    weights: [&[F]; D],
) {
    let out = out.map(F::Packing::pack_slice_mut);
    let f = F::Packing::pack_slice(f);
    // A step makes one vector of outputs from WIDTH rows; each takes this many blocks of N columns.
    let blocks = weights[0].len() / N;
    for v in 0..out[0].len() {
        let rows = &f[v * N * blocks..][..N * blocks];
        let mut sums = [F::Packing::ZERO; D];
        for block in 0..blocks {
            let mut columns: [F::Packing; N] = std::array::from_fn(|i| rows[i * blocks + block]);
            transpose(&mut columns);
            let weights = weights.map(|col| &col[block * N..][..N]);
            if N <= 8 {
                add_mixed_dots(N, &mut sums, &columns, weights);
            } else {
                add_mixed_dots(8, &mut sums, &columns[..8], weights);
                add_mixed_dots(8, &mut sums, &columns[8..], weights.map(|w| &w[8..]));
            }
        }
        for d in 0..D {
            out[d][v] = sums[d];
        }
    }
}

/// Views the vectors as one sequence and gathers its residues modulo `N`: vector `i` of the result
/// holds the entries whose index is the bit reversal of `i` modulo `N`, in order.
#[inline(always)]
fn transpose<P: PackedValue, const N: usize>(vectors: &mut [P; N]) {
    if N >= 16 {
        split_groups::<P, N, 16>(vectors);
    }
    if N >= 8 {
        split_groups::<P, N, 8>(vectors);
    }
    if N >= 4 {
        split_groups::<P, N, 4>(vectors);
    }
    if N >= 2 {
        split_groups::<P, N, 2>(vectors);
    }
}

/// Moves the odd entries of every group of `LEN` vectors behind its even ones.
#[inline(always)]
fn split_groups<P: PackedValue, const N: usize, const LEN: usize>(vectors: &mut [P; N]) {
    let old = *vectors;
    for group in 0..N / LEN {
        for i in 0..LEN / 2 {
            let at = group * LEN + i;
            let from = group * LEN + 2 * i;
            (vectors[at], vectors[at + LEN / 2]) = deinterleave(old[from], old[from + 1]);
        }
    }
}
