//! Verification of a batch proof, step by step.
//!
//! Transcript: the profile's label, log inverse rate, statement; the root; `rho`; zerocheck;
//! lincheck; the six challenges of ring switching; the challenge whose powers batch the statement's
//! claims (their values are functions of what was absorbed); the opening. Everything is absorbed
//! before the first challenge that depends on it.
//!
//! Soundness over `E = GF(2^192)`: `tau / |E|` for the statement's columns (see [`crate::claims`]),
//! `(4 tau + 163) / |E|` for zerocheck and lincheck, `2^32 / |E|` for ring switching, and the opening
//! by its [`Schedule`], which the batching of all claims is part of.

use alloc::vec::Vec;

use prova_binary_pcs::field::{E, PrimeCharacteristicRing, embed};
use prova_binary_pcs::merkle::Digest;
use prova_binary_pcs::opening::{self, Commitment, OpenedLevel, Weight};
use prova_binary_pcs::params::{LEAST_VARIABLES, Schedule, Target};
use prova_binary_pcs::poly::eq;
use prova_binary_pcs::ring_switch::RingSwitch;
use prova_binary_pcs::stack::Placement;
use prova_binary_pcs::stream::{self, Channel, Form, Openings, Proof};
use prova_binary_pcs::transcript::{ChainV0, Transcript};
use prova_lean_vm::blake2s::lincheck::BitClaims;
use prova_lean_vm::blake2s::{lincheck, zerocheck};
pub use prova_lean_vm::{Malformed, Rejection, VerifyError};
use prova_proof_file::{Failure, TapeError};

use crate::claims::{LinearClaim, SLOT_VARIABLES, claims};
use crate::statement::Statement;

/// Most claims that one opening batches: the bits, and those of the largest statement.
const CLAIMS: u32 = 32;

/// How a proof is framed, and what its opening is ground for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The opening as leanVM-b (commit 5df6c373) has it: [`Target::v0`], and every list behind its
    /// length.
    V0,
    /// Smaller proofs: [`Target::v1`], no lengths.
    #[default]
    V1,
}

impl Profile {
    /// Absorbed first by the transcripts of the profile's proofs.
    #[must_use]
    pub const fn label(self) -> &'static [u8] {
        match self {
            Self::V0 => b"prova/hash-batch/v0",
            Self::V1 => b"prova/hash-batch/v1",
        }
    }

    /// What the ladder of a polynomial in `variables` variables aims at.
    #[must_use]
    pub fn target(self, variables: usize) -> Target {
        match self {
            Self::V0 => Target::v0(CLAIMS),
            Self::V1 => Target::v1(variables, CLAIMS),
        }
    }

    /// Splits a proof into scalars and openings.
    fn read<'a>(
        self,
        transcript: ChainV0,
        shape: &Shape,
        proof: &'a [u8],
    ) -> Result<(Channel<'a, ChainV0>, Openings<'a>), TapeError> {
        match self {
            Self::V0 => Proof::parse(Form::Wire, proof).map(|parts| parts.channel(transcript)),
            Self::V1 => stream::bare(transcript, shape.scalar_count(), proof),
        }
    }
}

/// What a verifier chooses besides the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Logarithm of the inverse rate of the first oracle, 1 to 4.
    pub log_inv_rate: u32,
    /// The profile.
    pub profile: Profile,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            log_inv_rate: 1,
            profile: Profile::default(),
        }
    }
}

/// What an accepted proof was about.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Bytes of the proof.
    pub proof_bytes: usize,
    /// Logarithm of the number of instances.
    pub log_instances: u32,
    /// Root of the commitment.
    pub root: Digest,
    /// The ladder of the opening, with every bound.
    pub schedule: Schedule,
    /// What was opened at each level.
    pub levels: Vec<OpenedLevel>,
}

/// The sizes of a batch's commitment.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Variables that number instances.
    pub instance_variables: usize,
    /// Variables of the committed polynomial.
    pub variables: usize,
    /// Where the packed witness lies in it: at the start.
    pub placement: Placement,
    /// Lanes that hold words.
    pub lanes: usize,
    /// The ladder.
    pub schedule: Schedule,
}

impl Shape {
    /// The shape of a statement's proofs.
    ///
    /// # Errors
    /// An inverse rate that is not supported.
    pub fn new(statement: &Statement, parameters: &Parameters) -> Result<Self, Malformed> {
        let log_instances = statement.log_instances();
        let instance_variables = usize::try_from(log_instances).unwrap_or(usize::MAX);
        let words = instance_variables.saturating_add(SLOT_VARIABLES);
        let variables = words.max(LEAST_VARIABLES);
        let log_size = u32::try_from(words).unwrap_or(u32::MAX);
        let target = parameters.profile.target(variables);
        Ok(Self {
            instance_variables,
            variables,
            placement: Placement {
                offset: 0,
                log_size,
            },
            lanes: Commitment::lanes_for(1_u64.checked_shl(log_size).unwrap_or(0), variables),
            schedule: Schedule::derive(variables, parameters.log_inv_rate, target)?,
        })
    }

    /// Scalars of a proof: the root, zerocheck, lincheck and the opening.
    #[must_use]
    pub fn scalar_count(&self) -> usize {
        zerocheck::scalar_count(self.instance_variables)
            .saturating_add(2 + lincheck::SCALARS)
            .saturating_add(self.schedule.scalar_count())
    }
}

/// A transcript that has absorbed parameters and statement.
#[must_use]
pub fn transcript(statement: &Statement, parameters: &Parameters) -> ChainV0 {
    let mut transcript = ChainV0::new(parameters.profile.label());
    transcript.observe(embed(parameters.log_inv_rate.into()));
    transcript.observe_bytes(&statement.encoding());
    transcript
}

/// The one linear claim that is opened: the ring-switched bits plus the statement's claims.
#[derive(Clone, Debug)]
pub struct Batched {
    /// Where the packed witness lies.
    pub placement: Placement,
    /// The map of the bit claims, with their point.
    pub ring: RingSwitch,
    /// Scaled values at points of the whole polynomial.
    pub terms: Vec<(E, Vec<E>)>,
    /// The claimed sum.
    pub target: E,
}

impl Batched {
    /// Batches `claims` with the powers `lambda, lambda^2, ..`; the bits have the power zero.
    #[must_use]
    pub fn new(
        shape: &Shape,
        bits: &BitClaims,
        ring_challenges: [E; 6],
        claims: &[LinearClaim],
        lambda: E,
    ) -> Self {
        let ring = RingSwitch::new(ring_challenges, bits.point.clone());
        let mut target = ring.target(&bits.bits);
        let mut terms = Vec::new();
        let mut power = E::ONE;
        for claim in claims {
            power *= lambda;
            target += power * claim.value;
            terms.extend(claim.terms.iter().map(|term| {
                let point = shape.placement.lift(&term.point, shape.variables);
                (power * term.scale, point)
            }));
        }
        Self {
            placement: shape.placement,
            ring,
            terms,
            target,
        }
    }
}

impl Weight for Batched {
    fn evaluate(&self, point: &[E]) -> E {
        let own = point.get(..self.placement.variables()).unwrap_or_default();
        let bits = self.placement.selector_weight(point) * self.ring.weight(own);
        self.terms
            .iter()
            .fold(bits, |sum, (scale, at)| sum + *scale * eq(at, point))
    }
}

/// Verifies a proof of `statement`.
///
/// # Errors
/// [`Failure::Malformed`] when the proof is not one of the statement's shape,
/// [`Failure::Rejected`] with the step that found it false.
pub fn verify(
    statement: &Statement,
    parameters: &Parameters,
    proof: &[u8],
) -> Result<Summary, VerifyError> {
    let shape = Shape::new(statement, parameters).map_err(Failure::Malformed)?;
    let start = transcript(statement, parameters);
    let (mut channel, mut openings) = parameters.profile.read(start, &shape, proof)?;
    let root = channel.read_digest()?;
    let rho = channel.sample_many(shape.instance_variables);

    let products = zerocheck::verify(&mut channel, shape.instance_variables)?;
    let bits = lincheck::verify(&mut channel, &products)?;

    let ring_challenges = core::array::from_fn(|_| channel.sample());
    let lambda = channel.sample();
    let claims = claims(statement, &rho);
    let batched = Batched::new(&shape, &bits, ring_challenges, &claims, lambda);
    let commitment = Commitment {
        root,
        lanes: shape.lanes,
    };
    let levels = opening::verify(
        &mut channel,
        &mut openings,
        &shape.schedule,
        &commitment,
        batched.target,
        &batched,
    )
    .map_err(|failure| failure.map_rejected(Rejection::Opening))?;
    channel.finish()?;
    openings.finish()?;
    Ok(Summary {
        proof_bytes: proof.len(),
        log_instances: statement.log_instances(),
        root,
        schedule: shape.schedule,
        levels,
    })
}
