//! How the machine behind a back end fails.

use core::fmt;

use crate::observer::Cancelled;

/// Why a back end did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// The observer asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The machine failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// What is wrong with a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceErrorKind {
    /// There is no device to work on.
    NoAdapter,
    /// The device was lost: reset, removed, or its driver gave up. What it held is gone.
    Lost,
    /// The device's memory does not suffice.
    OutOfMemory {
        /// Bytes needed.
        need: u64,
        /// Bytes there are, or that one allocation may have.
        limit: u64,
    },
    /// The device or its driver refused a command, or answered what cannot be.
    Validation,
    /// The device lacks what the work needs.
    Unsupported,
}

impl fmt::Display for DeviceErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAdapter => f.write_str("no usable device"),
            Self::Lost => f.write_str("the device was lost"),
            Self::OutOfMemory { need, limit } => write!(
                f,
                "not enough device memory: need {need} bytes, limit {limit} bytes"
            ),
            Self::Validation => f.write_str("the device refused a command"),
            Self::Unsupported => f.write_str("not supported by the device"),
        }
    }
}

/// A device's failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceError {
    /// What is wrong.
    pub kind: DeviceErrorKind,
    /// Where, and in the driver's words if it has any; may be empty.
    pub message: String,
}

impl DeviceError {
    /// A failure of this kind.
    pub fn new(kind: DeviceErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        // One line, whatever a driver says.
        let mut words = self.message.split_whitespace();
        if let Some(first) = words.next() {
            write!(f, ": {first}")?;
        }
        words.try_for_each(|word| write!(f, " {word}"))
    }
}

impl core::error::Error for DeviceError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line() {
        let show = |kind, message: &str| DeviceError::new(kind, message).to_string();
        assert_eq!(show(DeviceErrorKind::Lost, ""), "the device was lost");
        assert_eq!(
            show(
                DeviceErrorKind::Validation,
                "in \"leaves\":\n  binding 3  is missing\n"
            ),
            "the device refused a command: in \"leaves\": binding 3 is missing"
        );
        let kind = DeviceErrorKind::OutOfMemory { need: 10, limit: 7 };
        assert_eq!(
            show(kind, "codeword"),
            "not enough device memory: need 10 bytes, limit 7 bytes: codeword"
        );
        let error = BackendError::from(DeviceError::new(DeviceErrorKind::NoAdapter, "vulkan"));
        assert_eq!(error.to_string(), "no usable device: vulkan");
        assert_eq!(BackendError::from(Cancelled).to_string(), "cancelled");
    }
}
