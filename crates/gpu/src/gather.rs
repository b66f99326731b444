//! Collecting scattered items, such as opened rows and sibling digests.

use minijinja::context;

use crate::buffer::Slice;
use crate::error::GpuError;
use crate::kit::Kit;
use crate::ledger::Cost;
use crate::recorder::Recorder;
use crate::template::{List, templates};

pub(crate) const TEMPLATES: List = templates!["move/gather.wgsl"];

/// Cost of moving `count` items of `words` words.
#[must_use]
pub fn cost(count: u64, words: u64) -> Cost {
    Cost::new(4 * count * (words + 2), 4 * count * words, 0)
}

/// Records the moves `(from, to)`: item `from` of `source` becomes item `to` of `target`, items
/// being `words` words long. The list is uploaded to a buffer of its own.
///
/// # Errors
/// As [`Gpu::upload`](crate::Gpu::upload) and [`Recorder::dispatch`].
///
/// # Panics
/// If an item lies outside its slice.
pub fn gather(
    kit: &Kit,
    recorder: &mut Recorder<'_>,
    source: &Slice,
    words: usize,
    moves: &[(u32, u32)],
    target: &Slice,
) -> Result<(), GpuError> {
    if moves.is_empty() {
        return Ok(());
    }
    let inside = |item: u32, slice: &Slice| (u64::from(item) + 1) * words as u64 <= slice.words();
    for &(from, to) in moves {
        assert!(
            inside(from, source) && inside(to, target),
            "items lie inside their slices"
        );
    }
    let flat: Vec<u32> = moves.iter().flat_map(|&(from, to)| [from, to]).collect();
    let list = kit.gpu.upload(&flat)?;
    let kernel = kit.kernel("move gather", "move/gather.wgsl", context! {});
    let count = moves.len() as u64;
    let groups = (count * words as u64).div_ceil(64) as u32;
    let parameters = [count as u32, words as u32];
    recorder.dispatch(
        &kernel,
        &[source, &list.slice(0, flat.len() as u64), target],
        &parameters,
        groups,
        cost(count, words as u64),
    )
}
