//! What prover and verifier derive from the common reference string, made once.

use alloc::vec::Vec;

use crate::arm::Arm;
use crate::crs::Crs;
use crate::curve::Extended;
use crate::element::{Commitment, Element};
use crate::field::Fr;
#[cfg(feature = "std")]
use crate::fixed::FixedBase;
#[cfg(feature = "prove")]
use crate::fixed::OddMultiples;
use crate::lagrange::{DOMAIN, Weights};

/// Bits of a window of the tables, unless another number is asked for.
#[cfg(feature = "std")]
const TABLE_WINDOW: u32 = 8;

/// A common reference string with everything derived from it. Make one, share it by reference.
///
/// Commitments use tables of multiples of the generators, which the first commitment computes, or
/// [`Setup::prepare`]. Without the feature `std` there are none.
pub struct Setup {
    pub(crate) crs: Crs,
    pub(crate) weights: Weights,
    pub(crate) arm: Arm,
    #[cfg(feature = "std")]
    table_window: u32,
    #[cfg(feature = "std")]
    tables: std::sync::OnceLock<FixedBase>,
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
            #[cfg(feature = "std")]
            table_window: TABLE_WINDOW,
            #[cfg(feature = "std")]
            tables: std::sync::OnceLock::new(),
        }
    }

    /// With kernels other than the fastest; those that cannot run here are not taken.
    #[must_use]
    pub fn with_arm(self, arm: Arm) -> Self {
        if !arm.is_available() {
            return self;
        }
        Self {
            arm,
            #[cfg(feature = "std")]
            tables: std::sync::OnceLock::new(),
            ..self
        }
    }

    /// With windows of so many bits, 2 to 10, in the tables of generators: wider ones need fewer
    /// additions and more doublings, since all tables together are kept below 40 MiB. Results are
    /// the same.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn with_table_window(self, bits: u32) -> Self {
        Self {
            table_window: bits.clamp(2, 10),
            tables: std::sync::OnceLock::new(),
            ..self
        }
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

    /// Computes the tables of the generators now, if they are not there yet: over the current rayon
    /// pool with the feature `parallel`, which the first commitment would not do.
    pub fn prepare(&self) {
        #[cfg(feature = "std")]
        if self.tables.get().is_none() {
            // Not inside the cell's initialisation: while a worker of the pool waits for others it
            // may take up work that needs the same cell.
            let tables = self.new_tables(true);
            // Another thread may have been first.
            let _ = self.tables.set(tables);
        }
    }

    /// Bytes of the tables of the generators; zero before they are computed.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        #[cfg(feature = "std")]
        return self.tables.get().map_or(0, FixedBase::bytes);
        #[cfg(not(feature = "std"))]
        0
    }

    #[cfg(feature = "std")]
    fn tables(&self) -> &FixedBase {
        self.tables.get_or_init(|| self.new_tables(false))
    }

    #[cfg(feature = "std")]
    fn new_tables(&self, share: bool) -> FixedBase {
        let mut points = self.crs.points.clone();
        points.push(self.crs.q);
        FixedBase::new(self.arm, self.table_window, &points, share)
    }

    /// Σ values\[i\]·G_i. Values beyond the 256th are ignored; missing ones count as zero.
    #[must_use]
    pub fn commit(&self, values: &[Fr]) -> Element {
        Element(self.sum(&terms(values)))
    }

    /// Σ value·G_index over the given pairs: the commitment of a sparse vector, or, with
    /// differences as values, what an update adds to a commitment.
    #[must_use]
    pub fn commit_sparse(&self, values: &[(u8, Fr)]) -> Element {
        let terms: Vec<_> = values
            .iter()
            .map(|(index, value)| (usize::from(*index), *value))
            .collect();
        Element(self.sum(&terms))
    }

    /// Σ scalars\[i\]·points\[i\] over the shorter of the two, for points of any origin.
    #[must_use]
    pub fn multi_scalar_mul(&self, points: &[Commitment], scalars: &[Fr]) -> Element {
        let points: Vec<_> = points.iter().map(|point| point.point).collect();
        Element(crate::msm::msm(self.arm, &points, scalars))
    }

    /// Σ_u factors\[u\]·G_{u·w+j} of every j below w, and then Q, for several sums over them; there are
    /// 256/w factors. Not of an arm with lanes.
    #[cfg(feature = "prove")]
    pub(crate) fn fold_generators(&self, factors: &[Fr]) -> OddMultiples {
        let w = DOMAIN / factors.len().max(1);
        let indices: Vec<usize> = (0..w).collect();
        let mut points = crate::msm::spread::map(&indices, |j| {
            let terms: Vec<_> = (*j..).step_by(w).zip(factors.iter().copied()).collect();
            self.sum(&terms)
        });
        points.push(self.crs.q.extended());
        OddMultiples::new(self.arm, &points)
    }

    /// Σ values\[i\]·G_i + `q`·Q. For a verifier, who needs one such sum: without tables unless they
    /// are there.
    pub(crate) fn commit_with_q(&self, values: &[Fr], q: Fr) -> Extended {
        let mut terms = terms(values);
        terms.push((DOMAIN, q));
        #[cfg(feature = "std")]
        if let Some(tables) = self.tables.get() {
            return tables.sum(&terms);
        }
        self.sum_without_tables(&terms)
    }

    /// Σ scalar·generator, where the generator after the last is Q.
    pub(crate) fn sum(&self, terms: &[(usize, Fr)]) -> Extended {
        #[cfg(feature = "std")]
        return self.tables().sum(terms);
        #[cfg(not(feature = "std"))]
        self.sum_without_tables(terms)
    }

    fn sum_without_tables(&self, terms: &[(usize, Fr)]) -> Extended {
        let (points, scalars): (Vec<_>, Vec<_>) = terms
            .iter()
            .map(|(index, scalar)| (*self.crs.points.get(*index).unwrap_or(&self.crs.q), *scalar))
            .unzip();
        crate::msm::msm(self.arm, &points, &scalars)
    }
}

/// The values that are not zero, with their indices.
fn terms(values: &[Fr]) -> Vec<(usize, Fr)> {
    values
        .iter()
        .take(DOMAIN)
        .copied()
        .enumerate()
        .filter(|(_, value)| !value.is_zero())
        .collect()
}
