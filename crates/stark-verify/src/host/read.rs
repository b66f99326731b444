//! From a file to Plonky3's proof.

use alloc::vec::Vec;

use p3_baby_bear::BabyBear;
use p3_fri::{BatchMultiOpening, CommitPhaseMultiStep, FriProof};
use p3_merkle_tree::PrunedMerklePaths;
use p3_symmetric::MerkleCap;
use p3_uni_stark::{Commitments, OpenedValues, PreprocessedOpenedValues};

use super::{Cap, ChallengeMmcs, Proof, ValMmcs};
use crate::Digest;
use crate::constraints::{Challenge, base, challenge};
use crate::error::Malformed;
use crate::field::Ext;
use crate::key::VerifyingKey;
use crate::params::Shape;
use crate::tape::ProofTape as Tape;

type Siblings = PrunedMerklePaths<u8, 32>;
type Inputs = Vec<BatchMultiOpening<BabyBear, ValMmcs>>;

/// Reads a proof file into Plonky3's types: the proof and the public values. The digest of the key
/// that the file names is not compared.
///
/// # Errors
///
/// [`Malformed`].
pub fn from_file(key: &VerifyingKey, bytes: &[u8]) -> Result<(Proof, Vec<BabyBear>), Malformed> {
    let shape = Shape::new(&key.params);
    let tape = Tape::parse_shape(&shape, bytes)?;
    let opened = &tape.opened;
    let some = |values: &[Ext]| (!values.is_empty()).then(|| exts(values));
    let mut siblings = SiblingReader {
        counts: tape.counts.iter(),
        rest: tape.siblings,
    };
    let input_openings = read_inputs(&shape, &tape, &mut siblings);
    let commit_phase_openings = read_groups(&shape, &tape, &mut siblings);
    let proof = Proof {
        commitments: Commitments {
            trace: cap(tape.trace),
            quotient_chunks: cap(tape.quotient),
            random: None,
        },
        opened_values: OpenedValues {
            trace_local: exts(opened.local),
            trace_next: some(opened.next),
            preprocessed: some(opened.preprocessed_local).map(|local| PreprocessedOpenedValues {
                local,
                next: some(opened.preprocessed_next),
            }),
            quotient_chunks: opened.quotient.chunks(4).map(exts).collect(),
            random: None,
        },
        opening_proof: FriProof {
            batch_pow_witness: base(tape.nonces.batching),
            commit_phase_commits: read_caps(&shape, tape.rounds),
            commit_pow_witnesses: bases(tape.nonces.rounds),
            input_openings,
            commit_phase_openings,
            final_poly: exts(tape.final_poly),
            query_pow_witness: base(tape.nonces.query),
        },
        degree_bits: usize::try_from(key.params.air.degree_bits).unwrap_or(usize::MAX),
        ood_pow_witness: base(tape.nonces.out_of_domain),
    };
    let public = tape
        .public
        .iter()
        .map(|&word| BabyBear::new(word))
        .collect();
    Ok((proof, public))
}

fn exts(values: &[Ext]) -> Vec<Challenge> {
    values.iter().map(challenge).collect()
}

fn bases(words: &[u32]) -> Vec<BabyBear> {
    words.iter().map(|&word| base(word)).collect()
}

fn digests(words: &[u32]) -> Vec<[u8; 32]> {
    let nodes: &[Digest] = words.as_chunks().0;
    nodes
        .iter()
        .map(|node| bytemuck::cast(node.map(u32::to_le)))
        .collect()
}

fn cap(words: &[u32]) -> Cap {
    MerkleCap::new(digests(words))
}

fn read_caps(shape: &Shape, words: &[u32]) -> Vec<Cap> {
    let mut rest = words;
    let rounds = shape.rounds.iter();
    rounds
        .map(|round| {
            let (head, tail) = rest.split_at(round.cap.saturating_mul(8).min(rest.len()));
            rest = tail;
            cap(head)
        })
        .collect()
}

struct SiblingReader<'a> {
    counts: core::slice::Iter<'a, u32>,
    rest: &'a [Digest],
}

impl SiblingReader<'_> {
    fn next(&mut self) -> Siblings {
        let count = self.counts.next().copied().unwrap_or(0);
        let count = usize::try_from(count)
            .unwrap_or(usize::MAX)
            .min(self.rest.len());
        let (head, tail) = self.rest.split_at(count);
        self.rest = tail;
        PrunedMerklePaths {
            sibling_hashes: digests(head.as_flattened()),
        }
    }
}

fn read_inputs(shape: &Shape, tape: &Tape<'_>, siblings: &mut SiblingReader<'_>) -> Inputs {
    let rows = &tape.rows;
    // Rows of the quotient consist of one row of four columns for each part.
    let trees = [
        (rows.trace, shape.width, shape.width),
        (rows.quotient, shape.quotient_width(), 4),
        (
            rows.preprocessed,
            shape.preprocessed_width,
            shape.preprocessed_width,
        ),
    ];
    let trees = trees.into_iter().take(shape.inputs());
    trees
        .map(|(rows, width, columns)| BatchMultiOpening {
            opened_values: rows
                .chunks(width)
                .map(|row| row.chunks(columns).map(bases).collect())
                .collect(),
            opening_proof: siblings.next(),
        })
        .collect()
}

fn read_groups(
    shape: &Shape,
    tape: &Tape<'_>,
    siblings: &mut SiblingReader<'_>,
) -> Vec<CommitPhaseMultiStep<Challenge, ChallengeMmcs>> {
    let mut rest = tape.groups;
    let rounds = shape.rounds.iter();
    rounds
        .map(|round| {
            let others = round.arity().saturating_sub(1);
            let count = others.saturating_mul(shape.queries).min(rest.len());
            let (values, tail) = rest.split_at(count);
            rest = tail;
            CommitPhaseMultiStep {
                sibling_values: values.chunks(others).map(exts).collect(),
                opening_proof: siblings.next(),
            }
        })
        .collect()
}
