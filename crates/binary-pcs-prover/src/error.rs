//! Why an opening cannot be made.

/// An opening cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// The committed polynomial does not have the claimed weighted sum.
    #[error("the claimed weighted sum is not that of the committed polynomial")]
    Claim,
    /// The schedule is for another polynomial.
    #[error("expected a schedule for {expected} variables, got one for {got}")]
    Variables {
        /// Variables of the committed polynomial.
        expected: usize,
        /// Variables of the schedule.
        got: usize,
    },
    /// The schedule starts at another rate than the commitment.
    #[error("expected a schedule of log inverse rate {expected}, got {got}")]
    Rate {
        /// Logarithm of the inverse rate of the commitment.
        expected: u32,
        /// That of the schedule.
        got: u32,
    },
    /// No nonce is good.
    #[error("no nonce is good for {bits} grinding bits")]
    Grinding {
        /// The bits asked for.
        bits: u32,
    },
    /// No plan stays below the memory limit.
    #[error("an opening needs {need} bytes at least, the limit is {limit}")]
    Memory {
        /// Bytes of the leanest plan.
        need: u64,
        /// The limit.
        limit: u64,
    },
}
