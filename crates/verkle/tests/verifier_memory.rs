//! What the verifier allocates: little beyond what it is given.
#![cfg(all(feature = "parallel", feature = "prove"))]

mod support {
    pub mod case;
    pub mod counting;
}

use prova_verkle::{Commitment, Element, Fr, MultiProof, Query, ScalarBytes, Setup, VerifyError};
use prova_verkle::{Transcript, multiproof};
use support::case::{Case, dense};
use support::counting;

/// Allocations and bytes of a verification of queries about different commitments.
fn measure(setup: &Setup, proof: &MultiProof, commitments: &[Commitment]) -> (usize, usize) {
    let queries: Vec<Query<'_>> = commitments
        .iter()
        .enumerate()
        .map(|(i, commitment)| Query {
            commitment,
            point: (i * 7 % 256) as u8,
            value: ScalarBytes::from(Fr::from(i as u64)),
        })
        .collect();
    counting::measure(|| {
        let verdict = multiproof::verify(setup, &mut Transcript::new(b"vt"), proof, &queries);
        assert_eq!(verdict, Err(VerifyError::Rejected));
    })
}

#[test]
fn memory_is_bounded_and_allocations_hardly_grow() {
    let setup = Setup::ethereum();
    let proof = Case::new(&setup, &[dense(1)], &[(0, 1)]).proof;
    let elements: Vec<Element> = core::iter::successors(Some(Element::generator()), |e| {
        Some(*e + Element::generator())
    })
    .take(128_000)
    .collect();
    let commitments = Commitment::normalise(&elements);
    drop(elements);
    // With more threads than there are cores, and work for them.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(32).build();
    let measure = |commitments: &[Commitment]| {
        let pool = pool.as_ref().expect("threads");
        pool.install(|| measure(&setup, &proof, commitments))
    };
    // Once for what is made at the first use: the threads of the pool among them.
    measure(&commitments[..10_000]);
    let (few, _) = measure(&commitments[..10_000]);
    let (many, peak) = measure(&commitments);
    // Each thread has buckets of its own, and a pool's queues grow now and then.
    assert!(many <= few + 200, "{few} allocations, then {many}");
    assert!(peak < 60 << 20, "{peak} bytes");
}
