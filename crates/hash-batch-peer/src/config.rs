//! The commitment that also binds the statement, and the wiring of `p3-multi-stark`.

use std::fmt::Debug;
use std::marker::PhantomData;

use p3_binary_field::{BinaryChallenger, BitCoordinates, TowerLevel};
use p3_binary_pcs::{BooleanMultilinearPcs, BooleanTraceCommitment, BooleanTraceCommitmentData};
use p3_blake2s::Blake2s256;
use p3_challenger::fs::TranscriptField;
use p3_challenger::{
    CanObserve, CanSampleUniformBits, FieldChallenger, GrindingChallenger, HashChallenger,
};
use p3_commit::MultilinearPcs;
use p3_field::{ExtensionField, Field};
use p3_multi_stark::config::MultiStarkConfig;
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use p3_security::{ErrorBits, SecurityTerm};
use p3_sumcheck::layout::Table;
use p3_sumcheck::{OpeningEvals, OpeningProtocol, PrescribedOpeningSecurity, PrescribedPointPcs};
use p3_symmetric::{CompressionFunctionFromHasher, SerializingHasher};

use crate::statement::{Digest, Mismatch, check};

/// Hash of Merkle leaves.
pub type Hash = SerializingHasher<Blake2s256>;
/// Hash of Merkle nodes.
pub type Compress = CompressionFunctionFromHasher<Blake2s256, 2, 32>;
/// A Merkle tree over elements of `F`.
pub type Merkle<F> = p3_merkle_tree::MerkleTreeMmcs<F, u8, Hash, Compress, 2, 32>;
/// The transcript of a proof whose committed elements are `F`.
pub type Challenger<F> = BinaryChallenger<F, HashChallenger<u8, Blake2s256, 32>>;

/// Collision resistance of BLAKE2s-256, in bits.
const COLLISION_BITS: usize = 128;

/// A tree with a cap of this height.
pub fn merkle<F: Field>(cap_height: usize) -> Merkle<F> {
    Merkle::new(Hash::new(Blake2s256), Compress::new(Blake2s256), cap_height)
}

/// Domain separation of the transcript.
const LABEL: &[u8] = b"prova hash-batch peer v1";

/// A transcript that starts from the statement.
pub fn challenger<F: Field>(digests: &[Digest]) -> Challenger<F> {
    let mut start = LABEL.to_vec();
    start.extend((digests.len() as u64).to_le_bytes());
    start.extend(Blake2s256::hash(digests.as_flattened()));
    Challenger::from_hasher(start, Blake2s256)
}

/// A commitment to bits, for one list of digests: whatever it opens must also be the statement's.
pub struct Bound<EF, B> {
    inner: BooleanTraceCommitment<EF, B>,
    digests: Vec<Digest>,
}

/// An opening is refused.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError<E: Debug> {
    /// By the commitment.
    #[error("{0:?}")]
    Commitment(E),
    /// The opened columns are not the statement's.
    #[error(transparent)]
    Statement(#[from] Mismatch),
}

type Inner<EF, B> = BooleanTraceCommitment<EF, B>;

impl<EF, B, C> MultilinearPcs<EF, C> for Bound<EF, B>
where
    EF: BitCoordinates + ExtensionField<B::Val>,
    B: BooleanMultilinearPcs<EF, C>,
    B::Val: TranscriptField + TowerLevel,
    C: FieldChallenger<B::Val>
        + GrindingChallenger<Witness = B::Val>
        + CanSampleUniformBits<B::Val>
        + CanObserve<B::Commitment>,
{
    type Val = B::Val;
    type Commitment = B::Commitment;
    type ProverData = BooleanTraceCommitmentData<B::Val, B::ProverData>;
    type Proof = <Inner<EF, B> as MultilinearPcs<EF, C>>::Proof;
    type Error = OpeningError<<Inner<EF, B> as MultilinearPcs<EF, C>>::Error>;
    type ProverError = <Inner<EF, B> as MultilinearPcs<EF, C>>::ProverError;
    type Witness = Vec<Table<B::Val>>;
    type OpeningProtocol = OpeningProtocol;

    fn num_vars(&self) -> usize {
        self.inner.num_variables()
    }

    fn commit(
        &self,
        witness: Self::Witness,
        challenger: &mut C,
    ) -> Result<(Self::Commitment, Self::ProverData), Self::ProverError> {
        self.inner.commit(witness, challenger)
    }

    fn observe_commitment(&self, commitment: &Self::Commitment, challenger: &mut C) {
        self.inner.observe_commitment(commitment, challenger);
    }

    fn open(
        &self,
        prover_data: Self::ProverData,
        protocol: Self::OpeningProtocol,
        challenger: &mut C,
    ) -> Result<Self::Proof, Self::ProverError> {
        self.inner.open(prover_data, protocol, challenger)
    }

    fn verify(
        &self,
        commitment: &Self::Commitment,
        proof: &Self::Proof,
        challenger: &mut C,
        protocol: Self::OpeningProtocol,
    ) -> Result<(), Self::Error> {
        self.inner
            .verify(commitment, proof, challenger, protocol)
            .map_err(OpeningError::Commitment)
    }
}

impl<EF, B, C> PrescribedPointPcs<EF, C> for Bound<EF, B>
where
    EF: BitCoordinates + ExtensionField<B::Val>,
    B: BooleanMultilinearPcs<EF, C>,
    B::Val: TranscriptField + TowerLevel,
    C: FieldChallenger<B::Val>
        + GrindingChallenger<Witness = B::Val>
        + CanSampleUniformBits<B::Val>
        + CanObserve<B::Commitment>,
{
    fn bit_region(&self, table: usize, width: usize) -> usize {
        PrescribedPointPcs::<EF, C>::bit_region(&self.inner, table, width)
    }

    /// The commitment's errors, and the chance that a column of another polynomial of the list agrees
    /// with the statement's at the random point (Schwartz and Zippel).
    fn prescribed_security(&self, protocol: &OpeningProtocol) -> Option<PrescribedOpeningSecurity> {
        let mut security = PrescribedPointPcs::<EF, C>::prescribed_security(&self.inner, protocol)?;
        let rows = self.digests.len().ilog2().max(1);
        let bits = EF::bits() as f64 - f64::from(rows).log2();
        security.charge_reduction(SecurityTerm::new(
            "statement columns",
            ErrorBits::from_log2(bits),
        ));
        Some(security)
    }

    fn open_at(
        &self,
        prover_data: Self::ProverData,
        protocol: &OpeningProtocol,
        points: &[Point<EF>],
        challenger: &mut C,
    ) -> Result<Self::Proof, Self::ProverError> {
        self.inner
            .open_at(prover_data, protocol, points, challenger)
    }

    fn open_at_known(
        &self,
        prover_data: Self::ProverData,
        protocol: &OpeningProtocol,
        points: &[Point<EF>],
        known: &[Option<OpeningEvals<EF>>],
        challenger: &mut C,
    ) -> Result<Self::Proof, Self::ProverError> {
        self.inner
            .open_at_known(prover_data, protocol, points, known, challenger)
    }

    fn verify_at(
        &self,
        commitment: &Self::Commitment,
        proof: &Self::Proof,
        protocol: &OpeningProtocol,
        points: &[Point<EF>],
        challenger: &mut C,
    ) -> Result<Vec<OpeningEvals<EF>>, Self::Error> {
        let opened = self
            .inner
            .verify_at(commitment, proof, protocol, points, challenger)
            .map_err(OpeningError::Commitment)?;
        // One table, opened at the one point that the zerocheck ends in.
        let ([columns], [point]) = (opened.as_slice(), points) else {
            return Err(Mismatch { what: "openings" }.into());
        };
        let eq = Poly::new_from_point(point.as_slice(), EF::ONE);
        check(columns.current(), &self.digests, &eq)?;
        Ok(opened)
    }
}

/// One list of digests, proved through the commitment `B`.
pub struct Config<F, EF, B> {
    pcs: Bound<EF, B>,
    committed: PhantomData<fn() -> F>,
}

impl<F, EF, B> Config<F, EF, B> {
    /// Of a commitment to the stacked trace of this many digests.
    pub const fn new(inner: BooleanTraceCommitment<EF, B>, digests: Vec<Digest>) -> Self {
        Self {
            pcs: Bound { inner, digests },
            committed: PhantomData,
        }
    }

    /// The statement.
    pub fn digests(&self) -> &[Digest] {
        &self.pcs.digests
    }
}

impl<F, EF, B> MultiStarkConfig for Config<F, EF, B>
where
    EF: BitCoordinates + ExtensionField<F>,
    B: BooleanMultilinearPcs<EF, Challenger<F>, Val = F>,
    F: TranscriptField + TowerLevel,
    Challenger<F>: FieldChallenger<F>
        + GrindingChallenger<Witness = F>
        + CanSampleUniformBits<F>
        + CanObserve<B::Commitment>,
{
    type Val = F;
    type Challenge = EF;
    type Challenger = Challenger<F>;
    type Pcs = Bound<EF, B>;

    fn pcs(&self) -> &Self::Pcs {
        &self.pcs
    }

    fn collision_resistance_bits(&self) -> Option<usize> {
        Some(COLLISION_BITS)
    }

    fn min_num_variables(&self) -> usize {
        1
    }

    fn build_witness(&self, tables: Vec<Table<F>>) -> Vec<Table<F>> {
        tables
    }

    fn committed_table<'a>(
        &self,
        prover_data: &'a BooleanTraceCommitmentData<F, B::ProverData>,
        table_index: usize,
    ) -> &'a Table<F> {
        prover_data.table(table_index)
    }
}
