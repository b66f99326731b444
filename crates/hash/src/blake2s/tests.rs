use blake2::Digest;
use blake2::digest::{KeyInit, Mac};
use proptest::prelude::*;

use super::*;

fn kernels() -> impl Iterator<Item = Kernel> {
    Arch::ALL.into_iter().filter_map(Kernel::new)
}

fn reference(message: &[u8]) -> [u8; 32] {
    blake2::Blake2s256::digest(message).into()
}

/// Bytes without structure, from a linear congruential generator.
fn noise(len: usize, mut seed: u64) -> Vec<u8> {
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// RFC 7693, appendix B.
const ABC: [u8; 32] = [
    0x50, 0x8c, 0x5e, 0x8c, 0x32, 0x7c, 0x14, 0xe2, 0xe1, 0xa7, 0x2b, 0xa3, 0x4e, 0xeb, 0x45, 0x2f,
    0x37, 0x45, 0x8b, 0x20, 0x9e, 0xd6, 0x3a, 0x29, 0x4d, 0x99, 0x9b, 0x4c, 0x86, 0x67, 0x59, 0x82,
];

/// RFC 7693, appendix E: the digest of the digests of a self-test.
const SELF_TEST: [u8; 32] = [
    0x6a, 0x41, 0x1f, 0x08, 0xce, 0x25, 0xad, 0xcd, 0xfb, 0x02, 0xab, 0xa6, 0x41, 0x45, 0x1c, 0xec,
    0x53, 0xc5, 0x98, 0xb2, 0x4f, 0x4f, 0xc7, 0x87, 0xfb, 0xdc, 0x88, 0x79, 0x7f, 0x4c, 0x1d, 0xfe,
];

/// RFC 7693, appendix E: the generator of the self-test's inputs.
fn self_test_bytes(len: usize) -> Vec<u8> {
    let mut a = 0xdead_4bad_u32.wrapping_mul(len as u32);
    let mut b = 1u32;
    let mut next = || {
        let sum = a.wrapping_add(b);
        (a, b) = (b, sum);
        (sum >> 24) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// A digest of any length under any key, by the compression function alone.
fn general(kernel: Kernel, digest_len: usize, key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut input = key.to_vec();
    if !key.is_empty() {
        input.resize(BLOCK_BYTES, 0);
    }
    input.extend_from_slice(message);
    let mut h = initial_state(key.len() as u8);
    h[0] ^= 0x20 ^ digest_len as u32;
    let mut state = Lanes::splat_all(&h);
    let plain = input.len().saturating_sub(1) / BLOCK_BYTES;
    for index in 0..=plain {
        let block = Lanes::splat_all(&scalar::block_words(&input[index * BLOCK_BYTES..]));
        let counter = input.len().min((index + 1) * BLOCK_BYTES) as u64;
        kernel.compress(&mut state, &block, counter, index == plain);
    }
    assert!(state.iter().all(|w| w.0.iter().all(|&x| x == w.0[0])));
    let bytes: Vec<u8> = state.iter().flat_map(|w| w.0[0].to_le_bytes()).collect();
    bytes[..digest_len].to_vec()
}

#[test]
fn rfc_7693_vectors() {
    assert_eq!(hash(b"abc"), ABC);
    for kernel in kernels() {
        let mut out = [[0; 32]; 17];
        kernel.hash_many(&b"abc".repeat(17), &mut out);
        assert_eq!(out, [ABC; 17], "{kernel:?}");
        let mut digests = Vec::new();
        for digest_len in [16, 20, 28, 32] {
            for len in [0, 3, 64, 65, 255, 1024] {
                let message = self_test_bytes(len);
                digests.extend(general(kernel, digest_len, &[], &message));
                let key = self_test_bytes(digest_len);
                digests.extend(general(kernel, digest_len, &key, &message));
            }
        }
        assert_eq!(hash(&digests), SELF_TEST, "{kernel:?}");
    }
}

#[test]
fn every_length_matches_the_reference() {
    for len in 0..=300 {
        let message = noise(len, len as u64);
        let expected = reference(&message);
        assert_eq!(hash(&message), expected, "{len} bytes");
        let key: [u8; 32] = noise(32, 7).try_into().unwrap();
        let mut keyed = Blake2s::keyed(&key);
        keyed.update(&message);
        let mut mac = <blake2::Blake2sMac256 as KeyInit>::new_from_slice(&key).unwrap();
        Mac::update(&mut mac, &message);
        assert_eq!(
            keyed.finalize()[..],
            mac.finalize().into_bytes()[..],
            "{len} bytes, keyed"
        );
    }
}

#[test]
fn every_batch_size_matches_the_reference() {
    for kernel in kernels() {
        for (count, len) in (0..=35).flat_map(|n| [0, 1, 48, 63, 64, 65, 130].map(|l| (n, l))) {
            let input = noise(count * len, (count + 100 * len) as u64);
            let mut out = vec![[0; 32]; count];
            kernel.hash_many(&input, &mut out);
            for (i, digest) in out.iter().enumerate() {
                let message = &input[i * len..][..len];
                assert_eq!(
                    *digest,
                    reference(message),
                    "{kernel:?}: {i} of {count}, {len} bytes"
                );
            }
        }
    }
}

#[test]
#[should_panic(expected = "not 3 messages of equal length")]
fn unequal_messages_are_a_misuse() {
    Kernel::best().hash_many(&[0; 10], &mut [[0; 32]; 3]);
}

#[test]
fn long_counters_reach_the_high_word() {
    let block = Lanes::splat_all(&[3; 16]);
    for kernel in kernels() {
        for counter in [1 << 32, u64::MAX, 0x1234_5678_9abc_def0] {
            let (mut lanes, mut one) = (Lanes::splat_all(&IV), IV);
            kernel.compress(&mut lanes, &block, counter, false);
            compress(&mut one, &[3; 16], counter, false);
            assert_eq!(lanes, Lanes::splat_all(&one), "{kernel:?}");
        }
    }
}

proptest! {
    #[test]
    fn pieces_do_not_matter(message in proptest::collection::vec(any::<u8>(), 0..400), cuts in proptest::collection::vec(0usize..90, 0..20)) {
        let mut hasher = Blake2s::new();
        let mut rest = &message[..];
        for cut in cuts {
            let (now, later) = rest.split_at(cut.min(rest.len()));
            hasher.update(now);
            rest = later;
        }
        hasher.update(rest);
        prop_assert_eq!(hasher.finalize(), reference(&message));
    }

    #[test]
    fn lanes_are_independent(words in proptest::collection::vec(any::<u32>(), 24 * LANES), counter: u64, last: bool) {
        let word = |w: usize| Lanes(core::array::from_fn(|l| words[w * LANES + l]));
        let state: [Lanes; 8] = core::array::from_fn(word);
        let block: [Lanes; 16] = core::array::from_fn(|w| word(w + 8));
        let mut expected = state;
        scalar::compress_lanes(&mut expected, &block, counter, last);
        for kernel in kernels() {
            let mut got = state;
            kernel.compress(&mut got, &block, counter, last);
            prop_assert_eq!(got, expected, "{:?}", kernel);
        }
    }
}
