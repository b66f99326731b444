//! A key that came with a proof: damaged, forged, and what a reader sees of it.

mod common;

use common::{Case, input};
use prova_whir::Params;
use prova_whir_view::{Error, Portable, Unobserved, VerifyingKey, verify_input};

fn case() -> Case {
    Case::read("small-koalabear-5-suffix-drawn")
}

fn verify(words: &[u32]) -> Result<[u8; 32], Error> {
    let bytes = bytemuck::cast_slice(words);
    verify_input(&Portable::default(), bytes, &mut Unobserved).map(|verified| verified.key_digest)
}

#[test]
fn an_altered_key_is_refused_or_shows_in_the_digest() {
    let Case { bytes, key, .. } = case();
    let digest = key.digest(&Portable::default()).unwrap();
    let good = input(&key, &bytes);
    assert_eq!(verify(&good).unwrap(), digest);
    let mut words = good.clone();
    for i in 4..4 + key.words().len() {
        for flip in [1, 1 << 12, 1 << 31] {
            words[i] ^= flip;
            if let Ok(other) = verify(&words) {
                assert_ne!(other, digest, "word {i}");
            }
            words[i] ^= flip;
        }
    }
}

/// A prover who may choose the key chooses weak parameters: the guest accepts, and the digest that
/// it commits is not the one that a reader derives from parameters of its own.
#[test]
fn a_forged_key_that_accepts_is_visible_in_the_digest() {
    let forged = case();
    let portable = Portable::default();
    let committed = verify(&input(&forged.key, &forged.bytes)).unwrap();
    let wanted = Params {
        security_bits: forged.params.security_bits + 16,
        ..forged.params
    };
    let expected = VerifyingKey::derive(&portable, &wanted, &forged.statement).unwrap();
    assert_ne!(committed, expected.digest(&portable).unwrap());
    assert!(
        verify(&input(&expected, &forged.bytes))
            .unwrap_err()
            .is_rejection()
    );
}

#[test]
fn malformed_inputs_have_their_codes() {
    let Case { bytes, key, .. } = case();
    let good = input(&key, &bytes);
    let code = |change: &dyn Fn(&mut Vec<u32>)| {
        let mut words = good.clone();
        change(&mut words);
        verify(&words).unwrap_err().code()
    };
    assert_eq!(code(&|words| words.truncate(3)), 10);
    assert_eq!(code(&|words| words[0] ^= 1), 11);
    assert_eq!(code(&|words| words[1] += 1), 12);
    assert_eq!(code(&|words| words[3] += 4), 14);
    assert_eq!(code(&|words| words.truncate(words.len() - 1)), 14);
    assert_eq!(code(&|words| words[2] = u32::MAX), 14);
    assert_eq!(code(&|words| words[5] = 6), 15);
    let good_bytes: Vec<u8> = good.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut shifted = vec![0_u32; good.len() + 1];
    let view: &mut [u8] = bytemuck::cast_slice_mut(&mut shifted);
    view[1..=good_bytes.len()].copy_from_slice(&good_bytes);
    let misaligned = &view[1..=good_bytes.len()];
    let error = verify_input(&Portable::default(), misaligned, &mut Unobserved).unwrap_err();
    assert_eq!(error.code(), 13);
}
