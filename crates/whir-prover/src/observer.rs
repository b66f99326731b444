//! Progress, cancellation and stage times: the prover's only way to talk to its caller.

use core::fmt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What the prover is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Reed-Solomon encoding.
    Encode,
    /// Hashing rows and nodes of Merkle trees.
    Merkle,
    /// Evaluating the committed polynomial at opening and out-of-domain points.
    Claims,
    /// Sumcheck rounds and folds.
    Sumcheck,
    /// Equality and select weights of new constraints.
    Weights,
    /// Proof-of-work.
    Grinding,
    /// Opening queried rows and their Merkle paths.
    Openings,
    /// Transcript, set-up and everything else.
    Other,
}

impl Stage {
    /// Every stage, in the order of reports.
    pub const ALL: [Self; 8] = [
        Self::Encode,
        Self::Merkle,
        Self::Claims,
        Self::Sumcheck,
        Self::Weights,
        Self::Grinding,
        Self::Openings,
        Self::Other,
    ];

    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Encode => "encode",
            Self::Merkle => "merkle",
            Self::Claims => "claims",
            Self::Sumcheck => "sumcheck",
            Self::Weights => "weights",
            Self::Grinding => "grinding",
            Self::Openings => "openings",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A caller's window on a running proof. Every method has a default that does nothing.
pub trait Observer: Sync {
    /// The prover turns to `stage` of round `round` (0 is the commitment).
    fn enter(&self, stage: Stage, round: usize) {
        let _ = (stage, round);
    }

    /// `done` of `total` work units are finished; units are proportional to estimated work, not
    /// time.
    fn progress(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// Asked between stages and while rows are hashed; `true` makes the prover stop early with
    /// [`Cancelled`].
    fn cancelled(&self) -> bool {
        false
    }
}

/// An observer that watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// The observer asked the prover to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Wall time by stage; the stages of a run sum to its wall time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes([Duration; Stage::ALL.len()]);

impl StageTimes {
    /// Time of a stage.
    #[must_use]
    pub fn get(&self, stage: Stage) -> Duration {
        self.0[stage as usize]
    }

    /// Sum over all stages.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }
}

struct Running {
    times: StageTimes,
    stage: Stage,
    since: Instant,
}

/// Stopwatch over stages: every moment belongs to exactly one stage.
pub struct Stopwatch(Mutex<Running>);

impl Default for Stopwatch {
    fn default() -> Self {
        Self::new()
    }
}

impl Stopwatch {
    /// Starts in [`Stage::Other`].
    #[must_use]
    pub fn new() -> Self {
        Self(Mutex::new(Running {
            times: StageTimes::default(),
            stage: Stage::Other,
            since: Instant::now(),
        }))
    }

    fn with<R>(&self, run: impl FnOnce(&mut Running) -> R) -> R {
        let mut running = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let now = Instant::now();
        let stage = running.stage;
        let elapsed = now.duration_since(running.since);
        running.times.0[stage as usize] += elapsed;
        running.since = now;
        run(&mut running)
    }

    /// Runs `work` as `stage`, then returns to the stage before.
    pub fn time<R>(&self, stage: Stage, work: impl FnOnce() -> R) -> R {
        let before = self.with(|running| core::mem::replace(&mut running.stage, stage));
        let result = work();
        self.with(|running| running.stage = before);
        result
    }

    /// Moves `share` of the time since the current stage began to `to`: for two stages whose work
    /// is interleaved block by block.
    pub fn give(&self, to: Stage, share: Duration) {
        self.with(|running| {
            let from = running.stage;
            let share = share.min(running.times.0[from as usize]);
            running.times.0[from as usize] -= share;
            running.times.0[to as usize] += share;
        });
    }

    /// Times so far.
    #[must_use]
    pub fn times(&self) -> StageTimes {
        self.with(|running| running.times)
    }
}
