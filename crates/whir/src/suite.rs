//! The sixteen concrete combinations of field, extension and hash suite.
//!
//! [`Suite`] ties a combination to the `p3-*` types the stock verifier wants; [`with_suite!`]
//! turns run-time [`Params`](crate::Params) into a compile-time suite.

use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use p3_baby_bear::{
    BabyBear, Poseidon2BabyBear, default_babybear_poseidon2_16, default_babybear_poseidon2_24,
};
use p3_blake3::Blake3;
use p3_challenger::{
    CanObserve, CanSampleUniformBits, DuplexChallenger, FieldChallenger, GrindingChallenger,
    HashChallenger, SerializingChallenger32,
};
use p3_commit::Mmcs;
use p3_field::extension::{BinomialExtensionField, QuinticTrinomialExtensionField};
use p3_field::{ExtensionField, PrimeField32, TwoAdicField, UniformSamplingField};
use p3_keccak::{Keccak256Hash, KeccakF};
use p3_koala_bear::{
    KoalaBear, Poseidon2KoalaBear, default_koalabear_poseidon2_16, default_koalabear_poseidon2_24,
};
use p3_merkle_tree::{MerkleTreeMmcs, PrunedMerklePaths};
use p3_symmetric::{
    CompressionFunctionFromHasher, CryptographicPermutation, MerkleCap, PaddingFreeSponge,
    SerializingHasher, TruncatedPermutation,
};

use crate::params::{Field, HashSuite};
use crate::statement::DIGEST_BYTES;

/// BabyBear's extension of degree 4.
pub type BabyBear4 = BinomialExtensionField<BabyBear, 4>;
/// BabyBear's extension of degree 5.
pub type BabyBear5 = BinomialExtensionField<BabyBear, 5>;
/// KoalaBear's extension of degree 4.
pub type KoalaBear4 = BinomialExtensionField<KoalaBear, 4>;
/// KoalaBear's extension of degree 5; 5 does not divide `p - 1`, so its modulus is a trinomial.
pub type KoalaBear5 = QuinticTrinomialExtensionField<KoalaBear>;

/// A 31-bit base field with the Poseidon2 instances its crate ships.
pub trait BaseField:
    PrimeField32 + TwoAdicField + UniformSamplingField + Ord + Default + core::hash::Hash + 'static
{
    /// Tag of the field.
    const FIELD: Field;
    /// Poseidon2 of width 16, round constants from the Grain generator as its crate ships them.
    type Poseidon16: CryptographicPermutation<[Self; 16]>
        + CryptographicPermutation<[Self::Packing; 16]>
        + Clone
        + Send
        + Sync
        + 'static;
    /// Poseidon2 of width 24, likewise.
    type Poseidon24: CryptographicPermutation<[Self; 24]>
        + CryptographicPermutation<[Self::Packing; 24]>
        + Clone
        + Send
        + Sync
        + 'static;
    /// The width-16 permutation.
    fn poseidon16() -> Self::Poseidon16;
    /// The width-24 permutation.
    fn poseidon24() -> Self::Poseidon24;
}

impl BaseField for BabyBear {
    const FIELD: Field = Field::BabyBear;
    type Poseidon16 = Poseidon2BabyBear<16>;
    type Poseidon24 = Poseidon2BabyBear<24>;
    fn poseidon16() -> Self::Poseidon16 {
        default_babybear_poseidon2_16()
    }
    fn poseidon24() -> Self::Poseidon24 {
        default_babybear_poseidon2_24()
    }
}

impl BaseField for KoalaBear {
    const FIELD: Field = Field::KoalaBear;
    type Poseidon16 = Poseidon2KoalaBear<16>;
    type Poseidon24 = Poseidon2KoalaBear<24>;
    fn poseidon16() -> Self::Poseidon16 {
        default_koalabear_poseidon2_16()
    }
    fn poseidon24() -> Self::Poseidon24 {
        default_koalabear_poseidon2_24()
    }
}

/// A digest array with a fixed encoding of [`DIGEST_BYTES`] bytes.
pub trait Digest: Copy + Eq + Default + Send + Sync + core::fmt::Debug + 'static {
    /// Little-endian, word by word; field words are canonical integers.
    fn to_bytes(&self) -> [u8; DIGEST_BYTES];
    /// Inverse of [`Self::to_bytes`]; `None` for a word that is not canonical.
    fn from_bytes(bytes: &[u8; DIGEST_BYTES]) -> Option<Self>;
}

impl Digest for [u8; 32] {
    fn to_bytes(&self) -> [u8; DIGEST_BYTES] {
        *self
    }
    fn from_bytes(bytes: &[u8; DIGEST_BYTES]) -> Option<Self> {
        Some(*bytes)
    }
}

impl Digest for [u64; 4] {
    fn to_bytes(&self) -> [u8; DIGEST_BYTES] {
        let mut out = [0; DIGEST_BYTES];
        for (chunk, word) in out.chunks_exact_mut(8).zip(self) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        out
    }
    fn from_bytes(bytes: &[u8; DIGEST_BYTES]) -> Option<Self> {
        let mut out = [0; 4];
        for (word, chunk) in out.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(chunk.try_into().ok()?);
        }
        Some(out)
    }
}

impl<F: BaseField> Digest for [F; 8] {
    fn to_bytes(&self) -> [u8; DIGEST_BYTES] {
        let mut out = [0; DIGEST_BYTES];
        for (chunk, word) in out.chunks_exact_mut(4).zip(self) {
            chunk.copy_from_slice(&word.as_canonical_u32().to_le_bytes());
        }
        out
    }
    fn from_bytes(bytes: &[u8; DIGEST_BYTES]) -> Option<Self> {
        let mut out = [F::ZERO; 8];
        for (word, chunk) in out.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = F::from_canonical_checked(u32::from_le_bytes(chunk.try_into().ok()?))?;
        }
        Some(out)
    }
}

/// One combination of base field, challenge field and hash suite.
pub trait Suite: Copy + Default + Send + Sync + 'static {
    /// Tag of the hash suite.
    const HASH: HashSuite;
    /// Base field.
    type F: BaseField;
    /// Challenge field.
    type EF: ExtensionField<Self::F> + TwoAdicField;
    /// Merkle digest.
    type Digest: Digest;
    /// Merkle scheme of the stock verifier.
    type Mmcs: Mmcs<Self::F, Commitment: Clone, MultiProof: Clone> + Clone;
    /// Transcript of the stock verifier.
    type Challenger: FieldChallenger<Self::F>
        + GrindingChallenger<Witness = Self::F>
        + CanSampleUniformBits<Self::F>
        + CanObserve<<Self::Mmcs as Mmcs<Self::F>>::Commitment>
        + Clone;

    /// The Merkle scheme, cap height 0.
    fn mmcs() -> Self::Mmcs;
    /// A fresh transcript.
    fn challenger() -> Self::Challenger;
    /// A root as the scheme's commitment.
    fn commitment(root: Self::Digest) -> <Self::Mmcs as Mmcs<Self::F>>::Commitment;
    /// The one root of a commitment of cap height 0.
    fn root(commitment: &<Self::Mmcs as Mmcs<Self::F>>::Commitment) -> Option<Self::Digest>;
    /// Sibling digests, in wire order, as the scheme's multiproof.
    fn multiproof(siblings: Vec<Self::Digest>) -> <Self::Mmcs as Mmcs<Self::F>>::MultiProof;
    /// The sibling digests of a multiproof.
    fn siblings(proof: &<Self::Mmcs as Mmcs<Self::F>>::MultiProof) -> &[Self::Digest];
}

macro_rules! suite {
    ($(#[$doc:meta])* $name:ident, $hash:expr, $word:ty, $words:literal, $mmcs:ty, $challenger:ty,
     $make_mmcs:expr, $make_challenger:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<F, EF>(PhantomData<(F, EF)>);

        impl<F, EF> Default for $name<F, EF> {
            fn default() -> Self {
                Self(PhantomData)
            }
        }

        impl<F: BaseField, EF: ExtensionField<F> + TwoAdicField> Suite for $name<F, EF> {
            const HASH: HashSuite = $hash;
            type F = F;
            type EF = EF;
            type Digest = [$word; $words];
            type Mmcs = $mmcs;
            type Challenger = $challenger;

            fn mmcs() -> Self::Mmcs {
                $make_mmcs
            }
            fn challenger() -> Self::Challenger {
                $make_challenger
            }
            fn commitment(root: Self::Digest) -> MerkleCap<F, Self::Digest> {
                MerkleCap::new(vec![root])
            }
            fn root(commitment: &MerkleCap<F, Self::Digest>) -> Option<Self::Digest> {
                match commitment.roots() {
                    [root] => Some(*root),
                    _ => None,
                }
            }
            fn multiproof(sibling_hashes: Vec<Self::Digest>) -> PrunedMerklePaths<$word, $words> {
                PrunedMerklePaths { sibling_hashes }
            }
            fn siblings(proof: &PrunedMerklePaths<$word, $words>) -> &[Self::Digest] {
                &proof.sibling_hashes
            }
        }
    };
}

type Packed<F> = <F as p3_field::Field>::Packing;
type Duplex<F> = DuplexChallenger<F, <F as BaseField>::Poseidon16, 16, 8>;
type Node16<F> = TruncatedPermutation<<F as BaseField>::Poseidon16, 2, 8, 16>;

type Leaf24<F> = PaddingFreeSponge<<F as BaseField>::Poseidon24, 24, 16, 8>;
type KeccakSponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;
type Bytes<F, H> = SerializingChallenger32<F, HashChallenger<u8, H, 32>>;

suite!(
    /// Poseidon2 of width 16 for leaves, nodes and transcript.
    Poseidon2x16, HashSuite::Poseidon2x16, F, 8,
    MerkleTreeMmcs<Packed<F>, Packed<F>, PaddingFreeSponge<F::Poseidon16, 16, 8, 8>, Node16<F>, 2, 8>,
    Duplex<F>,
    MerkleTreeMmcs::new(
        PaddingFreeSponge::new(F::poseidon16()),
        TruncatedPermutation::new(F::poseidon16()),
        0,
    ),
    DuplexChallenger::new(F::poseidon16())
);
suite!(
    /// Poseidon2 of width 24 for leaves, width 16 for nodes and transcript.
    Poseidon2x24, HashSuite::Poseidon2x24, F, 8,
    MerkleTreeMmcs<Packed<F>, Packed<F>, Leaf24<F>, Node16<F>, 2, 8>,
    Duplex<F>,
    MerkleTreeMmcs::new(
        PaddingFreeSponge::new(F::poseidon24()),
        TruncatedPermutation::new(F::poseidon16()),
        0,
    ),
    DuplexChallenger::new(F::poseidon16())
);
suite!(
    /// Keccak-f sponge (rate 17 words, 4-word digests) for leaves and nodes; Keccak-256 transcript.
    Keccak, HashSuite::Keccak, u64, 4,
    MerkleTreeMmcs<F, u64, SerializingHasher<KeccakSponge>, CompressionFunctionFromHasher<KeccakSponge, 2, 4>, 2, 4>,
    Bytes<F, Keccak256Hash>,
    MerkleTreeMmcs::new(
        SerializingHasher::new(KeccakSponge::new(KeccakF {})),
        CompressionFunctionFromHasher::new(KeccakSponge::new(KeccakF {})),
        0,
    ),
    SerializingChallenger32::from_hasher(vec![], Keccak256Hash {})
);
suite!(
    /// BLAKE3 for leaves, nodes and transcript.
    Blake3Suite, HashSuite::Blake3, u8, 32,
    MerkleTreeMmcs<F, u8, SerializingHasher<Blake3>, CompressionFunctionFromHasher<Blake3, 2, 32>, 2, 32>,
    Bytes<F, Blake3>,
    MerkleTreeMmcs::new(
        SerializingHasher::new(Blake3),
        CompressionFunctionFromHasher::new(Blake3),
        0,
    ),
    SerializingChallenger32::from_hasher(vec![], Blake3)
);

/// Runs `$body` with `$suite` bound to the suite type of `$params`.
///
/// `$body` is compiled sixteen times, once a suite, so keep generic functions behind it.
/// The value of an extension degree other than 4 or 5 is `$otherwise`.
#[macro_export]
macro_rules! with_suite {
    ($params:expr, $suite:ident => $body:expr, else $otherwise:expr) => {{
        use $crate::params::{Field as WithSuiteField, HashSuite as WithSuiteHash};
        use $crate::suite as with_suite_types;
        macro_rules! with_suite_hash {
            ($f:ty, $ef:ident) => {
                match $params.hash {
                    WithSuiteHash::Poseidon2x16 => {
                        type $suite = with_suite_types::Poseidon2x16<$f, with_suite_types::$ef>;
                        $body
                    }
                    WithSuiteHash::Poseidon2x24 => {
                        type $suite = with_suite_types::Poseidon2x24<$f, with_suite_types::$ef>;
                        $body
                    }
                    WithSuiteHash::Keccak => {
                        type $suite = with_suite_types::Keccak<$f, with_suite_types::$ef>;
                        $body
                    }
                    WithSuiteHash::Blake3 => {
                        type $suite = with_suite_types::Blake3Suite<$f, with_suite_types::$ef>;
                        $body
                    }
                }
            };
        }
        match ($params.field, $params.extension_degree) {
            (WithSuiteField::BabyBear, 4) => {
                with_suite_hash!(with_suite_types::BabyBearField, BabyBear4)
            }
            (WithSuiteField::BabyBear, 5) => {
                with_suite_hash!(with_suite_types::BabyBearField, BabyBear5)
            }
            (WithSuiteField::KoalaBear, 4) => {
                with_suite_hash!(with_suite_types::KoalaBearField, KoalaBear4)
            }
            (WithSuiteField::KoalaBear, 5) => {
                with_suite_hash!(with_suite_types::KoalaBearField, KoalaBear5)
            }
            _ => $otherwise,
        }
    }};
}

/// [`BabyBear`], under a name the macro can reach from any crate.
pub type BabyBearField = BabyBear;
/// [`KoalaBear`], under a name the macro can reach from any crate.
pub type KoalaBearField = KoalaBear;
