//! The program's allocator: the system's, with a count of the bytes it holds.
//!
//! Bytes are counted as they are asked for, resident or not. Each thread keeps its last few
//! allocations to itself until they add up to [`BATCH`], so that small allocations touch no shared
//! cache line; [`live`] and [`peak`] are off by at most that much a thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};

/// Bytes a thread allocates or frees before it tells the others.
pub const BATCH: usize = 64 << 10;

static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    /// Bytes this thread has not told of yet; needs neither allocation nor a destructor, so it
    /// can be used within the allocator.
    static PENDING: Cell<isize> = const { Cell::new(0) };
    /// Allocations of this thread.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The system's allocator, counted.
struct Counting;

/// Bytes held now.
pub fn live() -> u64 {
    LIVE.load(Ordering::Relaxed).max(0) as u64
}

/// The most bytes held at once since [`reset_peak`], or since the start.
pub fn peak() -> u64 {
    PEAK.load(Ordering::Relaxed).max(0) as u64
}

/// Forgets the peak so far.
pub fn reset_peak() {
    PEAK.store(LIVE.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// How many allocations and reallocations this thread has made.
pub fn thread_count() -> u64 {
    COUNT.get()
}

/// A layout's size never exceeds `isize::MAX`.
const fn signed(size: usize) -> isize {
    size as isize
}

#[inline]
fn record_new(delta: isize) {
    COUNT.set(COUNT.get() + 1);
    record(delta);
}

#[inline]
fn record(delta: isize) {
    PENDING.with(|pending| {
        let sum = pending.get() + delta;
        if sum.unsigned_abs() < BATCH {
            pending.set(sum);
        } else {
            pending.set(0);
            publish(sum);
        }
    });
}

#[cold]
fn publish(delta: isize) {
    let live = LIVE.fetch_add(delta, Ordering::Relaxed) + delta;
    if delta > 0 && live > PEAK.load(Ordering::Relaxed) {
        PEAK.fetch_max(live, Ordering::Relaxed);
    }
}

// SAFETY: every method hands its arguments to `System` unchanged and returns its answer; counting
// neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is `System`'s.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            record_new(signed(layout.size()));
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is `System`'s.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            record_new(signed(layout.size()));
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is `System`'s.
        unsafe { System.dealloc(block, layout) };
        record(-signed(layout.size()));
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is `System`'s.
        let moved = unsafe { System.realloc(block, layout, new_size) };
        if !moved.is_null() {
            record_new(signed(new_size) - signed(layout.size()));
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_allocations_of_this_thread() {
        let before = thread_count();
        let boxes: Vec<Box<u64>> = (0..10).map(Box::new).collect();
        assert_eq!(std::hint::black_box(&boxes).len(), 10);
        assert_eq!(thread_count() - before, 11);
    }

    #[test]
    fn counts_large_blocks() {
        // Other tests run beside this one, so the block is much larger than anything of theirs.
        const SIZE: usize = 512 << 20;
        let before = live();
        reset_peak();
        let block: Vec<u8> = Vec::with_capacity(SIZE);
        assert!(live() >= before.saturating_sub(SIZE as u64 / 2) + SIZE as u64 / 2);
        drop(block);
        assert!(peak() >= SIZE as u64 / 2);
        assert!(live() < SIZE as u64);
    }
}
