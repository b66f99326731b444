//! The encoder: tables, and the dispatches of a plan.

use minijinja::context;
use minijinja::value::Value;

use super::plan::{Kind, Pass, Shape, THREADS, is_deep, plan, plan_with_leaves};
use super::tables::{LOG_LOW, Tables};
use crate::buffer::Slice;
use crate::error::GpuError;
use crate::hash::{DIGEST_WORDS, Hashing};
use crate::kernel::Kernel;
use crate::kit::Kit;
use crate::ledger::Cost;
use crate::recorder::Recorder;

/// Encodes messages of any shape whose codewords have up to a fixed number of rows.
#[derive(Clone, Debug)]
pub struct Ntt {
    pub(super) kit: Kit,
    tables: Tables,
    max_log_order: usize,
}

/// Where the digests of encoded rows go, if the encoder computes them.
#[derive(Clone, Copy, Debug)]
pub struct Leaves<'a> {
    /// The hash.
    pub hashing: &'a Hashing,
    /// For every coset, room for a digest a stored row.
    pub digests: &'a [Slice],
}

/// Consecutive stored cosets, or one piece of a coset, in one stretch of memory.
pub(super) struct Run {
    /// Number of the first one among all at its level.
    pub(super) block: usize,
    /// Levels done before it came to be: 0 for cosets.
    pub(super) level: usize,
    pub(super) cosets: usize,
    pub(super) rows: Slice,
    pub(super) digests: Option<Slice>,
}

/// Where a coset is stored among the cosets.
pub(super) fn block(shape: Shape, coset: usize) -> usize {
    let bits = shape.log_inv_rate as u32;
    assert!(coset >> bits == 0, "coset {coset} of 2^{bits}");
    let reversed = coset.reverse_bits().checked_shr(usize::BITS - bits);
    reversed.unwrap_or(0)
}

/// Appends a slice that follows directly, if it does.
fn join(left: &mut Slice, right: &Slice, most: u64) -> bool {
    let follows = left.buffer.same(&right.buffer)
        && left.first + left.words == right.first
        && left.words + right.words <= most;
    if follows {
        left.words += right.words;
    }
    follows
}

impl Ntt {
    /// An encoder for codewords of up to `2^max_log_order` rows; its twiddle tables take about a
    /// megabyte at most.
    ///
    /// # Errors
    /// No memory for the tables.
    ///
    /// # Panics
    /// If the field has no subgroup of that order.
    pub fn new(kit: &Kit, max_log_order: usize) -> Result<Self, GpuError> {
        Self::with_low_table(kit, max_log_order, LOG_LOW)
    }

    /// As [`Self::new`] with at most `2^log_low` twiddles that take no product: for tests.
    ///
    /// # Errors
    /// As [`Self::new`].
    ///
    /// # Panics
    /// As [`Self::new`].
    #[doc(hidden)]
    pub fn with_low_table(
        kit: &Kit,
        max_log_order: usize,
        log_low: usize,
    ) -> Result<Self, GpuError> {
        assert!(
            max_log_order < kit.field.roots.len(),
            "no subgroup of order 2^{max_log_order}"
        );
        Ok(Self {
            kit: kit.clone(),
            tables: Tables::new(kit, max_log_order, log_low)?,
            max_log_order,
        })
    }

    /// Encodes cosets of `message`, `2^log_rows` rows of `width` words.
    ///
    /// With `m = log_rows`, `r = log_inv_rate` and `g` the generator of order `2^(m + r)`, natural
    /// row `j + 2^r t` of the codeword is the polynomial with the message's rows as coefficients
    /// at `g^(j + 2^r t)`; coset `j` is those rows for all `t`. `cosets` names some, in any order,
    /// each with the place of its `2^m` rows, of which row `t` is stored at the `m` bits of `t`
    /// reversed. Coset `j` belongs at the `r` bits of `j` reversed among the cosets: those that
    /// are stored so, one after another in a buffer, are encoded together and share reads of the
    /// message.
    ///
    /// With `leaves`, the last pass also hashes the rows, where its tiles hold enough whole rows
    /// and that saves more than it costs. Returns whether it did; otherwise the digests are left
    /// as they were and the caller hashes the rows.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    ///
    /// # Panics
    /// If lengths do not fit the shape, a coset does not exist, the codeword has more rows than
    /// the encoder was built for, or a place does not start on an aligned offset.
    pub fn encode(
        &self,
        recorder: &mut Recorder<'_>,
        message: &Slice,
        shape: Shape,
        cosets: &[(usize, Slice)],
        leaves: Option<Leaves<'_>>,
    ) -> Result<bool, GpuError> {
        let limits = self.kit.gpu.limits();
        let passes = plan(shape, cosets.len(), &limits);
        if leaves.is_some()
            && let Some(fused) = plan_with_leaves(shape, cosets.len(), &limits)
        {
            let total = |passes: &[Pass]| {
                let cost = passes.iter().fold(Cost::default(), |sum, p| sum + p.cost);
                cost.bytes() + cost.products
            };
            // Otherwise the rows are read once more.
            let again = 4 * shape.words() * cosets.len() as u64;
            let busy = fused.last().is_some_and(Pass::hashes_with_all);
            if busy && total(&fused) <= total(&passes) + again {
                self.encode_by(recorder, message, shape, cosets, leaves, &fused)?;
                return Ok(true);
            }
        }
        self.encode_by(recorder, message, shape, cosets, None, &passes)?;
        Ok(false)
    }

    /// As [`Self::encode`] by given passes: for tests.
    ///
    /// # Errors
    /// As [`Self::encode`].
    ///
    /// # Panics
    /// As [`Self::encode`], or if the passes are not all levels in order, or hash without `leaves`.
    #[doc(hidden)]
    pub fn encode_by(
        &self,
        recorder: &mut Recorder<'_>,
        message: &Slice,
        shape: Shape,
        cosets: &[(usize, Slice)],
        leaves: Option<Leaves<'_>>,
        passes: &[Pass],
    ) -> Result<(), GpuError> {
        self.check(shape);
        assert_eq!(message.words(), shape.words(), "words of a message");
        let done = passes.iter().fold(0, |done, pass| {
            assert_eq!(pass.done, done, "passes follow one another");
            done + pass.bits
        });
        assert!(done == shape.log_rows && !passes.is_empty(), "all levels");
        for run in self.runs(shape, cosets, leaves) {
            for pass in passes {
                self.pass(recorder, message, shape, &run, leaves, pass)?;
            }
        }
        Ok(())
    }

    pub(super) fn check(&self, shape: Shape) {
        assert!(
            shape.log_rows + shape.log_inv_rate <= self.max_log_order,
            "{shape:?} has more than 2^{} rows",
            self.max_log_order
        );
    }

    /// Joins cosets that are stored one after another.
    fn runs(
        &self,
        shape: Shape,
        cosets: &[(usize, Slice)],
        leaves: Option<Leaves<'_>>,
    ) -> Vec<Run> {
        if let Some(leaves) = leaves {
            assert_eq!(leaves.digests.len(), cosets.len(), "digests a coset");
        }
        let mut single: Vec<Run> = cosets
            .iter()
            .enumerate()
            .map(|(i, (coset, rows))| {
                assert_eq!(rows.words(), shape.words(), "words of a coset");
                let digests = leaves.map(|leaves| leaves.digests[i].clone());
                if let Some(digests) = &digests {
                    let words = DIGEST_WORDS << shape.log_rows;
                    assert_eq!(digests.words(), words, "words of a coset's digests");
                }
                Run {
                    block: block(shape, *coset),
                    level: 0,
                    cosets: 1,
                    rows: rows.clone(),
                    digests,
                }
            })
            .collect();
        single.sort_by_key(|run| run.block);
        let most = self.kit.gpu.limits().binding / 4;
        let mut runs: Vec<Run> = Vec::new();
        for next in single {
            if let Some(run) = runs.last_mut()
                && run.block + run.cosets == next.block
            {
                let (mut rows, mut digests) = (run.rows.clone(), run.digests.clone());
                let joined = join(&mut rows, &next.rows, most)
                    && match (&mut digests, &next.digests) {
                        (Some(digests), Some(next)) => join(digests, next, most),
                        _ => true,
                    };
                if joined {
                    run.cosets += 1;
                    (run.rows, run.digests) = (rows, digests);
                    continue;
                }
            }
            runs.push(next);
        }
        runs
    }

    pub(super) fn pass(
        &self,
        recorder: &mut Recorder<'_>,
        message: &Slice,
        shape: Shape,
        run: &Run,
        leaves: Option<Leaves<'_>>,
        pass: &Pass,
    ) -> Result<(), GpuError> {
        let hashed = pass.leaves.then(|| {
            let leaves = leaves.expect("a plan that hashes comes with a hash");
            let digests = run.digests.as_ref().expect("digests come with a hash");
            (leaves.hashing, digests)
        });
        let share = pass.share(run.cosets);
        // One dispatch may not use a buffer both for reading only and for writing.
        let shared = pass.done == 0 && message.buffer.same(&run.rows.buffer);
        let kernel = self.kernel(
            shape,
            pass,
            share > 1,
            shared,
            hashed.map(|(hashing, _)| hashing),
        );
        let segment = pass.segment(shape);
        let nodes = run.cosets << (pass.done - run.level);
        let first = run.block << (pass.done - run.level);
        let bundles = nodes.div_ceil(share);
        let (parameters, groups) = match pass.kind {
            Kind::Stages => {
                let threads = segment * bundles;
                (
                    vec![segment, nodes, first, share, threads],
                    threads.div_ceil(THREADS),
                )
            }
            Kind::Pieces => unreachable!("pieces are not one run"),
            Kind::Tile { columns, units } => {
                let chunks = segment / columns;
                (
                    vec![segment, chunks, nodes, first, share],
                    (nodes * chunks).div_ceil(units),
                )
            }
            Kind::Lifted { columns, .. } => {
                let chunks = segment / columns;
                (vec![segment, chunks, nodes, first, share], bundles * chunks)
            }
        };
        let parameters: Vec<u32> = parameters.into_iter().map(|p| p as u32).collect();
        let mut bindings = vec![&self.tables.low, &self.tables.high];
        if pass.done == 0 {
            bindings.push(message);
        }
        bindings.push(&run.rows);
        let mut cost = pass.cost_of(shape, run.cosets);
        cost.read >>= run.level;
        cost.written >>= run.level;
        cost.products >>= run.level;
        let constants = hashed.map(|(hashing, _)| hashing.constants());
        let mut also = None;
        if let (Some((hashing, digests)), Some(constants)) = (hashed, &constants) {
            bindings.push(digests);
            bindings.push(constants);
            let rows = ((run.cosets as u64) << shape.log_rows) >> run.level;
            // The rows are in workgroup memory already.
            let products = hashing.cost().row(shape.width) * rows;
            also = Some((
                "hash leaves",
                Cost::new(0, 4 * DIGEST_WORDS * rows, products),
            ));
        }
        recorder.dispatch_with(&kernel, &bindings, &parameters, groups as u32, cost, also)
    }

    fn kernel(
        &self,
        shape: Shape,
        pass: &Pass,
        apart: bool,
        shared: bool,
        hashing: Option<&Hashing>,
    ) -> Kernel {
        // The uniform parameters, two tables, the message in the first pass, rows and digests.
        let constants = 5 + u32::from(pass.done == 0);
        let deep = |done: usize| is_deep(shape, pass.done + done, self.tables.log_low);
        let common = context! {
            first => pass.done == 0,
            apart => apart,
            roots => &self.tables.literals,
            log_low => self.tables.log_low,
            staged => pass.staged(shape),
            access => if shared { "read_write" } else { "read" },
            leaves => hashing.is_some(),
            hash => hashing.map(|hashing| {
                hashing.variables(constants, &format!("{}u", shape.width), shape.width)
            }),
        };
        let (label, template, own) = match pass.kind {
            Kind::Stages | Kind::Pieces => (
                "ntt stages",
                "ntt/stages.wgsl",
                context! { bits => pass.bits, deep => deep(pass.bits) },
            ),
            Kind::Tile { columns, units } => (
                "ntt tile",
                "ntt/tile.wgsl",
                context! {
                    bits => pass.bits,
                    columns => columns,
                    units => units,
                    stages => stages(pass, pass.bits, deep),
                },
            ),
            Kind::Lifted { lift, columns } => (
                "ntt lifted",
                "ntt/lifted.wgsl",
                context! {
                    lift => lift,
                    bits => pass.bits - lift,
                    columns => columns,
                    stages => stages(pass, pass.bits - lift, |done| deep(lift + done)),
                },
            ),
        };
        self.kit
            .kernel(label, template, context! { ..own, ..common })
    }
}

/// The rounds inside a tile of `2^bits` rows, as templates want them: levels done before (`done`)
/// and of the round (`bits`), rows and words from one operand to the next (`gap`, `span`),
/// butterflies of a unit (`items`), whether twiddles take products (`deep`).
fn stages(pass: &Pass, bits: usize, deep: impl Fn(usize) -> bool) -> Vec<Value> {
    let list = pass.stages();
    let last = list.len() - 1;
    list.iter()
        .enumerate()
        .map(|(i, stage)| {
            let gap = 1 << (bits - stage.done - stage.bits);
            context! {
                done => stage.done,
                bits => stage.bits,
                gap => gap,
                span => gap * pass.columns(),
                items => pass.columns() << (bits - stage.bits),
                deep => deep(stage.done + stage.bits),
                first => i == 0,
                last => i == last,
            }
        })
        .collect()
}
