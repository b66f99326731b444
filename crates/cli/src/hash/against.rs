//! `prova hash bench --against`: another prover of the same digests, run by run beside ours.

use std::fmt::Write;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use prova_hash_batch::Digest;
use prova_hash_batch_peer::{Field, Peer, PeerError};
use rayon::ThreadPool;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use crate::alloc;
use crate::bench::stats::Spread;
use crate::error::Failure;
use crate::memsize::MemSize;
use crate::output::Output;
use crate::signals;

/// Other provers of digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Against {
    /// Plonky3's BLAKE2s AIR over two fields: p3-blake2s-air under p3-multi-stark.
    P3,
}

impl Against {
    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::P3 => "p3",
        }
    }

    /// The provers to run.
    const fn fields(self) -> &'static [Field] {
        match self {
            Self::P3 => &Field::ALL,
        }
    }
}

/// Wall and CPU time of one thing.
#[derive(Clone, Copy)]
pub struct Cost {
    /// Wall time.
    pub wall: Duration,
    /// CPU time of the whole process.
    pub cpu: Duration,
}

/// A running clock.
pub struct Clock {
    wall: Instant,
    cpu: Duration,
}

impl Clock {
    /// Starts.
    pub fn start() -> Self {
        Self {
            cpu: cpu_time(),
            wall: Instant::now(),
        }
    }

    /// What passed.
    pub fn cost(&self) -> Cost {
        Cost {
            wall: self.wall.elapsed(),
            cpu: cpu_time().saturating_sub(self.cpu),
        }
    }
}

/// CPU time of the whole process.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A peer at one number of compressions and threads.
#[derive(Clone, Debug, Serialize)]
pub struct PeerRow {
    log_n: u32,
    threads: usize,
    peer: &'static str,
    field: &'static str,
    commitment: &'static str,
    /// What was measured, or why nothing was.
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Outcome {
    Measured(Measured),
    NotRun { not_run: String },
}

#[derive(Clone, Debug, Serialize)]
struct Measured {
    /// The sum of all error terms.
    security_bits: f64,
    prove_ms: Spread,
    prove_cpu_ms: f64,
    per_second: f64,
    verify_ms: Spread,
    proof_bytes: usize,
    peak_bytes: u64,
    /// Our time through the peer's in the same run.
    ours_to_peer: Spread,
    /// The same of CPU time.
    ours_to_peer_cpu: Spread,
}

/// One peer of one row of ours: prepared, or the reason why it cannot be run.
pub struct Beside {
    log_n: u32,
    threads: usize,
    field: Field,
    peer: Result<Peer, String>,
    samples: Samples,
}

#[derive(Default)]
struct Samples {
    prove: Vec<f64>,
    prove_cpu: Vec<f64>,
    verify: Vec<f64>,
    ratio: Vec<f64>,
    ratio_cpu: Vec<f64>,
    proof_bytes: usize,
    peak: u64,
}

impl Beside {
    /// All peers that prove `digests`, a power of two of them.
    ///
    /// # Errors
    /// A number of digests that no peer proves.
    pub fn all(
        against: Against,
        digests: &[Digest],
        log_inv_rate: u32,
        threads: usize,
        limit: Option<u64>,
    ) -> Result<Vec<Self>, Failure> {
        let log_n = digests.len().ilog2();
        let prepare = |field: Field| {
            let need = field.peak_bytes(log_n, log_inv_rate);
            let peer = match limit.filter(|limit| need > *limit) {
                Some(limit) => Err(format!(
                    "not enough memory: needs about {}, limit {}",
                    MemSize(need),
                    MemSize(limit)
                )),
                None => match Peer::new(field, digests, log_inv_rate) {
                    Ok(peer) => Ok(peer),
                    Err(error @ PeerError::Setup(_)) => Err(error.to_string()),
                    Err(error) => return Err(Failure::malformed(error)),
                },
            };
            Ok(Self {
                log_n,
                threads,
                field,
                peer,
                samples: Samples::default(),
            })
        };
        against.fields().iter().copied().map(prepare).collect()
    }

    /// One run beside one of ours that took `ours`; verified, and kept unless it warms up.
    ///
    /// # Errors
    /// A signal, or a proof that the peer itself does not accept.
    pub fn run(
        &mut self,
        pool: &ThreadPool,
        messages: &[[u8; 64]],
        ours: Cost,
        keep: bool,
    ) -> Result<(), Failure> {
        let Ok(peer) = &self.peer else {
            return Ok(());
        };
        if signals::cancelled() {
            return Err(Failure::cancelled());
        }
        let wrong =
            |error: PeerError| Failure::rejected(format_args!("peer over {}: {error}", self.field));
        let before = alloc::live();
        alloc::reset_peak();
        let clock = Clock::start();
        let proof = pool.install(|| peer.prove(messages)).map_err(wrong)?;
        let cost = clock.cost();
        let used = alloc::peak().saturating_sub(before);
        let clock = Clock::start();
        peer.verify(&proof).map_err(wrong)?;
        let verified = clock.cost();
        if keep {
            let samples = &mut self.samples;
            samples.prove.push(ms(cost.wall));
            samples.prove_cpu.push(ms(cost.cpu));
            samples.verify.push(ms(verified.wall));
            samples.ratio.push(ms(ours.wall) / ms(cost.wall));
            samples.ratio_cpu.push(ms(ours.cpu) / ms(cost.cpu));
            samples.proof_bytes = proof.len();
            samples.peak = samples.peak.max(used);
        }
        Ok(())
    }

    /// What the runs gave.
    pub fn finish(self, output: Output) -> PeerRow {
        let samples = self.samples;
        let outcome = match self.peer {
            Err(not_run) => {
                output.note(&format!(
                    "2^{} compressions over {}: {not_run}",
                    self.log_n, self.field
                ));
                Outcome::NotRun { not_run }
            }
            Ok(peer) => {
                let prove_ms = Spread::of(samples.prove);
                Outcome::Measured(Measured {
                    security_bits: peer.security_bits(),
                    per_second: f64::from(1 << self.log_n) / (prove_ms.median / 1e3),
                    prove_ms,
                    prove_cpu_ms: Spread::of(samples.prove_cpu).median,
                    verify_ms: Spread::of(samples.verify),
                    proof_bytes: samples.proof_bytes,
                    peak_bytes: samples.peak,
                    ours_to_peer: Spread::of(samples.ratio),
                    ours_to_peer_cpu: Spread::of(samples.ratio_cpu),
                })
            }
        };
        PeerRow {
            log_n: self.log_n,
            threads: self.threads,
            peer: "p3-blake2s-air",
            field: self.field.name(),
            commitment: self.field.commitment(),
            outcome,
        }
    }
}

/// A row of ours as the peers' table shows it.
pub struct Ours {
    /// Logarithm of the number of compressions.
    pub log_n: u32,
    /// Number of threads.
    pub threads: usize,
    /// Bits of the weakest round.
    pub security_bits: f64,
    /// Proving, in ms.
    pub prove_ms: Spread,
    /// Compressions a second.
    pub per_second: f64,
    /// Verifying, in ms.
    pub verify_ms: f64,
    /// Bytes of the proof.
    pub proof_bytes: usize,
    /// Most memory, in bytes.
    pub peak_bytes: u64,
}

/// The table of peers, each number of compressions and threads with our row above them.
pub fn render(ours: &[Ours], peers: &[PeerRow]) -> String {
    let mut out = String::from(
        "\n\n## Beside p3-blake2s-air\n\n\
         | compressions | threads | prover | security bits | prove ms (min–max) | a second \
         | verify ms | proof KiB | peak MiB | ours/peer time (min–max) | ours/peer CPU |\n",
    );
    let _ = writeln!(out, "|{}", "--:|".repeat(11));
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    for own in ours {
        let _ = writeln!(
            out,
            "| 2^{} | {} | prova, GF(2^192) | {:.1} a round | {} | {:.0} | {:.2} | {:.1} | {:.0} | 1 | 1 |",
            own.log_n,
            own.threads,
            own.security_bits,
            spread(&own.prove_ms, 1),
            own.per_second,
            own.verify_ms,
            own.proof_bytes as f64 / 1024.0,
            mib(own.peak_bytes),
        );
        let beside = |row: &&PeerRow| row.log_n == own.log_n && row.threads == own.threads;
        for row in peers.iter().filter(beside) {
            let _ = write!(
                out,
                "| 2^{} | {} | {}, {}: {} | ",
                row.log_n, row.threads, row.peer, row.field, row.commitment
            );
            let _ = match &row.outcome {
                Outcome::NotRun { not_run } => writeln!(out, "– | {not_run} | | | | | | |"),
                Outcome::Measured(m) => writeln!(
                    out,
                    "{:.1} | {} | {:.0} | {:.2} | {:.1} | {:.0} | {} | {:.2} |",
                    m.security_bits,
                    spread(&m.prove_ms, 1),
                    m.per_second,
                    m.verify_ms.median,
                    m.proof_bytes as f64 / 1024.0,
                    mib(m.peak_bytes),
                    spread(&m.ours_to_peer, 2),
                    m.ours_to_peer_cpu.median,
                ),
            };
        }
    }
    out.push_str(
        "\nThe same messages and digests, run by run in turn with ours, at the same rate of the code \
         and with BLAKE2s in trees and transcripts; every proof is verified. A ratio below 1 says that \
         ours takes less; it is the median over the runs. Proving includes the witness; the peer's \
         keys are made beforehand. Security: the peer's is the sum of all its error terms, \
         collisions of the hash included; ours is that of the weakest round.",
    );
    out
}

fn spread(sample: &Spread, decimals: usize) -> String {
    format!(
        "{:.decimals$} ({:.decimals$}–{:.decimals$})",
        sample.median, sample.min, sample.max
    )
}
