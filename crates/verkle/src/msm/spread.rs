//! Work for the current rayon pool, if the crate has the feature `parallel`.

use alloc::vec::Vec;

/// Threads of the current pool.
#[cfg(feature = "std")]
pub(crate) fn threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

/// Calls a function on all items, at the same time if they are to be shared out.
#[cfg(feature = "std")]
pub(crate) fn for_each<T: Send>(share: bool, items: &mut [T], f: impl Fn(&mut T) + Sync + Send) {
    #[cfg(feature = "parallel")]
    if share && threads() > 1 {
        use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
        return items.par_iter_mut().for_each(f);
    }
    let _ = share;
    items.iter_mut().for_each(f);
}

/// The results of a function on all items, in order; calls may run at the same time.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if threads() > 1 && items.len() > 1 {
        use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
        return items.par_iter().map(f).collect();
    }
    items.iter().map(f).collect()
}
