//! Sets of epochs.

use std::collections::BTreeMap;

/// Epochs as disjoint ranges that do not touch: signing in order takes constant memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// First to last epoch of each range.
    ranges: BTreeMap<u32, u32>,
    count: u64,
}

impl Used {
    pub(crate) fn contains(&self, epoch: u32) -> bool {
        let below = self.ranges.range(..=epoch).next_back();
        below.is_some_and(|(_, &last)| epoch <= last)
    }

    /// Whether the epoch was new.
    pub(crate) fn insert(&mut self, epoch: u32) -> bool {
        if self.contains(epoch) {
            return false;
        }
        let (mut first, mut last) = (epoch, epoch);
        if let Some((&start, &end)) = self.ranges.range(..epoch).next_back()
            && end.checked_add(1) == Some(epoch)
        {
            first = start;
        }
        if let Some(next) = epoch.checked_add(1)
            && let Some(end) = self.ranges.remove(&next)
        {
            last = end;
        }
        self.ranges.insert(first, last);
        self.count += 1;
        true
    }

    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn ranges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.ranges.iter().map(|(&first, &last)| (first, last))
    }

    /// The first epoch from `from` on that is not in the set.
    pub(crate) fn next_unused(&self, from: u32) -> Option<u32> {
        match self.ranges.range(..=from).next_back() {
            Some((_, &last)) if from <= last => last.checked_add(1),
            _ => Some(from),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ends_of_the_number_range() {
        let mut used = Used::default();
        assert!(used.insert(u32::MAX) && used.insert(0) && used.insert(u32::MAX - 1));
        assert!(!used.insert(u32::MAX));
        assert_eq!(
            used.ranges().collect::<std::vec::Vec<_>>(),
            [(0, 0), (u32::MAX - 1, u32::MAX)]
        );
        assert_eq!(used.next_unused(u32::MAX - 1), None);
        assert_eq!(used.next_unused(0), Some(1));
    }

    proptest! {
        #[test]
        fn behaves_as_a_set(epochs in proptest::collection::vec(0u32..40, 0..60)) {
            let (mut used, mut set) = (Used::default(), BTreeSet::new());
            for epoch in epochs {
                prop_assert_eq!(used.insert(epoch), set.insert(epoch));
            }
            for epoch in 0..42 {
                prop_assert_eq!(used.contains(epoch), set.contains(&epoch));
                let next = (epoch..).find(|e| !set.contains(e));
                prop_assert_eq!(used.next_unused(epoch), next);
            }
            prop_assert_eq!(used.count(), set.len() as u64);
            let ranges: std::vec::Vec<_> = used.ranges().collect();
            prop_assert!(ranges.windows(2).all(|w| w[0].1 + 1 < w[1].0));
        }
    }
}
