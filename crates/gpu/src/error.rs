//! What can go wrong on a device.

/// A failure of the device or of a request to it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// No adapter, or none with the requested name.
    #[error("no GPU adapter{}", .wanted.as_ref().map(|name| format!(" that matches `{name}`")).unwrap_or_default())]
    NoAdapter {
        /// The name that was asked for.
        wanted: Option<String>,
    },
    /// The adapter lacks something every kernel needs.
    #[error("the adapter cannot run the kernels: {0}")]
    Unsupported(String),
    /// The device went away: a reset, a watchdog, an unplugged adapter.
    #[error("the GPU device was lost: {0}")]
    Lost(String),
    /// An allocation does not fit.
    #[error("needs {need} bytes of GPU memory, the limit is {limit}")]
    OutOfMemory {
        /// Bytes asked for, what is already held included.
        need: u64,
        /// Bytes that may be held.
        limit: u64,
    },
    /// The driver or the API refused a command: a defect of a kernel or of its caller.
    #[error("the GPU refused a command: {0}")]
    Validation(String),
}
