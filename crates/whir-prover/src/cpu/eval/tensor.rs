//! Weight vectors that factor over the index bits.

use p3_field::Field;

/// A weight of every index: `weight(x) = high[x >> log_low] * low[x mod 2^log_low]`.
pub(crate) struct Tensor<EF> {
    pub high: Vec<EF>,
    pub low: Vec<EF>,
}

/// A linear functional on tables of `2^n` values.
#[derive(Clone, Copy, Debug)]
pub enum Functional<'a, EF> {
    /// The multilinear extension's value at a point of `n` coordinates, of which the first belongs
    /// to the highest index bit: index `x` weighs `eq(point, x)`.
    Multilinear(&'a [EF]),
    /// The value at a point of the univariate polynomial whose coefficients are the table: index
    /// `x` weighs `y^x`.
    Univariate(EF),
}

impl<EF: Field> Functional<'_, EF> {
    /// The weights of `2^count` indices that count in steps of `2^from` and are zero elsewhere:
    /// entry `i` is the factor of the weight that index bits `from .. from + count` contribute
    /// when they spell `i`, for tables of `2^n` values.
    pub(crate) fn factor(&self, n: usize, from: usize, count: usize) -> Vec<EF> {
        match *self {
            Self::Multilinear(point) => {
                assert_eq!(point.len(), n, "the point has another arity than the table");
                eq_table(&point[n - from - count..n - from], EF::ONE)
            }
            Self::Univariate(y) => y.exp_power_of_2(from).powers().collect_n(1 << count),
        }
    }

    pub(crate) fn tensor(&self, n: usize, log_low: usize) -> Tensor<EF> {
        Tensor {
            high: self.factor(n, log_low, n - log_low),
            low: self.factor(n, 0, log_low),
        }
    }
}

/// `scale * eq(point, x)` for every `x`, where `point[0]` belongs to the highest bit of `x`.
pub(crate) fn eq_table<EF: Field>(point: &[EF], scale: EF) -> Vec<EF> {
    let mut table = EF::zero_vec(1 << point.len());
    table[0] = scale;
    for (bits, &z) in point.iter().enumerate() {
        // Downwards, because entry `i` makes room for entries `2i` and `2i + 1`.
        for i in (0..1 << bits).rev() {
            let one = table[i] * z;
            table[2 * i] = table[i] - one;
            table[2 * i + 1] = one;
        }
    }
    table
}
