//! The nodes, in two arenas.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use crate::curve::Affine;
use crate::field::Fr;
use crate::witness::{Stem, Value};

/// How far a node's commitment is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// The commitment is right, and the parent commits to it.
    #[default]
    Clean,
    /// The commitment is right, but the parent does not commit to it yet.
    Moved,
    /// The commitment is that of earlier contents. So are those of all nodes above.
    Stale,
}

/// A node below an inner node, by its place in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Child {
    Inner(u32),
    Leaf(u32),
}

/// A node that branches.
#[derive(Clone, Debug)]
pub(super) struct Inner {
    /// The nodes below, by the next byte of the stem.
    pub children: Vec<(u8, Child)>,
    /// What `point` commits to: scalars that are not zero, by position.
    pub slots: Vec<(u8, Fr)>,
    pub point: Affine,
    pub state: State,
}

/// A node that holds the values under a stem.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub stem: Stem,
    pub state: State,
    /// The identity as long as nothing was committed.
    pub point: Affine,
    /// The commitments to the values with suffixes below 128, and to the others. Boxed since most
    /// leaf nodes of most trees have one of them.
    pub halves: [Option<Box<Affine>>; 2],
    /// The values by suffix.
    pub values: Vec<(u8, Value)>,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            children: Vec::new(),
            slots: Vec::new(),
            point: Affine::IDENTITY,
            state: State::Clean,
        }
    }
}

impl Default for Leaf {
    fn default() -> Self {
        Self::new([0; 31])
    }
}

impl Inner {
    pub(super) fn child(&self, position: u8) -> Option<Child> {
        let at = self.find(position).ok()?;
        Some(self.children[at].1)
    }

    fn find(&self, position: u8) -> Result<usize, usize> {
        self.children.binary_search_by_key(&position, |(at, _)| *at)
    }

    pub(super) fn set_child(&mut self, position: u8, child: Child) {
        match self.find(position) {
            Ok(at) => self.children[at].1 = child,
            Err(at) => self.children.insert(at, (position, child)),
        }
    }

    pub(super) fn remove_child(&mut self, position: u8) {
        if let Ok(at) = self.find(position) {
            self.children.remove(at);
        }
    }

    /// What was committed at a position.
    pub(super) fn committed(&self, position: u8) -> Fr {
        self.slots
            .binary_search_by_key(&position, |(at, _)| *at)
            .map_or(Fr::ZERO, |at| self.slots[at].1)
    }
}

impl Leaf {
    pub(super) fn new(stem: Stem) -> Self {
        Self {
            stem,
            state: State::Stale,
            point: Affine::IDENTITY,
            halves: [None, None],
            values: Vec::new(),
        }
    }

    /// Whether nothing was committed yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.point == Affine::IDENTITY
    }

    pub(super) fn get(&self, suffix: u8) -> Option<Value> {
        let at = self.find(suffix).ok()?;
        Some(self.values[at].1)
    }

    fn find(&self, suffix: u8) -> Result<usize, usize> {
        self.values.binary_search_by_key(&suffix, |(at, _)| *at)
    }

    /// Sets or removes a value, and returns the one before.
    pub(super) fn set(&mut self, suffix: u8, value: Option<Value>) -> Option<Value> {
        match (self.find(suffix), value) {
            (Ok(at), Some(value)) => Some(core::mem::replace(&mut self.values[at].1, value)),
            (Ok(at), None) => Some(self.values.remove(at).1),
            (Err(at), Some(value)) => {
                if self.values.is_empty() {
                    self.values.reserve_exact(1);
                }
                self.values.insert(at, (suffix, value));
                None
            }
            (Err(_), None) => None,
        }
    }

    /// One of the two commitments to values.
    pub(super) fn half(&self, which: u8) -> Affine {
        self.halves[usize::from(which)]
            .as_deref()
            .copied()
            .unwrap_or(Affine::IDENTITY)
    }
}

/// Nodes of one kind, named by 32-bit numbers, which are used again after a removal.
pub(super) struct Arena<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T: Default> Arena<T> {
    pub(super) fn new() -> Self {
        Self {
            items: Vec::new(),
            free: Vec::new(),
        }
    }

    /// # Panics
    /// At 2^32 nodes, which would take hundreds of gigabytes.
    pub(super) fn add(&mut self, item: T) -> u32 {
        if let Some(id) = self.free.pop() {
            self[id] = item;
            return id;
        }
        let id = u32::try_from(self.items.len()).expect("fewer than 2^32 nodes");
        self.items.push(item);
        id
    }

    pub(super) fn remove(&mut self, id: u32) {
        self[id] = T::default();
        self.free.push(id);
    }
}

impl<T> Index<u32> for Arena<T> {
    type Output = T;
    fn index(&self, id: u32) -> &T {
        &self.items[id as usize]
    }
}

impl<T> IndexMut<u32> for Arena<T> {
    fn index_mut(&mut self, id: u32) -> &mut T {
        &mut self.items[id as usize]
    }
}
