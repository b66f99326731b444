//! Keccak leaves and nodes in vector lanes.
//!
//! The instruction set is chosen at run time, where Plonky3 chooses that of its packed permutation
//! for the whole build. Where there is no kernel of ours, Plonky3's do the work.

#[cfg(target_arch = "x86_64")]
#[macro_use]
mod kernel;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use crate::field::HashField;
use crate::tree_hasher::{TreeHasher, check_pairs, check_rows};

/// Bytes absorbed per permutation, by both hashes.
const RATE_BYTES: usize = 136;

/// The lane that ends the rate, and the padding's last bit in it.
#[cfg(target_arch = "x86_64")]
const LAST_LANE: usize = RATE_BYTES / 8 - 1;
#[cfg(target_arch = "x86_64")]
const LAST_BIT: u64 = 1 << 63;

/// A set of instructions for the lanes. All give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeccakArch {
    /// Plonky3's choice.
    Portable,
    /// Four lanes.
    Avx2,
    /// Eight lanes, with rotations and three-input logic.
    Avx512,
}

impl KeccakArch {
    /// Every choice, slowest first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Whether this CPU, and this build, can run it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => std::is_x86_feature_detected!("avx512f"),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The fastest this CPU can run: what the hashers use.
    #[must_use]
    pub fn best() -> Self {
        let found = Self::ALL.into_iter().rev().find(|arch| arch.is_available());
        found.unwrap_or(Self::Portable)
    }

    /// Name for reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

/// A kernel that this CPU can run; `PAD` says which hash: Keccak-256, or the padding-free sponge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kernel(KeccakArch);

impl Kernel {
    fn best() -> Self {
        Self(KeccakArch::best())
    }

    /// Digests of rows of `width > 0` words.
    fn hash_rows<const PAD: bool>(self, rows: &[u32], width: usize, out: &mut [[u8; 32]]) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a kernel is only made where the CPU has its instructions.
            KeccakArch::Avx512 => unsafe {
                avx512::hash_rows::<PAD>(bytemuck::cast_slice(rows), 4 * width, out);
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            KeccakArch::Avx2 => unsafe {
                avx2::hash_rows::<PAD>(bytemuck::cast_slice(rows), 4 * width, out);
            },
            _ => portable::hash_rows::<PAD>(rows, width, out),
        }
    }

    /// Parents of nodes whose words are in native order.
    fn compress<const PAD: bool>(
        self,
        left: &[[u8; 32]],
        right: &[[u8; 32]],
        out: &mut [[u8; 32]],
    ) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            KeccakArch::Avx512 => unsafe { avx512::compress::<PAD>(left, right, out) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            KeccakArch::Avx2 => unsafe { avx2::compress::<PAD>(left, right, out) },
            _ => portable::compress::<PAD>(left, right, out),
        }
    }
}

/// The padding-free overwrite sponge over Keccak-f[1600], four words of digest:
/// `SerializingHasher<PaddingFreeSponge<KeccakF, 25, 17, 4>>` leaves and
/// `CompressionFunctionFromHasher<PaddingFreeSponge<KeccakF, 25, 17, 4>, 2, 4>` nodes.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeccakTreeHasher;

impl<F: HashField> TreeHasher<F> for KeccakTreeHasher {
    type Digest = [u64; 4];

    fn hash_rows(&self, rows: &[F], width: usize, out: &mut [[u64; 4]]) {
        check_rows(rows, width, out);
        let out = bytemuck::cast_slice_mut(out);
        Kernel::best().hash_rows::<false>(F::words(rows), width, out);
    }

    fn compress(&self, left: &[[u64; 4]], right: &[[u64; 4]], out: &mut [[u64; 4]]) {
        check_pairs(left, right, out);
        let (left, right) = (bytemuck::cast_slice(left), bytemuck::cast_slice(right));
        Kernel::best().compress::<false>(left, right, bytemuck::cast_slice_mut(out));
    }
}

/// Keccak-256 over the stored little-endian words of a row, and over pairs of nodes:
/// `SerializingHasher<Keccak256Hash>` leaves and `CompressionFunctionFromHasher<Keccak256Hash, 2,
/// 32>` nodes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keccak256TreeHasher;

impl<F: HashField> TreeHasher<F> for Keccak256TreeHasher {
    type Digest = [u8; 32];

    fn hash_rows(&self, rows: &[F], width: usize, out: &mut [[u8; 32]]) {
        check_rows(rows, width, out);
        Kernel::best().hash_rows::<true>(F::words(rows), width, out);
    }

    fn compress(&self, left: &[[u8; 32]], right: &[[u8; 32]], out: &mut [[u8; 32]]) {
        check_pairs(left, right, out);
        Kernel::best().compress::<true>(left, right, out);
    }
}
