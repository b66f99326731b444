//! What tests of trees need.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::BTreeMap;

use prova_verkle::tree::Tree;
use prova_verkle::witness::{ExecutionWitness, Key, Value, verify_prestate};
use prova_verkle::{Commitment, Crs, Element, Fr};

use crate::blocks::setup;

pub fn key(prefix: &[u8], suffix: u8) -> Key {
    let mut key = [0; 32];
    key[..prefix.len()].copy_from_slice(prefix);
    key[31] = suffix;
    key
}

pub fn value(seed: u8) -> Value {
    core::array::from_fn(|i| seed.wrapping_mul(37).wrapping_add(i as u8))
}

pub fn tree_of(contents: &BTreeMap<Key, Value>) -> Tree<'static> {
    let mut tree = Tree::new(setup());
    tree.insert_many(contents.iter().map(|(k, v)| (*k, *v)));
    tree
}

/// Proves keys and checks that the witness says what the tree holds.
pub fn proved(tree: &mut Tree<'_>, keys: &[Key]) -> ExecutionWitness {
    let witness = tree.prove(keys).expect("a witness");
    let root = *tree.root().as_bytes();
    let summary = verify_prestate(setup(), &root, &witness).expect("valid");
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut shown = Vec::new();
    for diff in &witness.state_diff {
        for suffix in &diff.suffix_diffs {
            let key = [&diff.stem[..], &[suffix.suffix]].concat();
            let key: Key = key.try_into().expect("32 bytes");
            assert_eq!(suffix.current_value, tree.get(&key));
            assert_eq!(suffix.new_value, None);
            shown.push(key);
        }
    }
    assert_eq!(shown, sorted);
    assert_eq!(summary.present + summary.absent, sorted.len());
    assert_eq!(
        ExecutionWitness::from_json(witness.to_json().as_bytes()).as_ref(),
        Ok(&witness)
    );
    witness
}

/// A commitment by the definition, one multiplication at a time.
pub fn by_hand(terms: &[(usize, Fr)]) -> Element {
    let generators: Vec<Commitment> = Crs::ethereum().elements().collect();
    terms
        .iter()
        .map(|(index, scalar)| Element::from(&generators[*index]) * *scalar)
        .sum()
}

/// A little-endian integer of at most 31 bytes.
pub fn integer(bytes: &[u8]) -> Fr {
    let mut padded = [0; 32];
    padded[..bytes.len()].copy_from_slice(bytes);
    Fr::from_le_bytes(&padded).expect("below 2^248")
}
