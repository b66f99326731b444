//! Failures of the device, as the prover reports them.

use prova_gpu::GpuError;
use prova_whir_prover::error::{DeviceError, DeviceErrorKind};

/// The prover's form of a device failure.
#[must_use]
pub fn device_error(error: &GpuError) -> DeviceError {
    let kind = match *error {
        GpuError::NoAdapter { .. } => DeviceErrorKind::NoAdapter,
        GpuError::Lost(_) => DeviceErrorKind::Lost,
        GpuError::OutOfMemory { need, limit } => DeviceErrorKind::OutOfMemory { need, limit },
        GpuError::Unsupported(_) => DeviceErrorKind::Unsupported,
        _ => DeviceErrorKind::Validation,
    };
    let message = match error {
        GpuError::NoAdapter { wanted } => wanted
            .as_ref()
            .map(|name| format!("none matches `{name}`"))
            .unwrap_or_default(),
        GpuError::OutOfMemory { .. } => String::new(),
        GpuError::Lost(message)
        | GpuError::Unsupported(message)
        | GpuError::Validation(message) => message.clone(),
        other => other.to_string(),
    };
    DeviceError::new(kind, message)
}
