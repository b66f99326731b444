//! Digests of rows.

use minijinja::context;

use super::{DIGEST_WORDS, Hashing};
use crate::buffer::Slice;
use crate::error::GpuError;
use crate::recorder::Recorder;

/// How a kernel declares what it reads: one dispatch may not use a buffer both for reading only and
/// for writing, and both may lie in one buffer.
pub(super) fn shared(read: &[&Slice], written: &[Slice]) -> &'static str {
    let both = |r: &&Slice| written.iter().any(|w| w.buffer.same(&r.buffer));
    if read.iter().any(both) {
        "read_write"
    } else {
        "read"
    }
}

impl Hashing {
    /// Records the digests of `count` rows of `width` words, row after row, into `digests`.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    ///
    /// # Panics
    /// If `width` is zero or a slice is too short.
    pub fn leaves(
        &self,
        recorder: &mut Recorder<'_>,
        rows: &Slice,
        width: usize,
        count: u32,
        digests: &Slice,
    ) -> Result<(), GpuError> {
        assert!(width > 0, "a row has at least one word");
        let words = u64::from(count) * width as u64;
        let rows = &rows.slice(0, words);
        let digests = &digests.slice(0, DIGEST_WORDS * u64::from(count));
        let kernel = self.kit.kernel(
            "hash leaves",
            "hash/leaves.wgsl",
            context! {
                hash => self.variables(3, "params.width", width),
                access => shared(&[rows], core::slice::from_ref(digests)),
            },
        );
        recorder.dispatch(
            &kernel,
            &[rows, digests, &self.constants()],
            &[count, width as u32],
            count.div_ceil(64),
            self.cost.leaves(width, u64::from(count)),
        )
    }
}
