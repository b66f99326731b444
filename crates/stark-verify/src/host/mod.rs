//! The host's side: Plonky3's configuration, keys derived from constraints, and proofs between
//! Plonky3's types and files. All contact with Plonky3's provers and verifiers is here.

mod read;
mod write;

use alloc::vec::Vec;

use p3_air::Air;
use p3_air::symbolic::{AirLayout, SymbolicAirBuilder};
use p3_baby_bear::BabyBear;
use p3_challenger::{CanObserve, HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::PrimeField32;
use p3_fri::{FriParameters, FriShape, PcsShape, TwoAdicFriPcs};
use p3_keccak::Keccak256Hash;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, MerkleCap, SerializingHasher};
use p3_uni_stark::{StarkConfig, StarkShape, get_log_num_quotient_chunks};
use prova_proof_file::FileError;

use crate::Digest;
use crate::constraints::{Challenge, StarkAir};
use crate::error::Malformed;
use crate::key::VerifyingKey;
use crate::params::{AirShape, FriParams, Params, Shape};

pub use read::from_file;
pub use write::to_file;

/// The base field.
pub type Element = BabyBear;
/// Hashes rows.
pub type RowHash = SerializingHasher<Keccak256Hash>;
/// Hashes two nodes.
pub type NodeHash = CompressionFunctionFromHasher<Keccak256Hash, 2, 32>;
/// Trees of base elements.
pub type ValMmcs = MerkleTreeMmcs<BabyBear, u8, RowHash, NodeHash, 2, 32>;
/// Trees of extension elements.
pub type ChallengeMmcs = ExtensionMmcs<BabyBear, Challenge, ValMmcs>;
/// The transcript.
pub type Challenger = SerializingChallenger32<BabyBear, HashChallenger<u8, Keccak256Hash, 32>>;
/// The commitment scheme.
pub type Pcs = TwoAdicFriPcs<BabyBear, Radix2DitParallel<BabyBear>, ValMmcs, ChallengeMmcs>;
/// The configuration that keys and proofs of this crate are for.
pub type Config = StarkConfig<Pcs, Challenge, Challenger>;
/// A proof as Plonky3 holds it.
pub type Proof = p3_uni_stark::Proof<Config>;

type Cap = MerkleCap<BabyBear, [u8; 32]>;

/// Why a key cannot be derived or a proof cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// A parameter is out of range.
    #[error(transparent)]
    Params(#[from] Malformed),
    /// The constraints' name cannot stand in a key.
    #[error("the name of constraints must have 1 to 32 bytes without zeros, got {0:?}")]
    Name(&'static str),
    /// The constraints have periodic columns.
    #[error("constraints with periodic columns are not supported")]
    Periodic,
    /// There are preprocessed columns and no commitment, or a commitment and no columns, or one
    /// of another size.
    #[error("the commitment to preprocessed columns must have {expected} nodes, got {got}")]
    Preprocessed {
        /// Nodes it must have.
        expected: usize,
        /// Nodes it has.
        got: usize,
    },
    /// A part of the proof has another length than the key asks for.
    #[error("{what}: expected {expected} elements, got {got}")]
    Length {
        /// Which part.
        what: &'static str,
        /// Elements that the key asks for.
        expected: usize,
        /// Elements that the proof has.
        got: usize,
    },
    /// The proof file would be over a cap of its container.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Plonky3's configuration for a transcript that starts with `start`, the digest of a key. The
/// parameters are taken as they are; [`derive_key`] checks them.
pub fn config(fri: &FriParams, start: &Digest) -> Config {
    let row = RowHash::new(Keccak256Hash);
    let node = NodeHash::new(Keccak256Hash);
    let len = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
    let FriParams {
        log_blowup,
        log_final_poly_len,
        max_log_arity,
        num_queries,
        ood_pow_bits,
        batch_pow_bits,
        commit_pow_bits,
        query_pow_bits,
        cap_height,
    } = *fri;
    let mmcs = ValMmcs::new(row, node, len(cap_height));
    let fri = FriParameters {
        log_blowup: len(log_blowup),
        log_final_poly_len: len(log_final_poly_len),
        max_log_arity: len(max_log_arity),
        num_queries: len(num_queries),
        batch_proof_of_work_bits: len(batch_pow_bits),
        commit_proof_of_work_bits: len(commit_pow_bits),
        query_proof_of_work_bits: len(query_pow_bits),
        mmcs: ChallengeMmcs::new(mmcs.clone()),
    };
    let pcs = Pcs::new(Radix2DitParallel::default(), mmcs, fri);
    let start = bytemuck::bytes_of(start).to_vec();
    Config::new(pcs, Challenger::from_hasher(start, Keccak256Hash))
        .with_ood_proof_of_work_bits(len(ood_pow_bits))
}

/// Collects what a transcript is seeded with.
#[derive(Default)]
struct Recorder(Vec<u32>);

impl CanObserve<BabyBear> for Recorder {
    fn observe(&mut self, value: BabyBear) {
        self.0.push(value.to_unique_u32());
    }
}

/// The verifying key of `air` on traces of `2^degree_bits` rows. `preprocessed` is the commitment to
/// the preprocessed columns, if there are any, as `p3_uni_stark::setup_preprocessed` makes it.
///
/// # Errors
///
/// [`HostError`], if constraints or parameters are not supported.
pub fn derive_key<A>(
    air: &A,
    fri: &FriParams,
    degree_bits: u32,
    preprocessed: Option<&Cap>,
) -> Result<VerifyingKey, HostError>
where
    A: StarkAir + Air<SymbolicAirBuilder<BabyBear>>,
{
    if air.num_periodic_columns() != 0 {
        return Err(HostError::Periodic);
    }
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let layout = AirLayout {
        preprocessed_width: air.preprocessed_width(),
        main_width: air.width(),
        num_public_values: air.num_public_values(),
        ..AirLayout::default()
    };
    let height = 1usize.unbounded_shl(degree_bits);
    let params = Params {
        air: AirShape {
            width: number(air.width()),
            public_values: number(air.num_public_values()),
            degree_bits,
            log_quotient_chunks: number(get_log_num_quotient_chunks(air, layout, height, 0)),
            reads_next: !air.main_next_row_columns().is_empty(),
            preprocessed_width: number(air.preprocessed_width()),
            reads_preprocessed_next: !air.preprocessed_next_row_columns().is_empty(),
        },
        fri: *fri,
    };
    params.check()?;
    let shape = Shape::new(&params);
    let nodes = preprocessed.map_or(0, MerkleCap::num_roots);
    let expected = shape.preprocessed_width.min(1).saturating_mul(shape.cap);
    if nodes != expected {
        return Err(HostError::Preprocessed {
            expected,
            got: nodes,
        });
    }
    let mut cap = Vec::new();
    if let Some(commitment) = preprocessed {
        push_cap(&mut cap, commitment);
    }
    let seeds = seeds(air, &shape);
    VerifyingKey::new(A::NAME, params, cap, seeds).ok_or(HostError::Name(A::NAME))
}

/// The words that the three transcripts observe first.
fn seeds<A: StarkAir>(air: &A, shape: &Shape) -> [Vec<u32>; 3] {
    let len = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
    let Params { air: columns, fri } = shape.params;
    let stark = StarkShape::new::<BabyBear, A>(
        air,
        shape.preprocessed_width,
        len(columns.degree_bits),
        len(columns.degree_bits),
        shape.chunks,
        false,
        len(fri.ood_pow_bits),
    );
    let points = |width: usize, next: bool| {
        let mut points = Vec::from([width]);
        points.extend(next.then_some(width));
        points
    };
    let mut counts = Vec::from([
        Vec::from([points(shape.width, columns.reads_next)]),
        (0..shape.chunks).map(|_| Vec::from([4])).collect(),
    ]);
    if shape.preprocessed_width > 0 {
        let points = points(shape.preprocessed_width, columns.reads_preprocessed_next);
        counts.push(Vec::from([points]));
    }
    let openings = PcsShape {
        claimed_evaluation_counts: counts,
        batch_pow_bits: len(fri.batch_pow_bits),
    };
    let log_arities = shape.rounds.iter().map(|round| len(round.log_arity));
    let folding = FriShape {
        log_arities: log_arities.collect(),
        final_poly_len: shape.final_poly_len,
        commit_pow_bits: len(fri.commit_pow_bits),
        query_pow_bits: len(fri.query_pow_bits),
        num_queries: shape.queries,
        index_bits: len(shape.log_domain),
        log_blowup: len(fri.log_blowup),
        max_log_arity: len(fri.max_log_arity),
    };
    let mut out = [
        Recorder::default(),
        Recorder::default(),
        Recorder::default(),
    ];
    let [first, second, third] = &mut out;
    stark.domain_separator::<BabyBear, Challenge>().seed(first);
    openings
        .domain_separator::<BabyBear, Challenge>()
        .seed(second);
    folding
        .domain_separator::<BabyBear, Challenge>()
        .seed(third);
    out.map(|Recorder(words)| words)
}

fn push_digest(out: &mut Vec<u32>, digest: &[u8; 32]) {
    out.extend(digest.as_chunks().0.iter().copied().map(u32::from_le_bytes));
}

fn push_cap(out: &mut Vec<u32>, cap: &Cap) {
    for digest in cap.roots() {
        push_digest(out, digest);
    }
}
