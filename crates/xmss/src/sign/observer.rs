//! Progress and cancellation.

/// A caller's window on a running key generation. Every method has a default that does nothing.
pub trait Observer: Sync {
    /// `done` of `total` epochs have their one-time keys. Called from several threads.
    fn progress(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// Asked between subtrees; `true` ends the computation with [`Cancelled`].
    fn cancelled(&self) -> bool {
        false
    }
}

/// An observer that watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// The observer asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;
