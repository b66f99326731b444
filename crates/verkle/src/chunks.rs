//! Work in chunks, over the current rayon pool if there is one.

use alloc::vec::Vec;

/// Calls `work` with every `size` elements of `input`, those of `output` at the same positions, and
/// the position of the first; returns the results in order. What comes out does not depend on how
/// many threads there are.
pub(crate) fn for_chunks<A: Sync, B: Send, R: Send>(
    size: usize,
    input: &[A],
    output: &mut [B],
    work: impl Fn(usize, &[A], &mut [B]) -> R + Sync,
) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if input.len() > size {
        use rayon::prelude::*;
        return input
            .par_chunks(size)
            .zip(output.par_chunks_mut(size))
            .enumerate()
            .map(|(i, (input, output))| work(i * size, input, output))
            .collect();
    }
    input
        .chunks(size)
        .zip(output.chunks_mut(size))
        .enumerate()
        .map(|(i, (input, output))| work(i * size, input, output))
        .collect()
}
