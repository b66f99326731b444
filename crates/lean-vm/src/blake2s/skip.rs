//! Interpolation over the nodes of the skipped variables: images of bytes in GF(2^64).

use alloc::vec::Vec;

use prova_binary_pcs::field::{E, K, PrimeCharacteristicRing, phi8};

/// Lagrange weights at `z` of the nodes `phi8(0) .. phi8(2^log_nodes - 1)`, at most 256.
///
/// The nodes are closed under addition, so all denominators are one product: of the nodes but zero.
#[must_use]
pub fn lagrange_weights(log_nodes: u32, z: E) -> Vec<E> {
    let last = u8::MAX.checked_shr(8 - log_nodes.min(8)).unwrap_or(0);
    let nodes: Vec<K> = (0..=last).map(phi8).collect();
    let denominator: K = nodes.iter().skip(1).copied().product();
    // Products of the factors before each node, then times those after it: no division by `z + n`,
    // which may be zero.
    let mut product = E::from(denominator.invert_or_zero());
    let mut weights: Vec<E> = nodes
        .iter()
        .map(|&node| {
            let before = product;
            product *= z + node;
            before
        })
        .collect();
    let mut after = E::ONE;
    for (weight, &node) in weights.iter_mut().zip(&nodes).rev() {
        *weight *= after;
        after *= z + node;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use prova_binary_pcs::field::{Field as _, from_limbs};

    #[test]
    fn weights_are_one_at_their_node_and_zero_at_the_others() {
        for (i, node) in (0_u8..64).map(phi8).enumerate() {
            let expected = (0..64).map(|j| if i == j { E::ONE } else { E::ZERO });
            assert!(lagrange_weights(6, node.into()).into_iter().eq(expected));
        }
    }

    #[test]
    fn weights_are_the_definition() {
        let z = from_limbs([3, 5, 7]);
        let nodes: Vec<K> = (0_u8..128).map(phi8).collect();
        let weights = lagrange_weights(7, z);
        assert_eq!(weights.len(), nodes.len());
        for (weight, &node) in weights.iter().zip(&nodes) {
            let others = nodes.iter().filter(|&&other| other != node);
            let expected = others.fold(E::ONE, |product, &other| {
                product * (z + other) * (node + other).inverse()
            });
            assert_eq!(*weight, expected);
        }
    }
}
