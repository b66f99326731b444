//! The benchmark on the terminal while it runs.

use std::time::{Duration, Instant};

use rayon::ThreadPool;

use super::header::cores;
use super::measure::Job;
use super::results::Row;

/// The head of the table of rows.
pub fn table_head() -> String {
    format!(
        "\n{:>8}  {:>16}  {:>3}  {:>11}  {:>11}  {:>6}  {:>9}  {:>6}  {:>6}",
        "cell",
        "n,fold,rate",
        "thr",
        "stock ms",
        "prova ms",
        "ratio",
        "prova MiB",
        "memory",
        "left"
    )
}

/// A finished row: number `index` of `count`, with `left` to go; then the median of each GPU mode.
pub fn table_line(row: &Row, index: usize, count: usize, left: Duration) -> String {
    let or_dash = |value: Option<f64>| value.map_or("-".to_string(), |v| format!("{v:.2}"));
    let modes: String = row
        .gpu
        .iter()
        .map(|gpu| format!("  {} {:.1} ms", gpu.mode, gpu.side.total_ms.median))
        .collect();
    format!(
        "{:>8}  {:>16}  {:>3}  {:>11}  {:>11.1}  {:>6}  {:>9.1}  {:>6}  {:>6}{modes}",
        format!("{index}/{count}"),
        row.label(),
        row.threads,
        row.stock.as_ref().map_or("-".to_string(), |side| format!(
            "{:.1}",
            side.total_ms.median
        )),
        row.prova.total_ms.median,
        or_dash(row.time_ratio()),
        row.prova.peak_bytes as f64 / f64::from(1 << 20),
        or_dash(row.memory_ratio()),
        clock(left),
    )
}

/// `12s`, `3m20`, `1h05`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}", seconds / 3600, seconds / 60 % 60),
    }
}

/// How much of the work is done, by the estimates.
pub struct Progress {
    start: Instant,
    done: f64,
    left: f64,
}

impl Progress {
    /// Nothing is done yet.
    pub fn new(jobs: &[Job], pools: &[ThreadPool]) -> Self {
        let left = jobs
            .iter()
            .flat_map(|job| pools.iter().map(|pool| work(job, pool)))
            .sum();
        Self {
            start: Instant::now(),
            done: 0.0,
            left,
        }
    }

    /// Counts a job as not to be done.
    pub fn skip(&mut self, job: &Job, pools: &[ThreadPool]) {
        self.left -= pools.iter().map(|pool| work(job, pool)).sum::<f64>();
    }

    /// Counts a row as done; the time left.
    pub fn done(&mut self, job: &Job, pool: &ThreadPool) -> Duration {
        let work = work(job, pool);
        self.done += work;
        self.left = (self.left - work).max(0.0);
        self.start.elapsed().mul_f64(self.left / self.done.max(1.0))
    }
}

/// Work divided by the threads that can run at once.
fn work(job: &Job, pool: &ThreadPool) -> f64 {
    job.work() / pool.current_num_threads().min(cores()) as f64
}
