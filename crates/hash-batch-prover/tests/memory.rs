//! The announced peak of memory is that of a proof.

use prova_hash_batch::Parameters;
use prova_hash_batch::verify::Shape;
use prova_hash_batch_prover::arm::Arm;
use prova_hash_batch_prover::batch::Batch;
use prova_hash_batch_prover::observer::Unobserved;
use prova_hash_batch_prover::prove::{Options, ProveError, prove};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the bytes that are allocated, and remembers the most.
struct Counting;

static HELD: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size() as u64, Ordering::Relaxed) + layout.size() as u64;
        PEAK.fetch_max(held, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of the trait.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of the trait.
        unsafe { System.dealloc(pointer, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_announced_peak_is_kept() {
    let messages: Vec<[u8; 64]> = (0..1u32 << 13)
        .map(|t| std::array::from_fn(|i| (t >> (i % 13)) as u8))
        .collect();
    let batch = Batch::digests(&messages).unwrap();
    let parameters = Parameters::default();
    let shape = Shape::new(&batch.statement, &parameters).unwrap();
    let mut peaks = Vec::new();
    for options in [Options::default(), Options::lean(Arm::best())] {
        let announced = options.peak_bytes(&shape);
        let before = HELD.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        prove(&batch, &parameters, &options, &Unobserved).unwrap();
        let peak = PEAK.load(Ordering::Relaxed) - before;
        // Scratch of threads and small tables are not counted beforehand.
        let scratch = 6 << 20;
        assert!(
            peak <= announced + scratch,
            "{options:?}: {peak} of {announced} bytes"
        );
        assert!(
            peak >= announced * 3 / 4,
            "{options:?}: {peak} of {announced} bytes"
        );
        peaks.push(announced);

        let chosen = Options::within(announced, &shape, Arm::best()).unwrap();
        assert_eq!(chosen.peak_bytes(&shape), announced);
    }
    assert!(peaks[1] < peaks[0]);
    let limit = peaks[1] - 1;
    let need = peaks[1];
    let refused = Options::within(limit, &shape, Arm::best());
    assert_eq!(refused.map(|_| ()), Err(ProveError::Memory { need, limit }));
}
