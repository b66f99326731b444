//! Sumcheck tables: folding, binding, evaluation and weights.
//!
//! A [`Table`] holds `2^v` elements of the challenge extension, `degree` consecutive words each, in
//! one or several device buffers. [`Mle`] records the operations of a sumcheck prover on such
//! tables; [`cost`] says what they cost without a device. All sums are exact, so results do not
//! depend on the order of summation.
//!
//! Coordinate 0 of a point belongs to the highest index bit, as in `p3-multilinear-util`.

pub mod cost;
mod eval;
mod fold;
mod grid;
mod round;
mod table;
mod weights;

pub use eval::{EqTables, MAX_POINTS, eq_factors};
pub use fold::MAX_FOLD;
pub use round::Pair;
pub use table::Table;
pub use weights::WeightTerms;

use minijinja::context;
use p3_field::ExtensionField;
use prova_hash::HashField;

use crate::buffer::Slice;
use crate::error::GpuError;
use crate::kit::Kit;
use crate::recorder::Recorder;
use crate::template::{List, templates};

pub(crate) const TEMPLATES: List = templates![
    "mle/bind.wgsl",
    "mle/evaluate.wgsl",
    "mle/fold.wgsl",
    "mle/partial.wgsl",
    "mle/reduce.wgsl",
    "mle/round.wgsl",
    "mle/sum.wgsl",
    "mle/weights.wgsl",
];

/// Which variable a round binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// That of the lowest index bit: entries `2i` and `2i + 1` are a pair.
    Suffix,
    /// That of the highest index bit: entries `i` and `i + half` are a pair.
    Prefix,
}

impl Order {
    /// Name in templates.
    const fn name(self) -> &'static str {
        match self {
            Self::Suffix => "suffix",
            Self::Prefix => "prefix",
        }
    }
}

/// Recorder of sumcheck operations for one field and extension.
///
/// Results that are a few elements are written to a slice `out` from element `at` on, so that
/// several can share a buffer and be read back together. A dispatch cannot read and write one
/// buffer: outputs are in other buffers than inputs.
#[derive(Clone, Debug)]
pub struct Mle {
    kit: Kit,
}

impl Mle {
    /// The operations of a kit.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] for a device below the defaults of WebGPU.
    pub fn new(kit: &Kit) -> Result<Self, GpuError> {
        let limits = kit.gpu.limits();
        if limits.invocations < 256 || limits.workgroup_memory < 16 << 10 {
            return Err(GpuError::Unsupported(
                "workgroups of 256 invocations and 16 KiB".to_owned(),
            ));
        }
        Ok(Self { kit: kit.clone() })
    }

    /// The kit.
    #[must_use]
    pub fn kit(&self) -> &Kit {
        &self.kit
    }

    /// Words of an element.
    fn degree(&self) -> u64 {
        self.kit.extension.degree() as u64
    }

    /// Uploads elements as words.
    fn upload_elements<F: HashField, EF: ExtensionField<F>>(
        &self,
        values: &[EF],
    ) -> Result<Slice, GpuError> {
        let buffer = self.kit.gpu.upload(&self.words(values))?;
        Ok(buffer.slice(0, self.degree() * (values.len() as u64).max(1)))
    }

    /// Stored words of elements.
    fn words<F: HashField, EF: ExtensionField<F>>(&self, values: &[EF]) -> Vec<u32> {
        assert_eq!(
            EF::DIMENSION as u64,
            self.degree(),
            "elements of the kit's extension"
        );
        let mut words = Vec::with_capacity(values.len() * EF::DIMENSION);
        for value in values {
            words.extend_from_slice(F::words(value.as_basis_coefficients_slice()));
        }
        words
    }

    /// Records `out[at + i] = sum over g < count of partials[g * width + i]`, `i < width`.
    fn sum(
        &self,
        recorder: &mut Recorder<'_>,
        partials: &Slice,
        count: u64,
        width: u64,
        out: &Slice,
        at: u64,
    ) -> Result<(), GpuError> {
        assert!(
            (at + width) * self.degree() <= out.words(),
            "results fit their slice"
        );
        let kernel = self
            .kit
            .kernel("mle sum", "mle/sum.wgsl", context! { stop => 1 });
        recorder.dispatch(
            &kernel,
            &[partials, out],
            &[count as u32, width as u32, at as u32],
            width as u32,
            cost::sum(self.degree(), count, width),
        )
    }
}
