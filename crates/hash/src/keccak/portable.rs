//! The same operations over Plonky3's own batches, which choose their instructions for the build
//! (x86: partly at run time).

use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_symmetric::{CryptographicHasher, Permutation};

use super::RATE_BYTES;
use crate::shape::{self, MerkleHash};

/// Node pairs staged at once: small enough for the first-level cache, and full lanes.
const STAGE: usize = 64;

/// Words of 32 bits absorbed per permutation.
const RATE: usize = RATE_BYTES / 4;

/// See `Kernel::hash_rows`.
pub(super) fn hash_rows<const PAD: bool>(rows: &[u32], width: usize, out: &mut [[u8; 32]]) {
    if !PAD {
        sponge_rows(rows, width, out);
    } else if cfg!(target_endian = "little") {
        Keccak256Hash.hash_many(bytemuck::cast_slice(rows), out);
    } else {
        let hash = shape::Keccak256::<shape::SoftKeccakF>::new();
        for (row, digest) in rows.chunks_exact(width).zip(out) {
            *digest = shape::node_bytes(&hash.leaf(row));
        }
    }
}

/// See `Kernel::compress`.
pub(super) fn compress<const PAD: bool>(
    left: &[[u8; 32]],
    right: &[[u8; 32]],
    out: &mut [[u8; 32]],
) {
    if !PAD {
        return sponge_nodes(left, right, out);
    }
    let mut stage = [[[0u8; 32]; 2]; STAGE];
    for ((l, r), o) in left
        .chunks(STAGE)
        .zip(right.chunks(STAGE))
        .zip(out.chunks_mut(STAGE))
    {
        for (slot, (&a, &b)) in stage.iter_mut().zip(l.iter().zip(r)) {
            *slot = [a, b];
        }
        let pairs = &stage[..o.len()];
        Keccak256Hash.hash_many(pairs.as_flattened().as_flattened(), o);
    }
}

fn sponge_rows(rows: &[u32], width: usize, out: &mut [[u8; 32]]) {
    for (group, digests) in rows
        .chunks(width * VECTOR_LEN)
        .zip(out.chunks_mut(VECTOR_LEN))
    {
        let mut state = [[0u64; VECTOR_LEN]; 25];
        // Two field elements make one word, low half first; an odd last one stands alone.
        for base in (0..width).step_by(RATE) {
            for (lane, row) in group.chunks_exact(width).enumerate() {
                let block = &row[base..width.min(base + RATE)];
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

fn sponge_nodes(left: &[[u8; 32]], right: &[[u8; 32]], out: &mut [[u8; 32]]) {
    for ((l, r), o) in left
        .chunks(VECTOR_LEN)
        .zip(right.chunks(VECTOR_LEN))
        .zip(out.chunks_mut(VECTOR_LEN))
    {
        let mut state = [[0u64; VECTOR_LEN]; 25];
        for (lane, (a, b)) in l.iter().zip(r).enumerate() {
            let words = a.as_chunks::<8>().0.iter().chain(b.as_chunks::<8>().0);
            for (slot, &word) in state.iter_mut().zip(words) {
                slot[lane] = u64::from_ne_bytes(word);
            }
        }
        KeccakF.permute_mut(&mut state);
        store(&state, o);
    }
}

fn store(state: &[[u64; VECTOR_LEN]; 25], out: &mut [[u8; 32]]) {
    for (lane, digest) in out.iter_mut().enumerate() {
        for (to, word) in digest.as_chunks_mut::<8>().0.iter_mut().zip(state) {
            *to = word[lane].to_ne_bytes();
        }
    }
}
