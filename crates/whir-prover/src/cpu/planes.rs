//! Planar storage of extension-field tables, and what every kernel on them shares.
//!
//! A table of `2^n` values of a degree-`D` extension is kept as `D` planes of base-field
//! elements: plane `d` holds coefficient `d` of every value. A vector of consecutive values is
//! then `D` plain vector loads, so no kernel ever transposes.

mod lanes;
mod split;

use p3_field::{ExtensionField, Field};

pub(crate) use lanes::{add_mixed_dots, deinterleave, dot, lane_sum, mixed_dot};
pub(crate) use split::{Split, Wide, divide};

/// Runs a block with a const generic bound to a run-time extension degree.
macro_rules! by_degree {
    ($degree:expr, $D:ident => $body:expr) => {
        match $degree {
            4 => {
                const $D: usize = 4;
                $body
            }
            5 => {
                const $D: usize = 5;
                $body
            }
            other => panic!("extension degree {other} is not supported"),
        }
    };
}
pub(crate) use by_degree;

/// Bytes of the cache line that planes are aligned to.
const LINE: usize = 64;

/// Elements added to a long plane so that the planes of a table start in different cache sets.
const PAD: usize = 112;

/// Fewest elements a parallel task works on.
pub(crate) const GRAIN: usize = 1 << 12;

/// Which index bit a sumcheck round binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The lowest bit: pairs are `(2i, 2i + 1)`.
    Suffix,
    /// The highest bit: pairs are `(i, i + half)`.
    Prefix,
}

/// A table of `2^log_len` extension values, stored as `degree` planes of base-field coefficients.
///
/// Planes are aligned to cache lines where the allocation allows it. Halving a table keeps its
/// allocation.
#[derive(Debug)]
pub struct Planes<F> {
    data: Vec<F>,
    /// Position in `data` of the first element of plane 0.
    offset: usize,
    /// Distance in `data` between the starts of neighbouring planes.
    stride: usize,
    log_len: usize,
    degree: usize,
}

impl<F: Field> Planes<F> {
    /// A table of `2^log_len` zeros of an extension of the given degree.
    #[must_use]
    pub fn zeros(log_len: usize, degree: usize) -> Self {
        let len = 1usize << log_len;
        let stride = if len >= 1024 { len + PAD } else { len };
        let slack = LINE / size_of::<F>();
        let data = F::zero_vec(stride * degree + slack);
        let offset = match data.as_ptr().align_offset(LINE) {
            offset if offset <= slack => offset,
            _ => 0,
        };
        Self {
            data,
            offset,
            stride,
            log_len,
            degree,
        }
    }

    /// Splits a slice of extension values into planes.
    ///
    /// # Panics
    /// If the length is not a power of two, or the degree is neither 4 nor 5.
    #[must_use]
    pub fn from_ext<EF: ExtensionField<F>>(values: &[EF]) -> Self {
        assert!(values.len().is_power_of_two(), "a table has 2^n values");
        let mut out = Self::zeros(values.len().ilog2() as usize, EF::DIMENSION);
        by_degree!(EF::DIMENSION, D => {
            divide((out.cols_mut::<D>(), [values]), GRAIN, &|(mut cols, [values]), _| {
                for (i, value) in values.iter().enumerate() {
                    let coefficients = value.as_basis_coefficients_slice();
                    for (col, &c) in cols.iter_mut().zip(coefficients) {
                        col[i] = c;
                    }
                }
            }, &|(), ()| ());
        });
        out
    }

    /// The values in index order.
    ///
    /// # Panics
    /// If `EF` has another degree than the table.
    #[must_use]
    pub fn to_ext<EF: ExtensionField<F>>(&self) -> Vec<EF> {
        (0..self.len()).map(|i| self.get(i)).collect()
    }

    /// Number of values.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // a table has at least one value
    pub const fn len(&self) -> usize {
        1 << self.log_len
    }

    /// Base-two logarithm of the number of values.
    #[must_use]
    pub const fn log_len(&self) -> usize {
        self.log_len
    }

    /// Degree of the extension, which is the number of planes.
    #[must_use]
    pub const fn degree(&self) -> usize {
        self.degree
    }

    /// Coefficient `d` of every value, in index order.
    #[must_use]
    pub fn plane(&self, d: usize) -> &[F] {
        let start = self.offset + d * self.stride;
        &self.data[start..start + self.len()]
    }

    /// Mutable form of [`Self::plane`].
    pub fn plane_mut(&mut self, d: usize) -> &mut [F] {
        let start = self.offset + d * self.stride;
        let len = self.len();
        &mut self.data[start..start + len]
    }

    /// Value `i`.
    ///
    /// # Panics
    /// If `i` is out of range or `EF` has another degree than the table.
    #[must_use]
    pub fn get<EF: ExtensionField<F>>(&self, i: usize) -> EF {
        assert!(i < self.len() && EF::DIMENSION == self.degree);
        EF::from_basis_coefficients_fn(|d| self.data[self.offset + d * self.stride + i])
    }

    /// Replaces value `i`.
    ///
    /// # Panics
    /// If `i` is out of range or `EF` has another degree than the table.
    pub fn set<EF: ExtensionField<F>>(&mut self, i: usize, value: EF) {
        assert!(i < self.len() && EF::DIMENSION == self.degree);
        for (d, &c) in value.as_basis_coefficients_slice().iter().enumerate() {
            self.data[self.offset + d * self.stride + i] = c;
        }
    }

    /// Writes the values in index order, all coefficients of one value next to each other:
    /// `out[i * degree + d]` is coefficient `d` of value `i`.
    ///
    /// # Panics
    /// If `out` does not hold `degree * 2^log_len` elements.
    pub fn write_interleaved(&self, out: &mut [F]) {
        assert_eq!(out.len(), self.degree * self.len(), "wrong output length");
        by_degree!(self.degree, D => {
            divide((self.cols::<D>(), Wide([out], D)), GRAIN, &|(cols, Wide([out], _)), _| {
                lanes::interleave_columns(cols, out);
            }, &|(), ()| ());
        });
    }

    /// All planes.
    pub(crate) fn cols<const D: usize>(&self) -> [&[F]; D] {
        assert_eq!(D, self.degree, "wrong extension degree");
        std::array::from_fn(|d| self.plane(d))
    }

    /// All planes, mutable.
    pub(crate) fn cols_mut<const D: usize>(&mut self) -> [&mut [F]; D] {
        assert_eq!(D, self.degree, "wrong extension degree");
        let len = self.len();
        let mut planes = self.data[self.offset..].chunks_mut(self.stride);
        std::array::from_fn(|_| &mut planes.next().expect("one chunk for each plane")[..len])
    }

    /// Forgets the upper half of the values.
    pub(crate) fn halve(&mut self) {
        self.log_len -= 1;
    }
}

impl<F: Field> Clone for Planes<F> {
    fn clone(&self) -> Self {
        let mut out = Self::zeros(self.log_len, self.degree);
        for d in 0..self.degree {
            out.plane_mut(d).copy_from_slice(self.plane(d));
        }
        out
    }
}

/// The matrix of multiplication by `r`: coefficient `k` of `r * x` is
/// `sum_d matrix[k][d] * x_d`.
pub(crate) fn mul_matrix<F: Field, EF: ExtensionField<F>, const D: usize>(r: EF) -> [[F; D]; D] {
    let mut matrix = [[F::ZERO; D]; D];
    for d in 0..D {
        let column = r * EF::ith_basis_element(d).expect("d is below the degree");
        for (row, &c) in matrix.iter_mut().zip(column.as_basis_coefficients_slice()) {
            row[d] = c;
        }
    }
    matrix
}

#[cfg(test)]
mod tests;
