//! CPU time per compression of every stage of a proof, by hand:
//! `cargo test --release --test stage_times -- --ignored --nocapture`.

#![allow(clippy::print_stderr)]

use prova_hash_batch::{Parameters, Profile, verify};
use prova_hash_batch_prover::arm::Arm;
use prova_hash_batch_prover::batch::Batch;
use prova_hash_batch_prover::observer::{Observer, Stage};
use prova_hash_batch_prover::prove::{Options, prove};
use std::sync::Mutex;
use std::time::Duration;

/// CPU time of the process, which a busy machine disturbs less than the wall clock.
fn cpu_time() -> Duration {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(t.tv_sec as u64, t.tv_nsec as u32)
}

struct Watch(Mutex<Vec<(Stage, Duration)>>);

impl Observer for Watch {
    fn enter(&self, stage: Stage) {
        self.0.lock().unwrap().push((stage, cpu_time()));
    }
}

fn variable<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(default)
}

#[test]
#[ignore = "measures"]
fn stages() {
    let log: u32 = variable("LOG", 14);
    let only: String = variable("ARM", String::new());
    let threads = variable("THREADS", 1);
    let messages: Vec<[u8; 64]> = (0..1u32 << log)
        .map(|t| std::array::from_fn(|i| (t.wrapping_mul(i as u32 + 7) >> 3) as u8))
        .collect();
    let batch = Batch::digests(&messages).unwrap();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    for _ in 0..variable("REPEAT", 3) {
        for arm in Arm::all_available() {
            if !only.is_empty() && only != format!("{arm:?}") {
                continue;
            }
            for rounds_from_bits in variable("FROM", 1)..=variable("TO", 3) {
                let watch = Watch(Mutex::new(Vec::new()));
                let plan = if variable("LEAN", 0) == 1 {
                    Options::lean(arm)
                } else {
                    Options::fast(arm)
                };
                let options = Options {
                    rounds_from_bits,
                    ..plan
                };
                let profile = if variable("PROFILE", 1) == 0 {
                    Profile::V0
                } else {
                    Profile::V1
                };
                let parameters = Parameters {
                    profile,
                    ..Parameters::default()
                };
                let proof = pool
                    .install(|| prove(&batch, &parameters, &options, &watch))
                    .unwrap();
                let end = cpu_time();
                verify(&batch.statement, &parameters, &proof).unwrap();
                let verifying = (cpu_time() - end).as_micros();
                let mut times = watch.0.into_inner().unwrap();
                let total = (end - times[0].1).as_nanos() >> log;
                times.push((Stage::Opening, end));
                let line: Vec<String> = times
                    .windows(2)
                    .map(|w| format!("{:?} {}", w[0].0, (w[1].1 - w[0].1).as_nanos() >> log))
                    .collect();
                eprintln!(
                    "2^{log} {arm:?} {rounds_from_bits}: {}; total {total} ns each, verify {verifying} us, {} bytes",
                    line.join(", "),
                    proof.len(),
                );
            }
        }
    }
}
