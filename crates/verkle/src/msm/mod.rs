//! Multi-scalar multiplication.

pub(crate) mod digits;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
pub(crate) mod lanes;
mod pippenger;
pub(crate) mod spread;
pub(crate) mod straus;

use crate::arm::Arm;
use crate::curve::{Affine, Extended};
use crate::field::Fr;

pub(crate) use straus::scalar_mul;

/// Σ scalars\[i\]·points\[i\] over the shorter of the two. Spread over the current rayon pool if
/// the crate has the feature `parallel`.
pub(crate) fn msm(arm: Arm, points: &[Affine], scalars: &[Fr]) -> Extended {
    let count = points.len().min(scalars.len());
    let (points, scalars) = (&points[..count], &scalars[..count]);
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    if let Some(ifma) = crate::simd::Ifma::new(arm)
        && count >= lanes::MIN
    {
        return lanes::pippenger(ifma, lanes::Plan::cheapest(count), points, scalars);
    }
    if count <= straus::MAX {
        return straus::straus(points, scalars);
    }
    let width = pippenger::cheapest(count);
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    if let Some(adx) = crate::simd::adx::Adx::new(arm) {
        return pippenger::pippenger(adx, width, points, scalars);
    }
    let _ = arm;
    pippenger::pippenger(crate::curve::Plain, width, points, scalars)
}

/// Σ sums\[w\]·2^(width·w).
fn horner(width: u32, sums: &[Extended]) -> Extended {
    sums.iter().rev().fold(Extended::IDENTITY, |total, sum| {
        (0..width).fold(total, |total, _| total.double()) + *sum
    })
}

#[cfg(test)]
mod tests;
