//! SSZ containers.

mod support;

use prova_xmss::ssz::{FixedSsz, SignedMessage, list};
use prova_xmss::{LengthError, PublicKey, Signature};
use support::{bytes, cases, valid};

#[test]
fn the_bytes_of_the_vectors() {
    for case in cases("ethereum/verify.json")
        .iter()
        .filter(|c| c["output"] == true)
    {
        let (key, signature) = (
            bytes(&case["input"]["public_key"]),
            bytes(&case["input"]["signature"]),
        );
        assert_eq!(PublicKey::from_ssz(&key).unwrap().to_ssz()[..], key);
        assert_eq!(
            Signature::from_ssz(&signature).unwrap().to_ssz()[..],
            signature
        );
    }
    assert_eq!((PublicKey::SSZ_BYTES, Signature::SSZ_BYTES), (32, 1208));
}

#[test]
fn signed_messages_and_lists() {
    let (key, epoch, message, signature) = valid();
    let first = SignedMessage {
        key,
        epoch,
        message,
        signature,
    };
    let bytes = first.to_ssz();
    assert_eq!(SignedMessage::SSZ_BYTES, 1276);
    assert_eq!(bytes[..32], key.to_bytes());
    assert_eq!(bytes[32..36], epoch.to_le_bytes());
    assert_eq!(bytes[36..68], message);
    assert_eq!(SignedMessage::from_ssz(&bytes).unwrap(), first);

    let second = SignedMessage {
        epoch: 0x0102_0304,
        ..first.clone()
    };
    let both = [bytes, second.to_ssz()].concat();
    let read: Result<Vec<SignedMessage>, LengthError> = list(&both).unwrap().collect();
    assert_eq!(read.unwrap(), [first, second]);
    assert_eq!(list::<SignedMessage>(&[]).unwrap().len(), 0);
    let cut = list::<SignedMessage>(&both[1..])
        .err()
        .expect("a part of an element");
    assert_eq!((cut.expected, cut.got), (1276, 1275));
    for len in [0, 1275, 1277] {
        let error = SignedMessage::from_ssz(&[0; 1300][..len]).unwrap_err();
        assert_eq!((error.expected, error.got), (1276, len));
    }
}
