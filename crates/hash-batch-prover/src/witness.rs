//! Witness generation: the packed bits `z` of every block and its row values `A z`, `B z`.
//!
//! Eight instances go through the word arithmetic together, one in each 64-bit lane, so that the
//! same plain code becomes 512-bit or 256-bit instructions where the arm allows them.

use crate::arm::Arm;
use crate::circuit::{ADDITIONS, BLOCK_WORDS, GATE_BITS, GATES, ONE, OUT, ROTATIONS};
use prova_binary_pcs::blake2s::{IV, LANES, SIGMA};
use rayon::prelude::*;
use std::ops::{BitAnd, BitOr, BitXor};

/// Instances per group; a batch has at least one group.
pub const GROUP: usize = 8;
/// Words of one group in one table.
pub(crate) const GROUP_WORDS: usize = GROUP * BLOCK_WORDS;
/// `v0` of an unkeyed BLAKE2s-256 chaining value before the first block, xored into `IV[0]`.
const PARAMETERS: u32 = 0x0101_0020;

/// The inputs of one BLAKE2s compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compression {
    /// Chaining value.
    pub chaining: [u32; 8],
    /// Message block.
    pub message: [u32; 16],
    /// Bytes hashed so far, this block included.
    pub counter: u64,
    /// Finalisation flags `f0`, `f1`.
    pub flags: [u32; 2],
}

impl Compression {
    /// The only block of an unkeyed BLAKE2s-256 of `length <= 64` bytes, zero-filled in `message`.
    #[must_use]
    pub fn single_block(message: [u32; 16], length: u64) -> Self {
        let mut chaining = IV;
        chaining[0] ^= PARAMETERS;
        Self {
            chaining,
            message,
            counter: length,
            flags: [u32::MAX, 0],
        }
    }

    /// The genuine block that fills a batch up: BLAKE2s-256 of 64 zero bytes.
    #[must_use]
    pub fn padding() -> Self {
        Self::single_block([0; 16], 64)
    }

    /// The chaining value that the compression gives.
    #[must_use]
    pub fn output(&self) -> [u32; 8] {
        let mut v = self.initial_state();
        for gate in 0..80 {
            let [a, b, c, d] = LANES[gate % 8];
            for half in 0..2 {
                let m = self.message[SIGMA[gate / 8][2 * (gate % 8) + half]];
                let (first, second) = ROTATIONS[half];
                v[a] = v[a].wrapping_add(v[b]).wrapping_add(m);
                v[d] = (v[d] ^ v[a]).rotate_right(first as u32);
                v[c] = v[c].wrapping_add(v[d]);
                v[b] = (v[b] ^ v[c]).rotate_right(second as u32);
            }
        }
        std::array::from_fn(|i| self.chaining[i] ^ v[i] ^ v[i + 8])
    }

    fn initial_state(&self) -> [u32; 16] {
        let tweak = self.metadata();
        std::array::from_fn(|i| match i {
            0..8 => self.chaining[i],
            8..12 => IV[i - 8],
            _ => IV[i - 8] ^ tweak[i - 12],
        })
    }

    fn metadata(&self) -> [u32; 4] {
        [
            self.counter as u32,
            (self.counter >> 32) as u32,
            self.flags[0],
            self.flags[1],
        ]
    }
}

/// The bit tables of a batch, 64 bits a word: word `256 t + s` is slot `s` of instance `t`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitTables {
    /// Number of instances, as a power of two; at least 3.
    pub log_instances: usize,
    /// The witness, which is also `C z`.
    pub z: Vec<u64>,
    /// Row values `A z`.
    pub a: Vec<u64>,
    /// Row values `B z`.
    pub b: Vec<u64>,
}

impl BitTables {
    /// Generates the tables of a batch, filled up with [`Compression::padding`] to the next power
    /// of two of at least [`GROUP`] instances. The result does not depend on the number of threads.
    #[must_use]
    pub fn generate(compressions: &[Compression], arm: Arm) -> Self {
        let instances = instances_for(compressions);
        let words = instances * BLOCK_WORDS;
        let [mut z, mut a, mut b] = [(); 3].map(|()| vec![0; words]);
        let arm = arm.usable();
        z.par_chunks_exact_mut(GROUP_WORDS)
            .zip(a.par_chunks_exact_mut(GROUP_WORDS))
            .zip(b.par_chunks_exact_mut(GROUP_WORDS))
            .enumerate()
            .for_each(|(group, ((z, a), b))| {
                fill_group(arm, &inputs(compressions, group), [z, a, b]);
            });
        Self {
            log_instances: instances.ilog2() as usize,
            z,
            a,
            b,
        }
    }

    /// The witness of [`Self::generate`] alone.
    #[must_use]
    pub fn generate_witness(compressions: &[Compression], arm: Arm) -> Vec<u64> {
        let mut z = vec![0; instances_for(compressions) * BLOCK_WORDS];
        let arm = arm.usable();
        z.par_chunks_exact_mut(GROUP_WORDS)
            .enumerate()
            .for_each(|(group, z)| {
                fill_group(arm, &inputs(compressions, group), [z, &mut [], &mut []]);
            });
        z
    }

    /// The row values `A z` and `B z` of [`Self::generate`] alone.
    #[must_use]
    pub fn generate_factors(compressions: &[Compression], arm: Arm) -> [Vec<u64>; 2] {
        let words = instances_for(compressions) * BLOCK_WORDS;
        let [mut a, mut b] = [(); 2].map(|()| vec![0; words]);
        let arm = arm.usable();
        a.par_chunks_exact_mut(GROUP_WORDS)
            .zip(b.par_chunks_exact_mut(GROUP_WORDS))
            .enumerate()
            .for_each(|(group, (a, b))| {
                fill_group(arm, &inputs(compressions, group), [&mut [], a, b]);
            });
        [a, b]
    }

    /// Number of instances.
    #[must_use]
    pub fn instances(&self) -> usize {
        1 << self.log_instances
    }

    /// The tables, borrowed.
    #[must_use]
    pub fn view(&self) -> TableView<'_> {
        TableView {
            log_instances: self.log_instances,
            z: &self.z,
            a: &self.a,
            b: &self.b,
        }
    }
}

/// Borrowed [`BitTables`].
#[derive(Clone, Copy, Debug)]
pub struct TableView<'a> {
    /// Number of instances, as a power of two; at least 3.
    pub log_instances: usize,
    /// The witness.
    pub z: &'a [u64],
    /// Row values `A z`.
    pub a: &'a [u64],
    /// Row values `B z`.
    pub b: &'a [u64],
}

impl TableView<'_> {
    /// Number of instances.
    #[must_use]
    pub fn instances(&self) -> usize {
        1 << self.log_instances
    }
}

/// Instances of a batch.
pub(crate) fn instances_for(compressions: &[Compression]) -> usize {
    compressions.len().next_power_of_two().max(GROUP)
}

/// The inputs of a group, padding past the end.
fn inputs(compressions: &[Compression], group: usize) -> [Compression; GROUP] {
    std::array::from_fn(|lane| {
        compressions
            .get(GROUP * group + lane)
            .copied()
            .unwrap_or_else(Compression::padding)
    })
}

/// Fills the tables of a group; an empty slice is left out.
fn fill_group(arm: Arm, inputs: &[Compression; GROUP], out: [&mut [u64]; 3]) {
    match arm {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the arm is offered only on CPUs with these features (`Arm::available`).
        Arm::Gfni => unsafe { fill_group_avx512(inputs, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Arm::Avx2 => unsafe { fill_group_avx2(inputs, out) },
        _ => fill_group_lanes(inputs, out),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn fill_group_avx512(inputs: &[Compression; GROUP], out: [&mut [u64]; 3]) {
    fill_group_lanes(inputs, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_group_avx2(inputs: &[Compression; GROUP], out: [&mut [u64]; 3]) {
    fill_group_lanes(inputs, out);
}

/// One 32-bit value (or up to 64 packed bits) of each of the eight instances.
#[derive(Clone, Copy)]
struct Lanes([u64; GROUP]);

impl Lanes {
    #[inline(always)]
    fn map2(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let mut out = [0; GROUP];
        for (out, (&x, &y)) in out.iter_mut().zip(self.0.iter().zip(&other.0)) {
            *out = f(x, y);
        }
        Self(out)
    }

    #[inline(always)]
    fn map(self, f: impl Fn(u64) -> u64) -> Self {
        self.map2(self, |x, _| f(x))
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.map2(other, |x, y| x.wrapping_add(y) & 0xffff_ffff)
    }

    #[inline(always)]
    fn rotate_right(self, by: usize) -> Self {
        self.map(|x| (x >> by | x << (32 - by)) & 0xffff_ffff)
    }
}

impl BitXor for Lanes {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        self.map2(other, |x, y| x ^ y)
    }
}

impl BitAnd for Lanes {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.map2(other, |x, y| x & y)
    }
}

impl BitOr for Lanes {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.map2(other, |x, y| x | y)
    }
}

/// The rows of `z`, `A z`, `B z` of a group, slot by slot, and the bits not yet stored.
struct Rows {
    slots: [[Lanes; BLOCK_WORDS]; 3],
    pending: [Lanes; 3],
    word: usize,
    fill: usize,
}

impl Rows {
    #[inline(always)]
    fn put(&mut self, word: usize, values: [Lanes; 3]) {
        for (slots, value) in self.slots.iter_mut().zip(values) {
            slots[word] = value;
        }
    }

    /// An input word: the bits themselves against the constant one.
    #[inline(always)]
    fn put_input(&mut self, word: usize, value: Lanes) {
        self.put(word, [value, value, Lanes([u64::MAX; GROUP])]);
    }

    /// Appends `width` rows given by the bits of their two factors.
    #[inline(always)]
    fn push(&mut self, left: Lanes, right: Lanes, width: usize) {
        let (fill, word) = (self.fill, self.word);
        let full = fill + width >= 64;
        for (table, bits) in [left & right, left, right].into_iter().enumerate() {
            let sum = self.pending[table] | bits.map(|x| x << fill);
            if full {
                self.slots[table][word] = sum;
                self.pending[table] = bits.map(|x| x >> (64 - fill));
            } else {
                self.pending[table] = sum;
            }
        }
        self.word += usize::from(full);
        self.fill = (fill + width) % 64;
    }

    #[inline(always)]
    fn add(&mut self, x: Lanes, y: Lanes) -> Lanes {
        let sum = x.plus(y);
        let carry = sum ^ x ^ y;
        let mask = |v: Lanes| v.map(|v| v & 0x7fff_ffff);
        self.push(mask(x ^ carry), mask(y ^ carry), 31);
        sum
    }

    #[inline(always)]
    fn add3(&mut self, x: Lanes, y: Lanes, z: Lanes) -> Lanes {
        let (left, right) = (x ^ z, y ^ z);
        let parity = left ^ y;
        let majority = ((left & right) ^ z).map(|v| v << 1 & 0xffff_ffff);
        let sum = parity.plus(majority);
        let carry = sum ^ parity ^ majority;
        let join = |low: Lanes, high: Lanes| {
            low.map2(high, |l, h| l & 0x7fff_ffff | (h & 0x7fff_fffe) << 30)
        };
        self.push(
            join(left, parity ^ carry),
            join(right, majority ^ carry),
            61,
        );
        sum
    }

    #[inline(always)]
    fn gate(&mut self, v: &mut [Lanes; 16], message: &[Lanes; 16], gate: usize) {
        let [a, b, c, d] = LANES[gate % 8];
        for half in 0..2 {
            let m = message[SIGMA[gate / 8][2 * (gate % 8) + half]];
            let (first, second) = ROTATIONS[half];
            v[a] = self.add3(v[a], v[b], m);
            v[d] = (v[d] ^ v[a]).rotate_right(first);
            v[c] = self.add(v[c], v[d]);
            v[b] = (v[b] ^ v[c]).rotate_right(second);
        }
    }
}

/// Two 32-bit words as one packed word.
#[inline(always)]
fn pair(low: Lanes, high: Lanes) -> Lanes {
    low.map2(high, |l, h| l | h << 32)
}

#[inline(always)]
fn fill_group_lanes(inputs: &[Compression; GROUP], out: [&mut [u64]; 3]) {
    const { assert!(GATES.is_multiple_of(64) && GATE_BITS == ADDITIONS[3] + 31) };
    let gather = |f: &dyn Fn(&Compression) -> u32| {
        let mut lanes = [0; GROUP];
        for (lane, input) in lanes.iter_mut().zip(inputs) {
            *lane = u64::from(f(input));
        }
        Lanes(lanes)
    };
    let message: [Lanes; 16] = std::array::from_fn(|i| gather(&|c| c.message[i]));
    let chaining: [Lanes; 8] = std::array::from_fn(|i| gather(&|c| c.chaining[i]));
    let metadata: [Lanes; 4] = std::array::from_fn(|i| gather(&|c| c.metadata()[i]));
    let mut v: [Lanes; 16] = std::array::from_fn(|i| gather(&|c| c.initial_state()[i]));
    let zero = Lanes([0; GROUP]);
    let mut rows = Rows {
        slots: [[zero; BLOCK_WORDS]; 3],
        pending: [zero; 3],
        word: GATES / 64,
        fill: 0,
    };
    for gate in 0..80 {
        rows.gate(&mut v, &message, gate);
    }
    for i in 0..4 {
        let word = |j: usize| chaining[j] ^ v[j] ^ v[j + 8];
        rows.put_input(i, pair(chaining[2 * i], chaining[2 * i + 1]));
        rows.put_input(OUT / 64 + i, pair(word(2 * i), word(2 * i + 1)));
    }
    rows.put(ONE / 64, [Lanes([1; GROUP]); 3]);
    for i in 0..8 {
        rows.put_input(10 + i, pair(message[2 * i], message[2 * i + 1]));
    }
    for i in 0..2 {
        rows.put_input(18 + i, pair(metadata[2 * i], metadata[2 * i + 1]));
    }
    for (out, slots) in out.into_iter().zip(&rows.slots) {
        for (lane, block) in out.chunks_exact_mut(BLOCK_WORDS).enumerate() {
            for (word, slot) in block.iter_mut().zip(slots) {
                *word = slot.0[lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{BLOCK_BITS, rows};
    use crate::field::E;
    use crate::test_util::random_compressions;
    use blake2::{Blake2s256, Digest};
    use p3_field::PrimeCharacteristicRing;
    use prova_binary_pcs::field::embed;

    fn bit(words: &[u64], i: usize) -> bool {
        words[i / 64] >> (i % 64) & 1 == 1
    }

    #[test]
    fn multi_block_hashes_agree_with_blake2() {
        for length in [1usize, 63, 64, 65, 128, 200, 1000] {
            let data: Vec<u8> = (0..length).map(|i| (i * 7 + length) as u8).collect();
            let mut chaining = Compression::padding().chaining;
            let blocks = length.div_ceil(64);
            let mut inputs = Vec::new();
            for (i, chunk) in data.chunks(64).enumerate() {
                let mut block = [0u8; 64];
                block[..chunk.len()].copy_from_slice(chunk);
                let last = i + 1 == blocks;
                let compression = Compression {
                    chaining,
                    message: std::array::from_fn(|w| {
                        u32::from_le_bytes(block[4 * w..4 * w + 4].try_into().unwrap())
                    }),
                    counter: if last { length } else { 64 * (i + 1) } as u64,
                    flags: [if last { u32::MAX } else { 0 }, 0],
                };
                inputs.push(compression);
                chaining = compression.output();
            }
            let digest: Vec<u8> = chaining.iter().flat_map(|w| w.to_le_bytes()).collect();
            assert_eq!(digest, Blake2s256::digest(&data).as_slice());
            // The packed witness holds the same outputs.
            let tables = BitTables::generate(&inputs, Arm::Portable);
            for (t, input) in inputs.iter().enumerate() {
                let out = input.output();
                for w in 0..4 {
                    let expected = u64::from(out[2 * w]) | u64::from(out[2 * w + 1]) << 32;
                    assert_eq!(tables.z[BLOCK_WORDS * t + 4 + w], expected);
                }
            }
        }
    }

    #[test]
    fn symbolic_rows_give_the_row_tables_and_hold() {
        let tables = BitTables::generate(&random_compressions(4, 5), Arm::Portable);
        for t in [0, 4, 5, 7] {
            let block = |table: &[u64]| table[BLOCK_WORDS * t..][..BLOCK_WORDS].to_vec();
            let (z, a, b) = (block(&tables.z), block(&tables.a), block(&tables.b));
            let w: Vec<E> = (0..BLOCK_BITS)
                .map(|i| embed(u64::from(bit(&z, i))))
                .collect();
            let (rows_a, rows_b) = rows(&w);
            for i in 0..BLOCK_BITS {
                assert_eq!(rows_a[i] == E::ONE, bit(&a, i), "A row {i}");
                assert_eq!(rows_b[i] == E::ONE, bit(&b, i), "B row {i}");
                assert_eq!(rows_a[i] * rows_b[i], w[i], "constraint {i}");
            }
        }
    }

    #[test]
    fn arms_and_thread_counts_agree() {
        let inputs = random_compressions(5, 19);
        let expected = BitTables::generate(&inputs, Arm::Portable);
        assert_eq!(expected.instances(), 32);
        for arm in Arm::all_available() {
            for threads in 1..=3 {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .unwrap();
                assert_eq!(pool.install(|| BitTables::generate(&inputs, arm)), expected);
            }
        }
    }
}
