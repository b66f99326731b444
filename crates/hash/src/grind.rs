//! Deterministic proof-of-work search.

use rayon::prelude::*;

/// The smallest candidate in `0..end` for which `find` reports a hit, or `None`.
///
/// `find(from, to)` returns the smallest passing candidate of `from..to`. Windows of
/// `chunk * threads` candidates are searched in ascending order, a window's chunks in parallel, so
/// the answer does not depend on the number of threads.
pub fn smallest<T>(end: u64, chunk: u64, find: T) -> Option<u64>
where
    T: Fn(u64, u64) -> Option<u64> + Sync,
{
    assert!(chunk > 0, "a chunk holds at least one candidate");
    let threads = rayon::current_num_threads() as u64;
    let mut from = 0;
    while from < end {
        let chunks = threads.min((end - from).div_ceil(chunk));
        let search = |k: u64| {
            let low = from + k * chunk;
            find(low, end.min(low + chunk))
        };
        let hit = if chunks == 1 {
            search(0)
        } else {
            (0..chunks).into_par_iter().filter_map(search).min()
        };
        if hit.is_some() {
            return hit;
        }
        from += chunks * chunk;
    }
    None
}
