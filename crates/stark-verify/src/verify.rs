//! The verifier, from bytes to a verdict.

use alloc::vec::Vec;

use prova_hash::shape::MerkleHash;
use prova_merkle::verify::{VerifyError, verify_pruned};
use prova_proof_file::Failure;

use crate::Digest;
use crate::constraints::{self, StarkAir};
use crate::error::{Malformed, Rejection, Verdict, Work};
use crate::field::{Ext, from_canonical};
use crate::folding::{Folding, Groups};
use crate::key::Key;
use crate::openings;
use crate::params::Shape;
use crate::steps::Steps;
use crate::tape::ProofTape;
use crate::transcript::Transcript;

/// What a valid proof proves: the constraints of the key hold on some trace of its height, with
/// these public values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified<'a> {
    /// Digest of the verifying key. It means something to whoever compares it with the digest of a
    /// key of their own.
    pub key_digest: Digest,
    /// Public values, canonical integers.
    pub public_values: &'a [u32],
}

impl Verified<'_> {
    /// What a guest commits: the key's digest, then the public values, all as little-endian words.
    pub fn output(&self) -> Vec<u8> {
        let words = self.key_digest.iter().chain(self.public_values);
        words.flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// Verifies the proof file `proof` under `key`, for the constraints `air`. Both are read in place;
/// `proof` must lie at a multiple of four bytes. `H` must be Keccak-256.
///
/// # Errors
///
/// [`Malformed`] if something cannot be read, [`Rejection`] if it was read and is not a proof.
pub fn verify<'a, A, H, S>(
    air: &A,
    hash: &H,
    key: &Key<'_>,
    proof: &'a [u8],
) -> Verdict<Verified<'a>>
where
    A: StarkAir,
    H: MerkleHash<Word = u32, Node = Digest>,
    S: Steps,
{
    check_air(air, key).map_err(Failure::Malformed)?;
    let proof = ProofTape::parse(key, proof).map_err(Failure::Malformed)?;
    let key_digest = key.digest(hash);
    if proof.key != key_digest {
        return Err(Failure::Rejected(Rejection::OtherKey));
    }
    S::step(S::INPUT);
    check::<A, H, S>(air, hash, key, &key_digest, &proof).map_err(Failure::Rejected)?;
    Ok(Verified {
        key_digest,
        public_values: proof.public,
    })
}

/// [`verify`], of an input that is a key and behind it a proof file: what a guest reads. The input
/// must lie at a multiple of four bytes.
///
/// # Errors
///
/// As of [`verify`].
pub fn verify_input<'a, A, H, S>(air: &A, hash: &H, input: &'a [u8]) -> Verdict<Verified<'a>>
where
    A: StarkAir,
    H: MerkleHash<Word = u32, Node = Digest>,
    S: Steps,
{
    let (key, proof) = Key::parse_prefix(input).map_err(Failure::Malformed)?;
    verify::<A, H, S>(air, hash, &key, proof)
}

/// Whether the key states what this program's constraints are. The rest of the key is for whoever
/// compares its digest.
fn check_air<A: StarkAir>(air: &A, key: &Key<'_>) -> Result<(), Malformed> {
    let shape = &key.shape;
    let fits = key.is_for(A::NAME)
        && shape.width == air.width()
        && shape.public_values == air.num_public_values()
        && shape.preprocessed_width == air.preprocessed_width()
        && shape.params.air.reads_next != air.main_next_row_columns().is_empty()
        && shape.params.air.reads_preprocessed_next
            != air.preprocessed_next_row_columns().is_empty();
    fits.then_some(()).ok_or(Malformed::OtherAir)
}

/// The challenges, from the transcript.
struct Challenges {
    constraints: Ext,
    zeta: Ext,
    batching: Ext,
    folding: Vec<Ext>,
    /// Indices in the domain with the queries that drew them, by ascending index.
    queries: Vec<(usize, usize)>,
}

fn check<A, H, S>(
    air: &A,
    hash: &H,
    key: &Key<'_>,
    key_digest: &Digest,
    proof: &ProofTape<'_>,
) -> Result<(), Rejection>
where
    A: StarkAir,
    H: MerkleHash<Word = u32, Node = Digest>,
    S: Steps,
{
    let shape = &key.shape;
    let public: Vec<_> = proof.public.iter().copied().map(from_canonical).collect();
    let challenges = replay(hash, key, key_digest, proof, &public)?;
    S::step(S::TRANSCRIPT);

    constraints::check(
        air,
        shape,
        &proof.opened,
        &public,
        &challenges.constraints,
        &challenges.zeta,
    )?;
    S::step(S::CONSTRAINTS);

    let (distinct, queries) = distinct(&challenges.queries);
    let inputs = InputTrees::new(key, proof);
    inputs.check_repeated(&challenges.queries)?;
    let powers = openings::powers(&challenges.batching, shape.opened());
    let points = openings::reduce(
        shape,
        &proof.opened,
        &proof.rows,
        &powers,
        &challenges.zeta,
        &distinct,
    )?;
    S::step(S::REDUCED);

    let mut folding = Folding { points, queries };
    let groups = fold(shape, proof, &challenges.folding, &mut folding)?;
    folding.finish(proof.final_poly)?;
    S::step(S::FOLDED);

    let mut trees = Trees::new(hash, proof, shape.queries);
    inputs.check(&mut trees, shape.log_domain, &distinct)?;
    check_rounds(&mut trees, shape, proof, &groups)?;
    S::step(S::MERKLE);
    Ok(())
}

/// Replays the transcript: of `p3-uni-stark`, the openings, the low-degree test.
fn replay<H: MerkleHash<Word = u32, Node = Digest>>(
    hash: &H,
    key: &Key<'_>,
    key_digest: &Digest,
    proof: &ProofTape<'_>,
    public: &[u32],
) -> Result<Challenges, Rejection> {
    let shape = &key.shape;
    let fri = &shape.params.fri;
    let [stark_seed, openings_seed, folding_seed] = key.seeds;
    let mut transcript = Transcript::new(hash, key_digest);
    let ensure = |holds: bool, work| holds.then_some(()).ok_or(Rejection::Work(work));

    transcript.observe(stark_seed);
    transcript.observe(proof.trace);
    transcript.observe(key.preprocessed);
    transcript.observe(public);
    let constraints = transcript.ext();
    transcript.observe(proof.quotient);
    let holds = transcript.work(fri.ood_pow_bits, proof.nonces.out_of_domain);
    ensure(holds, Work::OutOfDomain)?;
    let zeta = transcript.ext();

    transcript.observe(openings_seed);
    let opened = &proof.opened;
    for values in [
        opened.local,
        opened.next,
        opened.quotient,
        opened.preprocessed_local,
        opened.preprocessed_next,
    ] {
        transcript.observe(values.as_flattened());
    }
    let holds = transcript.work(fri.batch_pow_bits, proof.nonces.batching);
    ensure(holds, Work::Batching)?;
    let batching = transcript.ext();

    transcript.observe(folding_seed);
    let mut folding = Vec::with_capacity(shape.rounds.len());
    for (round, (cap, &nonce)) in round_caps(shape, proof)
        .zip(proof.nonces.rounds)
        .enumerate()
    {
        transcript.observe(cap.as_flattened());
        let holds = transcript.work(fri.commit_pow_bits, nonce);
        ensure(holds, Work::Folding(round))?;
        folding.push(transcript.ext());
    }
    transcript.observe(proof.final_poly.as_flattened());
    let holds = transcript.work(fri.query_pow_bits, proof.nonces.query);
    ensure(holds, Work::Query)?;
    let mut queries: Vec<_> = (0..shape.queries)
        .map(|query| (transcript.bits(shape.log_domain), query))
        .collect();
    queries.sort_unstable();
    Ok(Challenges {
        constraints,
        zeta,
        batching,
        folding,
        queries,
    })
}

/// The distinct indices, each with the first query that drew it, and for all queries the place of
/// their index among these.
fn distinct(queries: &[(usize, usize)]) -> (Vec<(usize, usize)>, Vec<(usize, usize)>) {
    let mut distinct: Vec<(usize, usize)> = Vec::with_capacity(queries.len());
    let mut places = Vec::with_capacity(queries.len());
    for &(index, query) in queries {
        if distinct.last().is_none_or(|(last, _)| *last != index) {
            distinct.push((index, query));
        }
        places.push((query, distinct.len().saturating_sub(1)));
    }
    (distinct, places)
}

/// The commitments of the rounds.
fn round_caps<'a>(shape: &Shape, proof: &ProofTape<'a>) -> impl Iterator<Item = &'a [Digest]> {
    let mut rest: &[Digest] = proof.rounds.as_chunks().0;
    shape.rounds.iter().map(move |round| {
        let (cap, tail) = rest.split_at(round.cap.min(rest.len()));
        rest = tail;
        cap
    })
}

/// Folds all rounds.
fn fold(
    shape: &Shape,
    proof: &ProofTape<'_>,
    challenges: &[Ext],
    folding: &mut Folding,
) -> Result<Vec<Groups>, Rejection> {
    let mut rest = proof.groups;
    let mut tree = shape.inputs();
    let mut groups = Vec::with_capacity(shape.rounds.len());
    for (round, challenge) in shape.rounds.iter().zip(challenges) {
        let count = round
            .arity()
            .saturating_sub(1)
            .saturating_mul(shape.queries);
        let (values, tail) = rest.split_at(count.min(rest.len()));
        groups.push(folding.fold(round, challenge, values, tree)?);
        rest = tail;
        tree = tree.saturating_add(1);
    }
    Ok(groups)
}

/// The trees of the proof, one after the other.
struct Trees<'a, H> {
    hash: &'a H,
    tree: usize,
    counts: core::slice::Iter<'a, u32>,
    siblings: &'a [Digest],
    /// Digests of the leaves of a tree.
    leaves: Vec<Digest>,
}

impl<'a, H: MerkleHash<Word = u32, Node = Digest>> Trees<'a, H> {
    fn new(hash: &'a H, proof: &ProofTape<'a>, queries: usize) -> Self {
        Self {
            hash,
            tree: 0,
            counts: proof.counts.iter(),
            siblings: proof.siblings,
            leaves: Vec::with_capacity(queries),
        }
    }

    /// Checks the next tree: `leaves`, by ascending index, under its commitment.
    fn check(
        &mut self,
        log_leaves: u32,
        cap: &[Digest],
        indices: &[usize],
        leaves: impl Iterator<Item = Digest>,
    ) -> Result<(), Rejection> {
        let tree = self.tree;
        let count = self.counts.next().copied().unwrap_or(0);
        let got = usize::try_from(count).unwrap_or(usize::MAX);
        let (siblings, rest) = self
            .siblings
            .split_at_checked(got)
            .ok_or(Rejection::Siblings { tree, got })?;
        self.siblings = rest;
        self.tree = tree.saturating_add(1);
        self.leaves.clear();
        self.leaves.extend(leaves);
        let log_leaves = usize::try_from(log_leaves).unwrap_or(usize::MAX);
        verify_pruned(self.hash, log_leaves, cap, indices, &self.leaves, siblings).map_err(
            |error| match error {
                VerifyError::MissingSibling { .. } | VerifyError::ExtraSiblings { .. } => {
                    Rejection::Siblings { tree, got }
                }
                _ => Rejection::Root { tree },
            },
        )
    }
}

/// The trees of trace, quotient and preprocessed columns.
struct InputTrees<'a> {
    /// Commitment, opened rows query by query, words of a row.
    trees: Vec<(&'a [Digest], &'a [u32], usize)>,
}

/// The row of a query.
fn row(rows: &[u32], width: usize, query: usize) -> &[u32] {
    let start = query.saturating_mul(width);
    rows.get(start..start.saturating_add(width))
        .unwrap_or_default()
}

impl<'a> InputTrees<'a> {
    fn new(key: &Key<'a>, proof: &ProofTape<'a>) -> Self {
        let shape = &key.shape;
        let trees = [
            (proof.trace, proof.rows.trace, shape.width),
            (proof.quotient, proof.rows.quotient, shape.quotient_width()),
            (
                key.preprocessed,
                proof.rows.preprocessed,
                shape.preprocessed_width,
            ),
        ];
        let trees = trees.into_iter().take(shape.inputs());
        Self {
            trees: trees
                .map(|(cap, rows, width)| (cap.as_chunks().0, rows, width))
                .collect(),
        }
    }

    /// Checks that queries of one index, which are neighbours in `queries`, have equal rows.
    fn check_repeated(&self, queries: &[(usize, usize)]) -> Result<(), Rejection> {
        for pair in queries.windows(2) {
            let &[(index, query), (next, other)] = pair else {
                continue;
            };
            if index != next {
                continue;
            }
            for (tree, &(_, rows, width)) in self.trees.iter().enumerate() {
                if row(rows, width, query) != row(rows, width, other) {
                    return Err(Rejection::RowsDiffer { tree });
                }
            }
        }
        Ok(())
    }

    /// Checks that the rows lie in their trees.
    fn check<H: MerkleHash<Word = u32, Node = Digest>>(
        &self,
        trees: &mut Trees<'_, H>,
        log_leaves: u32,
        queries: &[(usize, usize)],
    ) -> Result<(), Rejection> {
        let indices: Vec<_> = queries.iter().map(|&(index, _)| index).collect();
        let hash = trees.hash;
        for &(cap, rows, width) in &self.trees {
            let leaves = queries
                .iter()
                .map(|&(_, query)| leaf(hash, row(rows, width, query)));
            trees.check(log_leaves, cap, &indices, leaves)?;
        }
        Ok(())
    }
}

/// The digest of a row; short rows of common widths with their lengths known to the compiler.
fn leaf<H: MerkleHash<Word = u32, Node = Digest>>(hash: &H, row: &[u32]) -> Digest {
    match *row {
        [a, b] => hash.leaf_array(&[a, b]),
        [a, b, c, d] => hash.leaf_array(&[a, b, c, d]),
        [a, b, c, d, e, f, g, h] => hash.leaf_array(&[a, b, c, d, e, f, g, h]),
        _ => hash.leaf(row),
    }
}

/// Checks that the groups of every round lie in its tree.
fn check_rounds<H: MerkleHash<Word = u32, Node = Digest>>(
    trees: &mut Trees<'_, H>,
    shape: &Shape,
    proof: &ProofTape<'_>,
    groups: &[Groups],
) -> Result<(), Rejection> {
    let hash = trees.hash;
    for ((round, cap), groups) in shape
        .rounds
        .iter()
        .zip(round_caps(shape, proof))
        .zip(groups)
    {
        let rows = groups.values.chunks_exact(round.arity());
        let leaves = rows.map(|row| leaf(hash, row.as_flattened()));
        trees.check(round.log_leaves, cap, &groups.indices, leaves)?;
    }
    Ok(())
}
