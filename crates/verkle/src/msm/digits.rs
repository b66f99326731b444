//! Signed digits of scalars.

use crate::field::{Fr, adc};

/// Bits of a scalar.
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
pub(crate) const SCALAR_BITS: u32 = 253;

/// Bits of a scalar's magnitude.
pub(crate) const MAGNITUDE_BITS: u32 = 252;

/// The smaller of the integers `scalar` and r − `scalar`, and whether it is the second.
pub(crate) fn magnitude(scalar: Fr) -> ([u64; 4], bool) {
    // The highest word of (r − 1)/2; on a tie in it either will do, both are below 2^252.
    const HALF: u64 = 0x0e7d_b4ea_6533_afa9;
    let limbs = scalar.to_limbs();
    if limbs[3] > HALF {
        ((-scalar).to_limbs(), true)
    } else {
        (limbs, false)
    }
}

/// How scalars are cut into digits: `count` windows of `width` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Windows {
    pub width: u32,
    pub count: u32,
    /// What [`Self::recode`] adds.
    bias: [u64; 4],
}

impl Windows {
    /// Windows for integers below 2^`bits`, `bits` at most 253, with digits of magnitude at most
    /// 2^(`width` − 1).
    pub(crate) const fn new(width: u32, bits: u32) -> Self {
        let count = (bits + 1).div_ceil(width);
        let mut bias = [0; 4];
        let mut bit = width - 1;
        while bit < (count - 1) * width {
            bias[(bit / 64) as usize] |= 1 << (bit % 64);
            bit += width;
        }
        Self { width, count, bias }
    }

    /// Half of the range of a digit.
    pub(crate) const fn half(&self) -> usize {
        1 << (self.width - 1)
    }

    /// The integer plus half a range in every window but the last: then all digits but the last
    /// are off by that half and need no carries. The sum is below 2^(bits + 1), and the last digit
    /// is still at most half a range.
    #[inline]
    pub(crate) fn recode(&self, integer: &[u64; 4]) -> [u64; 4] {
        let mut sum = *integer;
        let mut carry = 0;
        for (word, bias) in sum.iter_mut().zip(self.bias) {
            (*word, carry) = adc(*word, bias, carry);
        }
        sum
    }

    /// A digit of a recoded integer.
    #[inline]
    pub(crate) fn digit(&self, recoded: &[u64; 4], window: u32) -> i32 {
        let bit = window * self.width;
        let (word, shift) = ((bit / 64) as usize, bit % 64);
        let low = recoded.get(word).map_or(0, |w| w >> shift);
        let high = recoded
            .get(word + 1)
            .map_or(0, |w| (w << 1) << (63 - shift));
        if window + 1 == self.count {
            return (low | high) as i32;
        }
        ((low | high) & ((1 << self.width) - 1)) as i32 - self.half() as i32
    }
}
