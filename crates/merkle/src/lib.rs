//! Merkle trees over the rows of a matrix, in the proof format of `p3-merkle-tree` (binary, cap
//! height zero).
//!
//! Everything is stored in bit-reversed order. Of `N = 2^L` leaves, natural leaf `i` sits at
//! position `rev_L(i)`, so the siblings `2t` and `2t + 1` sit at `s` and `s + N/2`, and their
//! parent, natural node `t`, sits at `s` in the next level. A level is therefore made from the two
//! halves of the level below it, position by position, without moving anything.

mod builder;
mod tree;

pub use builder::TreeBuilder;
pub use tree::{Tree, siblings};
