//! The verifier of witnesses.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::layout::{Claim, Layout, Role, Slot, derive, parse_status, stem_scalar, value_scalars};
use super::{ExecutionWitness, LABEL, Stem, Value, WitnessError};
use crate::element::Commitment;
use crate::field::Fr;
use crate::multiproof::{self, Query, ScalarBytes, VerifyError};
use crate::setup::Setup;
use crate::transcript::Transcript;

/// What an accepted witness shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Number of stems.
    pub stems: usize,
    /// Number of keys that are present.
    pub present: usize,
    /// Number of keys that are absent.
    pub absent: usize,
    /// Number of commitments, with the root.
    pub commitments: usize,
    /// Number of openings.
    pub openings: usize,
    /// The stems, in ascending order, with a node on their path that is passed as an inner node
    /// and that no opening shows not to be a leaf node: all that is claimed of their keys holds
    /// only if the proof was made honestly. See the [module](super).
    pub ambiguous: Vec<Stem>,
}

/// Verifies that the tree with this root has all the current values of a witness, and lacks all
/// keys whose current value is `None`. Values after the block are not looked at.
///
/// # Errors
/// The first thing that is wrong; [`WitnessError::is_rejection`] tells a false witness from an
/// unreadable one.
pub fn verify_prestate(
    setup: &Setup,
    root: &[u8; 32],
    witness: &ExecutionWitness,
) -> Result<Summary, WitnessError> {
    let proof = &witness.verkle_proof;
    let layout = derive(
        &witness.state_diff,
        &proof.other_stems,
        &proof.depth_extension_present,
    )?;
    let (commitments, scalars) = nodes(&layout, root, &proof.commitments_by_path)?;
    let multiproof = proof.multiproof()?;
    let values: Vec<Fr> = layout
        .slots
        .iter()
        .map(|slot| value(&layout, &scalars, slot))
        .collect();
    let queries: Option<Vec<Query<'_>>> = layout
        .slots
        .iter()
        .zip(&values)
        .map(|(slot, value)| {
            Some(Query {
                commitment: commitments.get(slot.place)?.as_ref()?,
                point: slot.position,
                value: ScalarBytes::from(*value),
            })
        })
        .collect();
    // Every opening is of a node on some path, so of a place that is not empty.
    let queries = queries.ok_or(VerifyError::Rejected)?;
    multiproof::verify(setup, &mut Transcript::new(LABEL), &multiproof, &queries)?;

    let suffixes = witness
        .state_diff
        .iter()
        .flat_map(|diff| &diff.suffix_diffs);
    let keys = suffixes.clone().count();
    let present = suffixes.filter(|s| s.current_value.is_some()).count();
    Ok(Summary {
        stems: witness.state_diff.len(),
        present,
        absent: keys - present,
        commitments: commitments.iter().flatten().count(),
        openings: queries.len(),
        ambiguous: ambiguous(witness, &layout, &values),
    })
}

/// By place, the commitment, if it is not empty, and its scalar.
fn nodes(
    layout: &Layout,
    root: &[u8; 32],
    came: &[[u8; 32]],
) -> Result<(Vec<Option<Commitment>>, Vec<Fr>), WitnessError> {
    let encodings = node_encodings(layout, root, came)?;
    let commitments =
        Commitment::decode_all(&encodings).map_err(|(index, error)| WitnessError::Point {
            path: match index.checked_sub(1) {
                None => "root".into(),
                Some(index) => format!("verkleProof.commitmentsByPath[{index}]"),
            },
            error,
        })?;
    let scalars = Commitment::map_all_to_scalar(&commitments);
    let mut nodes = commitments.into_iter().map(Some).zip(scalars);
    // Zero is the scalar of nothing.
    let nothing = (None, Fr::ZERO);
    Ok(layout
        .places
        .iter()
        .map(|(_, role)| match role {
            Role::Empty => nothing,
            _ => nodes.next().unwrap_or(nothing),
        })
        .unzip())
}

/// The encodings of all nodes that are not empty, by path: the root's, and those that came.
fn node_encodings(
    layout: &Layout,
    root: &[u8; 32],
    came: &[[u8; 32]],
) -> Result<Vec<[u8; 32]>, WitnessError> {
    let roles = || {
        let below_root = layout.places.iter().filter(|(path, _)| !path.is_root());
        below_root.filter(|(_, role)| *role != Role::Empty)
    };
    let expected = roles().count();
    if came.len() != expected {
        return Err(WitnessError::CommitmentCount {
            expected,
            got: came.len(),
        });
    }
    // A node with nothing below it does not exist, so an identity would be a second way to show
    // that something is absent. Leaf nodes without values in one half do have that identity.
    let empty = roles()
        .zip(came)
        .position(|((_, role), bytes)| *role != Role::Values && *bytes == [0; 32]);
    if let Some(index) = empty {
        return Err(WitnessError::EmptyNode { index });
    }
    Ok([*root].iter().chain(came).copied().collect())
}

/// The value that is claimed of a position, given the scalars of the commitments by place.
pub(crate) fn value(layout: &Layout, scalars: &[Fr], slot: &Slot) -> Fr {
    let half = |value: &Option<Value>, which: usize| {
        value.map_or(Fr::ZERO, |value| value_scalars(&value)[which])
    };
    match &slot.claim {
        Claim::Marker => Fr::ONE,
        Claim::Stem(stem) => stem_scalar(stem),
        Claim::Low(value) => half(value, 0),
        Claim::High(value) => half(value, 1),
        Claim::Child => layout
            .child(slot)
            .and_then(|at| scalars.get(at))
            .map_or(Fr::ZERO, |scalar| *scalar),
    }
}

/// The stems with a node on their path that is not shown to be an inner node, given the values of
/// the openings.
pub(crate) fn ambiguous(witness: &ExecutionWitness, layout: &Layout, values: &[Fr]) -> Vec<Stem> {
    // The root is an inner node. A child of one is an inner node or a leaf node, and a leaf node
    // has 1 at position 0 and nothing at positions from 4 on. (That the child of an inner node be
    // of any other kind would need a relation between generators.)
    let mut shown = vec![false; layout.places.len()];
    for (slot, value) in layout.slots.iter().zip(values) {
        let shows = match (&slot.claim, slot.position) {
            (Claim::Child, 0) => *value != Fr::ONE,
            (Claim::Child, 4..) => !value.is_zero(),
            _ => false,
        };
        if let Some(shown) = shown.get_mut(slot.place) {
            *shown |= shows;
        }
    }
    let is_ambiguous = |stem: &Stem, status: u8| {
        let depth = parse_status(status).map_or(0, |(depth, _)| depth);
        layout
            .on_path(stem, depth)
            .any(|at| at.and_then(|at| shown.get(at)) != Some(&true))
    };
    let statuses = &witness.verkle_proof.depth_extension_present;
    witness
        .state_diff
        .iter()
        .zip(statuses)
        .filter(|(diff, status)| is_ambiguous(&diff.stem, **status))
        .map(|(diff, _)| diff.stem)
        .collect()
}
