//! Marks that a run of the verifier passes, for profiles of a guest.

/// Where the verifier tells how far it is. Each number below is told once, in ascending order;
/// a run that ends early tells none of the later ones.
pub trait Steps {
    /// Key, container, lengths and every field element of the proof have been checked.
    const INPUT: u32 = 1;
    /// The transcript has been replayed and the proofs of work hold.
    const TRANSCRIPT: u32 = 2;
    /// The constraints hold at the out-of-domain point.
    const CONSTRAINTS: u32 = 3;
    /// Opened rows have been reduced to one value a query.
    const REDUCED: u32 = 4;
    /// All queries have been folded down to the final polynomial.
    const FOLDED: u32 = 5;
    /// Every opened row lies in its tree.
    const MERKLE: u32 = 6;

    /// Step `n` is done.
    fn step(n: u32);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSteps;

impl Steps for NoSteps {
    #[inline(always)]
    fn step(_: u32) {}
}
