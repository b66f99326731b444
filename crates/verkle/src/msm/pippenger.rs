//! Pippenger's method with signed digits.

use alloc::vec;
use alloc::vec::Vec;

use crate::curve::{Addend, Affine, Extended, Multiply};
use crate::field::Fr;

use super::digits::{MAGNITUDE_BITS, Windows, magnitude};

/// The window width that is cheapest for so many points.
pub(super) fn cheapest(points: usize) -> u32 {
    let cost = |width: &u32| {
        let windows = Windows::new(*width, MAGNITUDE_BITS);
        windows.count as usize * (points + 5 * windows.half() / 2)
    };
    (3..=13).min_by_key(cost).unwrap_or(8)
}

/// Σ scalars\[i\]·points\[i\], of equal lengths.
pub(super) fn pippenger<M: Multiply>(
    m: M,
    width: u32,
    points: &[Affine],
    scalars: &[Fr],
) -> Extended {
    let windows = Windows::new(width, MAGNITUDE_BITS);
    let (addends, recoded): (Vec<Addend>, Vec<[u64; 4]>) = points
        .iter()
        .zip(scalars)
        .map(|(point, scalar)| {
            let (magnitude, negative) = magnitude(*scalar);
            let addend = point.addend();
            let addend = if negative { -addend } else { addend };
            (addend, windows.recode(&magnitude))
        })
        .unzip();
    let numbers: Vec<u32> = (0..windows.count).collect();
    let sums = super::spread::map(&numbers, |window| {
        window_sum(m, &windows, *window, &addends, &recoded)
    });
    super::horner(width, &sums)
}

/// Σ digit·point of one window.
fn window_sum<M: Multiply>(
    m: M,
    windows: &Windows,
    window: u32,
    addends: &[Addend],
    recoded: &[[u64; 4]],
) -> Extended {
    // Of digit j + 1, so that the last digit has one too.
    let mut buckets = vec![Extended::IDENTITY; windows.half()];
    for (addend, recoded) in addends.iter().zip(recoded) {
        let digit = windows.digit(recoded, window);
        if digit != 0 {
            let bucket = &mut buckets[digit.unsigned_abs() as usize - 1];
            *bucket = bucket.add_signed(m, addend, digit < 0);
        }
    }
    let mut running = Extended::IDENTITY;
    let mut sum = Extended::IDENTITY;
    for bucket in buckets.iter().rev() {
        running = running.add_by(m, bucket);
        sum = sum.add_by(m, &running);
    }
    sum
}
