//! The samples' functions, without a word about where they run: the host's tests compile this file
//! too and compare.

use alloc::string::String;

/// `hello, NAME`; bytes that are no UTF-8 are replaced.
pub fn greeting(name: &[u8]) -> String {
    let mut greeting = String::from("hello, ");
    greeting.push_str(&String::from_utf8_lossy(name));
    greeting
}

/// The number in the first four bytes of an input, little-endian; 0 if there are fewer.
pub fn number(input: &[u8]) -> u32 {
    input
        .first_chunk()
        .map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The `n`-th Fibonacci number modulo 2^64.
pub fn fibonacci(n: u32) -> u64 {
    let (mut a, mut b) = (0u64, 1u64);
    for _ in 0..n {
        (a, b) = (b, a.wrapping_add(b));
    }
    a
}

/// The first 32 bytes of a state of lanes 0, 1, ..., 24 after `n` permutations.
pub fn keccak_chain(n: u32, permute: impl Fn(&mut [u64; 25])) -> [u8; 32] {
    let mut state = core::array::from_fn(|i| i as u64);
    for _ in 0..n {
        permute(&mut state);
    }
    let mut digest = [0; 32];
    for (bytes, lane) in digest.chunks_exact_mut(8).zip(state) {
        bytes.copy_from_slice(&lane.to_le_bytes());
    }
    digest
}

/// Sum of the squares below `n`, modulo 2^32.
pub fn squares(n: u32) -> u32 {
    (0..n).fold(0, |sum: u32, i| {
        core::hint::black_box(sum).wrapping_add(i.wrapping_mul(i))
    })
}
