//! Proof-of-work: equal to the search on the CPU.

use p3_baby_bear::BabyBear;
use p3_blake3::Blake3;
use p3_challenger::{CanObserve, CanSample, GrindingChallenger};
use p3_field::{ExtensionField, PrimeCharacteristicRing, PrimeField32};
use p3_keccak::Keccak256Hash;
use p3_koala_bear::KoalaBear;
use p3_symmetric::CryptographicHasher;
use prova_gpu::hash::{HashKind, Hashing};
use prova_hash::challenger::{ByteGrinder, DuplexGrinder, HashGrinder};
use prova_hash::{HashField, Poseidon2Kernel};

use crate::common::*;
use crate::oracle::HashedField;

fn duplex<F: HashedField, EF: ExtensionField<F>>(kind: HashKind) {
    let gpu = gpu();
    let hashing = Hashing::new::<F>(&kit::<F, EF>(&gpu), kind).unwrap();
    let kernel = Poseidon2Kernel::<F, 16>::grain();
    for (seed, bits) in (0..=12).chain([15]).enumerate() {
        for slot in [0, 3, 7, 8, 15] {
            let state: [F; 16] = elements::<F>(seed as u64, 16).try_into().unwrap();
            let mask = (1 << bits) - 1;
            let expected = kernel.search(&state, slot, mask, 0, 1 << 20);
            assert!(expected.is_some(), "the search is long enough");
            let words = F::words(&state).try_into().unwrap();
            let found = hashing.grind_duplex(words, slot, bits).unwrap();
            assert_eq!(found, expected, "{bits} bits in slot {slot}");
        }
    }
}

#[test]
fn duplex_baby_bear() {
    duplex::<BabyBear, BabyBear4>(HashKind::Poseidon2x16);
}

#[test]
fn duplex_koala_bear() {
    duplex::<KoalaBear, KoalaBear5>(HashKind::Poseidon2x24);
}

#[test]
fn duplex_transcript() {
    let gpu = gpu();
    let kit = kit::<BabyBear, BabyBear4>(&gpu);
    let hashing = Hashing::new::<BabyBear>(&kit, HashKind::Poseidon2x16).unwrap();
    for observed in [0, 1, 5, 7, 8, 11] {
        let mut transcript = DuplexGrinder::new(Poseidon2Kernel::<BabyBear, 16>::grain());
        transcript.observe_slice(&elements::<BabyBear>(9, observed));
        let slot = transcript.inner.input_buffer.len();
        let mut state = transcript.inner.sponge_state;
        state[..slot].copy_from_slice(&transcript.inner.input_buffer);
        state[slot..8].fill(BabyBear::ZERO);
        state[8] += BabyBear::from_usize(slot + 1);
        let words = BabyBear::words(&state).try_into().unwrap();
        let found = hashing.grind_duplex(words, slot, 9).unwrap();
        let witness = transcript.grind(9).as_canonical_u32();
        assert_eq!(found, Some(u64::from(witness)), "{observed} observed");
    }
}

fn bytes<F, EF, H>(kind: HashKind, hasher: &H)
where
    F: HashedField,
    EF: ExtensionField<F>,
    H: CryptographicHasher<u8, [u8; 32]> + Send + Sync,
{
    let gpu = gpu();
    let hashing = Hashing::new::<F>(&kit::<F, EF>(&gpu), kind).unwrap();
    for bits in 1..=12 {
        let observed = [7; 5];
        let mut pending = HashGrinder::new(observed.to_vec(), hasher.clone());
        // What the squeeze leaves pending: the digest of all before.
        let pending: [u8; 32] = {
            let mut digest: [u8; 32] = core::array::from_fn(|_| pending.sample());
            digest.reverse();
            digest
        };
        let inner = HashGrinder::new(observed.to_vec(), hasher.clone());
        let witness = ByteGrinder::<F, H>::new(inner).grind(bits);
        let found = hashing.grind_bytes(&pending, bits as u32).unwrap();
        assert_eq!(
            found,
            Some(u64::from(witness.as_canonical_u32())),
            "{bits} bits"
        );
    }
}

#[test]
fn bytes_blake3() {
    bytes::<BabyBear, BabyBear4, _>(HashKind::Blake3, &Blake3);
}

#[test]
fn bytes_keccak() {
    bytes::<KoalaBear, KoalaBear4, _>(HashKind::Keccak, &Keccak256Hash);
}
