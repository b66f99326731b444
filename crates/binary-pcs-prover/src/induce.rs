//! The weight that queries put on a message: `sum_q scale_q prod_i W_i(p_q)^{u_i}` over its words `u`.
//!
//! It is the transpose of the encoding applied to a vector that is zero but at the queried positions.
//! A block of positions without a query is skipped and one with a single query is a tensor product,
//! so that only the upper layers of the transform touch every word.

use p3_field::PrimeCharacteristicRing;
use prova_binary_pcs::code::Subspaces;
use rayon::prelude::*;

use crate::vector;
use crate::{E, K};

/// Entries below which a block is not worth a task of its own.
const SERIAL: usize = 1 << 12;

/// The weight of `queries`, positions in a code of dimension `2^log_message` with their scales.
pub(crate) fn query_weight(
    subspaces: &Subspaces,
    log_message: usize,
    mut queries: Vec<(u64, E)>,
) -> Vec<E> {
    queries.sort_unstable_by_key(|&(position, _)| position);
    queries.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    let cosets: Vec<&[(u64, E)]> = queries
        .chunk_by(|a, b| a.0 >> log_message == b.0 >> log_message)
        .collect();
    let sum = |cosets: &[&[(u64, E)]]| {
        let mut weight = vector::zeros(1 << log_message);
        let mut coset_weight = vector::zeros(1 << log_message);
        for coset in cosets {
            block(subspaces, log_message, coset, &mut coset_weight);
            vector::add_scaled(&mut weight, &coset_weight, E::ONE);
        }
        weight
    };
    // Short messages have many cosets, none of which is worth sharing out.
    if 1 << log_message >= 4 * SERIAL {
        return sum(&cosets);
    }
    let share = cosets.len().div_ceil(4 * rayon::current_num_threads());
    cosets
        .par_chunks(share.max(1))
        .map(sum)
        .reduce_with(|mut a, b| {
            vector::add_scaled(&mut a, &b, E::ONE);
            a
        })
        .unwrap_or_else(|| vector::zeros(1 << log_message))
}

/// Writes the weight of at least one query on the lowest `log_size` variables of a block.
fn block(subspaces: &Subspaces, log_size: usize, queries: &[(u64, E)], weight: &mut [E]) {
    let (position, scale) = queries[0];
    if queries.len() == 1 {
        weight[0] = scale;
        for (i, value) in subspaces.normalised(position).take(log_size).enumerate() {
            let (low, high) = weight[..2 << i].split_at_mut(1 << i);
            vector::scale_by_word(low, high, value);
        }
        return;
    }
    let top = log_size - 1;
    let bit = |position: u64| position >> top & 1;
    let twiddle = subspaces
        .normalised(position)
        .nth(top)
        .expect("a variable of the code")
        + K::new(bit(position));
    let (below, above) = queries.split_at(queries.partition_point(|&(p, _)| bit(p) == 0));
    let half = weight.len() / 2;
    let (low, high) = weight.split_at_mut(half);
    match (below.is_empty(), above.is_empty()) {
        (false, true) => {
            block(subspaces, top, below, low);
            vector::scale_by_word(low, high, twiddle);
        }
        (true, _) => {
            block(subspaces, top, above, low);
            vector::scale_by_word(low, high, twiddle + K::ONE);
        }
        (false, false) if half < SERIAL => {
            block(subspaces, top, below, low);
            block(subspaces, top, above, high);
            vector::transposed_butterfly(low, high, twiddle);
        }
        (false, false) => {
            rayon::join(
                || block(subspaces, top, below, low),
                || block(subspaces, top, above, high),
            );
            vector::transposed_butterfly(low, high, twiddle);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn query_weights_are_sums_of_tensor_products() {
        let mut rng = StdRng::seed_from_u64(1);
        for (log_message, log_inv_rate, count) in
            [(3, 2, 40), (6, 1, 3), (9, 4, 30), (14, 1, 9), (2, 1, 1)]
        {
            let subspaces = Subspaces::new(log_message);
            let mut queries: Vec<(u64, E)> = (0..count)
                .map(|_| {
                    (
                        rng.random::<u64>() % (1 << (log_message + log_inv_rate)),
                        rng.random(),
                    )
                })
                .collect();
            queries.push(queries[0]);
            queries.push((queries[0].0, rng.random()));
            let mut naive = E::zero_vec(1 << log_message);
            for &(position, scale) in &queries {
                for (u, entry) in naive.iter_mut().enumerate() {
                    let values = subspaces.normalised(position).enumerate();
                    let set = values.filter(|(i, _)| u >> i & 1 == 1);
                    *entry += scale * set.map(|(_, value)| value).product::<K>();
                }
            }
            assert_eq!(query_weight(&subspaces, log_message, queries), naive);
        }
    }
}
