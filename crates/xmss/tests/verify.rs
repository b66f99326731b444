//! The verifier: published vectors, cost, tampering, arbitrary bytes.

mod support;

use blake2::Digest;
use proptest::prelude::*;
use prova_xmss::{
    Blake2s, Compress, HexError, LeanVmB, LengthError, PublicKey, Rejected, Signature,
    UnknownTweakType, VerifyError, encode, hex, tweak_hash, verify_bytes, verify_with,
};
use support::{array, bytes, cases, number, valid};

#[test]
fn published_verifications() {
    for case in cases("ethereum/verify.json") {
        let input = &case["input"];
        let got = verify_bytes(
            &bytes(&input["public_key"]),
            number(&input["epoch"]),
            &bytes(&input["message"]),
            &bytes(&input["signature"]),
        );
        let answer = match got {
            Ok(()) => Some(true),
            Err(VerifyError::Rejected(_)) => Some(false),
            Err(VerifyError::Length(_)) => None,
        };
        assert_eq!(answer, case["output"].as_bool(), "{}", case["name"]);
    }
}

#[test]
fn verifications_of_the_other_layout() {
    for case in cases("leanvm-b/verify.json") {
        let input = &case["input"];
        let key = PublicKey::from_bytes(&bytes(&input["public_key"])).unwrap();
        let signature = Signature::from_bytes(&bytes(&input["signature"])).unwrap();
        let (epoch, message) = (number(&input["epoch"]), array(&input["message"]));
        let got = verify_with::<LeanVmB>(&mut Blake2s, &key, epoch, &message, &signature);
        assert_eq!(
            Some(got.is_ok()),
            case["output"].as_bool(),
            "{}",
            case["name"]
        );
        assert!(key.verify(epoch, &message, &signature).is_err());
    }
}

#[test]
fn published_tweak_hashes() {
    for case in cases("ethereum/tweak_hash.json") {
        let input = &case["input"];
        let kind = number(&input["tweak_type"]) as u8;
        let (sub, index) = (number(&input["sub_position"]), number(&input["index"]));
        let parameter = array(&input["public_param"]);
        let got = tweak_hash(&parameter, kind, sub, index, &bytes(&input["payload"]));
        match case["output"].as_str() {
            Some(_) => assert_eq!(got, Ok(array(&case["output"])), "{}", case["name"]),
            None => assert_eq!(got, Err(UnknownTweakType(8))),
        }
    }
}

#[test]
fn published_encodings() {
    for case in cases("ethereum/wots_encode.json") {
        let input = &case["input"];
        let (parameter, message) = (array(&input["public_param"]), array(&input["message"]));
        let randomizer = array(&input["randomness"]);
        let got = encode(&parameter, number(&input["epoch"]), &message, &randomizer);
        let expected = case["output"]
            .as_array()
            .map(|digits| digits.iter().map(number).collect());
        let got = got.ok().map(|digits| digits.map(u32::from).to_vec());
        assert_eq!(got, expected, "{}", case["name"]);
    }
}

/// Counts compressions, and the last blocks among them.
#[derive(Default)]
struct Counting {
    calls: usize,
    compressions: usize,
}

impl Compress for Counting {
    fn compress(&mut self, state: &mut [u32; 8], block: &[u32; 16], counter: u64, last: bool) {
        self.calls += usize::from(last);
        self.compressions += 1;
        Blake2s.compress(state, block, counter, last);
    }
}

#[test]
fn cost_of_a_verification() {
    for case in cases("leanvm-b/verify.json")
        .iter()
        .filter(|c| c["output"] == true)
    {
        let input = &case["input"];
        let key = PublicKey::from_bytes(&bytes(&input["public_key"])).unwrap();
        let signature = Signature::from_bytes(&bytes(&input["signature"])).unwrap();
        let (epoch, message) = (number(&input["epoch"]), array(&input["message"]));
        let mut count = Counting::default();
        let verdict = verify_with::<LeanVmB>(&mut count, &key, epoch, &message, &signature);
        assert_eq!(
            (verdict, count.calls, count.compressions),
            (Ok(()), 133, 144)
        );
    }
    let (key, epoch, message, mut signature) = valid();
    let cost = |signature: &Signature| {
        let mut count = Counting::default();
        let verdict =
            verify_with::<prova_xmss::Ethereum>(&mut count, &key, epoch, &message, signature);
        (verdict.is_ok(), count.calls, count.compressions)
    };
    assert_eq!(cost(&signature), (true, 133, 144));
    signature.path[0][0] ^= 1;
    assert_eq!(cost(&signature), (false, 133, 144));
    signature.randomizer[0] ^= 1;
    assert_eq!(cost(&signature), (false, 1, 2));
}

#[test]
fn every_byte_of_a_signature_counts() {
    let (key, epoch, message, signature) = valid();
    let sound = signature.to_bytes();
    for at in 0..sound.len() {
        let mut bytes = sound;
        bytes[at] ^= 1 << (at % 8);
        let bad = Signature::from_bytes(&bytes).unwrap();
        let verdict = key.verify(epoch, &message, &bad);
        let of_randomizer = (672..696).contains(&at);
        match verdict {
            Err(Rejected::Encoding(_)) => assert!(of_randomizer, "byte {at}"),
            Err(Rejected::Root) => assert!(!of_randomizer, "byte {at}"),
            Ok(()) => panic!("byte {at}"),
        }
    }
}

#[test]
fn every_bit_of_key_message_and_epoch_counts() {
    let (key, epoch, message, signature) = valid();
    assert_eq!(key.verify(epoch, &message, &signature), Ok(()));
    for bit in 0..256 {
        let flip = |mut bytes: [u8; 32]| {
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        };
        assert!(key.verify(epoch, &flip(message), &signature).is_err());
        let other = PublicKey::from_bytes(&flip(key.to_bytes())).unwrap();
        assert!(other.verify(epoch, &message, &signature).is_err());
    }
    for bit in 0..32 {
        assert!(
            key.verify(epoch ^ (1 << bit), &message, &signature)
                .is_err()
        );
    }
}

#[test]
fn lengths_around_the_right_ones() {
    let (key, epoch, message, signature) = valid();
    let (key, signature) = (key.to_bytes(), signature.to_bytes());
    let longer = |bytes: &[u8]| [bytes, &[0]].concat();
    let length = |what, expected, got| {
        Err(VerifyError::Length(LengthError {
            what,
            expected,
            got,
        }))
    };
    let verify = |k: &[u8], m: &[u8], s: &[u8]| verify_bytes(k, epoch, m, s);
    assert_eq!(verify(&key, &message, &signature), Ok(()));
    assert_eq!(
        verify(&longer(&key), &message, &signature),
        length("public key", 32, 33)
    );
    assert_eq!(
        verify(&key[1..], &message, &signature),
        length("public key", 32, 31)
    );
    assert_eq!(
        verify(&key, &longer(&message), &signature),
        length("message", 32, 33)
    );
    assert_eq!(verify(&key, &[], &signature), length("message", 32, 0));
    assert_eq!(
        verify(&key, &message, &longer(&signature)),
        length("signature", 1208, 1209)
    );
    assert_eq!(
        verify(&key, &message, &signature[..696]),
        length("signature", 1208, 696)
    );
    assert_eq!(verify(&key, &message, &[]), length("signature", 1208, 0));
}

#[test]
fn text_and_bytes() {
    let (key, _, _, signature) = valid();
    assert_eq!(key.to_string().parse(), Ok(key));
    assert_eq!(signature.to_string().parse(), Ok(signature.clone()));
    assert_eq!(
        Signature::from_bytes(&signature.to_bytes()),
        Ok(signature.clone())
    );
    let text = key.to_string();
    assert_eq!(text.len(), 2 + 64);
    assert_eq!(text[2..].to_uppercase().parse(), Ok(key));
    let (what, expected, got) = ("public key", 64, 63);
    let short = HexError::Length {
        what,
        expected,
        got,
    };
    assert_eq!(text[..65].parse::<PublicKey>(), Err(short));
    assert_eq!(
        text.replace('c', "g").parse::<PublicKey>().is_err(),
        text.contains('c')
    );
    assert_eq!(
        hex::decode::<2>("pair", "00z0"),
        Err(HexError::Digit { at: 2 })
    );
    assert_eq!(hex::decode::<1>("one", "é"), Err(HexError::Digit { at: 0 }));
}

#[test]
fn published_hashes() {
    for case in cases("ethereum/blake2s.json") {
        let (input, expected) = (bytes(&case["input"]), bytes(&case["output"]));
        assert_eq!(
            blake2::Blake2s256::digest(&input)[..],
            expected,
            "{}",
            case["name"]
        );
        #[cfg(feature = "batch")]
        assert_eq!(
            prova_hash::blake2s::hash(&input)[..],
            expected,
            "{}",
            case["name"]
        );
    }
}

proptest! {
    #[test]
    fn tweak_hash_is_blake2s(
        parameter: [u8; 16],
        kind in 0u8..8,
        sub: u32,
        index: u32,
        payload in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut input = vec![0, kind, 0, 0];
        input.extend(sub.to_le_bytes());
        input.extend([0; 4]);
        input.extend(index.to_le_bytes());
        input.extend(parameter);
        input.extend(&payload);
        let digest = blake2::Blake2s256::digest(&input);
        let got = tweak_hash(&parameter, kind, sub, index, &payload).unwrap();
        prop_assert_eq!(&got[..], &digest[..16]);
    }

    #[test]
    fn arbitrary_bytes_are_refused(
        key in proptest::collection::vec(any::<u8>(), 0..40),
        epoch: u32,
        message in proptest::collection::vec(any::<u8>(), 0..40),
        signature in proptest::collection::vec(any::<u8>(), 0..1300),
    ) {
        prop_assert!(verify_bytes(&key, epoch, &message, &signature).is_err());
    }

    #[test]
    fn arbitrary_signatures_are_refused(
        key: [u8; 32],
        epoch: u32,
        message: [u8; 32],
        signature in proptest::collection::vec(any::<u8>(), 1208),
        sound_randomizer: bool,
    ) {
        prop_assert!(verify_bytes(&key, epoch, &message, &signature).is_err());
        // With the key and the randomizer of a sound signature the walk goes all the way.
        let (key, epoch, message, sound) = valid();
        let mut bad = Signature::from_bytes(&signature).unwrap();
        if sound_randomizer {
            bad.randomizer = sound.randomizer;
        }
        prop_assert!(key.verify(epoch, &message, &bad).is_err());
    }
}
