//! Multi-scalar multiplication.

use alloc::vec;

use crate::arm::Arm;
use crate::curve::{Affine, Extended};
use crate::field::Fr;

/// `scalar` times `point`.
pub(crate) fn scalar_mul(point: &Extended, scalar: Fr) -> Extended {
    let mut window = [Extended::IDENTITY; 16];
    for i in 1..16 {
        window[i] = window[i - 1] + *point;
    }
    let mut sum = Extended::IDENTITY;
    for limb in scalar.to_limbs().iter().rev() {
        for shift in (0..16).rev() {
            sum = sum.double().double().double().double();
            let digit = (limb >> (4 * shift)) & 15;
            if digit != 0 {
                sum += window[digit as usize];
            }
        }
    }
    sum
}

/// Σ scalars\[i\]·points\[i\] over the shorter of the two.
pub(crate) fn msm(_arm: Arm, points: &[Affine], scalars: &[Fr]) -> Extended {
    const WINDOW: usize = 8;
    let mut total = Extended::IDENTITY;
    for window in (0..256 / WINDOW).rev() {
        for _ in 0..WINDOW {
            total = total.double();
        }
        let mut buckets = vec![Extended::IDENTITY; 1 << WINDOW];
        for (point, scalar) in points.iter().zip(scalars) {
            let digit = scalar.to_le_bytes()[window];
            let bucket = &mut buckets[usize::from(digit)];
            *bucket = bucket.add_addend(&point.addend());
        }
        let mut running = Extended::IDENTITY;
        let mut sum = Extended::IDENTITY;
        for bucket in buckets.iter().skip(1).rev() {
            running += *bucket;
            sum += running;
        }
        total += sum;
    }
    total
}
