//! The last layers of narrow matrices, where a node's half is shorter than a vector.
//!
//! With vectors of `W = 2^L 2^v` elements and rows of `odd * 2^v` elements, a group of `2^L` rows
//! is `odd` vectors. A tile is `2^L` groups; transposing it in chunks of `2^v` elements puts the
//! groups side by side in a vector, so that the `L` layers inside the groups become butterflies
//! between vectors, with twiddles that differ by group.

use core::array;

use p3_field::{Field, PackedField, PackedValue, PrimeCharacteristicRing, TwoAdicField};

use super::kernel::butterfly;
use super::lanes::interleave;
use super::twiddles::Twiddles;

/// What the tail needs to know of a row width.
#[derive(Clone, Debug)]
pub(super) struct Tail<F: Field> {
    /// `L`, the layers left to the tail.
    pub(super) layers: usize,
    /// Vectors a group.
    odd: usize,
    /// `pattern[2^j + y]`: lane of group `g` holds `T[(g << j) + y]`; entry 0 is not used.
    pattern: Vec<F::Packing>,
}

impl<F: TwoAdicField> Tail<F> {
    /// The number of layers that a row width leaves to the tail.
    pub(super) fn layers_of(width: usize) -> usize {
        let log_lanes = F::Packing::WIDTH.trailing_zeros();
        (log_lanes - width.trailing_zeros().min(log_lanes)) as usize
    }

    /// A tail for rows of `width` elements. The twiddle tables serve at least one tile,
    /// `2^(2 L)` rows.
    pub(super) fn new(width: usize, twiddles: &Twiddles<F>) -> Self {
        let layers = Self::layers_of(width);
        let chunk = F::Packing::WIDTH >> layers;
        let mut pattern = vec![F::Packing::ONE; 1 << layers];
        for j in 0..layers {
            for y in 0..1 << j {
                pattern[(1 << j) + y] =
                    F::Packing::from_fn(|lane| twiddles.at(((lane / chunk) << j) + y));
            }
        }
        Self {
            layers,
            odd: (width << layers) / F::Packing::WIDTH,
            pattern,
        }
    }

    /// No tail: all layers are done elsewhere.
    pub(super) const fn none() -> Self {
        Self {
            layers: 0,
            odd: 1,
            pattern: Vec::new(),
        }
    }

    /// Vectors of scratch that [`Self::run`] needs.
    pub(super) fn scratch_len(&self) -> usize {
        if self.odd == 1 {
            0
        } else {
            self.odd << self.layers
        }
    }

    /// The last `L` layers on `tiles` tiles from `data`, the first being tile `first` of the
    /// codeword.
    ///
    /// # Safety
    /// `data` is valid for `tiles` tiles of `2^(2 L)` rows; `scratch` has [`Self::scratch_len`].
    pub(super) unsafe fn run(
        &self,
        data: *mut F,
        first: usize,
        tiles: usize,
        twiddles: &Twiddles<F>,
        scratch: &mut [F::Packing],
    ) {
        // SAFETY: the caller's contract.
        unsafe {
            match self.layers {
                0 => {}
                1 => self.run_n::<2>(data, first, tiles, twiddles, scratch),
                2 => self.run_n::<4>(data, first, tiles, twiddles, scratch),
                3 => self.run_n::<8>(data, first, tiles, twiddles, scratch),
                4 => self.run_n::<16>(data, first, tiles, twiddles, scratch),
                l => unreachable!("{l} tail layers"),
            }
        }
    }

    /// # Safety
    /// As for [`Self::run`], with `R = 2^L`.
    unsafe fn run_n<const R: usize>(
        &self,
        data: *mut F,
        first: usize,
        tiles: usize,
        twiddles: &Twiddles<F>,
        scratch: &mut [F::Packing],
    ) {
        let pattern: &[F::Packing; R] = self.pattern[..].try_into().expect("2^L vectors");
        for tile in 0..tiles {
            // SAFETY: a tile is `R * odd` vectors, and a packing has its scalar's alignment.
            let data = unsafe { data.cast::<F::Packing>().add(tile * R * self.odd) };
            let mut tw = *pattern;
            let mut scale = twiddles.at((first + tile) << (2 * self.layers - 1));
            let mut width = R / 2;
            while width > 0 {
                let vector = F::Packing::from(scale);
                for t in &mut tw[width..2 * width] {
                    *t *= vector;
                }
                scale = scale.square();
                width /= 2;
            }
            // SAFETY: `data` is valid for the tile.
            unsafe {
                if self.odd == 1 {
                    let mut x = transpose(load::<F, R>(data, 1));
                    radix(&mut x, &tw);
                    store::<F, R>(data, 1, transpose(x));
                } else {
                    self.wide_tile(data, &tw, scratch);
                }
            }
        }
    }

    /// One tile whose groups are several vectors.
    ///
    /// # Safety
    /// `data` is valid for a tile.
    unsafe fn wide_tile<const R: usize>(
        &self,
        data: *mut F::Packing,
        tw: &[F::Packing; R],
        scratch: &mut [F::Packing],
    ) {
        let odd = self.odd;
        let scratch = &mut scratch[..odd * R];
        for (p, out) in scratch.chunks_exact_mut(R).enumerate() {
            // SAFETY: vector `p` of every group of the tile.
            out.copy_from_slice(&transpose(unsafe { load::<F, R>(data.add(p), odd) }));
        }
        for o in 0..odd {
            let mut x: [F::Packing; R] = array::from_fn(|row| scratch[row * odd + o]);
            radix(&mut x, tw);
            for (row, v) in x.into_iter().enumerate() {
                scratch[row * odd + o] = v;
            }
        }
        for (p, x) in scratch.chunks_exact(R).enumerate() {
            let x = transpose::<F::Packing, R>(x.try_into().expect("R vectors"));
            // SAFETY: as for the load.
            unsafe { store::<F, R>(data.add(p), odd, x) };
        }
    }
}

/// # Safety
/// `data` is valid at `R` places `stride` vectors apart.
#[inline(always)]
unsafe fn load<F: Field, const R: usize>(
    data: *const F::Packing,
    stride: usize,
) -> [F::Packing; R] {
    // SAFETY: the caller's contract.
    array::from_fn(|i| unsafe { *data.add(i * stride) })
}

/// # Safety
/// As for [`load`].
#[inline(always)]
unsafe fn store<F: Field, const R: usize>(
    data: *mut F::Packing,
    stride: usize,
    x: [F::Packing; R],
) {
    for (i, v) in x.into_iter().enumerate() {
        // SAFETY: the caller's contract.
        unsafe { *data.add(i * stride) = v };
    }
}

/// Transposes the `R` by `R` matrix of chunks of `WIDTH / R` elements.
#[inline(always)]
fn transpose<P: PackedField, const R: usize>(mut x: [P; R]) -> [P; R] {
    swap::<P, R, 1>(&mut x);
    swap::<P, R, 2>(&mut x);
    swap::<P, R, 4>(&mut x);
    swap::<P, R, 8>(&mut x);
    x
}

/// One stage of [`transpose`], if `STEP < R`: bit `STEP` of the vector's number changes places
/// with the same bit of the chunk's.
#[inline(always)]
fn swap<P: PackedField, const R: usize, const STEP: usize>(x: &mut [P; R]) {
    for i in 0..R {
        if STEP < R && i & STEP == 0 {
            (x[i], x[i + STEP]) = interleave(x[i], x[i + STEP], P::WIDTH / R * STEP);
        }
    }
}

/// All layers of a transform of `R` rows below the heap node 1 of `tw`.
#[inline(always)]
fn radix<P: PackedField, const R: usize>(x: &mut [P; R], tw: &[P; R]) {
    layer::<P, R, 8>(x, tw);
    layer::<P, R, 4>(x, tw);
    layer::<P, R, 2>(x, tw);
    layer::<P, R, 1>(x, tw);
}

/// The layer of [`radix`] with butterflies between rows `HALF` apart, if `HALF < R`.
#[inline(always)]
fn layer<P: PackedField, const R: usize, const HALF: usize>(x: &mut [P; R], tw: &[P; R]) {
    for i in 0..R {
        if HALF < R && i & HALF == 0 {
            let t = tw[(R + i) / (2 * HALF)];
            (x[i], x[i + HALF]) = butterfly(x[i], x[i + HALF], t);
        }
    }
}
