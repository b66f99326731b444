//! Proving and verifying, the same for every field.

use std::marker::PhantomData;

use p3_binary_field::{BitCoordinates, TowerLevel};
use p3_binary_pcs::{BooleanMultilinearPcs, BooleanTraceCommitment};
use p3_blake2s_air::{Blake2sBinaryAir, Blake2sCompressionInput, generate_binary_trace_packed};
use p3_challenger::fs::TranscriptField;
use p3_challenger::{CanObserve, CanSampleUniformBits, FieldChallenger, GrindingChallenger};
use p3_field::ExtensionField;
use p3_multi_stark::{
    MultiStarkProof, ProverInstance, ProverInstances, ProvingKey, VerifierInstance,
    VerifierInstances, VerifyingKey, ZerocheckBackend, prove_with_backend, security_report, setup,
    verify,
};
use p3_sumcheck::layout::Table;

use crate::PeerError;
use crate::config::{Challenger, Config, challenger};
use crate::statement::{CHAINING_VALUE, Digest, MESSAGE_BYTES};

/// A prover and a verifier of one statement.
pub trait Proves: Send + Sync {
    /// See [`crate::Peer::prove`].
    fn prove(&self, messages: &[[u8; 64]]) -> Result<Vec<u8>, PeerError>;
    /// See [`crate::Peer::verify`].
    fn verify(&self, proof: &[u8]) -> Result<(), PeerError>;
    /// See [`crate::Peer::security_bits`].
    fn security_bits(&self) -> f64;
}

/// The AIR over a commitment `B` with challenges `EF`, its zerocheck by `Z`.
pub struct System<F, EF, B, Z>
where
    Config<F, EF, B>: p3_multi_stark::config::MultiStarkConfig,
{
    config: Config<F, EF, B>,
    proving_key: ProvingKey<Config<F, EF, B>>,
    verifying_key: VerifyingKey<Config<F, EF, B>>,
    security_bits: f64,
    zerocheck: PhantomData<fn() -> Z>,
}

/// The commitment refuses what is not a bit, which saves the AIR those constraints.
const AIR: Blake2sBinaryAir = Blake2sBinaryAir::assuming_boolean_trace();

impl<F, EF, B, Z> System<F, EF, B, Z>
where
    EF: BitCoordinates + ExtensionField<F>,
    B: BooleanMultilinearPcs<EF, Challenger<F>, Val = F>,
    F: TranscriptField + TowerLevel,
    Challenger<F>: FieldChallenger<F>
        + GrindingChallenger<Witness = F>
        + CanSampleUniformBits<F>
        + CanObserve<B::Commitment>,
{
    /// Prepares keys and states the security.
    ///
    /// # Errors
    /// [`PeerError::Setup`].
    pub fn new(
        commitment: BooleanTraceCommitment<EF, B>,
        digests: Vec<Digest>,
    ) -> Result<Self, PeerError> {
        let failed = |error: &dyn std::fmt::Debug| PeerError::Setup(format!("{error:?}"));
        let config = Config::new(commitment, digests);
        let (proving_key, verifying_key) =
            setup(&config, &[&AIR], &mut challenger(&[])).map_err(|error| failed(&error))?;
        let log_rows = config.digests().len().ilog2() as usize;
        let instance = VerifierInstance::new(&AIR, &verifying_key, log_rows, &[]);
        let report = security_report(&config, &VerifierInstances::new(vec![instance]))
            .map_err(|error| failed(&error))?;
        let security_bits = report
            .security_bits()
            .ok_or_else(|| failed(&report.unassessed_components()))?;
        Ok(Self {
            config,
            proving_key,
            verifying_key,
            security_bits,
            zerocheck: PhantomData,
        })
    }
}

impl<F, EF, B, Z> Proves for System<F, EF, B, Z>
where
    EF: BitCoordinates + ExtensionField<F>,
    B: BooleanMultilinearPcs<EF, Challenger<F>, Val = F> + Send + Sync,
    F: TranscriptField + TowerLevel,
    B::ProverData: Clone + Send + Sync,
    B::Commitment: Send + Sync,
    Challenger<F>: Clone
        + FieldChallenger<F>
        + GrindingChallenger<Witness = F>
        + CanSampleUniformBits<F>
        + CanObserve<B::Commitment>,
    Z: ZerocheckBackend<F, EF, Blake2sBinaryAir>,
{
    fn prove(&self, messages: &[[u8; 64]]) -> Result<Vec<u8>, PeerError> {
        let digests = self.config.digests();
        if messages.len() != digests.len() {
            return Err(PeerError::Messages {
                got: messages.len(),
                expected: digests.len(),
            });
        }
        let inputs: Vec<_> = messages.iter().map(compression).collect();
        let trace = generate_binary_trace_packed::<F>(&inputs);
        drop(inputs);
        let table = Table::from_packed_bits(trace, digests.len().ilog2() as usize);
        let instance = ProverInstance::new(&AIR, table, &self.proving_key, &[]);
        let proof = prove_with_backend::<_, _, Z>(
            &self.config,
            ProverInstances::new(vec![instance]),
            0,
            &mut challenger(digests),
        )
        .map_err(|error| PeerError::Proving(format!("{error:?}")))?;
        postcard::to_allocvec(&proof).map_err(|error| PeerError::Proving(error.to_string()))
    }

    fn verify(&self, proof: &[u8]) -> Result<(), PeerError> {
        let (proof, rest): (MultiStarkProof<Config<F, EF, B>>, _) =
            postcard::take_from_bytes(proof)
                .map_err(|error| PeerError::Proof(error.to_string()))?;
        if !rest.is_empty() {
            return Err(PeerError::Proof(format!("{} bytes too many", rest.len())));
        }
        let digests = self.config.digests();
        let log_rows = digests.len().ilog2() as usize;
        let instance = VerifierInstance::new(&AIR, &self.verifying_key, log_rows, &[]);
        verify(
            &self.config,
            VerifierInstances::new(vec![instance]),
            &proof,
            0,
            &mut challenger(digests),
        )
        .map_err(|error| PeerError::Rejected(error.to_string()))
    }

    fn security_bits(&self) -> f64 {
        self.security_bits
    }
}

/// The only compression of a message.
fn compression(message: &[u8; 64]) -> Blake2sCompressionInput {
    let (words, _) = message.as_chunks::<4>();
    Blake2sCompressionInput {
        chaining_value: CHAINING_VALUE,
        block: std::array::from_fn(|i| u32::from_le_bytes(words[i])),
        counter: MESSAGE_BYTES.into(),
        last_block: true,
    }
}
