//! What a verifying key fixes, and the lengths that follow from it.

use alloc::vec::Vec;

use crate::error::Malformed;

/// Words of a digest.
pub(crate) const DIGEST: usize = 8;
/// Words of an extension element.
pub(crate) const EXT: usize = 4;

/// The low-degree test's parameters, named as in `p3_fri::FriParameters`, with those of the trees
/// and of the proofs of work around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FriParams {
    /// `log2` of the inverse rate, 1 to 8.
    pub log_blowup: u32,
    /// `log2` of the number of coefficients of the final polynomial, 0 to 10.
    pub log_final_poly_len: u32,
    /// `log2` of the largest folding arity of a round, 1 to 4.
    pub max_log_arity: u32,
    /// Queries, 1 to 1024.
    pub num_queries: u32,
    /// Bits of work before the out-of-domain point, 0 to 30.
    pub ood_pow_bits: u32,
    /// Bits of work before the challenge that batches the openings, 0 to 30.
    pub batch_pow_bits: u32,
    /// Bits of work before each folding challenge, 0 to 30.
    pub commit_pow_bits: u32,
    /// Bits of work before the queries, 0 to 30.
    pub query_pow_bits: u32,
    /// Levels of the trees above the commitment, 0 to 10: a commitment is `2^cap_height` nodes, or
    /// all leaves of a tree with fewer.
    pub cap_height: u32,
}

impl FriParams {
    /// Inverse rate 2, 84 queries, 8 bits of work: about 92 bits of security under the conjecture
    /// that FRI is sound up to capacity (84 queries of 1 bit and the work). This is the instance
    /// that guests are measured with.
    pub const QUERIES_84: Self = Self {
        log_blowup: 1,
        log_final_poly_len: 0,
        max_log_arity: 1,
        num_queries: 84,
        ood_pow_bits: 0,
        batch_pow_bits: 0,
        commit_pow_bits: 0,
        query_pow_bits: 8,
        cap_height: 0,
    };

    /// [`Self::QUERIES_84`] with one query: the fixed costs of a verification, and no security.
    pub const QUERIES_1: Self = Self {
        num_queries: 1,
        ..Self::QUERIES_84
    };
}

/// Shape of the constraint system as the proof sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirShape {
    /// Columns of the trace, 1 to 4096.
    pub width: u32,
    /// Public values, 0 to 4096.
    pub public_values: u32,
    /// `log2` of the trace's height, 1 to 26.
    pub degree_bits: u32,
    /// `log2` of the number of parts of the quotient, 0 to 6.
    pub log_quotient_chunks: u32,
    /// Whether constraints read the next row of the trace.
    pub reads_next: bool,
    /// Preprocessed columns, 0 to 4096.
    pub preprocessed_width: u32,
    /// Whether constraints read the next preprocessed row.
    pub reads_preprocessed_next: bool,
}

/// Words that [`Params`] takes in a key.
pub(crate) const PARAM_WORDS: usize = 16;

/// `log2` of the largest subgroup of BabyBear's multiplicative group with a power of two.
const TWO_ADICITY: u32 = 27;

/// All numbers of a verifying key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The constraint system.
    pub air: AirShape,
    /// The low-degree test.
    pub fri: FriParams,
}

impl Params {
    /// The words of the key. Destructured, so that a new field cannot be forgotten.
    pub(crate) fn to_words(self) -> [u32; PARAM_WORDS] {
        let Self {
            air:
                AirShape {
                    width,
                    public_values,
                    degree_bits,
                    log_quotient_chunks,
                    reads_next,
                    preprocessed_width,
                    reads_preprocessed_next,
                },
            fri:
                FriParams {
                    log_blowup,
                    log_final_poly_len,
                    max_log_arity,
                    num_queries,
                    ood_pow_bits,
                    batch_pow_bits,
                    commit_pow_bits,
                    query_pow_bits,
                    cap_height,
                },
        } = self;
        [
            width,
            public_values,
            degree_bits,
            log_quotient_chunks,
            u32::from(reads_next),
            preprocessed_width,
            u32::from(reads_preprocessed_next),
            log_blowup,
            log_final_poly_len,
            max_log_arity,
            num_queries,
            ood_pow_bits,
            batch_pow_bits,
            commit_pow_bits,
            query_pow_bits,
            cap_height,
        ]
    }

    /// Reads and checks the words of a key.
    pub(crate) fn from_words(words: &[u32; PARAM_WORDS]) -> Result<Self, Malformed> {
        let [
            width,
            public_values,
            degree_bits,
            log_quotient_chunks,
            reads_next,
            preprocessed_width,
            reads_preprocessed_next,
            log_blowup,
            log_final_poly_len,
            max_log_arity,
            num_queries,
            ood_pow_bits,
            batch_pow_bits,
            commit_pow_bits,
            query_pow_bits,
            cap_height,
        ] = *words;
        let params = Self {
            air: AirShape {
                width,
                public_values,
                degree_bits,
                log_quotient_chunks,
                reads_next: flag("reads_next", reads_next)?,
                preprocessed_width,
                reads_preprocessed_next: flag("reads_preprocessed_next", reads_preprocessed_next)?,
            },
            fri: FriParams {
                log_blowup,
                log_final_poly_len,
                max_log_arity,
                num_queries,
                ood_pow_bits,
                batch_pow_bits,
                commit_pow_bits,
                query_pow_bits,
                cap_height,
            },
        };
        params.check()?;
        Ok(params)
    }

    /// Checks every number against its range.
    ///
    /// # Errors
    ///
    /// [`Malformed::KeyField`].
    pub fn check(&self) -> Result<(), Malformed> {
        let Self { air, fri } = self;
        within("width", air.width, 1, 4096)?;
        within("public_values", air.public_values, 0, 4096)?;
        within("log_quotient_chunks", air.log_quotient_chunks, 0, 6)?;
        within("preprocessed_width", air.preprocessed_width, 0, 4096)?;
        within(
            "reads_preprocessed_next",
            u32::from(air.reads_preprocessed_next),
            0,
            air.preprocessed_width.min(1),
        )?;
        within("log_blowup", fri.log_blowup, 1, 8)?;
        within("log_final_poly_len", fri.log_final_poly_len, 0, 10)?;
        within("max_log_arity", fri.max_log_arity, 1, 4)?;
        within("num_queries", fri.num_queries, 1, 1024)?;
        within("ood_pow_bits", fri.ood_pow_bits, 0, 30)?;
        within("batch_pow_bits", fri.batch_pow_bits, 0, 30)?;
        within("commit_pow_bits", fri.commit_pow_bits, 0, 30)?;
        within("query_pow_bits", fri.query_pow_bits, 0, 30)?;
        within("cap_height", fri.cap_height, 0, 10)?;
        // At least one fold, and a domain that exists.
        within(
            "degree_bits",
            air.degree_bits,
            fri.log_final_poly_len.wrapping_add(1),
            TWO_ADICITY.wrapping_sub(fri.log_blowup),
        )
    }
}

fn flag(field: &'static str, got: u32) -> Result<bool, Malformed> {
    within(field, got, 0, 1)?;
    Ok(got == 1)
}

fn within(field: &'static str, got: u32, least: u32, most: u32) -> Result<(), Malformed> {
    if (least..=most).contains(&got) {
        return Ok(());
    }
    Err(Malformed::KeyField {
        field,
        least,
        most,
        got,
    })
}

/// A count of the key as a length. Counts are checked to be small.
fn len(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// `2^log`, for the checked logarithms of a key.
fn pow2(log: u32) -> usize {
    1usize.unbounded_shl(log)
}

/// A round of folding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// `log2` of the arity.
    pub(crate) log_arity: u32,
    /// `log2` of the number of leaves of the round's tree, one a group of points.
    pub(crate) log_leaves: u32,
    /// Nodes of its commitment.
    pub(crate) cap: usize,
}

impl Round {
    /// Points folded to one.
    pub(crate) fn arity(&self) -> usize {
        pow2(self.log_arity)
    }
}

/// Every length that follows from the parameters.
#[derive(Clone, Debug)]
#[allow(
    clippy::arithmetic_side_effects,
    reason = "sums and products of small checked numbers"
)]
pub(crate) struct Shape {
    pub(crate) params: Params,
    /// `log2` of the size of the domain of the committed codewords.
    pub(crate) log_domain: u32,
    pub(crate) width: usize,
    pub(crate) preprocessed_width: usize,
    pub(crate) public_values: usize,
    pub(crate) chunks: usize,
    pub(crate) queries: usize,
    /// Nodes of the commitments to trace and quotient.
    pub(crate) cap: usize,
    pub(crate) final_poly_len: usize,
    pub(crate) rounds: Vec<Round>,
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "sums and products of small checked numbers"
)]
impl Shape {
    /// The lengths of checked parameters.
    pub(crate) fn new(params: &Params) -> Self {
        let Params { air, fri } = *params;
        let log_domain = air.degree_bits + fri.log_blowup;
        let cap = |log_leaves: u32| pow2(fri.cap_height.min(log_leaves));
        let last = fri.log_blowup + fri.log_final_poly_len;
        let mut rounds = Vec::new();
        let mut log_height = log_domain;
        while log_height > last {
            let log_arity = fri.max_log_arity.min(log_height - last);
            log_height -= log_arity;
            rounds.push(Round {
                log_arity,
                log_leaves: log_height,
                cap: cap(log_height),
            });
        }
        Self {
            params: *params,
            log_domain,
            width: len(air.width),
            preprocessed_width: len(air.preprocessed_width),
            public_values: len(air.public_values),
            chunks: pow2(air.log_quotient_chunks),
            queries: len(fri.num_queries),
            cap: cap(log_domain),
            final_poly_len: pow2(fri.log_final_poly_len),
            rounds,
        }
    }

    /// Input trees: trace, quotient, preprocessed if any.
    pub(crate) fn inputs(&self) -> usize {
        2 + self.preprocessed_width.min(1)
    }

    /// Words of an opened row of the quotient: all parts, four columns each.
    pub(crate) fn quotient_width(&self) -> usize {
        self.chunks * EXT
    }

    /// Words of the preprocessed commitment, none without preprocessed columns.
    pub(crate) fn preprocessed_cap_words(&self) -> usize {
        self.preprocessed_width.min(1) * self.cap * DIGEST
    }

    /// Nonces: out-of-domain, batching, query, and one a round.
    pub(crate) fn nonces(&self) -> usize {
        3 + self.rounds.len()
    }

    /// Opened extension elements at the out-of-domain points, quotient included.
    pub(crate) fn opened(&self) -> usize {
        let Params { air, .. } = self.params;
        let points = |next: bool| 1 + usize::from(next);
        self.width * points(air.reads_next)
            + self.preprocessed_width * points(air.reads_preprocessed_next)
            + self.quotient_width()
    }

    /// Words of the seeds of the three transcripts (STARK, openings, folding): the length of a byte
    /// string, then three bytes a word. The byte string is 64 bytes of protocol name, 32 of the
    /// pattern's digest, 4 of the label's length, the label's chunks of 4 + 8 bytes, a last byte.
    pub(crate) fn seed_words(&self) -> [usize; 3] {
        let words = |chunks: usize| 1 + (64 + 32 + 4 + 12 * chunks + 1usize).div_ceil(3);
        let matrices = self.inputs() - 1 + self.chunks;
        [
            words(8),
            words(1 + self.inputs() + matrices),
            words(2 + self.rounds.len()),
        ]
    }
}
