//! Keccak leaves and nodes: `SerializingHasher<PaddingFreeSponge<KeccakF, 25, 17, 4>>` and
//! `CompressionFunctionFromHasher<PaddingFreeSponge<KeccakF, 25, 17, 4>, 2, 4>`.

use p3_keccak::{KeccakF, VECTOR_LEN};
use p3_symmetric::Permutation;

use crate::field::HashField;
use crate::tree_hasher::{TreeHasher, check_pairs, check_rows};

/// Words absorbed per permutation.
const RATE: usize = 17;

/// The padding-free overwrite sponge over Keccak-f[1600], four words of digest.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeccakTreeHasher;

impl<F: HashField> TreeHasher<F> for KeccakTreeHasher {
    type Digest = [u64; 4];

    fn hash_rows(&self, rows: &[F], width: usize, out: &mut [[u64; 4]]) {
        check_rows(rows, width, out);
        let words = F::words(rows);
        for (group, digests) in words
            .chunks(width * VECTOR_LEN)
            .zip(out.chunks_mut(VECTOR_LEN))
        {
            let mut state = [[0u64; VECTOR_LEN]; 25];
            // Two field elements make one word, low half first; an odd last one stands alone.
            for base in (0..width).step_by(2 * RATE) {
                for (lane, row) in group.chunks_exact(width).enumerate() {
                    let block = &row[base..width.min(base + 2 * RATE)];
                    for (slot, pair) in state.iter_mut().zip(block.chunks(2)) {
                        let high = pair.get(1).map_or(0, |&w| u64::from(w) << 32);
                        slot[lane] = u64::from(pair[0]) | high;
                    }
                }
                KeccakF.permute_mut(&mut state);
            }
            store(&state, digests);
        }
    }

    fn compress(&self, left: &[[u64; 4]], right: &[[u64; 4]], out: &mut [[u64; 4]]) {
        check_pairs(left, right, out);
        for ((l, r), o) in left
            .chunks(VECTOR_LEN)
            .zip(right.chunks(VECTOR_LEN))
            .zip(out.chunks_mut(VECTOR_LEN))
        {
            let mut state = [[0u64; VECTOR_LEN]; 25];
            for (lane, (a, b)) in l.iter().zip(r).enumerate() {
                for i in 0..4 {
                    state[i][lane] = a[i];
                    state[4 + i][lane] = b[i];
                }
            }
            KeccakF.permute_mut(&mut state);
            store(&state, o);
        }
    }
}

fn store(state: &[[u64; VECTOR_LEN]; 25], out: &mut [[u64; 4]]) {
    for (lane, digest) in out.iter_mut().enumerate() {
        *digest = core::array::from_fn(|i| state[i][lane]);
    }
}
