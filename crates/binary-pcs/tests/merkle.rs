//! Openings of small trees, well-formed and not.

mod support;

use proptest::prelude::*;
use prova_binary_pcs::error::{Malformed, Outcome, Rejection};
use prova_binary_pcs::field::K;
use prova_binary_pcs::merkle::{Opened, TreeShape, hash, hash_equal, open, pruned_siblings};
use prova_binary_pcs::stream::{Form, Proof};
use prova_binary_pcs::transcript::ChainV0;
use prova_proof_file::{Failure, TapeError};
use support::Random;
use support::prover::{Tree, Writer};

const SHAPE: TreeShape = TreeShape {
    depth: 5,
    image_words: 6,
    zero_words: 2,
};

fn images() -> Vec<Vec<u64>> {
    let mut random = Random(9);
    let mut image = || {
        let mut image = vec![0; 2];
        image.extend(random.by_ref().take(4));
        image
    };
    (0..32).map(|_| image()).collect()
}

fn body(form: Form, positions: &[u64]) -> Vec<u8> {
    let images = images();
    let mut writer = Writer::new(form);
    writer.open(&images, &Tree::new(&images), SHAPE.zero_words, positions);
    writer.body(&[])
}

/// Opens what stands after the number of entries.
fn check(form: Form, body: &[u8], positions: &[u64]) -> Outcome<Opened> {
    let root = Tree::new(&images()).root();
    let proof = Proof::parse(form, body)?;
    let (_, mut openings) = proof.channel(ChainV0::new(b""));
    let entries = if form == Form::Wire {
        1
    } else {
        positions.len()
    };
    openings
        .begin(entries, entries)
        .map_err(Failure::Malformed)?;
    let opened = open(&mut openings, 3, &root, &SHAPE, positions)?;
    openings.finish()?;
    Ok(opened)
}

proptest! {
    #[test]
    fn any_positions_open(positions in prop::collection::vec(0_u64..32, 1..40)) {
        let images = images();
        for form in [Form::Wire, Form::Raw] {
            let opened = check(form, &body(form, &positions), &positions).unwrap();
            let rows = opened.map_in_order(|row| row.iter().fold(0, |sum, word| sum ^ word.to_bits()));
            let expected = positions.iter().map(|&p| images[p as usize].iter().fold(0, |s, w| s ^ w));
            prop_assert!(rows.into_iter().eq(expected));
        }
    }

    #[test]
    fn any_altered_byte_is_noticed(byte in 0_usize..2000, bit in 0_u8..8) {
        let positions = [7, 3, 7, 30, 6];
        for form in [Form::Wire, Form::Raw] {
            let mut body = body(form, &positions);
            let byte = byte % body.len();
            body[byte] ^= 1 << bit;
            prop_assert!(check(form, &body, &positions).is_err());
        }
    }
}

#[test]
fn rows_are_full_images() {
    let opened = check(Form::Wire, &body(Form::Wire, &[4]), &[4]).unwrap();
    let row = opened.map_in_order(|row| row.len())[0];
    assert_eq!((row, opened.rows(), opened.siblings()), (6, 1, 5));
    let zero = opened.map_in_order(|row| row[0] == K::new(0) && row[1] == K::new(0));
    assert_eq!(zero, [true]);
}

#[test]
fn a_pair_needs_no_sibling_below_it() {
    assert_eq!(pruned_siblings(&[4, 5], 5), 4);
    assert_eq!(pruned_siblings(&[5, 6], 5), 2 + 1 + 2);
    assert_eq!(pruned_siblings(&[0], 0), 0);
    let all: Vec<u64> = (0..32).collect();
    assert_eq!(pruned_siblings(&all, 5), 0);
}

#[test]
fn exchanged_siblings_are_rejected() {
    let mut body = body(Form::Wire, &[4]);
    let end = body.len();
    let (left, right) = body[end - 64..].split_at_mut(32);
    left.swap_with_slice(right);
    let rejection = Rejection::Root { level: 3 };
    assert_eq!(
        check(Form::Wire, &body, &[4]).unwrap_err(),
        Failure::Rejected(rejection)
    );
}

#[test]
fn counts_are_derived() {
    let wire = body(Form::Wire, &[4, 9, 4]);
    // Scalars, phases, rows, words of the first row.
    for (offset, expected) in [(8, 1), (16, 2), (24, 4)] {
        assert_eq!(wire[offset], expected);
    }
    let count = |body: &[u8], positions: &[u64]| match check(Form::Wire, body, positions) {
        Err(Failure::Malformed(Malformed::Count {
            what,
            expected,
            got,
            ..
        })) => (what, expected, got),
        other => panic!("{other:?}"),
    };
    assert_eq!(count(&wire, &[4, 9, 5]), ("opened rows", 3, 2));
    assert_eq!(count(&wire, &[4, 5]), ("siblings", 4, 7));
}

#[test]
fn lists_longer_than_the_file_are_not_read() {
    let body = body(Form::Wire, &[4]);
    for offset in [0, 8, 16, 24, 64] {
        for count in [1_u64 << 63, u64::MAX, 1 << 40] {
            let mut body = body.clone();
            body[offset..offset + 8].copy_from_slice(&count.to_le_bytes());
            let error = Proof::parse(Form::Wire, &body).unwrap_err();
            assert!(
                matches!(error, TapeError::Invalid { offset: o, got, .. } if (o, got) == (offset, count))
            );
        }
    }
}

#[test]
fn hashes_are_blake2s() {
    let empty = "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9";
    let abc = "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982";
    let hex = |digest: [u8; 32]| {
        digest
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect::<String>()
    };
    assert_eq!(hex(hash(b"")), empty);
    assert_eq!(hex(hash(b"abc")), abc);
    assert_eq!(hash_equal(b"abcabcab", 3), [hash(b"abc"); 2]);
    assert_eq!(hash_equal(b"", 3), Vec::<[u8; 32]>::new());
}
