//! Batched Poseidon2 over BabyBear and KoalaBear, widths 16 and 24.

#[cfg(target_arch = "x86_64")]
mod ifma;
mod params;
#[cfg(target_arch = "x86_64")]
mod plan;
mod portable;
#[cfg(target_arch = "x86_64")]
mod scaled;

use p3_poseidon2::ExternalLayerConstants;

#[doc(hidden)]
pub use params::Diag;
pub use params::Poseidon2Field;

use crate::tree_hasher::{TreeHasher, check_pairs, check_rows};

/// A Poseidon2 permutation prepared for batched hashing.
///
/// Equal to the Plonky3 permutation built from the same round constants. The implementation is
/// chosen at construction: 52-bit multiply-add lanes where the CPU has AVX-512 IFMA, otherwise
/// Plonky3's packed permutation.
#[derive(Clone, Debug)]
pub struct Poseidon2Kernel<F: Poseidon2Field<WIDTH>, const WIDTH: usize> {
    perm: F::Perm,
    #[cfg(target_arch = "x86_64")]
    wide: Option<std::sync::Arc<scaled::ScaledConstants<WIDTH>>>,
}

impl<F: Poseidon2Field<WIDTH>, const WIDTH: usize> Poseidon2Kernel<F, WIDTH> {
    /// A kernel for the given round constants.
    pub fn new(external: &ExternalLayerConstants<F, WIDTH>, internal: &[F]) -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            // The wide kernel takes it that external rounds come last.
            wide: (ifma::supported() && !external.get_terminal_constants().is_empty())
                .then(|| std::sync::Arc::new(scaled::ScaledConstants::new(external, internal))),
            ..Self::portable(external, internal)
        }
    }

    /// A kernel that uses Plonky3's permutation on every CPU: the reference of the fast one.
    pub fn portable(external: &ExternalLayerConstants<F, WIDTH>, internal: &[F]) -> Self {
        Self {
            perm: F::permutation(external.clone(), internal.to_vec()),
            #[cfg(target_arch = "x86_64")]
            wide: None,
        }
    }

    /// The kernel of the published (Grain) round constants.
    pub fn grain() -> Self {
        let (external, internal) = F::grain_constants();
        Self::new(&external, &internal)
    }

    /// The Plonky3 permutation with the same constants.
    pub fn permutation(&self) -> &F::Perm {
        &self.perm
    }

    /// Which implementation was chosen, for reports.
    pub fn backend(&self) -> &'static str {
        #[cfg(target_arch = "x86_64")]
        if self.wide.is_some() {
            return "avx512-ifma";
        }
        "plonky3"
    }

    /// Digests of rows under `PaddingFreeSponge<_, WIDTH, WIDTH - 8, 8>`.
    ///
    /// # Panics
    /// If `width` is zero or `rows.len() != width * out.len()`.
    pub fn hash_rows(&self, rows: &[F], width: usize, out: &mut [[F; 8]]) {
        const { assert!(WIDTH == 16 || WIDTH == 24) };
        check_rows(rows, width, out);
        #[cfg(target_arch = "x86_64")]
        if let Some(c) = &self.wide {
            // SAFETY: `wide` is set only where the CPU has the features; lengths checked above.
            return unsafe { ifma::hash_rows(c, rows, width, out) };
        }
        portable::hash_rows::<F, WIDTH>(&self.perm, rows, width, out);
    }
}

impl<F: Poseidon2Field<16>> Poseidon2Kernel<F, 16> {
    /// Nodes under `TruncatedPermutation<_, 2, 8, 16>`.
    ///
    /// # Panics
    /// If the three lengths differ.
    pub fn compress(&self, left: &[[F; 8]], right: &[[F; 8]], out: &mut [[F; 8]]) {
        check_pairs(left, right, out);
        #[cfg(target_arch = "x86_64")]
        if let Some(c) = &self.wide {
            // SAFETY: `wide` is set only where the CPU has the features; lengths checked above.
            return unsafe { ifma::compress(c, left, right, out) };
        }
        portable::compress::<F>(&self.perm, left, right, out);
    }

    /// The smallest `n` in `from..to` such that permuting `base`, with its element `slot` replaced
    /// by `n`, leaves the bits of `mask` zero in the canonical value of output element 7.
    ///
    /// # Panics
    /// If `slot >= 16` or `to` exceeds the field's order.
    pub fn search(
        &self,
        base: &[F; 16],
        slot: usize,
        mask: u32,
        from: u64,
        to: u64,
    ) -> Option<u64> {
        assert!(slot < 16, "the state has 16 elements");
        assert!(
            to <= F::ORDER_U64,
            "candidates are canonical field elements"
        );
        #[cfg(target_arch = "x86_64")]
        if let Some(c) = &self.wide {
            // SAFETY: `wide` is set only where the CPU has the features.
            return unsafe { ifma::search(c, base, slot, mask, from, to) };
        }
        portable::search::<F>(&self.perm, base, slot, mask, from, to)
    }
}

/// Width-16 leaves (rate 8) and width-16 nodes.
#[derive(Clone, Debug)]
pub struct Poseidon2TreeHasher16<F: Poseidon2Field<16>> {
    kernel: Poseidon2Kernel<F, 16>,
}

impl<F: Poseidon2Field<16>> Poseidon2TreeHasher16<F> {
    /// Leaves and nodes with the same permutation.
    pub const fn new(kernel: Poseidon2Kernel<F, 16>) -> Self {
        Self { kernel }
    }

    /// With the published (Grain) round constants.
    pub fn grain() -> Self {
        Self::new(Poseidon2Kernel::grain())
    }

    /// The permutation in use.
    pub const fn kernel(&self) -> &Poseidon2Kernel<F, 16> {
        &self.kernel
    }
}

impl<F: Poseidon2Field<16>> Default for Poseidon2TreeHasher16<F> {
    fn default() -> Self {
        Self::grain()
    }
}

impl<F: Poseidon2Field<16>> TreeHasher<F> for Poseidon2TreeHasher16<F> {
    type Digest = [F; 8];

    fn hash_rows(&self, rows: &[F], width: usize, out: &mut [[F; 8]]) {
        self.kernel.hash_rows(rows, width, out);
    }

    fn compress(&self, left: &[[F; 8]], right: &[[F; 8]], out: &mut [[F; 8]]) {
        self.kernel.compress(left, right, out);
    }
}

/// Width-24 leaves (rate 16) and width-16 nodes.
#[derive(Clone, Debug)]
pub struct Poseidon2TreeHasher24<F: Poseidon2Field<16> + Poseidon2Field<24>> {
    leaf: Poseidon2Kernel<F, 24>,
    node: Poseidon2Kernel<F, 16>,
}

impl<F: Poseidon2Field<16> + Poseidon2Field<24>> Poseidon2TreeHasher24<F> {
    /// Leaves with one permutation, nodes with the other.
    pub const fn new(leaf: Poseidon2Kernel<F, 24>, node: Poseidon2Kernel<F, 16>) -> Self {
        Self { leaf, node }
    }

    /// With the published (Grain) round constants.
    pub fn grain() -> Self {
        Self::new(Poseidon2Kernel::grain(), Poseidon2Kernel::grain())
    }
}

impl<F: Poseidon2Field<16> + Poseidon2Field<24>> Default for Poseidon2TreeHasher24<F> {
    fn default() -> Self {
        Self::grain()
    }
}

impl<F: Poseidon2Field<16> + Poseidon2Field<24>> TreeHasher<F> for Poseidon2TreeHasher24<F> {
    type Digest = [F; 8];

    fn hash_rows(&self, rows: &[F], width: usize, out: &mut [[F; 8]]) {
        self.leaf.hash_rows(rows, width, out);
    }

    fn compress(&self, left: &[[F; 8]], right: &[[F; 8]], out: &mut [[F; 8]]) {
        self.node.compress(left, right, out);
    }
}
