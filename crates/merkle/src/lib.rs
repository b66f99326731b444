//! Merkle trees over the rows of a matrix, in the proof format of `p3-merkle-tree` (binary).
//!
//! [`verify`] checks openings: `no_std`, without `unsafe`, and all there is without the `std`
//! feature. With it come [`Tree`] and [`TreeBuilder`].
//!
//! In a tree everything is stored in bit-reversed order. Of `N = 2^L` leaves, natural leaf `i` sits at
//! position `rev_L(i)`, so the siblings `2t` and `2t + 1` sit at `s` and `s + N/2`, and their
//! parent, natural node `t`, sits at `s` in the next level. A level is therefore made from the two
//! halves of the level below it, position by position, without moving anything.

#![cfg_attr(not(feature = "std"), no_std, forbid(unsafe_code))]

extern crate alloc;

#[cfg(feature = "std")]
mod builder;
#[cfg(feature = "std")]
mod tree;
pub mod verify;

#[cfg(feature = "std")]
pub use builder::TreeBuilder;
#[cfg(feature = "std")]
pub use tree::{Tree, siblings, siblings_below_cap};
