//! Time and peak memory of key generation: `keygen LOG_WINDOW`.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use prova_xmss::Ethereum;
use prova_xmss::sign::{SecretKey, Unobserved, Window};

fn main() {
    let bits: u32 = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(16);
    let window = Window::new(0, ((1u64 << bits.min(32)) - 1) as u32).expect("not empty");
    let start = Instant::now();
    let key = SecretKey::<Ethereum>::generate(&[7; 32], window, &Unobserved);
    let elapsed = start.elapsed();
    let key = key.expect("nobody cancels");
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or("VmHWM: unknown");
    println!("2^{bits} epochs: {elapsed:?}, {peak}, {}", key.public_key());
}
