//! The peer proves what our batches prove, and refuses what is something else.

use blake2::{Blake2s256, Digest as _};
use prova_hash_batch_peer::{Digest, Field, Peer, PeerError};

fn messages(count: usize) -> Vec<[u8; 64]> {
    (0..count)
        .map(|i| std::array::from_fn(|j| (i * 7 + j * j * 31) as u8))
        .collect()
}

fn digests(messages: &[[u8; 64]]) -> Vec<Digest> {
    messages
        .iter()
        .map(|message| Blake2s256::digest(message).into())
        .collect()
}

#[test]
fn digests_of_the_hash_function_are_accepted_with_the_security_stated() {
    // The second size takes the kernels that work on bits.
    for log in [3, 10] {
        let messages = messages(1 << log);
        let digests = digests(&messages);
        for (field, bits) in [(Field::Gf128, 96.0), (Field::Gf192, 125.0)] {
            let peer = Peer::new(field, &digests, 1).expect("parameters");
            let security = peer.security_bits();
            assert!((bits..=128.0).contains(&security), "{field}: {security}");
            let proof = peer.prove(&messages).expect("a proof");
            assert_eq!(peer.verify(&proof), Ok(()), "{field}, 2^{log}");
        }
    }
}

#[test]
fn other_digests_and_altered_proofs_are_rejected() {
    let messages = messages(8);
    let digests = digests(&messages);
    for field in Field::ALL {
        let peer = Peer::new(field, &digests, 1).expect("parameters");
        let proof = peer.prove(&messages).expect("a proof");
        assert_eq!(peer.verify(&proof), Ok(()));

        for (row, byte) in [(0, 0), (7, 31)] {
            let mut other = digests.clone();
            other[row][byte] ^= 4;
            let peer = Peer::new(field, &other, 1).expect("parameters");
            assert!(
                matches!(peer.verify(&proof), Err(PeerError::Rejected(_))),
                "{field}, byte {byte} of digest {row}"
            );
        }
        let stride = proof.len() / 6;
        for offset in (stride / 2..proof.len()).step_by(stride) {
            let mut altered = proof.clone();
            altered[offset] ^= 1;
            assert!(peer.verify(&altered).is_err(), "{field}, byte {offset}");
        }
        let mut long = proof.clone();
        long.push(0);
        assert!(matches!(peer.verify(&long), Err(PeerError::Proof(_))));
        assert!(peer.verify(&proof[..proof.len() - 1]).is_err());
    }
}

/// The constraints hold and the transcript starts from the digests, so only the comparison of columns
/// can refuse this.
#[test]
fn a_prover_that_knows_other_messages_is_rejected() {
    let digests = digests(&messages(8));
    let mut others = messages(8);
    others[3][10] ^= 1;
    for field in Field::ALL {
        let peer = Peer::new(field, &digests, 1).expect("parameters");
        let proof = peer.prove(&others).expect("a proof of something else");
        let Err(PeerError::Rejected(why)) = peer.verify(&proof) else {
            panic!("{field}: accepted");
        };
        assert!(why.contains("digests"), "{why}");
    }
}

#[test]
fn sizes() {
    let few = digests(&messages(4));
    let odd = digests(&messages(9));
    for (list, got) in [(&few, 4), (&odd, 9)] {
        let refused = Peer::new(Field::Gf128, list, 1).map(|_| ());
        assert_eq!(refused, Err(PeerError::Digests(got)));
    }
    let peer = Peer::new(Field::Gf192, &digests(&messages(8)), 1).expect("parameters");
    assert_eq!(
        peer.prove(&messages(16)),
        Err(PeerError::Messages {
            got: 16,
            expected: 8
        })
    );
    for field in Field::ALL {
        let bytes = |log| field.peak_bytes(log, 1);
        assert!(bytes(16) > 3 * bytes(14) && bytes(16) < 4 * bytes(14));
    }
}
