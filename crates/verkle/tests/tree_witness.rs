//! Witnesses of trees that were changed or forged.
#![cfg(all(feature = "parallel", feature = "prove", feature = "witness"))]

#[path = "support/witness.rs"]
mod blocks;
#[path = "support/tree.rs"]
mod made;
mod support;

use blocks::{alterations, setup};
use made::{by_hand, integer, key, proved, value};
use prova_verkle::tree::Tree;
use prova_verkle::witness::{ExecutionWitness, verify_prestate};
use prova_verkle::{Commitment, Element, Fr, Opening, Polynomial, Transcript, multiproof};

#[test]
fn witnesses_may_not_be_changed() {
    let mut tree = Tree::new(setup());
    for (i, prefix) in [&[1][..], &[1, 2, 3], &[1, 2, 9], &[200]]
        .iter()
        .enumerate()
    {
        tree.insert(&key(prefix, i as u8), value(i as u8));
        tree.insert(&key(prefix, 130), [0; 32]);
    }
    let keys = [
        key(&[1], 0),
        key(&[1, 2, 3], 130),
        key(&[1, 2, 3], 5),
        // Absent: nothing there, another stem there, a stem there that is in the witness too.
        key(&[1, 7], 0),
        key(&[200, 5], 0),
        key(&[1, 2, 3, 1], 0),
    ];
    let witness = proved(&mut tree, &keys);
    assert_eq!(witness.verkle_proof.other_stems.len(), 1);
    let root = *tree.root().as_bytes();
    for (what, altered) in alterations(&witness) {
        assert!(
            verify_prestate(setup(), &root, &altered).is_err(),
            "{what} was accepted"
        );
    }
    tree.insert(&key(&[77], 0), value(1));
    let root = *tree.root().as_bytes();
    assert!(verify_prestate(setup(), &root, &witness).is_err());
}

/// A proof that is true of given vectors, in a witness that claims what it likes.
fn forge(witness: &mut ExecutionWitness, openings: &[(&Commitment, &[(u8, Fr)], u8)]) {
    let openings: Vec<Opening<'_>> = openings
        .iter()
        .map(|(commitment, vector, point)| Opening {
            commitment,
            polynomial: Polynomial::Sparse(vector),
            point: *point,
        })
        .collect();
    let proof = multiproof::prove(setup(), &mut Transcript::new(b"vt"), &openings);
    witness
        .verkle_proof
        .set_multiproof(&proof.expect("a proof"));
}

fn leaf_vector(stem: &[u8], values: &Commitment) -> [(u8, Fr); 3] {
    [
        (0, Fr::ONE),
        (1, integer(stem)),
        (2, values.map_to_scalar()),
    ]
}

/// The format cannot tell a leaf node from an inner node that has no child at some position, so
/// the summary must warn.
#[test]
fn forged_absence_is_reported() {
    let mut tree = Tree::new(setup());
    let present = key(&[5, 6], 1);
    tree.insert(&present, value(1));
    // The leaf node at path 5 is passed as an inner node with nothing at 6, which is true.
    let mut witness = proved(&mut tree, &[present]);
    let root = tree.root();
    let points = &witness.verkle_proof.commitments_by_path;
    let [leaf, values] = [0, 1].map(|i| Commitment::from_bytes(&points[i]).expect("a point"));
    witness.state_diff[0].suffix_diffs[0].current_value = None;
    witness.verkle_proof.depth_extension_present = vec![2 << 3];
    witness.verkle_proof.commitments_by_path.truncate(1);
    let leaf_vector = leaf_vector(&present[..31], &values);
    let root_vector = [(5, leaf.map_to_scalar())];
    forge(
        &mut witness,
        &[(&root, &root_vector, 5), (&leaf, &leaf_vector, 6)],
    );
    let summary = verify_prestate(setup(), root.as_bytes(), &witness).expect("the format's limit");
    assert_eq!((summary.present, summary.absent), (0, 1));
    assert_eq!(summary.ambiguous, [witness.state_diff[0].stem]);
}

/// Nor can it tell a stem from the scalar of a child. Whoever can choose a stem can choose such a
/// one.
#[test]
fn forged_presence_is_reported() {
    // The leaf node of a stem 5‖1‖… that is in no tree, whose scalar is a stem 5‖….
    let values = by_hand(&[(0, integer(&[&[0; 16][..], &[1]].concat()))]).to_commitment();
    let mut stem = [0; 31];
    stem[..2].copy_from_slice(&[5, 1]);
    let start = by_hand(&leaf_vector(&stem, &values).map(|(i, v)| (usize::from(i), v)));
    let step = by_hand(&[(1, integer(&[0, 0, 1]))]);
    let found = (0u32..).step_by(1 << 10).find_map(|from| {
        let first = start + step * Fr::from(u64::from(from));
        let leaves: Vec<Element> = std::iter::successors(Some(first), |leaf| Some(*leaf + step))
            .take(1 << 10)
            .collect();
        let made_up = Commitment::normalise(&leaves);
        let scalars = Commitment::map_all_to_scalar(&made_up);
        let bytes = scalars.iter().map(|scalar| scalar.to_le_bytes());
        let at = bytes
            .clone()
            .position(|bytes| bytes[0] == 5 && bytes[31] == 0)?;
        Some((from + at as u32, made_up[at], bytes.clone().nth(at)?))
    });
    let (counter, made_up, chosen) = found.expect("one in some thousands");
    stem[2..6].copy_from_slice(&counter.to_le_bytes());

    let mut tree = Tree::new(setup());
    tree.insert(&chosen, value(1));
    let honest = proved(&mut tree, &[chosen]);
    let root = tree.root();
    let points = &honest.verkle_proof.commitments_by_path;
    let [leaf, chosen_values] =
        [0, 1].map(|i| Commitment::from_bytes(&points[i]).expect("a point"));

    let mut witness = honest.clone();
    witness.state_diff[0].stem = stem;
    witness.state_diff[0].suffix_diffs[0].suffix = 0;
    witness.state_diff[0].suffix_diffs[0].current_value = Some([0; 32]);
    witness.verkle_proof.depth_extension_present = vec![2 << 3 | 2];
    witness.verkle_proof.commitments_by_path = [leaf, made_up, values]
        .map(|point| *point.as_bytes())
        .to_vec();
    let root_vector = [(5, leaf.map_to_scalar())];
    let chosen_vector = leaf_vector(&chosen[..31], &chosen_values);
    let made_up_vector = leaf_vector(&stem, &values);
    let values_vector = [(0, integer(&[&[0; 16][..], &[1]].concat()))];
    forge(
        &mut witness,
        &[
            (&root, &root_vector, 5),
            (&leaf, &chosen_vector, 1),
            (&made_up, &made_up_vector, 0),
            (&made_up, &made_up_vector, 1),
            (&made_up, &made_up_vector, 2),
            (&values, &values_vector, 0),
            (&values, &values_vector, 1),
        ],
    );
    let summary = verify_prestate(setup(), root.as_bytes(), &witness).expect("the format's limit");
    assert_eq!((summary.present, summary.absent), (1, 0));
    assert_eq!(summary.ambiguous, [stem]);
}

#[test]
fn more_keys_settle_what_is_ambiguous() {
    let mut tree = Tree::new(setup());
    tree.insert(&key(&[5, 6], 1), value(1));
    tree.insert(&key(&[5, 100], 1), value(1));
    let root = *tree.root().as_bytes();
    let absent = key(&[5, 50], 0);
    let witness = proved(&mut tree, &[absent]);
    let summary = verify_prestate(setup(), &root, &witness).expect("valid");
    assert_eq!(summary.ambiguous, [witness.state_diff[0].stem]);
    // A second stem below the same inner node, or what the tree suggests.
    let more = tree.settle(&[absent]);
    assert_eq!(more, [key(&[5], 0)]);
    let witness = proved(&mut tree, &[absent, more[0]]);
    let summary = verify_prestate(setup(), &root, &witness).expect("valid");
    assert!(summary.ambiguous.is_empty());
    let witness = proved(&mut tree, &[absent, key(&[5, 100], 1)]);
    let summary = verify_prestate(setup(), &root, &witness).expect("valid");
    assert!(summary.ambiguous.is_empty());
}
