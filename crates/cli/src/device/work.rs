//! What a device was asked to do, by kernel and by family of kernels.

use serde::Serialize;
use serde_json::{Value, json};

use crate::front::{Cost, Ledger};
use crate::text::{table, thousands};

/// All dispatches of one kernel in a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelWork {
    /// The kernel.
    pub kernel: &'static str,
    /// Its dispatches.
    pub dispatches: u64,
    /// Bytes read, by formula.
    pub read_bytes: u64,
    /// Bytes written, by formula.
    pub written_bytes: u64,
    /// Base-field products, or operations of similar cost, by formula.
    pub products: u64,
    /// Device time in milliseconds; absent where dispatches were not timed.
    pub time_ms: Option<f64>,
    /// Gigabytes (10^9) moved in a second of device time.
    pub gb_per_second: Option<f64>,
    /// Thousand millions of products in a second of device time.
    pub gproducts_per_second: Option<f64>,
}

/// The work of every kernel, those with the most device time or bytes first.
pub fn kernels(ledger: &Ledger) -> Vec<KernelWork> {
    let mut entries: Vec<_> = ledger.entries.iter().collect();
    entries.sort_by_key(|(_, entry)| std::cmp::Reverse((entry.time, entry.cost.bytes())));
    entries
        .into_iter()
        .map(|(kernel, entry)| {
            let seconds = (!entry.time.is_zero()).then_some(entry.time.as_secs_f64());
            let rate = |amount: u64| seconds.map(|seconds| amount as f64 / seconds / 1e9);
            KernelWork {
                kernel,
                dispatches: entry.dispatches,
                read_bytes: entry.cost.read,
                written_bytes: entry.cost.written,
                products: entry.cost.products,
                time_ms: seconds.map(|seconds| seconds * 1e3),
                gb_per_second: rate(entry.cost.bytes()),
                gproducts_per_second: rate(entry.cost.products),
            }
        })
        .collect()
}

/// Kernels of one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Low-degree extension.
    Transforms,
    /// Leaves, nodes and opened digests.
    Trees,
    /// Tables of values and weights: rounds, folds, evaluations.
    Sumcheck,
    /// Proof-of-work.
    Grinding,
    /// Gathering, transposing, copying.
    Moves,
}

impl Family {
    /// In the order of reports.
    pub const ALL: [Self; 5] = [
        Self::Transforms,
        Self::Trees,
        Self::Sumcheck,
        Self::Grinding,
        Self::Moves,
    ];

    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transforms => "transforms",
            Self::Trees => "trees",
            Self::Sumcheck => "sumcheck",
            Self::Grinding => "grinding",
            Self::Moves => "moves",
        }
    }

    /// The family of a kernel, by the first word of its name.
    pub fn of(kernel: &str) -> Self {
        let first = kernel.split_whitespace().next().unwrap_or_default();
        match first {
            "ntt" => Self::Transforms,
            "mle" => Self::Sumcheck,
            "hash" => Self::Trees,
            "grind" => Self::Grinding,
            _ => Self::Moves,
        }
    }

    /// Dispatches and summed cost of the family.
    pub fn sum(self, ledger: &Ledger) -> (u64, Cost) {
        ledger
            .entries
            .iter()
            .filter(|(kernel, _)| Self::of(kernel) == self)
            .fold((0, Cost::default()), |(dispatches, cost), (_, entry)| {
                (dispatches + entry.dispatches, cost + entry.cost)
            })
    }
}

/// A number of bytes as mebibytes.
pub fn mib(bytes: u64) -> String {
    format!("{:.2}", bytes as f64 / f64::from(1 << 20))
}

fn cells(name: &str, dispatches: u64, cost: Cost) -> Vec<String> {
    vec![
        name.to_string(),
        thousands(dispatches),
        mib(cost.read),
        mib(cost.written),
        format!("{:.2}", cost.products as f64 / 1e6),
    ]
}

/// A table of the families that have work.
pub fn families_text(ledger: &Ledger) -> String {
    let rows: Vec<_> = Family::ALL
        .into_iter()
        .filter_map(|family| {
            let (dispatches, cost) = family.sum(ledger);
            (dispatches > 0).then(|| cells(family.name(), dispatches, cost))
        })
        .collect();
    table(
        &["work", "dispatches", "read MiB", "written MiB", "Mproducts"],
        &rows,
    )
}

/// A table of kernels, with times and rates where dispatches were timed, and the totals; only
/// these where nothing was dispatched.
pub fn text(ledger: &Ledger) -> String {
    let kernels = kernels(ledger);
    if kernels.is_empty() {
        return totals_line(ledger);
    }
    let timed = kernels.iter().any(|kernel| kernel.time_ms.is_some());
    let mut headers = vec![
        "kernel",
        "dispatches",
        "read MiB",
        "written MiB",
        "Mproducts",
    ];
    if timed {
        headers.extend(["ms", "GB/s", "Gproducts/s"]);
    }
    let rows: Vec<Vec<String>> = kernels
        .iter()
        .map(|kernel| {
            let cost = Cost::new(kernel.read_bytes, kernel.written_bytes, kernel.products);
            let mut row = cells(kernel.kernel, kernel.dispatches, cost);
            if timed {
                row.extend(times(kernel));
            }
            row
        })
        .collect();
    format!("{}\n\n{}", table(&headers, &rows), totals_line(ledger))
}

/// Time, gigabytes a second and thousand million products a second; `-` where not timed.
pub fn times(kernel: &KernelWork) -> [String; 3] {
    let show = |value: Option<f64>, digits: usize| {
        value.map_or("-".to_string(), |value| format!("{value:.digits$}"))
    };
    [
        show(kernel.time_ms, 3),
        show(kernel.gb_per_second, 2),
        show(kernel.gproducts_per_second, 2),
    ]
}

/// One line: submissions, waits and transfers.
pub fn totals_line(ledger: &Ledger) -> String {
    format!(
        "{} dispatches in {} submissions, {} waits, {} bytes uploaded, {} bytes read back",
        thousands(ledger.dispatches()),
        thousands(ledger.submissions),
        thousands(ledger.waits),
        thousands(ledger.uploaded),
        thousands(ledger.read_back),
    )
}

/// Kernels, families and totals as JSON.
pub fn json(ledger: &Ledger) -> Value {
    let mut families = serde_json::Map::new();
    for family in Family::ALL {
        let (dispatches, cost) = family.sum(ledger);
        families.insert(
            family.name().to_string(),
            json!({
                "dispatches": dispatches,
                "bytes": cost.bytes(),
                "products": cost.products,
            }),
        );
    }
    json!({
        "dispatches": ledger.dispatches(),
        "submissions": ledger.submissions,
        "waits": ledger.waits,
        "uploaded_bytes": ledger.uploaded,
        "read_back_bytes": ledger.read_back,
        "families": families,
        "kernels": kernels(ledger),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn ledger() -> Ledger {
        let mut ledger = Ledger::default();
        ledger.record("ntt tile", Cost::new(3_000_000, 1_000_000, 8_000_000));
        ledger.record("ntt stages", Cost::new(10, 20, 30));
        ledger.record("hash leaves", Cost::new(40, 50, 60));
        ledger.submissions = 2;
        if let Some(entry) = ledger.entries.get_mut("ntt tile") {
            entry.time = Duration::from_millis(2);
        }
        ledger
    }

    #[test]
    fn rates_are_work_over_device_time() {
        let kernels = kernels(&ledger());
        assert_eq!(kernels[0].kernel, "ntt tile");
        assert_eq!(kernels[0].time_ms, Some(2.0));
        assert!((kernels[0].gb_per_second.unwrap() - 2.0).abs() < 1e-9);
        assert!((kernels[0].gproducts_per_second.unwrap() - 4.0).abs() < 1e-9);
        assert_eq!(kernels[2].time_ms, None);
    }

    #[test]
    fn the_first_word_names_the_family() {
        for (kernel, family) in [
            ("ntt lifted", Family::Transforms),
            ("hash nodes", Family::Trees),
            ("mle bind", Family::Sumcheck),
            ("grind", Family::Grinding),
            ("move gather", Family::Moves),
        ] {
            assert_eq!(Family::of(kernel), family, "{kernel}");
        }
    }

    #[test]
    fn families_add_up() {
        let ledger = ledger();
        assert_eq!(
            Family::Transforms.sum(&ledger),
            (2, Cost::new(3_000_010, 1_000_020, 8_000_030))
        );
        let all: u64 = Family::ALL.map(|family| family.sum(&ledger).0).iter().sum();
        assert_eq!(all, ledger.dispatches());
        let json = json(&ledger);
        assert_eq!(json["families"]["trees"]["bytes"], 90);
        assert_eq!(json["kernels"].as_array().map(Vec::len), Some(3));
        assert!(text(&ledger).contains("3 dispatches in 2 submissions"));
        assert!(!families_text(&ledger).contains("sumcheck"));
        assert!(text(&Ledger::default()).starts_with("0 dispatches"));
    }
}
