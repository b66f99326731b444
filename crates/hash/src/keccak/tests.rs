//! The kernels of every instruction set against independent implementations.

use p3_baby_bear::BabyBear;
use p3_keccak::KeccakF;
use p3_symmetric::{
    CompressionFunctionFromHasher, CryptographicHasher, PaddingFreeSponge,
    PseudoCompressionFunction,
};
use sha3::Digest;

use super::*;

fn kernels() -> impl Iterator<Item = Kernel> {
    KeccakArch::ALL
        .into_iter()
        .filter(|arch| arch.is_available())
        .map(Kernel)
}

/// Words without structure, from a linear congruential generator.
fn noise(len: usize, mut seed: u64) -> Vec<u32> {
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 32) as u32
    };
    (0..len).map(|_| next()).collect()
}

fn nodes(count: usize, seed: u64) -> Vec<[u8; 32]> {
    bytemuck::cast_slice(&noise(8 * count, seed)).to_vec()
}

/// The digest of a message of words.
fn reference<const PAD: bool>(words: &[u32]) -> [u8; 32] {
    if PAD {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        return sha3::Keccak256::digest(bytes).into();
    }
    let pairs = words.chunks(2);
    let message = pairs.map(|w| u64::from(w[0]) | w.get(1).map_or(0, |&h| u64::from(h) << 32));
    let digest: [u64; 4] = PaddingFreeSponge::<_, 25, 17, 4>::new(KeccakF).hash_iter(message);
    bytemuck::cast(digest)
}

fn rows_match<const PAD: bool>() {
    for kernel in kernels() {
        let check = |count: usize, width: usize| {
            let rows = noise(count * width, (1000 * count + width) as u64);
            let mut out = vec![[0; 32]; count];
            kernel.hash_rows::<PAD>(&rows, width, &mut out);
            for (i, (row, digest)) in rows.chunks(width).zip(&out).enumerate() {
                let expected = reference::<PAD>(row);
                assert_eq!(
                    *digest, expected,
                    "{kernel:?}: {i} of {count}, {width} words"
                );
            }
        };
        for width in 1..=150 {
            check(9, width);
        }
        for count in 0..=17 {
            for width in [1, 2, 3, 4, 5, 8, 16, 33, 34, 35, 68, 69] {
                check(count, width);
            }
        }
    }
}

#[test]
fn rows_match_the_references() {
    rows_match::<true>();
    rows_match::<false>();
}

fn nodes_match<const PAD: bool>() {
    for kernel in kernels() {
        for count in (0..=17).chain([1000]) {
            let (left, right) = (nodes(count, 1), nodes(count, 2));
            let mut out = vec![[0; 32]; count];
            kernel.compress::<PAD>(&left, &right, &mut out);
            for ((left, right), digest) in left.iter().zip(&right).zip(&out) {
                let pair = [*left, *right];
                let words: Vec<u32> = bytemuck::cast_slice(pair.as_flattened())
                    .iter()
                    .map(|&word: &[u8; 4]| u32::from_le_bytes(word))
                    .collect();
                assert_eq!(
                    *digest,
                    reference::<PAD>(&words),
                    "{kernel:?}, {count} nodes"
                );
            }
        }
    }
}

#[test]
fn nodes_match_the_references() {
    nodes_match::<true>();
    nodes_match::<false>();
}

/// The trait's methods: each hasher is the function it is named after.
#[test]
fn hashers_dispatch_to_their_functions() {
    for width in 1..=150 {
        let rows: Vec<BabyBear> = (0..5 * width as u32)
            .map(|i| BabyBear::new(i * i + 3))
            .collect();
        let (mut padded, mut free) = ([[0; 32]; 5], [[0; 4]; 5]);
        Keccak256TreeHasher.hash_rows(&rows, width, &mut padded);
        KeccakTreeHasher.hash_rows(&rows, width, &mut free);
        for (i, row) in rows.chunks(width).enumerate() {
            let words = BabyBear::words(row);
            assert_eq!(padded[i], reference::<true>(words), "{width} words");
            assert_eq!(
                free[i],
                bytemuck::cast::<_, [u64; 4]>(reference::<false>(words))
            );
        }
    }
    let (left, right) = (nodes(1000, 5), nodes(1000, 6));
    let mut out = vec![[0; 32]; 1000];
    <Keccak256TreeHasher as TreeHasher<BabyBear>>::compress(
        &Keccak256TreeHasher,
        &left,
        &right,
        &mut out,
    );
    for ((left, right), digest) in left.iter().zip(&right).zip(&out) {
        let expected = sha3::Keccak256::digest([*left, *right].as_flattened());
        assert_eq!(digest[..], expected[..]);
    }
    let (left, right): (Vec<[u64; 4]>, Vec<[u64; 4]>) = (
        bytemuck::cast_slice(&left).to_vec(),
        bytemuck::cast_slice(&right).to_vec(),
    );
    let mut out = vec![[0; 4]; 1000];
    <KeccakTreeHasher as TreeHasher<BabyBear>>::compress(
        &KeccakTreeHasher,
        &left,
        &right,
        &mut out,
    );
    let sponge = PaddingFreeSponge::<KeccakF, 25, 17, 4>::new(KeccakF);
    let node = CompressionFunctionFromHasher::<_, 2, 4>::new(sponge);
    for ((&left, &right), digest) in left.iter().zip(&right).zip(&out) {
        assert_eq!(*digest, node.compress([left, right]));
    }
}
