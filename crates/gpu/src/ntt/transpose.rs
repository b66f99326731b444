//! Rows of tables in prefix order.

use minijinja::context;

use crate::buffer::Slice;
use crate::error::GpuError;
use crate::kit::Kit;
use crate::ledger::Cost;
use crate::recorder::Recorder;

/// Cost of [`transpose`].
#[must_use]
pub fn transpose_cost(rows: usize, columns: usize, words_per_item: usize) -> Cost {
    let bytes = 4 * (rows * columns * words_per_item) as u64;
    Cost::new(bytes, bytes, 0)
}

/// Transposes a table: `out[x * columns + j] = input[j * rows + x]` for items of `words_per_item`
/// words.
///
/// # Errors
/// As [`Recorder::dispatch`].
///
/// # Panics
/// If a slice is too short, or an item has more than 8 words.
pub fn transpose(
    kit: &Kit,
    recorder: &mut Recorder<'_>,
    input: &Slice,
    rows: usize,
    columns: usize,
    words_per_item: usize,
    out: &Slice,
) -> Result<(), GpuError> {
    let words = (rows * columns * words_per_item) as u64;
    assert!((1..=8).contains(&words_per_item), "words of an item");
    assert!(input.words() >= words, "a table of {words} words");
    assert!(out.words() >= words, "room for {words} words");
    // 256 items a tile, as square as the table is.
    let wide = columns.next_power_of_two().min(16);
    let tall = 256 / wide;
    let kernel = kit.kernel(
        "move transpose",
        "ntt/transpose.wgsl",
        context! { words => words_per_item, wide => wide, tall => tall },
    );
    let across = columns.div_ceil(wide);
    let groups = rows.div_ceil(tall) * across;
    recorder.dispatch(
        &kernel,
        &[input, out],
        &[rows as u32, columns as u32, across as u32],
        groups as u32,
        transpose_cost(rows, columns, words_per_item),
    )
}
