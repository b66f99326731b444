//! Sumcheck weights of batched constraints.

use minijinja::context;
use p3_field::ExtensionField;
use prova_hash::HashField;

use super::eval::eq_table;
use super::grid::TILE;
use super::table::parts;
use super::{Mle, Table, cost};
use crate::buffer::Slice;
use crate::error::GpuError;
use crate::recorder::Recorder;

/// Index bits of the columns' base-field factor.
const LOG_LOW: usize = 6;
/// Index bits of the second factor of an equality.
const LOG_MIDDLE: usize = 5;

/// Terms of weights over `2^log_len` indices, on the device.
#[derive(Clone, Debug)]
pub struct WeightTerms {
    /// Exponents, powers of the root of unity in two tables, low factors of equalities.
    words: Slice,
    /// Coefficients of select terms, then top and middle factors of equalities.
    factors: Slice,
    log_len: usize,
    log_domain: usize,
    selects: usize,
    equalities: usize,
}

impl WeightTerms {
    /// Variables of the weights.
    #[must_use]
    pub fn log_len(&self) -> usize {
        self.log_len
    }

    /// Index bits of the first factor of an equality.
    fn log_top(&self) -> usize {
        self.log_len.saturating_sub(LOG_LOW + LOG_MIDDLE)
    }
}

impl Mle {
    /// Uploads the terms of the weights `x -> sum_(z, c) c * eq(z, x) + sum_(i, c) c * g^(i x)` for
    /// `x < 2^log_len`: equalities `(z, c)` and select terms `(i, c)`, `g` the generator of the
    /// subgroup of order `2^log_domain`, `i < 2^log_domain`, repetitions allowed.
    ///
    /// # Errors
    /// As [`Gpu::buffer`](crate::Gpu::buffer).
    ///
    /// # Panics
    /// If a point has not `log_len` coordinates, an `i` is out of range, there is no such subgroup,
    /// or the coefficients are not of the kit's extension.
    pub fn weight_terms<F: HashField, EF: ExtensionField<F>>(
        &self,
        log_len: usize,
        equalities: &[(&[EF], EF)],
        log_domain: usize,
        selects: &[(usize, EF)],
    ) -> Result<WeightTerms, GpuError> {
        assert!(
            equalities.iter().all(|(point, _)| point.len() == log_len),
            "points of the weights' arity"
        );
        assert!(
            selects.iter().all(|&(i, _)| i < 1 << log_domain),
            "exponents below the order"
        );
        let field = &self.kit.field;
        let powers = |base: u32, count: usize| {
            core::iter::successors(Some(field.one), move |&x| Some(field.product(x, base)))
                .take(count)
        };
        let mut words: Vec<u32> = selects.iter().map(|&(i, _)| i as u32).collect();
        let small = log_domain.div_ceil(2);
        words.extend(powers(field.roots[log_domain], 1 << small));
        words.extend(powers(
            field.roots[log_domain - small],
            1 << (log_domain - small),
        ));
        let mut factors: Vec<EF> = selects.iter().map(|&(_, c)| c).collect();
        let low = log_len.min(LOG_LOW);
        let middle = (log_len - low).min(LOG_MIDDLE);
        for &(point, coefficient) in equalities {
            let (rest, point_low) = point.split_at(log_len - low);
            let (point_top, point_middle) = rest.split_at(rest.len() - middle);
            factors.extend(eq_table(point_top, coefficient));
            let middles = eq_table(point_middle, EF::ONE);
            let lows = eq_table(point_low, EF::ONE);
            for d in 0..EF::DIMENSION {
                let basis = EF::from_basis_coefficients_fn(|i| F::from_bool(i == d));
                let end = factors.len() + (1 << LOG_MIDDLE);
                factors.extend(middles.iter().map(|&e| e * basis));
                factors.resize(end, EF::ZERO);
                let end = words.len() + (1 << LOG_LOW);
                words.extend(
                    lows.iter()
                        .map(|e| F::words(e.as_basis_coefficients_slice())[d]),
                );
                words.resize(end, 0);
            }
        }
        Ok(WeightTerms {
            words: self.kit.gpu.upload(&words)?.slice(0, words.len() as u64),
            factors: self.upload_elements(&factors)?,
            log_len,
            log_domain,
            selects: selects.len(),
            equalities: equalities.len(),
        })
    }

    /// Records `w[offset + x] += weights(x)` for every `x` of the terms. A weight is read and
    /// written once for all terms.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    ///
    /// # Panics
    /// If the slot is not inside the table.
    pub fn add_weights(
        &self,
        recorder: &mut Recorder<'_>,
        terms: &WeightTerms,
        w: &Table,
        offset: u64,
    ) -> Result<(), GpuError> {
        self.weights(recorder, terms, w, offset, false)
    }

    /// Records `w[offset + x] = weights(x)` for every `x` of the terms, without reading weights.
    ///
    /// # Errors
    /// As [`Recorder::dispatch`].
    ///
    /// # Panics
    /// If the slot is not inside the table.
    pub fn set_weights(
        &self,
        recorder: &mut Recorder<'_>,
        terms: &WeightTerms,
        w: &Table,
        offset: u64,
    ) -> Result<(), GpuError> {
        self.weights(recorder, terms, w, offset, true)
    }

    fn weights(
        &self,
        recorder: &mut Recorder<'_>,
        terms: &WeightTerms,
        w: &Table,
        offset: u64,
        fresh: bool,
    ) -> Result<(), GpuError> {
        let degree = self.kit.extension.degree();
        let piece = self.piece_len(w);
        let len = 1_u64 << terms.log_len;
        assert!(offset + len <= 1 << w.log_len, "a slot is inside a table");
        let columns = terms.selects + degree * terms.equalities;
        if columns == 0 && !fresh {
            return Ok(());
        }
        let kernel = self.kit.kernel(
            if fresh {
                "mle weights"
            } else {
                "mle add weights"
            },
            "mle/weights.wgsl",
            context! { fresh },
        );
        let shift = terms.log_domain.div_ceil(2);
        let small = terms.selects;
        let large = small + (1 << shift);
        let low = large + (1 << (terms.log_domain - shift));
        for part in parts(piece, offset, len) {
            let parameters = [
                part.count,
                part.start,
                part.first,
                terms.selects as u64,
                columns as u64,
                (1 << terms.log_domain) - 1,
                shift as u64,
                small as u64,
                large as u64,
                low as u64,
                1 << terms.log_top(),
            ]
            .map(|x| x as u32);
            recorder.dispatch(
                &kernel,
                &[&terms.words, &terms.factors, &w.pieces[part.piece]],
                &parameters,
                part.count.div_ceil(TILE) as u32,
                cost::weights_part(
                    self.degree(),
                    part.count,
                    terms.selects as u64,
                    terms.equalities as u64,
                    fresh,
                ),
            )?;
        }
        Ok(())
    }
}
