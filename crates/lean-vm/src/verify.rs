//! Verification of a VM proof, step by step.

use alloc::vec::Vec;
use core::fmt;

use prova_binary_pcs::field::E;
use prova_binary_pcs::merkle::Digest;
use prova_binary_pcs::opening::{Commitment, OpenedLevel, Weight, verify as verify_opening};
use prova_binary_pcs::params::{Schedule, Target};
use prova_binary_pcs::ring_switch::RingSwitch;
use prova_binary_pcs::stack::{Placement, PointClaim, PointClaims};
use prova_binary_pcs::stream::{Channel, Form, Openings, Proof};
use prova_binary_pcs::transcript::{ChainV0, Transcript, halves};
use prova_proof_file::Failure;

use crate::blake2s::lincheck::{self, BitClaims};
use crate::blake2s::zerocheck;
use crate::bus::{self, Fingerprint, FrameworkValues, Selectors};
use crate::claims;
use crate::error::{Outcome, Rejection, VerifyError};
use crate::layout::{Layout, Sizes};
use crate::program::Program;
use crate::table_sumcheck;

/// Absorbed by the transcript of every VM proof.
pub const LABEL: &[u8] = b"leanvm-b";

/// Claims that the opening batches: one of the BLAKE2s witness, 110 about single columns.
pub const CLAIMS: u32 = 111;

/// What an accepted proof was about.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The form of the proof's Merkle openings.
    pub form: Form,
    /// Bytes of the proof.
    pub proof_bytes: usize,
    /// Scalars of the proof.
    pub scalars: usize,
    /// The announced sizes.
    pub sizes: Sizes,
    /// Logarithm of the number of instructions.
    pub log_instructions: u32,
    /// Words of all committed columns.
    pub committed_words: u64,
    /// Lanes of the commitment that hold words, of 64.
    pub lanes: usize,
    /// Variables of the grand products.
    pub bus_variables: usize,
    /// Root of the commitment.
    pub root: Digest,
    /// The ladder of the opening, with every bound.
    pub schedule: Schedule,
    /// What was opened at each level.
    pub levels: Vec<OpenedLevel>,
}

impl Summary {
    /// Rows of all tables together.
    #[must_use]
    pub fn rows(&self) -> u64 {
        let heights = self.sizes.log_heights.iter();
        heights
            .filter_map(|&height| 1_u64.checked_shl(height))
            .fold(0, u64::saturating_add)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.form {
            Form::Wire => "pruned",
            Form::Raw => "full",
        };
        writeln!(
            f,
            "proof of {} bytes, {} scalars, {form} paths; 2^{} instructions, 2^{} memory cells",
            self.proof_bytes, self.scalars, self.log_instructions, self.sizes.log_memory,
        )?;
        write!(f, "{} rows:", self.rows())?;
        for (table, height) in self.sizes.tables() {
            write!(f, " {} 2^{height}", table.name())?;
        }
        writeln!(
            f,
            "\n{} words committed in {} of 64 lanes, 2^{} bus leaves",
            self.committed_words, self.lanes, self.bus_variables,
        )?;
        write!(f, "{}", self.schedule)
    }
}

/// Verifies that an execution of `program` halts with `public_input` in its first two memory cells.
///
/// # Errors
/// [`Failure::Malformed`] when the proof is not one of the shape that its announced sizes give,
/// [`Failure::Rejected`] with the step that found it false.
pub fn verify(
    program: &Program,
    public_input: &[u8; 32],
    proof: &Proof<'_>,
) -> Result<Summary, VerifyError> {
    verify_with(ChainV0::new(LABEL), program, public_input, proof)
}

/// [`verify`] over a fresh transcript of the caller's choice.
///
/// # Errors
/// As [`verify`].
pub fn verify_with<T: Transcript>(
    transcript: T,
    program: &Program,
    public_input: &[u8; 32],
    proof: &Proof<'_>,
) -> Result<Summary, VerifyError> {
    let (mut channel, mut openings) = proof.channel(transcript);
    let begun = begin(&mut channel, program, public_input)?;
    let claims = execution(&mut channel, program, public_input, &begun.layout)?;
    let blocks = to_usize(begun.layout.sizes.log_compressions());
    let zerocheck = zerocheck::verify(&mut channel, blocks)?;
    let bits = lincheck::verify(&mut channel, &zerocheck)?;
    let levels = open(&mut channel, &mut openings, &begun, &claims, &bits)?;
    channel.finish()?;
    openings.finish()?;
    Ok(Summary {
        form: proof.form(),
        proof_bytes: proof.byte_len(),
        scalars: proof.scalar_count(),
        sizes: begun.layout.sizes,
        log_instructions: program.log_instructions(),
        committed_words: begun.layout.total,
        lanes: begun.layout.lanes,
        bus_variables: begun.layout.bus_variables,
        root: begun.root,
        schedule: begun.schedule,
        levels,
    })
}

/// What is known once the commitment was read.
pub(crate) struct Begun {
    pub(crate) layout: Layout,
    pub(crate) schedule: Schedule,
    pub(crate) root: Digest,
}

/// Absorbs the statement, reads sizes and commitment.
pub(crate) fn begin<T: Transcript>(
    channel: &mut Channel<'_, T>,
    program: &Program,
    public_input: &[u8; 32],
) -> Outcome<Begun> {
    for half in halves(program.seed())
        .into_iter()
        .chain(halves(public_input))
    {
        channel.observe(half);
    }
    let sizes = Sizes::read(channel)?;
    let layout = Layout::new(sizes, program.log_instructions()).map_err(Failure::Malformed)?;
    let target = Target::v0(CLAIMS);
    let schedule = Schedule::derive(layout.variables, sizes.log_inv_rate, target)
        .map_err(|error| Failure::Malformed(error.into()))?;
    let root = channel.read_digest()?;
    Ok(Begun {
        layout,
        schedule,
        root,
    })
}

/// Everything about the execution but the BLAKE2s constraints: bus, tables, public input.
fn execution<T: Transcript>(
    channel: &mut Channel<'_, T>,
    program: &Program,
    public_input: &[u8; 32],
    layout: &Layout,
) -> Outcome<Vec<PointClaim>> {
    let fingerprint = Fingerprint::sample(channel);
    let leaves = bus::grand_products(channel, layout.bus_variables)?;
    let framework = FrameworkValues::read(channel)?;
    let zeta = &leaves.point;
    let selectors = Selectors::new(layout, zeta);
    let owed = bus::owed_by_tables(
        program,
        layout,
        &fingerprint,
        &leaves,
        &selectors,
        &framework,
    );
    let tables = table_sumcheck::verify(channel, layout, &fingerprint, &selectors, zeta, &owed)?;
    let public = claims::public_input(channel, public_input)?;
    Ok(claims::collect(layout, zeta, &framework, &tables, &public))
}

/// Ring switching, batching of all claims, and their opening.
fn open<T: Transcript>(
    channel: &mut Channel<'_, T>,
    openings: &mut Openings<'_>,
    begun: &Begun,
    claims: &[PointClaim],
    bits: &BitClaims,
) -> Outcome<Vec<OpenedLevel>> {
    let (weight, target) = batch(channel, &begun.layout, claims, bits);
    let commitment = Commitment {
        root: begun.root,
        lanes: begun.layout.lanes,
    };
    verify_opening(
        channel,
        openings,
        &begun.schedule,
        &commitment,
        target,
        &weight,
    )
    .map_err(|failure| failure.map_rejected(Rejection::Opening))
}

/// Draws the challenges of ring switching and batching.
pub(crate) fn batch<'a, T: Transcript>(
    channel: &mut Channel<'_, T>,
    layout: &Layout,
    claims: &'a [PointClaim],
    bits: &BitClaims,
) -> (BatchedWeight<'a>, E) {
    let challenges = core::array::from_fn(|_| channel.sample());
    let packed = RingSwitch::new(challenges, bits.point.clone());
    for claim in claims {
        channel.observe(claim.value);
    }
    let columns = PointClaims {
        claims,
        challenge: channel.sample(),
    };
    let target = packed.target(&bits.bits) + columns.target();
    let weight = BatchedWeight {
        placement: layout.packed(),
        packed,
        columns,
    };
    (weight, target)
}

/// The ring-switched claim about the packed witness, and all claims about columns.
pub(crate) struct BatchedWeight<'a> {
    pub(crate) placement: Placement,
    pub(crate) packed: RingSwitch,
    pub(crate) columns: PointClaims<'a>,
}

impl Weight for BatchedWeight<'_> {
    fn evaluate(&self, point: &[E]) -> E {
        let own = point.get(..self.placement.variables()).unwrap_or_default();
        self.placement.selector_weight(point) * self.packed.weight(own)
            + self.columns.evaluate(point)
    }
}

fn to_usize(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
