//! Poseidon2 of width 16: `PaddingFreeSponge<P, 16, 8, 8>` leaves, `TruncatedPermutation<P, 2, 8,
//! 16>` nodes.

use core::fmt::Debug;
use core::marker::PhantomData;

use p3_symmetric::CryptographicPermutation;

use super::MerkleHash;

const WIDTH: usize = 16;
const RATE: usize = 8;

/// Merkle shapes over a permutation of sixteen field elements, in software or by asking the machine.
#[derive(Debug)]
pub struct Poseidon2<'a, F, P> {
    permutation: &'a P,
    field: PhantomData<F>,
}

impl<'a, F, P> Poseidon2<'a, F, P> {
    /// The hash function over a permutation.
    #[must_use]
    pub const fn new(permutation: &'a P) -> Self {
        Self {
            permutation,
            field: PhantomData,
        }
    }
}

impl<F, P> Clone for Poseidon2<'_, F, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F, P> Copy for Poseidon2<'_, F, P> {}

impl<F, P> MerkleHash for Poseidon2<'_, F, P>
where
    F: Copy + Eq + Default + Debug + 'static,
    P: CryptographicPermutation<[F; WIDTH]>,
{
    type Word = F;
    type Node = [F; RATE];

    #[inline]
    fn parent(&self, left: &[F; RATE], right: &[F; RATE]) -> [F; RATE] {
        let mut state = [F::default(); WIDTH];
        let (first, second) = state.split_at_mut(RATE);
        first.copy_from_slice(left);
        second.copy_from_slice(right);
        self.permutation.permute_mut(&mut state);
        truncate(&state)
    }

    /// An empty row has the digest zero; a row that does not fill its last block leaves in place
    /// what the permutation left there.
    #[inline]
    fn leaf(&self, row: &[F]) -> [F; RATE] {
        let mut state = [F::default(); WIDTH];
        let (blocks, tail) = row.as_chunks::<RATE>();
        for block in blocks {
            for (to, &element) in state.iter_mut().zip(block) {
                *to = element;
            }
            self.permutation.permute_mut(&mut state);
        }
        if !tail.is_empty() {
            for (to, &element) in state.iter_mut().zip(tail) {
                *to = element;
            }
            self.permutation.permute_mut(&mut state);
        }
        truncate(&state)
    }

    #[inline]
    fn leaf_array<const N: usize>(&self, row: &[F; N]) -> [F; RATE] {
        if N > RATE {
            return self.leaf(row);
        }
        let mut state = [F::default(); WIDTH];
        if N > 0 {
            for (to, &element) in state.iter_mut().zip(row) {
                *to = element;
            }
            self.permutation.permute_mut(&mut state);
        }
        truncate(&state)
    }
}

#[inline(always)]
fn truncate<F: Copy>(state: &[F; WIDTH]) -> [F; RATE] {
    let [a, b, c, d, e, f, g, h, ..] = *state;
    [a, b, c, d, e, f, g, h]
}
