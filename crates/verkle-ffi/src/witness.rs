//! Verifying execution witnesses.

use prova_verkle::witness::{ExecutionWitness, Summary, WitnessError, verify_prestate};
use prova_verkle::{Commitment, Setup};

use crate::context::Context;
use crate::layout::PROVA_VERKLE_POINT_LEN;
use crate::memory::{answer, expect_len, input, object};
use crate::status::{Error, Failure, Status};

/// What an accepted witness shows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct WitnessSummary {
    /// Number of stems.
    pub stems: usize,
    /// Number of keys that are present.
    pub present: usize,
    /// Number of keys that are absent.
    pub absent: usize,
    /// Number of commitments, with the root.
    pub commitments: usize,
    /// Number of openings.
    pub openings: usize,
    /// Number of stems whose keys are as claimed only if the proof was made honestly: it leaves
    /// open whether some node above them is an inner node.
    pub ambiguous: usize,
}

impl WitnessSummary {
    fn new(summary: &Summary) -> Self {
        Self {
            stems: summary.stems,
            present: summary.present,
            absent: summary.absent,
            commitments: summary.commitments,
            openings: summary.openings,
            ambiguous: summary.ambiguous.len(),
        }
    }
}

/// Verifies that the tree with a root has the values before the block that an execution witness
/// claims, and lacks the keys for which it claims none. Values after the block are not looked at.
///
/// PROVA_VERKLE_STATUS_BAD_WITNESS: the text is not a witness, or has encodings that are not points
/// or scalars; PROVA_VERKLE_STATUS_REJECTED: it is one, and does not show this of the root;
/// PROVA_VERKLE_STATUS_BAD_POINT: the root is not a point.
///
/// The format lets whoever makes a witness pass the leaf node of a stem as an inner node, and so
/// hide a key, unless other openings of the proof rule it out. The stems for which none does are
/// counted in the summary; PROVA_VERKLE_STATUS_AMBIGUOUS: there are some, and `strict` is 1.
///
/// `json`: UTF-8, without a terminating zero: a block with a member executionWitness, or the
/// members of that.
/// `root`: the commitment of the tree's root before the block, compressed: of the parent's header,
/// not of the witness.
/// `strict`: 0, or 1 to refuse ambiguous stems. Deployed clients accept them.
/// `summary`: null, or written if the proof holds: for PROVA_VERKLE_STATUS_OK and _AMBIGUOUS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prova_verkle_verify_witness(
    context: *const Context,
    json: *const u8,
    json_len: usize,
    root: *const u8,
    root_len: usize,
    strict: u32,
    summary: *mut WitnessSummary,
    error: *mut Error,
) -> Status {
    let body = || {
        let strict = match strict {
            0 => false,
            1 => true,
            other => return Err(Failure::Strict(other)),
        };
        // SAFETY: the caller keeps the header's contract of pointers and lengths.
        let (context, json, root) = unsafe {
            (
                object("context", context)?,
                input("json", json, json_len)?,
                input("root", root, root_len)?,
            )
        };
        let (found, ambiguous) = context.run(|setup| verify(setup, json, root))?;
        if !summary.is_null() {
            // SAFETY: not null, so it may be written; alignment is not assumed.
            unsafe { summary.write_unaligned(found) };
        }
        match ambiguous {
            Some(index) if strict => Err(Failure::Ambiguous { index }),
            _ => Ok(()),
        }
    };
    // SAFETY: the caller keeps the header's contract.
    unsafe { answer(error, body) }
}

/// What the witness shows, and the position of its first ambiguous stem.
fn verify(
    setup: &Setup,
    json: &[u8],
    root: &[u8],
) -> Result<(WitnessSummary, Option<usize>), Failure> {
    expect_len("root", root.len(), PROVA_VERKLE_POINT_LEN)?;
    let root = root.first_chunk().copied().unwrap_or_default();
    let witness = ExecutionWitness::from_json(json)?;
    let summary = verify_prestate(setup, &root, &witness).map_err(|error| match error {
        // The root is not the witness's.
        WitnessError::Point { .. } => match Commitment::from_bytes(&root) {
            Err(error) => Failure::Root(error),
            Ok(_) => error.into(),
        },
        error => error.into(),
    })?;
    let ambiguous = summary.ambiguous.first().map(|first| {
        let mut stems = witness.state_diff.iter().map(|diff| diff.stem);
        stems.position(|stem| stem == *first).unwrap_or_default()
    });
    Ok((WitnessSummary::new(&summary), ambiguous))
}
