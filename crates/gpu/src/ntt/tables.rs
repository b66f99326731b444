//! The twiddles `T[x] = exp(2 pi i rev(x) / 2)`, where `rev(x) = sum_i x_i 2^-(i + 1)`.
//!
//! `T` does not depend on the level, and `T[x + (y << k)] = T[x] T[y << k]` for `x < 2^k`: a low
//! and a high table make any twiddle with one product, and those below the low table's length with
//! none.

use crate::buffer::Slice;
use crate::error::GpuError;
use crate::field::Field;
use crate::kit::Kit;

/// Most entries of the low table, in bits: it stays in a cache and serves all but the last levels
/// of the largest codewords alone.
pub(super) const LOG_LOW: usize = 17;

/// Both tables on the device.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    pub(super) low: Slice,
    pub(super) high: Slice,
    pub(super) log_low: usize,
    /// `T[0..16]`, for kernels' texts.
    pub(super) literals: Vec<u32>,
}

/// `T[y << shift]` for `y < 2^bits`.
fn table(field: &Field, bits: usize, shift: usize) -> Vec<u32> {
    let mut out = Vec::with_capacity(1 << bits);
    out.push(field.one);
    for j in 0..bits {
        let root = field.roots[shift + j + 2];
        for y in 0..1 << j {
            out.push(field.product(out[y], root));
        }
    }
    out
}

/// `T[x]`.
pub(super) fn twiddle(field: &Field, x: usize) -> u32 {
    (0..usize::BITS as usize)
        .filter(|bit| x >> bit & 1 == 1)
        .fold(field.one, |t, bit| field.product(t, field.roots[bit + 2]))
}

impl Tables {
    /// Tables for transforms of order up to `2^max_log_order`, with at most `2^log_low` low
    /// entries.
    pub(super) fn new(kit: &Kit, max_log_order: usize, log_low: usize) -> Result<Self, GpuError> {
        let bits = max_log_order.saturating_sub(1);
        let log_low = bits.min(log_low);
        let upload = |words: &[u32]| -> Result<Slice, GpuError> {
            Ok(kit.gpu.upload(words)?.slice(0, words.len() as u64))
        };
        Ok(Self {
            low: upload(&table(&kit.field, log_low, 0))?,
            high: upload(&table(&kit.field, bits - log_low, log_low))?,
            log_low,
            literals: table(&kit.field, 4, 0),
        })
    }
}
