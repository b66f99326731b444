//! The prover against an independent one.
#![cfg(feature = "prove")]

#[path = "support/oracle.rs"]
mod oracle;
mod support;

use std::sync::LazyLock;

use ark_ed_on_bls12_381_bandersnatch::Fr as ArkFr;
use ark_ff::PrimeField;
use oracle::{Claim, Log, Oracle};
use proptest::prelude::*;
use prova_verkle::lagrange::Weights;
use prova_verkle::{
    Arm, Commitment, Fr, MultiProof, Opening, Polynomial, ProveError, Query, ScalarBytes, Setup,
    Transcript, ipa, multiproof,
};
use sha2::{Digest, Sha256};
use support::{json, unhex, unhex32};

static ORACLE: LazyLock<Oracle> = LazyLock::new(Oracle::new);
static SETUP: LazyLock<Setup> = LazyLock::new(Setup::ethereum);
static PORTABLE: LazyLock<Setup> = LazyLock::new(|| Setup::ethereum().with_arm(Arm::Portable));
static POOL: LazyLock<Vec<Sample>> = LazyLock::new(|| (0..12).map(Sample::new).collect());

/// r, little-endian.
const ORDER: [u8; 32] = [
    0xe1, 0xe7, 0x76, 0x28, 0xb5, 0x06, 0xfd, 0x74, 0x71, 0x04, 0x19, 0x74, 0x00, 0x87, 0x8f, 0xff,
    0x00, 0x76, 0x68, 0x02, 0x02, 0x76, 0xce, 0x0c, 0x52, 0x5f, 0x67, 0xca, 0xd4, 0x69, 0xfb, 0x1c,
];

fn random(seed: impl std::fmt::Debug) -> ArkFr {
    ArkFr::from_le_bytes_mod_order(&Sha256::digest(format!("{seed:?}")))
}

fn ours(scalar: ArkFr) -> Fr {
    Fr::from_le_bytes(&oracle::scalar_to_bytes(scalar)).expect("canonical")
}

/// A polynomial in every form.
struct Sample {
    values: Vec<ArkFr>,
    commitment: Commitment,
    dense: Box<[Fr; 256]>,
    bytes: Box<[u8; 8192]>,
    sparse: Vec<(u8, Fr)>,
}

impl Sample {
    /// Zero, few values, small values, largest values, or random ones.
    fn new(index: u64) -> Self {
        let value = |j: u64| match index % 6 {
            0 => ArkFr::from(0),
            1 if j % 90 == 1 => random((index, j)),
            1 => ArkFr::from(0),
            2 => ArkFr::from(index + j * j),
            3 => -ArkFr::from(1),
            _ => random((index, j)),
        };
        Self::of((0..256).map(value).collect())
    }

    fn of(values: Vec<ArkFr>) -> Self {
        let dense: Vec<Fr> = values.iter().copied().map(ours).collect();
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|v| oracle::scalar_to_bytes(*v))
            .collect();
        // In two parts at some positions, and zeros that are given.
        let sparse = (0..=255)
            .zip(&dense)
            .flat_map(|(j, value): (u8, _)| match j % 5 {
                0 => vec![
                    (j, Fr::from(u64::from(j))),
                    (j, *value - Fr::from(u64::from(j))),
                ],
                1 => vec![(j, *value)],
                _ if *value == Fr::ZERO => vec![],
                _ => vec![(j, *value)],
            })
            .rev()
            .collect();
        Self {
            commitment: Commitment::from_bytes(&ORACLE.commit(&values)).expect("an element"),
            values,
            dense: Box::new(dense.try_into().expect("256")),
            bytes: Box::new(bytes.try_into().expect("8192")),
            sparse,
        }
    }

    fn form(&self, form: usize) -> Polynomial<'_> {
        match form % 3 {
            0 => Polynomial::Dense(&self.dense),
            1 => Polynomial::Bytes(&self.bytes),
            _ => Polynomial::Sparse(&self.sparse),
        }
    }

    fn opening(&self, point: u8, form: usize) -> Opening<'_> {
        Opening {
            commitment: &self.commitment,
            polynomial: self.form(form),
            point,
        }
    }
}

type Outcome = Result<([u8; 576], [u8; 32]), ProveError>;

/// The proof and the state of the transcript after it.
fn prove(setup: &Setup, openings: &[Opening<'_>]) -> Outcome {
    let mut transcript = Transcript::new(b"test");
    let proof = multiproof::prove(setup, &mut transcript, openings)?;
    Ok((
        proof.to_bytes(),
        transcript.challenge(b"state").to_le_bytes(),
    ))
}

/// Which samples are opened where, against the oracle, in every form; the verifiers agree.
fn check(which: &[(usize, u8)]) {
    let theirs: Vec<oracle::Opening> = which
        .iter()
        .map(|(sample, point)| oracle::Opening {
            commitment: *POOL[*sample].commitment.as_bytes(),
            values: POOL[*sample].values.clone(),
            point: *point,
        })
        .collect();
    let mut log = Log::new(b"test");
    let proof: [u8; 576] = ORACLE
        .prove(&mut log, &theirs)
        .try_into()
        .expect("576 bytes");
    let expected: Outcome = Ok((proof, log.state()));
    for form in 0..4 {
        let openings: Vec<Opening<'_>> = which
            .iter()
            .enumerate()
            // The last time all forms are mixed.
            .map(|(i, (s, z))| POOL[*s].opening(*z, if form == 3 { i / 2 } else { form }))
            .collect();
        assert!(
            prove(&SETUP, &openings) == expected,
            "form {form}: {which:?}"
        );
        if form % 2 == 1 {
            assert!(
                prove(&PORTABLE, &openings) == expected,
                "portable, form {form}: {which:?}"
            );
        }
    }

    let claims: Vec<Claim> = theirs.iter().map(oracle::Opening::claim).collect();
    let queries: Vec<Query<'_>> = which
        .iter()
        .zip(&claims)
        .map(|((sample, point), (_, _, value))| Query {
            commitment: &POOL[*sample].commitment,
            point: *point,
            value: ScalarBytes::new(*value).expect("canonical"),
        })
        .collect();
    let mut transcript = Transcript::new(b"test");
    let decoded = MultiProof::from_bytes(&proof).expect("well-formed");
    multiproof::verify(&SETUP, &mut transcript, &decoded, &queries).expect("valid");
    assert_eq!(
        Ok(transcript.challenge(b"state").to_le_bytes()),
        expected.map(|e| e.1)
    );
}

/// Samples and points without a pattern.
fn mixed(count: usize, points: usize) -> Vec<(usize, u8)> {
    (0..count)
        .map(|i| (i * 7 % POOL.len(), (i * i * 31 + i * 5) % points))
        .map(|(sample, point)| (sample, u8::try_from(point).expect("below 256")))
        .collect()
}

#[test]
fn few_and_many_openings() {
    for count in [1, 2, 3, 17, 100, 300] {
        check(&mixed(count, 256));
    }
}

#[test]
fn one_point_and_all_points() {
    // More than are added in one go.
    let one: Vec<_> = mixed(1000, 1).iter().map(|(s, _)| (*s, 255)).collect();
    check(&one);
    check(&mixed(700, 3));
    let all: Vec<_> = (0..=255).map(|z: u8| (usize::from(z) % 12, z)).collect();
    check(&all);
}

#[test]
fn repeated_openings() {
    check(&[(4, 9); 5]);
    check(&[(4, 9), (5, 9), (4, 9), (4, 8), (5, 9)]);
}

#[test]
fn zero_polynomials() {
    assert!(POOL[0].commitment.is_identity());
    check(&[(0, 0)]);
    check(&[(0, 7), (6, 7), (0, 200)]);
    check(&[(0, 7), (3, 7)]);
}

/// More openings than are absorbed in one go, of polynomials with few values.
#[test]
fn many_blocks_of_openings() {
    let which = mixed(4500, 40);
    let openings = |form: usize| -> Vec<Opening<'_>> {
        which
            .iter()
            .map(|(sample, point)| POOL[*sample].opening(*point, form))
            .collect()
    };
    let expected = prove(&SETUP, &openings(0)).expect("proved");
    let theirs: Vec<oracle::Opening> = which
        .iter()
        .map(|(sample, point)| oracle::Opening {
            commitment: *POOL[*sample].commitment.as_bytes(),
            values: POOL[*sample].values.clone(),
            point: *point,
        })
        .collect();
    let mut log = Log::new(b"test");
    assert_eq!(ORACLE.prove(&mut log, &theirs), expected.0);
    assert_eq!(log.state(), expected.1);
    assert!(prove(&SETUP, &openings(1)) == Ok(expected));
}

#[test]
fn nothing_to_open() {
    assert_eq!(prove(&SETUP, &[]), Err(ProveError::NoOpenings));
}

#[cfg(feature = "parallel")]
fn in_pool<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads").install(f)
}

#[cfg(feature = "parallel")]
#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    for (count, points) in [(5, 256), (1001, 3), (2503, 256)] {
        let openings: Vec<Opening<'_>> = mixed(count, points)
            .iter()
            .enumerate()
            .map(|(i, (sample, point))| POOL[*sample].opening(*point, i / 2))
            .collect();
        let expected = in_pool(1, || prove(&SETUP, &openings));
        assert!(expected.is_ok());
        for threads in [2, 3, 5] {
            assert!(in_pool(threads, || prove(&SETUP, &openings)) == expected);
        }
        assert!(in_pool(3, || prove(&PORTABLE, &openings)) == expected);
    }
}

/// `sample` with other bytes at one position.
fn with_value(sample: &Sample, position: usize, value: [u8; 32]) -> Box<[u8; 8192]> {
    let mut bytes = sample.bytes.clone();
    bytes[32 * position..][..32].copy_from_slice(&value);
    bytes
}

#[test]
fn values_that_are_not_canonical() {
    let mut above = ORDER;
    above[0] += 1;
    let mut high = [0; 32];
    high[31] = 0x1d;
    for value in [ORDER, above, high, [0xff; 32]] {
        for position in [0, 1, 100, 255] {
            let bad = with_value(&POOL[4], position, value);
            let sample = &POOL[5];
            let bad = Opening {
                polynomial: Polynomial::Bytes(&bad),
                ..sample.opening(100, 0)
            };
            for opening in [0, 3, 6] {
                let mut openings = vec![sample.opening(2, 1); 7];
                openings[opening] = bad;
                // A later one at a lower point does not matter.
                openings.push(Opening { point: 1, ..bad });
                let expected = Err(ProveError::NotCanonical { opening, position });
                assert_eq!(prove(&SETUP, &openings), expected);
                assert_eq!(prove(&PORTABLE, &openings), expected);
            }
        }
    }
    // One less is canonical, and the highest limb alone does not tell.
    let mut below = ORDER;
    below[0] -= 1;
    let bytes = with_value(&POOL[4], 9, below);
    let mut values = POOL[4].values.clone();
    values[9] = -ArkFr::from(1);
    let sample = Sample::of(values);
    assert_eq!(sample.bytes, bytes);
    assert_eq!(
        prove(&SETUP, &[sample.opening(9, 1)]),
        prove(&SETUP, &[sample.opening(9, 0)])
    );
}

#[cfg(feature = "parallel")]
#[test]
fn the_first_bad_value_is_named_by_any_number_of_threads() {
    let bad = with_value(&POOL[4], 31, ORDER);
    let openings: Vec<Opening<'_>> = mixed(2000, 256)
        .iter()
        .enumerate()
        .map(|(i, (sample, point))| {
            let opening = POOL[*sample].opening(*point, i);
            match i {
                777.. if i % 5 == 2 => Opening {
                    polynomial: Polynomial::Bytes(&bad),
                    ..opening
                },
                _ => opening,
            }
        })
        .collect();
    let expected = Err(ProveError::NotCanonical {
        opening: 777,
        position: 31,
    });
    for threads in [1, 2, 3, 5] {
        assert_eq!(in_pool(threads, || prove(&SETUP, &openings)), expected);
    }
}

#[test]
fn inner_product_arguments() {
    for (sample, point) in [
        (4, random("far")),
        (5, ArkFr::from(13)),
        (1, ArkFr::from(256)),
    ] {
        let sample = &POOL[sample];
        let mut log = Log::new(b"ipa");
        let (proof, value) = ORACLE.prove_ipa(
            &mut log,
            sample.commitment.as_bytes(),
            &sample.values,
            point,
        );
        for setup in [&*SETUP, &*PORTABLE] {
            let mut transcript = Transcript::new(b"ipa");
            let (ours_proof, ours_value) = ipa::prove(
                setup,
                &mut transcript,
                &sample.commitment,
                &sample.dense,
                ours(point),
            )
            .expect("proved");
            assert_eq!(ours_proof.to_bytes().as_slice(), proof);
            assert_eq!(ours_value, ours(value));
        }
    }
}

/// Values on the domain of a polynomial given by its coefficients, the constant first.
fn evaluate(coefficients: &[Fr]) -> [Fr; 256] {
    core::array::from_fn(|x| {
        let x = Fr::from(x as u64);
        coefficients
            .iter()
            .rev()
            .fold(Fr::ZERO, |sum, c| sum * x + *c)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// q of degree below 255, f = q·(X − z) + c: the quotient of f at z is q.
    #[test]
    fn quotients_are_those_of_division(seed: u64, z: u8, degree in 0usize..255) {
        let q: Vec<Fr> = (0..=degree).map(|i| ours(random((seed, i)))).collect();
        let mut f = vec![ours(random((seed, "c")))];
        f.extend(&q);
        for (f, q) in f.iter_mut().zip(&q) {
            *f -= *q * Fr::from(u64::from(z));
        }
        prop_assert!(Weights::new().quotient(&evaluate(&f), z) == evaluate(&q));
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    /// Against the oracle, in every form and by every kernel.
    #[test]
    fn any_openings(which in prop::collection::vec((0usize..12, any::<u8>()), 1..30)) {
        check(&which);
    }
}

#[test]
fn the_oracle_agrees_with_published_bytes() {
    let oracle = &*ORACLE;
    let vectors = json("vectors.json");
    let vector = &vectors["multiproof_consistency"];
    let polynomial = |value: &dyn Fn(u64) -> u64| (0..256).map(|i| ArkFr::from(value(i))).collect();
    let openings = [
        oracle.opening(polynomial(&|i| i % 32 + 1), 0),
        oracle.opening(polynomial(&|i| 32 - i % 32), 0),
    ];
    let published = unhex(&vector["proof"]);
    let mut log = Log::new(b"test");
    assert_eq!(oracle.prove(&mut log, &openings), published);
    let state = log.state();
    assert_eq!(state, unhex32(&vector["state_challenge_le"]));

    let claims: Vec<Claim> = openings.iter().map(oracle::Opening::claim).collect();
    let mut log = Log::new(b"test");
    assert_eq!(oracle.verify(&mut log, &published, &claims), Ok(()));
    assert_eq!(log.state(), state);
    for byte in (0..published.len()).step_by(31) {
        let mut changed = published.clone();
        changed[byte] ^= 1;
        assert!(
            oracle
                .verify(&mut Log::new(b"test"), &changed, &claims)
                .is_err()
        );
    }
    let mut wrong = claims;
    wrong[1].2[0] ^= 1;
    assert!(
        oracle
            .verify(&mut Log::new(b"test"), &published, &wrong)
            .is_err()
    );
}
