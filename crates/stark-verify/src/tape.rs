//! The proof as a tape of words, read in place.
//!
//! A proof file is the container of `prova-proof-file` with system 6 and version 1. All three
//! sections are little-endian 32-bit words:
//!
//! * **params**: eight words, the digest of the verifying key the proof was made for;
//! * **statement**: the public values, canonical integers below the modulus;
//! * **body**: what follows, in this order. Field elements are in Montgomery form with `R = 2^32`
//!   and below the modulus, which is how Plonky3 hashes and serialises them: rows are hashed where
//!   they lie, and arithmetic takes them as they are.
//!
//! | words | field |
//! |---|---|
//! | 8 a node | commitments to trace, quotient, and the word of each folding round |
//! | 4 a column | the trace opened at zeta, then at the next point if constraints read it; the same for preprocessed columns; the quotient's parts opened at zeta, four columns a part |
//! | 1 each | nonces: out-of-domain, batching, query, then one a folding round; zero where no work is asked for |
//! | 4 a coefficient | the final polynomial, lowest coefficient first |
//! | 1 a column, a query | opened rows of the trace, query by query; then of the quotient, then of preprocessed columns |
//! | 4 each | for each folding round, query by query, the other `arity - 1` points of the group |
//! | 1 a tree | the number of siblings in each multi-opening: trace, quotient, preprocessed, rounds |
//! | 8 a node | the siblings, tree by tree, in the order of `PrunedMerklePaths` |
//!
//! The counts of siblings follow from the queries, so they are compared and not believed. Every
//! other length follows from the verifying key.

use prova_proof_file::{ProofFile, System};

use crate::Digest;
use crate::error::Malformed;
use crate::field::{Ext, P};
use crate::key::Key;
use crate::params::{DIGEST, EXT, Shape};

/// Version of the tape.
pub const VERSION: u16 = 1;

/// The first `count` words, which `words` is then without; `None` if there are fewer.
pub(crate) fn split<'a>(words: &mut &'a [u32], count: usize) -> Option<&'a [u32]> {
    let (head, rest) = words.split_at_checked(count)?;
    *words = rest;
    Some(head)
}

/// Bytes as words, in place.
pub(crate) fn as_words<'a>(what: &'static str, bytes: &'a [u8]) -> Result<&'a [u32], Malformed> {
    bytemuck::try_cast_slice(bytes).map_err(|_| Malformed::Alignment { what })
}

/// A proof file, read in place and checked: lengths, and that every field element is below the
/// modulus.
#[derive(Clone, Debug)]
pub struct ProofTape<'a> {
    /// All words that are field elements, in the order of the body.
    elements: &'a [u32],
    /// The key the proof says it was made for.
    pub(crate) key: &'a [u32],
    /// Public values, canonical.
    pub(crate) public: &'a [u32],
    /// Nodes of the commitments to trace and quotient.
    pub(crate) trace: &'a [u32],
    pub(crate) quotient: &'a [u32],
    /// Nodes of the rounds' commitments.
    pub(crate) rounds: &'a [u32],
    pub(crate) opened: Opened<'a>,
    pub(crate) nonces: Nonces<'a>,
    pub(crate) final_poly: &'a [Ext],
    pub(crate) rows: Rows<'a>,
    /// For each round, query by query, the rest of the group.
    pub(crate) groups: &'a [Ext],
    /// Siblings of each tree, and all siblings.
    pub(crate) counts: &'a [u32],
    pub(crate) siblings: &'a [Digest],
}

/// Values at the out-of-domain points; those that constraints do not read are empty.
#[derive(Clone, Debug)]
pub(crate) struct Opened<'a> {
    pub(crate) local: &'a [Ext],
    pub(crate) next: &'a [Ext],
    pub(crate) preprocessed_local: &'a [Ext],
    pub(crate) preprocessed_next: &'a [Ext],
    /// Four a part of the quotient.
    pub(crate) quotient: &'a [Ext],
}

/// Proofs of work.
#[derive(Clone, Debug)]
pub(crate) struct Nonces<'a> {
    pub(crate) out_of_domain: u32,
    pub(crate) batching: u32,
    pub(crate) query: u32,
    pub(crate) rounds: &'a [u32],
}

/// Opened rows of the input trees, query by query.
#[derive(Clone, Debug)]
pub(crate) struct Rows<'a> {
    pub(crate) trace: &'a [u32],
    pub(crate) quotient: &'a [u32],
    pub(crate) preprocessed: &'a [u32],
}

/// Words as extension elements, without a rest.
fn exts(words: &[u32]) -> &[Ext] {
    words.as_chunks().0
}

/// Fails on the first word that is not below the modulus.
fn check_canonical(what: &'static str, words: &[u32]) -> Result<(), Malformed> {
    let (eights, rest) = words.as_chunks::<8>();
    let fine =
        eights.iter().all(|eight| eight.iter().all(|&w| w < P)) && rest.iter().all(|&w| w < P);
    if fine {
        return Ok(());
    }
    match words.iter().enumerate().find(|&(_, &word)| word >= P) {
        Some((word, &got)) => Err(Malformed::NotCanonical { what, word, got }),
        None => Ok(()),
    }
}

/// Words, if there are as many as there must be.
fn exactly<'a>(
    what: &'static str,
    words: &'a [u32],
    expected: usize,
) -> Result<&'a [u32], Malformed> {
    if words.len() == expected {
        return Ok(words);
    }
    Err(Malformed::Length {
        what,
        expected,
        got: words.len(),
    })
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "sums and products of small checked numbers"
)]
impl<'a> ProofTape<'a> {
    /// Reads a proof file. Nothing is copied, and nothing is allocated.
    ///
    /// # Errors
    ///
    /// [`Malformed`].
    pub fn parse(key: &Key<'_>, bytes: &'a [u8]) -> Result<Self, Malformed> {
        Self::parse_shape(&key.shape, bytes)
    }

    /// [`Self::parse`], for lengths without the rest of a key.
    pub(crate) fn parse_shape(shape: &Shape, bytes: &'a [u8]) -> Result<Self, Malformed> {
        let file = ProofFile::parse(bytes)?;
        file.require(System::Stark, &[VERSION])?;
        let key = exactly("params", as_words("params", file.params)?, DIGEST)?;
        let public = as_words("statement", file.statement)?;
        let public = exactly("statement", public, shape.public_values)?;
        check_canonical("statement", public)?;
        Self::body(shape, as_words("body", file.body)?, key, public)
    }

    fn body(
        shape: &Shape,
        body: &'a [u32],
        key: &'a [u32],
        public: &'a [u32],
    ) -> Result<Self, Malformed> {
        let layout = Layout::new(shape);
        let mut rest = body;
        let mut take = |count| {
            split(&mut rest, count).ok_or(Malformed::Length {
                what: "body",
                expected: layout.fixed(),
                got: body.len(),
            })
        };
        let trace = take(layout.cap)?;
        let quotient = take(layout.cap)?;
        let rounds = take(layout.rounds)?;
        let elements = take(layout.elements())?;
        let counts = take(layout.trees)?;
        check_canonical("body, field elements", elements)?;
        let siblings = check_siblings(layout.fixed(), body.len(), counts, rest)?;
        let mut rest = elements;
        let mut take = |count| split(&mut rest, count).unwrap_or_default();
        let [local, next, pre_local, pre_next, chunks] = layout.opened;
        Ok(Self {
            elements,
            key,
            public,
            trace,
            quotient,
            rounds,
            opened: Opened {
                local: exts(take(local)),
                next: exts(take(next)),
                preprocessed_local: exts(take(pre_local)),
                preprocessed_next: exts(take(pre_next)),
                quotient: exts(take(chunks)),
            },
            nonces: Nonces::read(shape, take(layout.nonces))?,
            final_poly: exts(take(layout.final_poly)),
            rows: Rows {
                trace: take(layout.rows[0]),
                quotient: take(layout.rows[1]),
                preprocessed: take(layout.rows[2]),
            },
            groups: exts(take(layout.groups)),
            counts,
            siblings,
        })
    }

    /// All field elements of the proof, in Montgomery form, in the order of the body.
    #[must_use]
    pub const fn elements(&self) -> &'a [u32] {
        self.elements
    }

    /// All nodes of multi-openings, tree by tree.
    #[must_use]
    pub const fn siblings(&self) -> &'a [Digest] {
        self.siblings
    }
}

/// The siblings behind the counts, whose sum their number must be.
fn check_siblings<'a>(
    fixed: usize,
    got: usize,
    counts: &[u32],
    rest: &'a [u32],
) -> Result<&'a [Digest], Malformed> {
    let stated: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let (siblings, tail) = rest.as_chunks();
    if tail.is_empty() && u64::try_from(siblings.len()) == Ok(stated) {
        return Ok(siblings);
    }
    let words = usize::try_from(stated)
        .unwrap_or(usize::MAX)
        .saturating_mul(DIGEST);
    Err(Malformed::Length {
        what: "body",
        expected: fixed.saturating_add(words),
        got,
    })
}

impl<'a> Nonces<'a> {
    fn read(shape: &Shape, words: &'a [u32]) -> Result<Self, Malformed> {
        let fri = &shape.params.fri;
        let [out_of_domain, batching, query, ref rounds @ ..] = *words else {
            return Err(Malformed::Length {
                what: "nonces",
                expected: shape.nonces(),
                got: words.len(),
            });
        };
        let bits = [fri.ood_pow_bits, fri.batch_pow_bits, fri.query_pow_bits];
        let bits = bits
            .into_iter()
            .chain(rounds.iter().map(|_| fri.commit_pow_bits));
        for (which, (&got, bits)) in words.iter().zip(bits).enumerate() {
            if bits == 0 && got != 0 {
                return Err(Malformed::UnusedNonce { which, got });
            }
        }
        Ok(Self {
            out_of_domain,
            batching,
            query,
            rounds,
        })
    }
}

/// Lengths of the body's parts, in words.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) cap: usize,
    pub(crate) rounds: usize,
    pub(crate) opened: [usize; 5],
    pub(crate) nonces: usize,
    pub(crate) final_poly: usize,
    pub(crate) rows: [usize; 3],
    pub(crate) groups: usize,
    pub(crate) trees: usize,
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "sums and products of small checked numbers"
)]
impl Layout {
    pub(crate) fn new(shape: &Shape) -> Self {
        let air = &shape.params.air;
        let columns = |width: usize, read: bool| usize::from(read) * width * EXT;
        let rounds = &shape.rounds;
        let group: usize = rounds.iter().map(|round| round.arity() - 1).sum();
        Self {
            cap: shape.cap * DIGEST,
            rounds: rounds.iter().map(|round| round.cap * DIGEST).sum(),
            opened: [
                columns(shape.width, true),
                columns(shape.width, air.reads_next),
                columns(shape.preprocessed_width, true),
                columns(shape.preprocessed_width, air.reads_preprocessed_next),
                columns(shape.quotient_width(), true),
            ],
            nonces: shape.nonces(),
            final_poly: shape.final_poly_len * EXT,
            rows: [
                shape.width,
                shape.quotient_width(),
                shape.preprocessed_width,
            ]
            .map(|width| width * shape.queries),
            groups: group * shape.queries * EXT,
            trees: shape.inputs() + rounds.len(),
        }
    }

    /// Words that must be field elements.
    fn elements(&self) -> usize {
        let opened: usize = self.opened.iter().sum();
        let rows: usize = self.rows.iter().sum();
        opened + self.nonces + self.final_poly + rows + self.groups
    }

    /// Words without siblings.
    fn fixed(&self) -> usize {
        2 * self.cap + self.rounds + self.elements() + self.trees
    }
}
