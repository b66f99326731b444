//! The committed polynomial as lanes of consecutive words.
//!
//! Of the `mu` variables the top six are the lane number. A polynomial that is zero from some word
//! on has fewer than 64 lanes; the absent ones are neither stored nor encoded. A row of the
//! interleaved message or codeword holds the present lanes in descending order, so that the
//! absent ones are the leading zeros of a leaf.

use p3_field::PrimeCharacteristicRing;

use crate::K;
use crate::encode::MessageRows;

/// Logarithm of [`LANES`].
pub const LOG_LANES: usize = 6;

/// Lanes of a committed polynomial, the absent ones included.
pub const LANES: usize = 1 << LOG_LANES;

/// Words of the side of a square that is transposed at once.
const SIDE: usize = 8;

/// A polynomial in `mu` variables: its first words, all others being zero.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<'a> {
    words: &'a [K],
    log_rows: usize,
}

impl<'a> Lanes<'a> {
    /// Splits `words`, the first of `2^mu` values, into lanes of `2^(mu - 6)`.
    ///
    /// # Panics
    /// If there is no word, or more than `2^mu`, or `mu < 6`.
    #[must_use]
    pub fn new(words: &'a [K], mu: usize) -> Self {
        assert!(!words.is_empty(), "a polynomial without words");
        assert!(
            mu >= LOG_LANES && (words.len() - 1) >> mu == 0,
            "{} words for 2^{mu} values",
            words.len()
        );
        Self {
            words,
            log_rows: mu - LOG_LANES,
        }
    }

    /// Logarithm of the words of a lane.
    #[must_use]
    pub const fn log_rows(&self) -> usize {
        self.log_rows
    }

    /// Lanes that hold a word; at most [`LANES`].
    #[must_use]
    pub const fn count(&self) -> usize {
        self.words.len().div_ceil(1 << self.log_rows)
    }

    /// Words `from .. to` of a lane, shorter where the polynomial has ended.
    pub(crate) fn part(&self, lane: usize, from: usize, to: usize) -> &'a [K] {
        let start = lane << self.log_rows;
        let clip = |at: usize| (start + at).min(self.words.len());
        &self.words[clip(from)..clip(to)]
    }
}

/// Some lanes as columns of message rows, the highest lane first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneColumns<'a> {
    pub(crate) lanes: Lanes<'a>,
    /// The lowest of the lanes.
    pub(crate) first: usize,
    pub(crate) width: usize,
}

impl MessageRows for LaneColumns<'_> {
    fn width(&self) -> usize {
        self.width
    }

    fn read(&self, first: usize, count: usize, tile: &mut [K], stride: usize) {
        let highest = self.first + self.width - 1;
        for column in (0..self.width).step_by(SIDE) {
            let end = self.width.min(column + SIDE);
            let part = |column: usize| self.lanes.part(highest - column, first, first + count);
            let words: Option<[&[K; SIDE]; SIDE]> = (count == SIDE && end - column == SIDE)
                .then(|| core::array::from_fn(|i| part(column + i).first_chunk()))
                .and_then(all);
            if let Some(words) = words {
                // A square of eight by eight words, a cache line a side.
                for (j, row) in tile.chunks_mut(stride).take(SIDE).enumerate() {
                    let words = core::array::from_fn::<K, SIDE, _>(|i| words[i][j]);
                    row[column..end].copy_from_slice(&words);
                }
                continue;
            }
            for column in column..end {
                let words = part(column)
                    .iter()
                    .copied()
                    .chain(core::iter::repeat(K::ZERO));
                for (row, word) in tile.chunks_mut(stride).take(count).zip(words) {
                    row[column] = word;
                }
            }
        }
    }
}

/// All of several values, if there are all.
fn all<V: Copy, const N: usize>(values: [Option<V>; N]) -> Option<[V; N]> {
    values
        .iter()
        .all(Option::is_some)
        .then(|| values.map(|value| value.expect("checked above")))
}
