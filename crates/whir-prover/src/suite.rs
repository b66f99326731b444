//! The prover's side of a [`Suite`]: batched hashing and transcripts that grind to the smallest
//! nonce.

use std::sync::Arc;

use p3_blake3::Blake3;
use p3_challenger::{CanObserve, CanSampleUniformBits, FieldChallenger, GrindingChallenger};
use p3_commit::Mmcs;
use p3_field::{ExtensionField, PrimeField32, TwoAdicField};
use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;
use prova_hash::challenger::{ByteGrinder, DuplexGrinder, HashGrinder};
use prova_hash::{
    Blake3TreeHasher, ByteSearch, DuplexSearch, HashField, KeccakTreeHasher, Poseidon2Field,
    Poseidon2Kernel, Poseidon2TreeHasher16, Poseidon2TreeHasher24, TreeHasher,
};
use prova_whir::Suite;
use prova_whir::suite::{BaseField, Blake3Suite, Keccak, Poseidon2x16, Poseidon2x24};

/// A suite that can prove.
pub trait ProverSuite: Suite<F: ProverField> {
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
    /// A fresh transcript, whose proof-of-work the CPU searches.
    fn grinder() -> Self::Grinder {
        Self::grinder_with(None, None)
    }
    /// A fresh transcript, whose proof-of-work a search is asked for first: `duplex` by suites with
    /// a sponge over the field for a transcript, `bytes` by the others.
    fn grinder_with(
        duplex: Option<Arc<dyn DuplexSearch<Self::F>>>,
        bytes: Option<Arc<dyn ByteSearch>>,
    ) -> Self::Grinder;

    /// A digest as a device stores it: the stored (Montgomery) words of field elements, otherwise
    /// the digest's bytes as little-endian words.
    fn digest_to_words(digest: &Self::Digest) -> [u32; DIGEST_WORDS];
    /// Inverse of [`Self::digest_to_words`]; `None` for a word that no digest has.
    fn digest_from_words(words: &[u32; DIGEST_WORDS]) -> Option<Self::Digest>;
}

/// Words of a digest on a device.
pub const DIGEST_WORDS: usize = 8;

/// How a digest type is stored on a device.
trait DigestWords: Sized {
    fn to_words(&self) -> [u32; DIGEST_WORDS];
    fn from_words(words: &[u32; DIGEST_WORDS]) -> Option<Self>;
}

impl<F: HashField> DigestWords for [F; DIGEST_WORDS] {
    fn to_words(&self) -> [u32; DIGEST_WORDS] {
        let words = F::words(self);
        core::array::from_fn(|i| words[i])
    }
    fn from_words(words: &[u32; DIGEST_WORDS]) -> Option<Self> {
        F::from_words(words)?.try_into().ok()
    }
}

impl DigestWords for [u64; 4] {
    fn to_words(&self) -> [u32; DIGEST_WORDS] {
        // The low half first.
        core::array::from_fn(|i| (self[i / 2] >> (32 * (i % 2))) as u32)
    }
    fn from_words(words: &[u32; DIGEST_WORDS]) -> Option<Self> {
        Some(core::array::from_fn(|i| {
            u64::from(words[2 * i]) | u64::from(words[2 * i + 1]) << 32
        }))
    }
}

impl DigestWords for [u8; 32] {
    fn to_words(&self) -> [u32; DIGEST_WORDS] {
        core::array::from_fn(|i| u32::from_le_bytes(core::array::from_fn(|k| self[4 * i + k])))
    }
    fn from_words(words: &[u32; DIGEST_WORDS]) -> Option<Self> {
        Some(core::array::from_fn(|i| words[i / 4].to_le_bytes()[i % 4]))
    }
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
            fn grinder_with(
                duplex: Option<Arc<dyn DuplexSearch<F>>>,
                bytes: Option<Arc<dyn ByteSearch>>,
            ) -> Self::Grinder {
                $make_grinder(duplex, bytes)
            }
            fn digest_to_words(digest: &Self::Digest) -> [u32; DIGEST_WORDS] {
                digest.to_words()
            }
            fn digest_from_words(words: &[u32; DIGEST_WORDS]) -> Option<Self::Digest> {
                DigestWords::from_words(words)
            }
        }
    };
}

fn duplex<F: Poseidon2Field<16>>(
    search: Option<Arc<dyn DuplexSearch<F>>>,
    _: Option<Arc<dyn ByteSearch>>,
) -> DuplexGrinder<F> {
    let grinder = DuplexGrinder::new(Poseidon2Kernel::grain());
    match search {
        Some(search) => grinder.with_search(search),
        None => grinder,
    }
}

fn byte_transcript<F, H>(hasher: H, search: Option<Arc<dyn ByteSearch>>) -> ByteGrinder<F, H>
where
    F: PrimeField32,
    H: CryptographicHasher<u8, [u8; 32]>,
{
    let grinder = HashGrinder::new(Vec::new(), hasher);
    ByteGrinder::new(match search {
        Some(search) => grinder.with_search(search),
        None => grinder,
    })
}

prover_suite!(
    Poseidon2x16,
    Poseidon2TreeHasher16<F>,
    Poseidon2TreeHasher16::grain(),
    DuplexGrinder<F>,
    duplex
);
prover_suite!(
    Poseidon2x24,
    Poseidon2TreeHasher24<F>,
    Poseidon2TreeHasher24::grain(),
    DuplexGrinder<F>,
    duplex
);
prover_suite!(
    Keccak,
    KeccakTreeHasher,
    KeccakTreeHasher,
    ByteGrinder<F, Keccak256Hash>,
    |_, bytes| byte_transcript(Keccak256Hash {}, bytes)
);
prover_suite!(
    Blake3Suite,
    Blake3TreeHasher,
    Blake3TreeHasher,
    ByteGrinder<F, Blake3>,
    |_, bytes| byte_transcript(Blake3, bytes)
);

#[cfg(test)]
mod tests {
    use prova_whir::suite::{BabyBear4, BabyBearField, KoalaBear5, KoalaBearField};

    use super::*;

    fn round_trip<S: ProverSuite>(digest: S::Digest, words: [u32; DIGEST_WORDS]) {
        assert_eq!(S::digest_to_words(&digest), words);
        assert_eq!(S::digest_from_words(&words), Some(digest));
        let zero = S::Digest::default();
        assert_eq!(S::digest_to_words(&zero), [0; DIGEST_WORDS]);
        assert_eq!(S::digest_from_words(&[0; DIGEST_WORDS]), Some(zero));
    }

    fn field_words<S: ProverSuite<Digest = [F; 8]>, F: ProverField>() {
        let order = F::ORDER_U32;
        let digest = [0, 1, 2, 3, order - 1, order - 2, order / 2, 12345].map(F::from_u32);
        let stored = digest.map(|x| {
            let canonical = u64::from(x.as_canonical_u32());
            u32::try_from((canonical << 32) % u64::from(order)).unwrap()
        });
        round_trip::<S>(digest, stored);
        for over in [order, u32::MAX] {
            for at in 0..DIGEST_WORDS {
                let mut words = stored;
                words[at] = over;
                assert_eq!(S::digest_from_words(&words), None);
            }
        }
    }

    #[test]
    fn digest_words_round_trip() {
        field_words::<Poseidon2x16<BabyBearField, BabyBear4>, _>();
        field_words::<Poseidon2x24<KoalaBearField, KoalaBear5>, _>();
        let bytes: [u8; 32] = core::array::from_fn(|i| i as u8 + 1);
        let words: [u32; 8] = core::array::from_fn(|i| 0x0403_0201 + i as u32 * 0x0404_0404);
        round_trip::<Blake3Suite<BabyBearField, BabyBear4>>(bytes, words);
        let lanes = [
            0x0807_0605_0403_0201,
            0x100f_0e0d_0c0b_0a09,
            0x1817_1615_1413_1211,
            0x201f_1e1d_1c1b_1a19,
        ];
        round_trip::<Keccak<KoalaBearField, KoalaBear5>>(lanes, words);
    }

    /// The constants a device needs can be reached from a suite alone.
    #[test]
    fn round_constants_are_reachable() {
        fn count<S: ProverSuite>() -> [usize; 2] {
            let (external, internal) = <S::F as Poseidon2Field<16>>::grain_constants();
            let (wide, _) = <S::F as Poseidon2Field<24>>::grain_constants();
            assert_eq!(
                external.get_initial_constants().len(),
                wide.get_initial_constants().len()
            );
            [external.get_initial_constants().len(), internal.len()]
        }
        assert_eq!(count::<Keccak<BabyBearField, BabyBear4>>(), [4, 13]);
        assert_eq!(count::<Keccak<KoalaBearField, KoalaBear5>>(), [4, 20]);
    }
}
