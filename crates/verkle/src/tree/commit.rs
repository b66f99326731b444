//! Bringing commitments up to date.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::nodes::{Child, Leaf, State};
use super::observer::{Cancelled, Observer};
use super::{ROOT, Tree};
use crate::curve::Affine;
use crate::element::{Commitment, Element};
use crate::field::Fr;
use crate::witness::Value;
use crate::witness::layout::{MARKER, STEM, VALUES, stem_scalar, value_position, value_scalars};

/// Nodes between two questions to the observer.
const BLOCK: usize = 4096;
/// Nodes that share an inversion.
const LEAF_CHUNK: usize = 64;
const INNER_CHUNK: usize = 16;

/// New commitments of a leaf node.
struct LeafUpdate {
    point: Affine,
    /// Those that have changed.
    halves: [Option<Affine>; 2],
}

/// New contents of an inner node.
struct InnerUpdate {
    point: Affine,
    slots: Vec<(u8, Fr)>,
}

/// A commitment to values that has changed.
struct Half {
    /// Position of its leaf node in the chunk.
    leaf: usize,
    which: u8,
    before: Commitment,
    after: Element,
}

impl Tree<'_> {
    /// Brings all commitments up to date and returns the root's. Work is proportional to what has
    /// changed, and spread over the current rayon pool with the feature `parallel`.
    ///
    /// # Errors
    /// [`Cancelled`] if the observer asks for it. The contents stay; what was done counts when it
    /// is called again.
    pub fn commit(&mut self, observer: &dyn Observer) -> Result<Commitment, Cancelled> {
        let (leaves, levels) = self.stale();
        let total = (leaves.len() + levels.iter().map(Vec::len).sum::<usize>()) as u64;
        let mut done = 0;
        let mut step = |nodes: usize| {
            done += nodes as u64;
            observer.progress(done, total);
            if observer.cancelled() {
                Err(Cancelled)
            } else {
                Ok(())
            }
        };
        step(0)?;
        for block in leaves.chunks(BLOCK) {
            let updates = map_chunks(block, LEAF_CHUNK, |ids| self.leaf_updates(ids));
            for (id, update) in block.iter().zip(updates) {
                self.apply_leaf(*id, &update);
            }
            step(block.len())?;
        }
        for block in levels.iter().rev().flat_map(|level| level.chunks(BLOCK)) {
            let updates = map_chunks(block, INNER_CHUNK, |ids| self.inner_updates(ids));
            for (id, update) in block.iter().zip(updates) {
                self.apply_inner(*id, update);
            }
            step(block.len())?;
        }
        Ok(Commitment::from_affine(self.inners[ROOT].point))
    }

    /// The stale leaf nodes, and the stale inner nodes by level from the root down.
    fn stale(&self) -> (Vec<u32>, Vec<Vec<u32>>) {
        let mut leaves = Vec::new();
        let mut levels = Vec::new();
        let mut level = vec![ROOT];
        level.retain(|root| self.inners[*root].state == State::Stale);
        while !level.is_empty() {
            let mut next = Vec::new();
            let children = level.iter().flat_map(|id| &self.inners[*id].children);
            for (_, child) in children {
                match child {
                    Child::Inner(id) if self.inners[*id].state == State::Stale => next.push(*id),
                    Child::Leaf(id) if self.leaves[*id].state == State::Stale => leaves.push(*id),
                    _ => {}
                }
            }
            levels.push(core::mem::replace(&mut level, next));
        }
        (leaves, levels)
    }

    fn leaf_updates(&self, ids: &[u32]) -> Vec<LeafUpdate> {
        let mut halves = Vec::new();
        for (index, id) in ids.iter().enumerate() {
            let leaf = &self.leaves[*id];
            for (which, difference) in (0..).zip(self.differences(*id, leaf)) {
                if !difference.is_empty() {
                    let before = leaf.half(which);
                    halves.push(Half {
                        leaf: index,
                        which,
                        before: Commitment::from_affine(before),
                        after: Element(before.extended()) + self.setup.commit_sparse(&difference),
                    });
                }
            }
        }
        let elements: Vec<Element> = halves.iter().map(|half| half.after).collect();
        let after = Commitment::normalise(&elements);
        let before: Vec<Commitment> = halves.iter().map(|half| half.before).collect();
        let scalars_after = Commitment::map_all_to_scalar(&after);
        let scalars_before = Commitment::map_all_to_scalar(&before);

        let mut differences: Vec<Vec<(u8, Fr)>> = ids
            .iter()
            .map(|id| {
                let leaf = &self.leaves[*id];
                if leaf.is_fresh() {
                    vec![(MARKER, Fr::ONE), (STEM, stem_scalar(&leaf.stem))]
                } else {
                    Vec::new()
                }
            })
            .collect();
        let mut changed = vec![[None, None]; ids.len()];
        for (i, half) in halves.iter().enumerate() {
            differences[half.leaf]
                .push((VALUES + half.which, scalars_after[i] - scalars_before[i]));
            changed[half.leaf][usize::from(half.which)] = Some(after[i].point);
        }
        let points: Vec<Element> = ids
            .iter()
            .zip(&differences)
            .map(|(id, difference)| {
                let before = self.leaves[*id].point.extended();
                Element(before) + self.setup.commit_sparse(difference)
            })
            .collect();
        Commitment::normalise(&points)
            .iter()
            .zip(changed)
            .map(|(commitment, halves)| LeafUpdate {
                point: commitment.point,
                halves,
            })
            .collect()
    }

    /// By how much the vectors behind the two commitments to values have changed.
    fn differences(&self, id: u32, leaf: &Leaf) -> [Vec<(u8, Fr)>; 2] {
        let mut differences = [Vec::new(), Vec::new()];
        let mut note = |suffix: u8, before: Option<Value>, after: Option<Value>| {
            let scalars =
                |value: Option<Value>| value.map_or([Fr::ZERO; 2], |value| value_scalars(&value));
            let (before, after) = (scalars(before), scalars(after));
            let (half, position) = value_position(suffix);
            for (i, position) in [(0, position), (1, position | 1)] {
                if before[i] != after[i] {
                    differences[usize::from(half)].push((position, after[i] - before[i]));
                }
            }
        };
        if leaf.is_fresh() {
            for (suffix, value) in &leaf.values {
                note(*suffix, None, Some(*value));
            }
        } else {
            for ((_, suffix), before) in self.before.range((id, 0)..=(id, u8::MAX)) {
                note(*suffix, *before, leaf.get(*suffix));
            }
        }
        differences
    }

    fn apply_leaf(&mut self, id: u32, update: &LeafUpdate) {
        self.forget(id);
        let leaf = &mut self.leaves[id];
        leaf.point = update.point;
        leaf.state = State::Moved;
        for (half, update) in leaf.halves.iter_mut().zip(&update.halves) {
            if let Some(point) = update {
                *half = (!point.x.is_zero()).then(|| Box::new(*point));
            }
        }
    }

    /// Needs the children's commitments.
    fn inner_updates(&self, ids: &[u32]) -> Vec<InnerUpdate> {
        let children = ids.iter().flat_map(|id| &self.inners[*id].children);
        let changed: Vec<Commitment> = children
            .map(|(_, child)| self.child(*child))
            .filter(|(_, state)| *state != State::Clean)
            .map(|(point, _)| Commitment::from_affine(point))
            .collect();
        let mut scalars = Commitment::map_all_to_scalar(&changed).into_iter();

        let mut points = Vec::with_capacity(ids.len());
        let mut slots = Vec::with_capacity(ids.len());
        for id in ids {
            let inner = &self.inners[*id];
            let mut difference = Vec::new();
            let mut new = Vec::with_capacity(inner.children.len());
            for (position, child) in &inner.children {
                let before = inner.committed(*position);
                let scalar = match self.child(*child).1 {
                    State::Clean => before,
                    _ => scalars.next().unwrap_or(Fr::ZERO),
                };
                if scalar != before {
                    difference.push((*position, scalar - before));
                }
                new.push((*position, scalar));
            }
            for (position, before) in &inner.slots {
                if inner.child(*position).is_none() {
                    difference.push((*position, -*before));
                }
            }
            points.push(Element(inner.point.extended()) + self.setup.commit_sparse(&difference));
            slots.push(new);
        }
        Commitment::normalise(&points)
            .iter()
            .zip(slots)
            .map(|(commitment, slots)| InnerUpdate {
                point: commitment.point,
                slots,
            })
            .collect()
    }

    fn apply_inner(&mut self, id: u32, update: InnerUpdate) {
        let inner = &mut self.inners[id];
        inner.point = update.point;
        inner.slots = update.slots;
        inner.state = if id == ROOT {
            State::Clean
        } else {
            State::Moved
        };
        for at in 0..self.inners[id].children.len() {
            match self.inners[id].children[at].1 {
                Child::Inner(child) => self.inners[child].state = State::Clean,
                Child::Leaf(child) => self.leaves[child].state = State::Clean,
            }
        }
    }

    fn child(&self, child: Child) -> (Affine, State) {
        match child {
            Child::Inner(id) => (self.inners[id].point, self.inners[id].state),
            Child::Leaf(id) => (self.leaves[id].point, self.leaves[id].state),
        }
    }
}

/// `work` over chunks, results in order.
fn map_chunks<R: Send>(
    ids: &[u32],
    size: usize,
    work: impl Fn(&[u32]) -> Vec<R> + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "parallel")]
    {
        use rayon::iter::ParallelIterator;
        use rayon::slice::ParallelSlice;
        ids.par_chunks(size).flat_map_iter(work).collect()
    }
    #[cfg(not(feature = "parallel"))]
    {
        ids.chunks(size).flat_map(work).collect()
    }
}
