//! The prover's side of a [`Suite`]: batched hashing and transcripts that grind to the smallest
//! nonce.

use p3_challenger::{CanObserve, CanSampleUniformBits, FieldChallenger, GrindingChallenger};
use p3_commit::Mmcs;
use prova_hash::TreeHasher;
use prova_whir::Suite;
use prova_whir::suite::{BaseField, Blake3Suite, Keccak, Poseidon2x16, Poseidon2x24};

/// A suite that can prove.
pub trait ProverSuite: Suite {
    /// Hashes rows and nodes of Merkle trees in batches.
    type Hasher: TreeHasher<Self::F, Digest = Self::Digest>;
    /// The suite's transcript with deterministic proof-of-work.
    type Grinder: FieldChallenger<Self::F>
        + GrindingChallenger<Witness = Self::F>
        + CanSampleUniformBits<Self::F>
        + CanObserve<<Self::Mmcs as Mmcs<Self::F>>::Commitment>
        + Clone
        + Send;

    /// The hasher.
    fn hasher() -> Self::Hasher;
    /// A fresh transcript.
    fn grinder() -> Self::Grinder;
}
