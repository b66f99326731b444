//! Work on the current rayon pool, or in turn without the feature `parallel`.

/// Runs both, at the same time if there is a thread.
pub(super) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    return rayon::join(a, b);
    #[cfg(not(feature = "parallel"))]
    (a(), b())
}

/// Calls `f` for every `size` items (fewer in the last call), with the number of the call.
pub(super) fn for_each_chunk<T: Send>(
    items: &mut [T],
    size: usize,
    f: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        items
            .par_chunks_mut(size)
            .enumerate()
            .for_each(|(index, chunk)| f(index, chunk));
    }
    #[cfg(not(feature = "parallel"))]
    for (index, chunk) in items.chunks_mut(size).enumerate() {
        f(index, chunk);
    }
}
