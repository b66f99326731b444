//! What operations on tables cost, by formula and without a device.
//!
//! `degree` is the number of words of an element; tables have `2^log_len` elements in `pieces`
//! pieces. The costs are those of all dispatches of the operation together.

use super::eval::{MAX_POINTS, log_low};
use super::grid::{LANES, Sweep, TILE, Walk, row, width};
use crate::ledger::Cost;

/// Base-field products of one product in the extension; a trinomial needs fewer for its reduction.
#[must_use]
pub const fn extension_product(degree: u64) -> u64 {
    degree * degree + degree - 1
}

/// Adding up `count` partial results of `width` elements.
pub(crate) fn sum(degree: u64, count: u64, width: u64) -> Cost {
    Cost::new(4 * degree * count * width, 4 * degree * width, 0)
}

/// One dispatch that measures `pairs` pairs of two tables.
pub(crate) fn measure_piece(degree: u64, pairs: u64, walk: Walk) -> Cost {
    Cost::new(
        4 * degree * 4 * pairs,
        4 * degree * 2 * walk.groups,
        2 * extension_product(degree) * pairs,
    )
}

/// One dispatch that binds `pairs` pairs of each of two tables, and measures the outputs.
pub(crate) fn bind_piece(degree: u64, pairs: u64, measured: Option<Walk>) -> Cost {
    let product = extension_product(degree);
    let bound = Cost::new(
        4 * degree * 4 * pairs,
        4 * degree * 2 * pairs,
        2 * product * pairs,
    );
    match measured {
        None => bound,
        Some(walk) => bound + Cost::new(0, 4 * degree * 2 * walk.groups, product * pairs),
    }
}

/// [`Mle::round_message`](super::Mle::round_message).
#[must_use]
pub fn round_message(degree: usize, log_len: usize, pieces: usize) -> Cost {
    let (degree, pieces) = (degree as u64, pieces as u64);
    let pairs = (1 << log_len) / 2 / pieces;
    let walk = Walk::new(pairs, pieces);
    measure_piece(degree, pairs, walk) * pieces + sum(degree, walk.groups * pieces, 2)
}

/// [`Mle::bind`](super::Mle::bind) of tables of `2^log_len` elements.
#[must_use]
pub fn bind(degree: usize, log_len: usize) -> Cost {
    bind_piece(degree as u64, (1 << log_len) / 2, None)
}

/// [`Mle::bind_and_measure`](super::Mle::bind_and_measure) of tables of `2^log_len` elements.
#[must_use]
pub fn bind_and_measure(degree: usize, log_len: usize, pieces: usize) -> Cost {
    let (degree, pieces) = (degree as u64, pieces as u64);
    let pairs = (1 << log_len) / 2 / pieces;
    let walk = Walk::new(pairs / 2, pieces);
    bind_piece(degree, pairs, Some(walk)) * pieces + sum(degree, walk.groups * pieces, 2)
}

/// One dispatch that folds `rows` rows.
pub(crate) fn fold_rows(degree: u64, rows: u64, fold: usize) -> Cost {
    let (_, lanes) = row(fold);
    let groups = (rows * lanes).div_ceil(LANES);
    let words = rows << fold;
    Cost::new(
        4 * words + groups * 4 * (degree << fold),
        4 * degree * rows,
        degree * words,
    )
}

/// [`Mle::fold_message`](super::Mle::fold_message) of a column of `2^log_len` words, in one piece.
#[must_use]
pub fn fold_message(degree: usize, log_len: usize, fold: usize) -> Cost {
    fold_rows(degree as u64, 1 << (log_len - fold), fold)
}

/// One dispatch that weighs a piece at `points` points. A unit is `unit` words; rows have
/// `2^fold` units.
pub(crate) fn sweep_piece(
    degree: u64,
    sweep: Sweep,
    unit: u64,
    fold: usize,
    points: u64,
    width: u64,
) -> Cost {
    let units = sweep.blocks * sweep.span;
    let product = extension_product(degree);
    let once = if unit == 1 { degree } else { product };
    let rows = ((LANES * width) >> fold).clamp(1, sweep.span >> fold);
    let segments = sweep.groups / sweep.stripes;
    Cost::new(
        4 * unit * units + 4 * degree * points * sweep.groups * (sweep.steps + rows),
        4 * degree * sweep.groups * (points << fold),
        points * (once * units + product * sweep.span * segments),
    )
}

/// All dispatches of a sweep.
fn sweep(
    degree: u64,
    log_len: usize,
    pieces: u64,
    unit: u64,
    fold: usize,
    mut points: u64,
) -> Cost {
    let block = 1 << (log_low(log_len - fold) + fold);
    let mut total = Cost::default();
    while points > 0 {
        let batch = points.min(MAX_POINTS as u64);
        points -= batch;
        let width = if unit == 1 { width(batch, fold) } else { 1 };
        let sweep = Sweep::new((1 << log_len) / pieces, pieces, block, width);
        total += sweep_piece(degree, sweep, unit, fold, batch, width) * pieces;
        total += sum(degree, sweep.groups * pieces, batch << fold);
    }
    total
}

/// [`Mle::partial_evaluations`](super::Mle::partial_evaluations) of a column of `2^log_len` words.
#[must_use]
pub fn partial_evaluations(
    degree: usize,
    log_len: usize,
    pieces: usize,
    fold: usize,
    points: usize,
) -> Cost {
    sweep(
        degree as u64,
        log_len,
        pieces as u64,
        1,
        fold,
        points as u64,
    )
}

/// [`Mle::evaluate`](super::Mle::evaluate).
#[must_use]
pub fn evaluate(degree: usize, log_len: usize, pieces: usize, points: usize) -> Cost {
    let degree = degree as u64;
    sweep(degree, log_len, pieces as u64, degree, 0, points as u64)
}

/// One dispatch that makes `count` weights.
pub(crate) fn weights_part(
    degree: u64,
    count: u64,
    selects: u64,
    equalities: u64,
    fresh: bool,
) -> Cost {
    let tiles = count.div_ceil(TILE);
    let columns = selects + degree * equalities;
    // The rows and columns of the two factors that a workgroup makes for itself.
    let select = Cost::new(4 * (1 + degree + 2 * (32 + 64)), 0, 32 * (1 + degree) + 64);
    let equality = Cost::new(4 * (33 * degree + 64), 0, 32 * extension_product(degree)) * degree;
    let weights = 4 * degree * count;
    (select * selects + equality * equalities + Cost::new(0, 0, TILE * degree * columns)) * tiles
        + Cost::new(if fresh { 0 } else { weights }, weights, 0)
}

/// [`Mle::add_weights`](super::Mle::add_weights) to a slot of `2^log_len` weights in one piece, or
/// [`Mle::set_weights`](super::Mle::set_weights) when `fresh`.
#[must_use]
pub fn add_weights(
    degree: usize,
    log_len: usize,
    selects: usize,
    equalities: usize,
    fresh: bool,
) -> Cost {
    weights_part(
        degree as u64,
        1 << log_len,
        selects as u64,
        equalities as u64,
        fresh,
    )
}
