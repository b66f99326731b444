//! One row: everything in turn, run by run.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ark_ec::VariableBaseMSM;
use ark_ed_on_bls12_381_bandersnatch::{EdwardsAffine, EdwardsProjective, Fq, Fr as ArkFr};
use ark_ff::PrimeField;
use prova_verkle::file::{Record, Statement};
use prova_verkle::multiproof::BatchItem;
use prova_verkle::{Arm, MultiProof, Opening, Query, Setup, Transcript, multiproof};
use rayon::ThreadPool;
use rustix::time::{ClockId, clock_gettime};

use super::inputs::Inputs;
use super::{Batch, Row, SetupCost, Timing};
use crate::alloc;
use crate::bench::stats::Spread;
use crate::error::Failure;
use crate::signals;

const LABEL: &[u8] = b"vt";

/// Makes a setup and its tables, several times.
///
/// # Errors
/// A signal.
pub fn setup(pool: &ThreadPool, arm: Arm, runs: u16) -> Result<(Setup, SetupCost), Failure> {
    let make = || {
        let setup = Setup::ethereum().with_arm(arm);
        setup.prepare();
        setup
    };
    let mut times = Vec::new();
    for _ in 0..runs {
        check_signal()?;
        let start = Instant::now();
        black_box(pool.install(make));
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let setup = pool.install(make);
    let cost = SetupCost {
        arm: arm.name(),
        threads: pool.current_num_threads(),
        ms: Spread::of(times),
        table_bytes: setup.table_bytes(),
    };
    Ok((setup, cost))
}

fn check_signal() -> Result<(), Failure> {
    if signals::cancelled() {
        return Err(Failure::cancelled());
    }
    Ok(())
}

/// CPU time of the whole process.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Samples of one operation.
#[derive(Default)]
struct Samples {
    wall: Vec<f64>,
    cpu: Vec<f64>,
    allocations: u64,
    peak: u64,
}

impl Samples {
    /// Runs `work` on the pool; the result counts unless this is the warm-up.
    fn run<T: Send>(&mut self, pool: &ThreadPool, keep: bool, work: impl Fn() -> T + Sync) -> T {
        let count = || -> u64 { pool.broadcast(|_| alloc::thread_count()).iter().sum() };
        // What asking costs.
        let (first, second) = (count(), count());
        let before = alloc::live();
        alloc::reset_peak();
        let (wall, cpu) = (Instant::now(), cpu_time());
        let result = pool.install(&work);
        let (wall, cpu) = (wall.elapsed(), cpu_time().saturating_sub(cpu));
        let peak = alloc::peak().saturating_sub(before);
        let made = count() - second;
        if keep {
            self.wall.push(wall.as_secs_f64() * 1e3);
            self.cpu.push(cpu.as_secs_f64() * 1e3);
            self.allocations = self.allocations.max(made.saturating_sub(second - first));
            self.peak = self.peak.max(peak);
        }
        result
    }

    fn timing(self) -> Timing {
        Timing {
            wall_ms: Spread::of(self.wall),
            cpu_ms: Spread::of(self.cpu),
            allocations: self.allocations,
            peak_bytes: self.peak,
        }
    }
}

/// The yardstick's inputs.
struct Yardstick {
    points: Vec<EdwardsAffine>,
    scalars: Vec<ArkFr>,
}

impl Yardstick {
    fn new(inputs: &Inputs) -> Self {
        let points = inputs.commitments().iter().map(|commitment| {
            let bytes = commitment.to_uncompressed_le();
            let (x, y) = bytes.split_at(32);
            EdwardsAffine::new_unchecked(
                Fq::from_le_bytes_mod_order(x),
                Fq::from_le_bytes_mod_order(y),
            )
        });
        Self {
            points: points.collect(),
            scalars: inputs
                .scalars()
                .map(|scalar| ArkFr::from_le_bytes_mod_order(&scalar.to_le_bytes()))
                .collect(),
        }
    }

    fn run(&self) -> f64 {
        let cpu = cpu_time();
        let _ = black_box(EdwardsProjective::msm(&self.points, &self.scalars));
        cpu_time().saturating_sub(cpu).as_secs_f64() * 1e3
    }
}

/// One side: kernels and what they have done so far.
struct Side<'a> {
    setup: &'a Setup,
    prove: Samples,
    verify: Samples,
    verify_bytes: Samples,
}

/// One row for each of the setups.
///
/// # Errors
/// A signal, or a proof that is wrong.
pub fn rows(
    pool: &ThreadPool,
    setups: &[Setup],
    inputs: &Inputs,
    runs: u16,
) -> Result<Vec<Row>, Failure> {
    let openings = inputs.openings();
    let queries = inputs.queries();
    let statement = Statement {
        label: LABEL.to_vec(),
        records: queries.iter().map(Record::from).collect(),
    };
    let yardstick = Yardstick::new(inputs);
    let mut yardstick_ms = Vec::new();
    let mut sides: Vec<Side<'_>> = setups
        .iter()
        .map(|setup| Side {
            setup,
            prove: Samples::default(),
            verify: Samples::default(),
            verify_bytes: Samples::default(),
        })
        .collect();
    let mut reference = None;
    for run in 0..=runs {
        check_signal()?;
        let keep = run > 0;
        let time = yardstick.run();
        if keep {
            yardstick_ms.push(time);
        }
        for side in &mut sides {
            let proof = side.run(pool, keep, &openings, &queries, &statement)?;
            if *reference.get_or_insert(proof) != proof {
                return Err(Failure::rejected("two runs gave different proofs"));
            }
        }
    }
    let yardstick_ms = Spread::of(yardstick_ms);
    Ok(sides
        .into_iter()
        .map(|side| Row {
            openings: openings.len(),
            threads: pool.current_num_threads(),
            arm: side.setup.arm().name(),
            yardstick_ms,
            prove: side.prove.timing(),
            verify: side.verify.timing(),
            // Decoding always takes the best kernels.
            verify_bytes: (side.setup.arm() == Arm::best()).then(|| side.verify_bytes.timing()),
        })
        .collect())
}

impl Side<'_> {
    fn run(
        &mut self,
        pool: &ThreadPool,
        keep: bool,
        openings: &[Opening<'_>],
        queries: &[Query<'_>],
        statement: &Statement,
    ) -> Result<[u8; multiproof::PROOF_LEN], Failure> {
        let setup = self.setup;
        let wrong = |error: &dyn std::fmt::Display| Failure::rejected(error);
        let proof = self
            .prove
            .run(pool, keep, || {
                multiproof::prove(setup, &mut Transcript::new(LABEL), openings)
            })
            .map_err(|error| wrong(&error))?;
        let bytes = proof.to_bytes();
        let proof = MultiProof::from_bytes(&bytes).map_err(|error| wrong(&error))?;
        self.verify
            .run(pool, keep, || {
                multiproof::verify(setup, &mut Transcript::new(LABEL), &proof, queries)
            })
            .map_err(|error| wrong(&error))?;
        self.verify_bytes
            .run(pool, keep, || statement.verify(setup, &bytes))
            .map_err(|error| wrong(&error))?;
        Ok(bytes)
    }
}

/// The same proof several times, which saves a verifier nothing.
///
/// # Errors
/// A signal, or a proof that is wrong.
pub fn batch(
    pool: &ThreadPool,
    setup: &Setup,
    inputs: &Inputs,
    proofs: usize,
    runs: u16,
) -> Result<Batch, Failure> {
    let (openings, queries) = (inputs.openings(), inputs.queries());
    let proof = pool
        .install(|| multiproof::prove(setup, &mut Transcript::new(LABEL), &openings))
        .map_err(Failure::rejected)?;
    let (mut one_by_one, mut together) = (Samples::default(), Samples::default());
    for run in 0..=runs {
        check_signal()?;
        let keep = run > 0;
        one_by_one
            .run(pool, keep, || {
                (0..proofs).try_for_each(|_| {
                    multiproof::verify(setup, &mut Transcript::new(LABEL), &proof, &queries)
                })
            })
            .map_err(Failure::rejected)?;
        together
            .run(pool, keep, || {
                let mut transcripts = vec![Transcript::new(LABEL); proofs];
                let mut items: Vec<BatchItem<'_>> = transcripts
                    .iter_mut()
                    .map(|transcript| BatchItem {
                        transcript,
                        proof: &proof,
                        queries: &queries,
                    })
                    .collect();
                multiproof::verify_batch(setup, &mut items)
            })
            .map_err(Failure::rejected)?;
    }
    Ok(Batch {
        proofs,
        openings: openings.len(),
        threads: pool.current_num_threads(),
        arm: setup.arm().name(),
        one_by_one: one_by_one.timing(),
        together: together.timing(),
    })
}
