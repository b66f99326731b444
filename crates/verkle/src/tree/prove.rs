//! Witnesses of a tree.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::nodes::Child;
use super::{ROOT, Tree, split_key};
use crate::curve::Affine;
use crate::element::Commitment;
use crate::field::Fr;
use crate::ipa::ROUNDS;
use crate::multiproof::{self, Opening, Polynomial, ProveError};
use crate::transcript::Transcript;
use crate::witness::layout::{
    Layout, MARKER, Path, Role, STEM, Status, VALUES, derive, format_status, stem_scalar,
    value_position, value_scalars,
};
use crate::witness::{ExecutionWitness, IpaBytes, Key, LABEL, StemDiff, SuffixDiff, VerkleProof};

/// A committed vector.
struct Node<'a> {
    commitment: Commitment,
    vector: Cow<'a, [(u8, Fr)]>,
}

impl Tree<'_> {
    /// Proves the values of keys, and the absence of those that have none, in any mix and order.
    /// [`crate::witness::verify_prestate`] accepts the witness against [`Tree::root`]. No value
    /// after a block is filled in.
    ///
    /// What the format leaves open (see [`crate::witness`]) can be settled by proving more keys:
    /// those of [`Tree::settle`].
    ///
    /// # Errors
    /// No keys.
    pub fn prove(&mut self, keys: &[Key]) -> Result<ExecutionWitness, ProveError> {
        if keys.is_empty() {
            return Err(ProveError::NoOpenings);
        }
        self.root();
        let mut witness = self.structure(keys);
        let proof = &mut witness.verkle_proof;
        let Ok(layout) = derive(
            &witness.state_diff,
            &proof.other_stems,
            &proof.depth_extension_present,
        ) else {
            unreachable!("the stems are those of one tree")
        };
        let nodes = self.nodes(&layout);
        proof.commitments_by_path = nodes
            .iter()
            .skip(1)
            .flatten()
            .map(|node| *node.commitment.as_bytes())
            .collect();
        let openings: Vec<Opening<'_>> = layout
            .slots
            .iter()
            .filter_map(|slot| {
                let node = nodes[slot.place].as_ref()?;
                Some(Opening {
                    commitment: &node.commitment,
                    polynomial: Polynomial::Sparse(&node.vector),
                    point: slot.position,
                })
            })
            .collect();
        let multiproof = multiproof::prove(self.setup, &mut Transcript::new(LABEL), &openings)?;
        proof.set_multiproof(&multiproof);
        Ok(witness)
    }

    /// Keys to prove besides the given ones, so that no stem is
    /// [ambiguous](crate::witness::Summary::ambiguous).
    #[must_use]
    pub fn settle(&self, keys: &[Key]) -> Vec<Key> {
        // Every inner node between the root and a leaf node, and whether the keys show that it is
        // one. Zeros after its path do: they open its position 0, where a leaf node has 1, and so
        // do all nodes further down that path.
        let mut inners = BTreeMap::new();
        for key in keys {
            let (stem, _) = split_key(key);
            let walk = self.walk(&stem);
            for depth in 1..walk.depth {
                let shown: &mut bool = inners.entry(Path::of(&stem, depth)).or_default();
                let has_child = depth + 1 < walk.depth || walk.leaf.is_some();
                *shown |= stem[depth] == 0 || (stem[depth] > VALUES + 1 && has_child);
            }
        }
        let open = inners.into_iter().filter(|(_, shown)| !shown);
        open.map(|(path, _)| {
            let mut key = [0; 32];
            key[..path.as_bytes().len()].copy_from_slice(path.as_bytes());
            key
        })
        .collect()
    }

    /// The witness without its proof.
    fn structure(&self, keys: &[Key]) -> ExecutionWitness {
        let mut keys = keys.to_vec();
        keys.sort_unstable();
        keys.dedup();
        let mut state_diff = Vec::new();
        let mut other_stems = Vec::new();
        let mut statuses = Vec::new();
        for group in keys.chunk_by(|a, b| a[..31] == b[..31]) {
            let (stem, _) = split_key(&group[0]);
            let walk = self.walk(&stem);
            let leaf = walk.leaf.map(|id| &self.leaves[id]);
            let (status, own) = match leaf {
                None => (Status::None, None),
                Some(leaf) if leaf.stem == stem => (Status::Present, Some(leaf)),
                Some(leaf) => {
                    other_stems.push(leaf.stem);
                    (Status::Other, None)
                }
            };
            statuses.push(format_status(walk.depth, status));
            let suffixes = group.iter().map(|key| key[31]).map(|suffix| SuffixDiff {
                suffix,
                current_value: own.and_then(|leaf| leaf.get(suffix)),
                new_value: None,
            });
            state_diff.push(StemDiff {
                stem,
                suffix_diffs: suffixes.collect(),
            });
        }
        // Absent stems come in order, so those in their places do.
        other_stems.dedup();
        other_stems.retain(|other| {
            state_diff
                .binary_search_by(|diff: &StemDiff| diff.stem.cmp(other))
                .is_err()
        });
        ExecutionWitness {
            state_diff,
            verkle_proof: VerkleProof {
                other_stems,
                depth_extension_present: statuses,
                commitments_by_path: Vec::new(),
                d: [0; 32],
                ipa_proof: IpaBytes {
                    cl: [[0; 32]; ROUNDS],
                    cr: [[0; 32]; ROUNDS],
                    final_evaluation: [0; 32],
                },
            },
        }
    }

    /// What stands at each place.
    fn nodes(&self, layout: &Layout) -> Vec<Option<Node<'_>>> {
        let halves: Vec<Commitment> = layout
            .places
            .iter()
            .filter(|(_, role)| matches!(role, Role::Leaf(_)))
            .flat_map(|(path, _)| [0, 1].map(|half| self.half_at(path, half)))
            .map(Commitment::from_affine)
            .collect();
        let mut scalars = Commitment::map_all_to_scalar(&halves).into_iter();
        let mut next = || scalars.next().unwrap_or(Fr::ZERO);
        layout
            .places
            .iter()
            .map(|(path, role)| {
                let (point, vector) = match role {
                    Role::Empty => return None,
                    Role::Inner => self.inner_at(path)?,
                    Role::Leaf(stem) => {
                        let vector = vec![
                            (MARKER, Fr::ONE),
                            (STEM, stem_scalar(stem)),
                            (VALUES, next()),
                            (VALUES + 1, next()),
                        ];
                        (self.leaf_at(path)?.point, vector.into())
                    }
                    Role::Values => self.values_at(path)?,
                };
                Some(Node {
                    commitment: Commitment::from_affine(point),
                    vector,
                })
            })
            .collect()
    }

    /// The node at a path.
    fn find(&self, path: &[u8]) -> Option<Child> {
        path.iter()
            .try_fold(Child::Inner(ROOT), |node, byte| match node {
                Child::Inner(id) => self.inners[id].child(*byte),
                Child::Leaf(_) => None,
            })
    }

    fn inner_at(&self, path: &Path) -> Option<(Affine, Cow<'_, [(u8, Fr)]>)> {
        match self.find(path.as_bytes())? {
            Child::Inner(id) => {
                let inner = &self.inners[id];
                Some((inner.point, Cow::Borrowed(&inner.slots)))
            }
            Child::Leaf(_) => None,
        }
    }

    fn leaf_at(&self, path: &Path) -> Option<&super::Leaf> {
        self.leaf_at_bytes(path.as_bytes())
    }

    fn leaf_at_bytes(&self, path: &[u8]) -> Option<&super::Leaf> {
        match self.find(path)? {
            Child::Leaf(id) => Some(&self.leaves[id]),
            Child::Inner(_) => None,
        }
    }

    fn half_at(&self, path: &Path, which: u8) -> Affine {
        self.leaf_at(path)
            .map_or(Affine::IDENTITY, |leaf| leaf.half(which))
    }

    fn values_at(&self, path: &Path) -> Option<(Affine, Cow<'_, [(u8, Fr)]>)> {
        let (last, path) = path.as_bytes().split_last()?;
        let leaf = self.leaf_at_bytes(path)?;
        let which = last - VALUES;
        let vector: Vec<(u8, Fr)> = leaf
            .values
            .iter()
            .filter(|(suffix, _)| value_position(*suffix).0 == which)
            .flat_map(|(suffix, value)| {
                let position = value_position(*suffix).1;
                let [low, high] = value_scalars(value);
                [(position, low), (position | 1, high)]
            })
            .collect();
        Some((leaf.half(which), vector.into()))
    }
}
