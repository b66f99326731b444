//! The epochs a key can sign at.

/// A range of epochs, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    first: u32,
    last: u32,
}

/// A range without epochs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a window of epochs needs first <= last, got {first} and {last}")]
pub struct EmptyWindow {
    /// The first epoch asked for.
    pub first: u32,
    /// The last epoch asked for.
    pub last: u32,
}

impl Window {
    /// From the first to the last epoch.
    ///
    /// # Errors
    /// If `first > last`.
    pub const fn new(first: u32, last: u32) -> Result<Self, EmptyWindow> {
        if first > last {
            return Err(EmptyWindow { first, last });
        }
        Ok(Self { first, last })
    }

    /// The first epoch.
    #[must_use]
    pub const fn first(self) -> u32 {
        self.first
    }

    /// The last epoch.
    #[must_use]
    pub const fn last(self) -> u32 {
        self.last
    }

    /// Epochs in the window, up to 2^32.
    #[must_use]
    pub fn count(self) -> u64 {
        u64::from(self.last - self.first) + 1
    }

    /// Whether the epoch is in the window.
    #[must_use]
    pub fn contains(self, epoch: u32) -> bool {
        (self.first..=self.last).contains(&epoch)
    }

    /// Height of the subtrees that are grown when needed, the nodes above them being kept: both
    /// take memory in proportion to the square root of the window.
    pub(crate) fn subtree_height(self) -> u32 {
        let bits = u64::BITS - (self.count() - 1).leading_zeros();
        // Below, a subtree would not fill the lanes.
        (bits / 2).max(4)
    }
}

impl core::fmt::Display for Window {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}..={}", self.first, self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights() {
        let height = |last| Window::new(0, last).map(Window::subtree_height);
        assert_eq!(height(0), Ok(4));
        assert_eq!(height(255), Ok(4));
        assert_eq!(height((1 << 18) - 1), Ok(9));
        assert_eq!(height(1 << 18), Ok(9));
        assert_eq!(height(u32::MAX), Ok(16));
        assert_eq!(Window::new(0, u32::MAX).map(Window::count), Ok(1 << 32));
    }
}
