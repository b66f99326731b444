//! Timing every dispatch.

use super::Command;
use crate::device::{Gpu, Real, lock};
use crate::error::GpuError;

/// Timestamps around every dispatch of a submission.
pub(super) struct Timers {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    staging: wgpu::Buffer,
    kinds: Vec<&'static str>,
}

impl Timers {
    pub(super) fn new(real: &Real, commands: &[Command]) -> Self {
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

    /// The queries of a dispatch; none beyond the set.
    pub(super) fn writes(&self, index: usize) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let inside = index < self.kinds.len();
        let index = 2 * index as u32;
        inside.then_some(wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(index),
            end_of_pass_write_index: Some(index + 1),
        })
    }

    pub(super) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        let count = 2 * self.kinds.len() as u32;
        if count > 0 {
            encoder.resolve_query_set(&self.set, 0..count, &self.resolved, 0);
            let bytes = 8 * u64::from(count);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.staging, 0, bytes);
        }
    }

    pub(super) fn collect(
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
