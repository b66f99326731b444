//! Evaluations of tables and partial evaluations of base-field columns.

use minijinja::context;
use p3_field::{ExtensionField, Field};
use prova_hash::HashField;

use super::fold::{MAX_FOLD, column_len};
use super::grid::{Sweep, width};
use super::{Mle, Table, cost};
use crate::buffer::Slice;
use crate::error::GpuError;
use crate::recorder::Recorder;

/// Most points that one pass over the data serves.
pub const MAX_POINTS: usize = 4;

/// Index bits of the low factor of `eq` in `variables` variables: half of them, or a workgroup's
/// worth.
pub(super) fn log_low(variables: usize) -> usize {
    variables.div_ceil(2).max(variables.min(8))
}

/// `scale * eq(point, x)` for every `x`, coordinate 0 at the highest index bit.
pub(super) fn eq_table<EF: Field>(point: &[EF], scale: EF) -> Vec<EF> {
    let mut table = vec![scale];
    for &z in point {
        table = table
            .iter()
            .flat_map(|&e| {
                let high = e * z;
                [e - high, high]
            })
            .collect();
    }
    table
}

/// Factors `(high, low)` of the eq table of a point: `eq(x) = high[x / |low|] * low[x mod |low|]`.
/// Coordinate 0 belongs to the highest index bit.
#[must_use]
pub fn eq_factors<EF: Field>(point: &[EF]) -> (Vec<EF>, Vec<EF>) {
    let (high, low) = point.split_at(point.len() - log_low(point.len()));
    (eq_table(high, EF::ONE), eq_table(low, EF::ONE))
}

/// Factors of the eq tables of some points, on the device.
#[derive(Clone, Debug)]
pub struct EqTables {
    factors: Slice,
    points: usize,
    variables: usize,
}

impl EqTables {
    /// How many points.
    #[must_use]
    pub fn points(&self) -> usize {
        self.points
    }

    /// Coordinates of each.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// Elements of a point's high and low factors.
    fn lengths(&self) -> (u64, u64) {
        let low = log_low(self.variables);
        (1 << (self.variables - low), 1 << low)
    }
}

impl Mle {
    /// Uploads the eq tables of points of one arity.
    ///
    /// # Errors
    /// As [`Gpu::buffer`](crate::Gpu::buffer).
    ///
    /// # Panics
    /// If the points differ in arity or are not of the kit's extension.
    pub fn eq_tables<F: HashField, EF: ExtensionField<F>>(
        &self,
        points: &[&[EF]],
    ) -> Result<EqTables, GpuError> {
        let variables = points.first().map_or(0, |point| point.len());
        assert!(
            points.iter().all(|point| point.len() == variables),
            "points of one arity"
        );
        let mut factors = Vec::new();
        for point in points {
            let (high, low) = eq_factors(point);
            factors.extend(high);
            factors.extend(low);
        }
        Ok(EqTables {
            factors: self.upload_elements(&factors)?,
            points: points.len(),
            variables,
        })
    }

    /// Records `out[at + p * 2^k + j] = sum_x eq_p(x) column[x * 2^k + j]` for each point `p` and
    /// `j < 2^k`, where a column of `2^v` words and points of `v - k` coordinates are given. The
    /// column is read once for every [`MAX_POINTS`] points.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] for pieces of fewer than `2^k` words; else as
    /// [`Recorder::dispatch`].
    ///
    /// # Panics
    /// If `k` exceeds [`MAX_FOLD`], the shapes do not fit, or `out` is too short.
    pub fn partial_evaluations(
        &self,
        recorder: &mut Recorder<'_>,
        column: &[Slice],
        fold: usize,
        eq: &EqTables,
        out: &Slice,
        at: u64,
    ) -> Result<(), GpuError> {
        let (piece, words) = column_len(column);
        assert!(fold <= MAX_FOLD, "at most {MAX_FOLD} variables stay open");
        assert_eq!(
            words.ilog2() as usize,
            eq.variables + fold,
            "coordinates for all other variables"
        );
        if piece < 1 << fold {
            return Err(GpuError::Unsupported(
                "columns in pieces shorter than a row".to_owned(),
            ));
        }
        self.sweep(recorder, column, 1, fold, eq, out, at)
    }

    /// Records `out[at + p] = sum_b eq_p(b) f[b]` for each point `p`. The table is read once for
    /// every [`MAX_POINTS`] points.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    ///
    /// # Panics
    /// If the points have another arity than the table, or `out` is too short.
    pub fn evaluate(
        &self,
        recorder: &mut Recorder<'_>,
        f: &Table,
        eq: &EqTables,
        out: &Slice,
        at: u64,
    ) -> Result<(), GpuError> {
        let _ = self.piece_len(f);
        assert_eq!(f.log_len, eq.variables, "coordinates for all variables");
        self.sweep(recorder, &f.pieces, self.degree(), 0, eq, out, at)
    }

    /// One pass over pieces of units of `unit` words for every few points.
    fn sweep(
        &self,
        recorder: &mut Recorder<'_>,
        pieces: &[Slice],
        unit: u64,
        fold: usize,
        eq: &EqTables,
        out: &Slice,
        at: u64,
    ) -> Result<(), GpuError> {
        let degree = self.degree();
        let piece = pieces[0].words() / unit;
        let count = pieces.len() as u64;
        let (highs, lows) = eq.lengths();
        let block = lows << fold;
        for first in (0..eq.points).step_by(MAX_POINTS) {
            let points = (eq.points - first).min(MAX_POINTS) as u64;
            let (kernel, width) = if unit == 1 {
                let width = width(points, fold);
                let stop = (1 << fold) / width;
                let variables = context! { fold, points, width, stop };
                let kernel = self
                    .kit
                    .kernel("mle partial", "mle/partial.wgsl", variables);
                (kernel, width)
            } else {
                let variables = context! { points, stop => 1 };
                let kernel = self
                    .kit
                    .kernel("mle evaluate", "mle/evaluate.wgsl", variables);
                (kernel, 1)
            };
            let sweep = Sweep::new(piece, count, block, width);
            let results = points << fold;
            let partials = self.partials(sweep.groups * count * results)?;
            let work = cost::sweep_piece(degree, sweep, unit, fold, points, width);
            for (index, slice) in (0_u64..).zip(pieces) {
                let start = index * piece;
                let parameters = [
                    sweep.stripes,
                    sweep.steps,
                    sweep.blocks,
                    block,
                    sweep.span,
                    start / block,
                    start % block,
                    first as u64 * (highs + lows),
                    highs + lows,
                    highs,
                    index * sweep.groups,
                ]
                .map(|x| x as u32);
                recorder.dispatch(
                    &kernel,
                    &[slice, &eq.factors, &partials],
                    &parameters,
                    sweep.groups as u32,
                    work,
                )?;
            }
            let to = at + ((first as u64) << fold);
            self.sum(recorder, &partials, sweep.groups * count, results, out, to)?;
        }
        Ok(())
    }
}
