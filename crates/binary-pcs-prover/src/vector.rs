//! Vectors over E: equality weights, inner products, folds and round messages, in packed arithmetic.
//!
//! Work is cut into pieces of fixed size, and sums are exclusive ors, so the number of threads
//! changes nothing in the results.

use p3_field::{Algebra, ExtensionField, Field, PackedFieldExtension, PackedValue};
use p3_field::{PrimeCharacteristicRing, dot_product};
use rayon::prelude::*;

use crate::{E, K};

/// Several words.
pub(crate) type PackedK = <K as Field>::Packing;

/// Several elements, one register a coefficient.
pub(crate) type PackedE = <E as ExtensionField<K>>::ExtensionPacking;

/// Elements of a packing.
pub(crate) const WIDTH: usize = PackedK::WIDTH;

/// Entries of one piece of parallel work.
pub(crate) const PIECE: usize = 1 << 12;

/// A vector of zeros.
pub(crate) fn zeros(len: usize) -> Vec<E> {
    prova_pages::large(E::zero_vec(len))
}

/// The equality weights of a point times `scale`: entry `i` is
/// `scale prod_k (bit_k(i) ? p_k : 1 + p_k)`.
pub(crate) fn eq_table(point: &[E], scale: E) -> Vec<E> {
    let mut table = zeros(1 << point.len());
    table[0] = scale;
    for (k, &coordinate) in point.iter().enumerate() {
        let (low, high) = table[..2 << k].split_at_mut(1 << k);
        high.par_chunks_mut(PIECE)
            .zip(low.par_chunks_mut(PIECE))
            .for_each(|(high, low)| scale_and_split(low, high, coordinate));
    }
    table
}

/// `high = low r`, then `low = low (1 + r)`.
fn scale_and_split(low: &mut [E], high: &mut [E], r: E) {
    let packed = PackedE::from(r);
    let mut lows = low.chunks_exact_mut(WIDTH);
    let mut highs = high.chunks_exact_mut(WIDTH);
    for (low, high) in lows.by_ref().zip(highs.by_ref()) {
        let whole = load(low);
        let upper = whole * packed;
        store(upper, high);
        store(whole + upper, low);
    }
    for (low, high) in lows.into_remainder().iter_mut().zip(highs.into_remainder()) {
        *high = *low * r;
        *low += *high;
    }
}

/// `to += scale from`, entry by entry.
pub(crate) fn add_scaled(to: &mut [E], from: &[E], scale: E) {
    let packed = PackedE::from(scale);
    to.par_chunks_mut(PIECE)
        .zip(from.par_chunks(PIECE))
        .for_each(|(to, from)| {
            let mut tos = to.chunks_exact_mut(WIDTH);
            let froms = from.chunks_exact(WIDTH);
            let rest = froms.remainder();
            for (to, from) in tos.by_ref().zip(froms) {
                let sum = load(to) + load(from) * packed;
                store(sum, to);
            }
            for (to, &from) in tos.into_remainder().iter_mut().zip(rest) {
                *to += from * scale;
            }
        });
}

/// `sum_i a_i b_i`.
pub(crate) fn dot(a: &[E], b: &[E]) -> E {
    a.par_chunks(PIECE)
        .zip(b.par_chunks(PIECE))
        .map(|(a, b)| {
            let (a, b) = (a.chunks_exact(2 * WIDTH), b.chunks_exact(2 * WIDTH));
            let rest = dot_product::<E, _, _>(
                a.remainder().iter().copied(),
                b.remainder().iter().copied(),
            );
            let sum = a.zip(b).fold(PackedE::ZERO, |sum, (a, b)| {
                sum + PackedE::dot_product(&halves(a), &halves(b))
            });
            rest + sum_lanes(sum)
        })
        .reduce(|| E::ZERO, |a, b| a + b)
}

/// Folds the lowest variable: entry `i` is `v_{2i} + r (v_{2i} + v_{2i+1})`.
pub(crate) fn fold(values: &[E], r: E) -> Vec<E> {
    let packed = PackedE::from(r);
    let mut folded = zeros(values.len() / 2);
    folded
        .par_chunks_mut(PIECE)
        .zip(values.par_chunks(2 * PIECE))
        .for_each(|(folded, values)| {
            let mut outs = folded.chunks_exact_mut(WIDTH);
            let pairs = values.chunks_exact(2 * WIDTH);
            let rest = pairs.remainder();
            for (out, values) in outs.by_ref().zip(pairs) {
                let (even, odd) = even_odd(values);
                store(even + (even + odd) * packed, out);
            }
            for (out, pair) in outs.into_remainder().iter_mut().zip(rest.chunks_exact(2)) {
                *out = pair[0] + (pair[0] + pair[1]) * r;
            }
        });
    folded
}

/// `c0, c2` of the round polynomial of `sum_i a_i b_i` in the lowest variable.
pub(crate) fn round(a: &[E], b: &[E]) -> [E; 2] {
    a.par_chunks(PIECE)
        .zip(b.par_chunks(PIECE))
        .map(|(a, b)| {
            let (a, b) = (a.chunks_exact(2 * WIDTH), b.chunks_exact(2 * WIDTH));
            let mut sums = [E::ZERO; 2];
            let rests = a
                .remainder()
                .chunks_exact(2)
                .zip(b.remainder().chunks_exact(2));
            for (a, b) in rests {
                sums[0] += a[0] * b[0];
                sums[1] += (a[0] + a[1]) * (b[0] + b[1]);
            }
            let mut packed = [PackedE::ZERO; 2];
            for (a, b) in a.zip(b) {
                let ((a0, a1), (b0, b1)) = (even_odd(a), even_odd(b));
                packed[0] += a0 * b0;
                packed[1] += (a0 + a1) * (b0 + b1);
            }
            [
                sums[0] + sum_lanes(packed[0]),
                sums[1] + sum_lanes(packed[1]),
            ]
        })
        .reduce(|| [E::ZERO; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
}

/// `sum_i weights_i words_i`, the weights packed.
#[inline]
pub(crate) fn mixed_dot(weights: &[PackedE], words: &[PackedK]) -> PackedE {
    let (weights, words) = (weights.chunks_exact(8), words.chunks_exact(8));
    let rest = weights.remainder().iter().zip(words.remainder());
    let sum = rest.fold(PackedE::ZERO, |sum, (&weight, &word)| sum + weight * word);
    weights.zip(words).fold(sum, |sum, (weights, words)| {
        let weights: &[PackedE; 8] = weights.try_into().expect("eight weights");
        let words: &[PackedK; 8] = words.try_into().expect("eight words");
        sum + PackedE::mixed_dot_product(weights, words)
    })
}

// On targets without packings an element is its own packing, by two implementations of the trait:
// the conversions name the one that is meant.

/// The packing of as many elements as it has lanes.
#[inline]
pub(crate) fn load(elements: &[E]) -> PackedE {
    <PackedE as PackedFieldExtension<K, E>>::from_ext_slice(elements)
}

/// Writes the elements of a packing.
#[inline]
pub(crate) fn store(packed: PackedE, elements: &mut [E]) {
    <PackedE as PackedFieldExtension<K, E>>::to_ext_slice(&packed, elements);
}

#[inline]
fn from_fn(f: impl Fn(usize) -> E) -> PackedE {
    <PackedE as PackedFieldExtension<K, E>>::from_ext_fn(f)
}

/// The sum of the elements of a packing.
pub(crate) fn sum_lanes(packed: PackedE) -> E {
    let mut lanes = [E::ZERO; WIDTH];
    store(packed, &mut lanes);
    lanes.into_iter().sum()
}

fn halves(values: &[E]) -> [PackedE; 2] {
    let (low, high) = values.split_at(WIDTH);
    [load(low), load(high)]
}

fn even_odd(values: &[E]) -> (PackedE, PackedE) {
    (from_fn(|i| values[2 * i]), from_fn(|i| values[2 * i + 1]))
}

/// `to = scale from` for a word as scale.
pub(crate) fn scale_by_word(from: &[E], to: &mut [E], scale: K) {
    let packed = PackedK::from(scale);
    to.par_chunks_mut(PIECE)
        .zip(from.par_chunks(PIECE))
        .for_each(|(to, from)| {
            let mut tos = to.chunks_exact_mut(WIDTH);
            let froms = from.chunks_exact(WIDTH);
            let rest = froms.remainder();
            for (to, from) in tos.by_ref().zip(froms) {
                store(load(from) * packed, to);
            }
            for (to, &from) in tos.into_remainder().iter_mut().zip(rest) {
                *to = from * scale;
            }
        });
}

/// The transposed butterfly of the encoding: `(a, b)` becomes `(a + b, t (a + b) + b)`.
pub(crate) fn transposed_butterfly(low: &mut [E], high: &mut [E], t: K) {
    let packed = PackedK::from(t);
    low.par_chunks_mut(PIECE)
        .zip(high.par_chunks_mut(PIECE))
        .for_each(|(low, high)| {
            let mut lows = low.chunks_exact_mut(WIDTH);
            let mut highs = high.chunks_exact_mut(WIDTH);
            for (low, high) in lows.by_ref().zip(highs.by_ref()) {
                let upper = load(high);
                let sum = load(low) + upper;
                store(sum, low);
                store(sum * packed + upper, high);
            }
            let highs = highs.into_remainder();
            for (low, high) in lows.into_remainder().iter_mut().zip(highs) {
                *low += *high;
                *high += *low * t;
            }
        });
}
