//! Tables of extension elements in device memory.

use p3_field::ExtensionField;
use prova_hash::HashField;

use super::Mle;
use crate::buffer::Slice;
use crate::error::GpuError;

/// `2^log_len` extension elements in device memory.
#[derive(Clone, Debug)]
pub struct Table {
    /// Equally long pieces, in index order; a power of two of them, one unless a binding is too
    /// small for the whole.
    pub pieces: Vec<Slice>,
    /// Base-two logarithm of the number of elements.
    pub log_len: usize,
}

/// A part of a range of a table that lies in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Which piece.
    pub(crate) piece: usize,
    /// First element, counted from the piece's start.
    pub(crate) first: u64,
    /// First element, counted from the range's start.
    pub(crate) start: u64,
    /// Elements.
    pub(crate) count: u64,
}

impl Table {
    /// Elements of a piece.
    ///
    /// # Panics
    /// If the pieces are not as documented, for elements of `degree` words.
    #[must_use]
    pub fn piece_len(&self, degree: usize) -> u64 {
        let pieces = self.pieces.len();
        assert!(
            pieces.is_power_of_two() && pieces.trailing_zeros() as usize <= self.log_len,
            "a power of two of pieces"
        );
        let len = (1_u64 << self.log_len) / pieces as u64;
        assert!(
            self.pieces
                .iter()
                .all(|piece| piece.words() == len * degree as u64),
            "pieces of equal length"
        );
        len
    }
}

/// The parts of elements `offset..offset + count` of a table with pieces of `piece` elements.
pub(crate) fn parts(piece: u64, offset: u64, count: u64) -> impl Iterator<Item = Part> {
    let mut start = 0;
    core::iter::from_fn(move || {
        if start == count {
            return None;
        }
        let at = offset + start;
        let part = Part {
            piece: (at / piece) as usize,
            first: at % piece,
            start,
            count: (piece - at % piece).min(count - start),
        };
        start += part.count;
        Some(part)
    })
}

impl Mle {
    /// A table with undefined contents: one piece, or as few as the device's bindings allow.
    ///
    /// # Errors
    /// As [`Gpu::buffer`](crate::Gpu::buffer).
    pub fn table(&self, log_len: usize) -> Result<Table, GpuError> {
        let limits = self.kit.gpu.limits();
        let most = limits.binding.min(limits.buffer) / (4 * self.degree());
        let piece = (1_u64 << log_len).min(1 << most.max(1).ilog2());
        let words = piece * self.degree();
        let pieces = (0..(1_u64 << log_len) / piece)
            .map(|_| Ok(self.kit.gpu.buffer(words)?.slice(0, words)))
            .collect::<Result<_, GpuError>>()?;
        Ok(Table { pieces, log_len })
    }

    /// A table of these values.
    ///
    /// # Errors
    /// As [`Gpu::buffer`](crate::Gpu::buffer).
    ///
    /// # Panics
    /// If their number is not a power of two, or they are not of the kit's extension.
    pub fn upload<F: HashField, EF: ExtensionField<F>>(
        &self,
        values: &[EF],
    ) -> Result<Table, GpuError> {
        assert!(values.len().is_power_of_two(), "a power of two of values");
        let table = self.table(values.len().ilog2() as usize)?;
        let piece = values.len() / table.pieces.len();
        for (slice, values) in table.pieces.iter().zip(values.chunks_exact(piece)) {
            self.kit.gpu.write(slice, &self.words(values))?;
        }
        Ok(table)
    }

    /// Elements of a piece of a table of this kit's extension.
    pub(crate) fn piece_len(&self, table: &Table) -> u64 {
        table.piece_len(self.kit.extension.degree())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_at_pieces() {
        let cut: Vec<_> = parts(8, 6, 12).collect();
        let part = |piece, first, start, count| Part {
            piece,
            first,
            start,
            count,
        };
        assert_eq!(cut, [part(0, 6, 0, 2), part(1, 0, 2, 8), part(2, 0, 10, 2)]);
    }
}
