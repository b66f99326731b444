//! Messages and cosets that are larger than a binding: their first levels are done across pieces,
//! and what is left are transforms of single pieces.

use minijinja::context;

use super::encode::{Leaves, Ntt, Run, block};
use super::plan::{Kind, Pass, Shape, THREADS, plan_pieces};
use super::tables::twiddle;
use crate::buffer::Slice;
use crate::error::GpuError;
use crate::hash::DIGEST_WORDS;
use crate::recorder::Recorder;

impl Ntt {
    /// As [`Ntt::encode`] for a message in `2^s` pieces of equally many rows, one after another,
    /// and cosets in as many. `leaves` has a slice for every piece of every coset, in order.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    ///
    /// # Panics
    /// As [`Ntt::encode`], or if the number of pieces is not a power of two.
    pub fn encode_pieces(
        &self,
        recorder: &mut Recorder<'_>,
        message: &[Slice],
        shape: Shape,
        cosets: &[(usize, Vec<Slice>)],
        leaves: Option<Leaves<'_>>,
    ) -> Result<bool, GpuError> {
        assert!(message.len().is_power_of_two(), "pieces of a message");
        let log_pieces = message.len().trailing_zeros() as usize;
        if log_pieces == 0 {
            let cosets: Vec<_> = cosets
                .iter()
                .map(|(coset, pieces)| {
                    assert_eq!(pieces.len(), 1, "pieces of a coset");
                    (*coset, pieces[0].clone())
                })
                .collect();
            return self.encode(recorder, &message[0], shape, &cosets, leaves);
        }
        self.check(shape);
        let words = shape.words() >> log_pieces;
        let whole = |pieces: &[Slice]| {
            pieces.len() == message.len() && pieces.iter().all(|p| p.words() == words)
        };
        assert!(whole(message), "pieces of a message");
        let limits = self.kit.gpu.limits();
        let fused = leaves.and_then(|_| plan_pieces(shape, log_pieces, &limits, true));
        let (passes, hashed) = match fused {
            Some(passes) => (passes, true),
            None => (
                plan_pieces(shape, log_pieces, &limits, false).unwrap_or_default(),
                false,
            ),
        };
        let across = passes.partition_point(|pass| pass.kind == Kind::Pieces);
        for (i, (coset, pieces)) in cosets.iter().enumerate() {
            assert!(whole(pieces), "pieces of a coset");
            let block = block(shape, *coset);
            for pass in &passes[..across] {
                self.across(recorder, message, shape, block, pieces, pass)?;
            }
            for (j, rows) in pieces.iter().enumerate() {
                let digests = leaves.map(|l| l.digests[i * pieces.len() + j].clone());
                if let Some(digests) = &digests {
                    let need = (DIGEST_WORDS << shape.log_rows) >> log_pieces;
                    assert_eq!(digests.words(), need, "words of a piece's digests");
                }
                let run = Run {
                    block: (block << log_pieces) + j,
                    level: log_pieces,
                    cosets: 1,
                    rows: rows.clone(),
                    digests,
                };
                for pass in &passes[across..] {
                    self.pass(recorder, rows, shape, &run, leaves, pass)?;
                }
            }
        }
        Ok(hashed)
    }

    /// A pass across the pieces of one coset.
    fn across(
        &self,
        recorder: &mut Recorder<'_>,
        message: &[Slice],
        shape: Shape,
        block: usize,
        pieces: &[Slice],
        pass: &Pass,
    ) -> Result<(), GpuError> {
        let first = pass.done == 0;
        let operands = 1 << pass.bits;
        let gap = pieces.len() >> (pass.done + pass.bits);
        let words = pieces[0].words() as usize;
        let shared = message.iter().any(|m| {
            let mut outs = pieces.iter();
            outs.any(|out| out.buffer.same(&m.buffer))
        });
        let kernel = self.kit.kernel(
            "ntt pieces",
            "ntt/pieces.wgsl",
            context! {
                bits => pass.bits,
                first => first,
                access => if shared { "read_write" } else { "read" },
            },
        );
        // Every dispatch moves its part of what the pass does.
        let sets = pieces.len() / operands;
        let mut cost = pass.cost_of(shape, 1);
        cost.read /= sets as u64;
        cost.written /= sets as u64;
        cost.products /= sets as u64;
        for n in 0..1 << pass.done {
            let node = (block << pass.done) + n;
            let mut parameters = vec![words as u32];
            for level in 0..pass.bits {
                for y in 0..1 << level {
                    parameters.push(twiddle(&self.kit.field, (node << level) + y));
                }
            }
            for q in 0..gap {
                let of = |from: &'_ [Slice]| -> Vec<Slice> {
                    let start = n * gap * operands + q;
                    let set = from[start..].iter().step_by(gap).take(operands);
                    set.cloned().collect()
                };
                let mut bound = of(pieces);
                if first {
                    bound.extend(of(message));
                }
                let bindings: Vec<&Slice> = bound.iter().collect();
                let groups = words.div_ceil(THREADS) as u32;
                recorder.dispatch(&kernel, &bindings, &parameters, groups, cost)?;
            }
        }
        Ok(())
    }
}
