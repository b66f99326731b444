//! The queries of a phase: positions, opened rows, their paths and their values.

use alloc::vec::Vec;

use prova_hash::shape::MerkleHash;
use prova_merkle::verify::{VerifyError, verify_pruned};

use crate::body::PhaseWords;
use crate::error::{Error, Rejected};
use crate::ext::{self, Extension};
use crate::field::{Modulus, from_canonical, mul, root_of_unity, to_canonical};
use crate::key::{Key, Phase};
use crate::merkle::Words;
use crate::sponge::{Digest, Permutation, RATE, Transcript};
use crate::verify::{Run, Scratch, element};

impl<M: Extension<D>, P: Permutation, const D: usize> Run<'_, M, P, D> {
    /// Proof-of-work, positions, rows and their paths.
    pub(crate) fn open(
        &mut self,
        phase: &PhaseWords<'_>,
        index: usize,
        root: &Digest,
    ) -> Result<(), Error> {
        self.nonce(phase.nonce, phase.shape.pow_bits, index)?;
        self.draw(&phase.shape);
        let Scratch {
            indices,
            order,
            sorted,
            rows,
            leaves,
            siblings,
            ..
        } = &mut self.scratch;
        rows.clear();
        rows.extend(phase.rows.iter().map(|&word| from_canonical::<M>(word)));
        let words = Words::<M, P>::new(self.permutation);
        let tree = words.tree();
        let width = rows.len().checked_div(indices.len()).unwrap_or(0);
        // Position above draw in one word, so that sorting moves little.
        order.clear();
        order.extend(
            indices
                .iter()
                .zip(0_u64..)
                .map(|(&at, draw)| ((at as u64) << 32) | draw),
        );
        order.sort_unstable();
        sorted.clear();
        leaves.clear();
        let mut before: Option<(usize, &[u32])> = None;
        for &entry in order.iter() {
            let (position, draw) = ((entry >> 32) as usize, entry as u32 as usize);
            let row = rows
                .get(draw * width..(draw + 1) * width)
                .unwrap_or_default();
            match before {
                Some((same, first)) if same == position => {
                    if row != first {
                        return Err(Rejected::Rows { phase: index }.into());
                    }
                }
                _ => {
                    leaves.push(tree.leaf(row));
                    sorted.push(position);
                    before = Some((position, row));
                }
            }
        }
        siblings.clear();
        siblings.extend(phase.siblings.as_chunks().0.iter().map(element::<M, RATE>));
        let log_height = phase.shape.log_height;
        let cap = core::slice::from_ref(root);
        verify_pruned(&tree, log_height, cap, sorted, leaves, siblings).map_err(|error| {
            Error::Rejected(match error {
                VerifyError::Root { .. } => Rejected::Root { phase: index },
                // Positions are distinct and below the height, so nothing else is left.
                _ => Rejected::SiblingCount {
                    phase: index,
                    got: siblings.len(),
                },
            })
        })
    }

    /// The positions of a phase: uniform bits by rejection, or all of them.
    fn draw(&mut self, shape: &Phase) {
        let indices = &mut self.scratch.indices;
        indices.clear();
        let height = 1_usize << shape.log_height;
        if shape.draws == 0 {
            indices.extend(0..height);
            return;
        }
        for _ in 0..shape.draws {
            let bits = shape.log_height;
            indices.push(if bits <= M::MAX_SINGLE_SAMPLE_BITS {
                uniform_bits(&mut self.transcript, bits)
            } else {
                let low = uniform_bits(&mut self.transcript, bits / 2);
                low | (uniform_bits(&mut self.transcript, bits - bits / 2) << (bits / 2))
            });
        }
    }

    /// The multilinear polynomial of each row at the phase's challenges.
    pub(crate) fn fold_rows(&mut self, key: &Key<'_>, phase: &PhaseWords<'_>, index: usize) {
        let Scratch {
            rows,
            folds,
            weights,
            ..
        } = &mut self.scratch;
        let start = self.challenges.len().saturating_sub(phase.shape.fold);
        let point = self.challenges.get(start..).unwrap_or_default();
        weights.clear();
        if key.numbers.prefix_order {
            ext::eq_weights::<M, D>(weights, point.iter());
        } else {
            ext::eq_weights::<M, D>(weights, point.iter().rev());
        }
        folds.clear();
        if index == 0 {
            let rows = rows.chunks_exact(weights.len());
            folds.extend(rows.map(|row| ext::dot_base::<M, D>(row, weights)));
        } else {
            let rows = rows.as_chunks::<D>().0.chunks_exact(weights.len());
            folds.extend(rows.map(|row| ext::dot::<M, D>(row, weights)));
        }
    }
}

/// `bits` uniform bits: elements at or above the largest multiple of `2^bits` are drawn again.
fn uniform_bits<M: Modulus, P: Permutation>(
    transcript: &mut Transcript<M, P>,
    bits: usize,
) -> usize {
    if bits == 0 {
        return 0;
    }
    let mask = (1_u32 << bits) - 1;
    loop {
        let drawn = to_canonical::<M>(transcript.sample());
        if drawn < M::P & !mask {
            // Every target has pointers of at least 32 bits.
            return (drawn & mask) as usize;
        }
    }
}

/// The elements of the folded domain at which the positions lie.
pub(crate) fn query_points<M: Modulus>(shape: &Phase, indices: &[usize]) -> Vec<u32> {
    let mut squares = Vec::with_capacity(shape.log_height);
    let mut root = root_of_unity::<M>(shape.log_height);
    for _ in 0..shape.log_height {
        squares.push(root);
        root = mul::<M>(root, root);
    }
    let point = |&index: &usize| {
        let (mut product, mut bits) = (M::ONE, index);
        for square in &squares {
            if bits & 1 == 1 {
                product = mul::<M>(product, *square);
            }
            bits >>= 1;
        }
        product
    };
    indices.iter().map(point).collect()
}
