//! BLAKE2s-256 of many messages that begin with the same blocks (RFC 7693).
//!
//! Leaves of a polynomial with absent lanes begin with blocks of zeros. Those are compressed once,
//! and every leaf starts from the state after them. Messages are whole blocks; one vector lane
//! holds one message.

use prova_binary_pcs::blake2s::{IV, LANES, SIGMA};
use prova_binary_pcs::merkle::Digest;

/// Bytes of a block.
pub(crate) const BLOCK_BYTES: usize = 64;

/// The parameter block of a sequential, unkeyed hash of 32 bytes.
const PARAMETERS: u32 = 0x0101_0020;

/// The word operations of the compression, on as many messages as a register has lanes.
trait Word: Copy {
    fn splat(word: u32) -> Self;
    fn add(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn rotate<const N: i32>(self) -> Self;
}

/// The state of a hash after some blocks that are all zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AfterZeros {
    state: [u32; 8],
    bytes: u64,
}

impl AfterZeros {
    pub(crate) fn new(blocks: usize) -> Self {
        let mut state = IV;
        state[0] ^= PARAMETERS;
        let mut bytes = 0;
        for _ in 0..blocks {
            bytes += BLOCK_BYTES as u64;
            let mut next = [state];
            compress(&mut next, &[[0; 16]], bytes, false);
            [state] = next;
        }
        Self { state, bytes }
    }

    /// Hashes messages of equal length, a positive number of whole blocks each, end to end.
    pub(crate) fn hash_many(&self, messages: &[u8], digests: &mut [Digest]) {
        let length = messages.len() / digests.len().max(1);
        let messages = messages.chunks(length.max(1) * backend::MESSAGES);
        for (messages, digests) in messages.zip(digests.chunks_mut(backend::MESSAGES)) {
            self.hash_group(messages, length, digests);
        }
    }

    /// Hashes at most as many messages as there are lanes; lanes without one repeat the last.
    fn hash_group(&self, messages: &[u8], length: usize, digests: &mut [Digest]) {
        let last = digests.len() - 1;
        let mut state = [self.state.map(backend::Vector::splat); backend::GROUPS];
        for at in (0..length).step_by(BLOCK_BYTES) {
            let block = |lane: usize| -> &[u8; BLOCK_BYTES] {
                messages[lane.min(last) * length + at..]
                    .first_chunk()
                    .expect("whole blocks")
            };
            let block = core::array::from_fn(|group| {
                backend::load(&core::array::from_fn(|lane| {
                    block(group * backend::WIDTH + lane)
                }))
            });
            let end = at + BLOCK_BYTES;
            compress(&mut state, &block, self.bytes + end as u64, end == length);
        }
        for (group, digests) in state.iter().zip(digests.chunks_mut(backend::WIDTH)) {
            for (word, lanes) in group.map(backend::lanes).iter().enumerate() {
                for (digest, lane) in digests.iter_mut().zip(lanes) {
                    digest[4 * word..][..4].copy_from_slice(&lane.to_le_bytes());
                }
            }
        }
    }
}

/// One block in every lane of every group. The groups are independent, so that one's latencies
/// hide behind the other's work.
#[inline(always)]
fn compress<V: Word, const GROUPS: usize>(
    state: &mut [[V; 8]; GROUPS],
    message: &[[V; 16]; GROUPS],
    counter: u64,
    last: bool,
) {
    let mut upper = IV;
    upper[4] ^= counter as u32;
    upper[5] ^= (counter >> 32) as u32;
    upper[6] ^= if last { u32::MAX } else { 0 };
    let mut v: [[V; 16]; GROUPS] = core::array::from_fn(|group| {
        core::array::from_fn(|i| {
            if i < 8 {
                state[group][i]
            } else {
                V::splat(upper[i - 8])
            }
        })
    });
    round::<0, V, GROUPS>(&mut v, message);
    round::<1, V, GROUPS>(&mut v, message);
    round::<2, V, GROUPS>(&mut v, message);
    round::<3, V, GROUPS>(&mut v, message);
    round::<4, V, GROUPS>(&mut v, message);
    round::<5, V, GROUPS>(&mut v, message);
    round::<6, V, GROUPS>(&mut v, message);
    round::<7, V, GROUPS>(&mut v, message);
    round::<8, V, GROUPS>(&mut v, message);
    round::<9, V, GROUPS>(&mut v, message);
    for (state, v) in state.iter_mut().zip(&v) {
        for (i, word) in state.iter_mut().enumerate() {
            *word = word.xor(v[i]).xor(v[i + 8]);
        }
    }
}

/// One round. Number and indices are constants, so that the state stays in registers.
#[inline(always)]
fn round<const ROUND: usize, V: Word, const GROUPS: usize>(
    v: &mut [[V; 16]; GROUPS],
    message: &[[V; 16]; GROUPS],
) {
    let sigma = const { SIGMA[ROUND] };
    for (v, message) in v.iter_mut().zip(message) {
        let mut g = |k: usize| {
            let (x, y) = (message[sigma[2 * k]], message[sigma[2 * k + 1]]);
            mix(v, LANES[k], x, y);
        };
        g(0);
        g(1);
        g(2);
        g(3);
        g(4);
        g(5);
        g(6);
        g(7);
    }
}

/// The G function of RFC 7693, section 3.1.
#[inline(always)]
fn mix<V: Word>(v: &mut [V; 16], [a, b, c, d]: [usize; 4], x: V, y: V) {
    v[a] = v[a].add(x).add(v[b]);
    v[d] = v[d].xor(v[a]).rotate::<16>();
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotate::<12>();
    v[a] = v[a].add(y).add(v[b]);
    v[d] = v[d].xor(v[a]).rotate::<8>();
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotate::<7>();
}

impl Word for u32 {
    fn splat(word: u32) -> Self {
        word
    }

    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    fn rotate<const N: i32>(self) -> Self {
        self.rotate_right(N as u32)
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
mod backend {
    //! One message at a time.

    use super::BLOCK_BYTES;

    pub(super) type Vector = u32;
    pub(super) const WIDTH: usize = 1;
    pub(super) const GROUPS: usize = 1;
    pub(super) const MESSAGES: usize = WIDTH * GROUPS;

    pub(super) fn load(blocks: &[&[u8; BLOCK_BYTES]; WIDTH]) -> [Vector; 16] {
        core::array::from_fn(|i| u32::from_le_bytes(blocks[0].as_chunks::<4>().0[i]))
    }

    pub(super) fn lanes(vector: Vector) -> [u32; WIDTH] {
        [vector]
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod backend {
    //! Eight messages a 256-bit register, sixteen a 512-bit one.

    use core::arch::x86_64::*;

    use super::{BLOCK_BYTES, Word};

    #[cfg(not(target_feature = "avx512f"))]
    pub(super) type Vector = __m256i;
    #[cfg(target_feature = "avx512f")]
    pub(super) type Vector = __m512i;

    pub(super) const WIDTH: usize = size_of::<Vector>() / 4;
    pub(super) const GROUPS: usize = 2;
    pub(super) const MESSAGES: usize = WIDTH * GROUPS;

    /// Words of a 256-bit register, and the side of the squares that are transposed.
    const SIDE: usize = 8;

    /// Register `i` holds word `i` of every block.
    #[inline(always)]
    pub(super) fn load(blocks: &[&[u8; BLOCK_BYTES]; WIDTH]) -> [Vector; 16] {
        let half = |side: usize, half: usize| {
            // SAFETY: the module is compiled for processors with AVX2 only, and each load reads
            // one half of a block of 64 bytes.
            transpose(core::array::from_fn(|i| unsafe {
                _mm256_loadu_si256(blocks[side * SIDE + i].as_ptr().add(32 * half).cast())
            }))
        };
        #[cfg(not(target_feature = "avx512f"))]
        {
            let halves = [half(0, 0), half(0, 1)];
            core::array::from_fn(|i| halves[i / SIDE][i % SIDE])
        }
        #[cfg(target_feature = "avx512f")]
        {
            let (low, high) = ([half(0, 0), half(0, 1)], [half(1, 0), half(1, 1)]);
            core::array::from_fn(|i| {
                let (low, high) = (low[i / SIDE][i % SIDE], high[i / SIDE][i % SIDE]);
                // SAFETY: this arm is compiled for processors with AVX-512F only.
                unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high) }
            })
        }
    }

    /// Exchanges rows and columns of eight by eight words.
    #[inline(always)]
    fn transpose(r: [__m256i; SIDE]) -> [__m256i; SIDE] {
        // SAFETY: the module is compiled for processors with AVX2 only.
        unsafe {
            // Pairs of words, then pairs of pairs, inside each half; then the halves.
            let pairs: [__m256i; SIDE] = core::array::from_fn(|i| match i % 2 {
                0 => _mm256_unpacklo_epi32(r[i], r[i + 1]),
                _ => _mm256_unpackhi_epi32(r[i - 1], r[i]),
            });
            let quads: [__m256i; SIDE] = core::array::from_fn(|i| {
                let (base, column) = (i / 4 * 4, i % 4);
                let (a, b) = (pairs[base + column / 2], pairs[base + 2 + column / 2]);
                match column % 2 {
                    0 => _mm256_unpacklo_epi64(a, b),
                    _ => _mm256_unpackhi_epi64(a, b),
                }
            });
            core::array::from_fn(|i| match i / 4 {
                0 => _mm256_permute2x128_si256::<0x20>(quads[i], quads[i + 4]),
                _ => _mm256_permute2x128_si256::<0x31>(quads[i - 4], quads[i]),
            })
        }
    }

    pub(super) fn lanes(vector: Vector) -> [u32; WIDTH] {
        // SAFETY: a register is as many unrestricted words as the array has.
        unsafe { core::mem::transmute(vector) }
    }

    // SAFETY of every block: the implementation is compiled for processors with AVX2 only.
    #[cfg(not(target_feature = "avx512f"))]
    impl Word for __m256i {
        #[inline(always)]
        fn splat(word: u32) -> Self {
            // SAFETY: see above.
            unsafe { _mm256_set1_epi32(word.cast_signed()) }
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: see above.
            unsafe { _mm256_add_epi32(self, other) }
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            // SAFETY: see above.
            unsafe { _mm256_xor_si256(self, other) }
        }

        #[inline(always)]
        fn rotate<const N: i32>(self) -> Self {
            const BYTE: [i8; 16] = [1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12];
            const HALF: [i8; 16] = [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13];
            // SAFETY: see above; the loads read the 16 bytes of a constant. Of the rotations, those
            // by whole bytes are shuffles.
            unsafe {
                let shuffle = |order: &[i8; 16]| {
                    let order = _mm256_broadcastsi128_si256(_mm_loadu_si128(order.as_ptr().cast()));
                    _mm256_shuffle_epi8(self, order)
                };
                match N {
                    16 => shuffle(&HALF),
                    8 => shuffle(&BYTE),
                    _ => {
                        let (right, left) = (_mm_cvtsi32_si128(N), _mm_cvtsi32_si128(32 - N));
                        _mm256_or_si256(_mm256_srl_epi32(self, right), _mm256_sll_epi32(self, left))
                    }
                }
            }
        }
    }

    // SAFETY of every block: the implementation is compiled for processors with AVX-512F only.
    #[cfg(target_feature = "avx512f")]
    impl Word for __m512i {
        #[inline(always)]
        fn splat(word: u32) -> Self {
            // SAFETY: see above.
            unsafe { _mm512_set1_epi32(word.cast_signed()) }
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: see above.
            unsafe { _mm512_add_epi32(self, other) }
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            // SAFETY: see above.
            unsafe { _mm512_xor_si512(self, other) }
        }

        #[inline(always)]
        fn rotate<const N: i32>(self) -> Self {
            // SAFETY: see above.
            unsafe { _mm512_ror_epi32::<N>(self) }
        }
    }
}
