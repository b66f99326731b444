//! Recording commands and handing them to the queue.

mod staging;
mod timers;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::buffer::{Buffer, Slice};
use crate::device::{Fault, Gpu, Real, lock};
use crate::error::GpuError;
use crate::kernel::{Access, Kernel, Pipeline};
use crate::ledger::Cost;
use crate::trace::{Range, Step};
use staging::Staging;
use timers::Timers;

pub use staging::ReadBack;

/// Bytes between the parameters of two dispatches: the largest alignment an adapter may ask for.
const SLOT: u64 = 256;
/// Words of parameters a dispatch may have.
const SLOT_WORDS: usize = SLOT as usize / 4;
/// Parameters of this many dispatches share a buffer.
const SLOTS: u64 = 128;
/// Most workgroups along one dimension; below every adapter's limit.
const ROW: u32 = 1 << 15;
/// Estimated milliseconds of a submission: short enough for every display's watchdog.
const SUBMISSION_MS: u64 = 60;
/// Products a second assumed until measured.
const DEFAULT_RATE: u64 = 1_000_000_000;

enum Command {
    Dispatch {
        /// Absent on a dry device.
        run: Option<Run>,
        kind: &'static str,
        work: u64,
    },
    Copy {
        from: Slice,
        to: Slice,
    },
    Clear(Slice),
    Cut,
}

struct Run {
    pipeline: Arc<Pipeline>,
    group: wgpu::BindGroup,
    grid: (u32, u32),
    /// What an injected corruption hits.
    written: Option<Slice>,
}

/// A place in what [`Recorder::finish`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(usize);

/// Commands in order, not yet submitted.
///
/// Buffers that were bound stay alive until submission even if every handle to them is dropped.
/// Uploads through [`Gpu::write`] take effect before all recorded commands.
pub struct Recorder<'g> {
    gpu: &'g Gpu,
    commands: Vec<Command>,
    kept: Vec<Buffer>,
    parameters: Vec<(Buffer, Vec<u32>)>,
    reads: Vec<Slice>,
    /// Commands for a traced device's record.
    steps: Vec<Step>,
}

impl core::fmt::Debug for Recorder<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Recorder")
            .field("commands", &self.commands.len())
            .finish_non_exhaustive()
    }
}

impl Gpu {
    /// An empty recording.
    #[must_use]
    pub fn record(&self) -> Recorder<'_> {
        Recorder {
            gpu: self,
            commands: Vec::new(),
            kept: Vec::new(),
            parameters: Vec::new(),
            reads: Vec::new(),
            steps: Vec::new(),
        }
    }
}

impl Recorder<'_> {
    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        self.gpu
    }

    /// Runs `groups` workgroups of `kernel`.
    ///
    /// `bindings` are those from index 1 on, `parameters` the members of `Params` after `base` and
    /// `groups`. A dispatch that would keep the device busy for long is cut into several.
    ///
    /// # Errors
    /// No memory for parameters, a binding over the adapter's limit or without words, whatever the
    /// driver refuses, or a lost device.
    ///
    /// # Panics
    /// If the number of bindings is not the kernel's, or a slice does not start on an aligned
    /// offset.
    pub fn dispatch(
        &mut self,
        kernel: &Kernel,
        bindings: &[&Slice],
        parameters: &[u32],
        groups: u32,
        cost: Cost,
    ) -> Result<(), GpuError> {
        self.dispatch_with(kernel, bindings, parameters, groups, cost, None)
    }

    /// [`Self::dispatch`] of a kernel that does the work of another kind beside its own: `also`
    /// names that kind and what it costs.
    ///
    /// # Errors
    /// As [`Self::dispatch`].
    ///
    /// # Panics
    /// As [`Self::dispatch`].
    pub fn dispatch_with(
        &mut self,
        kernel: &Kernel,
        bindings: &[&Slice],
        parameters: &[u32],
        groups: u32,
        cost: Cost,
        also: Option<(&'static str, Cost)>,
    ) -> Result<(), GpuError> {
        if groups == 0 {
            return Ok(());
        }
        assert!(
            kernel.wgsl().is_empty() || bindings.len() + 1 == kernel.accesses().len(),
            "bindings of {}",
            kernel.label()
        );
        assert!(
            parameters.len() + 2 <= SLOT_WORDS,
            "parameters of {}",
            kernel.label()
        );
        let limits = self.gpu.limits();
        for slice in bindings {
            assert_eq!(
                4 * slice.first % limits.alignment,
                0,
                "a binding of {}",
                kernel.label()
            );
            if slice.words == 0 {
                let message = format!("an empty binding of {}", kernel.label());
                return Err(GpuError::Validation(message));
            }
            if 4 * slice.words > limits.binding {
                return Err(GpuError::OutOfMemory {
                    need: 4 * slice.words,
                    limit: limits.binding,
                });
            }
        }
        {
            let mut ledger = lock(&self.gpu.inner.ledger);
            ledger.record(kernel.label(), cost);
            if let Some((kind, cost)) = also {
                ledger.attribute(kind, cost);
            }
        }
        let cost = also.map_or(cost, |(_, more)| cost + more);
        let gpu = self.gpu;
        if gpu.inner.trace.is_some() {
            let mut all = vec![0, groups];
            all.extend_from_slice(parameters);
            self.steps.push(Step::Dispatch {
                kernel: kernel.clone(),
                bindings: bindings.iter().map(|slice| Range::of(slice)).collect(),
                parameters: all,
                grid: (groups.min(ROW), groups.div_ceil(ROW)),
            });
        }
        let real = gpu.inner.real.as_ref();
        let pipeline = real.map(|real| gpu.pipeline(real, kernel));
        let work = cost.products.max(cost.bytes() / 2);
        let pieces = work.div_ceil(self.budget()).clamp(1, u64::from(groups)) as u32;
        let step = groups.div_ceil(pieces);
        for base in (0..groups).step_by(step as usize) {
            let count = step.min(groups - base);
            let mut words = vec![base, base + count];
            words.extend_from_slice(parameters);
            let (buffer, offset) = self.slot(&words)?;
            let run = match (real, &pipeline) {
                (Some(real), Some(pipeline)) => {
                    let place = (&buffer, offset);
                    Some(Run {
                        group: bind(real, pipeline, kernel, place, bindings),
                        pipeline: Arc::clone(pipeline),
                        grid: (count.min(ROW), count.div_ceil(ROW)),
                        written: kernel
                            .accesses()
                            .iter()
                            .skip(1)
                            .zip(bindings)
                            .find(|(access, _)| **access == Access::ReadWrite)
                            .map(|(_, &slice)| slice.clone()),
                    })
                }
                _ => None,
            };
            self.commands.push(Command::Dispatch {
                run,
                kind: kernel.label(),
                work: work / u64::from(pieces),
            });
        }
        self.kept
            .extend(bindings.iter().map(|slice| slice.buffer.clone()));
        // A failure that waited for the submission would be another recording's by then, if this
        // one is given up.
        self.gpu.check()
    }

    /// Copies words between buffers.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn copy(&mut self, from: &Slice, to: &Slice) {
        assert_eq!(from.words, to.words, "a copy keeps its length");
        lock(&self.gpu.inner.ledger)
            .record("move copy", Cost::new(4 * from.words, 4 * from.words, 0));
        if self.gpu.inner.trace.is_some() {
            self.steps.push(Step::Copy {
                from: Range::of(from),
                to: Range::of(to),
            });
        }
        self.commands.push(Command::Copy {
            from: from.clone(),
            to: to.clone(),
        });
    }

    /// Fills a slice with zeros.
    pub fn clear(&mut self, slice: &Slice) {
        lock(&self.gpu.inner.ledger).record("move clear", Cost::new(0, 4 * slice.words, 0));
        if self.gpu.inner.trace.is_some() {
            self.steps.push(Step::Clear(Range::of(slice)));
        }
        self.commands.push(Command::Clear(slice.clone()));
    }

    /// Ends a submission here, without waiting for it.
    pub fn cut(&mut self) {
        self.commands.push(Command::Cut);
    }

    /// Reads a slice back once everything recorded has run.
    pub fn read(&mut self, slice: &Slice) -> Ticket {
        self.reads.push(slice.clone());
        Ticket(self.reads.len() - 1)
    }

    /// Submits everything, without waiting.
    ///
    /// # Errors
    /// Whatever the device has failed with so far.
    ///
    /// # Panics
    /// If something is to be read back.
    pub fn submit(mut self) -> Result<(), GpuError> {
        assert!(self.reads.is_empty(), "reading back takes a wait");
        self.keep_steps();
        self.encode(None).map(|_| ())
    }

    /// Submits everything, waits, and returns what was read back, in order.
    ///
    /// # Errors
    /// Whatever the device has failed with.
    pub fn finish(mut self) -> Result<ReadBack, GpuError> {
        let inner = &self.gpu.inner;
        let mut staging = Staging::default();
        for slice in &self.reads {
            staging.place(slice.words, inner.limits.buffer / 4);
        }
        {
            let mut ledger = lock(&inner.ledger);
            ledger.waits += 1;
            ledger.read_back += 4 * staging.sizes.iter().sum::<u64>();
        }
        self.keep_steps();
        let Some(real) = &inner.real else {
            self.encode(Some(&staging))?;
            return Ok(staging.read_back());
        };
        for &words in &staging.sizes {
            let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
            let buffer = self.gpu.create(real, (4 * words).max(4), usage)?;
            staging.buffers.push(buffer);
        }
        let last = self.encode(Some(&staging))?;
        let mapped = Arc::new(AtomicUsize::new(0));
        for buffer in &staging.buffers {
            let done = Arc::clone(&mapped);
            buffer.map_async(wgpu::MapMode::Read, .., move |result| {
                done.fetch_add(usize::from(result.is_ok()), Ordering::Release);
            });
        }
        self.gpu.wait(real, last)?;
        if mapped.load(Ordering::Acquire) < staging.buffers.len() {
            self.gpu.check()?;
            return Err(GpuError::Lost("a buffer could not be mapped".to_owned()));
        }
        let mut back = staging.read_back();
        for (buffer, words) in staging.buffers.iter().zip(&mut back.words) {
            let view = buffer
                .get_mapped_range(..)
                .map_err(|error| GpuError::Lost(error.to_string()))?;
            let bytes = 4 * words.len();
            bytemuck::cast_slice_mut(words).copy_from_slice(&view[..bytes]);
        }
        Ok(back)
    }

    /// Adds the recorded commands to a traced device's record.
    fn keep_steps(&mut self) {
        if let Some(trace) = &self.gpu.inner.trace {
            let mut trace = lock(trace);
            trace.steps.append(&mut self.steps);
            trace
                .steps
                .extend(self.reads.iter().map(|slice| Step::Read(Range::of(slice))));
        }
    }

    /// Work units, in products, that one submission may take.
    fn budget(&self) -> u64 {
        let rate = match self.gpu.products_per_second() {
            0 => DEFAULT_RATE,
            rate => rate,
        };
        (rate / 1000).saturating_mul(SUBMISSION_MS).max(1)
    }

    /// A place for parameters.
    fn slot(&mut self, words: &[u32]) -> Result<(Buffer, u64), GpuError> {
        let full = |words: &Vec<u32>| words.len() as u64 * 4 >= SLOT * SLOTS;
        if self.parameters.last().is_none_or(|(_, words)| full(words)) {
            // A dry device counts the memory.
            let buffer = self.gpu.buffer(SLOT * SLOTS / 4)?;
            self.parameters.push((buffer, Vec::new()));
        }
        let (buffer, all) = self.parameters.last_mut().expect("one was just pushed");
        let offset = 4 * all.len() as u64;
        all.extend_from_slice(words);
        all.resize(all.len().next_multiple_of(SLOT_WORDS), 0);
        Ok((buffer.clone(), offset))
    }

    /// Encodes and submits all commands; the last submission's index, on a dry device none.
    fn encode(
        &mut self,
        staging: Option<&Staging>,
    ) -> Result<Option<wgpu::SubmissionIndex>, GpuError> {
        let real = self.gpu.inner.real.as_ref();
        if let Some(real) = real {
            for (buffer, words) in &self.parameters {
                real.queue
                    .write_buffer(buffer.raw(), 0, bytemuck::cast_slice(words));
            }
        }
        let budget = self.budget();
        let commands = core::mem::take(&mut self.commands);
        let mut rest = commands.as_slice();
        let mut last = None;
        // What is read back takes a submission even after no command.
        let mut unread = staging;
        while !rest.is_empty() || unread.is_some() {
            let mut work = 0_u64;
            let mut length = 0;
            for command in rest {
                if matches!(command, Command::Cut) && length > 0 {
                    break;
                }
                if let Command::Dispatch { work: more, .. } = command {
                    if length > 0 && work.saturating_add(*more) > budget {
                        break;
                    }
                    work = work.saturating_add(*more);
                }
                length += 1;
            }
            let (now, later) = rest.split_at(length);
            rest = later;
            let read = if rest.is_empty() { unread.take() } else { None };
            match real {
                Some(real) => last = Some(self.encode_one(real, now, read)?),
                None => lock(&self.gpu.inner.ledger).submissions += 1,
            }
        }
        self.gpu.check()?;
        Ok(last)
    }

    fn encode_one(
        &self,
        real: &Real,
        commands: &[Command],
        staging: Option<&Staging>,
    ) -> Result<wgpu::SubmissionIndex, GpuError> {
        let inner = &self.gpu.inner;
        let mut encoder = real.device.create_command_encoder(&Default::default());
        let timers = inner.profile.then(|| Timers::new(real, commands));
        let mut timed = 0;
        let mut at = 0;
        while at < commands.len() {
            match &commands[at] {
                Command::Copy { from, to } => {
                    encoder.copy_buffer_to_buffer(
                        from.buffer.raw(),
                        4 * from.first,
                        to.buffer.raw(),
                        4 * to.first,
                        4 * from.words,
                    );
                    at += 1;
                }
                Command::Clear(slice) => {
                    encoder.clear_buffer(
                        slice.buffer.raw(),
                        4 * slice.first,
                        Some(4 * slice.words),
                    );
                    at += 1;
                }
                Command::Cut => at += 1,
                Command::Dispatch { .. } => {
                    let mut corrupted = None;
                    let timestamp_writes = timers.as_ref().and_then(|timers| timers.writes(timed));
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                        label: None,
                        timestamp_writes,
                    });
                    while let Some(Command::Dispatch { run, .. }) = commands.get(at) {
                        at += 1;
                        timed += 1;
                        let Some(run) = run else { continue };
                        pass.set_pipeline(&run.pipeline.pipeline);
                        pass.set_bind_group(0, &run.group, &[]);
                        pass.dispatch_workgroups(run.grid.0, run.grid.1, 1);
                        if self.gpu.corrupts() {
                            corrupted = run.written.clone();
                        }
                        // A timed dispatch has a pass of its own.
                        if timers.is_some() || corrupted.is_some() {
                            break;
                        }
                    }
                    drop(pass);
                    if let Some(slice) = corrupted {
                        encoder.clear_buffer(slice.buffer.raw(), 4 * slice.first, Some(4));
                    }
                }
            }
        }
        if let Some(staging) = staging {
            for (slice, &(index, first)) in self.reads.iter().zip(&staging.places) {
                encoder.copy_buffer_to_buffer(
                    slice.buffer.raw(),
                    4 * slice.first,
                    &staging.buffers[index],
                    4 * first,
                    4 * slice.words,
                );
            }
        }
        if let Some(timers) = &timers {
            timers.resolve(&mut encoder);
        }
        if self.gpu.loses() {
            real.device.destroy();
        }
        let index = real.queue.submit([encoder.finish()]);
        lock(&inner.ledger).submissions += 1;
        if let Some(timers) = timers {
            timers.collect(self.gpu, real, index.clone())?;
        }
        Ok(index)
    }
}

/// A bind group: the parameters at a place, then the slices.
fn bind(
    real: &Real,
    pipeline: &Pipeline,
    kernel: &Kernel,
    (parameters, offset): (&Buffer, u64),
    bindings: &[&Slice],
) -> wgpu::BindGroup {
    let places = core::iter::once((parameters, offset, SLOT)).chain(
        bindings
            .iter()
            .map(|slice| (&slice.buffer, 4 * slice.first, 4 * slice.words)),
    );
    let entries: Vec<_> = (0..)
        .zip(places)
        .map(|(binding, (buffer, offset, bytes))| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: buffer.raw(),
                offset,
                size: wgpu::BufferSize::new(bytes),
            }),
        })
        .collect();
    real.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(kernel.label()),
        layout: &pipeline.layout,
        entries: &entries,
    })
}

impl Gpu {
    /// Counts a dispatch towards an injected corruption.
    fn corrupts(&self) -> bool {
        let mut fault = lock(&self.inner.fault);
        if let Some(Fault::Corrupt { after }) = &mut *fault {
            if *after == 0 {
                *fault = None;
                return true;
            }
            *after -= 1;
        }
        false
    }

    /// Counts a submission towards an injected loss.
    fn loses(&self) -> bool {
        let mut fault = lock(&self.inner.fault);
        if let Some(Fault::Lose { after }) = &mut *fault {
            if *after == 0 {
                *fault = None;
                return true;
            }
            *after -= 1;
        }
        false
    }
}
