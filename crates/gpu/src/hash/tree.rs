//! Nodes of trees, and what openings take from them.

use minijinja::context;

use super::leaves::shared;
use super::plan::{Spread, Step};
use super::{DIGEST_WORDS, Hashing};
use crate::buffer::Slice;
use crate::error::GpuError;
use crate::kernel::Kernel;
use crate::recorder::Recorder;

/// The nodes that a dispatch of one thread a top node starts from.
#[derive(Clone, Copy)]
enum Source {
    /// All nodes of a level.
    Level,
    /// The halves of a level, each bound by itself.
    Halves,
    /// The rows of all leaves.
    Rows {
        /// Their quarters' bindings: four, or one for all.
        bindings: usize,
        /// Words of a row.
        width: usize,
    },
}

impl Hashing {
    /// Records the building of a tree above `nodes`, its level 0, by [`super::tree_plan`]'s steps.
    /// `levels[l - 1]` is where level `l` goes if it is to be kept (the plan has to have been made
    /// with `store` accordingly), `root` where the root goes. Levels may be slices of one buffer.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`], and no memory for levels that are only passed on.
    ///
    /// # Panics
    /// If a slice is too short, or a level to be kept is not stored by the plan.
    pub fn build_tree(
        &self,
        recorder: &mut Recorder<'_>,
        plan: &[Step],
        nodes: &Slice,
        levels: &[Option<Slice>],
        root: &Slice,
    ) -> Result<(), GpuError> {
        let root = root.slice(0, DIGEST_WORDS);
        let Some(last) = plan.last() else {
            recorder.copy(&nodes.slice(0, DIGEST_WORDS), &root);
            return Ok(());
        };
        let top = last.from + last.levels;
        let kept = |level: usize| levels.get(level - 1).and_then(Option::as_ref);
        for level in (1..top).filter(|&level| kept(level).is_some()) {
            assert!(
                plan.iter().any(|step| step.stored.contains(&level)),
                "level {level} is stored by the plan"
            );
        }
        let mut below = nodes.clone();
        for step in plan {
            let mut outs = Vec::with_capacity(step.stored.len());
            for &level in &step.stored {
                let words = DIGEST_WORDS << (step.log_nodes - (level - step.from));
                outs.push(match kept(level) {
                    _ if level == top => root.clone(),
                    Some(slice) => slice.slice(0, words),
                    None => recorder.gpu().buffer(words)?.slice(0, words),
                });
            }
            self.step(recorder, step, &below, &outs)?;
            below = outs.pop().expect("the highest level is stored");
        }
        if let Some(slice) = kept(top) {
            recorder.copy(&root, &slice.slice(0, DIGEST_WORDS));
        }
        Ok(())
    }

    /// Records one step: `outs` are the levels it stores, ascending.
    fn step(
        &self,
        recorder: &mut Recorder<'_>,
        step: &Step,
        below: &Slice,
        outs: &[Slice],
    ) -> Result<(), GpuError> {
        let below = &below.slice(0, DIGEST_WORDS << step.log_nodes);
        let stored = step.stored.iter().map(|level| (level - step.from) as u32);
        let stride = 1_u32 << (step.log_nodes - step.levels);
        let levels = step.levels as u32;
        let constants = self.constants();
        let mut bindings = vec![below];
        bindings.extend(outs);
        bindings.push(&constants);
        let access = shared(&[below], outs);
        let (kernel, mut parameters) = match step.spread {
            Spread::Threads => (
                self.nodes(Source::Level, outs.len(), access),
                vec![stride, stride, levels, 0],
            ),
            Spread::Tile { run } => (
                self.tile(step.first_level(), outs.len(), access),
                vec![stride, run, levels],
            ),
        };
        parameters.extend(stored);
        let cost = step.cost(&self.cost);
        recorder.dispatch(&kernel, &bindings, &parameters, step.groups(), cost)
    }

    /// The kernel of workgroups that make `first` nodes of their first level.
    fn tile(&self, first: u32, outs: usize, access: &str) -> Kernel {
        // Two sizes of workgroup memory are enough to choose from.
        let first = if first <= 256 { 256 } else { 512 };
        self.kit.kernel(
            "hash tile",
            "hash/tile.wgsl",
            context! {
                hash => self.variables(outs as u32 + 2, "1u", 1),
                first => first,
                outs => outs,
                access => access,
            },
        )
    }

    /// The kernel of a thread a top node, with parameters `count`, `stride`, `levels`, `width` and
    /// the levels stored.
    fn nodes(&self, source: Source, outs: usize, access: &str) -> Kernel {
        let (label, name, sources, depth) = match source {
            Source::Level => ("hash nodes", "nodes", 1, 3),
            Source::Halves => ("hash compress", "halves", 2, 1),
            Source::Rows { bindings, .. } => ("hash quads", "rows", bindings, 2),
        };
        let most = match source {
            Source::Rows { width, .. } => width,
            _ => 1,
        };
        self.kit.kernel(
            label,
            "hash/nodes.wgsl",
            context! {
                hash => self.variables((sources + outs) as u32 + 1, "params.width", most),
                source => name,
                sources => sources,
                depth => depth,
                outs => outs,
                access => access,
            },
        )
    }

    /// Records `parents[i] = compress(level[i], level[i + count/2])` for a level of `count` nodes.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    ///
    /// # Panics
    /// If `count` is not a power of two over 1 or a slice is too short.
    pub fn parents(
        &self,
        recorder: &mut Recorder<'_>,
        level: &Slice,
        count: u32,
        parents: &Slice,
    ) -> Result<(), GpuError> {
        assert!(
            count.is_power_of_two() && count > 1,
            "a level with parents has 2^k > 1 nodes"
        );
        let step = Step {
            from: 0,
            log_nodes: count.trailing_zeros() as usize,
            levels: 1,
            stored: vec![1],
            spread: Spread::Threads,
        };
        let out = parents.slice(0, DIGEST_WORDS * u64::from(count / 2));
        self.step(recorder, &step, level, &[out])
    }

    /// Records `out[i] = compress(left[i], right[i])` for `count` nodes: a level in parts, where it
    /// is larger than a binding may be.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    ///
    /// # Panics
    /// If a slice is too short.
    pub fn compress(
        &self,
        recorder: &mut Recorder<'_>,
        left: &Slice,
        right: &Slice,
        count: u32,
        out: &Slice,
    ) -> Result<(), GpuError> {
        let words = DIGEST_WORDS * u64::from(count);
        let (left, right) = (left.slice(0, words), right.slice(0, words));
        let out = out.slice(0, words);
        let access = shared(&[&left, &right], core::slice::from_ref(&out));
        let kernel = self.nodes(Source::Halves, 1, access);
        recorder.dispatch(
            &kernel,
            &[&left, &right, &out, &self.constants()],
            &[count, count, 1, 0, 1],
            count.div_ceil(64),
            self.cost.compress(u64::from(count)),
        )
    }

    /// Records the digests of `4 * quarter` rows together with the two levels above. `rows[k]`
    /// holds rows `k * quarter..(k + 1) * quarter`, each of `width` words; `leaves`, `parents` and
    /// `grandparents` take `4`, `2` and `1` times `quarter` digests, the first two if wanted.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    ///
    /// # Panics
    /// If `width` is zero or a slice is too short.
    #[allow(clippy::too_many_arguments)]
    pub fn quads(
        &self,
        recorder: &mut Recorder<'_>,
        rows: [&Slice; 4],
        width: usize,
        quarter: u32,
        leaves: Option<&Slice>,
        parents: Option<&Slice>,
        grandparents: &Slice,
    ) -> Result<(), GpuError> {
        assert!(width > 0, "a row has at least one word");
        let words = u64::from(quarter) * width as u64;
        assert!(
            rows.iter().all(|r| r.words() >= words),
            "all rows are there"
        );
        let outs = [leaves, parents, Some(grandparents)];
        let mut stored = Vec::new();
        let mut kept = Vec::new();
        for (level, out) in outs.into_iter().enumerate() {
            if let Some(out) = out {
                stored.push(level as u32);
                kept.push(out.slice(0, (DIGEST_WORDS * u64::from(quarter)) << (2 - level)));
            }
        }
        // Quarters that follow one another in one buffer are bound as one.
        let whole = rows.windows(2).all(|pair| {
            pair[0].buffer.same(&pair[1].buffer) && pair[0].first + words == pair[1].first
        }) && 16 * words <= recorder.gpu().limits().binding;
        let merged = Slice {
            buffer: rows[0].buffer.clone(),
            first: rows[0].first,
            words: 4 * words,
        };
        let mut bindings: Vec<&Slice> = if whole { vec![&merged] } else { rows.to_vec() };
        let sources = bindings.len();
        let constants = self.constants();
        bindings.extend(&kept);
        bindings.push(&constants);
        let rows_of = Source::Rows {
            bindings: sources,
            width,
        };
        let kernel = self.nodes(rows_of, kept.len(), shared(&rows, &kept));
        let mut parameters = vec![quarter, quarter, 2, width as u32];
        parameters.extend(stored);
        recorder.dispatch(
            &kernel,
            &bindings,
            &parameters,
            quarter.div_ceil(64),
            self.cost.quads(
                width,
                u64::from(quarter),
                leaves.is_some(),
                parents.is_some(),
            ),
        )
    }
}
