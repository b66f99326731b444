//! The prover's side of a [`Suite`]: batched hashing and transcripts that grind to the smallest
//! nonce.

use p3_blake3::Blake3;
use p3_challenger::{CanObserve, CanSampleUniformBits, FieldChallenger, GrindingChallenger};
use p3_commit::Mmcs;
use p3_field::{ExtensionField, TwoAdicField};
use p3_keccak::Keccak256Hash;
use prova_hash::challenger::{ByteGrinder, DuplexGrinder, HashGrinder};
use prova_hash::{
    Blake3TreeHasher, KeccakTreeHasher, Poseidon2Field, Poseidon2Kernel, Poseidon2TreeHasher16,
    Poseidon2TreeHasher24, TreeHasher,
};
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

/// A base field that every suite can prove over.
pub trait ProverField: BaseField + Poseidon2Field<16> + Poseidon2Field<24> {}

impl<F: BaseField + Poseidon2Field<16> + Poseidon2Field<24>> ProverField for F {}

macro_rules! prover_suite {
    ($suite:ident, $hasher:ty, $make_hasher:expr, $grinder:ty, $make_grinder:expr) => {
        impl<F: ProverField, EF: ExtensionField<F> + TwoAdicField> ProverSuite for $suite<F, EF> {
            type Hasher = $hasher;
            type Grinder = $grinder;

            fn hasher() -> Self::Hasher {
                $make_hasher
            }
            fn grinder() -> Self::Grinder {
                $make_grinder
            }
        }
    };
}

prover_suite!(
    Poseidon2x16,
    Poseidon2TreeHasher16<F>,
    Poseidon2TreeHasher16::grain(),
    DuplexGrinder<F>,
    DuplexGrinder::new(Poseidon2Kernel::grain())
);
prover_suite!(
    Poseidon2x24,
    Poseidon2TreeHasher24<F>,
    Poseidon2TreeHasher24::grain(),
    DuplexGrinder<F>,
    DuplexGrinder::new(Poseidon2Kernel::grain())
);
prover_suite!(
    Keccak,
    KeccakTreeHasher,
    KeccakTreeHasher,
    ByteGrinder<F, Keccak256Hash>,
    ByteGrinder::new(HashGrinder::new(Vec::new(), Keccak256Hash {}))
);
prover_suite!(
    Blake3Suite,
    Blake3TreeHasher,
    Blake3TreeHasher,
    ByteGrinder<F, Blake3>,
    ByteGrinder::new(HashGrinder::new(Vec::new(), Blake3))
);
