//! The BLAKE2s circuit: published digests, and that real compressions satisfy it.

use prova_binary_pcs::field::{E, PrimeCharacteristicRing, embed, from_limbs, to_bytes, to_limbs};
use prova_binary_pcs::merkle::hash;
use prova_lean_vm::blake2s::circuit::{ONE, WIRES, walk};
use prova_lean_vm::blake2s::zerocheck::fixed_coordinates;

fn rows(wires: &[E]) -> (Vec<E>, Vec<E>) {
    let (mut a, mut b) = (vec![E::ZERO; WIRES], vec![E::ZERO; WIRES]);
    let mut seen = vec![false; WIRES];
    walk(wires.try_into().unwrap(), |row, a_row, b_row| {
        assert!(!std::mem::replace(&mut seen[row], true), "row {row} twice");
        (a[row], b[row]) = (a_row, b_row);
    });
    let empty = (513..640).chain(16_000..WIRES);
    assert!(empty.into_iter().all(|row| !seen[row]));
    assert_eq!(
        seen.iter().filter(|&&seen| seen).count(),
        256 + 256 + 1 + 640 + 80 * 184
    );
    (a, b)
}

#[test]
fn walk_of_the_published_vector() {
    let wires: Vec<E> = (1..=WIRES as u64)
        .map(|n| from_limbs([n, n.wrapping_mul(0x9e3779b97f4a7c15), 0]))
        .collect();
    let (a, b) = rows(&wires);
    let spots = [
        (1280, 0x280, 0x200),
        (1311, 0x202, 0x780),
        (1340, 0x723, 0x2bc),
        (1371, 0x200, 0x62c),
        (256, 0x2c93, 0x201),
        (511, 0x302b, 0x201),
        (15_999, 0x3b1e, 0x2912),
    ];
    for (row, in_a, in_b) in spots {
        assert_eq!(
            (to_limbs(a[row])[0], to_limbs(b[row])[0]),
            (in_a, in_b),
            "row {row}"
        );
    }
    let digest = |table: &[E]| {
        let bytes: Vec<u8> = table.iter().flat_map(|&entry| to_bytes(entry)).collect();
        hash(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let of_a = "5b8eee90db3efad29b5e15e80d9f79eac720f3ce4276f55cc5daf7541484aa4d";
    let of_b = "0c09c7321b90e7743e70fca199a82a68fd175510342317d2105bcd5a26b168ff";
    assert_eq!((digest(&a).as_str(), digest(&b).as_str()), (of_a, of_b));
}

/// Wires of one compression as bits.
struct Block(Vec<bool>);

impl Block {
    fn put(&mut self, base: usize, bits: impl IntoIterator<Item = usize>, word: u32) {
        for (at, bit) in bits.into_iter().enumerate() {
            self.0[base + at] = word >> bit & 1 == 1;
        }
    }

    fn add(&mut self, x: u32, y: u32, base: usize) -> u32 {
        let sum = x.wrapping_add(y);
        let carry = sum ^ x ^ y;
        self.put(base, 0..31, (x ^ carry) & (y ^ carry));
        sum
    }

    fn add3(&mut self, x: u32, y: u32, z: u32, base: usize) -> u32 {
        let saved = (x ^ z) & (y ^ z);
        self.put(base, 0..31, saved);
        let (p, q) = (x ^ y ^ z, (saved ^ z) << 1);
        let sum = p.wrapping_add(q);
        let carry = sum ^ p ^ q;
        self.put(base + 31, 1..31, (p ^ carry) & (q ^ carry));
        sum
    }

    /// The witness of a compression, and the new chaining value.
    fn new(h: [u32; 8], message: [u32; 16], counter_and_flags: [u32; 4]) -> (Self, [u32; 8]) {
        let mut block = Self(vec![false; WIRES]);
        block.0[ONE] = true;
        for (base, words) in [(0, &h[..]), (640, &message), (1152, &counter_and_flags)] {
            for (i, &word) in words.iter().enumerate() {
                block.put(base + 32 * i, 0..32, word);
            }
        }
        let mut v = [0; 16];
        v[..8].copy_from_slice(&h);
        v[8..].copy_from_slice(&IV);
        (12..)
            .zip(counter_and_flags)
            .for_each(|(i, word)| v[i] ^= word);
        let mut base = 1280;
        for schedule in SIGMA {
            for (k, [a, b, c, d]) in LANES.into_iter().enumerate() {
                let [x, y] = [2 * k, 2 * k + 1].map(|i| message[schedule[i]]);
                v[a] = block.add3(v[a], v[b], x, base);
                v[d] = (v[d] ^ v[a]).rotate_right(16);
                v[c] = block.add(v[c], v[d], base + 61);
                v[b] = (v[b] ^ v[c]).rotate_right(12);
                v[a] = block.add3(v[a], v[b], y, base + 92);
                v[d] = (v[d] ^ v[a]).rotate_right(8);
                v[c] = block.add(v[c], v[d], base + 153);
                v[b] = (v[b] ^ v[c]).rotate_right(7);
                base += 184;
            }
        }
        let out = std::array::from_fn(|i| h[i] ^ v[i] ^ v[i + 8]);
        for (i, &word) in out.iter().enumerate() {
            block.put(256 + 32 * i, 0..32, word);
        }
        (block, out)
    }

    /// Whether `(A z) o (B z) = z`.
    fn satisfies(&self) -> bool {
        let wires: Vec<E> = self.0.iter().map(|&bit| embed(u64::from(bit))).collect();
        let (a, b) = rows(&wires);
        (0..WIRES).all(|row| a[row] * b[row] == wires[row])
    }
}

const IV: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
const LANES: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// Blocks of hashing `message`, with the digest they lead to.
fn blocks(message: &[u8]) -> (Vec<Block>, [u8; 32]) {
    let mut h = IV;
    h[0] ^= 0x0101_0020;
    let mut blocks = Vec::new();
    let pieces: Vec<&[u8]> = message.chunks(64).collect();
    let mut counter = 0;
    for (index, piece) in pieces.iter().enumerate() {
        let mut padded = [0; 64];
        padded[..piece.len()].copy_from_slice(piece);
        counter += piece.len() as u32;
        let words = std::array::from_fn(|i| {
            u32::from_le_bytes(padded[4 * i..4 * i + 4].try_into().unwrap())
        });
        let last = if index + 1 == pieces.len() {
            u32::MAX
        } else {
            0
        };
        let (block, out) = Block::new(h, words, [counter, 0, last, 0]);
        blocks.push(block);
        h = out;
    }
    let mut digest = [0; 32];
    for (chunk, word) in digest.chunks_mut(4).zip(h) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    (blocks, digest)
}

#[test]
fn compressions_satisfy_the_circuit() {
    for length in [1, 64, 65, 200, 512] {
        let message: Vec<u8> = (0..length).map(|i| (i * 37 + length) as u8).collect();
        let (blocks, digest) = blocks(&message);
        assert_eq!(digest, hash(&message));
        assert!(blocks.iter().all(Block::satisfies));
    }
}

#[test]
fn a_wrong_wire_does_not() {
    let (mut blocks, _) = blocks(b"message");
    let block = &mut blocks[0];
    for wire in [
        0, 255, 256, 511, ONE, 513, 639, 640, 1151, 1152, 1279, 1280, 9000, 15_999, 16_000,
    ] {
        block.0[wire] ^= true;
        // A free wire changes what depends on it; the constant wire makes everything else false.
        assert!(!block.satisfies(), "wire {wire}");
        block.0[wire] ^= true;
    }
    // The all-zero block is what only the pin of the constant wire excludes.
    assert!(Block(vec![false; WIRES]).satisfies());
}

#[test]
fn fixed_coordinates_are_the_published_ones() {
    let expected = [
        [0x501d2518e3ce5a55, 0, 0],
        [0xff054c3f7cef0cca, 0, 0],
        [0x155755ffb7202002, 0, 0],
        [0x35cfd1ab784e4bf6, 0x12fa45aa9a1825d1, 0xb996e3c1cf34ac24],
        [0x63ec67547b58ffa3, 0xe188dfcb58207451, 0xbba7df26ed9c8ffc],
        [0xc9350a318893eeae, 0xe5e0ec902c5238d6, 0xe8bd2e5755425f21],
        [0x369b37ae52f8330e, 0x0bd7a06f7a48ae87, 0x122bad6c647e24d2],
    ];
    assert_eq!(fixed_coordinates().map(to_limbs), expected);
}

/// Soundness of the fixed coordinates: a nonzero bit vector of 128 entries has a nonzero sum
/// against their equality weights.
#[test]
fn fixed_weights_are_independent_over_bits() {
    let weights = prova_binary_pcs::poly::eq_table(&fixed_coordinates());
    let mut basis: Vec<[u64; 3]> = Vec::new();
    for weight in weights {
        let mut limbs = to_limbs(weight);
        for other in &basis {
            let lead = lead(other);
            if limbs[lead / 64] >> (lead % 64) & 1 == 1 {
                (0..3).for_each(|i| limbs[i] ^= other[i]);
            }
        }
        assert_ne!(limbs, [0; 3], "the weights are dependent");
        basis.push(limbs);
    }
    assert_eq!(basis.len(), 128);
}

/// The lowest set bit.
fn lead(limbs: &[u64; 3]) -> usize {
    let limb = limbs.iter().position(|&limb| limb != 0).unwrap();
    64 * limb + limbs[limb].trailing_zeros() as usize
}
