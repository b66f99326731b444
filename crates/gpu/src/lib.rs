//! Compute kernels on a GPU, through wgpu: Metal, Vulkan, DX12 and, as texts, WebGPU.
//!
//! [`Gpu`] is an open device with its memory pool and counters; a [`Recorder`] collects dispatches
//! and hands them to the queue; kernels are WGSL rendered from the templates in `kernels/`. The
//! rest of the crate is one module a family of kernels: bind groups, dispatch sizes and costs.

pub mod buffer;
pub mod device;
pub mod error;
pub mod field;
pub mod gather;
pub mod hash;
pub mod kernel;
pub mod kit;
pub mod ledger;
pub mod mle;
pub mod mul;
pub mod native;
pub mod ntt;
pub mod recorder;
pub mod template;
pub mod trace;

pub use buffer::{Buffer, Slice};
pub use device::{AdapterInfo, Gpu, Limits, Options, list_adapters};
pub use error::GpuError;
pub use field::{Extension, Field, Multiply};
pub use kernel::Kernel;
pub use kit::Kit;
pub use ledger::{Cost, Ledger};
pub use recorder::{ReadBack, Recorder, Ticket};
pub use template::Templates;
