//! Both algorithms for any odd modulus, on pairs of numbers that approximations tell apart badly.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::field::limbs::{add_mod, double_mod, is_below, neg_inv, sub, sub_mod};

const ONE: [u64; 4] = [1, 0, 0, 0];

/// The Jacobi symbol by exact steps, zero where there is a common divisor.
fn jacobi(a: &[u64; 4], b: &[u64; 4]) -> i32 {
    let (mut a, mut b, mut symbol) = (*a, *b, 1);
    while a != [0; 4] {
        if a[0] & 1 == 0 {
            a = shift_right(&a, 0, 1);
            if matches!(b[0] & 7, 3 | 5) {
                symbol = -symbol;
            }
            continue;
        }
        if is_below(&a, &b) {
            core::mem::swap(&mut a, &mut b);
            if a[0] & b[0] & 3 == 3 {
                symbol = -symbol;
            }
        }
        a = sub(&a, &b).0;
    }
    if b == ONE { symbol } else { 0 }
}

fn product(a: &[u64; 4], b: &[u64; 4], modulus: &[u64; 4]) -> [u64; 4] {
    let mut sum = [0; 4];
    for bit in (0..256).rev() {
        sum = add_mod(&sum, &sum, modulus);
        if a[bit / 64] >> (bit % 64) & 1 == 1 {
            sum = add_mod(&sum, b, modulus);
        }
    }
    sum
}

/// A number of so many bits at most.
fn random(rng: &mut StdRng, bits: u32) -> [u64; 4] {
    core::array::from_fn(|i| {
        let keep = bits.saturating_sub(64 * i as u32).min(64);
        let word: u64 = rng.random();
        word & u64::MAX.checked_shr(64 - keep).unwrap_or(0)
    })
}

/// An odd modulus below 2^255 and a number below it: unrelated, or near each other, or near a
/// power of two apart, at any scale.
fn pair(rng: &mut StdRng) -> ([u64; 4], [u64; 4]) {
    let bits = rng.random_range(3..256);
    let mut modulus = random(rng, bits);
    modulus[3] >>= 1;
    modulus[0] |= 3;
    let bits = rng.random_range(0..256);
    let near = random(rng, bits);
    let value = match rng.random_range(0..5) {
        0 => near,
        1 => sub_mod(&[0; 4], &reduced(near, &modulus), &modulus),
        2 => double_mod(reduced(near, &modulus), &modulus, 255),
        3 => {
            let half = shift_right(&modulus, 0, rng.random_range(1..64));
            add_mod(&half, &reduced(near, &modulus), &modulus)
        }
        _ => {
            // One bit set, or one bit less than a power of two.
            let bit = rng.random_range(0..255);
            let power = double_mod(reduced(ONE, &modulus), &modulus, bit);
            sub_mod(&power, &[u64::from(bit % 2 == 0), 0, 0, 0], &modulus)
        }
    };
    (reduced(value, &modulus), modulus)
}

fn reduced(value: [u64; 4], modulus: &[u64; 4]) -> [u64; 4] {
    product(&value, &ONE, modulus)
}

#[test]
fn symbols_and_quotients_of_any_pair() {
    let mut rng = StdRng::seed_from_u64(12);
    let mut counts = [0; 3];
    for _ in 0..20_000 {
        let (value, modulus) = pair(&mut rng);
        let symbol = jacobi(&value, &modulus);
        counts[(symbol + 1) as usize] += 1;
        if symbol == 0 {
            continue;
        }
        assert_eq!(
            is_residue(&value, &modulus),
            symbol == 1,
            "{value:x?} | {modulus:x?}"
        );
        let scale = reduced(random(&mut rng, 256), &modulus);
        let quotient = divide(&scale, &value, &modulus, neg_inv(modulus[0]));
        assert!(is_below(&quotient, &modulus));
        assert_eq!(
            product(&quotient, &value, &modulus),
            scale,
            "{value:x?} | {modulus:x?}"
        );
    }
    assert!(counts.iter().all(|count| *count > 1000), "{counts:?}");
}
