//! Rounds of the sumcheck for `sum_x f(x) w(x)` over planar tables.
//!
//! A round's message is `[h(0), h(inf)]` of `h(X) = sum_pairs f(X) w(X)`, where `f(X)` and `w(X)`
//! are the lines through the pairs that [`Order`] names: `h(0) = sum f_0 w_0` and the leading
//! coefficient `h(inf) = sum (f_1 - f_0)(w_1 - w_0)`. This is `Basis::Evaluation` of
//! `p3_sumcheck::strategy`.

mod product;

use std::ops::Range;

use p3_field::{ExtensionField, Field, PackedField, PackedValue};

use super::planes::{
    GRAIN, Order, Planes, Split, Wide, add_mixed_dots, by_degree, deinterleave, divide, mul_matrix,
};
pub(crate) use product::{Products, load};

/// Vectors of output that one step of a kernel makes. Shorter tables take the scalar path.
const STEP: usize = 4;

/// Outputs of each plane that a fused pass binds before it measures them: all of a block's outputs
/// stay in the first-level cache.
const BLOCK: usize = 1 << 8;

/// Outputs that a suffix round binds through a copy of their inputs, before it goes on in place.
const HEAD: usize = 1 << 8;

/// The two sums of a round message.
#[derive(Clone, Copy)]
struct Message<P, const D: usize> {
    at_zero: Products<P, D>,
    leading: Products<P, D>,
}

impl<P: PackedField, const D: usize> Message<P, D> {
    fn new() -> Self {
        Self {
            at_zero: Products::new(),
            leading: Products::new(),
        }
    }

    fn of(measure: impl FnOnce(&mut Self)) -> Self {
        let mut message = Self::new();
        measure(&mut message);
        message
    }

    fn merge(self, other: Self) -> Self {
        Self {
            at_zero: self.at_zero.merge(other.at_zero),
            leading: self.leading.merge(other.leading),
        }
    }

    /// Adds the pairs `(low, high)` of two vectors of each table.
    #[inline(always)]
    fn add(
        &mut self,
        f_low: [[P; D]; 2],
        f_high: [[P; D]; 2],
        w_low: [[P; D]; 2],
        w_high: [[P; D]; 2],
    ) {
        self.at_zero.add(&f_low, &w_low);
        self.leading.add(&sub(f_high, f_low), &sub(w_high, w_low));
    }

    fn finish<EF: ExtensionField<P::Scalar>>(self) -> [EF; 2]
    where
        P::Scalar: Field<Packing = P>,
    {
        [self.at_zero.finish(), self.leading.finish()]
    }
}

#[inline(always)]
fn sub<P: PackedField, const D: usize>(a: [[P; D]; 2], b: [[P; D]; 2]) -> [[P; D]; 2] {
    std::array::from_fn(|t| std::array::from_fn(|d| a[t][d] - b[t][d]))
}

/// `low + r (high - low)` with `r` as a multiplication matrix.
#[inline(always)]
fn line<P: PackedField, const D: usize>(
    r: &[[P::Scalar; D]; D],
    low: &[P; D],
    high: &[P; D],
) -> [P; D] {
    let diff: [P; D] = std::array::from_fn(|d| high[d] - low[d]);
    let mut sums = *low;
    add_mixed_dots(D, &mut sums, &diff, r.each_ref().map(|row| &row[..]));
    sums
}

/// Vectors `2 v` and `2 v + 1` of every plane, as (even, odd) lanes.
#[inline(always)]
fn pairs<P: PackedField, const D: usize>(cols: &[&[P]; D], v: usize) -> ([P; D], [P; D]) {
    split_lanes(&load(cols, 2 * v), &load(cols, 2 * v + 1))
}

#[inline(always)]
fn split_lanes<P: PackedField, const D: usize>(a: &[P; D], b: &[P; D]) -> ([P; D], [P; D]) {
    let mut even = *a;
    let mut odd = *a;
    for d in 0..D {
        (even[d], odd[d]) = deinterleave(a[d], b[d]);
    }
    (even, odd)
}

#[inline(always)]
fn store<P: PackedField, const D: usize>(cols: &mut [&mut [P]; D], v: usize, values: &[P; D]) {
    for d in 0..D {
        cols[d][v] = values[d];
    }
}

/// The message `[h(0), h(inf)]` of the round that binds the bit named by `order`.
///
/// # Panics
/// If the tables differ in shape, have a single value, or do not belong to `EF`.
#[must_use]
pub fn measure<F: Field, EF: ExtensionField<F>>(
    f: &Planes<F>,
    w: &Planes<F>,
    order: Order,
) -> [EF; 2] {
    check::<F, EF>(f, w, 1);
    let half = f.len() / 2;
    if half < STEP * F::Packing::WIDTH {
        return measure_scalar(f, w, order);
    }
    by_degree!(EF::DIMENSION, D => match order {
        Order::Suffix => divide(
            Wide((f.cols::<D>(), w.cols::<D>()), 2),
            GRAIN,
            &|Wide((f, w), _), _| Message::of(|message| measure_suffix::<F, D>(message, f, w)),
            &Message::merge,
        ),
        Order::Prefix => divide(
            (f.cols::<D>().cut(half), w.cols::<D>().cut(half)),
            GRAIN,
            &|(f, w), _| Message::of(|message| measure_prefix::<F, D>(message, f, w)),
            &Message::merge,
        ),
    }.finish())
}

fn measure_suffix<F: Field, const D: usize>(
    message: &mut Message<F::Packing, D>,
    f: [&[F]; D],
    w: [&[F]; D],
) {
    let (f, w) = (f.map(F::Packing::pack_slice), w.map(F::Packing::pack_slice));
    for v in (0..f[0].len() / 2).step_by(2) {
        let (f0, f1) = pairs(&f, v);
        let (f2, f3) = pairs(&f, v + 1);
        let (w0, w1) = pairs(&w, v);
        let (w2, w3) = pairs(&w, v + 1);
        message.add([f0, f2], [f1, f3], [w0, w2], [w1, w3]);
    }
}

fn measure_prefix<F: Field, const D: usize>(
    message: &mut Message<F::Packing, D>,
    f: ([&[F]; D], [&[F]; D]),
    w: ([&[F]; D], [&[F]; D]),
) {
    let [f0, f1, w0, w1] = [f.0, f.1, w.0, w.1].map(|cols| cols.map(F::Packing::pack_slice));
    for v in (0..f0[0].len()).step_by(2) {
        let two = |cols: &[&[F::Packing]; D]| [load(cols, v), load(cols, v + 1)];
        message.add(two(&f0), two(&f1), two(&w0), two(&w1));
    }
}

/// Binds one variable of a table to `r`: every pair becomes `low + r (high - low)`. The table
/// halves in place.
///
/// # Panics
/// If the table has a single value or does not belong to `EF`.
pub fn bind<F: Field, EF: ExtensionField<F>>(table: &mut Planes<F>, r: EF, order: Order) {
    check::<F, EF>(table, table, 1);
    let half = table.len() / 2;
    if half < STEP * F::Packing::WIDTH {
        return bind_scalar(table, r, order);
    }
    by_degree!(EF::DIMENSION, D => {
        let r = mul_matrix::<F, EF, D>(r);
        match order {
            Order::Suffix => {
                for_each_level(&mut [table], |[table]: [Halving<'_, F, D>; 1]| {
                    divide(table, GRAIN, &|(out, Wide(input, _)), _| {
                        bind_suffix::<F, D>(&r, out, input);
                    }, &|(), ()| ());
                });
            }
            Order::Prefix => {
                let (low, high) = table.cols_mut::<D>().cut(half);
                divide((low, high), GRAIN, &|(low, high), _| {
                    bind_prefix::<F, D>(&r, low, high.map(|col| &*col));
                }, &|(), ()| ());
            }
        }
    });
    table.halve();
}

fn bind_suffix<F: Field, const D: usize>(r: &[[F; D]; D], out: [&mut [F]; D], input: [&[F]; D]) {
    let mut out = out.map(F::Packing::pack_slice_mut);
    let input = input.map(F::Packing::pack_slice);
    for v in 0..out[0].len() {
        let (low, high) = pairs(&input, v);
        store(&mut out, v, &line(r, &low, &high));
    }
}

fn bind_prefix<F: Field, const D: usize>(r: &[[F; D]; D], low: [&mut [F]; D], high: [&[F]; D]) {
    let mut low = low.map(F::Packing::pack_slice_mut);
    let high = high.map(F::Packing::pack_slice);
    for v in 0..high[0].len() {
        let bound = line(r, &low.each_ref().map(|s| s[v]), &load(&high, v));
        store(&mut low, v, &bound);
    }
}

/// Binds one variable of both tables to `r` and measures the following round in the same pass.
///
/// # Panics
/// If the tables differ in shape, have fewer than four values, or do not belong to `EF`.
#[must_use]
pub fn bind_and_measure<F: Field, EF: ExtensionField<F>>(
    f: &mut Planes<F>,
    w: &mut Planes<F>,
    r: EF,
    order: Order,
) -> [EF; 2] {
    check::<F, EF>(f, w, 2);
    let half = f.len() / 2;
    if half < 2 * STEP * F::Packing::WIDTH {
        bind(f, r, order);
        bind(w, r, order);
        return measure(f, w, order);
    }
    by_degree!(EF::DIMENSION, D => {
        let r = mul_matrix::<F, EF, D>(r);
        let message = match order {
            Order::Suffix => {
                let mut message = Message::new();
                for_each_level(&mut [&mut *f, &mut *w], |[f, w]: [Halving<'_, F, D>; 2]| {
                    let level = divide((f, w), GRAIN, &|(f, w), _| {
                        fused_suffix::<F, D>(&r, f, w)
                    }, &Message::merge);
                    message = message.merge(level);
                });
                message
            }
            Order::Prefix => {
                let quarters = |table| {
                    let (low, high) = Planes::cols_mut::<D>(table).cut(half);
                    (low.cut(half / 2), high.cut(half / 2))
                };
                divide((quarters(f), quarters(w)), GRAIN, &|(f, w), _| {
                    fused_prefix::<F, D>(&r, f, w)
                }, &Message::merge)
            }
        };
        f.halve();
        w.halve();
        message.finish()
    })
}

/// One table's part of a suffix binding: outputs, and twice as many inputs.
type Halving<'a, F, const D: usize> = ([&'a mut [F]; D], Wide<[&'a [F]; D]>);

fn fused_suffix<'a, F: Field, const D: usize>(
    r: &[[F; D]; D],
    mut f: Halving<'a, F, D>,
    mut w: Halving<'a, F, D>,
) -> Message<F::Packing, D> {
    let len = f.0[0].len();
    let mut message = Message::new();
    for start in (0..len).step_by(BLOCK) {
        let end = len.min(start + BLOCK);
        for (out, Wide(input, _)) in [&mut f, &mut w] {
            let out = out.each_mut().map(|col| &mut col[start..end]);
            bind_suffix(r, out, input.map(|col| &col[2 * start..2 * end]));
        }
        measure_suffix(&mut message, part(&f.0, start..end), part(&w.0, start..end));
    }
    message
}

/// A range of every column.
fn part<'a, F, const D: usize>(cols: &'a [&mut [F]; D], range: Range<usize>) -> [&'a [F]; D] {
    cols.each_ref().map(|col| &col[range.clone()])
}

/// One table's part of a prefix binding: its four quarters, of which the lower two are replaced.
type Quarters<'a, F, const D: usize> = (
    ([&'a mut [F]; D], [&'a mut [F]; D]),
    ([&'a mut [F]; D], [&'a mut [F]; D]),
);

fn fused_prefix<'a, F: Field, const D: usize>(
    r: &[[F; D]; D],
    mut f: Quarters<'a, F, D>,
    mut w: Quarters<'a, F, D>,
) -> Message<F::Packing, D> {
    let len = f.0.0[0].len();
    let mut message = Message::new();
    for start in (0..len).step_by(BLOCK) {
        let end = len.min(start + BLOCK);
        for (low, high) in [&mut f, &mut w] {
            for (low, high) in [(&mut low.0, &high.0), (&mut low.1, &high.1)] {
                let low = low.each_mut().map(|col| &mut col[start..end]);
                bind_prefix(r, low, part(high, start..end));
            }
        }
        let range = start..end;
        measure_prefix(
            &mut message,
            (part(&f.0.0, range.clone()), part(&f.0.1, range.clone())),
            (part(&w.0.0, range.clone()), part(&w.0.1, range)),
        );
    }
    message
}

/// Runs a suffix binding of `T` tables in place.
///
/// Output `i` takes the place of an input that only outputs up to `i` need, so outputs
/// `n .. 2n` can all be made at once, from inputs `2n .. 4n`, after outputs below `n` are. The
/// first ones read from a copy.
fn for_each_level<F: Field, const D: usize, const T: usize>(
    tables: &mut [&mut Planes<F>; T],
    mut level: impl FnMut([Halving<'_, F, D>; T]),
) {
    let half = tables[0].len() / 2;
    let mut done = HEAD.min(half);
    let heads = tables.each_ref().map(|table| {
        let mut head = Vec::with_capacity(2 * done * D);
        table
            .cols::<D>()
            .iter()
            .for_each(|col| head.extend_from_slice(&col[..2 * done]));
        head
    });
    let mut operands = tables.iter_mut().zip(&heads);
    level(std::array::from_fn(|_| {
        let (table, head) = operands.next().expect("one for each table");
        let mut inputs = head.chunks(2 * done);
        (
            table.cols_mut::<D>().map(|col| &mut col[..done]),
            Wide(
                std::array::from_fn(|_| inputs.next().expect("one for each plane")),
                2,
            ),
        )
    }));
    while done < half {
        let mut operands = tables.iter_mut();
        level(std::array::from_fn(|_| {
            let table = operands.next().expect("one for each table");
            let (out, input) = table.cols_mut::<D>().cut(2 * done);
            (
                out.map(|col| &mut col[done..]),
                Wide(input.map(|col| &col[..2 * done]), 2),
            )
        }));
        done *= 2;
    }
}

fn check<F: Field, EF: ExtensionField<F>>(f: &Planes<F>, w: &Planes<F>, min_log_len: usize) {
    assert_eq!(
        f.degree(),
        EF::DIMENSION,
        "the table belongs to another extension"
    );
    assert_eq!(
        w.degree(),
        f.degree(),
        "the tables belong to different extensions"
    );
    assert_eq!(w.log_len(), f.log_len(), "the tables differ in length");
    assert!(f.log_len() >= min_log_len, "no variable is left to bind");
}

/// Indices of pair `i`.
const fn pair(i: usize, half: usize, order: Order) -> (usize, usize) {
    match order {
        Order::Suffix => (2 * i, 2 * i + 1),
        Order::Prefix => (i, i + half),
    }
}

fn measure_scalar<F: Field, EF: ExtensionField<F>>(
    f: &Planes<F>,
    w: &Planes<F>,
    order: Order,
) -> [EF; 2] {
    let half = f.len() / 2;
    let mut sums = [EF::ZERO; 2];
    for i in 0..half {
        let (low, high) = pair(i, half, order);
        let (f0, w0): (EF, EF) = (f.get(low), w.get(low));
        sums[0] += f0 * w0;
        sums[1] += (f.get::<EF>(high) - f0) * (w.get::<EF>(high) - w0);
    }
    sums
}

fn bind_scalar<F: Field, EF: ExtensionField<F>>(table: &mut Planes<F>, r: EF, order: Order) {
    let half = table.len() / 2;
    for i in 0..half {
        let (low, high) = pair(i, half, order);
        let f0: EF = table.get(low);
        table.set(i, f0 + r * (table.get::<EF>(high) - f0));
    }
    table.halve();
}

#[cfg(test)]
mod tests;
