//! Two profiles side by side.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::report::{Calls, FunctionCycles, Profile};

/// A number in two profiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What is counted.
    pub name: String,
    /// In the first profile.
    pub before: u64,
    /// In the second.
    pub after: u64,
}

impl Change {
    /// Growth in per cent of the first number; `None` if that was 0 and the second is not.
    #[must_use]
    #[allow(
        clippy::cast_precision_loss,
        reason = "a percentage needs no more digits"
    )]
    pub fn growth(&self) -> Option<f64> {
        match (self.before, self.after) {
            (0, 0) => Some(0.0),
            (0, _) => None,
            (before, after) => Some((after as f64 / before as f64 - 1.0) * 100.0),
        }
    }

    /// Distance of the two numbers.
    #[must_use]
    pub const fn distance(&self) -> u64 {
        self.after.abs_diff(self.before)
    }
}

/// What changed from one profile to another. Every list is sorted, largest change first, and holds
/// only what differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// All cycles, equal or not.
    pub cycles: Change,
    /// Whether both runs committed the same bytes.
    pub same_output: bool,
    /// Whether both runs ended the same way.
    pub same_exit: bool,
    /// Own cycles of functions.
    pub functions: Vec<Change>,
    /// Cycles of steps.
    pub steps: Vec<Change>,
    /// Calls of hash functions and of system calls.
    pub calls: Vec<Change>,
}

/// Compares two profiles.
#[must_use]
pub fn compare(before: &Profile, after: &Profile) -> Comparison {
    let functions = |list: &[FunctionCycles]| sums(list.iter().map(|f| (f.name.clone(), f.cycles)));
    let steps = |profile: &Profile| {
        let steps = profile.steps.iter();
        sums(steps.map(|s| (format!("step {}", s.step), s.cycles)))
    };
    let calls = |profile: &Profile| {
        let all = profile.facts.system_calls.iter().chain(&profile.hashes);
        let mut calls = BTreeMap::new();
        for Calls { name, calls: n } in all {
            calls.insert(name.clone(), *n);
        }
        calls
    };
    Comparison {
        cycles: Change {
            name: "cycles".into(),
            before: before.facts.cycles,
            after: after.facts.cycles,
        },
        same_output: before.facts.output == after.facts.output,
        same_exit: before.facts.exit == after.facts.exit,
        functions: changes(&functions(&before.functions), &functions(&after.functions)),
        steps: changes(&steps(before), &steps(after)),
        calls: changes(&calls(before), &calls(after)),
    }
}

fn sums(rows: impl Iterator<Item = (String, u64)>) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for (name, cycles) in rows {
        *sums.entry(name).or_insert(0) += cycles;
    }
    sums
}

fn changes(before: &BTreeMap<String, u64>, after: &BTreeMap<String, u64>) -> Vec<Change> {
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    let change = |name: &String| Change {
        name: name.clone(),
        before: before.get(name).copied().unwrap_or(0),
        after: after.get(name).copied().unwrap_or(0),
    };
    let mut changes: Vec<Change> = names.into_iter().map(change).collect();
    changes.retain(|change| change.before != change.after);
    changes.sort_by(|a, b| (b.distance(), &a.name).cmp(&(a.distance(), &b.name)));
    changes
}
