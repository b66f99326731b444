//! Shared by the tests: pseudo-random values, the code, and a plain prover.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod prover;

use prova_binary_pcs::code::Subspaces;
use prova_binary_pcs::field::{E, K, PrimeCharacteristicRing, from_limbs};

/// SplitMix64.
pub struct Random(pub u64);

impl Iterator for Random {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        Some(z ^ (z >> 31))
    }
}

pub fn words(seed: u64, n: usize) -> Vec<K> {
    Random(seed << 32).take(n).map(K::new).collect()
}

pub fn elements(seed: u64, n: usize) -> Vec<E> {
    let limbs: Vec<u64> = Random(seed << 32 | 1).take(3 * n).collect();
    limbs
        .chunks(3)
        .map(|c| from_limbs([c[0], c[1], c[2]]))
        .collect()
}

/// A message of `2^k` coefficients in the novel basis, at all positions below `2^(k + log_rate)`:
/// by the definition of the basis.
pub fn encode(message: &[E], log_rate: u32) -> Vec<E> {
    let log_message = message.len().ilog2();
    let subspaces = Subspaces::new(log_message as usize);
    (0..1_u64 << (log_message + log_rate))
        .map(|position| {
            let mut table = message.to_vec();
            for value in subspaces.normalised(position) {
                table = table
                    .chunks(2)
                    .map(|pair| pair[0] + pair[1] * value)
                    .collect();
            }
            table[0]
        })
        .collect()
}

/// [`encode`] by halving: the highest basis polynomial is constant on each half of a coset.
pub fn encode_fast(message: &[E], log_rate: u32) -> Vec<E> {
    let subspaces = Subspaces::new(message.len().ilog2() as usize);
    let mut code = Vec::with_capacity(message.len() << log_rate);
    for coset in 0..1_u64 << log_rate {
        halve(&subspaces, message, coset * message.len() as u64, &mut code);
    }
    code
}

fn halve(subspaces: &Subspaces, message: &[E], start: u64, code: &mut Vec<E>) {
    let half = message.len() / 2;
    if half == 0 {
        code.push(message[0]);
        return;
    }
    let (low, high) = message.split_at(half);
    let value = subspaces
        .normalised(start)
        .nth(half.ilog2() as usize)
        .unwrap();
    let mut at = |value: K, start| {
        let folded: Vec<E> = low.iter().zip(high).map(|(&l, &h)| l + h * value).collect();
        halve(subspaces, &folded, start, code);
    };
    at(value, start);
    at(value + K::ONE, start + half as u64);
}
