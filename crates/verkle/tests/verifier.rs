//! The verifier of multiproofs: what it accepts, what it refuses, and that nothing about how
//! queries are written changes the verdict.

mod support {
    pub mod case;
    pub mod oracle;
}

use prova_verkle::{
    Commitment, Element, Fr, Modulus, MultiProof, PointError, Query, ScalarBytes, ScalarModulus,
    Setup, Transcript, VerifyError, ipa, multiproof,
};
use support::case::{Case, LABEL, dense, other_representative, verify};
use support::oracle::{Log, Oracle};

const WORDS: usize = 18;

fn small_case(setup: &Setup) -> Case {
    let polynomials = [dense(1), dense(2), dense(3)];
    let at = [(0, 8), (1, 8), (2, 255), (0, 9), (1, 0)];
    Case::new(setup, &polynomials, &at)
}

#[test]
fn other_points_and_values_are_rejected() {
    let setup = Setup::ethereum();
    let f = dense(1);
    let case = Case::new(&setup, &[f], &[(0, 8)]);
    for point in 0..=255u8 {
        let mut claims = case.claims.clone();
        claims[0].1 = point;
        let expected = if point == 8 {
            Ok(())
        } else {
            Err(VerifyError::Rejected)
        };
        assert_eq!(verify(&setup, &case.proof, &claims), expected, "at {point}");
        if point % 15 == 8 {
            claims[0].2 = f[usize::from(point)];
            assert_eq!(verify(&setup, &case.proof, &claims), expected, "at {point}");
        }
    }
    let case = small_case(&setup);
    assert_eq!(case.verify(&setup), Ok(()));
    for index in 0..case.claims.len() {
        let value = case.claims[index].2;
        for altered in [
            value + Fr::ONE,
            value - Fr::ONE,
            -value,
            value.double(),
            Fr::ZERO,
        ] {
            let mut claims = case.claims.clone();
            claims[index].2 = altered;
            assert_eq!(
                verify(&setup, &case.proof, &claims),
                Err(VerifyError::Rejected),
                "value {index}"
            );
        }
    }
}

/// Other values for one word of a proof: first such as decode, then any.
fn tampered(words: &[[u8; 32]; WORDS], index: usize) -> Vec<[u8; 32]> {
    let mut others = Vec::new();
    if index == WORDS - 1 {
        let a = Fr::from_le_bytes(&words[index]).expect("canonical");
        others.extend([a + Fr::ONE, -a, a.double(), Fr::ZERO].map(Fr::to_le_bytes));
    } else {
        let element = Element::from(&Commitment::from_bytes(&words[index]).expect("an element"));
        let other = [
            -element,
            element.double(),
            element + Element::generator(),
            Element::generator(),
            Element::IDENTITY,
        ];
        others.extend(other.map(|e| *e.to_commitment().as_bytes()));
        others.push(words[(index + 1) % (WORDS - 1)]);
    }
    for (byte, bit) in [(0, 7), (0, 0), (15, 3), (31, 0), (31, 7)] {
        let mut flipped = words[index];
        flipped[byte] ^= 1 << bit;
        others.push(flipped);
    }
    let mut reversed = words[index];
    reversed.reverse();
    others.push(reversed);
    others
}

fn words(proof: &MultiProof) -> [[u8; 32]; WORDS] {
    let bytes = proof.to_bytes();
    bytes.as_chunks::<32>().0.try_into().expect("18 words")
}

/// Whether the bytes decode, and whether they are then accepted.
fn verdict(setup: &Setup, words: &[[u8; 32]], case: &Case) -> (bool, bool) {
    match MultiProof::from_bytes(words.as_flattened()) {
        Ok(proof) => (true, verify(setup, &proof, &case.claims).is_ok()),
        Err(_) => (false, false),
    }
}

#[test]
fn every_word_of_the_proof_counts() {
    let setup = Setup::ethereum();
    let case = small_case(&setup);
    let words = words(&case.proof);
    assert_eq!(verdict(&setup, &words, &case), (true, true));
    for index in 0..WORDS {
        let structured = if index == WORDS - 1 { 4 } else { 6 };
        for (way, other) in tampered(&words, index).into_iter().enumerate() {
            if other == words[index] {
                continue;
            }
            let mut proof = words;
            proof[index] = other;
            let (decodes, accepted) = verdict(&setup, &proof, &case);
            assert!(!accepted, "word {index}, way {way}");
            assert!(decodes || way >= structured, "word {index}, way {way}");
        }
    }
    for round in 0..ipa::ROUNDS {
        let mut proof = words;
        proof.swap(1 + round, 1 + ipa::ROUNDS + round);
        assert_eq!(
            verdict(&setup, &proof, &case),
            (true, false),
            "round {round}"
        );
        let mut proof = words;
        proof.swap(1 + round, 1 + (round + 1) % ipa::ROUNDS);
        assert_eq!(
            verdict(&setup, &proof, &case),
            (true, false),
            "round {round}"
        );
    }
}

#[test]
fn queries_must_be_the_provers() {
    let setup = Setup::ethereum();
    let case = small_case(&setup);
    let rejected = |claims: &[(Commitment, u8, Fr)], what: &str| {
        let verdict = verify(&setup, &case.proof, claims);
        assert_eq!(verdict, Err(VerifyError::Rejected), "{what}");
    };
    let count = case.claims.len();
    for i in 0..count {
        let mut claims = case.claims.clone();
        claims.swap(i, (i + 1) % count);
        rejected(&claims, "permuted");
        let mut claims = case.claims.clone();
        claims.remove(i);
        rejected(&claims, "dropped");
        let mut claims = case.claims.clone();
        claims.insert(i, case.claims[i]);
        rejected(&claims, "duplicated");
        let mut claims = case.claims.clone();
        let element = Element::from(&claims[i].0);
        claims[i].0 = (-element).to_commitment();
        rejected(&claims, "negated");
        claims[i].0 = Commitment::IDENTITY;
        rejected(&claims, "identity");
        claims[i].0 = case.claims[(i + 1) % count].0;
        rejected(&claims, "another commitment");
    }
    assert_eq!(
        verify(&setup, &case.proof, &[]),
        Err(VerifyError::NoOpenings)
    );
}

#[test]
fn malformed_proofs() {
    let setup = Setup::ethereum();
    let case = small_case(&setup);
    let bytes = case.proof.to_bytes();
    for length in [0, 1, 31, 32, 544, 575] {
        let error = MultiProof::from_bytes(&bytes[..length]);
        let got = length;
        let expected = multiproof::PROOF_LEN;
        assert_eq!(error, Err(ipa::DecodeError::Length { expected, got }));
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(MultiProof::from_bytes(&longer).is_err());
    assert!(ipa::IpaProof::from_bytes(&bytes[..544]).is_err());
    assert!(ipa::IpaProof::from_bytes(&bytes[32..]).is_ok());
    assert!(ipa::IpaProof::from_bytes(&bytes[33..]).is_err());
    assert!(ipa::IpaProof::from_bytes(&longer[32..]).is_err());

    // The final scalar plus the order: the same value, another encoding.
    let mut malleable = bytes;
    let mut carry = 0;
    let order: Vec<u8> = ScalarModulus::MODULUS
        .iter()
        .flat_map(|limb| limb.to_le_bytes())
        .collect();
    for (byte, order) in malleable[544..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        *byte = sum as u8;
        carry = sum >> 8;
    }
    assert_eq!(
        MultiProof::from_bytes(&malleable),
        Err(ipa::DecodeError::Scalar { offset: 544 })
    );
    // A word that is no point of the curve is named.
    let bad = [0xffu8; 32];
    for index in 0..WORDS - 1 {
        let mut proof = bytes;
        proof[32 * index..32 * (index + 1)].copy_from_slice(&bad);
        let error = PointError::NotCanonical;
        assert_eq!(
            MultiProof::from_bytes(&proof),
            Err(ipa::DecodeError::Point { index, error })
        );
    }
    assert_eq!(MultiProof::from_bytes(&bytes), Ok(case.proof));
}

#[test]
fn shapes_of_queries() {
    let setup = Setup::ethereum();
    let zero = [Fr::ZERO; 256];
    let polynomials = [dense(1), dense(2), zero, dense(4)];
    let every_point: Vec<(usize, u8)> = (0..=255).map(|z| (usize::from(z % 4), z)).collect();
    let one_point: Vec<(usize, u8)> = (0..9).map(|i| (i % 4, 77)).collect();
    let reversed: Vec<(usize, u8)> = every_point.iter().rev().step_by(3).copied().collect();
    let shapes: [&[(usize, u8)]; 9] = [
        &[(0, 0)],
        &[(0, 255)],
        &[(2, 5)],
        &[(0, 1), (0, 2), (0, 3), (1, 1)],
        &[(0, 1), (0, 1), (0, 1)],
        &[(2, 5), (0, 5), (2, 5), (2, 6)],
        &one_point,
        &every_point,
        &reversed,
    ];
    for at in shapes {
        let case = Case::new(&setup, &polynomials, at);
        let mut transcript = Transcript::new(LABEL);
        let verdict = multiproof::verify(&setup, &mut transcript, &case.proof, &case.queries());
        assert_eq!(verdict, Ok(()), "{at:?}");
        assert_eq!(transcript.challenge(b"state"), case.state, "{at:?}");

        // One false claim among them, wherever it stands.
        for index in [0, at.len() / 2, at.len() - 1] {
            let mut claims = case.claims.clone();
            claims[index].2 += Fr::ONE;
            let verdict = verify(&setup, &case.proof, &claims);
            assert_eq!(verdict, Err(VerifyError::Rejected), "{at:?}, claim {index}");
        }
    }
}

/// Equal pairs of commitment and point with values that contradict each other, for which a cheating
/// prover does what an honest one would: no proof is accepted, whichever of them it opens.
#[test]
fn conflicting_claims_are_rejected() {
    let setup = Setup::ethereum();
    let f = dense(1);
    let case = Case::new(&setup, &[f], &[(0, 3), (0, 3)]);
    for (first, second) in [(1, 0), (0, 1), (1, 2)] {
        let mut claims = case.claims.clone();
        claims[0].2 += Fr::from(first);
        claims[1].2 -= Fr::from(second);
        assert_eq!(
            verify(&setup, &case.proof, &claims),
            Err(VerifyError::Rejected)
        );
    }
    // Proved for a polynomial that has the other value at the point.
    let mut g = f;
    g[3] += Fr::ONE;
    let commitment = setup.commit(&f).to_commitment();
    let forged = Case::with_commitments(&setup, &[f, g], &[commitment; 2], &[(0, 3), (1, 3)]);
    assert_eq!(forged.verify(&setup), Err(VerifyError::Rejected));
}

#[test]
fn representatives_and_labels() {
    let setup = Setup::ethereum();
    let polynomials = [dense(1), dense(2)];
    let at = [(0, 8), (1, 8), (0, 200), (1, 9)];
    let commitments: Vec<Commitment> = polynomials
        .iter()
        .map(|f| setup.commit(f).to_commitment())
        .collect();
    let others: Vec<Commitment> = commitments.iter().map(other_representative).collect();
    let case = Case::with_commitments(&setup, &polynomials, &commitments, &at);
    let same = Case::with_commitments(&setup, &polynomials, &others, &at);
    assert_eq!(case.proof.to_bytes(), same.proof.to_bytes());
    assert_eq!(case.state, same.state);
    // Both representatives of one commitment in one proof, and of everything in the proof.
    let mut claims = case.claims.clone();
    claims[2].0 = other_representative(&claims[2].0);
    let mut proof = case.proof.clone();
    proof.d = other_representative(&proof.d);
    for element in proof.ipa.l.iter_mut().chain(&mut proof.ipa.r) {
        *element = other_representative(element);
    }
    assert_eq!(verify(&setup, &proof, &claims), Ok(()));
    claims[2].2 += Fr::ONE;
    assert_eq!(verify(&setup, &proof, &claims), Err(VerifyError::Rejected));

    for label in [&b"tes"[..], b"vt", b""] {
        let mut transcript = Transcript::new(label);
        assert_eq!(
            multiproof::verify(&setup, &mut transcript, &case.proof, &case.queries()),
            Err(VerifyError::Rejected)
        );
    }
}

#[test]
fn the_argument_alone() {
    let setup = Setup::ethereum();
    let f = dense(5);
    let commitment = setup.commit(&f).to_commitment();
    for point in [Fr::from(3), Fr::from(256), -Fr::ONE] {
        let mut transcript = Transcript::new(LABEL);
        let (proof, value) =
            ipa::prove(&setup, &mut transcript, &commitment, &f, point).expect("proved");
        let state = transcript.challenge(b"state");
        let verify = |commitment: &Commitment, point, value| {
            let mut transcript = Transcript::new(LABEL);
            let verdict = ipa::verify(&setup, &mut transcript, commitment, point, value, &proof);
            verdict.map(|()| transcript.challenge(b"state"))
        };
        assert_eq!(verify(&commitment, point, value), Ok(state));
        let rejected = Err(VerifyError::Rejected);
        assert_eq!(verify(&commitment, point, value + Fr::ONE), rejected);
        assert_eq!(verify(&commitment, point + Fr::ONE, value), rejected);
        assert_eq!(verify(&Commitment::IDENTITY, point, value), rejected);
    }
}

/// Verdicts of an implementation that shares nothing with this one and merges nothing, in both
/// directions.
#[test]
fn against_the_oracle() {
    let setup = Setup::ethereum();
    let oracle = Oracle::new();
    let case = small_case(&setup);
    let claims: Vec<_> = case
        .claims
        .iter()
        .map(|(c, z, y)| (*c.as_bytes(), *z, y.to_le_bytes()))
        .collect();
    let theirs = |words: &[[u8; 32]]| {
        let mut log = Log::new(LABEL);
        let verdict = oracle.verify(&mut log, words.as_flattened(), &claims);
        verdict.map(|()| log.state())
    };
    let words = words(&case.proof);
    assert_eq!(theirs(&words), Ok(case.state.to_le_bytes()));
    for index in [0, 3, 12, 17] {
        for other in tampered(&words, index).into_iter().step_by(3) {
            let mut proof = words;
            proof[index] = other;
            let ours = verdict(&setup, &proof, &case).1;
            assert_eq!(theirs(&proof).is_ok(), ours, "word {index}");
        }
    }

    // What the oracle proves, duplicates among it, is accepted here.
    let value = |i: usize| support::oracle::scalar_from_bytes(&dense(2)[i].to_le_bytes());
    let values: Vec<_> = (0..256).map(|i| value(i).expect("canonical")).collect();
    let zeros = vec![values[0] - values[0]; 256];
    let openings = [
        oracle.opening(values.clone(), 4),
        oracle.opening(zeros, 4),
        oracle.opening(values.clone(), 200),
        oracle.opening(values, 4),
    ];
    let mut log = Log::new(LABEL);
    let proof = oracle.prove(&mut log, &openings);
    let proof = MultiProof::from_bytes(&proof).expect("well-formed");
    let commitments = openings
        .each_ref()
        .map(|o| Commitment::from_bytes(&o.commitment).expect("an element"));
    let queries: Vec<Query<'_>> = openings
        .iter()
        .zip(&commitments)
        .map(|(opening, commitment)| Query {
            commitment,
            point: opening.point,
            value: ScalarBytes::new(opening.claim().2).expect("canonical"),
        })
        .collect();
    let mut transcript = Transcript::new(LABEL);
    multiproof::verify(&setup, &mut transcript, &proof, &queries).expect("valid");
    assert_eq!(transcript.challenge(b"state").to_le_bytes(), log.state());
}

#[test]
fn scalars_must_be_canonical() {
    let order: Vec<u8> = ScalarModulus::MODULUS
        .iter()
        .flat_map(|limb| limb.to_le_bytes())
        .collect();
    let order: [u8; 32] = order.try_into().expect("32 bytes");
    assert_eq!(ScalarBytes::new(order), None);
    assert_eq!(ScalarBytes::new([0xff; 32]), None);
    let mut below = order;
    below[0] -= 1;
    assert_eq!(ScalarBytes::new(below), Some(ScalarBytes::from(-Fr::ONE)));
}
