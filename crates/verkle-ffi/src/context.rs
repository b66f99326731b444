//! The context: what is derived from the generators, and the threads.

use std::sync::OnceLock;
use std::thread::{JoinHandle, available_parallelism};

use prova_verkle::Setup;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::memory::{answer, object};
use crate::status::{Error, Failure, Status};

/// The most threads a context can have.
pub const PROVA_VERKLE_MAX_THREADS: u32 = 1024;

/// What all functions work with: the generators, what is derived from them, and the threads. It is
/// never changed, so any number of threads may use one context at once; they share its threads.
pub struct Context {
    setup: Setup,
    // Whether the setup has its tables. Not left to the setup: callers on many threads would each
    // compute them.
    tables: OnceLock<()>,
    // Dropped in this order: the pool tells its threads to end, then they are waited for.
    pool: ThreadPool,
    _workers: Workers,
}

/// The threads of a pool. Dropping waits for them: when a context is gone, the library may be
/// unloaded.
struct Workers(Vec<JoinHandle<()>>);

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in self.0.drain(..) {
            // A worker that panicked is gone too.
            let _ = worker.join();
        }
    }
}

// One context serves callers on many threads.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Context>();
};

impl Context {
    /// With so many threads, zero standing for one per CPU.
    pub(crate) fn new(threads: u32) -> Result<Self, Failure> {
        let max = PROVA_VERKLE_MAX_THREADS;
        if threads > max {
            return Err(Failure::Threads { max, got: threads });
        }
        let threads = match usize::try_from(threads) {
            // Rayon's own default would ask the environment.
            Ok(0) | Err(_) => available_parallelism().map_or(1, usize::from),
            Ok(threads) => threads,
        };
        let mut workers = Workers(Vec::with_capacity(threads));
        // A single thread too has a pool: work done outside any would go to the global one.
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .spawn_handler(|worker| {
                let builder = std::thread::Builder::new().name("prova-verkle".to_owned());
                workers.0.push(builder.spawn(|| worker.run())?);
                Ok(())
            })
            .build()?;
        let setup = pool.install(Setup::ethereum);
        Ok(Self {
            setup,
            tables: OnceLock::new(),
            pool,
            _workers: workers,
        })
    }

    /// Computes the tables of the generators, if they are not there yet.
    fn prepare(&self) {
        // The caller's thread waits here and is none of the pool's, so no work is held up.
        self.tables
            .get_or_init(|| self.pool.install(|| self.setup.prepare()));
    }

    /// Runs something that commits on the threads of this context.
    pub(crate) fn run_with_tables<T: Send>(&self, work: impl FnOnce(&Setup) -> T + Send) -> T {
        self.prepare();
        self.run(work)
    }

    /// Runs something on the threads of this context.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce(&Setup) -> T + Send) -> T {
        self.pool.install(|| work(&self.setup))
    }
}

/// Makes a context with the generators all Verkle clients use and threads of its own: make one and
/// keep it. Tables of the generators are not computed yet, see prova_verkle_context_prepare.
///
/// `threads`: how many threads the work is spread over, at most PROVA_VERKLE_MAX_THREADS; 0: as
/// many as the machine has CPUs. Results do not depend on it.
/// `context`: the new context is written there, to be freed with prova_verkle_context_free; null if
/// there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prova_verkle_context_new(
    threads: u32,
    context: *mut *mut Context,
    error: *mut Error,
) -> Status {
    let body = || {
        if context.is_null() {
            return Err(Failure::Null("context"));
        }
        let write = |pointer| {
            // SAFETY: not null, and the caller promises that a pointer can be written there;
            // alignment is not assumed.
            unsafe { context.write_unaligned(pointer) };
        };
        write(core::ptr::null_mut());
        write(Box::into_raw(Box::new(Context::new(threads)?)));
        Ok(())
    };
    // SAFETY: the caller promises that `error` is null or can be written.
    unsafe { answer(error, body) }
}

/// Computes the tables of the generators now, if the context has none yet. The first commitment,
/// update or proof would; whoever only verifies needs none, but verifies faster with them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prova_verkle_context_prepare(
    context: *const Context,
    error: *mut Error,
) -> Status {
    let body = || {
        // SAFETY: the caller promises that it is null or a context.
        let context = unsafe { object("context", context) }?;
        context.prepare();
        Ok(())
    };
    // SAFETY: the caller promises that `error` is null or can be written.
    unsafe { answer(error, body) }
}

/// Frees a context, after the last use of it on any thread. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prova_verkle_context_free(context: *mut Context) {
    if context.is_null() {
        return;
    }
    let body = || {
        // SAFETY: the caller promises that it came from `prova_verkle_context_new`, and that nobody
        // uses it any more.
        drop(unsafe { Box::from_raw(context) });
        Ok(())
    };
    // SAFETY: a null pointer.
    let _ = unsafe { answer(core::ptr::null_mut(), body) };
}

/// How many threads the work of a context is spread over; 0 for a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prova_verkle_context_threads(context: *const Context) -> u32 {
    let mut threads = 0;
    let body = || {
        // SAFETY: the caller promises that it is null or a context.
        let context = unsafe { object("context", context) }?;
        let count = context.pool.current_num_threads();
        threads = u32::try_from(count).unwrap_or(u32::MAX);
        Ok(())
    };
    // SAFETY: a null pointer.
    let _ = unsafe { answer(core::ptr::null_mut(), body) };
    threads
}
