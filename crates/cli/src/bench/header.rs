//! Where, when and how a benchmark was run; nothing that names a host, a user or a folder.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use p3_baby_bear::BabyBear;
use p3_field::PackedValue;
use p3_koala_bear::KoalaBear;
use p3_symmetric::Permutation;
use prova_whir::suite::BaseField;
use rayon::ThreadPool;
use serde::Serialize;

use super::gpu::GpuHeader;
use crate::machine;

/// What tables of different machines are compared by.
#[derive(Clone, Debug, Serialize)]
pub struct Header {
    /// Version of this program.
    pub version: &'static str,
    /// Day of the run, UTC.
    pub date: String,
    /// CPU model, as far as the system tells.
    pub cpu: String,
    /// Logical cores.
    pub cores: usize,
    /// Memory in bytes, as far as the system tells.
    pub memory_bytes: Option<u64>,
    /// Architecture and operating system.
    pub target: String,
    /// CPU features this program was compiled for.
    pub target_features: Vec<&'static str>,
    /// Vectors this program was compiled for.
    pub simd: &'static str,
    /// The command that runs it again; where results are written to is left out.
    pub command: String,
    /// The grid's name.
    pub grid: String,
    /// The preset's name.
    pub preset: String,
    /// Field, extension, hash suite and regime, in words.
    pub parameters: String,
    /// Version of the published prover, and how it was built.
    pub stock: &'static str,
    /// Yardstick: Poseidon2 permutations of width 16 that Plonky3's packed fields do in a second.
    pub yardstick: Vec<Yardstick>,
    /// The GPU, if one was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<GpuHeader>,
}

/// Plonky3's packed Poseidon2 of width 16, on independent states on every thread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Yardstick {
    /// Threads.
    pub threads: usize,
    /// Permutations a second over BabyBear, all threads together.
    pub babybear_per_second: f64,
    /// Permutations a second over KoalaBear, all threads together.
    pub koalabear_per_second: f64,
}

/// How the published prover is built here.
pub const STOCK: &str = "p3-whir 0.9.0-rc.2, feature `parallel`, `Radix2DFTSmallBatch`";

/// The header's part that is about the machine; the rest is the caller's.
pub fn machine_header(pools: &[ThreadPool]) -> Header {
    let compiled = machine::features()
        .into_iter()
        .filter(|feature| feature.compiled);
    Header {
        version: env!("CARGO_PKG_VERSION"),
        date: date(SystemTime::now()),
        cpu: cpu_model(),
        cores: cores(),
        memory_bytes: machine::memory().total,
        target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        target_features: compiled.map(|feature| feature.name).collect(),
        simd: machine::compiled_simd(),
        command: String::new(),
        grid: String::new(),
        preset: String::new(),
        parameters: String::new(),
        stock: STOCK,
        yardstick: pools.iter().map(yardstick).collect(),
        gpu: None,
    }
}

/// Logical cores this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

pub fn cpu_model() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let model = model
        .and_then(|line| line.split_once(':'))
        .map(|(_, name)| name.trim().to_string());
    model
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "unknown".to_string())
}

/// `YYYY-MM-DD` of a time, UTC.
pub fn date(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day of a number of days since 1970-01-01, in the Gregorian calendar.
///
/// Years are counted from March, so that a leap day is a year's last; 719,468 days lie between
/// 0000-03-01 and 1970-01-01.
const fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = era * 400 + year_of_era + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

fn yardstick(pool: &ThreadPool) -> Yardstick {
    let sum = |rates: Vec<f64>| rates.into_iter().sum();
    Yardstick {
        threads: pool.current_num_threads(),
        babybear_per_second: sum(pool.broadcast(|_| permutations_per_second::<BabyBear>())),
        koalabear_per_second: sum(pool.broadcast(|_| permutations_per_second::<KoalaBear>())),
    }
}

/// The best of three short measurements on this thread.
fn permutations_per_second<F: BaseField>() -> f64 {
    const STATES: usize = 8;
    const PASSES: usize = 64;
    const SHARE: Duration = Duration::from_millis(50);
    let permutation = F::poseidon16();
    let mut states: [[F::Packing; 16]; STATES] = std::array::from_fn(|state| {
        std::array::from_fn(|word| F::Packing::from_fn(|lane| F::from_usize(state + word + lane)))
    });
    let mut best = 0.0_f64;
    for _ in 0..3 {
        let start = Instant::now();
        let mut done = 0_usize;
        while start.elapsed() < SHARE {
            for _ in 0..PASSES {
                for state in &mut states {
                    permutation.permute_mut(state);
                }
            }
            done += PASSES * STATES * F::Packing::WIDTH;
        }
        best = best.max(done as f64 / start.elapsed().as_secs_f64());
    }
    std::hint::black_box(&states);
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(59), (1970, 3, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(19_782), (2024, 2, 29));
        assert_eq!(
            date(UNIX_EPOCH + Duration::from_secs(1_767_225_600)),
            "2026-01-01"
        );
    }
}
