//! Tests the runtime's memory functions and its allocator against what is written out here, and
//! panics at the first difference.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use alloc::{format, vec};
use core::cmp::Ordering;
use core::hint::black_box;

use prova_guest_rt::commit;

prova_guest_rt::entry!(main);

const LENGTHS: core::ops::Range<usize> = 0..75;
const GUARD: usize = 8;

fn main() {
    copies();
    moves();
    fills();
    comparisons();
    heap();
    commit(b"ok");
}

/// A byte that depends on its place; reading it through `black_box` keeps loops loops.
fn pattern(i: usize) -> u8 {
    black_box((i * 37 + 11) as u8)
}

fn buffer() -> Vec<u8> {
    (0..LENGTHS.end + 2 * GUARD).map(pattern).collect()
}

fn check(bytes: &[u8], expected: impl Fn(usize) -> u8, what: &str, case: [usize; 3]) {
    for (i, byte) in bytes.iter().enumerate() {
        assert!(*byte == expected(i), "{what} {case:?}: byte {i} is {byte}");
    }
}

fn copies() {
    let from = buffer();
    for (to_at, from_at) in pairs() {
        for len in LENGTHS {
            let mut to = vec![0xEE; LENGTHS.end + 2 * GUARD];
            black_box(&mut to[to_at..to_at + len])
                .copy_from_slice(black_box(&from[from_at..from_at + len]));
            let expected = |i: usize| match i.checked_sub(to_at) {
                Some(k) if k < len => pattern(from_at + k),
                _ => 0xEE,
            };
            check(&to, expected, "copy", [to_at, from_at, len]);
        }
    }
}

fn moves() {
    for to_at in 0..GUARD {
        for from_at in 0..GUARD {
            for len in LENGTHS {
                let mut bytes = buffer();
                black_box(&mut bytes[..]).copy_within(from_at..from_at + len, to_at);
                let expected = |i: usize| match i.checked_sub(to_at) {
                    Some(k) if k < len => pattern(from_at + k),
                    _ => pattern(i),
                };
                check(&bytes, expected, "move", [to_at, from_at, len]);
            }
        }
    }
}

fn fills() {
    for at in 0..4 {
        for len in LENGTHS {
            for value in [0, 0xA5] {
                let mut bytes = buffer();
                black_box(&mut bytes[at..at + len]).fill(black_box(value));
                let expected = |i: usize| match i.checked_sub(at) {
                    Some(k) if k < len => value,
                    _ => pattern(i),
                };
                check(&bytes, expected, "fill", [at, len, value.into()]);
            }
        }
    }
}

fn comparisons() {
    for (left_at, right_at) in pairs() {
        for len in LENGTHS {
            let mut left = vec![1; left_at];
            left.extend((0..len).map(pattern));
            let mut right = vec![2; right_at];
            right.extend((0..len).map(pattern));
            let (a, b) = (black_box(&left[left_at..]), black_box(&right[right_at..]));
            assert!(
                a == b && a.cmp(b) == Ordering::Equal,
                "{left_at} {right_at} {len}"
            );
            for at in 0..len {
                let old = right[right_at + at];
                for new in [old ^ 0x80, old ^ 0x01] {
                    right[right_at + at] = new;
                    // Later bytes that differ the other way must not count.
                    if at + 1 < len {
                        right[right_at + at + 1] = if new > old { 0 } else { 255 };
                    }
                    let (a, b) = (black_box(&left[left_at..]), black_box(&right[right_at..]));
                    assert!(
                        a != b && a.cmp(b) == old.cmp(&new),
                        "{left_at} {right_at} {len} {at}"
                    );
                }
                right[right_at + at] = old;
                if at + 1 < len {
                    right[right_at + at + 1] = pattern(at + 1);
                }
            }
        }
    }
}

fn heap() {
    let dirty = black_box(vec![0xFFu8; 1000]);
    let start = dirty.as_ptr().addr();
    drop(dirty);
    let again = black_box(vec![0u8; 2000]);
    assert!(
        again.as_ptr().addr() == start,
        "the last block is used again"
    );
    assert!(
        again.iter().all(|&byte| byte == 0),
        "memory that was used is cleared"
    );

    let mut grown = Vec::with_capacity(4);
    grown.extend_from_slice(&[1u32, 2, 3, 4]);
    let at = grown.as_ptr();
    grown.resize(1000, 7);
    assert!(at == grown.as_ptr(), "the last block grows in place");
    let behind = black_box(vec![9u8; 3]);
    grown.resize(2000, 8);
    assert!(at != grown.as_ptr(), "another block lies behind");
    assert!(grown[..4] == [1, 2, 3, 4] && grown[999] == 7 && grown[1999] == 8);
    assert!(behind == [9; 3] && grown.as_ptr().addr() % 4 == 0);
    assert!(format!("{:?}", &grown[..2]) == "[1, 2]");
}

fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..16).map(|i| (i / 4, i % 4))
}
