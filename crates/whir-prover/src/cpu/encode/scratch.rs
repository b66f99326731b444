//! A worker's memory, and the passes of one tile through it.

use p3_field::{PrimeCharacteristicRing, TwoAdicField};

use super::kernel::{self, Ahead, Arith, Pass, Rows, next_radix};
use super::twiddles::Twiddles;

/// A worker's scratch memory.
pub(super) struct Scratch<F: TwoAdicField, A: Arith<F>> {
    /// Twiddles of the tile at hand.
    heap: Vec<A::Twiddle>,
    plain: Vec<F>,
    tile: Vec<A::Value>,
    pub(super) tail: Vec<F::Packing>,
    pub(super) blocks: Vec<F>,
}

impl<F: TwoAdicField, A: Arith<F>> Scratch<F, A> {
    pub(super) fn new(tail: usize, blocks: usize) -> Self {
        Self {
            heap: Vec::new(),
            plain: Vec::new(),
            tile: Vec::new(),
            tail: vec![F::Packing::ONE; tail],
            blocks: F::zero_vec(blocks),
        }
    }

    /// Fills `heap` with the twiddles of levels `from..to` below `node`.
    pub(super) fn fill(&mut self, twiddles: &Twiddles<F>, node: usize, from: usize, to: usize) {
        let len = (1usize << to).next_multiple_of(16);
        self.plain.resize(len, F::ONE);
        self.heap.resize(len, A::one());
        A::fill(twiddles, node, from, to, &mut self.plain, &mut self.heap);
    }

    /// Levels `from..to` of the nodes below heap node 1 on rows of `vectors` vectors: `2^to` rows
    /// of `dst`. Nodes of level `from` are `src.node` apart in the source.
    ///
    /// # Safety
    /// All rows are valid; source rows equal the destination rows or do not overlap them;
    /// `from < to`, and `heap` is filled. `far` says that the rows are not in cache, and the next
    /// tile's are to the right of this one's.
    pub(super) unsafe fn run_tile(
        &mut self,
        src: Rows<*const F::Packing>,
        dst: Rows<*mut F::Packing>,
        vectors: usize,
        from: usize,
        to: usize,
        far: bool,
    ) {
        let heap = &self.heap;
        let rows = 1usize << to;
        let pass = |level: usize| {
            let layers = next_radix(to - level);
            Pass {
                layers,
                level,
                below: rows >> (level + layers),
                vectors,
            }
        };
        let to_dst = |level: usize| Rows {
            node: (rows >> level) * dst.row,
            ..dst
        };
        if self.tile.len() < rows * vectors {
            self.tile.resize(rows * vectors, A::zero());
        }
        let at = self.tile.as_mut_ptr();
        let scratch = |level: usize| Rows {
            at,
            node: (rows >> level) * vectors,
            row: vectors,
        };
        let mut now = pass(from);
        // SAFETY: the caller's contract; the tile has room for all rows.
        unsafe {
            if now.layers == to - from {
                return kernel::direct::<F, A>(now, src, to_dst(from), heap);
            }
            let ahead = far.then_some(Ahead { next: vectors, dst });
            kernel::first::<F, A>(now, src, scratch(from), heap, ahead);
            loop {
                now = pass(now.level + now.layers);
                let rows = scratch(now.level);
                if now.level + now.layers == to {
                    return kernel::last::<F, A>(now, rows.cast_const(), to_dst(now.level), heap);
                }
                kernel::middle::<F, A>(now, rows, heap);
            }
        }
    }
}
