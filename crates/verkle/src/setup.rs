//! What prover and verifier derive from the common reference string, made once.

use crate::arm::Arm;
use crate::crs::Crs;
use crate::curve::Extended;
use crate::element::Element;
use crate::field::Fr;
use crate::lagrange::Weights;
use crate::msm::msm;

/// A common reference string with everything derived from it. Make one, share it by reference.
pub struct Setup {
    pub(crate) crs: Crs,
    pub(crate) weights: Weights,
    pub(crate) arm: Arm,
}

impl Setup {
    /// The setup all Verkle clients use.
    #[must_use]
    pub fn ethereum() -> Self {
        Self::new(Crs::ethereum())
    }

    /// A setup over other generators.
    #[must_use]
    pub fn new(crs: Crs) -> Self {
        Self {
            crs,
            weights: Weights::new(),
            arm: Arm::best(),
        }
    }

    /// With kernels other than the fastest; those that cannot run here are not taken.
    #[must_use]
    pub fn with_arm(mut self, arm: Arm) -> Self {
        if arm.is_available() {
            self.arm = arm;
        }
        self
    }

    /// The kernels in use.
    #[must_use]
    pub fn arm(&self) -> Arm {
        self.arm
    }

    /// The generators.
    #[must_use]
    pub fn crs(&self) -> &Crs {
        &self.crs
    }

    /// The constants of the domain.
    #[must_use]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Σ values\[i\]·G_i. Values beyond the 256th are ignored; missing ones count as zero.
    #[must_use]
    pub fn commit(&self, values: &[Fr]) -> Element {
        Element(msm(self.arm, &self.crs.points, values))
    }

    /// Σ value·G_index over the given pairs: the commitment of a sparse vector, or, with
    /// differences as values, what an update adds to a commitment.
    #[must_use]
    pub fn commit_sparse(&self, values: &[(u8, Fr)]) -> Element {
        Element(
            values
                .iter()
                .fold(Extended::IDENTITY, |sum, (index, value)| {
                    let point = self.crs.points[usize::from(*index)].extended();
                    sum + crate::msm::scalar_mul(&point, *value)
                }),
        )
    }

    /// The sum over the indices whose bit `bit` is clear, and that over those where it is set.
    pub(crate) fn commit_halves(&self, values: &[Fr], bit: u32) -> [Extended; 2] {
        [0, 1].map(|side| {
            let picked: alloc::vec::Vec<Fr> = values
                .iter()
                .enumerate()
                .map(|(i, value)| {
                    if (i >> bit) & 1 == side {
                        *value
                    } else {
                        Fr::ZERO
                    }
                })
                .collect();
            msm(self.arm, &self.crs.points, &picked)
        })
    }
}
