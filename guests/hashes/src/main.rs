//! Hashes its input by each system call (steps 1 to 6), then by portable code (steps 7 to 12), and
//! commits the twelve digests: Keccak-256, BLAKE2s-256, Poseidon2 over BabyBear of width 16 and 24,
//! over KoalaBear of width 16 and 24.
#![no_std]
#![no_main]

mod poseidon2;

use blake2::{Blake2s256, Digest};
use p3_baby_bear::{BabyBear, default_babybear_poseidon2_16, default_babybear_poseidon2_24};
use p3_keccak::Keccak256Hash;
use p3_koala_bear::{KoalaBear, default_koalabear_poseidon2_16, default_koalabear_poseidon2_24};
use p3_symmetric::CryptographicHasher;
use prova_guest_rt::p3::Poseidon2Call;
use prova_guest_rt::{KeccakCall, commit, read_input, step, sys};

prova_guest_rt::entry!(main);

fn main() {
    let input = read_input();
    step::<1>();
    commit(&keccak256(input));
    step::<2>();
    commit(&blake2s(input));
    step::<3>();
    commit(&poseidon2::digest::<BabyBear, 16>(&Poseidon2Call, input));
    step::<4>();
    commit(&poseidon2::digest::<BabyBear, 24>(&Poseidon2Call, input));
    step::<5>();
    commit(&poseidon2::digest::<KoalaBear, 16>(&Poseidon2Call, input));
    step::<6>();
    commit(&poseidon2::digest::<KoalaBear, 24>(&Poseidon2Call, input));

    step::<7>();
    commit(&Keccak256Hash.hash_slice(input));
    step::<8>();
    commit(&Blake2s256::digest(input));
    let permutations = (
        default_babybear_poseidon2_16(),
        default_babybear_poseidon2_24(),
        default_koalabear_poseidon2_16(),
        default_koalabear_poseidon2_24(),
    );
    step::<9>();
    commit(&poseidon2::digest(&permutations.0, input));
    step::<10>();
    commit(&poseidon2::digest(&permutations.1, input));
    step::<11>();
    commit(&poseidon2::digest(&permutations.2, input));
    step::<12>();
    commit(&poseidon2::digest(&permutations.3, input));
}

/// Keccak-256 (the SHA-3 competition's padding) by the system call.
fn keccak256(message: &[u8]) -> [u8; 32] {
    const RATE: usize = 136;
    let mut state = [0u64; 25];
    let mut absorb = |block: &[u8; RATE]| {
        for (lane, bytes) in state.iter_mut().zip(block.as_chunks().0) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
        KeccakCall::permute(&mut state);
    };
    let (blocks, rest) = message.as_chunks();
    blocks.iter().for_each(&mut absorb);
    let mut last = [0; RATE];
    last[..rest.len()].copy_from_slice(rest);
    last[rest.len()] = 0x01;
    last[RATE - 1] |= 0x80;
    absorb(&last);
    let mut digest = [0; 32];
    for (bytes, lane) in digest.chunks_exact_mut(8).zip(state) {
        bytes.copy_from_slice(&lane.to_le_bytes());
    }
    digest
}

/// BLAKE2s-256 without a key (RFC 7693, section 3.3) by the system call.
fn blake2s(message: &[u8]) -> [u8; 32] {
    let mut chaining = [
        0x6A09_E667 ^ 0x0101_0020,
        0xBB67_AE85,
        0x3C6E_F372,
        0xA54F_F53A,
        0x510E_527F,
        0x9B05_688C,
        0x1F83_D9AB,
        0x5BE0_CD19,
    ];
    let blocks = message.len().div_ceil(64).max(1);
    for i in 0..blocks {
        let bytes = message.get(64 * i..).unwrap_or_default();
        let (taken, last) = (bytes.len().min(64), i + 1 == blocks);
        let mut padded = [0; 64];
        padded[..taken].copy_from_slice(&bytes[..taken]);
        let words: [u32; 16] =
            core::array::from_fn(|w| u32::from_le_bytes(padded.as_chunks().0[w]));
        sys::blake2s(&mut chaining, &words, (64 * i + taken) as u64, last);
    }
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(chaining) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    digest
}
