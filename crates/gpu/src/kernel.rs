//! Kernels: WGSL rendered from templates, and the pipelines compiled from it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::device::{Gpu, Real};
use crate::native;

/// How a kernel uses one of its bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// `var<uniform>`.
    Uniform,
    /// `var<storage, read>`.
    Read,
    /// `var<storage, read_write>`.
    ReadWrite,
}

/// A compute shader with the one entry point `main`.
///
/// Conventions, which every template keeps:
/// * group 0 only, bindings dense from 0;
/// * binding 0 is `var<uniform> params: Params`, a struct of `u32` whose first two members are
///   `base` and `groups`: the index of the dispatch's first workgroup and the number of workgroups
///   in all. The linear workgroup index is `base + id.x + id.y * num_workgroups.x`; workgroups at
///   or beyond `groups` return at once;
/// * kernels guard every access themselves: they are compiled without runtime checks.
#[derive(Clone, Debug)]
pub struct Kernel {
    label: &'static str,
    wgsl: Arc<str>,
    accesses: Arc<[Access]>,
    native: bool,
    id: u64,
}

impl Kernel {
    /// A kernel of rendered WGSL; `native` when its `mulhi` is to be replaced by the machine's.
    #[must_use]
    pub fn new(label: &'static str, wgsl: String, native: bool) -> Self {
        let accesses: Arc<[Access]> = wgsl.lines().filter_map(access).collect();
        let mut hasher = DefaultHasher::new();
        (label, &wgsl, native).hash(&mut hasher);
        Self {
            label,
            wgsl: wgsl.into(),
            accesses,
            native,
            id: hasher.finish(),
        }
    }

    /// A kernel for a device that only counts: a name without a text.
    pub(crate) fn unrendered(label: &'static str) -> Self {
        Self {
            label,
            wgsl: "".into(),
            accesses: Arc::new([]),
            native: false,
            id: 0,
        }
    }

    /// Name in profiles.
    #[must_use]
    pub fn label(&self) -> &'static str {
        self.label
    }

    /// Its text.
    #[must_use]
    pub fn wgsl(&self) -> &str {
        &self.wgsl
    }

    /// Its bindings, by index.
    #[must_use]
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// Whether its `mulhi` stands for the machine's high product.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.native
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }
}

/// The access that a line declares, if it declares a binding.
fn access(line: &str) -> Option<Access> {
    let declared = line.trim_start().strip_prefix("@group(0) @binding(")?;
    if declared.contains("var<uniform>") {
        Some(Access::Uniform)
    } else if declared.contains("read_write") {
        Some(Access::ReadWrite)
    } else {
        Some(Access::Read)
    }
}

/// A compiled kernel.
pub(crate) struct Pipeline {
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) layout: wgpu::BindGroupLayout,
}

impl Pipeline {
    pub(crate) fn build(gpu: &Gpu, real: &Real, kernel: &Kernel) -> Self {
        let device = &real.device;
        let entries: Vec<_> = (0u32..)
            .zip(kernel.accesses())
            .map(|(binding, access)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: match access {
                        Access::Uniform => wgpu::BufferBindingType::Uniform,
                        Access::Read => wgpu::BufferBindingType::Storage { read_only: true },
                        Access::ReadWrite => wgpu::BufferBindingType::Storage { read_only: false },
                    },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(kernel.label),
            entries: &entries,
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(kernel.label),
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let module = native::module(gpu, real, kernel).unwrap_or_else(|| {
            let descriptor = wgpu::ShaderModuleDescriptor {
                label: Some(kernel.label),
                source: wgpu::ShaderSource::Wgsl(kernel.wgsl().into()),
            };
            // SAFETY: the kernels of this crate guard their own accesses against the sizes in
            // their parameters, and every dispatch checks its bindings against those.
            unsafe {
                device.create_shader_module_trusted(
                    descriptor,
                    wgpu::ShaderRuntimeChecks::unchecked(),
                )
            }
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(kernel.label),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[],
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        Self { pipeline, layout }
    }
}
