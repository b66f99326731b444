//! The prover's side of the conversation, and the bytes of a proof.

use prova_binary_pcs::field::{E, K, PrimeCharacteristicRing, to_bytes};
use prova_binary_pcs::merkle::Digest;
use prova_binary_pcs::opening;
use prova_binary_pcs::stream::Form;
use prova_binary_pcs::transcript::halves;

use crate::cast;
use crate::error::ProveError;
use crate::grind::Grinding;
use crate::oracle::Oracle;

/// The opened rows of one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Phase {
    /// Zero words in front of every row in its leaf.
    zero_words: usize,
    /// Words of a row.
    width: usize,
    /// Rows at the distinct positions, ascending.
    rows: Vec<K>,
    siblings: Vec<Digest>,
    /// For every query in the order of sampling: its row, and its path when it is wanted.
    queries: Vec<(usize, Vec<Digest>)>,
}

/// A transcript together with everything that was sent.
#[derive(Clone, Debug)]
pub struct ProverChannel<T> {
    transcript: T,
    form: Form,
    scalars: Vec<E>,
    phases: Vec<Phase>,
}

impl<T: Grinding> ProverChannel<T> {
    /// A channel for a proof whose openings are written in `form`.
    pub const fn new(transcript: T, form: Form) -> Self {
        Self {
            transcript,
            form,
            scalars: Vec::new(),
            phases: Vec::new(),
        }
    }

    /// Sends a scalar and absorbs it.
    pub fn send(&mut self, value: E) {
        self.scalars.push(value);
        self.transcript.observe(value);
    }

    /// Sends scalars and absorbs them.
    pub fn send_all(&mut self, values: &[E]) {
        values.iter().for_each(|&value| self.send(value));
    }

    /// Sends a digest as two scalars.
    pub fn send_digest(&mut self, digest: &Digest) {
        self.send_all(&halves(digest));
    }

    /// Absorbs a value that the verifier computes.
    pub fn observe(&mut self, value: E) {
        self.transcript.observe(value);
    }

    /// Draws a challenge.
    pub fn sample(&mut self) -> E {
        self.transcript.sample()
    }

    /// Draws `n` challenges.
    pub fn sample_many(&mut self, n: usize) -> Vec<E> {
        (0..n).map(|_| self.sample()).collect()
    }

    /// Sends the smallest nonce that is good for `bits` bits.
    ///
    /// # Errors
    /// [`ProveError::Grinding`] when there is none.
    pub fn grind(&mut self, bits: u32) -> Result<(), ProveError> {
        let nonce = self.transcript.grind(bits)?;
        self.scalars.push(nonce);
        self.transcript.check_grinding(nonce, bits);
        Ok(())
    }

    /// Draws `count` positions below `2^depth`.
    pub fn sample_positions(&mut self, depth: u32, count: usize) -> Vec<u64> {
        opening::sample_positions(|| self.transcript.sample(), depth, count)
    }

    /// Opens an oracle at the queried positions.
    pub(crate) fn open(&mut self, oracle: &Oracle<'_>, queries: &[u64]) {
        let queries: Vec<usize> = queries
            .iter()
            .map(|&p| usize::try_from(p).expect("a position in memory"))
            .collect();
        let mut positions = queries.clone();
        positions.sort_unstable();
        positions.dedup();
        let tree = oracle.tree();
        let query = |position: &usize| {
            let path = match self.form {
                Form::Wire => Vec::new(),
                Form::Raw => tree.siblings(&[*position]),
            };
            (positions.partition_point(|p| p < position), path)
        };
        self.phases.push(Phase {
            zero_words: oracle.zero_words(),
            width: oracle.width(),
            rows: oracle.rows(&positions),
            siblings: tree.siblings(&positions),
            queries: queries.iter().map(query).collect(),
        });
    }

    /// The transcript so far.
    pub const fn transcript(&self) -> &T {
        &self.transcript
    }

    /// The bytes of the proof in the framing of profile `v0`.
    #[must_use]
    pub fn finish(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_count(&mut bytes, self.scalars.len());
        for &scalar in &self.scalars {
            bytes.extend(to_bytes(scalar));
        }
        match self.form {
            Form::Wire => {
                put_count(&mut bytes, self.phases.len());
                self.phases
                    .iter()
                    .for_each(|phase| phase.write_wire(&mut bytes));
            }
            Form::Raw => {
                put_count(
                    &mut bytes,
                    self.phases.iter().map(|phase| phase.queries.len()).sum(),
                );
                self.phases
                    .iter()
                    .for_each(|phase| phase.write_raw(&mut bytes));
            }
        }
        bytes
    }

    /// The bytes of the proof without any count: scalars, then for every level its distinct rows in
    /// ascending order of position and its siblings.
    #[must_use]
    pub fn finish_bare(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self
            .scalars
            .iter()
            .flat_map(|&scalar| to_bytes(scalar))
            .collect();
        for phase in &self.phases {
            bytes.extend(cast::bytes(&phase.rows));
            bytes.extend(phase.siblings.as_flattened());
        }
        bytes
    }
}

impl Phase {
    fn write_wire(&self, bytes: &mut Vec<u8>) {
        put_count(bytes, self.rows.len() / self.width);
        for row in self.rows.chunks_exact(self.width) {
            put_words(bytes, row.len(), row.iter().copied());
        }
        put_digests(bytes, &self.siblings);
    }

    fn write_raw(&self, bytes: &mut Vec<u8>) {
        for (row, path) in &self.queries {
            let row = self.rows.iter().skip(row * self.width).take(self.width);
            let image = std::iter::repeat_n(K::ZERO, self.zero_words).chain(row.copied());
            put_words(bytes, self.zero_words + self.width, image);
            put_digests(bytes, path);
        }
    }
}

fn put_count(bytes: &mut Vec<u8>, count: usize) {
    bytes.extend((count as u64).to_le_bytes());
}

fn put_words(bytes: &mut Vec<u8>, count: usize, words: impl Iterator<Item = K>) {
    put_count(bytes, count);
    words.for_each(|word| bytes.extend(word.to_bits().to_le_bytes()));
}

fn put_digests(bytes: &mut Vec<u8>, digests: &[Digest]) {
    put_count(bytes, digests.len());
    bytes.extend(digests.as_flattened());
}
