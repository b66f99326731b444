//! Rounds: messages, and binding a variable.

use minijinja::context;

use super::grid::Walk;
use super::{Mle, Order, Table, cost};
use crate::buffer::Slice;
use crate::error::GpuError;
use crate::recorder::Recorder;

/// A table with its weights.
pub type Pair<'a> = (&'a Table, &'a Table);

impl Mle {
    /// Records the message of a round, `out[at] = h(0) = sum f_0 w_0` and
    /// `out[at + 1] = h(inf) = sum (f_1 - f_0)(w_1 - w_0)` over the pairs that `order` names.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] for [`Order::Prefix`] and more than one piece, or for pieces of
    /// one element; else as [`Recorder::dispatch`].
    ///
    /// # Panics
    /// If the tables have different shapes or one element, or `out` is too short.
    pub fn round_message(
        &self,
        recorder: &mut Recorder<'_>,
        order: Order,
        (f, w): Pair<'_>,
        out: &Slice,
        at: u64,
    ) -> Result<(), GpuError> {
        let piece = self.shape(order, (f, w), 2)?;
        let pieces = f.pieces.len() as u64;
        let pairs = piece / 2;
        let walk = Walk::new(pairs, pieces);
        let partials = self.partials(walk.groups * pieces * 2)?;
        let kernel = self.kit.kernel(
            "mle round",
            "mle/round.wgsl",
            context! { order => order.name(), stop => 1 },
        );
        for (index, (f, w)) in (0_u64..).zip(f.pieces.iter().zip(&w.pieces)) {
            recorder.dispatch(
                &kernel,
                &[f, w, &partials],
                &[
                    pairs as u32,
                    walk.steps as u32,
                    (index * walk.groups) as u32,
                ],
                walk.groups as u32,
                cost::measure_piece(self.degree(), pairs, walk),
            )?;
        }
        self.sum(recorder, &partials, walk.groups * pieces, 2, out, at)
    }

    /// Records binding the variable that `order` names to `r` (the words of an element) in two
    /// tables: `to = low + r (high - low)`.
    ///
    /// # Errors
    /// As [`Self::round_message`], and [`GpuError::Unsupported`] if a piece of `to` is shorter
    /// than half a piece of `from`.
    ///
    /// # Panics
    /// If the tables of `to` do not have half the length, or `r` is not `degree` words, and as
    /// [`Self::round_message`].
    pub fn bind(
        &self,
        recorder: &mut Recorder<'_>,
        order: Order,
        from: Pair<'_>,
        to: Pair<'_>,
        r: &[u32],
    ) -> Result<(), GpuError> {
        self.bind_tables(recorder, order, from, to, r, None)
    }

    /// Records [`Self::bind`] and in the same pass the message of the round that follows, as
    /// [`Self::round_message`] of `to` gives it.
    ///
    /// # Errors
    /// As [`Self::bind`], and [`GpuError::Unsupported`] for pieces of two elements.
    ///
    /// # Panics
    /// As [`Self::bind`], and if the tables have two elements.
    pub fn bind_and_measure(
        &self,
        recorder: &mut Recorder<'_>,
        order: Order,
        from: Pair<'_>,
        to: Pair<'_>,
        r: &[u32],
        out: &Slice,
        at: u64,
    ) -> Result<(), GpuError> {
        self.bind_tables(recorder, order, from, to, r, Some((out, at)))
    }

    fn bind_tables(
        &self,
        recorder: &mut Recorder<'_>,
        order: Order,
        (f, w): Pair<'_>,
        (f_to, w_to): Pair<'_>,
        r: &[u32],
        message: Option<(&Slice, u64)>,
    ) -> Result<(), GpuError> {
        let measure = message.is_some();
        let piece = self.shape(order, (f, w), if measure { 4 } else { 2 })?;
        let piece_to = self.shape(order, (f_to, w_to), 1)?;
        assert_eq!(f_to.log_len + 1, f.log_len, "binding halves a table");
        assert_eq!(r.len() as u64, self.degree(), "the words of an element");
        let pairs = piece / 2;
        if piece_to < pairs {
            return Err(GpuError::Unsupported(
                "outputs in pieces shorter than half the inputs'".to_owned(),
            ));
        }
        let pieces = f.pieces.len() as u64;
        let items = if measure { pairs / 2 } else { pairs };
        let walk = Walk::new(items, pieces);
        // Without partial sums nothing limits the number of workgroups.
        let (groups, steps) = if measure {
            (walk.groups, walk.steps)
        } else {
            (items.div_ceil(super::grid::LANES), 1)
        };
        let kernel = self.kit.kernel(
            if measure {
                "mle bind measure"
            } else {
                "mle bind"
            },
            "mle/bind.wgsl",
            context! { order => order.name(), measure, stop => 1 },
        );
        let partials = match message {
            Some(_) => Some(self.partials(walk.groups * pieces * 2)?),
            None => None,
        };
        let work = cost::bind_piece(self.degree(), pairs, measure.then_some(walk));
        for (index, (f, w)) in (0_u64..).zip(f.pieces.iter().zip(&w.pieces)) {
            let at = index * pairs;
            let (target, first) = ((at / piece_to) as usize, at % piece_to);
            let mut bindings = vec![f, w, &f_to.pieces[target], &w_to.pieces[target]];
            bindings.extend(&partials);
            let mut parameters = vec![
                items as u32,
                steps as u32,
                (index * walk.groups) as u32,
                first as u32,
            ];
            parameters.extend_from_slice(r);
            recorder.dispatch(&kernel, &bindings, &parameters, groups as u32, work)?;
        }
        if let (Some(partials), Some((out, at))) = (&partials, message) {
            self.sum(recorder, partials, walk.groups * pieces, 2, out, at)?;
        }
        Ok(())
    }

    /// Scratch for so many elements.
    pub(super) fn partials(&self, count: u64) -> Result<Slice, GpuError> {
        let words = count * self.degree();
        Ok(self.kit.gpu.buffer(words)?.slice(0, words))
    }

    /// Elements of a piece, where pairs of tables of this shape can be worked on in units of
    /// `least` elements.
    fn shape(&self, order: Order, (f, w): Pair<'_>, least: u64) -> Result<u64, GpuError> {
        let piece = self.piece_len(f);
        assert!(
            f.log_len == w.log_len && piece == self.piece_len(w),
            "tables of one shape"
        );
        assert!(1 << f.log_len >= least, "a table of {least} elements");
        if order == Order::Prefix && f.pieces.len() > 1 {
            return Err(GpuError::Unsupported(
                "prefix order on tables in pieces".to_owned(),
            ));
        }
        if piece < least {
            return Err(GpuError::Unsupported(format!(
                "pieces of fewer than {least} elements"
            )));
        }
        Ok(piece)
    }
}
