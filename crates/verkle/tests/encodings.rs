//! Encodings of elements: every trap, one at a time and in batches.

mod support {
    pub mod case;
    pub mod oracle;
}

use ark_ec::CurveGroup;
use ark_ff::{BigInteger, PrimeField};
use proptest::prelude::*;
use prova_verkle::{Arm, BaseModulus, Commitment, Element, Fp, Fr, Modulus, PointError};
use support::case::other_representative;
use support::oracle;

fn modulus_be() -> [u8; 32] {
    let mut bytes: Vec<u8> = BaseModulus::MODULUS
        .iter()
        .flat_map(|limb| limb.to_le_bytes())
        .collect();
    bytes.reverse();
    bytes.try_into().expect("32 bytes")
}

fn add_one(mut bytes: [u8; 32]) -> [u8; 32] {
    for byte in bytes.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            break;
        }
    }
    bytes
}

/// Multiples of the generator.
fn elements(count: u64) -> Vec<Element> {
    let first = Element::generator() * Fr::from(12345).pow(&[1 << 20]);
    core::iter::successors(Some(first), |e| Some(*e + Element::generator()))
        .take(count as usize)
        .collect()
}

/// One encoding of every kind of fault.
fn bad_encodings() -> Vec<([u8; 32], PointError)> {
    let small = |x: u8| {
        let mut bytes = [0; 32];
        bytes[31] = x;
        bytes
    };
    let of = |error: PointError| {
        (1..=255)
            .map(small)
            .find(|bytes| Commitment::from_bytes(bytes) == Err(error))
            .expect("one among them")
    };
    vec![
        (modulus_be(), PointError::NotCanonical),
        ([0xff; 32], PointError::NotCanonical),
        (of(PointError::NotOnCurve), PointError::NotOnCurve),
        (of(PointError::NotInSubgroup), PointError::NotInSubgroup),
    ]
}

#[test]
fn identity() {
    let zeros = Commitment::from_bytes(&[0; 32]).expect("the identity");
    assert!(zeros.is_identity());
    assert_eq!(zeros, Commitment::IDENTITY);
    assert_eq!(Element::from(&zeros), Element::IDENTITY);
    assert!(Element::from(&zeros).is_identity());
    assert_eq!(zeros.map_to_scalar(), Fr::ZERO);
    // (0, −1), which decoding or arithmetic may hold, and (0, 1).
    for y in [Fp::ONE, -Fp::ONE] {
        let bytes = [[0; 32], y.to_le_bytes()].concat();
        let commitment = Commitment::from_uncompressed_le(&bytes).expect("the identity");
        assert_eq!(commitment, Commitment::IDENTITY);
        let element = Element::from(&commitment);
        assert!(element.is_identity());
        assert_eq!(element, Element::IDENTITY);
        assert_eq!(element.double(), Element::IDENTITY);
        assert_eq!(element * Fr::from(77), Element::IDENTITY);
        let g = Element::generator();
        assert_eq!(element + g, g);
        assert_eq!((element + g).to_commitment(), g.to_commitment());
        assert_eq!(element.to_commitment().as_bytes(), &[0; 32]);
        assert_eq!(element.map_to_scalar(), Fr::ZERO);
    }
    assert_ne!(Element::generator(), Element::IDENTITY);
}

#[test]
fn lengths_and_ranges() {
    let valid = *Element::generator().to_commitment().as_bytes();
    for got in [0, 1, 31, 33, 64] {
        let bytes: Vec<u8> = valid.iter().copied().cycle().take(got).collect();
        let expected = 32;
        assert_eq!(
            Commitment::from_bytes(&bytes),
            Err(PointError::Length { expected, got })
        );
        let expected = 64;
        if got != 64 {
            let error = Err(PointError::Length { expected, got });
            assert_eq!(Commitment::from_uncompressed_le(&bytes), error);
            assert_eq!(Commitment::from_uncompressed_be(&bytes), error);
            assert_eq!(Commitment::from_uncompressed_le_unchecked(&bytes), error);
            assert_eq!(Commitment::from_uncompressed_be_unchecked(&bytes), error);
        }
    }
    // p + x for a valid x: the same element, another encoding.
    let one_over = add_one(modulus_be());
    for bytes in [modulus_be(), one_over, [0xff; 32]] {
        let error = Err(PointError::NotCanonical);
        assert_eq!(Commitment::from_bytes(&bytes), error);
    }
    for (bytes, error) in bad_encodings() {
        assert_eq!(Commitment::from_bytes(&bytes), Err(error));
    }
}

#[test]
fn the_other_endianness_is_another_string() {
    let mut refused = 0;
    for element in elements(16) {
        let commitment = element.to_commitment();
        let mut bytes = *commitment.as_bytes();
        bytes.reverse();
        match Commitment::from_bytes(&bytes) {
            Ok(other) => assert_ne!(other, commitment),
            Err(_) => refused += 1,
        }
        let le = commitment.to_uncompressed_le();
        let be = commitment.to_uncompressed_be();
        assert_eq!(Commitment::from_uncompressed_le(&le), Ok(commitment));
        assert_eq!(Commitment::from_uncompressed_be(&be), Ok(commitment));
        assert!(Commitment::from_uncompressed_le(&be).is_err());
        assert!(Commitment::from_uncompressed_be(&le).is_err());
    }
    assert!(refused > 8);
}

#[test]
fn representatives() {
    for element in elements(20) {
        let commitment = element.to_commitment();
        let other = other_representative(&commitment);
        assert_eq!(other, commitment);
        assert_eq!(other.as_bytes(), commitment.as_bytes());
        assert_eq!(Element::from(&other), element);
        assert_eq!(other.map_to_scalar(), commitment.map_to_scalar());
        assert_eq!(
            (Element::from(&other) + element).to_commitment(),
            element.double().to_commitment()
        );
        // Decoding takes the larger y.
        let decoded = Commitment::from_bytes(commitment.as_bytes()).expect("its own encoding");
        let y = &decoded.to_uncompressed_be()[32..];
        let both = [commitment, other].map(|c| c.to_uncompressed_be()[32..].to_vec());
        assert_eq!(Some(y), both.iter().map(Vec::as_slice).max());
        // The sign of x alone makes another element: the negative.
        assert_eq!((-element).to_commitment().map_to_scalar(), {
            let negative = Element::IDENTITY - element;
            negative.map_to_scalar()
        });
        assert_ne!(-element, element);
    }
}

#[test]
fn uncompressed_checks() {
    let commitment = Element::generator().double().to_commitment();
    let le = commitment.to_uncompressed_le();
    for byte in [0, 40] {
        let mut off = le;
        off[byte] ^= 1;
        let error = Err(PointError::NotOnCurve);
        assert_eq!(Commitment::from_uncompressed_le(&off), error);
        assert!(Commitment::from_uncompressed_le_unchecked(&off).is_ok());
    }
    for half in [0, 32] {
        let mut over = le;
        over[half..half + 32].fill(0xff);
        let error = Err(PointError::NotCanonical);
        assert_eq!(Commitment::from_uncompressed_le(&over), error);
        assert_eq!(Commitment::from_uncompressed_be(&over), error);
        assert_eq!(Commitment::from_uncompressed_le_unchecked(&over), error);
        assert_eq!(Commitment::from_uncompressed_be_unchecked(&over), error);
    }
    let (bytes, _) = bad_encodings()[3];
    let x = Fp::from_be_bytes(&bytes).expect("canonical");
    let d = {
        // From the curve's equation at the generator.
        let g = Element::generator().to_commitment().to_uncompressed_le();
        let [gx, gy] = [&g[..32], &g[32..]]
            .map(|c| Fp::from_le_bytes(c.try_into().expect("32 bytes")).expect("canonical"));
        let (xx, yy) = (gx.square(), gy.square());
        (yy - Fp::from(5) * xx - Fp::ONE) * (xx * yy).invert().expect("not zero")
    };
    let y = (Fp::ONE + Fp::from(5) * x.square())
        * (Fp::ONE - d * x.square()).invert().expect("not zero");
    let y = y.sqrt().expect("on the curve");
    for y in [y, -y] {
        let le = [x.to_le_bytes(), y.to_le_bytes()].concat();
        let be = [x.to_be_bytes(), y.to_be_bytes()].concat();
        let error = Err(PointError::NotInSubgroup);
        assert_eq!(Commitment::from_uncompressed_le(&le), error);
        assert_eq!(Commitment::from_uncompressed_be(&be), error);
        assert!(Commitment::from_uncompressed_be_unchecked(&be).is_ok());
    }
}

fn arms() -> impl Iterator<Item = Arm> {
    [Arm::Portable, Arm::Ifma]
        .into_iter()
        .filter(|arm| arm.is_available())
}

/// Coordinates too, which equality of commitments does not compare.
fn assert_same(ours: &[Commitment], expected: &[Commitment]) {
    assert_eq!(ours, expected);
    for (a, b) in ours.iter().zip(expected) {
        assert_eq!(a.to_uncompressed_le(), b.to_uncompressed_le());
    }
}

fn decoded(encodings: &[[u8; 32]]) -> Vec<Commitment> {
    let single = encodings.iter().map(|bytes| Commitment::from_bytes(bytes));
    single.collect::<Result<_, _>>().expect("valid")
}

#[test]
fn batches_of_every_size() {
    let mut all = Commitment::normalise(&elements(140));
    all[5] = Commitment::IDENTITY;
    all[64] = Commitment::IDENTITY;
    let encodings: Vec<[u8; 32]> = all.iter().map(|c| *c.as_bytes()).collect();
    let expected = decoded(&encodings);
    for arm in arms() {
        for count in (0..=20).chain([63, 64, 65, 127, 128, 129, 140]) {
            let ours = Commitment::decode_all_with(arm, &encodings[..count]);
            assert_same(&ours.expect("valid"), &expected[..count]);
        }
    }
    let ours = Commitment::decode_all(&encodings);
    assert_same(&ours.expect("valid"), &expected);
}

#[test]
fn the_first_bad_encoding_is_named() {
    let good: Vec<[u8; 32]> = Commitment::normalise(&elements(140))
        .iter()
        .map(|c| *c.as_bytes())
        .collect();
    let bad = bad_encodings();
    for arm in arms() {
        for index in 0..good.len() {
            let (bytes, error) = bad[index % bad.len()];
            let mut encodings = good.clone();
            encodings[index] = bytes;
            // Worse ones later, in the same chunk and in others.
            for (later, (bytes, _)) in bad.iter().enumerate() {
                let place = index + 1 + later * 30;
                if index % 3 > 0 && place < encodings.len() {
                    encodings[place] = *bytes;
                }
            }
            let ours = Commitment::decode_all_with(arm, &encodings);
            assert_eq!(ours, Err((index, error)), "{arm:?}");
        }
    }
}

#[test]
fn threads_do_not_matter() {
    let elements = elements(700);
    let commitments = Commitment::normalise(&elements);
    let scalars = Commitment::map_all_to_scalar(&commitments);
    let mut encodings: Vec<[u8; 32]> = commitments.iter().map(|c| *c.as_bytes()).collect();
    let expected = decoded(&encodings);
    let pools = [1, 2, 3, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool")
    });
    for pool in &pools {
        pool.install(|| {
            assert_same(
                &Commitment::decode_all(&encodings).expect("valid"),
                &expected,
            );
            assert_same(&Commitment::normalise(&elements), &commitments);
            assert_eq!(Commitment::map_all_to_scalar(&commitments), scalars);
        });
    }
    let bad = bad_encodings();
    for (bytes, _) in &bad {
        encodings[650] = *bytes;
    }
    encodings[651] = bad[0].0;
    encodings[333] = bad[2].0;
    encodings[334] = bad[0].0;
    for pool in &pools {
        let ours = pool.install(|| Commitment::decode_all(&encodings));
        assert_eq!(ours, Err((333, PointError::NotOnCurve)));
    }
}

#[test]
fn batches_equal_single_ones() {
    let mut elements = elements(300);
    elements[0] = Element::IDENTITY;
    elements[131] = elements[3] - elements[3];
    elements[299] = Element::generator() * Fr::ZERO;
    let commitments = Commitment::normalise(&elements);
    let single: Vec<Commitment> = elements.iter().map(Element::to_commitment).collect();
    assert_same(&commitments, &single);
    let scalars = Commitment::map_all_to_scalar(&commitments);
    for ((scalar, commitment), element) in scalars.iter().zip(&commitments).zip(&elements) {
        assert_eq!(*scalar, commitment.map_to_scalar());
        assert_eq!(*scalar, element.map_to_scalar());
    }
    assert!(Commitment::normalise(&[]).is_empty());
    assert!(Commitment::map_all_to_scalar(&[]).is_empty());
    assert_eq!(Commitment::decode_all(&[]), Ok(Vec::new()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Any string: the verdict and the point of another implementation.
    #[test]
    fn decoding_equals_the_oracle(mut bytes: [u8; 32], mask in 0..4u8) {
        // The highest bytes of the modulus are 0x73ed: most strings are to be below it.
        if mask > 0 {
            bytes[0] &= 0x7f;
        }
        let theirs = oracle::decode(&bytes);
        let ours = Commitment::from_bytes(&bytes);
        prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?}", ours);
        for arm in arms() {
            let batch = Commitment::decode_all_with(arm, &[bytes]);
            prop_assert_eq!(batch, ours.map(|c| vec![c]).map_err(|e| (0, e)));
        }
        if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
            let affine = theirs.into_affine();
            let coordinates = [affine.x, affine.y].map(|c| c.into_bigint().to_bytes_le());
            prop_assert_eq!(ours.to_uncompressed_le().to_vec(), coordinates.concat());
            prop_assert_eq!(*ours.as_bytes(), bytes);
        }
    }
}
