//! The CPU's digests as the device's words.

use p3_field::TwoAdicField;
use prova_gpu::hash::{DIGEST_WORDS, HashKind};
use prova_hash::{
    Blake3TreeHasher, KeccakTreeHasher, Poseidon2Field, Poseidon2TreeHasher16,
    Poseidon2TreeHasher24, TreeHasher,
};

/// Fields with every hash.
pub trait HashedField: Poseidon2Field<16> + Poseidon2Field<24> + TwoAdicField {}
impl<F: Poseidon2Field<16> + Poseidon2Field<24> + TwoAdicField> HashedField for F {}

fn run<F, H: TreeHasher<F>>(
    hasher: &H,
    rows: &[F],
    width: usize,
    words: impl Fn(&H::Digest) -> Vec<u32>,
) -> Vec<Vec<u32>> {
    let flat = |level: &[H::Digest]| level.iter().flat_map(&words).collect();
    let mut level = vec![H::Digest::default(); rows.len() / width];
    hasher.hash_rows(rows, width, &mut level);
    let mut levels = vec![flat(&level)];
    while level.len() > 1 && level.len() % 2 == 0 {
        let (left, right) = level.split_at(level.len() / 2);
        let mut parents = vec![H::Digest::default(); left.len()];
        hasher.compress(left, right, &mut parents);
        levels.push(flat(&parents));
        level = parents;
    }
    levels
}

/// The levels over rows in stored order, digests of the rows first.
pub fn levels<F: HashedField>(kind: HashKind, rows: &[F], width: usize) -> Vec<Vec<u32>> {
    let field = |d: &[F; 8]| F::words(d).to_vec();
    match kind {
        HashKind::Poseidon2x16 => run(&Poseidon2TreeHasher16::<F>::grain(), rows, width, field),
        HashKind::Poseidon2x24 => run(&Poseidon2TreeHasher24::<F>::grain(), rows, width, field),
        HashKind::Keccak => run(&KeccakTreeHasher, rows, width, |digest| {
            let halves = digest.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]);
            halves.collect()
        }),
        HashKind::Blake3 => run(&Blake3TreeHasher, rows, width, |digest| {
            let chunks = digest.as_chunks().0.iter();
            chunks.map(|&c| u32::from_le_bytes(c)).collect()
        }),
    }
}

/// Words of so many digests.
pub fn digests(count: usize) -> u64 {
    DIGEST_WORDS * count as u64
}
