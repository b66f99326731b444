//! BLAKE2s (RFC 7693): one message at a time, and sixteen at once in vector lanes.
//!
//! The lanes stay word-sliced between compressions: a chain of short hashes never transposes. The
//! instruction set is chosen at run time; a fixed choice per build, with messages laid end to end,
//! is what `p3-blake2s` offers.

#[macro_use]
mod kernel;

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod avx2;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod avx512;
#[cfg(all(feature = "std", target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod scalar;
#[cfg(all(test, feature = "std"))]
mod tests;

pub use scalar::{Blake2s, compress, hash};

/// Messages that one lane-parallel compression advances.
pub const LANES: usize = 16;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = 64;

/// The initialisation vector, that of SHA-256 (RFC 7693, section 2.6).
pub const IV: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// The message schedule (RFC 7693, section 2.7).
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

/// The state before the first block: `IV` with the parameter block folded in (RFC 7693, section
/// 2.8), for digests of 32 bytes and a key of `key_bytes` bytes.
///
/// A key goes in as a first block of its own, padded with zeros, which the byte counter includes.
#[must_use]
pub const fn initial_state(key_bytes: u8) -> [u32; 8] {
    let mut h = IV;
    h[0] ^= 0x0101_0020 ^ ((key_bytes as u32) << 8);
    h
}

/// One 32-bit word of each of sixteen messages or states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Lanes(pub [u32; LANES]);

impl Lanes {
    /// The same word in every lane.
    #[must_use]
    pub const fn splat(word: u32) -> Self {
        Self([word; LANES])
    }

    /// The same words in every lane.
    #[must_use]
    pub fn splat_all<const N: usize>(words: &[u32; N]) -> [Self; N] {
        words.map(Self::splat)
    }
}

/// A set of instructions for the lanes. All give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arch {
    /// One lane after another, on any CPU.
    Portable,
    /// Four lanes a register.
    Neon,
    /// Eight lanes a register.
    Avx2,
    /// Sixteen lanes a register, with rotations.
    Avx512,
}

impl Arch {
    /// Every choice, slowest first.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Neon, Self::Avx2, Self::Avx512];

    /// Whether this CPU, and this build, can run it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            Self::Avx2 => std::is_x86_feature_detected!("avx2"),
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            Self::Avx512 => std::is_x86_feature_detected!("avx512f"),
            #[cfg(all(feature = "std", target_arch = "aarch64", target_endian = "little"))]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            #[allow(unreachable_patterns)]
            _ => false,
        }
    }

    /// Name for reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

/// A lane-parallel BLAKE2s that this CPU can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Arch);

impl Kernel {
    /// The fastest this CPU can run.
    #[must_use]
    pub fn best() -> Self {
        let found = Arch::ALL.into_iter().rev().find(|arch| arch.is_available());
        Self(found.unwrap_or(Arch::Portable))
    }

    /// `None` where the CPU cannot run it.
    #[must_use]
    pub fn new(arch: Arch) -> Option<Self> {
        arch.is_available().then_some(Self(arch))
    }

    /// The instructions it uses.
    #[must_use]
    pub const fn arch(self) -> Arch {
        self.0
    }

    /// Advances sixteen states by one block each: word `w` of lane `l` is `state[w].0[l]`.
    ///
    /// `counter` is the number of bytes hashed so far, this block's own included and its padding
    /// excluded; `last` marks the final block. Both are the same for all lanes. Time and memory
    /// accesses do not depend on states or blocks.
    #[inline]
    pub fn compress(self, state: &mut [Lanes; 8], block: &[Lanes; 16], counter: u64, last: bool) {
        match self.0 {
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            // SAFETY: a kernel is only made where the CPU has its instructions.
            Arch::Avx512 => unsafe { avx512::compress(state, block, counter, last) },
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            // SAFETY: as above.
            Arch::Avx2 => unsafe { avx2::compress(state, block, counter, last) },
            #[cfg(all(feature = "std", target_arch = "aarch64", target_endian = "little"))]
            // SAFETY: as above.
            Arch::Neon => unsafe { neon::compress(state, block, counter, last) },
            _ => scalar::compress_lanes(state, block, counter, last),
        }
    }

    /// Unkeyed digests of `out.len()` messages of equal length laid end to end.
    ///
    /// # Panics
    /// If `input.len()` is not a multiple of `out.len()`, or `out` is empty and `input` is not.
    pub fn hash_many(self, input: &[u8], out: &mut [[u8; 32]]) {
        if out.is_empty() {
            assert!(input.is_empty(), "no digests of {} bytes", input.len());
            return;
        }
        assert!(
            input.len().is_multiple_of(out.len()),
            "{} bytes are not {} messages of equal length",
            input.len(),
            out.len()
        );
        let len = input.len() / out.len();
        for (group, digests) in out.chunks_mut(LANES).enumerate() {
            let first = group * LANES;
            let count = digests.len();
            // Spare lanes repeat the last message.
            let message = |lane: usize| &input[(first + lane.min(count - 1)) * len..][..len];
            self.hash_group(core::array::from_fn(message), len, digests);
        }
    }

    fn hash_group(self, messages: [&[u8]; LANES], len: usize, out: &mut [[u8; 32]]) {
        let mut state = Lanes::splat_all(&initial_state(0));
        let plain = len.saturating_sub(1) / BLOCK_BYTES;
        for index in 0..=plain {
            let mut block = [Lanes::default(); 16];
            for (lane, message) in messages.iter().enumerate() {
                let words = scalar::block_words(&message[index * BLOCK_BYTES..]);
                for (to, word) in block.iter_mut().zip(words) {
                    to.0[lane] = word;
                }
            }
            let counter = len.min((index + 1) * BLOCK_BYTES) as u64;
            self.compress(&mut state, &block, counter, index == plain);
        }
        for (lane, digest) in out.iter_mut().enumerate() {
            for (to, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(&state) {
                *to = word.0[lane].to_le_bytes();
            }
        }
    }
}

impl Default for Kernel {
    fn default() -> Self {
        Self::best()
    }
}
