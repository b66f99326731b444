//! The planned peak against what the allocator sees. Alone in its process, so that nothing else
//! allocates.

#![expect(unsafe_code, reason = "an allocator that counts")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use common::Statement;
use prova_binary_pcs::stack::Placement;
use prova_binary_pcs::stream::Form;
use prova_binary_pcs_prover::{Plan, ProveError};

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: both methods hand their arguments to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(
            HELD.fetch_add(layout.size(), Relaxed) + layout.size(),
            Relaxed,
        );
        // SAFETY: the caller's promises about `layout` are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promises about `at` and `layout` are passed on.
        unsafe { System.dealloc(at, layout) };
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn plans_need_what_they_say() {
    let mu = 20;
    for (lanes, rate) in [(64, 1), (40, 2)] {
        let ring = Placement {
            offset: 0,
            log_size: 19,
        };
        let statement = Statement::random(1, mu, rate, lanes << (mu - 6), &[], Some(ring));
        let schedule = statement.schedule();
        let mut peaks = Vec::new();
        for plan in Plan::ALL {
            let before = HELD.load(Relaxed);
            PEAK.store(before, Relaxed);
            statement.prove(plan, Form::Wire).expect("a true claim");
            let measured = (PEAK.load(Relaxed) - before) as f64;
            let planned = plan.peak_bytes(&schedule, lanes) as f64;
            let ratio = measured / planned;
            assert!(
                (0.9..1.1).contains(&ratio),
                "{plan:?}: {measured} measured, {planned} planned"
            );
            peaks.push(plan.peak_bytes(&schedule, lanes));
        }
        assert!(peaks.is_sorted_by(|a, b| a > b), "{peaks:?}");
        for (plan, &peak) in Plan::ALL.into_iter().zip(&peaks) {
            assert_eq!(Plan::within(peak, &schedule, lanes), Ok(plan));
        }
        let limit = peaks[2] - 1;
        let error = ProveError::Memory {
            need: peaks[2],
            limit,
        };
        assert_eq!(Plan::within(limit, &schedule, lanes), Err(error));
    }
}
