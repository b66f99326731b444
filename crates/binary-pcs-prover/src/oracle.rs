//! Oracles of the ladder: the tree over a codeword, and rows of the codeword on demand.

use std::borrow::Cow;

use p3_field::PrimeCharacteristicRing;
use prova_binary_pcs::merkle::Digest;
use rayon::prelude::*;

use crate::encode::{Encoder, MessageRows, RowMajor};
use crate::lanes::{LANES, LaneColumns, Lanes};
use crate::merkle::{Tree, hash_rows};
use crate::{E, K, cast};

/// Words of a row of a later oracle: eight lanes of three words.
pub(crate) const ELEMENT_ROW: usize = 24;

/// Lanes that are encoded together when rows are made again.
pub(crate) const COLUMN_GROUP: usize = 8;

/// What an oracle encodes.
#[derive(Clone, Debug)]
pub(crate) enum Message<'a> {
    /// The committed words: a column a present lane.
    Words(Lanes<'a>),
    /// A folded polynomial: eight consecutive elements a row.
    Elements(Cow<'a, [E]>),
}

impl Message<'_> {
    fn width(&self) -> usize {
        match self {
            Self::Words(lanes) => lanes.count(),
            Self::Elements(_) => ELEMENT_ROW,
        }
    }

    fn zero_words(&self) -> usize {
        match self {
            Self::Words(lanes) => LANES - lanes.count(),
            Self::Elements(_) => 0,
        }
    }

    /// Logarithm of the rows.
    fn log_len(&self) -> usize {
        match self {
            Self::Words(lanes) => lanes.log_rows(),
            Self::Elements(elements) => (elements.len() / 8).ilog2() as usize,
        }
    }

    /// Columns to encode together when not all need to be.
    fn column_group(&self) -> usize {
        match self {
            Self::Words(_) => COLUMN_GROUP,
            Self::Elements(_) => ELEMENT_ROW,
        }
    }

    /// Some columns of the message, from column `first` on.
    fn columns(&self, first: usize, width: usize) -> Columns<'_> {
        match self {
            Self::Words(lanes) => Columns::Lanes(LaneColumns {
                lanes: *lanes,
                first: lanes.count() - first - width,
                width,
            }),
            Self::Elements(elements) => Columns::Rows(RowMajor {
                words: cast::words(elements),
                width: ELEMENT_ROW,
            }),
        }
    }
}

/// Columns of either kind of message.
enum Columns<'a> {
    Lanes(LaneColumns<'a>),
    Rows(RowMajor<'a>),
}

impl MessageRows for Columns<'_> {
    fn width(&self) -> usize {
        match self {
            Self::Lanes(lanes) => lanes.width(),
            Self::Rows(rows) => rows.width(),
        }
    }

    fn read(&self, first: usize, count: usize, tile: &mut [K], stride: usize) {
        match self {
            Self::Lanes(lanes) => lanes.read(first, count, tile, stride),
            Self::Rows(rows) => rows.read(first, count, tile, stride),
        }
    }
}

/// A committed message.
#[derive(Clone, Debug)]
pub(crate) struct Oracle<'a> {
    source: Source<'a>,
    encoder: Encoder,
    tree: Tree,
    width: usize,
    zero_words: usize,
}

/// Where opened rows come from.
#[derive(Clone, Debug)]
enum Source<'a> {
    /// All rows.
    Codeword(Vec<K>),
    /// The message, to be encoded again.
    Message(Message<'a>),
}

impl<'a> Oracle<'a> {
    /// Encodes and hashes a message and keeps the codeword.
    pub(crate) fn keeping_codeword(message: &Message<'_>, log_inv_rate: usize) -> Self {
        let encoder = Encoder::new(message.log_len(), log_inv_rate);
        let (width, zero_words) = (message.width(), message.zero_words());
        let len = width << encoder.log_len();
        let mut rows = prova_pages::large(K::zero_vec(len << log_inv_rate));
        let columns = message.columns(0, width);
        rows.par_chunks_exact_mut(len)
            .enumerate()
            .for_each(|(coset, rows)| encoder.encode_coset(&columns, coset, rows));
        let mut leaves = prova_pages::filled(Digest::default(), 1 << encoder.log_domain());
        hash_rows(&rows, width, zero_words, &mut leaves);
        Self {
            source: Source::Codeword(rows),
            encoder,
            tree: Tree::new(leaves),
            width,
            zero_words,
        }
    }

    /// Encodes and hashes a message one coset at a time and keeps the message.
    pub(crate) fn keeping_message(message: Message<'a>, log_inv_rate: usize) -> Self {
        let encoder = Encoder::new(message.log_len(), log_inv_rate);
        let (width, zero_words) = (message.width(), message.zero_words());
        let mut leaves = prova_pages::filled(Digest::default(), 1 << encoder.log_domain());
        let mut rows = prova_pages::large(K::zero_vec(width << encoder.log_len()));
        let cosets = leaves.chunks_exact_mut(1 << encoder.log_len());
        for (coset, leaves) in cosets.enumerate() {
            encoder.encode_coset(&message.columns(0, width), coset, &mut rows);
            hash_rows(&rows, width, zero_words, leaves);
        }
        drop(rows);
        Self {
            source: Source::Message(message),
            encoder,
            tree: Tree::new(leaves),
            width,
            zero_words,
        }
    }

    pub(crate) const fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Words of a row.
    pub(crate) const fn width(&self) -> usize {
        self.width
    }

    /// Zero words in front of every row in its leaf.
    pub(crate) const fn zero_words(&self) -> usize {
        self.zero_words
    }

    /// The rows at ascending positions, one after the other.
    pub(crate) fn rows(&self, positions: &[usize]) -> Vec<K> {
        let mut opened = K::zero_vec(self.width * positions.len());
        match &self.source {
            Source::Codeword(codeword) => {
                for (row, &position) in opened.chunks_exact_mut(self.width).zip(positions) {
                    row.copy_from_slice(&codeword[position * self.width..][..self.width]);
                }
            }
            Source::Message(message) => self.encode_rows(message, positions, &mut opened),
        }
        opened
    }

    /// Encodes a few columns at a time, as far as the opened rows need them.
    fn encode_rows(&self, message: &Message<'_>, positions: &[usize], opened: &mut [K]) {
        let group = message.column_group().min(self.width);
        let log_len = self.encoder.log_len();
        let mut rows = prova_pages::large(K::zero_vec(group << log_len));
        for first in (0..self.width).step_by(group) {
            let columns = group.min(self.width - first);
            let rows = &mut rows[..columns << log_len];
            let mut opened: Vec<&mut [K]> = opened
                .chunks_exact_mut(self.width)
                .map(|row| &mut row[first..first + columns])
                .collect();
            let mut opened = opened.as_mut_slice();
            for coset in positions.chunk_by(|a, b| a >> log_len == b >> log_len) {
                let (here, rest) = opened.split_at_mut(coset.len());
                let columns = message.columns(first, columns);
                let number = coset[0] >> log_len;
                self.encoder
                    .rows_of_coset(&columns, number, coset, rows, here);
                opened = rest;
            }
        }
    }
}
