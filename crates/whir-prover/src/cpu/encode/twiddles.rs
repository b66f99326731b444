//! The twiddles of every node of the transform tree, from two short tables.
//!
//! The transform splits polynomials: the root is `F[X]/(X^N - 1)`, and a node
//! `F[X]/(X^{2h} - s^2)` has the children `F[X]/(X^h - s)` (left) and `F[X]/(X^h + s)` (right).
//! Numbering the nodes of one depth from the left, node `x` uses
//! `s = T[x] = exp(2 pi i * rev(x) / 2)`, where `rev(x) = sum_i x_i 2^-(i+1)` is the fraction with
//! the bits of `x` reversed. `T` does not depend on the depth, `T[x + (y << k)] = T[x] T[y << k]`
//! for `x < 2^k`, and `T[2x]^2 = T[x]`.

use p3_field::{Field, PackedValue, TwoAdicField};

/// Entries of the low table, in bits. Every block of work has at most this many layers, less one.
const LOG_LOW: usize = 12;

/// `T[x]` for `x < 2^bits` as `low[x mod 2^p] * high[x >> p]`.
#[derive(Clone, Debug)]
pub(super) struct Twiddles<F> {
    low: Vec<F>,
    high: Vec<F>,
    log_low: usize,
}

/// `T[y << shift]` for `y < 2^bits`.
fn table<F: TwoAdicField>(bits: usize, shift: usize) -> Vec<F> {
    let mut out = Vec::with_capacity(1 << bits);
    out.push(F::ONE);
    for j in 0..bits {
        let root = F::two_adic_generator(shift + j + 2);
        for y in 0..1 << j {
            let value = out[y] * root;
            out.push(value);
        }
    }
    out
}

impl<F: TwoAdicField> Twiddles<F> {
    /// Tables for transforms of up to `2^max_log_rows` rows.
    pub(super) fn new(max_log_rows: usize) -> Self {
        let bits = max_log_rows.saturating_sub(1);
        let log_low = bits.min(LOG_LOW);
        Self {
            low: table(log_low, 0),
            high: table(bits - log_low, log_low),
            log_low,
        }
    }

    /// log2 of the largest number of rows that the tables serve.
    pub(super) fn max_log_rows(&self) -> usize {
        self.log_low + self.high.len().trailing_zeros() as usize + 1
    }

    /// `T[x]`.
    #[inline]
    pub(super) fn at(&self, x: usize) -> F {
        let low = self.low[x & (self.low.len() - 1)];
        if x < self.low.len() {
            low
        } else {
            low * self.high[x >> self.log_low]
        }
    }

    /// The twiddles of levels `from..to` below `node`, times `factor`, in heap order:
    /// `out[2^j + y] = T[(node << j) + y] * factor` for `y < 2^j`.
    pub(super) fn fill(&self, node: usize, from: usize, to: usize, factor: F, out: &mut [F]) {
        if from >= to {
            return;
        }
        let mut scale = self.at(node << (to - 1));
        for j in (from..to).rev() {
            scale_into(
                &self.low[..1 << j],
                scale * factor,
                &mut out[1 << j..2 << j],
            );
            scale = scale.square();
        }
    }
}

/// `out[i] = src[i] * scale`.
fn scale_into<F: Field>(src: &[F], scale: F, out: &mut [F]) {
    if src.len() < F::Packing::WIDTH {
        for (o, &s) in out.iter_mut().zip(src) {
            *o = s * scale;
        }
    } else {
        let scale = F::Packing::from(scale);
        let out = F::Packing::pack_slice_mut(out);
        for (o, &s) in out.iter_mut().zip(F::Packing::pack_slice(src)) {
            *o = s * scale;
        }
    }
}
