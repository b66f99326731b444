//! Verification of a batch proof, step by step.
//!
//! Transcript: label, statement, log inverse rate; the root; `rho`; zerocheck; lincheck; the six
//! challenges of ring switching; the challenge whose powers batch the statement's claims (their
//! values are functions of what was absorbed); the opening. Everything is absorbed before the first
//! challenge that depends on it.
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
use prova_binary_pcs::stream::{Form, Proof};
use prova_binary_pcs::transcript::{ChainV0, Transcript};
use prova_lean_vm::blake2s::lincheck::BitClaims;
use prova_lean_vm::blake2s::{lincheck, zerocheck};
pub use prova_lean_vm::{Malformed, Rejection, VerifyError};
use prova_proof_file::Failure;

use crate::claims::{LinearClaim, SLOT_VARIABLES, claims};
use crate::statement::Statement;

/// Absorbed by the transcript of every batch proof.
pub const LABEL: &[u8] = b"prova/hash-batch/v1";

/// Most claims that one opening batches: the bits, and those of the largest statement.
const CLAIMS: u32 = 32;

/// What a verifier chooses besides the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Logarithm of the inverse rate of the first oracle, 1 to 4.
    pub log_inv_rate: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { log_inv_rate: 1 }
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
        let target = Target::v0(CLAIMS);
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
}

/// A transcript that has absorbed statement and parameters.
#[must_use]
pub fn transcript(statement: &Statement, parameters: &Parameters) -> ChainV0 {
    let mut transcript = ChainV0::new(LABEL);
    transcript.observe_bytes(&statement.encoding());
    transcript.observe(embed(parameters.log_inv_rate.into()));
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

/// Verifies a proof of `statement` in the wire form.
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
    let bytes = Proof::parse(Form::Wire, proof)?;
    let (mut channel, mut openings) = bytes.channel(transcript(statement, parameters));
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
