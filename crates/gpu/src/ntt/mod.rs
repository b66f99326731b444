//! Transforms: Reed-Solomon encoding coset by coset, and moving rows about.
//!
//! A codeword is stored in bit-reversed row order. Seen as repeated splitting of polynomials, the
//! transform of size `2^(m + r)` starts at `F[X]/(X^(2^(m + r)) - 1)`, and node `x` of a level,
//! `F[X]/(X^2h - T[x]^2)`, has the children `2x`, `F[X]/(X^h - T[x])`, and `2x + 1`,
//! `F[X]/(X^h + T[x])`, where `T[x] = exp(2 pi i rev(x) / 2)`. A message of `2^m` rows passes the
//! first `r` levels unchanged; below, node `x` of level `r` is the `x`-th stretch of `2^m` stored
//! rows, a coset. So cosets take neither shifts nor reordering, and all columns of all rows of a
//! node share their twiddles.

mod encode;
mod pieces;
mod plan;
mod tables;
mod transpose;

pub use encode::{Leaves, Ntt};
pub use plan::{Kind, Pass, Shape, plan, plan_pieces, plan_with_leaves};
pub use transpose::{transpose, transpose_cost};

use crate::template::{List, templates};

pub(crate) const TEMPLATES: List = templates![
    "ntt/butterflies.wgsl",
    "ntt/twiddles.wgsl",
    "ntt/stages.wgsl",
    "ntt/tile.wgsl",
    "ntt/lifted.wgsl",
    "ntt/pieces.wgsl",
    "ntt/transpose.wgsl",
];
