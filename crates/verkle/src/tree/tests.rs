//! What can be claimed of a tree by someone who opens its real commitments as they please.

use proptest::prelude::*;
use std::vec::Vec;

use super::nodes::Child;
use super::{ROOT, Tree};
use crate::element::Commitment;
use crate::field::Fr;
use crate::setup::Setup;
use crate::witness::layout::{Layout, Role, derive, stem_scalar, value_scalars};
use crate::witness::verify::{ambiguous, value};
use crate::witness::{
    ExecutionWitness, IpaBytes, Key, Stem, StemDiff, SuffixDiff, Value, VerkleProof,
};

type Vector = Vec<(u8, Fr)>;

/// The commitment that a path leads to if every committed vector is taken for an inner node's.
fn commitment_at(tree: &Tree<'_>, path: &[u8]) -> Option<(Commitment, Vector)> {
    let mut node = Child::Inner(ROOT);
    for (depth, &byte) in path.iter().enumerate() {
        match node {
            Child::Inner(id) => node = tree.inners[id].child(byte)?,
            Child::Leaf(id) => {
                let leaf = &tree.leaves[id];
                let which = byte.checked_sub(2).filter(|which| *which < 2)?;
                let vector = leaf
                    .values
                    .iter()
                    .filter(|(suffix, _)| suffix >> 7 == which);
                let vector = vector
                    .flat_map(|(suffix, value)| {
                        let [low, high] = value_scalars(value);
                        [(suffix << 1, low), (suffix << 1 | 1, high)]
                    })
                    .collect();
                let commitment = Commitment::from_affine(leaf.half(which));
                return (depth + 1 == path.len()).then_some((commitment, vector));
            }
        }
    }
    Some(match node {
        Child::Inner(id) => {
            let inner = &tree.inners[id];
            (Commitment::from_affine(inner.point), inner.slots.clone())
        }
        Child::Leaf(id) => {
            let leaf = &tree.leaves[id];
            let half = |which| Commitment::from_affine(leaf.half(which)).map_to_scalar();
            let vector = [
                (0, Fr::ONE),
                (1, stem_scalar(&leaf.stem)),
                (2, half(0)),
                (3, half(1)),
            ];
            (Commitment::from_affine(leaf.point), vector.to_vec())
        }
    })
}

/// Whether true openings of the tree's commitments make a proof for the witness, and which stems
/// are then ambiguous.
fn accepted(tree: &Tree<'_>, witness: &ExecutionWitness, layout: &Layout) -> Option<Vec<Stem>> {
    let mut committed = Vec::new();
    for (path, role) in &layout.places {
        committed.push(match role {
            Role::Empty => None,
            _ => {
                let found = commitment_at(tree, path.as_bytes())?;
                let refused = found.0.is_identity() && *role != Role::Values && !path.is_root();
                Some(found).filter(|_| !refused)
            }
        });
        if *role != Role::Empty && committed.last()?.is_none() {
            return None;
        }
    }
    let scalars: Vec<Fr> = committed
        .iter()
        .map(|node| {
            node.as_ref()
                .map_or(Fr::ZERO, |(point, _)| point.map_to_scalar())
        })
        .collect();
    let claimed: Vec<Fr> = layout
        .slots
        .iter()
        .map(|slot| value(layout, &scalars, slot))
        .collect();
    let holds = layout.slots.iter().zip(&claimed).all(|(slot, claimed)| {
        let (_, vector) = committed[slot.place].as_ref().expect("not empty");
        let real = vector.iter().find(|(at, _)| *at == slot.position);
        real.map_or(Fr::ZERO, |(_, real)| *real) == *claimed
    });
    holds.then(|| ambiguous(witness, layout, &claimed))
}

fn any_stem() -> impl Strategy<Value = Stem> {
    // The positions of leaf nodes are among the bytes.
    let byte = || prop::sample::select(&[0u8, 1, 2, 3, 9][..]);
    [byte(), byte(), byte()].prop_map(|[a, b, c]| {
        let mut stem = [0; 31];
        stem[..3].copy_from_slice(&[a, b, c]);
        stem
    })
}

fn key(stem: &Stem, suffix: u8) -> Key {
    let mut key = [suffix; 32];
    key[..31].copy_from_slice(stem);
    key
}

const VALUES: [Option<Value>; 3] = [None, Some([0; 32]), Some([1; 32])];

/// A stem, depth, status, suffix and value.
type Claim = (Stem, u8, u8, bool, usize);

fn witness_of(claims: &[Claim], others: Vec<Stem>) -> ExecutionWitness {
    let state_diff = claims.iter().map(|(stem, _, _, high, value)| StemDiff {
        stem: *stem,
        suffix_diffs: [SuffixDiff {
            suffix: u8::from(*high) * 128,
            current_value: VALUES[*value],
            new_value: None,
        }]
        .into(),
    });
    let statuses = claims
        .iter()
        .map(|(_, depth, status, _, _)| depth << 3 | status);
    ExecutionWitness {
        state_diff: state_diff.collect(),
        verkle_proof: VerkleProof {
            other_stems: others,
            depth_extension_present: statuses.collect(),
            commitments_by_path: Vec::new(),
            d: [0; 32],
            ipa_proof: IpaBytes {
                cl: [[0; 32]; 8],
                cr: [[0; 32]; 8],
                final_evaluation: [0; 32],
            },
        },
    }
}

/// The witness with just those other stems that it can use.
fn layout_of(claims: &[Claim], stems: &[Stem]) -> Option<(ExecutionWitness, Layout)> {
    let subsets = (0..1usize << stems.len()).map(|mask| {
        let picked = stems.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
        picked.map(|(_, stem)| *stem).collect::<Vec<_>>()
    });
    subsets
        .map(|others| witness_of(claims, others))
        .find_map(|w| {
            let proof = &w.verkle_proof;
            let layout = derive(
                &w.state_diff,
                &proof.other_stems,
                &proof.depth_extension_present,
            );
            layout.ok().map(|layout| (w, layout))
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_is_false_is_refused_or_ambiguous(
        held in prop::collection::btree_map(any_stem(), (any::<bool>(), 1usize..3), 1..5),
        other in any_stem(),
    ) {
        let setup = Setup::ethereum();
        let mut tree = Tree::new(&setup);
        for (stem, (high, value)) in &held {
            tree.insert(&key(stem, u8::from(*high) * 128), VALUES[*value].expect("a value"));
        }
        tree.root();
        let mut stems: Vec<Stem> = held.keys().copied().chain([other]).collect();
        stems.sort_unstable();
        stems.dedup();

        // Every claim about one stem, and those that pass in pairs.
        let mut passed = Vec::new();
        for stem in &stems {
            for depth in 1..5 {
                for status in 0..3 {
                    for value in 0..3 {
                        passed.push((*stem, depth, status, false, value));
                        passed.push((*stem, depth, status, true, value));
                    }
                }
            }
        }
        let check = |claims: &[Claim]| {
            let (witness, layout) = layout_of(claims, &stems)?;
            let ambiguous = accepted(&tree, &witness, &layout)?;
            for (stem, _, _, high, value) in claims {
                let holds = tree.get(&key(stem, u8::from(*high) * 128)) == VALUES[*value];
                assert!(holds || ambiguous.contains(stem), "{claims:?} of {held:?}");
            }
            Some(())
        };
        passed.retain(|claim| check(&[*claim]).is_some());
        // The honest claims are among them.
        prop_assert!(passed.len() >= 2 * stems.len());
        for a in &passed {
            for b in passed.iter().filter(|b| a.0 < b.0) {
                check(&[*a, *b]);
            }
        }
    }
}
