//! Verification of pruned multi-openings, hashing each node once.
//!
//! A proof holds the digests that the verifier cannot compute, in the order of
//! `PrunedMerklePaths::sibling_hashes`: level by level from the leaves, by ascending position. The
//! verifier climbs with all opened leaves at once; paths that meet go on as one.

#![forbid(unsafe_code)]

use alloc::vec::Vec;

use prova_hash::shape::MerkleHash;
use thiserror::Error;

/// Why an opening was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum VerifyError {
    /// Not one leaf digest for each index.
    #[error("{indices} indices but {leaves} leaf digests")]
    LeafCount {
        /// Opened positions.
        indices: usize,
        /// Digests given for them.
        leaves: usize,
    },
    /// The cap is not a level of the tree.
    #[error("a cap of {nodes} nodes is no level of a tree of 2^{log_leaves} leaves")]
    CapSize {
        /// Nodes in the cap.
        nodes: usize,
        /// `log2` of the number of leaves.
        log_leaves: usize,
    },
    /// An index beyond the last leaf.
    #[error("leaf {index} of a tree of 2^{log_leaves} leaves")]
    Index {
        /// The index.
        index: usize,
        /// `log2` of the number of leaves.
        log_leaves: usize,
    },
    /// A leaf was opened twice, to different digests.
    #[error("leaf {index} was opened to two different digests")]
    Conflict {
        /// The leaf's index.
        index: usize,
    },
    /// The proof ends before its last sibling.
    #[error("the sibling of node {index} on level {level} is missing")]
    MissingSibling {
        /// The level, zero for leaves.
        level: usize,
        /// Index of the node whose sibling was to come.
        index: usize,
    },
    /// The proof goes on behind its last sibling.
    #[error("{count} siblings more than the opening needs")]
    ExtraSiblings {
        /// Siblings that were not used.
        count: usize,
    },
    /// The opened leaves do not hash to the commitment.
    #[error("node {index} of the cap is not what the opened leaves hash to")]
    Root {
        /// Index in the cap.
        index: usize,
    },
}

/// Checks that `leaves[i]` is the digest of leaf `indices[i]` in a tree of `2^log_leaves` leaves of
/// which `cap` is the level of `cap.len()` nodes (one node: the root).
///
/// Indices may come in any order and repeatedly. Every node above the leaves is hashed once, and
/// all `siblings` must be used. Nothing opened is accepted if there are no siblings either.
///
/// # Errors
/// The first thing that does not fit.
pub fn verify_pruned<H: MerkleHash>(
    hash: &H,
    log_leaves: usize,
    cap: &[H::Node],
    indices: &[usize],
    leaves: &[H::Node],
    siblings: &[H::Node],
) -> Result<(), VerifyError> {
    let levels = cap_level(log_leaves, cap.len())?;
    let mut frontier = Frontier::new(log_leaves, indices, leaves)?;
    let mut siblings = siblings.iter();
    for _ in 0..levels {
        frontier.climb(hash, &mut siblings)?;
    }
    match siblings.len() {
        0 => frontier.compare(cap),
        count => Err(VerifyError::ExtraSiblings { count }),
    }
}

/// The level, counted from the leaves, that a cap of `nodes` nodes is in a tree of `2^log_leaves`.
///
/// # Errors
/// [`VerifyError::CapSize`] if there is none.
pub fn cap_level(log_leaves: usize, nodes: usize) -> Result<usize, VerifyError> {
    nodes
        .checked_ilog2()
        .filter(|_| nodes.is_power_of_two())
        .and_then(|height| log_leaves.checked_sub(usize::try_from(height).ok()?))
        .ok_or(VerifyError::CapSize { nodes, log_leaves })
}

/// The nodes of one level that a verifier knows, by ascending index: it climbs from the opened
/// leaves to the cap.
///
/// [`verify_pruned`] is the whole climb; a tree into which matrices of other heights are injected is
/// climbed level by level.
#[derive(Clone, Debug)]
pub struct Frontier<N> {
    nodes: Vec<(usize, N)>,
    level: usize,
}

impl<N: Copy + Eq> Frontier<N> {
    /// The opened leaves of a tree of `2^log_leaves`: `leaves[i]` is the digest of `indices[i]`.
    ///
    /// # Errors
    /// If their numbers differ, an index is out of range, or a leaf has two digests.
    pub fn new(log_leaves: usize, indices: &[usize], leaves: &[N]) -> Result<Self, VerifyError> {
        if indices.len() != leaves.len() {
            return Err(VerifyError::LeafCount {
                indices: indices.len(),
                leaves: leaves.len(),
            });
        }
        let bits = u32::try_from(log_leaves).unwrap_or(u32::MAX);
        if let Some(&index) = indices
            .iter()
            .find(|index| index.checked_shr(bits).is_some_and(|above| above != 0))
        {
            return Err(VerifyError::Index { index, log_leaves });
        }
        let mut nodes: Vec<_> = indices
            .iter()
            .copied()
            .zip(leaves.iter().copied())
            .collect();
        nodes.sort_unstable_by_key(|&(index, _)| index);
        let conflict = nodes.windows(2).find_map(|pair| match pair {
            [(a, left), (b, right)] if a == b && left != right => Some(*a),
            _ => None,
        });
        if let Some(index) = conflict {
            return Err(VerifyError::Conflict { index });
        }
        nodes.dedup_by_key(|&mut (index, _)| index);
        Ok(Self { nodes, level: 0 })
    }

    /// The known nodes: `(index, digest)` by ascending index.
    #[must_use]
    pub fn nodes(&self) -> &[(usize, N)] {
        &self.nodes
    }

    /// Replaces each known digest, as where the rows of a shorter matrix come in.
    ///
    /// # Errors
    /// The first error of `inject`, which is given an index and its digest.
    pub fn inject<E>(
        &mut self,
        mut inject: impl FnMut(usize, &N) -> Result<N, E>,
    ) -> Result<(), E> {
        for (index, node) in &mut self.nodes {
            *node = inject(*index, node)?;
        }
        Ok(())
    }

    /// Climbs one level: every known node with its sibling, known too or the next of `siblings`.
    ///
    /// # Errors
    /// [`VerifyError::MissingSibling`] if there are too few.
    pub fn climb<'a, H: MerkleHash<Node = N>>(
        &mut self,
        hash: &H,
        siblings: &mut impl Iterator<Item = &'a N>,
    ) -> Result<(), VerifyError>
    where
        N: 'a,
    {
        // Parents are written where their children were read: there are no more of them.
        let (mut read, mut written) = (0, 0);
        while let Some(&(index, ref node)) = self.nodes.get(read) {
            let parent = match self.nodes.get(read + 1) {
                Some((next, right)) if index % 2 == 0 && *next == index + 1 => {
                    read += 1;
                    hash.parent(node, right)
                }
                _ => {
                    let level = self.level;
                    let sibling = siblings
                        .next()
                        .ok_or(VerifyError::MissingSibling { level, index })?;
                    if index % 2 == 0 {
                        hash.parent(node, sibling)
                    } else {
                        hash.parent(sibling, node)
                    }
                }
            };
            read += 1;
            if let Some(to) = self.nodes.get_mut(written) {
                *to = (index / 2, parent);
            }
            written += 1;
        }
        self.nodes.truncate(written);
        self.level += 1;
        Ok(())
    }

    /// Checks the known nodes against the level `cap`.
    ///
    /// # Errors
    /// [`VerifyError::Root`] if one differs.
    pub fn compare(&self, cap: &[N]) -> Result<(), VerifyError> {
        match self
            .nodes
            .iter()
            .find(|(index, node)| cap.get(*index) != Some(node))
        {
            Some(&(index, _)) => Err(VerifyError::Root { index }),
            None => Ok(()),
        }
    }
}
