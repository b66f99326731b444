//! The one run-time choice between the kernels of this crate.

/// Which kernels run. All arms give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arm {
    /// Plain Rust, any CPU.
    Portable,
    /// 256-bit byte shuffles: table look-ups and nibble-tower products.
    Avx2,
    /// 512-bit registers with Galois-field affine maps and byte permutations.
    Gfni,
}

impl Arm {
    /// The fastest arm of this CPU.
    #[must_use]
    pub fn best() -> Self {
        if Self::Gfni.available() {
            Self::Gfni
        } else if Self::Avx2.available() {
            Self::Avx2
        } else {
            Self::Portable
        }
    }

    /// Whether this CPU can run the arm.
    #[must_use]
    pub fn available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Gfni => {
                std::is_x86_feature_detected!("avx512f")
                    && std::is_x86_feature_detected!("avx512bw")
                    && std::is_x86_feature_detected!("avx512dq")
                    && std::is_x86_feature_detected!("avx512vl")
                    && std::is_x86_feature_detected!("avx512vbmi")
                    && std::is_x86_feature_detected!("gfni")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Gfni => false,
        }
    }

    /// The arms that this CPU can run.
    #[must_use]
    pub fn all_available() -> Vec<Self> {
        [Self::Portable, Self::Avx2, Self::Gfni]
            .into_iter()
            .filter(|arm| arm.available())
            .collect()
    }

    /// The arm itself where the CPU has it, else the portable one: what a kernel may rely on.
    #[must_use]
    pub(crate) fn usable(self) -> Self {
        if self.available() {
            self
        } else {
            Self::Portable
        }
    }
}
