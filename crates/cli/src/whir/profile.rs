//! Where the time went.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::front::{Stage, StageTimes};
use crate::text::table;

/// Wall time of a command, cut into parts that sum to it.
#[derive(Debug)]
pub struct Profile {
    start: Instant,
    parts: Vec<(&'static str, Duration)>,
}

impl Profile {
    /// Starts the clock.
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
            parts: Vec::new(),
        }
    }

    /// Runs `work` as a part of its own.
    pub fn time<R>(&mut self, name: &'static str, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.parts.push((name, start.elapsed()));
        result
    }

    /// Adds a part that was timed elsewhere.
    pub fn add(&mut self, name: &'static str, time: Duration) {
        self.parts.push((name, time));
    }

    /// Adds the prover's stages.
    pub fn prover(&mut self, times: &StageTimes) {
        self.parts.extend(
            Stage::ALL
                .iter()
                .map(|&stage| (stage.name(), times.get(stage))),
        );
    }

    /// Stops the clock; what no part accounts for becomes the last part.
    pub fn stop(mut self) -> Finished {
        let wall = self.start.elapsed();
        let known: Duration = self.parts.iter().map(|(_, time)| *time).sum();
        self.parts
            .push(("checks and set-up", wall.saturating_sub(known)));
        Finished {
            wall,
            parts: self.parts,
        }
    }
}

/// A finished profile.
#[derive(Debug)]
pub struct Finished {
    /// Wall time of the command.
    pub wall: Duration,
    parts: Vec<(&'static str, Duration)>,
}

impl Finished {
    /// A table of parts in milliseconds and per cent.
    pub fn text(&self) -> String {
        let row = |name: &str, time: Duration| {
            let share = 100.0 * time.as_secs_f64() / self.wall.as_secs_f64().max(1e-9);
            vec![
                name.to_string(),
                format!("{:.3}", time.as_secs_f64() * 1e3),
                format!("{share:.1}"),
            ]
        };
        let mut rows: Vec<_> = self
            .parts
            .iter()
            .map(|(name, time)| row(name, *time))
            .collect();
        rows.push(row("total", self.wall));
        table(&["stage", "ms", "%"], &rows)
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        let parts: Vec<Value> = self
            .parts
            .iter()
            .map(|(name, time)| json!({ "stage": name, "ms": time.as_secs_f64() * 1e3 }))
            .collect();
        json!({ "wall_ms": self.wall.as_secs_f64() * 1e3, "stages": parts })
    }
}
