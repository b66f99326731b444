//! A record of what a device was told, for replay elsewhere: the same kernels, buffers and
//! dispatches in a browser, say.

use std::sync::Arc;

use crate::buffer::Slice;
use crate::kernel::Kernel;

/// A range of words of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Which buffer.
    pub buffer: u64,
    /// First word.
    pub first: u64,
    /// Words.
    pub words: u64,
}

impl Range {
    pub(crate) fn of(slice: &Slice) -> Self {
        Self {
            buffer: slice.buffer.id(),
            first: slice.first,
            words: slice.words,
        }
    }
}

/// One command.
#[derive(Clone, Debug)]
pub enum Step {
    /// Words from the host.
    Write {
        /// Where they go.
        to: Range,
        /// The words.
        words: Vec<u32>,
    },
    /// Workgroups of a kernel.
    Dispatch {
        /// The kernel.
        kernel: Kernel,
        /// Bindings from index 1 on.
        bindings: Vec<Range>,
        /// All parameters, `base` and `groups` included.
        parameters: Vec<u32>,
        /// Workgroups along both dimensions.
        grid: (u32, u32),
    },
    /// A copy between buffers.
    Copy {
        /// Source.
        from: Range,
        /// Target, as long.
        to: Range,
    },
    /// Zeros.
    Clear(Range),
    /// Words to the host.
    Read(Range),
}

/// Commands in the order in which they take effect.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The commands.
    pub steps: Vec<Step>,
}

impl Trace {
    /// The kernels that occur, each once, by first use.
    #[must_use]
    pub fn kernels(&self) -> Vec<Kernel> {
        let mut list: Vec<Kernel> = Vec::new();
        for step in &self.steps {
            if let Step::Dispatch { kernel, .. } = step
                && list.iter().all(|known| known.id() != kernel.id())
            {
                list.push(kernel.clone());
            }
        }
        list
    }

    /// The words of the buffers that occur: number and length, at least what any step touches.
    #[must_use]
    pub fn buffers(&self) -> Vec<(u64, u64)> {
        let mut list = std::collections::BTreeMap::new();
        let mut touch = |range: &Range| {
            let end = list.entry(range.buffer).or_insert(0_u64);
            *end = (*end).max(range.first + range.words);
        };
        for step in &self.steps {
            match step {
                Step::Write { to, .. } => touch(to),
                Step::Dispatch { bindings, .. } => bindings.iter().for_each(&mut touch),
                Step::Copy { from, to } => [from, to].into_iter().for_each(&mut touch),
                Step::Clear(range) | Step::Read(range) => touch(range),
            }
        }
        list.into_iter().collect()
    }
}

/// Where a device's commands are kept.
pub(crate) type Sink = Option<Arc<std::sync::Mutex<Trace>>>;
