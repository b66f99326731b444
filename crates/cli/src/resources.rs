//! Threads and memory that a command may use.

use clap::Args;

use crate::error::Failure;
use crate::machine;
use crate::memsize::MemSize;

/// How many threads a command may use.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Resources")]
pub struct Threads {
    /// Threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,
}

/// What the prover may use.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Resources")]
pub struct Resources {
    /// Threads.
    #[command(flatten)]
    pub threads: Threads,
    /// Most memory to use, such as 4GiB [default: what is available now].
    #[arg(long, value_name = "SIZE")]
    pub mem_limit: Option<MemSize>,
}

impl Resources {
    /// The limit in bytes; `None` when none is given and the system does not say.
    pub fn limit(self) -> Option<u64> {
        self.mem_limit
            .map(|size| size.0)
            .or_else(|| machine::memory().available)
    }
}

impl Threads {
    /// Runs `work` on as many threads as asked for.
    ///
    /// # Errors
    /// The system refuses to start the threads.
    pub fn install<R: Send>(self, work: impl FnOnce() -> R + Send) -> Result<R, Failure> {
        Ok(pool(self.threads.map_or(0, usize::from))?.install(work))
    }
}

/// A pool of so many threads; of one a core for zero.
///
/// # Errors
/// The system refuses to start the threads.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Failure::resource(format_args!("cannot start threads: {error}")))
}
