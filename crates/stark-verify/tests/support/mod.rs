//! Plonky3's own prover and verifier, around keys and proof files of this crate.
#![allow(dead_code, reason = "every test binary uses some of it")]

use p3_air::symbolic::SymbolicAirBuilder;
use p3_air::{Air, AirBuilder, BaseAir, DebugConstraintBuilder, WindowAccess};
use p3_baby_bear::BabyBear;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::{
    ProverConstraintFolder, VerifierConstraintFolder, prove_with_preprocessed, setup_preprocessed,
    verify_with_preprocessed,
};
use prova_hash::shape::{Keccak256, SoftKeccakF};
use prova_stark_verify::host::{self, Config, Proof, config, derive_key, to_file};
use prova_stark_verify::{
    Digest, Fibonacci, FriParams, Key, NoSteps, StarkAir, Verdict, Verified, VerifyingKey, verify,
};

pub type Hash = Keccak256<SoftKeccakF>;

/// Constraints with everything that Plonky3's prover and verifier ask of them.
pub trait TestAir:
    StarkAir
    + Air<SymbolicAirBuilder<BabyBear>>
    + for<'a> Air<ProverConstraintFolder<'a, Config>>
    + for<'a> Air<VerifierConstraintFolder<'a, Config>>
    + for<'a> Air<DebugConstraintBuilder<'a, BabyBear>>
{
    fn trace(&self, rows: usize) -> RowMajorMatrix<BabyBear>;
    fn public(&self, trace: &RowMajorMatrix<BabyBear>) -> Vec<BabyBear>;
}

impl TestAir for Fibonacci {
    fn trace(&self, rows: usize) -> RowMajorMatrix<BabyBear> {
        let mut row = (BabyBear::ZERO, BabyBear::ONE);
        let mut values = Vec::new();
        for _ in 0..rows {
            values.extend([row.0, row.1]);
            row = (row.1, row.0 + row.1);
        }
        RowMajorMatrix::new(values, 2)
    }

    fn public(&self, trace: &RowMajorMatrix<BabyBear>) -> Vec<BabyBear> {
        let values = &trace.values;
        vec![values[0], values[1], values[values.len() - 1]]
    }
}

/// `c = a * b^3` with a preprocessed `b` that is also read a row ahead, and no next row of the
/// trace: parts of the quotient, preprocessed columns, one opening point for the trace.
#[derive(Clone, Copy, Debug)]
pub struct Cubes {
    pub rows: usize,
}

impl StarkAir for Cubes {
    const NAME: &'static str = "test-cubes/1";
}

impl BaseAir<BabyBear> for Cubes {
    fn width(&self) -> usize {
        3
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<BabyBear>> {
        let values = (0..self.rows).map(|i| BabyBear::from_usize(i * i + 3));
        Some(RowMajorMatrix::new(values.collect(), 1))
    }

    fn preprocessed_width(&self) -> usize {
        1
    }
}

impl<AB: AirBuilder<F = BabyBear>> Air<AB> for Cubes {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let fixed = builder.preprocessed().clone();
        let (a, c, d) = (
            main.current(0).unwrap(),
            main.current(1).unwrap(),
            main.current(2).unwrap(),
        );
        let b: AB::Expr = fixed.current(0).unwrap().into();
        let next: AB::Expr = fixed.next(0).unwrap().into();
        let cube = b.clone() * b.clone() * b;
        builder.assert_zero(cube * a.into() - c.into());
        builder.when_transition().assert_zero(next - d.into());
    }
}

impl TestAir for Cubes {
    fn trace(&self, rows: usize) -> RowMajorMatrix<BabyBear> {
        let fixed = self.preprocessed_trace().unwrap().values;
        let values = (0..rows).flat_map(|i| {
            let a = BabyBear::from_usize(7 * i + 1);
            [a, a * fixed[i].cube(), fixed[(i + 1) % rows]]
        });
        RowMajorMatrix::new(values.collect(), 3)
    }

    fn public(&self, _: &RowMajorMatrix<BabyBear>) -> Vec<BabyBear> {
        Vec::new()
    }
}

/// A key, its encoding and digest, and a proof file under it.
pub struct Case<A> {
    pub air: A,
    pub key: VerifyingKey,
    pub key_bytes: Vec<u8>,
    pub digest: Digest,
    pub file: Vec<u8>,
    pub proof: Proof,
    pub public: Vec<BabyBear>,
    preprocessed: Option<p3_uni_stark::PreprocessedVerifierKey<Config>>,
}

pub fn prove<A: TestAir>(air: A, fri: FriParams, degree_bits: u32) -> Case<A> {
    let setup = setup_preprocessed(
        &config(&fri, &Digest::default()),
        &air,
        degree_bits as usize,
    )
    .unwrap();
    let commitment = setup.as_ref().map(|(_, vk)| &vk.commitment);
    let key = derive_key(&air, &fri, degree_bits, commitment).unwrap();
    let key_bytes = aligned(&key.to_bytes());
    let digest = Key::parse(&key_bytes).unwrap().digest(&Hash::new());
    let trace = air.trace(1 << degree_bits);
    let public = air.public(&trace);
    let proof = prove_with_preprocessed(
        &config(&fri, &digest),
        &air,
        trace,
        &public,
        setup.as_ref().map(|(data, _)| data),
    )
    .unwrap();
    let file = aligned(&to_file(&key, &proof, &public).unwrap());
    Case {
        air,
        key,
        key_bytes,
        digest,
        file,
        proof,
        public,
        preprocessed: setup.map(|(_, vk)| vk),
    }
}

impl<A: TestAir> Case<A> {
    /// Verdict of this crate.
    pub fn verify<'a>(&self, file: &'a [u8]) -> Verdict<Verified<'a>> {
        let key = Key::parse(&self.key_bytes).unwrap();
        verify::<_, _, NoSteps>(&self.air, &Hash::new(), &key, file)
    }

    /// Verdict of Plonky3's verifier; `None` if the file cannot be brought into its types.
    pub fn oracle(&self, file: &[u8]) -> Option<bool> {
        let (proof, public) = host::from_file(&self.key, file).ok()?;
        let config = config(&self.key.params().fri, &self.digest);
        let vk = self.preprocessed.as_ref();
        Some(verify_with_preprocessed(&config, &self.air, &proof, &public, vk).is_ok())
    }
}

/// Bytes in a vector whose start is aligned for words: a vector of bytes need not be.
pub fn aligned(bytes: &[u8]) -> Vec<u8> {
    assert!(
        bytes.as_ptr().align_offset(4) == 0,
        "allocators align far more"
    );
    bytes.to_vec()
}

/// Canonical public values.
pub fn canonical(public: &[BabyBear]) -> Vec<u32> {
    public.iter().map(PrimeField32::as_canonical_u32).collect()
}
