//! Recording commands and handing them to the queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::buffer::{Buffer, Slice};
use crate::device::{Fault, Gpu, Real, lock};
use crate::error::GpuError;
use crate::kernel::{Kernel, Pipeline};
use crate::ledger::Cost;
use crate::trace::{Range, Step};

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
        pipeline: Arc<Pipeline>,
        group: wgpu::BindGroup,
        grid: (u32, u32),
        kind: &'static str,
        work: u64,
        written: Option<Slice>,
    },
    Copy {
        from: Slice,
        to: Slice,
    },
    Clear(Slice),
    Cut,
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
    /// No memory for parameters, a binding over the adapter's limit, or a lost device.
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
        if groups == 0 {
            return Ok(());
        }
        assert_eq!(
            bindings.len() + 1,
            kernel.accesses().len(),
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
            if 4 * slice.words > limits.binding {
                return Err(GpuError::OutOfMemory {
                    need: 4 * slice.words,
                    limit: limits.binding,
                });
            }
        }
        lock(&self.gpu.inner.ledger).record(kernel.label(), cost);
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
        let Some(real) = &gpu.inner.real else {
            self.kept
                .extend(bindings.iter().map(|slice| slice.buffer.clone()));
            return Ok(());
        };
        let pipeline = gpu.pipeline(real, kernel);
        let work = cost.products.max(cost.bytes() / 2);
        let pieces = work.div_ceil(self.budget()).clamp(1, u64::from(groups)) as u32;
        let step = groups.div_ceil(pieces);
        for base in (0..groups).step_by(step as usize) {
            let count = step.min(groups - base);
            let mut words = vec![base, base + count];
            words.extend_from_slice(parameters);
            let (buffer, offset) = self.slot(&words)?;
            let mut entries = vec![wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: buffer.raw(),
                    offset,
                    size: wgpu::BufferSize::new(SLOT),
                }),
            }];
            entries.extend(
                (1..)
                    .zip(bindings)
                    .map(|(binding, slice)| wgpu::BindGroupEntry {
                        binding,
                        resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                            buffer: slice.buffer.raw(),
                            offset: 4 * slice.first,
                            size: wgpu::BufferSize::new(4 * slice.words),
                        }),
                    }),
            );
            let group = real.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(kernel.label()),
                layout: &pipeline.layout,
                entries: &entries,
            });
            let written = kernel
                .accesses()
                .iter()
                .skip(1)
                .zip(bindings)
                .find(|(access, _)| **access == crate::kernel::Access::ReadWrite)
                .map(|(_, &slice)| slice.clone());
            self.commands.push(Command::Dispatch {
                pipeline: Arc::clone(&pipeline),
                group,
                grid: (count.min(ROW), count.div_ceil(ROW)),
                kind: kernel.label(),
                work: work / u64::from(pieces),
                written,
            });
        }
        self.kept
            .extend(bindings.iter().map(|slice| slice.buffer.clone()));
        Ok(())
    }

    /// Copies words between buffers.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn copy(&mut self, from: &Slice, to: &Slice) {
        assert_eq!(from.words, to.words, "a copy keeps its length");
        lock(&self.gpu.inner.ledger).record("copy", Cost::new(4 * from.words, 4 * from.words, 0));
        if self.gpu.is_dry() {
            self.steps.push(Step::Copy {
                from: Range::of(from),
                to: Range::of(to),
            });
            return;
        }
        self.commands.push(Command::Copy {
            from: from.clone(),
            to: to.clone(),
        });
    }

    /// Fills a slice with zeros.
    pub fn clear(&mut self, slice: &Slice) {
        lock(&self.gpu.inner.ledger).record("clear", Cost::new(0, 4 * slice.words, 0));
        if self.gpu.is_dry() {
            self.steps.push(Step::Clear(Range::of(slice)));
            return;
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
        match &self.gpu.inner.real {
            Some(real) => self.encode(real, None).map(|_| ()),
            None => {
                lock(&self.gpu.inner.ledger).submissions += 1;
                Ok(())
            }
        }
    }

    /// Submits everything, waits, and returns what was read back, in order.
    ///
    /// # Errors
    /// Whatever the device has failed with.
    pub fn finish(mut self) -> Result<ReadBack, GpuError> {
        let total: u64 = self.reads.iter().map(|slice| 4 * slice.words).sum();
        let inner = &self.gpu.inner;
        let mut ranges = Vec::with_capacity(self.reads.len());
        let mut at = 0;
        for slice in &self.reads {
            ranges.push((at, at + slice.words as usize));
            at += slice.words as usize;
        }
        {
            let mut ledger = lock(&inner.ledger);
            ledger.waits += 1;
            ledger.read_back += total;
        }
        self.keep_steps();
        let Some(real) = &inner.real else {
            lock(&inner.ledger).submissions += 1;
            return Ok(ReadBack {
                words: vec![0; at],
                ranges,
            });
        };
        let staging = real.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size: total.max(4),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.gpu.check()?;
        let last = self.encode(real, Some(&staging))?;
        let mapped = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&mapped);
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            done.store(result.is_ok(), Ordering::Release);
        });
        self.gpu.wait(real, last)?;
        if !mapped.load(Ordering::Acquire) {
            self.gpu.check()?;
            return Err(GpuError::Lost("a buffer could not be mapped".to_owned()));
        }
        let words = if total == 0 {
            Vec::new()
        } else {
            let view = staging
                .get_mapped_range(..)
                .map_err(|error| GpuError::Lost(error.to_string()))?;
            bytemuck::pod_collect_to_vec(&view[..])
        };
        Ok(ReadBack { words, ranges })
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
            let buffer = self.gpu.buffer(SLOT * SLOTS / 4)?;
            self.parameters.push((buffer, Vec::new()));
        }
        let (buffer, all) = self.parameters.last_mut().expect("one was just pushed");
        let offset = 4 * all.len() as u64;
        all.extend_from_slice(words);
        all.resize(all.len().next_multiple_of(SLOT_WORDS), 0);
        Ok((buffer.clone(), offset))
    }

    /// Encodes and submits all commands; the last submission's index.
    fn encode(
        &mut self,
        real: &Real,
        staging: Option<&wgpu::Buffer>,
    ) -> Result<Option<wgpu::SubmissionIndex>, GpuError> {
        for (buffer, words) in &self.parameters {
            real.queue
                .write_buffer(buffer.raw(), 0, bytemuck::cast_slice(words));
        }
        let budget = self.budget();
        let commands = core::mem::take(&mut self.commands);
        let mut rest = commands.as_slice();
        let mut last = None;
        while !rest.is_empty() {
            let mut work = 0;
            let mut length = 0;
            for command in rest {
                if matches!(command, Command::Cut) && length > 0 {
                    break;
                }
                if let Command::Dispatch { work: more, .. } = command {
                    if length > 0 && work + more > budget {
                        break;
                    }
                    work += more;
                }
                length += 1;
            }
            let (now, later) = rest.split_at(length);
            rest = later;
            last = Some(self.encode_one(real, now, staging.filter(|_| later.is_empty()))?);
        }
        if last.is_none() && staging.is_some() {
            last = Some(self.encode_one(real, &[], staging)?);
        }
        self.gpu.check()?;
        Ok(last)
    }

    fn encode_one(
        &self,
        real: &Real,
        commands: &[Command],
        staging: Option<&wgpu::Buffer>,
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
                    let timestamp_writes = timers.as_ref().map(|timers| timers.writes(timed));
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                        label: None,
                        timestamp_writes,
                    });
                    while let Some(Command::Dispatch {
                        pipeline,
                        group,
                        grid,
                        written,
                        ..
                    }) = commands.get(at)
                    {
                        pass.set_pipeline(&pipeline.pipeline);
                        pass.set_bind_group(0, group, &[]);
                        pass.dispatch_workgroups(grid.0, grid.1, 1);
                        at += 1;
                        timed += 1;
                        if self.gpu.corrupts() {
                            corrupted = written.clone();
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
            let mut offset = 0;
            for slice in &self.reads {
                let bytes = 4 * slice.words;
                let from = slice.buffer.raw();
                encoder.copy_buffer_to_buffer(from, 4 * slice.first, staging, offset, bytes);
                offset += bytes;
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

/// What a recording read back.
#[derive(Clone, Debug)]
pub struct ReadBack {
    words: Vec<u32>,
    ranges: Vec<(usize, usize)>,
}

impl ReadBack {
    /// The words of one read.
    ///
    /// # Panics
    /// If the ticket is from another recording.
    #[must_use]
    pub fn get(&self, ticket: Ticket) -> &[u32] {
        let (from, to) = self.ranges[ticket.0];
        &self.words[from..to]
    }
}

impl Gpu {
    /// Waits for a submission, or for everything.
    ///
    /// # Errors
    /// Whatever the device has failed with.
    pub(crate) fn wait(
        &self,
        real: &Real,
        index: Option<wgpu::SubmissionIndex>,
    ) -> Result<(), GpuError> {
        let poll = wgpu::PollType::Wait {
            submission_index: index,
            timeout: None,
        };
        let polled = real.device.poll(poll);
        self.check()?;
        polled
            .map(|_| ())
            .map_err(|error| GpuError::Lost(error.to_string()))
    }

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

/// Timestamps around every dispatch of a submission.
struct Timers {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    staging: wgpu::Buffer,
    kinds: Vec<&'static str>,
}

impl Timers {
    fn new(real: &Real, commands: &[Command]) -> Self {
        let kinds: Vec<_> = commands
            .iter()
            .filter_map(|command| match command {
                Command::Dispatch { kind, .. } => Some(*kind),
                _ => None,
            })
            .take(wgpu::QUERY_SET_MAX_QUERIES as usize / 2)
            .collect();
        let count = 2 * kinds.len().max(1) as u32;
        let device = &real.device;
        let set = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 8 * u64::from(count),
                usage,
                mapped_at_creation: false,
            })
        };
        Self {
            set,
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            staging: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            kinds,
        }
    }

    fn writes(&self, index: usize) -> wgpu::ComputePassTimestampWrites<'_> {
        let inside = index < self.kinds.len();
        let index = 2 * index as u32;
        wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: inside.then_some(index),
            end_of_pass_write_index: inside.then_some(index + 1),
        }
    }

    fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        let count = 2 * self.kinds.len() as u32;
        if count > 0 {
            encoder.resolve_query_set(&self.set, 0..count, &self.resolved, 0);
            let bytes = 8 * u64::from(count);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.staging, 0, bytes);
        }
    }

    fn collect(
        &self,
        gpu: &Gpu,
        real: &Real,
        index: wgpu::SubmissionIndex,
    ) -> Result<(), GpuError> {
        if self.kinds.is_empty() {
            return Ok(());
        }
        self.staging.map_async(wgpu::MapMode::Read, .., |_| {});
        gpu.wait(real, Some(index))?;
        let view = self
            .staging
            .get_mapped_range(..)
            .map_err(|error| GpuError::Lost(error.to_string()))?;
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&view[..]);
        let period = f64::from(real.queue.get_timestamp_period());
        let mut ledger = lock(&gpu.inner.ledger);
        for (kind, pair) in self.kinds.iter().zip(ticks.chunks_exact(2)) {
            let nanos = pair[1].saturating_sub(pair[0]) as f64 * period;
            let entry = ledger.entries.entry(kind).or_default();
            entry.time += core::time::Duration::from_nanos(nanos as u64);
        }
        Ok(())
    }
}
