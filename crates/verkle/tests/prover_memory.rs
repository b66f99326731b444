//! What the prover allocates does not grow with the openings, or little.
#![cfg(feature = "prove")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use prova_verkle::{Commitment, Fr, Opening, Polynomial, Setup, Transcript, multiproof};

/// Counts allocations and live bytes.
struct Counting;
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps `dealloc`'s contract.
        unsafe { System.dealloc(pointer, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations, and bytes beyond those that were there before, of one proof.
fn measure(setup: &Setup, count: usize, polynomials: &[Polynomial<'_>]) -> (usize, usize) {
    let openings: Vec<Opening<'_>> = (0..count)
        .map(|i| Opening {
            commitment: &Commitment::IDENTITY,
            polynomial: polynomials[i % polynomials.len()],
            point: (i * 7 % 256) as u8,
        })
        .collect();
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let allocations = ALLOCATIONS.load(Ordering::Relaxed);
    multiproof::prove(setup, &mut Transcript::new(b"vt"), &openings).expect("proved");
    (
        ALLOCATIONS.load(Ordering::Relaxed) - allocations,
        PEAK.load(Ordering::Relaxed) - before,
    )
}

#[test]
fn allocations_do_not_grow_with_openings() {
    let setup = Setup::ethereum();
    let dense = [Fr::from(7); 256];
    let mut bytes = [0; 8192];
    bytes[40] = 1;
    let polynomials = [
        Polynomial::Dense(&dense),
        Polynomial::Bytes(&bytes),
        Polynomial::Sparse(&[(3, Fr::ONE)]),
    ];
    // Once for what is made at the first use: the threads of the pool among them.
    measure(&setup, 300, &polynomials);
    let (few, _) = measure(&setup, 300, &polynomials);
    let (many, peak) = measure(&setup, 128_000, &polynomials);
    // A pool's queues grow now and then.
    assert!(many <= few + 20, "{few} allocations, then {many}");
    assert!(peak < 12 << 20, "{peak} bytes");
}
