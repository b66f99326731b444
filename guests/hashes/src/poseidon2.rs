//! A digest of bytes by any Poseidon2 permutation; the host's tests compile this file too.

use p3_field::PrimeField32;
use p3_symmetric::Permutation;

/// Adds the message's bytes, an element each, to the state in blocks of the width, permuting
/// after each block; gives the first eight elements' canonical values. A plain function to test
/// permutations with, no hash function.
pub fn digest<F: PrimeField32, const WIDTH: usize>(
    permutation: &impl Permutation<[F; WIDTH]>,
    message: &[u8],
) -> [u8; 32] {
    let mut state = core::array::from_fn(F::from_usize);
    for block in message.chunks(WIDTH) {
        for (element, byte) in state.iter_mut().zip(block) {
            *element += F::from_u8(*byte);
        }
        permutation.permute_mut(&mut state);
    }
    let mut digest = [0; 32];
    for (bytes, element) in digest.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&element.as_canonical_u32().to_le_bytes());
    }
    digest
}
