//! Spreading tasks over the threads of the current pool.

use core::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

/// Calls `body(scratch, i)` once for each `i < tasks`, each worker taking the next task that is
/// free, with scratch memory of its own that `init` makes once a worker.
pub(super) fn for_each_task<S>(
    tasks: usize,
    init: impl Fn() -> S + Sync,
    body: impl Fn(&mut S, usize) + Sync,
) {
    let workers = rayon::current_num_threads().min(tasks);
    let next = AtomicUsize::new(0);
    let work = |_| {
        let mut scratch = init();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= tasks {
                break;
            }
            body(&mut scratch, i);
        }
    };
    if workers <= 1 {
        work(0);
    } else {
        (0..workers).into_par_iter().with_max_len(1).for_each(work);
    }
}
