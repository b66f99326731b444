//! Which kernels run.

/// A set of kernels. All give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arm {
    /// Four 64-bit limbs, on any CPU.
    Portable,
    /// Four 64-bit limbs with the carry chains of ADX, on x86-64 CPUs with BMI2 and ADX.
    Adx,
    /// Eight lanes of five 52-bit limbs, on x86-64 CPUs with AVX-512 IFMA and CD.
    Ifma,
}

impl Arm {
    /// The fastest this CPU can run.
    #[must_use]
    pub fn best() -> Self {
        [Self::Ifma, Self::Adx]
            .into_iter()
            .find(|arm| arm.is_available())
            .unwrap_or(Self::Portable)
    }

    /// Whether this CPU, and this build, can run it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Self::Adx => {
                std::is_x86_feature_detected!("bmi2") && std::is_x86_feature_detected!("adx")
            }
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Self::Ifma => {
                std::is_x86_feature_detected!("avx512f")
                    && std::is_x86_feature_detected!("avx512cd")
                    && std::is_x86_feature_detected!("avx512ifma")
            }
            #[cfg(not(all(feature = "simd", target_arch = "x86_64")))]
            Self::Adx | Self::Ifma => false,
        }
    }

    /// Name for reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Adx => "adx",
            Self::Ifma => "avx512ifma",
        }
    }
}
