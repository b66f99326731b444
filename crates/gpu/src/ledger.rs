//! What was asked of the device: counted by the caller's formulas, not measured.

use std::collections::BTreeMap;
use std::ops::{Add, AddAssign, Mul};
use std::time::Duration;

/// Work of one dispatch, by formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes read from device memory, each counted once where a workgroup shares it.
    pub read: u64,
    /// Bytes written to device memory.
    pub written: u64,
    /// Base-field products, or as many operations of similar cost.
    pub products: u64,
}

impl Cost {
    /// A cost.
    #[must_use]
    pub const fn new(read: u64, written: u64, products: u64) -> Self {
        Self {
            read,
            written,
            products,
        }
    }

    /// Bytes moved.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.read + self.written
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            read: self.read + other.read,
            written: self.written + other.written,
            products: self.products + other.products,
        }
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u64> for Cost {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self {
            read: self.read * times,
            written: self.written * times,
            products: self.products * times,
        }
    }
}

/// All dispatches of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// How many.
    pub dispatches: u64,
    /// Their summed cost.
    pub cost: Cost,
    /// Device time, where dispatches are timed.
    pub time: Duration,
}

/// Counters of a device, or of a plan that was not run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// By kind of dispatch.
    pub entries: BTreeMap<&'static str, Entry>,
    /// Command buffers handed to the queue.
    pub submissions: u64,
    /// Times the host waited for the device.
    pub waits: u64,
    /// Bytes from the host, parameters excluded.
    pub uploaded: u64,
    /// Bytes to the host.
    pub read_back: u64,
}

impl Ledger {
    /// Adds one dispatch.
    pub fn record(&mut self, kind: &'static str, cost: Cost) {
        let entry = self.entries.entry(kind).or_default();
        entry.dispatches += 1;
        entry.cost += cost;
    }

    /// Adds work of a kind that a dispatch of another kind does beside its own.
    pub fn attribute(&mut self, kind: &'static str, cost: Cost) {
        self.entries.entry(kind).or_default().cost += cost;
    }

    /// Summed cost of the kinds whose name starts with `prefix`.
    #[must_use]
    pub fn cost(&self, prefix: &str) -> Cost {
        self.entries
            .iter()
            .filter(|(kind, _)| kind.starts_with(prefix))
            .fold(Cost::default(), |sum, (_, entry)| sum + entry.cost)
    }

    /// Dispatches of all kinds.
    #[must_use]
    pub fn dispatches(&self) -> u64 {
        self.entries.values().map(|entry| entry.dispatches).sum()
    }
}
