//! The trait methods of every fixed shape against independent implementations.

use core::cell::Cell;

use blake2::Blake2s256;
use p3_baby_bear::BabyBear;
use p3_field::{Field, PrimeField32};
use p3_keccak::KeccakF;
use p3_koala_bear::KoalaBear;
use p3_symmetric::{
    CryptographicHasher, PaddingFreeSponge, Permutation, PseudoCompressionFunction,
    TruncatedPermutation,
};
use proptest::prelude::*;
use prova_hash::shape::generic::{
    GenericBlake2s, GenericKeccak256, GenericPoseidon2, KeccakDigest,
};
use prova_hash::shape::{
    Blake2s, Keccak256, KeccakF1600, MerkleHash, Poseidon2, SoftKeccakF, Sponge, node_bytes,
    node_from_bytes,
};
use prova_hash::{Poseidon2Field, Poseidon2Kernel};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sha3::Digest;

type Words = [u32; 8];

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words(rng: &mut StdRng, count: usize) -> Vec<u32> {
    (0..count).map(|_| rng.random()).collect()
}

/// The digest by an independent implementation.
fn independent<D: Digest>(message: &[u8]) -> Words {
    let digest: [u8; 32] = D::digest(message)[..].try_into().unwrap();
    node_from_bytes(&digest)
}

/// Every length of rows, in words, up to 600 bytes.
const LENGTHS: usize = 150;

/// Calls `$check::<N>` for the lengths at which blocks of the three functions begin and end.
macro_rules! for_lengths {
    ($check:ident $arguments:tt: $($n:literal)*) => { $($check::<_, $n> $arguments;)* };
}

fn array<H: MerkleHash<Word = u32, Node = Words>, const N: usize>(
    hash: &H,
    row: &[u32],
    expected: &dyn Fn(&[u8]) -> Words,
) {
    let row: &[u32; N] = row[..N].try_into().unwrap();
    assert_eq!(hash.leaf_array(row), expected(&bytes(row)), "{N} words");
}

fn check_bytes<H: MerkleHash<Word = u32, Node = Words>>(
    hash: &H,
    expected: &dyn Fn(&[u8]) -> Words,
) {
    let mut rng = StdRng::seed_from_u64(7);
    for _ in 0..1000 {
        let pair = words(&mut rng, 16);
        let left = pair[..8].try_into().unwrap();
        let right = pair[8..].try_into().unwrap();
        assert_eq!(hash.parent(&left, &right), expected(&bytes(&pair)));
        let pair: &[u32; 16] = pair[..].try_into().unwrap();
        assert_eq!(hash.leaf_array(pair), expected(&bytes(pair)), "as a leaf");
    }
    let row = words(&mut rng, LENGTHS);
    for len in 0..=LENGTHS {
        let row = &row[..len];
        assert_eq!(hash.leaf(row), expected(&bytes(row)), "{len} words");
    }
    for_lengths!(array (hash, &row, expected):
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33
        34 35 36 47 48 49 67 68 69 101 102 103 150);
}

#[test]
fn keccak256_is_keccak256() {
    let expected = independent::<sha3::Keccak256>;
    check_bytes(&Keccak256::<SoftKeccakF>::new(), &expected);
    // As with a permutation by system call.
    check_bytes(&Keccak256::<Counting>::new(), &expected);
    check_bytes(&GenericKeccak256::<SoftKeccakF>::new(), &expected);
}

#[test]
fn blake2s_is_blake2s() {
    let expected = independent::<Blake2s256>;
    check_bytes(&Blake2s, &expected);
    check_bytes(&GenericBlake2s, &expected);
}

#[test]
fn keccak256_of_bytes() {
    let mut rng = StdRng::seed_from_u64(8);
    let message: Vec<u8> = (0..600).map(|_| rng.random()).collect();
    let hash = Keccak256::<SoftKeccakF>::new();
    for len in 0..=600 {
        // At every alignment.
        let message = &message[..len][len.min(len % 5)..];
        let expected = independent::<sha3::Keccak256>(message);
        assert_eq!(
            hash.hash_bytes(message),
            expected,
            "{} bytes",
            message.len()
        );
        let mut digest = KeccakDigest::<SoftKeccakF>::new();
        digest.update(message);
        assert_eq!(digest.finalize(), node_bytes(&expected));
    }
}

thread_local! {
    static PERMUTATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Counts the permutations that a hash takes.
#[derive(Clone, Copy, Default)]
struct Counting;

impl KeccakF1600 for Counting {
    fn permute(state: &mut [u64; 25]) {
        PERMUTATIONS.set(PERMUTATIONS.get() + 1);
        SoftKeccakF::permute(state);
    }
}

#[test]
fn a_digest_is_the_head_of_the_permuted_state() {
    let mut rng = StdRng::seed_from_u64(10);
    let random: [u64; 25] = rng.random();
    // Each lane alone too, where complements that do not cancel show.
    let alone = (0..25).map(|i| core::array::from_fn(|j| if i == j { random[i] } else { 0 }));
    for state in alone.chain([random, [0; 25], [u64::MAX; 25]]) {
        let permuted = {
            let mut state = state;
            SoftKeccakF::permute(&mut state);
            state
        };
        let mut independent = state;
        KeccakF.permute_mut(&mut independent);
        assert_eq!(permuted, independent);
        let head: Words = core::array::from_fn(|i| (permuted[i / 2] >> (32 * (i % 2))) as u32);
        assert_eq!(SoftKeccakF::squeeze(&mut state.clone()), head);
        assert_eq!(Counting::squeeze(&mut state.clone()), head);
    }
}

#[test]
#[should_panic(expected = "34 words and padding in one block")]
fn a_block_has_room_for_its_padding() {
    SoftKeccakF::block::<34>(|_| 0);
}

#[test]
#[should_panic(expected = "34 words and padding in one block")]
fn a_laid_out_block_has_room_for_its_padding() {
    Counting::block::<34>(|_| 0);
}

#[test]
fn a_shape_takes_no_more_permutations_than_it_must() {
    let hash = Keccak256::<Counting>::new();
    let taken = |f: &dyn Fn() -> Words| {
        PERMUTATIONS.set(0);
        f();
        PERMUTATIONS.get()
    };
    assert_eq!(taken(&|| hash.parent(&[1; 8], &[2; 8])), 1);
    assert_eq!(taken(&|| hash.leaf_array(&[3; 16])), 1);
    for len in 0..=LENGTHS {
        let row = vec![5; len];
        let blocks = 1 + len / 34;
        assert_eq!(taken(&|| hash.leaf(&row)), blocks, "{len} words");
        assert_eq!(taken(&|| hash.hash_bytes(&bytes(&row))), blocks);
        assert_eq!(
            taken(&|| hash.hash_parts(&[&row[..len / 3], &row[len / 3..]])),
            blocks
        );
    }
}

fn poseidon2_array<F: Poseidon2Field<16>, const N: usize>(perm: &F::Perm, row: &[F]) {
    let sponge = PaddingFreeSponge::<_, 16, 8, 8>::new(perm.clone());
    let row: &[F; N] = row[..N].try_into().unwrap();
    let expected = sponge.hash_iter(row.iter().copied());
    assert_eq!(
        Poseidon2::new(perm).leaf_array(row),
        expected,
        "{N} elements"
    );
    assert_eq!(GenericPoseidon2::new(perm).leaf_array(row), expected);
}

fn poseidon2<F: Poseidon2Field<16> + Field + PrimeField32>() {
    let kernel = Poseidon2Kernel::<F, 16>::grain();
    let perm = kernel.permutation();
    let sponge = PaddingFreeSponge::<_, 16, 8, 8>::new(perm.clone());
    let node = TruncatedPermutation::<_, 2, 8, 16>::new(perm.clone());
    let mut rng = StdRng::seed_from_u64(9);
    let mut element = || F::from_u32(rng.random_range(0..F::ORDER_U32));
    for _ in 0..1000 {
        let (left, right) = (
            core::array::from_fn(|_| element()),
            core::array::from_fn(|_| element()),
        );
        let expected = node.compress([left, right]);
        assert_eq!(Poseidon2::new(perm).parent(&left, &right), expected);
        assert_eq!(GenericPoseidon2::new(perm).parent(&left, &right), expected);
    }
    let row: Vec<F> = (0..LENGTHS).map(|_| element()).collect();
    for len in 0..=LENGTHS {
        let row = &row[..len];
        let expected = sponge.hash_iter(row.iter().copied());
        assert_eq!(Poseidon2::new(perm).leaf(row), expected, "{len} elements");
        assert_eq!(GenericPoseidon2::new(perm).leaf(row), expected);
    }
    for_lengths!(poseidon2_array(perm, &row): 0 1 2 4 7 8 9 15 16 17 24 31 32 33 150);
}

#[test]
fn poseidon2_is_plonky3s() {
    poseidon2::<BabyBear>();
    poseidon2::<KoalaBear>();
}

proptest! {
    #[test]
    fn parts_are_one_message(
        parts in proptest::collection::vec(proptest::collection::vec(any::<u32>(), 0..80), 0..8),
    ) {
        let expected = independent::<sha3::Keccak256>(&bytes(&parts.concat()));
        let slices: Vec<&[u32]> = parts.iter().map(Vec::as_slice).collect();
        prop_assert_eq!(Keccak256::<SoftKeccakF>::new().hash_parts(&slices), expected);
        let mut sponge = Sponge::<SoftKeccakF>::default();
        for word in parts.iter().flatten() {
            sponge.absorb(&[*word]);
        }
        prop_assert_eq!(sponge.finalize(), expected);
    }

    #[test]
    fn nodes_are_bytes(bytes: [u8; 32]) {
        prop_assert_eq!(node_bytes(&node_from_bytes(&bytes)), bytes);
    }
}
