//! Every published vector, both directions where it is a proof. Sources: `vectors/README.md`.

mod support;

use prova_verkle::lagrange::{Weights, inner_product};
use prova_verkle::{
    Commitment, Crs, Element, Fr, MultiProof, Opening, PointError, Polynomial, Query, ScalarBytes,
    Setup, Transcript, ipa, multiproof,
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use support::{json, point, polynomial, scalar_be, scalar_le, unhex, unhex32};

fn bytes(value: &Value) -> &[u8] {
    value.as_str().expect("a string").as_bytes()
}

#[test]
fn transcript_challenges() {
    for vector in json("vectors.json")["transcript"]
        .as_array()
        .expect("a list")
    {
        let mut transcript = Transcript::new(bytes(&vector["label"]));
        for op in vector["ops"].as_array().expect("a list") {
            match op[0].as_str() {
                Some("sep") => transcript.domain_separator(bytes(&op[1])),
                Some("scalar") => {
                    let value = op[2].as_i64().expect("an integer");
                    let magnitude = Fr::from(value.unsigned_abs());
                    let scalar = if value < 0 { -magnitude } else { magnitude };
                    transcript.append_scalar(bytes(&op[1]), scalar);
                }
                Some("point") => {
                    assert_eq!(op[2], "G");
                    let generator = Element::generator().to_commitment();
                    transcript.append_point(bytes(&op[1]), &generator);
                }
                other => panic!("unknown operation {other:?}"),
            }
        }
        let challenge = transcript.challenge(bytes(&vector["challenge_label"]));
        assert_eq!(challenge, scalar_le(&vector["challenge_le"]), "{vector}");
    }
}

#[test]
fn encodings_of_doubled_generators() {
    let vectors = json("vectors.json");
    let mut element = Element::generator();
    for encoding in vectors["encodings_2^i_G"]["hex"]
        .as_array()
        .expect("a list")
    {
        assert_eq!(element.to_commitment().as_bytes(), &unhex32(encoding));
        assert_eq!(Element::from(&point(encoding)), element);
        element = element.double();
    }
}

#[test]
fn points_outside_the_subgroup_are_refused() {
    let vectors = json("vectors.json");
    let bad = vectors["bad_points_not_in_subgroup"]["hex"]
        .as_array()
        .expect("a list");
    assert_eq!(bad.len(), 16);
    for encoding in bad {
        assert_eq!(
            Commitment::from_bytes(&unhex(encoding)),
            Err(PointError::NotInSubgroup)
        );
    }
}

#[test]
fn common_reference_string() {
    let vectors = json("vectors.json");
    let list: Vec<[u8; 32]> = vectors["crs"]["all"]
        .as_array()
        .expect("a list")
        .iter()
        .map(unhex32)
        .collect();
    for crs in [Crs::ethereum(), Crs::generate(prova_verkle::SEED)] {
        let ours: Vec<[u8; 32]> = crs.elements().map(|c| *c.as_bytes()).collect();
        assert_eq!(ours, list);
        assert_eq!(
            Sha256::digest(ours.concat()).as_slice(),
            unhex(&vectors["crs"]["sha256_of_all"])
        );
        assert_eq!(crs.q(), Element::generator());
    }
    // The table holds coordinates, the list encodings: the coordinates too must be the same.
    let coordinates =
        |crs: Crs| -> Vec<_> { crs.elements().map(|c| c.to_uncompressed_le()).collect() };
    assert_eq!(
        coordinates(Crs::ethereum()),
        coordinates(Crs::generate(prova_verkle::SEED))
    );
}

#[test]
fn map_to_scalar() {
    let vectors = &json("vectors.json")["map_to_scalar_field"];
    let g = Element::generator();
    let four = g.double().double();
    assert_eq!(g.map_to_scalar(), scalar_le(&vectors["G_le"]));
    assert_eq!(g.double().map_to_scalar(), scalar_be(&vectors["2G_be"]));
    assert_eq!(four.map_to_scalar(), scalar_be(&vectors["4G_be"]));
    let all = Commitment::normalise(&[g, Element::IDENTITY, four]);
    assert_eq!(
        Commitment::map_all_to_scalar(&all),
        [g.map_to_scalar(), Fr::ZERO, four.map_to_scalar()]
    );
}

#[test]
fn dense_commitments() {
    let setup = Setup::ethereum();
    for vector in json("pedersen_commitment_test.json")
        .as_array()
        .expect("a list")
    {
        let values: Vec<Fr> = vector["frs"]
            .as_array()
            .expect("a list")
            .iter()
            .map(scalar_le)
            .collect();
        let commitment = setup.commit(&values);
        assert_eq!(commitment.map_to_scalar(), scalar_le(&vector["commitment"]));
    }
    for vector in json("commit_root_test.json").as_array().expect("a list") {
        let values: Vec<Fr> = vector["frs"]
            .as_array()
            .expect("a list")
            .iter()
            .map(scalar_be)
            .collect();
        let commitment = setup.commit(&values).to_commitment();
        assert_eq!(commitment, point(&vector["expected"]));
    }
}

/// A decimal integer below r.
fn decimal(value: &Value) -> Fr {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    text.bytes().fold(Fr::ZERO, |sum, digit| {
        sum * Fr::from(10) + Fr::from(u64::from(digit - b'0'))
    })
}

#[test]
fn jsign_primitives() {
    let data = |name: &str| json(&format!("jsign/{name}.json"))["testData"].clone();
    let setup = Setup::ethereum();

    let vector = data("001_vector_commitment");
    let values: Vec<Fr> = vector["scalars"]
        .as_array()
        .expect("a list")
        .iter()
        .map(decimal)
        .collect();
    assert_eq!(values.len(), 256);
    assert_eq!(
        setup.commit(&values).to_commitment(),
        point(&vector["serializedCommitment"])
    );

    let vector = data("002_map_to_field_element");
    assert_eq!(
        point(&vector["serializedPoint"]).map_to_scalar(),
        decimal(&vector["fieldElement"])
    );

    let uncompressed = |vector: &Value| {
        [
            unhex(&vector["serializedXCoordinate"]),
            unhex(&vector["serializedYCoordinate"]),
        ]
        .concat()
    };
    let vector = data("003_serialize_lexicographically_highest");
    let commitment = Commitment::from_uncompressed_be(&uncompressed(&vector)).expect("valid");
    assert_eq!(commitment, point(&vector["expectedSerializedPoint"]));
    // The wrong endianness is not a point.
    assert!(Commitment::from_uncompressed_le(&uncompressed(&vector)).is_err());

    // go-ipa refuses the representative with the smaller y; here both represent the class.
    let vector = data("004_deserialize_lexicographically_lowest");
    let lowest = Commitment::from_uncompressed_be(&uncompressed(&vector)).expect("valid");
    let x = Commitment::from_bytes(lowest.as_bytes()).expect("its own encoding");
    assert_eq!(Element::from(&x), Element::from(&lowest));
    assert_ne!(x.to_uncompressed_be(), lowest.to_uncompressed_be());

    for (name, error) in [
        ("005_deserialize_point_not_in_curve", PointError::NotOnCurve),
        (
            "006_deserialize_point_not_in_subgroup",
            PointError::NotInSubgroup,
        ),
        (
            "007_deserialize_point_x_bigger_than_field",
            PointError::NotCanonical,
        ),
    ] {
        let encoding = unhex(&data(name)["serializedPoint"]);
        assert_eq!(Commitment::from_bytes(&encoding), Err(error), "{name}");
    }
    for bad in data("008_deserialize_point_x_wrong_length")["serializedPoints"]
        .as_array()
        .expect("a list")
    {
        let text = bad.as_str().expect("a string").trim_start_matches("0x");
        // One of them has an odd number of digits.
        let encoding = unhex(&Value::String(format!(
            "{}{text}",
            "0".repeat(text.len() % 2)
        )));
        assert!(matches!(
            Commitment::from_bytes(&encoding),
            Err(PointError::Length { expected: 32, .. })
        ));
    }
    let proof = unhex(&data("009_deserialize_proof_invalid_final_scalar")["serializedProof"]);
    assert!(MultiProof::from_bytes(&proof).is_err());
    for bad in data("010_deserialize_proof_wrong_length")["serializedProofs"]
        .as_array()
        .expect("a list")
    {
        let proof = unhex(bad);
        assert_ne!(proof.len(), multiproof::PROOF_LEN);
        assert!(MultiProof::from_bytes(&proof).is_err());
    }
}

#[test]
fn lagrange() {
    let weights = Weights::new();
    let all: Vec<u8> = weights
        .derivative()
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let expected = "3a0d4ff0437f2dab2f639a86de4c058dcff1c3e9ac4de6f624e548e7dae52e38";
    assert_eq!(
        Sha256::digest(all).as_slice(),
        unhex(&Value::from(expected))
    );

    let vectors = &json("vectors.json")["constantine"];
    let f = polynomial(|i| if i < 10 { i + 1 } else { 0 });
    let value = inner_product(&f, &weights.evaluation_vector(Fr::from(3400)));
    assert_eq!(value, scalar_le(&vectors["bary_eval"]["result_le"]));

    // (X − 1)(X + 1)X^253, divided by X − 1.
    let f: [Fr; 256] = core::array::from_fn(|i| {
        let x = Fr::from(i as u64);
        (x - Fr::ONE) * (x + Fr::ONE) * x.pow(&[253])
    });
    let quotient = weights.quotient(&f, 1);
    assert_eq!(quotient[255], scalar_le(&vectors["divide"]["q255_le"]));
    for (i, q) in quotient.iter().enumerate() {
        let x = Fr::from(i as u64);
        assert_eq!(*q, (x + Fr::ONE) * x.pow(&[253]), "at {i}");
    }
}

#[test]
fn inner_product_argument() {
    let setup = Setup::ethereum();
    let vector = &json("vectors.json")["ipa_consistency"];
    let f = polynomial(|i| i % 32 + 1);
    let commitment = setup.commit(&f).to_commitment();
    assert_eq!(commitment, point(&vector["commitment"]));

    let label = bytes(&vector["transcript"]);
    let input = Fr::from(vector["input_point"].as_u64().expect("an integer"));
    let mut transcript = Transcript::new(label);
    let (proof, value) =
        ipa::prove(&setup, &mut transcript, &commitment, &f, input).expect("proved");
    assert_eq!(value, scalar_le(&vector["output_le"]));
    assert_eq!(proof.to_bytes().as_slice(), unhex(&vector["proof"]));
    let state = scalar_le(&vector["state_challenge_le"]);
    assert_eq!(transcript.challenge(b"state"), state);

    let proof = ipa::IpaProof::from_bytes(&unhex(&vector["proof"])).expect("well-formed");
    let mut transcript = Transcript::new(label);
    ipa::verify(&setup, &mut transcript, &commitment, input, value, &proof).expect("valid");
    assert_eq!(transcript.challenge(b"state"), state);
}

#[test]
fn multiproofs() {
    let setup = Setup::ethereum();
    let vectors = json("vectors.json");

    let vector = &vectors["multiproof_consistency"];
    let f = [polynomial(|i| i % 32 + 1), polynomial(|i| 32 - i % 32)];
    let commitments: Vec<Commitment> = vector["C"]
        .as_array()
        .expect("a list")
        .iter()
        .map(point)
        .collect();
    check(
        &setup,
        vector,
        &[(&f[0], 0, commitments[0]), (&f[1], 0, commitments[1])],
    );

    let vector = &vectors["micro_eth_signer_single"];
    let f = polynomial(|i| i);
    let commitment = setup.commit(&f).to_commitment();
    check(&setup, vector, &[(&f, 1, commitment), (&f, 2, commitment)]);
}

/// Proves what the vector proves, compares every byte, verifies the published bytes.
fn check(setup: &Setup, vector: &Value, openings: &[(&[Fr; 256], u8, Commitment)]) {
    let label = bytes(&vector["transcript"]);
    let published = unhex(&vector["proof"]);
    let prover: Vec<Opening<'_>> = openings
        .iter()
        .map(|(f, point, commitment)| Opening {
            commitment,
            polynomial: Polynomial::Dense(f),
            point: *point,
        })
        .collect();
    for (opening, (f, _, commitment)) in prover.iter().zip(openings) {
        assert_eq!(setup.commit(*f).to_commitment(), *commitment, "{opening:?}");
    }
    let mut transcript = Transcript::new(label);
    let proof = multiproof::prove(setup, &mut transcript, &prover).expect("proved");
    assert_eq!(proof.to_bytes().as_slice(), published);
    let state = transcript.challenge(b"state");
    if let Some(expected) = vector.get("state_challenge_le") {
        assert_eq!(state, scalar_le(expected));
    }

    let queries: Vec<Query<'_>> = openings
        .iter()
        .map(|(f, point, commitment)| Query {
            commitment,
            point: *point,
            value: ScalarBytes::from(f[usize::from(*point)]),
        })
        .collect();
    let proof = MultiProof::from_bytes(&published).expect("well-formed");
    let mut transcript = Transcript::new(label);
    multiproof::verify(setup, &mut transcript, &proof, &queries).expect("valid");
    assert_eq!(transcript.challenge(b"state"), state);
}
