//! Watching a prover from outside: where it is, and stopping it.

/// A part of proving a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Parameters, and the public data's share of the transcript.
    Setup,
    /// Witness bits and row values.
    Witness,
    /// Encoding and Merkle tree.
    Commit,
    /// The univariate-skip round of the zerocheck.
    UnivariateSkip,
    /// The other rounds of the zerocheck.
    Zerocheck,
    /// The lincheck.
    Lincheck,
    /// Ring switching and opening.
    Opening,
}

impl Stage {
    /// All stages, in the order in which a prover enters them.
    pub const ALL: [Self; 7] = [
        Self::Setup,
        Self::Witness,
        Self::Commit,
        Self::UnivariateSkip,
        Self::Zerocheck,
        Self::Lincheck,
        Self::Opening,
    ];
}

/// Watches a prover. Every method has a default that does nothing.
pub trait Observer: Sync {
    /// The prover turns to `stage`.
    fn enter(&self, stage: Stage) {
        let _ = stage;
    }

    /// Asked at every message; `true` makes the prover stop early with [`Cancelled`].
    fn cancelled(&self) -> bool {
        false
    }
}

/// An observer that watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// The observer asked the prover to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Returns [`Cancelled`] when the observer asks for it.
pub(crate) fn check(observer: &dyn Observer) -> Result<(), Cancelled> {
    if observer.cancelled() {
        Err(Cancelled)
    } else {
        Ok(())
    }
}
