//! Columns of different sizes in one polynomial, and claims about them.

use alloc::vec::Vec;

use crate::field::{E, PrimeCharacteristicRing};
use crate::opening::Weight;
use crate::poly::{bit_coordinates, eq, vertex_weight};

/// Where a block lies: `2^log_size` entries from `offset`, a multiple of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Index of the first entry.
    pub offset: u64,
    /// Logarithm of the number of entries.
    pub log_size: u32,
}

impl Placement {
    /// Variables of the block.
    #[must_use]
    pub fn variables(&self) -> usize {
        usize::try_from(self.log_size).unwrap_or(usize::MAX)
    }

    /// The bits above the block's own: what selects it.
    #[must_use]
    pub fn selector(&self) -> u64 {
        self.offset.checked_shr(self.log_size).unwrap_or(0)
    }

    /// The weight of the block at a point of the whole: of the coordinates above its own.
    pub fn selector_weight(&self, point: &[E]) -> E {
        let above = point.get(self.variables()..).unwrap_or_default();
        vertex_weight(self.selector(), above)
    }

    /// A point of the block as a point of the whole, which has `variables` variables.
    #[must_use]
    pub fn lift(&self, point: &[E], variables: usize) -> Vec<E> {
        let above = variables.saturating_sub(self.variables());
        let selector = bit_coordinates(self.selector(), above);
        point.iter().copied().chain(selector).collect()
    }
}

/// Blocks placed end to end, without gaps: the larger first, of equals the earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// One placement a block, in the order in which the blocks were given.
    pub placements: Vec<Placement>,
    /// Entries of all blocks together.
    pub total: u64,
}

impl Stack {
    /// Places blocks of `2^log_size` entries. `None` when the total does not fit 64 bits.
    #[must_use]
    pub fn new(log_sizes: &[u32]) -> Option<Self> {
        let mut order: Vec<(usize, u32)> = log_sizes.iter().copied().enumerate().collect();
        // Stable, so that blocks of one size stay in order.
        order.sort_by_key(|&(_, log_size)| core::cmp::Reverse(log_size));
        let mut total = 0_u64;
        let mut placed = Vec::with_capacity(order.len());
        for (index, log_size) in order {
            let offset = total;
            total = total.checked_add(1_u64.checked_shl(log_size)?)?;
            placed.push((index, Placement { offset, log_size }));
        }
        placed.sort_unstable_by_key(|&(index, _)| index);
        let placements = placed.into_iter().map(|(_, placement)| placement).collect();
        Some(Self { placements, total })
    }

    /// Variables of the smallest cube that holds all blocks.
    #[must_use]
    pub fn variables(&self) -> u32 {
        self.total
            .checked_next_power_of_two()
            .map_or(u64::BITS, u64::trailing_zeros)
    }
}

/// A claim that the stacked polynomial takes a value at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointClaim {
    /// All coordinates of the stacked polynomial.
    pub point: Vec<E>,
    /// The value there.
    pub value: E,
}

/// Point claims batched with powers of a challenge: claim `j` has `challenge^(j + 1)`, the power 0
/// being left to a claim of another kind.
#[derive(Clone, Debug)]
pub struct PointClaims<'a> {
    /// The claims.
    pub claims: &'a [PointClaim],
    /// The challenge.
    pub challenge: E,
}

impl PointClaims<'_> {
    /// The batched value.
    pub fn target(&self) -> E {
        self.batch(|claim| claim.value)
    }

    fn batch(&self, mut f: impl FnMut(&PointClaim) -> E) -> E {
        // Horner from the last claim, so that the first ends with one power.
        self.claims
            .iter()
            .rev()
            .fold(E::ZERO, |sum, claim| (sum + f(claim)) * self.challenge)
    }
}

impl Weight for PointClaims<'_> {
    fn evaluate(&self, point: &[E]) -> E {
        self.batch(|claim| eq(&claim.point, point))
    }
}
