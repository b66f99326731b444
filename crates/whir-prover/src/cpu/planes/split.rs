//! Cutting a kernel's operands into equal pieces for parallel work, without aliasing.

/// Operands of a kernel that can be cut at a position common to all of them.
pub(crate) trait Split: Sized + Send {
    /// Number of positions.
    fn positions(&self) -> usize;

    /// The part below `mid` and the part from `mid` on.
    fn cut(self, mid: usize) -> (Self, Self);
}

impl<T: Sync, const D: usize> Split for [&[T]; D] {
    fn positions(&self) -> usize {
        self[0].len()
    }

    fn cut(self, mid: usize) -> (Self, Self) {
        (self.map(|s| &s[..mid]), self.map(|s| &s[mid..]))
    }
}

impl<T: Send, const D: usize> Split for [&mut [T]; D] {
    fn positions(&self) -> usize {
        self[0].len()
    }

    fn cut(self, mid: usize) -> (Self, Self) {
        let mut upper = std::array::from_fn(|_| <&mut [T]>::default());
        let mut uppers = upper.iter_mut();
        let lower = self.map(|s| {
            let (low, high) = s.split_at_mut(mid);
            *uppers.next().expect("as many as slices") = high;
            low
        });
        (lower, upper)
    }
}

/// Operands that hold `.1` entries for each position.
pub(crate) struct Wide<S>(pub S, pub usize);

impl<S: Split> Split for Wide<S> {
    fn positions(&self) -> usize {
        self.0.positions() / self.1
    }

    fn cut(self, mid: usize) -> (Self, Self) {
        let (low, high) = self.0.cut(mid * self.1);
        (Self(low, self.1), Self(high, self.1))
    }
}

impl<A: Split, B: Split> Split for (A, B) {
    fn positions(&self) -> usize {
        debug_assert_eq!(self.0.positions(), self.1.positions());
        self.0.positions()
    }

    fn cut(self, mid: usize) -> (Self, Self) {
        let (a, c) = self.0.cut(mid);
        let (b, d) = self.1.cut(mid);
        ((a, b), (c, d))
    }
}

/// Halves `job` down to pieces of at most `grain` positions, runs `leaf(piece, start)` on each,
/// where `start` is the piece's first position, and merges the results in position order.
///
/// The pieces depend on the lengths alone, never on the number of threads.
pub(crate) fn divide<S: Split, R: Send>(
    job: S,
    grain: usize,
    leaf: &(impl Fn(S, usize) -> R + Sync),
    merge: &(impl Fn(R, R) -> R + Sync),
) -> R {
    divide_from(job, 0, grain, leaf, merge)
}

fn divide_from<S: Split, R: Send>(
    job: S,
    start: usize,
    grain: usize,
    leaf: &(impl Fn(S, usize) -> R + Sync),
    merge: &(impl Fn(R, R) -> R + Sync),
) -> R {
    let positions = job.positions();
    if positions <= grain {
        return leaf(job, start);
    }
    let mid = positions.next_power_of_two() / 2;
    let (low, high) = job.cut(mid);
    let (low, high) = rayon::join(
        || divide_from(low, start, grain, leaf, merge),
        || divide_from(high, start + mid, grain, leaf, merge),
    );
    merge(low, high)
}
