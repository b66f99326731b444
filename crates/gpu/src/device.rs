//! Adapters, and the one device that a prover works on.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::buffer::Pool;
use crate::error::GpuError;
use crate::kernel::{Kernel, Pipeline};
use crate::ledger::Ledger;
use crate::trace::{Sink, Trace};

/// An adapter, as the system describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// Name of the adapter.
    pub name: String,
    /// API: `vulkan`, `metal`, `dx12`, ...
    pub backend: String,
    /// Kind: `discrete`, `integrated`, `virtual`, `cpu` or `other`.
    pub kind: String,
    /// Driver name and version.
    pub driver: String,
    /// Largest storage binding, bytes.
    pub max_binding_bytes: u64,
    /// Largest buffer, bytes.
    pub max_buffer_bytes: u64,
    /// Workgroup memory, bytes.
    pub workgroup_bytes: u32,
    /// Most invocations of a workgroup.
    pub workgroup_invocations: u32,
    /// Storage buffers a kernel may bind.
    pub storage_buffers: u32,
    /// Smallest and largest subgroup.
    pub subgroup_sizes: (u32, u32),
    /// Optional features that the kernels use where present.
    pub features: Vec<&'static str>,
}

/// Optional features, with the names that reports give them.
const OPTIONAL: [(wgpu::Features, &str); 3] = [
    (wgpu::Features::SHADER_INT64, "shader-int64"),
    (wgpu::Features::TIMESTAMP_QUERY, "timestamp-query"),
    (wgpu::Features::PASSTHROUGH_SHADERS, "passthrough-shaders"),
];

/// Which adapter to open, and within which bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Part of the adapter's name, any case. Without it: the fastest kind present.
    pub adapter: Option<String>,
    /// Most bytes of device memory to hold.
    pub max_bytes: Option<u64>,
    /// Pretend that a storage binding is limited to this many bytes.
    pub max_binding_bytes: Option<u64>,
    /// Pretend that these optional features are absent, by their name in [`AdapterInfo`].
    pub without: Vec<String>,
    /// Time every dispatch with timestamp queries, where the device has them.
    pub profile: bool,
}

/// Limits that plans are made against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes held at once.
    pub memory: u64,
    /// Largest storage binding, bytes.
    pub binding: u64,
    /// Largest buffer, bytes.
    pub buffer: u64,
    /// Alignment of bound ranges, bytes.
    pub alignment: u64,
    /// Storage buffers a kernel may bind.
    pub storage_buffers: u32,
    /// Most invocations of a workgroup.
    pub invocations: u32,
    /// Bytes of workgroup memory.
    pub workgroup_memory: u32,
}

impl Limits {
    /// The defaults of WebGPU, which every adapter has.
    pub const WEBGPU: Self = Self {
        memory: 1 << 30,
        binding: 128 << 20,
        buffer: 256 << 20,
        alignment: 256,
        storage_buffers: 8,
        invocations: 256,
        workgroup_memory: 16 << 10,
    };
}

/// What a test makes go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Zeroes the first word that the `n`-th dispatch from now writes.
    Corrupt {
        /// Dispatches to let through.
        after: u64,
    },
    /// Destroys the device before the `n`-th submission from now.
    Lose {
        /// Submissions to let through.
        after: u64,
    },
    /// Allocations beyond this many bytes fail as if the driver had refused them.
    Exhaust {
        /// Bytes that may be held.
        limit: u64,
    },
}

/// An open device with its kernels, memory and counters. Cheap to clone.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) inner: Arc<Inner>,
}

/// The parts of an open device that a dry one lacks.
pub(crate) struct Real {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
}

pub(crate) struct Inner {
    /// Absent in a device that only counts.
    pub(crate) real: Option<Real>,
    pub(crate) info: AdapterInfo,
    pub(crate) limits: Limits,
    pub(crate) features: wgpu::Features,
    pub(crate) vulkan: bool,
    pub(crate) profile: bool,
    pub(crate) pool: Arc<Pool>,
    pub(crate) pipelines: Mutex<HashMap<u64, Arc<Pipeline>>>,
    pub(crate) ledger: Mutex<Ledger>,
    pub(crate) failure: Arc<Mutex<Option<GpuError>>>,
    pub(crate) fault: Mutex<Option<Fault>>,
    /// Where commands are kept, if they are.
    pub(crate) trace: Sink,
    /// Products a second, as measured when the device was opened.
    pub(crate) products_per_second: AtomicU64,
}

impl core::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Gpu")
            .field("info", &self.inner.info)
            .finish_non_exhaustive()
    }
}

/// A lock whose holder may have panicked: the data behind it are counters and caches.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a submission, or for everything, and runs the callbacks that are due.
fn poll(real: &Real, index: Option<wgpu::SubmissionIndex>) -> Result<(), String> {
    let wait = wgpu::PollType::Wait {
        submission_index: index,
        timeout: None,
    };
    // wgpu panics when the driver reports the loss of the device to a wait; by then it has told
    // the loss callback. Nothing of ours is half changed.
    let polled = catch_unwind(AssertUnwindSafe(|| real.device.poll(wait)));
    match polled {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("waiting failed".to_owned()),
    }
}

fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    descriptor.flags = wgpu::InstanceFlags::empty();
    wgpu::Instance::new(descriptor)
}

fn describe(adapter: &wgpu::Adapter) -> AdapterInfo {
    let (info, limits, features) = (adapter.get_info(), adapter.limits(), adapter.features());
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => "discrete",
        wgpu::DeviceType::IntegratedGpu => "integrated",
        wgpu::DeviceType::VirtualGpu => "virtual",
        wgpu::DeviceType::Cpu => "cpu",
        wgpu::DeviceType::Other => "other",
    };
    AdapterInfo {
        name: info.name,
        backend: info.backend.to_str().to_owned(),
        kind: kind.to_owned(),
        driver: format!("{} {}", info.driver, info.driver_info)
            .trim()
            .to_owned(),
        max_binding_bytes: limits.max_storage_buffer_binding_size,
        max_buffer_bytes: limits.max_buffer_size,
        workgroup_bytes: limits.max_compute_workgroup_storage_size,
        workgroup_invocations: limits.max_compute_invocations_per_workgroup,
        storage_buffers: limits.max_storage_buffers_per_shader_stage,
        subgroup_sizes: (info.subgroup_min_size, info.subgroup_max_size),
        features: OPTIONAL
            .iter()
            .filter(|(feature, _)| features.contains(*feature))
            .map(|&(_, name)| name)
            .collect(),
    }
}

/// Fastest kinds first.
fn rank(kind: &str) -> usize {
    ["discrete", "integrated", "virtual", "other", "cpu"]
        .iter()
        .position(|&name| name == kind)
        .unwrap_or(usize::MAX)
}

fn adapters() -> Vec<(AdapterInfo, wgpu::Adapter)> {
    let list = pollster::block_on(instance().enumerate_adapters(wgpu::Backends::all()));
    let mut list: Vec<_> = list
        .into_iter()
        .map(|adapter| (describe(&adapter), adapter))
        .collect();
    list.sort_by_key(|(info, _)| rank(&info.kind));
    list
}

/// Every adapter, the one that is opened by default first.
#[must_use]
pub fn list_adapters() -> Vec<AdapterInfo> {
    adapters().into_iter().map(|(info, _)| info).collect()
}

impl Gpu {
    /// Opens an adapter.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`], or [`GpuError::Unsupported`] when the adapter has less than
    /// WebGPU's default limits or refuses to open.
    pub fn open(options: &Options) -> Result<Self, GpuError> {
        let wanted = options.adapter.as_ref().map(|name| name.to_lowercase());
        let (info, adapter) = adapters()
            .into_iter()
            .find(|(info, _)| {
                wanted
                    .as_ref()
                    .is_none_or(|name| info.name.to_lowercase().contains(name))
            })
            .ok_or_else(|| GpuError::NoAdapter {
                wanted: options.adapter.clone(),
            })?;
        let available = adapter.limits();
        let least = Limits::WEBGPU;
        if available.max_compute_invocations_per_workgroup < least.invocations
            || available.max_compute_workgroup_storage_size < least.workgroup_memory
            || available.max_storage_buffers_per_shader_stage < least.storage_buffers
        {
            return Err(GpuError::Unsupported(format!(
                "{} offers {} invocations, {} bytes of workgroup memory and {} storage buffers, \
                 expected at least {}, {} and {}",
                info.name,
                available.max_compute_invocations_per_workgroup,
                available.max_compute_workgroup_storage_size,
                available.max_storage_buffers_per_shader_stage,
                least.invocations,
                least.workgroup_memory,
                least.storage_buffers,
            )));
        }
        let mut features = wgpu::Features::empty();
        for (feature, name) in OPTIONAL {
            if adapter.features().contains(feature) && !options.without.iter().any(|w| w == name) {
                features |= feature;
            }
        }
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("prova"),
            required_features: features,
            required_limits: available.clone(),
            // SAFETY: the experimental feature asked for is shader passthrough; the modules passed
            // through are compiled from this crate's own validated kernels.
            experimental_features: unsafe { wgpu::ExperimentalFeatures::enabled() },
            memory_hints: wgpu::MemoryHints::Performance,
            trace: wgpu::Trace::Off,
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| GpuError::Unsupported(error.to_string()))?;

        let failure = Arc::new(Mutex::new(None));
        let sink = Arc::clone(&failure);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let error = match error {
                wgpu::Error::OutOfMemory { .. } => GpuError::OutOfMemory { need: 0, limit: 0 },
                wgpu::Error::Validation { description, .. }
                | wgpu::Error::Internal { description, .. } => GpuError::Validation(description),
            };
            lock(&sink).get_or_insert(error);
        }));
        let sink = Arc::clone(&failure);
        device.set_device_lost_callback(move |reason, message| {
            // A loss explains every other error, so it replaces one.
            *lock(&sink) = Some(GpuError::Lost(format!("{reason:?}: {message}")));
        });

        let binding = available
            .max_storage_buffer_binding_size
            .min(options.max_binding_bytes.unwrap_or(u64::MAX))
            // Kernels index words with 32 bits; bindings stay whole multiples of any row.
            .min(1 << 33);
        let limits = Limits {
            memory: options.max_bytes.unwrap_or(u64::MAX),
            binding,
            buffer: available.max_buffer_size,
            alignment: u64::from(available.min_storage_buffer_offset_alignment).max(256),
            storage_buffers: available.max_storage_buffers_per_shader_stage,
            invocations: available.max_compute_invocations_per_workgroup,
            workgroup_memory: available.max_compute_workgroup_storage_size,
        };
        let pool = Arc::new(Pool::new(limits.memory));
        Ok(Self {
            inner: Arc::new(Inner {
                vulkan: adapter.get_info().backend == wgpu::Backend::Vulkan,
                real: Some(Real { device, queue }),
                info,
                limits,
                features,
                profile: options.profile && features.contains(wgpu::Features::TIMESTAMP_QUERY),
                pool,
                pipelines: Mutex::default(),
                ledger: Mutex::default(),
                failure,
                fault: Mutex::new(None),
                trace: None,
                products_per_second: AtomicU64::new(0),
            }),
        })
    }

    /// A device that runs nothing: it accepts the same commands, counts their cost and the
    /// memory they need, and reads back zeros. What a plan costs is found by playing it here.
    #[must_use]
    pub fn dry(limits: Limits) -> Self {
        let info = AdapterInfo {
            name: "dry run".to_owned(),
            backend: "none".to_owned(),
            kind: "other".to_owned(),
            driver: String::new(),
            max_binding_bytes: limits.binding,
            max_buffer_bytes: limits.buffer,
            workgroup_bytes: limits.workgroup_memory,
            workgroup_invocations: limits.invocations,
            storage_buffers: limits.storage_buffers,
            subgroup_sizes: (1, 1),
            features: Vec::new(),
        };
        Self {
            inner: Arc::new(Inner {
                real: None,
                info,
                limits,
                features: wgpu::Features::empty(),
                vulkan: false,
                profile: false,
                pool: Arc::new(Pool::new(limits.memory)),
                pipelines: Mutex::default(),
                ledger: Mutex::default(),
                failure: Arc::default(),
                fault: Mutex::new(None),
                trace: None,
                products_per_second: AtomicU64::new(0),
            }),
        }
    }

    /// A dry device that also keeps every command, with the words of uploads.
    #[must_use]
    pub fn traced(limits: Limits) -> Self {
        let mut gpu = Self::dry(limits);
        if let Some(inner) = Arc::get_mut(&mut gpu.inner) {
            inner.trace = Some(Arc::default());
        }
        gpu
    }

    /// What a traced device was told so far.
    #[must_use]
    pub fn trace(&self) -> Option<Trace> {
        self.inner.trace.as_ref().map(|trace| lock(trace).clone())
    }

    /// Whether nobody looks at the kernels of this device.
    pub(crate) fn only_counts(&self) -> bool {
        self.inner.real.is_none() && self.inner.trace.is_none()
    }

    /// Whether this device only counts.
    #[must_use]
    pub fn is_dry(&self) -> bool {
        self.inner.real.is_none()
    }

    /// The opened adapter.
    #[must_use]
    pub fn info(&self) -> &AdapterInfo {
        &self.inner.info
    }

    /// Limits for planning.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.inner.limits
    }

    /// Whether kernels may use 64-bit integers.
    #[must_use]
    pub fn has_int64(&self) -> bool {
        self.inner.features.contains(wgpu::Features::SHADER_INT64)
    }

    /// Whether kernels may be handed over as SPIR-V.
    #[must_use]
    pub fn has_spirv_passthrough(&self) -> bool {
        self.inner.vulkan
            && self
                .inner
                .features
                .contains(wgpu::Features::PASSTHROUGH_SHADERS)
    }

    /// What was done since the last [`Self::take_ledger`].
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        lock(&self.inner.ledger).clone()
    }

    /// Returns the counters and starts them anew.
    #[must_use]
    pub fn take_ledger(&self) -> Ledger {
        core::mem::take(&mut *lock(&self.inner.ledger))
    }

    /// Field products a second that the kernels reach here; 0 until it is known.
    #[must_use]
    pub fn products_per_second(&self) -> u64 {
        self.inner.products_per_second.load(Ordering::Relaxed)
    }

    /// Tells the submission splitter how fast the device is.
    pub fn set_products_per_second(&self, rate: u64) {
        self.inner
            .products_per_second
            .store(rate, Ordering::Relaxed);
    }

    /// Bytes held by buffers, those waiting for reuse included.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        self.inner.pool.held()
    }

    /// Most bytes that buffers in use held at once since the last [`Self::reset_peak`].
    #[must_use]
    pub fn peak_bytes(&self) -> u64 {
        self.inner.pool.peak()
    }

    /// Starts [`Self::peak_bytes`] anew.
    pub fn reset_peak(&self) {
        self.inner.pool.reset_peak();
    }

    /// Makes something go wrong later: for tests of error paths.
    #[doc(hidden)]
    pub fn inject(&self, fault: Fault) {
        if let Fault::Exhaust { limit } = fault {
            self.inner.pool.set_limit(limit);
            self.inner.pool.trim(0);
        } else {
            *lock(&self.inner.fault) = Some(fault);
        }
    }

    /// The first failure that was not reported yet. A lost device stays lost; any other failure is
    /// reported once.
    ///
    /// # Errors
    /// That failure.
    pub fn check(&self) -> Result<(), GpuError> {
        let Some(found) = self.failure() else {
            return Ok(());
        };
        if !matches!(found, GpuError::Lost(_))
            && let Some(real) = &self.inner.real
        {
            // Commands on a lost device are refused for odd reasons before the loss is reported,
            // which takes a poll.
            let _ = poll(real, None);
            if let Some(lost @ GpuError::Lost(_)) = self.failure() {
                return Err(lost);
            }
        }
        Err(found)
    }

    /// Takes the recorded failure; a loss is also left there.
    fn failure(&self) -> Option<GpuError> {
        let mut failure = lock(&self.inner.failure);
        match &*failure {
            Some(lost @ GpuError::Lost(_)) => Some(lost.clone()),
            _ => failure.take(),
        }
    }

    /// Waits for a submission, or for everything.
    ///
    /// # Errors
    /// Whatever the device has failed with.
    pub(crate) fn wait(
        &self,
        real: &Real,
        index: Option<wgpu::SubmissionIndex>,
    ) -> Result<(), GpuError> {
        let polled = poll(real, index);
        self.check()?;
        let Err(message) = polled else {
            return Ok(());
        };
        // Submissions to a lost device do not exist; the loss itself shows in a poll for nothing.
        let _ = poll(real, None);
        self.check()?;
        let lost = GpuError::Lost(message);
        *lock(&self.inner.failure) = Some(lost.clone());
        Err(lost)
    }

    /// The compiled pipeline of a kernel, from the cache if it was used before.
    pub(crate) fn pipeline(&self, real: &Real, kernel: &Kernel) -> Arc<Pipeline> {
        if let Some(found) = lock(&self.inner.pipelines).get(&kernel.id()) {
            return Arc::clone(found);
        }
        let built = Arc::new(Pipeline::build(self, real, kernel));
        let mut cache = lock(&self.inner.pipelines);
        Arc::clone(cache.entry(kernel.id()).or_insert(built))
    }
}
