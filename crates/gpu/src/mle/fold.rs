//! Folding base-field columns into tables.

use minijinja::context;
use p3_field::ExtensionField;
use prova_hash::HashField;

use super::grid::{LANES, row};
use super::table::parts;
use super::{Mle, Table, cost};
use crate::buffer::Slice;
use crate::error::GpuError;
use crate::recorder::Recorder;

/// Most variables that one pass folds.
pub const MAX_FOLD: usize = 8;

/// Words of each of equally long pieces, and of all.
pub(super) fn column_len(column: &[Slice]) -> (u64, u64) {
    let piece = column.first().map_or(0, Slice::words);
    let total = piece * column.len() as u64;
    assert!(
        total.is_power_of_two() && column.iter().all(|slice| slice.words() == piece),
        "a column is a power of two of words in equal pieces"
    );
    (piece, total)
}

impl Mle {
    /// Uploads `2^k` elements for [`Self::fold_message`]: the eq table of the challenges.
    ///
    /// # Errors
    /// As [`Gpu::buffer`](crate::Gpu::buffer).
    ///
    /// # Panics
    /// If they are not of the kit's extension.
    pub fn upload_row<F: HashField, EF: ExtensionField<F>>(
        &self,
        eq: &[EF],
    ) -> Result<Slice, GpuError> {
        self.upload_elements(eq)
    }

    /// Records `to[offset + x] = sum_j eq[j] column[x * 2^k + j]` for a base-field column, where
    /// `eq` has `2^k` elements. The column is a power of two of words in equally long pieces,
    /// usually one.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] for pieces of fewer than `2^k` words; else as
    /// [`Recorder::dispatch`].
    ///
    /// # Panics
    /// If `k` exceeds [`MAX_FOLD`] or the column's variables, the column's pieces are not as said,
    /// or the slot is not inside the table.
    pub fn fold_message(
        &self,
        recorder: &mut Recorder<'_>,
        column: &[Slice],
        eq: &Slice,
        to: &Table,
        offset: u64,
    ) -> Result<(), GpuError> {
        let degree = self.degree();
        let (piece_words, words) = column_len(column);
        let size = eq.words() / degree;
        assert!(
            size.is_power_of_two() && eq.words() == size * degree,
            "an eq table is a power of two of elements"
        );
        let fold = size.ilog2() as usize;
        assert!(
            fold <= MAX_FOLD && size <= words,
            "folding {fold} variables"
        );
        let piece_to = self.piece_len(to);
        let rows = words >> fold;
        assert!(offset + rows <= 1 << to.log_len, "a slot is inside a table");
        let piece_rows = piece_words >> fold;
        if piece_rows == 0 {
            return Err(GpuError::Unsupported(
                "columns in pieces shorter than a row".to_owned(),
            ));
        }
        let (chunk, lanes) = row(fold);
        let kernel = self
            .kit
            .kernel("mle fold", "mle/fold.wgsl", context! { fold, chunk, lanes });
        for from in parts(piece_rows, 0, rows) {
            for target in parts(piece_to, offset + from.start, from.count) {
                recorder.dispatch(
                    &kernel,
                    &[&column[from.piece], eq, &to.pieces[target.piece]],
                    &[
                        target.count as u32,
                        ((from.first + target.start) << fold) as u32,
                        target.first as u32,
                    ],
                    (target.count * lanes).div_ceil(LANES) as u32,
                    cost::fold_rows(degree, target.count, fold),
                )?;
            }
        }
        Ok(())
    }
}
