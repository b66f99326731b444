//! Where a verification is.

/// What a verifier begins to do.
///
/// Legal order: `Input`, `Prefix`, `Sumcheck`, then for each round `OutOfDomain`, `Openings`,
/// `Folding`, `Sumcheck`; at last `Openings`, `Folding`, `Final`. A step lasts until the next one;
/// a rejected proof ends in any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Step {
    /// Header, key, container, statement and the form of the body.
    Input = 1,
    /// The transcript up to the first challenge of the run: commitment, points, claimed values.
    Prefix = 2,
    /// The sumcheck rounds of a phase, with the batching of the claims before them.
    Sumcheck = 3,
    /// A round's commitment and its out-of-domain samples.
    OutOfDomain = 4,
    /// Proof-of-work, the drawn positions, hashing of the opened rows and the paths to the root.
    Openings = 5,
    /// The value of each opened row at the phase's challenges.
    Folding = 6,
    /// The final polynomial against the folded values, the closing sumcheck, and the weights of
    /// all claims at the point that the challenges make up.
    Final = 7,
}

/// Follows a verification. The verifier never reads anything back.
pub trait Observer {
    /// `step` begins.
    fn step(&mut self, step: Step);
}

/// Follows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    #[inline(always)]
    fn step(&mut self, _: Step) {}
}
