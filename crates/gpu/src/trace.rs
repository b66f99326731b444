//! A record of what a device was told, for replay elsewhere: the same kernels, buffers and
//! dispatches in a browser, say.

use core::fmt::Write;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::buffer::{Buffer, Slice};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::kernel::{Access, Kernel};
use crate::ledger::Cost;

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
        let mut list = BTreeMap::new();
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

impl Trace {
    /// Runs the commands on a device, and returns the words of every read.
    ///
    /// # Errors
    /// As [`Gpu::buffer`], [`Gpu::write`], and what a [`Recorder`](crate::Recorder) fails with.
    ///
    /// # Panics
    /// If the device wants bindings aligned to more than the traced one did.
    pub fn replay(&self, gpu: &Gpu) -> Result<Vec<Vec<u32>>, GpuError> {
        let mut buffers: HashMap<u64, Buffer> = HashMap::new();
        for (id, words) in self.buffers() {
            buffers.insert(id, gpu.buffer(words)?);
        }
        let slice = |range: &Range| buffers[&range.buffer].slice(range.first, range.words);
        let mut reads = Vec::new();
        let mut recorder = gpu.record();
        for step in &self.steps {
            match step {
                Step::Write { to, words } => {
                    // An upload would overtake what is recorded.
                    recorder.submit()?;
                    gpu.write(&slice(to), words)?;
                    recorder = gpu.record();
                }
                Step::Dispatch {
                    kernel,
                    bindings,
                    parameters,
                    ..
                } => {
                    let bindings: Vec<Slice> = bindings.iter().map(slice).collect();
                    let bindings: Vec<&Slice> = bindings.iter().collect();
                    let (groups, rest) = (parameters[1], &parameters[2..]);
                    recorder.dispatch(kernel, &bindings, rest, groups, Cost::default())?;
                }
                Step::Copy { from, to } => recorder.copy(&slice(from), &slice(to)),
                Step::Clear(range) => recorder.clear(&slice(range)),
                Step::Read(range) => {
                    let ticket = recorder.read(&slice(range));
                    reads.push(recorder.finish()?.get(ticket).to_vec());
                    recorder = gpu.record();
                }
            }
        }
        recorder.submit()?;
        Ok(reads)
    }

    /// The trace as JSON, for players that are not this crate:
    ///
    /// ```text
    /// { "kernels": [{ "label": text, "wgsl": text, "bindings": [access, ..] }, ..],
    ///   "buffers": [words, ..],
    ///   "steps": [step, ..] }
    /// access: "uniform", "read" or "read_write"; that of index 0 is the parameters'
    /// step:   { "do": "write", "to": range, "words": [word, ..] }
    ///         { "do": "dispatch", "kernel": index, "bindings": [range, ..],
    ///           "parameters": [word, ..], "grid": [x, y] }
    ///         { "do": "copy", "from": range, "to": range }
    ///         { "do": "clear", "range": range }
    ///         { "do": "read", "range": range }
    /// range:  [index of a buffer, first word, words]
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let kernels = self.kernels();
        let buffers = self.buffers();
        let range = |range: &Range| {
            let index = buffers
                .binary_search_by_key(&range.buffer, |&(id, _)| id)
                .expect("every buffer that occurs is listed");
            format!("[{index},{},{}]", range.first, range.words)
        };
        let kernel = |kernel: &Kernel| {
            let bindings = list(kernel.accesses().iter().map(|access| match access {
                Access::Uniform => quoted("uniform"),
                Access::Read => quoted("read"),
                Access::ReadWrite => quoted("read_write"),
            }));
            let (label, wgsl) = (quoted(kernel.label()), quoted(kernel.wgsl()));
            format!("{{\"label\":{label},\"wgsl\":{wgsl},\"bindings\":{bindings}}}")
        };
        let step = |step: &Step| match step {
            Step::Write { to, words } => {
                let (to, words) = (range(to), list(words));
                format!("{{\"do\":\"write\",\"to\":{to},\"words\":{words}}}")
            }
            Step::Dispatch {
                kernel,
                bindings,
                parameters,
                grid: (x, y),
            } => {
                let index = kernels.iter().position(|known| known.id() == kernel.id());
                let index = index.expect("every kernel that occurs is listed");
                let (bindings, parameters) = (list(bindings.iter().map(range)), list(parameters));
                format!(
                    "{{\"do\":\"dispatch\",\"kernel\":{index},\"bindings\":{bindings},\
                     \"parameters\":{parameters},\"grid\":[{x},{y}]}}"
                )
            }
            Step::Copy { from, to } => {
                let (from, to) = (range(from), range(to));
                format!("{{\"do\":\"copy\",\"from\":{from},\"to\":{to}}}")
            }
            Step::Clear(what) => format!("{{\"do\":\"clear\",\"range\":{}}}", range(what)),
            Step::Read(what) => format!("{{\"do\":\"read\",\"range\":{}}}", range(what)),
        };
        format!(
            "{{\"kernels\":{},\n\"buffers\":{},\n\"steps\":{}}}",
            list(kernels.iter().map(kernel)),
            list(buffers.iter().map(|(_, words)| words)),
            list(self.steps.iter().map(step)),
        )
    }
}

/// A JSON array of texts that are JSON already.
fn list(items: impl IntoIterator<Item: core::fmt::Display>) -> String {
    let mut text = "[".to_owned();
    for (index, item) in items.into_iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        // Writing to a string does not fail.
        let _ = write!(text, "{comma}{item}");
    }
    text.push(']');
    text
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Where a device's commands are kept.
pub(crate) type Sink = Option<Arc<std::sync::Mutex<Trace>>>;
