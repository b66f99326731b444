//! What the prover allocates does not grow with the openings, or little.
#![cfg(feature = "prove")]

mod support {
    pub mod counting;
}

use prova_verkle::{Commitment, Fr, Opening, Polynomial, Setup, Transcript, multiproof};
use support::counting;

/// Allocations and bytes of one proof.
fn measure(setup: &Setup, count: usize, polynomials: &[Polynomial<'_>]) -> (usize, usize) {
    let openings: Vec<Opening<'_>> = (0..count)
        .map(|i| Opening {
            commitment: &Commitment::IDENTITY,
            polynomial: polynomials[i % polynomials.len()],
            point: (i * 7 % 256) as u8,
        })
        .collect();
    counting::measure(|| {
        multiproof::prove(setup, &mut Transcript::new(b"vt"), &openings).expect("proved");
    })
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
