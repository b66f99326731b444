//! Memory of a run, known before it starts, and the choice of the leanest plan a limit needs.

use std::borrow::Cow;

use p3_whir::WhirShape;
use prova_whir::Shape;

/// Bytes of a base-field element.
const ELEMENT: u64 = 4;
/// Bytes of a digest.
const DIGEST: u64 = 32;
/// Bytes of a row that counts as wide.
const WIDE_ROW: u64 = 128;
/// Allowance for twiddles, block buffers and the proof itself.
const SMALL: u64 = 4 << 20;

/// How a run spends memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Keep the first codeword for opening; otherwise opened rows are evaluated from the message.
    pub keep_codeword: bool,
    /// Largest number of bytes the run holds at once, the input's values included.
    pub peak_bytes: u64,
    /// The plan in words, on one line.
    pub note: Cow<'static, str>,
}

impl Plan {
    /// One line for people.
    #[must_use]
    pub fn describe(&self) -> &str {
        &self.note
    }
}

/// A limit that no plan fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("needs {need} bytes of memory, the limit is {limit}")]
pub struct OverLimit {
    /// Bytes of the leanest plan.
    pub need: u64,
    /// Bytes allowed.
    pub limit: u64,
}

/// Bytes of `2^log` items of `item` bytes; saturates, so that a hopeless size stays hopeless.
fn pow2_bytes(log: usize, item: u64) -> u64 {
    u32::try_from(log)
        .ok()
        .and_then(|log| item.checked_mul(1_u64.checked_shl(log)?))
        .unwrap_or(u64::MAX)
}

/// One commitment's bytes.
#[derive(Clone, Copy)]
struct Commitment {
    codeword: u64,
    tree: u64,
}

/// A tree without its leaf layer holds as many digests as the codeword has rows, less one.
fn commitment(variables: usize, fold: usize, log_inv_rate: usize, element: u64) -> Commitment {
    Commitment {
        codeword: pow2_bytes(variables.saturating_add(log_inv_rate), element),
        tree: pow2_bytes(
            variables.saturating_sub(fold).saturating_add(log_inv_rate),
            DIGEST,
        ),
    }
}

/// Plans in order of preference: the first that fits is taken.
///
/// Keeping the codeword is the faster one. Where rows are wide the codeword is most of the memory
/// and evaluating the opened rows again is little work beside hashing; the lean plan comes first.
#[must_use]
pub fn plans(shape: Shape, run: &WhirShape, degree: usize) -> [Plan; 2] {
    let ext = ELEMENT.saturating_mul(degree as u64);
    let message = pow2_bytes(run.num_variables, ELEMENT);
    let copy = if shape.columns > 1 { message } else { 0 };
    let fold = run.initial_sumcheck.rounds;
    let first = commitment(run.num_variables, fold, run.starting_log_inv_rate, ELEMENT);

    let peak = |keep: bool| {
        // Without a codeword to keep, one coset is encoded at a time, and leaves are kept.
        let (encode, tree) = if keep {
            (first.codeword, first.tree)
        } else {
            (message, first.tree.saturating_mul(2))
        };
        // A tree is finished before its lowest level is dropped.
        let built = |c: Commitment| c.tree.saturating_add(c.tree / 2);
        let building = if keep { built(first) } else { tree };
        let mut peak = sum(&[message, copy, encode, building]);
        let mut previous = if keep {
            Commitment {
                codeword: first.codeword,
                tree: tree / 2,
            }
        } else {
            Commitment { codeword: 0, tree }
        };
        let mut variables = run.num_variables.saturating_sub(fold);
        // The message is folded, then no longer needed, unless rows are evaluated from it.
        let table = pow2_bytes(variables, ext);
        let folding = [
            message,
            previous.codeword,
            previous.tree,
            table.saturating_mul(2),
        ];
        peak = peak.max(sum(&folding));
        let held = if keep { 0 } else { message };
        for round in &run.rounds {
            let table = pow2_bytes(variables, ext);
            let next = commitment(variables, round.sumcheck.rounds, round.log_inv_rate, ext);
            // Both tables, the rows of the new message, two commitments.
            let now = [
                held,
                previous.codeword,
                previous.tree,
                table.saturating_mul(3),
                next.codeword,
                built(next),
            ];
            peak = peak.max(sum(&now));
            variables = variables.saturating_sub(round.sumcheck.rounds);
            previous = Commitment {
                tree: next.tree / 2,
                ..next
            };
        }
        let last = pow2_bytes(variables, ext).saturating_mul(2);
        let end = sum(&[held, previous.codeword, previous.tree, last]);
        peak.max(end).saturating_add(SMALL)
    };
    let plan = |keep_codeword| Plan {
        keep_codeword,
        peak_bytes: peak(keep_codeword),
        note: Cow::Borrowed(if keep_codeword {
            "codeword kept"
        } else {
            "lean: codeword discarded, opened rows evaluated from the message"
        }),
    };
    let wide_rows = first.codeword >= first.tree.saturating_mul(WIDE_ROW / DIGEST);
    [plan(!wide_rows), plan(wide_rows)]
}

/// The preferred plan within `limit`.
///
/// # Errors
/// [`OverLimit`] when even the leanest does not fit.
pub fn choose(plans: &[Plan; 2], limit: Option<u64>) -> Result<Plan, OverLimit> {
    let limit = limit.unwrap_or(u64::MAX);
    plans
        .iter()
        .find(|plan| plan.peak_bytes <= limit)
        .cloned()
        .ok_or_else(|| OverLimit {
            need: plans.iter().map(|plan| plan.peak_bytes).min().unwrap_or(0),
            limit,
        })
}

fn sum(terms: &[u64]) -> u64 {
    terms.iter().fold(0, |sum, &term| sum.saturating_add(term))
}
