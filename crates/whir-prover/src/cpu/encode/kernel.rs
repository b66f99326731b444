//! Radix-2, -4 and -8 steps over contiguous vectors, one twiddle for a whole node.

use core::mem::MaybeUninit;

use p3_field::{PackedField, TwoAdicField};

use super::twiddles::Twiddles;

/// The most layers one pass over the data does. Eight vectors and their temporaries want more
/// than sixteen registers.
pub(super) const MAX_RADIX: usize =
    if cfg!(all(target_arch = "x86_64", not(target_feature = "avx512f"))) {
        2
    } else {
        3
    };

/// How many of `layers` remaining layers the next pass does: as few passes as possible, none of
/// them a lone layer unless it is the only one.
pub(super) fn next_radix(layers: usize) -> usize {
    if layers == 4 {
        2
    } else {
        layers.min(MAX_RADIX)
    }
}

/// How a tile is computed: the form its elements take between being loaded and being stored.
pub(super) trait Arith<F: TwoAdicField>: Copy + Send + Sync + 'static {
    /// One packing's elements in that form, in registers and in a tile's scratch memory.
    type Value: Copy + Send + Sync;
    /// A twiddle as stored.
    type Twiddle: Copy + Send + Sync;
    /// A twiddle for all lanes.
    type Factor: Copy;

    /// Any valid value, to initialise scratch memory.
    fn zero() -> Self::Value;
    /// Any valid twiddle, to initialise scratch memory.
    fn one() -> Self::Twiddle;
    /// [`Twiddles::fill`] in this form. `out` and `plain` have the same length, at least
    /// `2^to` and a multiple of 16.
    fn fill(
        twiddles: &Twiddles<F>,
        node: usize,
        from: usize,
        to: usize,
        plain: &mut [F],
        out: &mut [Self::Twiddle],
    );
    /// The twiddle in all lanes.
    fn broadcast(twiddle: Self::Twiddle) -> Self::Factor;
    /// Loads the second input of a tile's first butterfly.
    fn load(x: F::Packing) -> Self::Value;
    /// Loads the first input of a tile's first butterfly.
    fn load_biased(x: F::Packing) -> Self::Value;
    /// `(a + b t, a - b t)`.
    fn butterfly(a: Self::Value, b: Self::Value, t: Self::Factor) -> (Self::Value, Self::Value);
    /// `(a + b t, a - b t)`, as field elements.
    fn last_butterfly(a: Self::Value, b: Self::Value, t: Self::Factor) -> (F::Packing, F::Packing);
}

/// The field's own packed arithmetic.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed;

/// `(a + b t, a - b t)`.
#[inline(always)]
pub(super) fn butterfly<P: PackedField>(a: P, b: P, t: P) -> (P, P) {
    let b = b * t;
    (a + b, a - b)
}

impl<F: TwoAdicField> Arith<F> for Packed {
    type Value = F::Packing;
    type Twiddle = F;
    type Factor = F::Packing;

    fn zero() -> F::Packing {
        F::ZERO.into()
    }

    fn one() -> F {
        F::ONE
    }

    fn fill(
        twiddles: &Twiddles<F>,
        node: usize,
        from: usize,
        to: usize,
        _plain: &mut [F],
        out: &mut [F],
    ) {
        twiddles.fill(node, from, to, F::ONE, out);
    }

    #[inline(always)]
    fn broadcast(twiddle: F) -> F::Packing {
        twiddle.into()
    }

    #[inline(always)]
    fn load(x: F::Packing) -> F::Packing {
        x
    }

    #[inline(always)]
    fn load_biased(x: F::Packing) -> F::Packing {
        x
    }

    #[inline(always)]
    fn butterfly(a: F::Packing, b: F::Packing, t: F::Packing) -> (F::Packing, F::Packing) {
        butterfly(a, b, t)
    }

    #[inline(always)]
    fn last_butterfly(a: F::Packing, b: F::Packing, t: F::Packing) -> (F::Packing, F::Packing) {
        butterfly(a, b, t)
    }
}

/// Rows of the nodes of a level: row `i` of node `y` starts at `at + y * node + i * row`.
#[derive(Clone, Copy)]
pub(super) struct Rows<T> {
    pub(super) at: T,
    pub(super) node: usize,
    pub(super) row: usize,
}

impl<T> Rows<*mut T> {
    /// The same rows, to be read.
    pub(super) fn cast_const(self) -> Rows<*const T> {
        Rows {
            at: self.at.cast_const(),
            node: self.node,
            row: self.row,
        }
    }
}

/// The shape of a pass: `2^level` nodes, rows of `vectors` vectors, and `below` butterflies
/// between rows in each part of a node.
#[derive(Clone, Copy)]
pub(super) struct Pass {
    pub(super) layers: usize,
    pub(super) level: usize,
    pub(super) below: usize,
    pub(super) vectors: usize,
}

/// What a first pass fetches into the cache as it goes.
#[derive(Clone, Copy)]
pub(super) struct Ahead<P> {
    /// Vectors from a source row to the row that the next tile will read in its place.
    pub(super) next: usize,
    /// The rows that this tile will be written to.
    pub(super) dst: Rows<*mut P>,
}

/// Asks for a line to be brought close, to be read or to be written.
#[inline(always)]
fn prefetch<T>(at: *const T, write: bool) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_ET1, _MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch does not fault, wherever it points.
        unsafe {
            if write {
                _mm_prefetch::<_MM_HINT_ET1>(at.cast());
            } else {
                _mm_prefetch::<_MM_HINT_T1>(at.cast());
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (at, write);
}

/// `pass.layers` layers from matrix rows to matrix rows, which may be the same.
///
/// # Safety
/// All rows are valid for `vectors` vectors; source rows equal the destination rows or do not
/// overlap them. `heap` holds the twiddles of these levels.
pub(super) unsafe fn direct<F: TwoAdicField, A: Arith<F>>(
    pass: Pass,
    src: Rows<*const F::Packing>,
    dst: Rows<*mut F::Packing>,
    heap: &[A::Twiddle],
) {
    // SAFETY: the caller's contract.
    unsafe { by_radix::<F, A, _, _, true, true>(pass, src, dst, heap, None) }
}

/// As [`direct`], into scratch memory.
///
/// # Safety
/// As [`direct`].
pub(super) unsafe fn first<F: TwoAdicField, A: Arith<F>>(
    pass: Pass,
    src: Rows<*const F::Packing>,
    dst: Rows<*mut A::Value>,
    heap: &[A::Twiddle],
    ahead: Option<Ahead<F::Packing>>,
) {
    // SAFETY: the caller's contract.
    unsafe { by_radix::<F, A, _, _, true, false>(pass, src, dst, heap, ahead) }
}

/// As [`direct`], in place in scratch memory.
///
/// # Safety
/// As [`direct`].
pub(super) unsafe fn middle<F: TwoAdicField, A: Arith<F>>(
    pass: Pass,
    rows: Rows<*mut A::Value>,
    heap: &[A::Twiddle],
) {
    // SAFETY: the caller's contract.
    unsafe { by_radix::<F, A, _, _, false, false>(pass, rows.cast_const(), rows, heap, None) }
}

/// As [`direct`], from scratch memory.
///
/// # Safety
/// As [`direct`].
pub(super) unsafe fn last<F: TwoAdicField, A: Arith<F>>(
    pass: Pass,
    src: Rows<*const A::Value>,
    dst: Rows<*mut F::Packing>,
    heap: &[A::Twiddle],
) {
    // SAFETY: the caller's contract.
    unsafe { by_radix::<F, A, _, _, false, true>(pass, src, dst, heap, None) }
}

/// # Safety
/// As [`direct`]; `S` and `D` are `F::Packing` or `A::Value` as `FIRST` and `LAST` say.
#[inline(always)]
unsafe fn by_radix<F: TwoAdicField, A: Arith<F>, S, D, const FIRST: bool, const LAST: bool>(
    pass: Pass,
    src: Rows<*const S>,
    dst: Rows<*mut D>,
    heap: &[A::Twiddle],
    ahead: Option<Ahead<F::Packing>>,
) {
    // SAFETY: the caller's contract.
    unsafe {
        match pass.layers {
            1 => pass_n::<F, A, S, D, 2, FIRST, LAST>(pass, src, dst, heap, ahead),
            2 => pass_n::<F, A, S, D, 4, FIRST, LAST>(pass, src, dst, heap, ahead),
            3 => pass_n::<F, A, S, D, 8, FIRST, LAST>(pass, src, dst, heap, ahead),
            k => unreachable!("{k} layers"),
        }
    }
}

/// # Safety
/// As [`by_radix`], with `R = 2^layers`.
unsafe fn pass_n<
    F: TwoAdicField,
    A: Arith<F>,
    S,
    D,
    const R: usize,
    const FIRST: bool,
    const LAST: bool,
>(
    pass: Pass,
    src: Rows<*const S>,
    dst: Rows<*mut D>,
    heap: &[A::Twiddle],
    ahead: Option<Ahead<F::Packing>>,
) {
    let (src_run, dst_run) = (pass.below * src.row, pass.below * dst.row);
    for y in 0..1 << pass.level {
        let mut tw = [A::broadcast(heap[(1 << pass.level) + y]); R];
        let mut width = 2;
        while width < R {
            let row = &heap[(width << pass.level) + y * width..][..width];
            for i in 0..width {
                tw[width + i] = A::broadcast(row[i]);
            }
            width *= 2;
        }
        for i in 0..pass.below {
            // SAFETY: row `i` of node `y`.
            let (from, to) = unsafe {
                (
                    src.at.add(y * src.node + i * src.row),
                    dst.at.add(y * dst.node + i * dst.row),
                )
            };
            for v in 0..pass.vectors {
                if FIRST
                    && !LAST
                    && let Some(ahead) = ahead
                {
                    for u in 0..R {
                        let row = i + u * pass.below;
                        prefetch(from.wrapping_add(u * src_run + v + ahead.next), false);
                        prefetch(ahead.dst.at.wrapping_add(row * ahead.dst.row + v), true);
                    }
                }
                // SAFETY: rows `i + u * below`, for `u < R`, of node `y`, at vector `v`.
                unsafe {
                    let (from, to) = (from.add(v), to.add(v));
                    step::<F, A, S, D, R, FIRST, LAST>(from, src_run, to, dst_run, &tw);
                }
            }
        }
    }
}

/// `log2 R` layers on `R` vectors.
///
/// # Safety
/// `from` and `to` are valid at `R` places, `src_run` and `dst_run` apart; types as for
/// [`by_radix`].
#[inline(always)]
unsafe fn step<
    F: TwoAdicField,
    A: Arith<F>,
    S,
    D,
    const R: usize,
    const FIRST: bool,
    const LAST: bool,
>(
    from: *const S,
    src_run: usize,
    to: *mut D,
    dst_run: usize,
    tw: &[A::Factor; R],
) {
    let mut x = [const { MaybeUninit::<A::Value>::uninit() }; R];
    for (u, slot) in x.iter_mut().enumerate() {
        // SAFETY: valid, and a packing has the alignment of its scalar.
        slot.write(unsafe {
            let from = from.add(u * src_run);
            if !FIRST {
                *from.cast::<A::Value>()
            } else if u < R / 2 {
                A::load_biased(*from.cast::<F::Packing>())
            } else {
                A::load(*from.cast::<F::Packing>())
            }
        });
    }
    // SAFETY: every slot was written above.
    let mut x = x.map(|v| unsafe { v.assume_init() });
    if R == 8 {
        layer::<F, A, R>(&mut x, 0, 4, tw[1]);
        layer::<F, A, R>(&mut x, 0, 2, tw[2]);
        layer::<F, A, R>(&mut x, 4, 2, tw[3]);
    } else if R == 4 {
        layer::<F, A, R>(&mut x, 0, 2, tw[1]);
    }
    for u in (0..R).step_by(2) {
        let t = tw[(R + u) / 2];
        // SAFETY: valid, and a packing has the alignment of its scalar.
        unsafe {
            let (to_a, to_b) = (to.add(u * dst_run), to.add((u + 1) * dst_run));
            if LAST {
                let (a, b) = A::last_butterfly(x[u], x[u + 1], t);
                *to_a.cast::<F::Packing>() = a;
                *to_b.cast::<F::Packing>() = b;
            } else {
                let (a, b) = A::butterfly(x[u], x[u + 1], t);
                *to_a.cast::<A::Value>() = a;
                *to_b.cast::<A::Value>() = b;
            }
        }
    }
}

#[inline(always)]
fn layer<F: TwoAdicField, A: Arith<F>, const R: usize>(
    x: &mut [A::Value; R],
    at: usize,
    half: usize,
    t: A::Factor,
) {
    for i in at..at + half {
        (x[i], x[i + half]) = A::butterfly(x[i], x[i + half], t);
    }
}
