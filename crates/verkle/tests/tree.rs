//! Trees: roots against commitments by hand and against each other, witnesses of both kinds.
#![cfg(all(feature = "parallel", feature = "prove", feature = "witness"))]

#[path = "support/witness.rs"]
mod blocks;
#[path = "support/tree.rs"]
mod made;
mod support;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use blocks::setup;
use made::{by_hand, integer, key, proved, tree_of, value};
use proptest::prelude::*;
use prova_verkle::tree::{Cancelled, Observer, Tree, Unobserved};
use prova_verkle::witness::{Key, Value, WitnessError, verify_prestate};
use prova_verkle::{Commitment, Element, Fr, ProveError, VerifyError};
use support::unhex;

/// The commitment of the leaf node with one value.
fn leaf_by_hand(key: &Key, value: &Value) -> Element {
    let two_128 = integer(&[&[0; 16][..], &[1]].concat());
    let suffix = usize::from(key[31]);
    let (half, position) = (suffix / 128, 2 * (suffix % 128));
    let values = by_hand(&[
        (position, integer(&value[..16]) + two_128),
        (position + 1, integer(&value[16..])),
    ]);
    by_hand(&[
        (0, Fr::ONE),
        (1, integer(&key[..31])),
        (2 + half, values.map_to_scalar()),
    ])
}

#[test]
fn roots_by_hand() {
    for (suffix, seed) in [(0, 1), (5, 2), (127, 3), (128, 4), (255, 0)] {
        let (key, value) = (key(&[9, 8, 7, 6], suffix), value(seed));
        let mut tree = Tree::new(setup());
        assert_eq!(tree.insert(&key, value), None);
        let leaf = leaf_by_hand(&key, &value);
        let root = by_hand(&[(9, leaf.map_to_scalar())]);
        assert_eq!(tree.root(), root.to_commitment());
    }
    // Two stems with a common byte: an inner node of depth 1.
    let (a, b) = (key(&[9, 8], 3), key(&[9, 200], 133));
    let mut tree = Tree::new(setup());
    tree.insert(&b, value(2));
    tree.insert(&a, value(1));
    let inner = by_hand(&[
        (8, leaf_by_hand(&a, &value(1)).map_to_scalar()),
        (200, leaf_by_hand(&b, &value(2)).map_to_scalar()),
    ]);
    let root = by_hand(&[(9, inner.map_to_scalar())]);
    assert_eq!(tree.root(), root.to_commitment());
    // Without the second, no inner node either.
    assert_eq!(tree.delete(&b), Some(value(2)));
    let root = by_hand(&[(9, leaf_by_hand(&a, &value(1)).map_to_scalar())]);
    assert_eq!(tree.root(), root.to_commitment());
    // A value of zeros is not an absent one.
    assert_eq!(tree.insert(&a, [0; 32]), Some(value(1)));
    let root = by_hand(&[(9, leaf_by_hand(&a, &[0; 32]).map_to_scalar())]);
    assert_eq!(tree.root(), root.to_commitment());
    assert_eq!(tree.delete(&a), Some([0; 32]));
    assert_eq!(tree.root(), Commitment::IDENTITY);
}

/// The scalar of the root, little-endian, as rust-verkle's and Nethermind's tests give it.
fn root_scalar(tree: &mut Tree<'_>) -> String {
    hex(&tree.root().map_to_scalar().to_le_bytes())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// From rust-verkle (`verkle-trie/src/trie.rs`, `verkle-trie/tests/golang_interop.rs`), go-verkle
/// (`tree_test.go`, the same as the latter) and Nethermind's tests of its Verkle tree.
#[test]
fn roots_of_other_clients() {
    let mut tree = Tree::new(setup());
    for (at, expected) in [
        (
            None,
            "ff00a9f3f2d4f58fc23bceebf6b2310419ceac2c30445e2f374e571487715015",
        ),
        (
            Some(30),
            "fe2e17833b90719eddcad493c352ccd491730643ecee39060c7c1fff5fcc621a",
        ),
        (
            Some(29),
            "74ff8821eca20188de49340124f249dac94404efdb3838bb6b4d298e483cc20e",
        ),
    ] {
        let mut key = [0; 32];
        if let Some(at) = at {
            key[at] = 1;
        }
        tree.insert(&key, key);
        assert_eq!(root_scalar(&mut tree), expected);
    }

    let mut tree = Tree::new(setup());
    let key = core::array::from_fn(|i| i as u8 + 1);
    for (value, expected) in [
        (
            [0; 32],
            "77a0747bd526d9d9af60bd5665d24d6cb421f5c8e726b1de62f914f3ff9a361c",
        ),
        (
            key,
            "029b6c4c8af9001f0ac76472766c6579f41eec84a73898da06eb97ebdab80a09",
        ),
    ] {
        tree.insert(&key, value);
        assert_eq!(root_scalar(&mut tree), expected);
    }

    // An account: version, balance, nonce, code hash, code size.
    let mut tree = Tree::new(setup());
    let stem = "f56e644224f4576490cfe0de1424a4532212529bfe374713d84e7d7e8e9272";
    let stem = unhex(&stem.into());
    let balance = [&[0, 0, 100, 167, 179, 182, 224, 13][..], &[0; 24]].concat();
    let code = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";
    let values = [
        vec![0; 32],
        balance,
        vec![0; 32],
        unhex(&code.into()),
        vec![0; 32],
    ];
    for (suffix, value) in (0..).zip(values) {
        tree.insert(
            &self::key(&stem, suffix),
            value.try_into().expect("32 bytes"),
        );
    }
    assert_eq!(
        hex(tree.root().as_bytes()),
        "10ed89d89047bb168baa4e69b8607e260049e928ddbcb2fdd23ea0f4182b1f8a"
    );
}

#[test]
fn empty_tree() {
    let mut tree = Tree::new(setup());
    assert!(tree.is_empty());
    assert_eq!(tree.root(), Commitment::IDENTITY);
    assert_eq!(tree.delete(&[1; 32]), None);
    assert_eq!(tree.prove(&[]), Err(ProveError::NoOpenings));
    let witness = proved(&mut tree, &[[1; 32], [0; 32], [255; 32], [1; 32]]);
    assert!(witness.verkle_proof.commitments_by_path.is_empty());
    assert_eq!(witness.verkle_proof.depth_extension_present, [8; 3]);
    // Not of a tree that has something.
    tree.insert(&[1; 32], [1; 32]);
    let root = *tree.root().as_bytes();
    assert_eq!(
        verify_prestate(setup(), &root, &witness),
        Err(WitnessError::Proof(VerifyError::Rejected))
    );
}

/// Stems that part at many depths, the last byte included.
fn deep_stems() -> Vec<Vec<u8>> {
    let mut stems: Vec<Vec<u8>> = [0, 1, 2, 15, 29, 30]
        .map(|depth| {
            let mut stem = vec![7; 31];
            stem[depth] = 200;
            stem
        })
        .to_vec();
    stems.push(vec![7; 31]);
    stems
}

#[test]
fn deep_trees() {
    let mut tree = Tree::new(setup());
    let stems = deep_stems();
    for (i, stem) in stems.iter().enumerate() {
        tree.insert(&key(stem, i as u8), value(i as u8));
    }
    let mut keys: Vec<Key> = Vec::new();
    for (i, stem) in stems.iter().enumerate() {
        keys.extend([key(stem, i as u8), key(stem, i as u8 + 1)]);
    }
    for depth in 0..31 {
        let mut stem = [7; 31];
        stem[depth] = 3;
        keys.push(key(&stem, 0));
    }
    let witness = proved(&mut tree, &keys);
    let depths = &witness.verkle_proof.depth_extension_present;
    assert!(depths.contains(&(31 << 3 | 2)) && depths.contains(&(31 << 3)));
    // Down to one key, one by one; the order does not matter.
    for (i, stem) in stems.iter().enumerate().skip(1) {
        assert!(tree.delete(&key(stem, i as u8)).is_some());
        let rest: BTreeMap<Key, Value> = tree.iter().collect();
        assert_eq!(rest.len(), stems.len() - i);
        assert_eq!(tree.root(), tree_of(&rest).root());
    }
}

#[derive(Default)]
struct StopAfter {
    calls: AtomicU64,
    limit: u64,
    last: AtomicU64,
}

impl Observer for StopAfter {
    fn progress(&self, done: u64, total: u64) {
        assert!(done >= self.last.load(Ordering::Relaxed) && done <= total);
        self.last.store(done, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed) >= self.limit
    }
}

#[test]
fn cancelled_and_resumed() {
    let contents: BTreeMap<Key, Value> = (0..60u8)
        .map(|i| (key(&[i % 7, i % 3, i], i), value(i)))
        .collect();
    let expected = tree_of(&contents).root();
    for limit in 0..4 {
        let mut tree = tree_of(&contents);
        let stop = StopAfter {
            limit,
            ..StopAfter::default()
        };
        assert_eq!(tree.commit(&stop), Err(Cancelled));
        // Changes in between, and back.
        tree.insert(&key(&[1], 77), value(5));
        tree.insert(&key(&[0, 0, 0], 0), value(99));
        let stop = StopAfter {
            limit,
            ..StopAfter::default()
        };
        assert_eq!(tree.commit(&stop), Err(Cancelled));
        tree.delete(&key(&[1], 77));
        tree.insert(&key(&[0, 0, 0], 0), value(0));
        assert_eq!(tree.commit(&Unobserved), Ok(expected), "{limit}");
    }
}

#[test]
fn same_root_with_any_number_of_threads() {
    let contents: BTreeMap<Key, Value> = (0..300u32)
        .map(|i| {
            let [a, b, ..] = (i.wrapping_mul(2_654_435_761) >> 16).to_le_bytes();
            (key(&[a & 15, b & 31, i as u8], b), value(a))
        })
        .collect();
    let roots = [1, 2, 3].map(|threads| {
        let pool = rayon_pool(threads);
        pool(&contents)
    });
    assert_eq!(roots[0], roots[1]);
    assert_eq!(roots[0], roots[2]);
}

/// Builds a tree on as many threads, each in its own pool's place.
fn rayon_pool(threads: usize) -> impl Fn(&BTreeMap<Key, Value>) -> Commitment {
    move |contents| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("a pool");
        pool.install(|| tree_of(contents).root())
    }
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Key, Value),
    Delete(usize),
    Commit,
    Prove,
}

/// Few bytes, so that stems share prefixes of all lengths.
fn any_key() -> impl Strategy<Value = Key> {
    let byte = || prop_oneof![Just(0u8), Just(2), Just(255)];
    let stem = (0usize..31, byte(), 0usize..31, byte());
    (stem, prop_oneof![Just(0u8), Just(1), Just(128), Just(255)]).prop_map(
        |((at, a, then, b), suffix)| {
            let mut key = [0; 32];
            // Mostly near the root.
            key[at / 4] = a;
            key[then] = b;
            key[31] = suffix;
            key
        },
    )
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (any_key(), any::<u8>()).prop_map(|(key, seed)| Step::Insert(key, value(seed))),
        4 => any::<prop::sample::Index>().prop_map(|index| Step::Delete(index.index(64))),
        2 => Just(Step::Commit),
        1 => Just(Step::Prove),
    ]
}

fn check_proofs(tree: &mut Tree<'_>, model: &BTreeMap<Key, Value>, extra: &[Key]) {
    let mut keys: Vec<Key> = model.keys().copied().collect();
    for key in model.keys() {
        for (byte, flip) in [(31, 1), (31, 128), (30, 1), (3, 4), (0, 16)] {
            let mut neighbour = *key;
            neighbour[byte] ^= flip;
            keys.push(neighbour);
        }
    }
    keys.extend(extra);
    keys.extend(tree.settle(&keys));
    let witness = proved(tree, &keys);
    let summary = verify_prestate(setup(), tree.root().as_bytes(), &witness).expect("valid");
    assert!(summary.ambiguous.is_empty());
    assert!(tree.settle(&keys).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn random_histories(steps in prop::collection::vec(any_step(), 1..40), extra in any_key()) {
        let mut tree = Tree::new(setup());
        let mut model = BTreeMap::new();
        for step in steps {
            match step {
                Step::Insert(key, value) => {
                    prop_assert_eq!(tree.insert(&key, value), model.insert(key, value));
                }
                Step::Delete(at) => {
                    let key = model.keys().nth(at % model.len().max(1)).copied().unwrap_or(extra);
                    prop_assert_eq!(tree.delete(&key), model.remove(&key));
                    prop_assert_eq!(tree.delete(&key), None);
                }
                Step::Commit => {
                    tree.root();
                }
                Step::Prove => check_proofs(&mut tree, &model, &[extra]),
            }
            prop_assert_eq!(tree.len(), model.len());
        }
        prop_assert!(tree.iter().eq(model.iter().map(|(k, v)| (*k, *v))));
        prop_assert_eq!(tree.root(), tree_of(&model).root());
        // Another order: no difference.
        let mut backwards = Tree::new(setup());
        for (key, value) in model.iter().rev() {
            backwards.insert(key, *value);
        }
        prop_assert_eq!(tree.root(), backwards.root());
        check_proofs(&mut tree, &model, &[extra]);
    }
}
