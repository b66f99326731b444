//! The transcript: what it absorbs is told apart, and grinding.

use prova_binary_pcs::field::{E, embed, from_limbs, to_limbs};
use prova_binary_pcs::merkle::hash;
use prova_binary_pcs::transcript::{ChainV0, Transcript, compress, halves, words_of};

#[test]
fn a_step_is_one_hash_of_state_and_block() {
    let mut chain = ChainV0::new(b"label");
    let before = chain.state();
    chain.observe(from_limbs([5, 6, 7]));
    let bytes: Vec<u8> = before
        .iter()
        .chain(&[5, 6, 7, 1])
        .flat_map(|w| w.to_le_bytes())
        .collect();
    assert_eq!(chain.state(), words_of(&hash(&bytes)));
    assert_eq!(chain.state(), compress(before, [5, 6, 7, 1]));

    let before = chain.state();
    let challenge = chain.sample();
    assert_eq!(chain.state(), compress(before, [0, 0, 0, 4]));
    assert_eq!(to_limbs(challenge), chain.state()[..3]);
    assert_ne!(chain.sample(), challenge);
}

#[test]
fn byte_strings_are_padded_and_prefixed() {
    let mut chain = ChainV0::new(b"");
    let state = chain.state();
    let bytes: [u8; 25] = core::array::from_fn(|i| i as u8 + 1);
    chain.observe_bytes(&bytes);
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let state = compress(state, [25, 0, 0, 3]);
    let state = compress(state, [word(0), word(8), word(16), 2]);
    assert_eq!(chain.state(), compress(state, [25, 0, 0, 2]));
}

#[test]
fn what_looks_alike_is_told_apart() {
    let after = |f: &dyn Fn(&mut ChainV0)| {
        let mut chain = ChainV0::new(b"");
        f(&mut chain);
        chain.state()
    };
    let states = [
        after(&|_| ()),
        after(&|chain| chain.observe(E::default())),
        after(&|chain| chain.observe_bytes(&[])),
        after(&|chain| chain.observe_bytes(&[0])),
        after(&|chain| chain.observe_bytes(&[0; 2])),
        after(&|chain| chain.observe_bytes(&[0; 24])),
        after(&|chain| assert_ne!(chain.sample(), E::default())),
        after(&|chain| assert!(chain.check_grinding(E::default(), 0))),
        ChainV0::new(b"other").state(),
    ];
    for (i, a) in states.iter().enumerate() {
        assert!(states.iter().skip(i + 1).all(|b| a != b));
    }
}

#[test]
fn nonces_have_the_bits_asked_for() {
    let mut chain = ChainV0::new(b"");
    let base = chain.grinding_base();
    assert_eq!(base, compress(chain.state(), [0, 0, 0, 5]));
    let nonce = (0..)
        .map(embed)
        .find(|&n| ChainV0::is_good_nonce(base, n, 10))
        .unwrap();
    let [word, ..] = compress(base, [to_limbs(nonce)[0], 0, 0, 6]);
    assert_eq!(word % 1024, 0);
    let before = chain.clone();
    assert!(chain.check_grinding(nonce, 10));
    assert_eq!(
        chain.state(),
        compress(before.state(), [to_limbs(nonce)[0], 0, 0, 6])
    );
    let bad = (0..)
        .map(embed)
        .find(|&n| !ChainV0::is_good_nonce(base, n, 1))
        .unwrap();
    assert!(!before.clone().check_grinding(bad, 1));
    assert!(!before.clone().check_grinding(embed(1), 0));
}

#[test]
fn digests_are_two_scalars() {
    let digest: [u8; 32] = core::array::from_fn(|i| i as u8);
    let [low, high] = halves(&digest);
    assert_eq!(to_limbs(low), [0x0706050403020100, 0x0f0e0d0c0b0a0908, 0]);
    assert_eq!(to_limbs(high), [0x1716151413121110, 0x1f1e1d1c1b1a1918, 0]);
}
