//! Verkle trees in memory: keys of 32 bytes, values of 32 bytes, commitments, and witnesses.
//!
//! The layout is EIP-6800's. A key is a stem of 31 bytes and a suffix. A leaf node, one a stem,
//! commits to (1, the stem as a little-endian integer, and the scalars of two commitments to the
//! values with suffixes below and from 128); such a commitment has two positions a value, its lower
//! 16 bytes with 2^128 added and its upper 16 bytes, little-endian. An inner node commits to the
//! scalars of the nodes below, by the next byte of the stem; there is one for every string of bytes
//! that at least two stems begin with, and the root. The scalar of a commitment is
//! [`Commitment::map_to_scalar`].
//!
//! Changes are cheap; commitments are brought up to date when [`Tree::root`], [`Tree::commit`] or
//! [`Tree::prove`] asks for them, for what has changed only, level by level.
//!
//! The root depends on the contents alone: [`Tree::delete`] leaves the tree that never held the
//! key. Ethereum's state tree has no such operation; what is removed there is overwritten with
//! zeros, which here is an [`insert`](Tree::insert).

mod commit;
mod nodes;
mod observer;
mod prove;
#[cfg(test)]
mod tests;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use crate::element::Commitment;
use crate::setup::Setup;
use crate::witness::{Key, Stem, Value};
use nodes::{Arena, Child, Inner, Leaf, State};

pub use observer::{Cancelled, Observer, Unobserved};

/// Longest path to a leaf node.
const MAX_DEPTH: usize = 31;
/// The arena's number of the root.
const ROOT: u32 = 0;

/// A Verkle tree in memory.
pub struct Tree<'s> {
    setup: &'s Setup,
    inners: Arena<Inner>,
    leaves: Arena<Leaf>,
    /// By leaf node and suffix, the values that leaf nodes' commitments still have where the values
    /// have changed. Leaf nodes without a commitment have no entries.
    before: BTreeMap<(u32, u8), Option<Value>>,
    len: usize,
}

/// The way to where a stem is or would be.
struct Walk {
    /// The inner nodes from the root down.
    path: [u32; MAX_DEPTH],
    /// How many there are: the depth of what is below the last.
    depth: usize,
    /// The leaf node below the last.
    leaf: Option<u32>,
}

impl Walk {
    fn inners(&self) -> &[u32] {
        &self.path[..self.depth]
    }

    fn last(&self) -> u32 {
        self.path[self.depth - 1]
    }
}

fn split_key(key: &Key) -> (Stem, u8) {
    let [stem @ .., suffix] = *key;
    (stem, suffix)
}

impl<'s> Tree<'s> {
    /// An empty tree.
    #[must_use]
    pub fn new(setup: &'s Setup) -> Self {
        let mut inners = Arena::new();
        inners.add(Inner::default());
        Self {
            setup,
            inners,
            leaves: Arena::new(),
            before: BTreeMap::new(),
            len: 0,
        }
    }

    /// Number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<Value> {
        let (stem, suffix) = split_key(key);
        let leaf = &self.leaves[self.walk(&stem).leaf?];
        (leaf.stem == stem).then(|| leaf.get(suffix))?
    }

    /// Sets the value of a key, and returns the one before.
    pub fn insert(&mut self, key: &Key, value: Value) -> Option<Value> {
        let (stem, suffix) = split_key(key);
        let walk = self.walk(&stem);
        let id = match walk.leaf {
            Some(id) if self.leaves[id].stem == stem => id,
            neighbour => {
                let id = self.leaves.add(Leaf::new(stem));
                match neighbour {
                    Some(neighbour) => self.split(&walk, neighbour, id),
                    None => {
                        self.inners[walk.last()].set_child(stem[walk.depth - 1], Child::Leaf(id));
                    }
                }
                id
            }
        };
        let old = self.set(&walk, id, suffix, Some(value));
        self.len += usize::from(old.is_none());
        old
    }

    /// Sets the values of many keys; the last counts where one comes twice.
    pub fn insert_many(&mut self, entries: impl IntoIterator<Item = (Key, Value)>) {
        for (key, value) in entries {
            self.insert(&key, value);
        }
    }

    /// Removes a key, and returns its value. What is left is the tree that never held the key.
    pub fn delete(&mut self, key: &Key) -> Option<Value> {
        let (stem, suffix) = split_key(key);
        let walk = self.walk(&stem);
        let id = walk.leaf.filter(|id| self.leaves[*id].stem == stem)?;
        let old = self.set(&walk, id, suffix, None)?;
        self.len -= 1;
        if self.leaves[id].values.is_empty() {
            self.remove_leaf(&walk, id);
        }
        Some(old)
    }

    /// All keys with their values, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (Key, Value)> + '_ {
        let mut stack = vec![Child::Inner(ROOT)];
        let leaves = core::iter::from_fn(move || {
            loop {
                match stack.pop()? {
                    Child::Leaf(id) => return Some(&self.leaves[id]),
                    Child::Inner(id) => {
                        let children = &self.inners[id].children;
                        stack.extend(children.iter().rev().map(|(_, child)| *child));
                    }
                }
            }
        });
        leaves.flat_map(|leaf| {
            leaf.values.iter().map(|(suffix, value)| {
                let mut key = [*suffix; 32];
                key[..31].copy_from_slice(&leaf.stem);
                (key, *value)
            })
        })
    }

    /// The commitment of the root. That of an empty tree is the identity.
    pub fn root(&mut self) -> Commitment {
        // The default observer never cancels.
        let _ = self.commit(&Unobserved);
        Commitment::from_affine(self.inners[ROOT].point)
    }

    fn walk(&self, stem: &Stem) -> Walk {
        let mut walk = Walk {
            path: [ROOT; MAX_DEPTH],
            depth: 0,
            leaf: None,
        };
        let mut id = ROOT;
        // Two stems differ at some byte, so no inner node lies below the last.
        for &byte in stem {
            walk.path[walk.depth] = id;
            walk.depth += 1;
            match self.inners[id].child(byte) {
                Some(Child::Inner(next)) => id = next,
                Some(Child::Leaf(leaf)) => {
                    walk.leaf = Some(leaf);
                    break;
                }
                None => break,
            }
        }
        walk
    }

    /// Sets or removes a value of a leaf node, and notes what has to be committed again.
    fn set(&mut self, walk: &Walk, id: u32, suffix: u8, value: Option<Value>) -> Option<Value> {
        let leaf = &mut self.leaves[id];
        let old = leaf.set(suffix, value);
        if old == value {
            return old;
        }
        leaf.state = State::Stale;
        if !leaf.is_fresh() {
            self.before.entry((id, suffix)).or_insert(old);
        }
        for inner in walk.inners() {
            self.inners[*inner].state = State::Stale;
        }
        old
    }

    /// Puts inner nodes in the place of `neighbour`, down to where it and the new leaf node part.
    fn split(&mut self, walk: &Walk, neighbour: u32, new: u32) {
        let (stem, other) = (self.leaves[new].stem, self.leaves[neighbour].stem);
        let state = &mut self.leaves[neighbour].state;
        *state = (*state).max(State::Moved);
        let common = stem.iter().zip(&other).take_while(|(a, b)| a == b).count();
        let mut both = [
            (stem[common], Child::Leaf(new)),
            (other[common], Child::Leaf(neighbour)),
        ];
        both.sort_unstable_by_key(|(byte, _)| *byte);
        let mut top = self.add_inner(both.to_vec());
        for byte in stem[walk.depth..common].iter().rev() {
            top = self.add_inner(vec![(*byte, top)]);
        }
        self.inners[walk.last()].set_child(stem[walk.depth - 1], top);
    }

    fn add_inner(&mut self, children: Vec<(u8, Child)>) -> Child {
        Child::Inner(self.inners.add(Inner {
            children,
            state: State::Stale,
            ..Inner::default()
        }))
    }

    /// Removes a leaf node without values, and every inner node that only one leaf node is left
    /// below.
    fn remove_leaf(&mut self, walk: &Walk, id: u32) {
        let stem = self.leaves[id].stem;
        self.forget(id);
        self.leaves.remove(id);
        self.inners[walk.last()].remove_child(stem[walk.depth - 1]);
        for depth in (1..walk.depth).rev() {
            let inner = walk.path[depth];
            let [(_, Child::Leaf(left))] = self.inners[inner].children[..] else {
                return;
            };
            self.inners.remove(inner);
            let state = &mut self.leaves[left].state;
            *state = (*state).max(State::Moved);
            self.inners[walk.path[depth - 1]].set_child(stem[depth - 1], Child::Leaf(left));
        }
    }

    /// Drops the committed values of a leaf node.
    fn forget(&mut self, id: u32) {
        let keys: Vec<(u32, u8)> = self
            .before
            .range((id, 0)..=(id, u8::MAX))
            .map(|(key, _)| *key)
            .collect();
        for key in keys {
            self.before.remove(&key);
        }
    }
}
