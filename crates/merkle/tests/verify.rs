//! Verification of pruned multi-openings: what the tree opens is accepted, all else is rejected.

use core::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use p3_baby_bear::BabyBear;
use p3_commit::Mmcs;
use p3_field::PrimeCharacteristicRing;
use p3_keccak::Keccak256Hash;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, SerializingHasher};
use proptest::prelude::*;
use prova_hash::HashField;
use prova_hash::shape::{Keccak256, MerkleHash, SoftKeccakF, node_from_bytes};
use prova_merkle::siblings;
use prova_merkle::verify::{Frontier, VerifyError, cap_level, verify_pruned};

type Node = [u32; 8];

const KECCAK: Keccak256<SoftKeccakF> = Keccak256::new();

/// All levels of a tree, leaves first, in natural order.
fn levels(log_leaves: usize) -> Vec<Vec<Node>> {
    let leaf = |i: usize| KECCAK.leaf(&[i as u32, 7]);
    let mut levels = vec![(0..1 << log_leaves).map(leaf).collect::<Vec<_>>()];
    for level in 0..log_leaves {
        let (pairs, _) = levels[level].as_chunks::<2>();
        levels.push(pairs.iter().map(|[l, r]| KECCAK.parent(l, r)).collect());
    }
    levels
}

/// A tree's opening of `indices` against the cap of `2^cap_height` nodes.
#[derive(Clone, Debug)]
struct Opening {
    log_leaves: usize,
    cap: Vec<Node>,
    indices: Vec<usize>,
    leaves: Vec<Node>,
    siblings: Vec<Node>,
}

impl Opening {
    fn new(log_leaves: usize, cap_height: usize, indices: Vec<usize>) -> Self {
        let levels = levels(log_leaves);
        let below = log_leaves - cap_height;
        let siblings = siblings(log_leaves, &indices)
            .into_iter()
            .filter(|(level, _)| *level < below)
            .map(|(level, index)| levels[level][index])
            .collect();
        Self {
            log_leaves,
            cap: levels[below].clone(),
            leaves: indices.iter().map(|&i| levels[0][i]).collect(),
            indices,
            siblings,
        }
    }

    fn check(&self, hash: &impl MerkleHash<Node = Node>) -> Result<(), VerifyError> {
        verify_pruned(
            hash,
            self.log_leaves,
            &self.cap,
            &self.indices,
            &self.leaves,
            &self.siblings,
        )
    }
}

/// Records the pairs it hashes.
#[derive(Clone, Copy)]
struct Recorder<'a>(&'a RefCell<BTreeMap<(Node, Node), usize>>);

impl MerkleHash for Recorder<'_> {
    type Word = u32;
    type Node = Node;

    fn parent(&self, left: &Node, right: &Node) -> Node {
        *self.0.borrow_mut().entry((*left, *right)).or_default() += 1;
        KECCAK.parent(left, right)
    }

    fn leaf(&self, row: &[u32]) -> Node {
        KECCAK.leaf(row)
    }

    fn leaf_array<const N: usize>(&self, row: &[u32; N]) -> Node {
        KECCAK.leaf_array(row)
    }
}

fn openings() -> impl Strategy<Value = Opening> {
    (0..=7usize)
        .prop_flat_map(|log| {
            let indices = proptest::collection::vec(0..1usize << log, 1..12);
            (Just(log), 0..=log, indices)
        })
        .prop_map(|(log, cap, indices)| Opening::new(log, cap, indices))
}

proptest! {
    #[test]
    fn openings_are_accepted_and_each_node_is_hashed_once(opening in openings()) {
        let seen = RefCell::default();
        prop_assert_eq!(opening.check(&Recorder(&seen)), Ok(()));
        let below = cap_level(opening.log_leaves, opening.cap.len()).unwrap();
        let ancestors: BTreeSet<(usize, usize)> = opening
            .indices
            .iter()
            .flat_map(|index| (1..=below).map(move |level| (level, index >> level)))
            .collect();
        let seen = seen.into_inner();
        prop_assert!(seen.values().all(|&times| times == 1));
        prop_assert_eq!(seen.len(), ancestors.len());
    }

    #[test]
    fn a_changed_opening_is_rejected(opening in openings(), word in 0..8usize, bit in 0..32u32) {
        let mut opening = opening;
        let flip = |node: &mut Node| node[word] ^= 1 << bit;
        for i in 0..opening.siblings.len() {
            flip(&mut opening.siblings[i]);
            let got = opening.check(&KECCAK);
            prop_assert!(matches!(got, Err(VerifyError::Root { .. })), "{:?}", got);
            flip(&mut opening.siblings[i]);
        }
        for i in 0..opening.leaves.len() {
            flip(&mut opening.leaves[i]);
            let got = opening.check(&KECCAK);
            let twice = opening.indices.iter().filter(|&&k| k == opening.indices[i]).count() > 1;
            let expected = if twice {
                VerifyError::Conflict { index: opening.indices[i] }
            } else {
                let below = cap_level(opening.log_leaves, opening.cap.len()).unwrap();
                VerifyError::Root { index: opening.indices[i] >> below }
            };
            prop_assert_eq!(got, Err(expected));
            flip(&mut opening.leaves[i]);
        }
        let below = cap_level(opening.log_leaves, opening.cap.len()).unwrap();
        for i in 0..opening.indices.len() {
            let index = opening.indices[i] >> below;
            flip(&mut opening.cap[index]);
            prop_assert_eq!(opening.check(&KECCAK).is_ok(), false);
            flip(&mut opening.cap[index]);
        }
        prop_assert_eq!(opening.check(&KECCAK), Ok(()));
    }

    #[test]
    fn other_indices_are_rejected(opening in openings(), other: usize) {
        let mut opening = opening;
        for i in 0..opening.indices.len() {
            let index = opening.indices[i];
            opening.indices[i] = other % (1 << opening.log_leaves);
            let changed = opening.indices[i] != index;
            prop_assert_eq!(opening.check(&KECCAK).is_err(), changed);
            opening.indices[i] = (1 << opening.log_leaves) + other % (1 << 20);
            let expected = VerifyError::Index {
                index: opening.indices[i],
                log_leaves: opening.log_leaves,
            };
            prop_assert_eq!(opening.check(&KECCAK), Err(expected));
            opening.indices[i] = index;
        }
    }

    #[test]
    fn siblings_are_neither_missing_nor_left_over(opening in openings()) {
        let mut opening = opening;
        opening.siblings.push([9; 8]);
        prop_assert_eq!(opening.check(&KECCAK), Err(VerifyError::ExtraSiblings { count: 1 }));
        opening.siblings.pop();
        while opening.siblings.pop().is_some() {
            let got = opening.check(&KECCAK);
            prop_assert!(matches!(got, Err(VerifyError::MissingSibling { .. })), "{:?}", got);
        }
    }

    #[test]
    fn nonsense_does_not_panic(
        log in prop_oneof![0..10usize, any::<usize>().prop_map(|log| log % 70)],
        cap in 0..6usize,
        indices in proptest::collection::vec(prop_oneof![0..9usize, any::<usize>()], 0..6),
        leaves in 0..6usize,
        siblings in 0..40usize,
    ) {
        let node = [3; 8];
        let (cap, leaves, siblings) = (vec![node; cap], vec![node; leaves], vec![node; siblings]);
        let got = verify_pruned(&KECCAK, log, &cap, &indices, &leaves, &siblings);
        // Nothing hashes to itself: only the leaves that are the cap can be right.
        let below = cap_level(log, cap.len());
        let trivial = siblings.is_empty() && (indices.is_empty() || below == Ok(0));
        if !trivial {
            prop_assert!(got.is_err());
        }
    }
}

#[test]
fn errors_say_what_was_expected() {
    let mut opening = Opening::new(3, 1, vec![6, 1]);
    opening.leaves.pop();
    let error = opening.check(&KECCAK).unwrap_err();
    assert_eq!(error.to_string(), "2 indices but 1 leaf digests");
    let opening = Opening::new(3, 1, vec![6, 1]);
    for cap in [0, 3, 16] {
        let cap = vec![[0; 8]; cap];
        let got = verify_pruned(&KECCAK, 3, &cap, &opening.indices, &opening.leaves, &[]);
        let nodes = cap.len();
        assert_eq!(
            got,
            Err(VerifyError::CapSize {
                nodes,
                log_leaves: 3
            })
        );
    }
    let got = verify_pruned(&KECCAK, 3, &opening.cap, &[6], &opening.leaves[..1], &[]);
    assert_eq!(got, Err(VerifyError::MissingSibling { level: 0, index: 6 }));
}

/// Matrices of two heights: rows of the shorter are hashed into the level as high as they are.
#[test]
fn shorter_matrices_are_injected() {
    let mmcs = MerkleTreeMmcs::<BabyBear, u8, _, _, 2, 32>::new(
        SerializingHasher::new(Keccak256Hash),
        CompressionFunctionFromHasher::<_, 2, 32>::new(Keccak256Hash),
        1,
    );
    let matrix = |height: usize, width: usize, seed: usize| {
        let value = |i| BabyBear::from_usize(i * i + seed);
        RowMajorMatrix::new((0..height * width).map(value).collect(), width)
    };
    let matrices = vec![matrix(32, 3, 5), matrix(8, 40, 6), matrix(32, 2, 7)];
    let dimensions: Vec<_> = matrices.iter().map(Matrix::dimensions).collect();
    let (cap, data) = mmcs.commit(matrices);
    let indices = [3, 17, 16, 29, 3];
    let (rows, proof) = mmcs.open_multi_batch(&indices, &data);
    mmcs.verify_multi_batch(&cap, &dimensions, &indices, &rows, &proof)
        .unwrap();

    let siblings: Vec<Node> = proof.sibling_hashes.iter().map(node_from_bytes).collect();
    let cap: Vec<Node> = cap.roots().iter().map(node_from_bytes).collect();
    let leaf = |rows: &[Vec<BabyBear>]| {
        let tall = [BabyBear::words(&rows[0]), BabyBear::words(&rows[2])];
        KECCAK.hash_parts(&tall)
    };
    let leaves: Vec<Node> = rows.iter().map(|rows| leaf(rows)).collect();
    let mut frontier = Frontier::new(5, &indices, &leaves).unwrap();
    let mut siblings = siblings.iter();
    frontier.climb(&KECCAK, &mut siblings).unwrap();
    frontier.climb(&KECCAK, &mut siblings).unwrap();
    let inject = |node: usize, digest: &Node| {
        let query = indices.iter().position(|i| i >> 2 == node).ok_or(node)?;
        Ok::<_, usize>(KECCAK.parent(digest, &KECCAK.leaf(BabyBear::words(&rows[query][1]))))
    };
    frontier.inject(inject).unwrap();
    frontier.climb(&KECCAK, &mut siblings).unwrap();
    frontier.climb(&KECCAK, &mut siblings).unwrap();
    assert_eq!(frontier.nodes().len(), 2);
    assert!(siblings.len() == 0);
    frontier.compare(&cap).unwrap();
}
