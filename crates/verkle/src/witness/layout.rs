//! From stems, statuses and depths to nodes and openings: what both sides of a witness derive.
//!
//! The rules are those of the reference client's proof layout: openings are a set, ordered by the
//! path of the node and then by position; commitments are ordered by path.

use alloc::vec;
use alloc::vec::Vec;

use super::{Stem, StemDiff, Value, WitnessError};
use crate::field::Fr;

/// Position of the marker 1 in a leaf node.
pub(crate) const MARKER: u8 = 0;
/// Position of the stem in a leaf node.
pub(crate) const STEM: u8 = 1;
/// Position of the scalar of the first commitment to values in a leaf node; the second follows.
pub(crate) const VALUES: u8 = 2;

/// A path from the root, ordered as a string of bytes: unused bytes are zero, and then the shorter
/// comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path {
    bytes: [u8; 32],
    len: u8,
}

impl Path {
    pub(crate) const ROOT: Self = Self {
        bytes: [0; 32],
        len: 0,
    };

    /// The first `len` bytes of a stem.
    pub(crate) fn of(stem: &Stem, len: usize) -> Self {
        stem.iter()
            .take(len)
            .fold(Self::ROOT, |path, byte| path.child(*byte))
    }

    /// One step further. A path of 32 bytes, which leads to values, has no children.
    pub(crate) fn child(mut self, position: u8) -> Self {
        if let Some(byte) = self.bytes.get_mut(usize::from(self.len)) {
            *byte = position;
            self.len += 1;
        }
        self
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&[])
    }

    pub(crate) fn is_root(&self) -> bool {
        self.len == 0
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Nothing.
    Empty,
    /// An inner node.
    Inner,
    /// The leaf node of a stem.
    Leaf(Stem),
    /// One of a leaf node's commitments to values.
    Values,
}

/// What is claimed of a position of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// The scalar of the child's commitment, zero if there is no child.
    Child,
    /// The marker of leaf nodes.
    Marker,
    /// A stem.
    Stem(Stem),
    /// The lower half of a value.
    Low(Option<Value>),
    /// The upper half of a value.
    High(Option<Value>),
}

/// An opening.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub path: Path,
    /// Which of the layout's places that is.
    pub place: usize,
    pub position: u8,
    pub claim: Claim,
}

/// All nodes and openings of a witness.
pub(crate) struct Layout {
    /// Everything the paths touch, by path; the root first.
    pub places: Vec<(Path, Role)>,
    /// The openings, by path and position.
    pub slots: Vec<Slot>,
}

/// How a tree holds a stem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    None,
    Other,
    Present,
}

/// Splits a byte of `depthExtensionPresent`.
pub(crate) fn parse_status(byte: u8) -> Option<(usize, Status)> {
    let status = match byte & 7 {
        0 => Status::None,
        1 => Status::Other,
        2 => Status::Present,
        _ => return None,
    };
    // Five bits: at most 31.
    let depth = usize::from(byte >> 3);
    (depth > 0).then_some((depth, status))
}

/// The inverse of [`parse_status`], for depths in 1..=31.
#[cfg(feature = "prove")]
pub(crate) fn format_status(depth: usize, status: Status) -> u8 {
    let status = match status {
        Status::None => 0,
        Status::Other => 1,
        Status::Present => 2,
    };
    ((depth as u8) << 3) | status
}

/// The scalars of the two halves of a value: 16 little-endian bytes each, the lower one with 2^128
/// added, which tells a zero value from an absent one.
pub(crate) fn value_scalars(value: &Value) -> [Fr; 2] {
    let half = |from: usize, mark: u8| {
        let mut bytes = [0; 32];
        for (byte, source) in bytes.iter_mut().zip(value.iter().skip(from).take(16)) {
            *byte = *source;
        }
        bytes[16] = mark;
        Fr::from_le_bytes_reduced(&bytes)
    };
    [half(0, 1), half(16, 0)]
}

/// A stem as a little-endian integer.
pub(crate) fn stem_scalar(stem: &Stem) -> Fr {
    let mut bytes = [0; 32];
    bytes[..31].copy_from_slice(stem);
    Fr::from_le_bytes_reduced(&bytes)
}

/// Which of a leaf node's two commitments holds a suffix, and where in it the lower half stands.
pub(crate) fn value_position(suffix: u8) -> (u8, u8) {
    (suffix >> 7, (suffix & 127) << 1)
}

/// Derives nodes and openings, and checks that the stems can be those of one tree.
pub(crate) fn derive(
    diffs: &[StemDiff],
    other_stems: &[Stem],
    statuses: &[u8],
) -> Result<Layout, WitnessError> {
    check_order(diffs, other_stems)?;
    if statuses.len() != diffs.len() {
        return Err(WitnessError::StatusCount {
            expected: diffs.len(),
            got: statuses.len(),
        });
    }
    let mut stems = Vec::with_capacity(diffs.len());
    for (index, (diff, &byte)) in diffs.iter().zip(statuses).enumerate() {
        let (depth, status) = parse_status(byte).ok_or(WitnessError::Status { index, byte })?;
        stems.push((diff, depth, status));
    }

    // Leaf nodes of present stems, which may stand in absent ones' places too. Ordered by stem, so
    // by path, unless two stems disagree, which is found below.
    let present: Vec<(Path, Stem)> = stems
        .iter()
        .filter(|(_, _, status)| *status == Status::Present)
        .map(|(diff, depth, _)| (Path::of(&diff.stem, *depth), diff.stem))
        .collect();
    let mut used = vec![false; other_stems.len()];
    let mut layout = Layout {
        places: vec![(Path::ROOT, Role::Inner)],
        slots: Vec::new(),
    };
    for (index, (diff, depth, status)) in stems.iter().enumerate() {
        let leaf = match status {
            Status::None => None,
            Status::Present => Some(diff.stem),
            Status::Other => Some(
                find_other(&diff.stem, *depth, other_stems, &mut used, &present).ok_or(
                    WitnessError::OtherStemMissing {
                        stem: index,
                        depth: *depth,
                    },
                )?,
            ),
        };
        if *status != Status::Present
            && let Some(at) = diff
                .suffix_diffs
                .iter()
                .position(|suffix| suffix.current_value.is_some())
        {
            return Err(WitnessError::ValueOfAbsentStem {
                stem: index,
                index: at,
            });
        }
        layout.add_stem(diff, *depth, leaf, *status == Status::Present);
    }
    if let Some(index) = used.iter().position(|used| !used) {
        return Err(WitnessError::OtherStemUnused { index });
    }
    layout.finish()
}

fn check_order(diffs: &[StemDiff], other_stems: &[Stem]) -> Result<(), WitnessError> {
    if let Some(index) = first_descent(diffs, |diff| diff.stem) {
        return Err(WitnessError::StemOrder { index });
    }
    for (stem, diff) in diffs.iter().enumerate() {
        if diff.suffix_diffs.is_empty() {
            return Err(WitnessError::NoSuffixes { index: stem });
        }
        if let Some(index) = first_descent(&diff.suffix_diffs, |suffix| suffix.suffix) {
            return Err(WitnessError::SuffixOrder { stem, index });
        }
    }
    if let Some(index) = first_descent(other_stems, |stem| *stem) {
        return Err(WitnessError::OtherStemOrder { index });
    }
    let in_diffs = |other: &Stem| diffs.binary_search_by(|diff| diff.stem.cmp(other)).is_ok();
    match other_stems.iter().position(in_diffs) {
        Some(index) => Err(WitnessError::OtherStemInDifference { index }),
        None => Ok(()),
    }
}

/// The first position whose key is not above the one before.
fn first_descent<T, K: Ord>(items: &[T], key: impl Fn(&T) -> K) -> Option<usize> {
    items
        .windows(2)
        .position(|pair| matches!(pair, [a, b] if key(a) >= key(b)))
        .map(|position| position + 1)
}

/// The stem whose leaf node stands where `stem`'s would, `depth` bytes from the root.
fn find_other(
    stem: &Stem,
    depth: usize,
    other_stems: &[Stem],
    used: &mut [bool],
    present: &[(Path, Stem)],
) -> Option<Stem> {
    let path = Path::of(stem, depth);
    let prefix = path.as_bytes();
    let at = other_stems.partition_point(|other| other.as_slice() < prefix);
    if let (Some(other), Some(used)) = (other_stems.get(at), used.get_mut(at))
        && other.starts_with(prefix)
    {
        *used = true;
        return Some(*other);
    }
    // A present stem's path of the full length 31 is the stem itself, which is not `stem`.
    let at = present.partition_point(|(leaf, _)| *leaf < path);
    present
        .get(at)
        .filter(|(leaf, _)| *leaf == path)
        .map(|(_, stem)| *stem)
}

impl Layout {
    fn open(&mut self, path: Path, position: u8, claim: Claim) {
        self.slots.push(Slot {
            path,
            place: 0,
            position,
            claim,
        });
    }

    /// Adds what is on the path of a stem, and, if it is present, what holds its values.
    fn add_stem(&mut self, diff: &StemDiff, depth: usize, leaf: Option<Stem>, present: bool) {
        let mut path = Path::ROOT;
        for &byte in diff.stem.iter().take(depth) {
            self.places.push((path, Role::Inner));
            self.open(path, byte, Claim::Child);
            path = path.child(byte);
        }
        let Some(leaf) = leaf else {
            self.places.push((path, Role::Empty));
            return;
        };
        self.places.push((path, Role::Leaf(leaf)));
        self.open(path, MARKER, Claim::Marker);
        self.open(path, STEM, Claim::Stem(leaf));
        if !present {
            return;
        }
        for suffix in &diff.suffix_diffs {
            let (half, position) = value_position(suffix.suffix);
            self.open(path, VALUES + half, Claim::Child);
            let values = path.child(VALUES + half);
            self.places.push((values, Role::Values));
            self.open(values, position, Claim::Low(suffix.current_value));
            self.open(values, position | 1, Claim::High(suffix.current_value));
        }
    }

    fn find(&self, path: &Path) -> Option<usize> {
        self.places
            .binary_search_by(|(place, _)| place.cmp(path))
            .ok()
    }

    /// The place one step further.
    pub(crate) fn child(&self, slot: &Slot) -> Option<usize> {
        self.find(&slot.path.child(slot.position))
    }

    /// The places of the inner nodes between the root and the node of depth `depth` on the path of
    /// a stem, neither included.
    pub(crate) fn on_path(&self, stem: &Stem, depth: usize) -> impl Iterator<Item = Option<usize>> {
        (1..depth).map(|len| self.find(&Path::of(stem, len)))
    }

    /// Orders everything, removes repetitions, and refuses two roles of one place.
    fn finish(mut self) -> Result<Self, WitnessError> {
        self.places.sort_unstable();
        self.places.dedup();
        let conflict = self
            .places
            .windows(2)
            .find(|pair| matches!(pair, [(a, _), (b, _)] if a == b));
        if let Some([(path, _), _]) = conflict {
            let mut stem = [0; 31];
            for (byte, source) in stem.iter_mut().zip(path.as_bytes()) {
                *byte = *source;
            }
            return Err(WitnessError::Conflict {
                stem,
                depth: usize::from(path.len),
            });
        }
        // Where the roles agree, so do the claims.
        self.slots
            .sort_unstable_by_key(|slot| (slot.path, slot.position));
        self.slots.dedup_by_key(|slot| (slot.path, slot.position));
        let mut at = 0;
        for slot in &mut self.slots {
            let before = |place: Option<&(Path, Role)>| place.is_some_and(|(p, _)| *p < slot.path);
            while before(self.places.get(at)) {
                at += 1;
            }
            slot.place = at;
        }
        Ok(self)
    }
}
