//! BLAKE3 leaves and nodes: `SerializingHasher<Blake3>` and
//! `CompressionFunctionFromHasher<Blake3, 2, 32>`.

use p3_blake3::Blake3;
use p3_symmetric::{CryptographicHasher, SerializingHasher};

use crate::field::HashField;
use crate::tree_hasher::{TreeHasher, check_pairs, check_rows};

/// Node pairs staged at once: small enough for the first-level cache, and full lanes.
const STAGE: usize = 128;

/// BLAKE3 over the stored little-endian words of a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blake3TreeHasher;

impl<F: HashField> TreeHasher<F> for Blake3TreeHasher {
    type Digest = [u8; 32];

    fn hash_rows(&self, rows: &[F], width: usize, out: &mut [[u8; 32]]) {
        check_rows(rows, width, out);
        if cfg!(target_endian = "little") {
            Blake3.hash_many(F::bytes(rows), out);
        } else {
            SerializingHasher::new(Blake3).hash_many(rows, out);
        }
    }

    fn compress(&self, left: &[[u8; 32]], right: &[[u8; 32]], out: &mut [[u8; 32]]) {
        check_pairs(left, right, out);
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
            Blake3.hash_many(pairs.as_flattened().as_flattened(), o);
        }
    }
}
