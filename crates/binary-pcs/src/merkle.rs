//! Merkle trees of BLAKE2s-256, and openings of several leaves at once.
//!
//! A leaf is the hash of its image, 64-bit words in little-endian order; a node is the hash of its
//! two children's 64 bytes. There are no tags: the length of an image is never that of two digests,
//! and the depth is derived. A tree has `2^depth` leaves.
//!
//! Images may begin with words that are zero in the whole tree: absent lanes. They are hashed but
//! not sent.

use alloc::vec;
use alloc::vec::Vec;

use p3_blake2s::Blake2s256;
use p3_symmetric::CryptographicHasher as _;
use prova_proof_file::Failure;

use crate::error::{Malformed, Outcome, Rejection};
use crate::field::K;
use crate::stream::{Form, Openings};

/// Bytes of a digest.
pub const DIGEST_BYTES: usize = 32;

/// A BLAKE2s-256 digest.
pub type Digest = [u8; DIGEST_BYTES];

/// What is known of a tree without its proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeShape {
    /// Levels of nodes above the leaves; at most 63.
    pub depth: u32,
    /// Words of a leaf image.
    pub image_words: usize,
    /// How many of them, from the front, are zero in every leaf.
    pub zero_words: usize,
}

impl TreeShape {
    /// Words of a row as it is sent in the wire form.
    #[must_use]
    pub const fn sent_words(&self) -> usize {
        self.image_words.saturating_sub(self.zero_words)
    }
}

/// Opened leaf images that were found under a root.
#[derive(Clone, Debug)]
pub struct Opened {
    images: Vec<u8>,
    image_bytes: usize,
    order: Vec<usize>,
    distinct: usize,
    siblings: usize,
}

impl Opened {
    /// Applies `f` to every opened image and returns the results in the order of the queries.
    pub fn map_in_order<V: Copy>(&self, mut f: impl FnMut(&[K]) -> V) -> Vec<V> {
        let mut words = Vec::with_capacity(self.image_bytes / 8);
        let values: Vec<V> = self
            .images
            .chunks_exact(self.image_bytes.max(1))
            .map(|image| {
                words.clear();
                words.extend(
                    image
                        .as_chunks::<8>()
                        .0
                        .iter()
                        .map(|w| K::from_le_bytes(*w)),
                );
                f(&words)
            })
            .collect();
        self.order
            .iter()
            .filter_map(|&index| values.get(index).copied())
            .collect()
    }

    /// Rows in the proof.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.distinct
    }

    /// Siblings in the proof.
    #[must_use]
    pub const fn siblings(&self) -> usize {
        self.siblings
    }
}

/// Reads the rows and siblings of the queried `positions` (each below `2^depth`, in the order of
/// sampling, with repetitions) and checks them against `root`.
///
/// # Errors
/// Counts other than the derived ones; [`Rejection::Root`] with `level` otherwise.
pub fn open(
    openings: &mut Openings<'_>,
    level: usize,
    root: &Digest,
    shape: &TreeShape,
    positions: &[u64],
) -> Outcome<Opened> {
    let (opened, tops, expected) = match openings.form {
        Form::Wire => {
            let (opened, tops) =
                open_pruned(openings, shape, positions).map_err(Failure::Malformed)?;
            (opened, tops, 1)
        }
        Form::Raw => {
            let (opened, tops) =
                open_paths(openings, shape, positions).map_err(Failure::Malformed)?;
            (opened, tops, positions.len())
        }
    };
    let under_root = tops.len() == expected && tops.iter().all(|top| top == root);
    if under_root && opened.zeros_are_zero(shape) {
        return Ok(opened);
    }
    Err(Failure::Rejected(Rejection::Root { level }))
}

impl Opened {
    /// A full image in the proof begins with the zero words that every leaf begins with.
    fn zeros_are_zero(&self, shape: &TreeShape) -> bool {
        let zeros = shape.zero_words.saturating_mul(8);
        self.images
            .chunks_exact(self.image_bytes.max(1))
            .all(|image| image.iter().take(zeros).all(|&byte| byte == 0))
    }
}

fn open_pruned(
    openings: &mut Openings<'_>,
    shape: &TreeShape,
    positions: &[u64],
) -> Result<(Opened, Vec<Digest>), Malformed> {
    let mut distinct = positions.to_vec();
    distinct.sort_unstable();
    distinct.dedup();

    openings.expect_count("opened rows", distinct.len())?;
    let image_bytes = shape.image_words.saturating_mul(8);
    let zero_bytes = shape.zero_words.saturating_mul(8);
    let mut images = Vec::new();
    for _ in &distinct {
        openings.expect_count("words of a row", shape.sent_words())?;
        let row = openings.tape.bytes(shape.sent_words().saturating_mul(8))?;
        images.resize(images.len().saturating_add(zero_bytes), 0);
        images.extend_from_slice(row);
    }
    let sibling_count = pruned_siblings(&distinct, shape.depth);
    openings.expect_count("siblings", sibling_count)?;
    let siblings = openings
        .tape
        .bytes(sibling_count.saturating_mul(DIGEST_BYTES))?;

    let leaves = hash_equal(&images, image_bytes);
    let siblings = siblings.as_chunks::<DIGEST_BYTES>().0.iter();
    let root = climb_pruned(&distinct, leaves, shape.depth, siblings);
    let order = positions
        .iter()
        .filter_map(|position| distinct.binary_search(position).ok())
        .collect();
    let opened = Opened {
        images,
        image_bytes,
        order,
        distinct: distinct.len(),
        siblings: sibling_count,
    };
    Ok((opened, root))
}

fn open_paths(
    openings: &mut Openings<'_>,
    shape: &TreeShape,
    positions: &[u64],
) -> Result<(Opened, Vec<Digest>), Malformed> {
    let image_bytes = shape.image_words.saturating_mul(8);
    let depth = usize::try_from(shape.depth).unwrap_or(usize::MAX);
    let mut images = Vec::new();
    let mut paths = Vec::new();
    for _ in positions {
        openings.expect_count("words of a leaf image", shape.image_words)?;
        images.extend_from_slice(openings.tape.bytes(image_bytes)?);
        openings.expect_count("siblings of a path", depth)?;
        let path = openings.tape.bytes(depth.saturating_mul(DIGEST_BYTES))?;
        paths.push(path.as_chunks::<DIGEST_BYTES>().0.iter());
    }
    let mut nodes = hash_equal(&images, image_bytes);
    for height in 0..shape.depth {
        let mut children = Vec::with_capacity(nodes.len().saturating_mul(2 * DIGEST_BYTES));
        for ((node, path), position) in nodes.iter().zip(&mut paths).zip(positions) {
            // Every path has `depth` siblings: the zero digest never stands in for one.
            let sibling = path.next().unwrap_or(&[0; DIGEST_BYTES]);
            push_pair(&mut children, position >> height & 1 == 1, node, sibling);
        }
        nodes = hash_equal(&children, 2 * DIGEST_BYTES);
    }
    let opened = Opened {
        images,
        image_bytes,
        order: (0..positions.len()).collect(),
        distinct: positions.len(),
        siblings: positions.len().saturating_mul(depth),
    };
    Ok((opened, nodes))
}

/// Hashes one message.
#[must_use]
pub fn hash(message: &[u8]) -> Digest {
    Blake2s256::hash(message)
}

/// Hashes the whole messages of `length` bytes that lie end to end.
#[must_use]
pub fn hash_equal(messages: &[u8], length: usize) -> Vec<Digest> {
    let length = length.max(1);
    let mut digests = vec![[0; DIGEST_BYTES]; messages.len() / length];
    // The hasher divides the bytes by the number of digests.
    let whole = digests.len().saturating_mul(length);
    if let Some(messages) = messages.get(..whole) {
        Blake2s256.hash_many(messages, &mut digests);
    }
    digests
}

fn push_pair(children: &mut Vec<u8>, node_is_right: bool, node: &Digest, sibling: &Digest) {
    let (left, right) = if node_is_right {
        (sibling, node)
    } else {
        (node, sibling)
    };
    children.extend_from_slice(left);
    children.extend_from_slice(right);
}

/// One layer up: calls `f` with every known node's index, whether its sibling is the next known
/// node, for the left or only known child of each parent.
fn for_parents(positions: &[u64], mut f: impl FnMut(u64, bool)) {
    let mut nodes = positions.iter().copied().peekable();
    while let Some(position) = nodes.next() {
        let paired = position & 1 == 0 && nodes.next_if_eq(&(position | 1)).is_some();
        f(position, paired);
    }
}

/// How many siblings a pruned opening of distinct ascending `positions` has.
#[must_use]
pub fn pruned_siblings(positions: &[u64], depth: u32) -> usize {
    let mut known = positions.to_vec();
    let mut count = 0_usize;
    for _ in 0..depth {
        let mut parents = Vec::with_capacity(known.len());
        for_parents(&known, |position, paired| {
            parents.push(position >> 1);
            count = count.saturating_add(usize::from(!paired));
        });
        known = parents;
    }
    count
}

/// The roots that a pruned opening leads to: one, when positions are below `2^depth`.
///
/// Layer by layer from the leaves, in each from left to right: a node whose sibling is known takes
/// nothing, any other takes the next sibling.
fn climb_pruned<'s>(
    positions: &[u64],
    leaves: Vec<Digest>,
    depth: u32,
    mut siblings: impl Iterator<Item = &'s Digest>,
) -> Vec<Digest> {
    let mut known = positions.to_vec();
    let mut digests = leaves;
    for _ in 0..depth {
        let mut parents = Vec::with_capacity(known.len());
        let mut children = Vec::with_capacity(known.len().saturating_mul(2 * DIGEST_BYTES));
        let mut nodes = digests.iter();
        for_parents(&known, |position, paired| {
            parents.push(position >> 1);
            let node = nodes.next();
            let other = if paired {
                nodes.next()
            } else {
                siblings.next()
            };
            // Both are there: digests go with positions, and the siblings were counted.
            if let (Some(node), Some(other)) = (node, other) {
                push_pair(&mut children, position & 1 == 1, node, other);
            }
        });
        digests = hash_equal(&children, 2 * DIGEST_BYTES);
        known = parents;
    }
    digests
}
