//! Proofs and verdicts are the same with every set of kernels, every table and any number of
//! threads.
#![cfg(all(feature = "parallel", feature = "prove"))]

mod support {
    pub mod case;
}

use prova_verkle::multiproof::{BatchItem, verify_batch};
use prova_verkle::{Arm, Commitment, Element, Fr, Setup, Transcript, VerifyError};
use support::case::{Case, LABEL, dense, other_representative, verify};

/// Every arm that can run here, with tables of different sizes, made beforehand or not.
fn setups() -> Vec<Setup> {
    let arms = [Arm::Portable, Arm::Adx, Arm::Ifma];
    let available = arms.into_iter().filter(|arm| arm.is_available());
    available
        .zip([[2, 8], [5, 9], [3, 10]])
        .flat_map(|(arm, widths)| {
            widths.map(|bits| {
                let setup = Setup::ethereum().with_arm(arm).with_table_window(bits);
                assert_eq!(setup.arm(), arm);
                if bits > 5 {
                    setup.prepare();
                }
                setup
            })
        })
        .collect()
}

fn in_pool<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads").install(f)
}

#[test]
fn the_same_proof_with_every_arm_and_table() {
    let polynomials = [dense(1), [Fr::ZERO; 256], dense(3)];
    let at = [(0, 8), (1, 8), (2, 255), (0, 9), (2, 0), (0, 8)];
    let expected = Case::new(&Setup::ethereum(), &polynomials, &at);
    for (i, setup) in setups().iter().enumerate() {
        let case = in_pool(1 + i % 3, || Case::new(setup, &polynomials, &at));
        assert_eq!(case.proof.to_bytes(), expected.proof.to_bytes());
        assert_eq!(case.state, expected.state);
        assert_eq!(case.claims, expected.claims);
    }
}

/// Enough distinct commitments for every method of multiplication, the identity and both
/// representatives among them.
fn many() -> Case {
    let setup = Setup::ethereum();
    let f = dense(1);
    let polynomials: Vec<[Fr; 256]> = (0..70)
        .map(|i| f.map(|value| value * Fr::from(i)))
        .collect();
    let commitment = setup.commit(&f);
    let elements: Vec<Element> = (0..70).map(|i| commitment * Fr::from(i)).collect();
    let mut commitments = Commitment::normalise(&elements);
    for commitment in commitments.iter_mut().step_by(3) {
        *commitment = other_representative(commitment);
    }
    let at: Vec<(usize, u8)> = (0..300)
        .map(|i| (i * i % 70, (i * 37 % 256) as u8))
        .chain((0..70).map(|i| (i, 2)))
        .collect();
    Case::with_commitments(&setup, &polynomials, &commitments, &at)
}

#[test]
fn the_same_verdict_with_every_arm() {
    let case = many();
    let mut bad = case.clone();
    bad.claims[299].2 += Fr::ONE;
    let mut moved = case.clone();
    moved.claims[320].0 = moved.claims[321].0;
    for setup in &setups() {
        for threads in [1, 3] {
            let [good, bad, moved] = [&case, &bad, &moved]
                .map(|case| in_pool(threads, || verify(setup, &case.proof, &case.claims)));
            let arm = setup.arm();
            assert_eq!(good, Ok(()), "{arm:?}, {threads} threads");
            assert_eq!(bad, Err(VerifyError::Rejected), "{arm:?}");
            assert_eq!(moved, Err(VerifyError::Rejected), "{arm:?}");
        }
    }
}

#[test]
fn the_same_batches_with_every_arm() {
    let case = many();
    let mut bad = case.clone();
    bad.proof.ipa.a += Fr::ONE;
    let cases = [&case, &bad, &case, &case];
    for setup in &setups() {
        for threads in [1, 3] {
            let mut transcripts = vec![Transcript::new(LABEL); cases.len()];
            let queries = cases.map(Case::queries);
            let mut items: Vec<BatchItem<'_>> = transcripts
                .iter_mut()
                .zip(cases)
                .zip(&queries)
                .map(|((transcript, case), queries)| BatchItem {
                    transcript,
                    proof: &case.proof,
                    queries,
                })
                .collect();
            let verdict = in_pool(threads, || verify_batch(setup, &mut items));
            let error = verdict.expect_err("one is bad");
            assert_eq!(error.failures(), [(1, VerifyError::Rejected)]);
            items.remove(1);
            for item in &mut items {
                *item.transcript = Transcript::new(LABEL);
            }
            assert_eq!(in_pool(threads, || verify_batch(setup, &mut items)), Ok(()));
        }
    }
}
