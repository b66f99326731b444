//! Joining two stretches of a level that need not lie together.

use minijinja::context;

use super::leaves::shared;
use super::{DIGEST_WORDS, Hashing};
use crate::buffer::Slice;
use crate::error::GpuError;
use crate::ledger::Cost;
use crate::recorder::Recorder;

impl Hashing {
    /// Records `parents[i] = compress(left[i], right[i])` for as many digests as `left` holds.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn merge(
        &self,
        recorder: &mut Recorder<'_>,
        left: &Slice,
        right: &Slice,
        parents: &Slice,
    ) -> Result<(), GpuError> {
        let words = left.words();
        assert!(
            words == right.words() && words == parents.words(),
            "stretches of equal length"
        );
        let count = words / DIGEST_WORDS;
        let kernel = self.kit.kernel(
            "hash merge",
            "hash/merge.wgsl",
            context! { hash => self.variables(4, "1u", 1),
               access => shared(&[left, right], core::slice::from_ref(parents)),
            },
        );
        let cost = Cost::new(8 * words, 4 * words, count * self.cost.node());
        recorder.dispatch(
            &kernel,
            &[left, right, parents, &self.constants()],
            &[count as u32],
            count.div_ceil(64) as u32,
            cost,
        )
    }
}
