//! The verifying key: all that parameters and shape fix.

use crate::error::Malformed;
use crate::field::{BabyBear, KoalaBear, Modulus};
use crate::sponge::{Digest, Permutation, RATE, WIDTH};

/// Version of the key's encoding; it is the first thing that goes into the digest.
pub const KEY_VERSION: u32 = 1;

/// What the capacity of the digest's sponge starts with: `prova/whir-view/key/1`, three bytes a
/// word.
const DOMAIN: [u32; RATE] = {
    let text = b"prova/whir-view/key/1\0\0\0";
    let mut words = [0; RATE];
    let mut i = 0;
    while i < text.len() {
        words[i / 3] |= (text[i] as u32) << (8 * (i % 3));
        i += 1;
    }
    words
};

/// Words of a phase.
const PHASE: usize = 6;

/// Ranges outside which a key is refused, whoever made it: they bound work and memory before a
/// word of the proof is read.
mod limit {
    pub const VARIABLES: u32 = 52;
    pub const COLUMNS: u32 = 1 << 12;
    pub const OPENINGS: u32 = 65_535;
    pub const SAMPLES: u32 = 64;
    pub const PHASES: u32 = 64;
    pub const FOLD: u32 = 10;
    pub const FINAL: usize = 20;
    pub const WORK: u32 = 30;
    pub const DRAWS: u32 = 1 << 16;
    pub const BYTES: u32 = 1 << 20;
}

/// One queried codeword of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Sumcheck rounds before its queries; a row has `2^fold` elements.
    pub fold: usize,
    /// Proof-of-work of each of these rounds, in bits.
    pub fold_pow_bits: usize,
    /// Out-of-domain samples of the codeword committed next; 0 in the last phase.
    pub ood_samples: usize,
    /// Proof-of-work before the queries, in bits.
    pub pow_bits: usize,
    /// Queries, or 0 when every row is opened.
    pub draws: usize,
    /// `log2` of the number of rows.
    pub log_height: usize,
}

impl Phase {
    /// Rows in the proof.
    #[must_use]
    pub const fn rows(&self) -> usize {
        if self.draws == 0 {
            1 << self.log_height
        } else {
            self.draws
        }
    }

    /// The most siblings that the rows can need: at each level no more than the rows, and no more
    /// than half of the nodes.
    #[must_use]
    pub fn max_siblings(&self) -> usize {
        (0..self.log_height)
            .map(|level| self.rows().min((1 << (self.log_height - level)) / 2))
            .fold(0, usize::saturating_add)
    }
}

/// The numbers at the front of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Tag of the base field ([`Modulus::TAG`]).
    pub field: u32,
    /// Degree of the extension, 4 or 5.
    pub degree: u32,
    /// Whether the sumcheck binds the highest index bit first.
    pub prefix_order: bool,
    /// Whether the statement gives the points.
    pub given_points: bool,
    /// Variables of a column.
    pub column_variables: usize,
    /// Columns of the table.
    pub columns: usize,
    /// Variables of the committed polynomial.
    pub variables: usize,
    /// Openings of the statement.
    pub openings: usize,
    /// Out-of-domain samples of the first commitment.
    pub ood_samples: usize,
    /// Number of phases, at least 1.
    pub phases: usize,
    /// Proof-of-work of each round of the closing sumcheck, in bits.
    pub final_pow_bits: usize,
    /// Inputs in the prefix's state that no permutation has seen, below 8.
    pub pending: usize,
    /// Bytes of the params section.
    pub params: usize,
    /// Bytes of the statement's schedule.
    pub schedule: usize,
}

/// A verifying key, borrowed.
///
/// It holds the version, the params section and the schedule (what [`prova_whir`'s transcript]
/// absorbs before the commitment), the numbers derived from them, the state of the transcript
/// behind all of this and behind the seed of the commitment phase, and every later seed, as field
/// elements. The seeds of `p3-whir` and `p3-sumcheck` are Keccak hashes of a rendered description
/// of the run: making them is a good part of a small verification, and none of it depends on the
/// proof.
///
/// **Why the digest need not be absorbed.** Everything in a key is a function of params section
/// and schedule, and the transcript absorbs exactly these two, with their lengths, before anything
/// else. A challenge therefore depends on all that a digest of the key would bind, and no
/// challenge is drawn before it: the first sample comes after the commitment. The digest says which
/// function values were *used*. Nothing in the run ties them to the two strings, so a key means
/// something only to a reader who derives it again ([`VerifyingKey::derive`]) and compares digests;
/// a key that came with a proof is never trusted.
///
/// Encoding: little-endian words, in this order: the 14 [`Numbers`]; the prefix's 16 state words;
/// six words a phase; params and schedule, one byte a word; the seeds, each behind its length: of
/// an out-of-domain sample, of each opening, of the run, of the batching challenge, of each phase's
/// sumcheck, of the closing sumcheck unless it has no rounds. All words are below the modulus,
/// those of state and seeds are elements in Montgomery form.
///
/// [`prova_whir`'s transcript]: https://eprint.iacr.org/2024/1586
/// [`VerifyingKey::derive`]: crate::VerifyingKey::derive
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    words: &'a [u32],
    /// The numbers at the front.
    pub numbers: Numbers,
    /// The transcript's state before the commitment.
    pub prefix: &'a [u32; WIDTH],
    /// The params section, one byte a word.
    pub params: &'a [u32],
    /// The schedule, one byte a word.
    pub schedule: &'a [u32],
    phases: &'a [[u32; PHASE]],
    seeds: Seeds<'a>,
}

struct Reader<'a> {
    words: &'a [u32],
    length: usize,
}

impl<'a> Reader<'a> {
    fn error(&self, what: &'static str) -> Malformed {
        Malformed::Key {
            what,
            offset: self.length - self.words.len(),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u32], Malformed> {
        let (taken, rest) = self
            .words
            .split_at_checked(count)
            .ok_or_else(|| self.error("more words"))?;
        self.words = rest;
        Ok(taken)
    }

    fn number(&mut self, low: u32, high: u32, what: &'static str) -> Result<u32, Malformed> {
        match self.take(1)? {
            [value] if (low..=high).contains(value) => Ok(*value),
            _ => Err(self.error(what)),
        }
    }

    fn size(&mut self, low: u32, high: u32, what: &'static str) -> Result<usize, Malformed> {
        // Every target has pointers of at least 32 bits.
        self.number(low, high, what).map(|value| value as usize)
    }

    fn numbers(&mut self) -> Result<Numbers, Malformed> {
        Ok(Numbers {
            field: self.number(1, 2, "a field tag, 1 or 2")?,
            degree: self.number(4, 5, "an extension degree, 4 or 5")?,
            prefix_order: self.number(1, 2, "an order tag, 1 or 2")? == 2,
            given_points: self.number(1, 2, "a source of points, 1 or 2")? == 2,
            column_variables: self.size(0, limit::VARIABLES, "variables of a column")?,
            columns: self.size(1, limit::COLUMNS, "1 to 4096 columns")?,
            variables: self.size(0, limit::VARIABLES, "at most 52 variables")?,
            openings: self.size(1, limit::OPENINGS, "1 to 65535 openings")?,
            ood_samples: self.size(0, limit::SAMPLES, "at most 64 samples")?,
            phases: self.size(1, limit::PHASES, "1 to 64 phases")?,
            final_pow_bits: self.size(0, limit::WORK, "at most 30 bits of work")?,
            pending: self.size(0, 7, "0 to 7 pending inputs")?,
            params: self.size(0, limit::BYTES, "a length")?,
            schedule: self.size(0, limit::BYTES, "a length")?,
        })
    }
}

impl<'a> Key<'a> {
    /// Reads a key.
    ///
    /// # Errors
    /// [`Malformed::Key`] for a word out of range, missing words, or numbers that do not fit one
    /// another. A key that passes can still be any key: compare its digest.
    pub fn parse(words: &'a [u32]) -> Result<Self, Malformed> {
        let mut reader = Reader {
            words,
            length: words.len(),
        };
        let numbers = reader.numbers()?;
        let (modulus, two_adicity) = if numbers.field == u32::from(BabyBear::TAG) {
            (BabyBear::P, BabyBear::TWO_ADICITY)
        } else {
            (KoalaBear::P, KoalaBear::TWO_ADICITY)
        };
        if words.iter().any(|&word| word >= modulus) {
            return Err(reader.error("words below the modulus"));
        }
        let prefix = reader.take(WIDTH)?;
        let phases = reader.take(PHASE * numbers.phases)?;
        let params = reader.take(numbers.params)?;
        let schedule = reader.take(numbers.schedule)?;
        let key = Self {
            words,
            numbers,
            prefix: prefix
                .first_chunk()
                .ok_or_else(|| reader.error("16 state words"))?,
            phases: phases.as_chunks().0,
            params,
            schedule,
            seeds: Seeds { rest: reader.words },
        };
        key.check(two_adicity).map_err(|what| reader.error(what))?;
        Ok(key)
    }

    fn check(&self, two_adicity: usize) -> Result<(), &'static str> {
        let mut folded = 0;
        for &[fold, fold_pow, samples, pow, draws, log_height] in self.phases {
            let fits = (1..=limit::FOLD).contains(&fold)
                && fold_pow <= limit::WORK
                && samples <= limit::SAMPLES
                && pow <= limit::WORK
                && draws <= limit::DRAWS
                && log_height as usize <= two_adicity;
            if !fits {
                return Err("numbers of a phase in range");
            }
            folded += fold as usize;
        }
        let columns = self.numbers.columns.next_power_of_two();
        let stacked = self.numbers.column_variables + columns.trailing_zeros() as usize;
        if stacked != self.numbers.variables || folded > stacked {
            return Err("as many variables as columns and phases have");
        }
        if stacked - folded > limit::FINAL {
            return Err("at most 20 variables of the final polynomial");
        }
        Ok(())
    }

    /// The words of the key.
    #[must_use]
    pub const fn words(&self) -> &'a [u32] {
        self.words
    }

    /// The phases, in order.
    pub fn phases(&self) -> impl ExactSizeIterator<Item = Phase> + Clone + 'a {
        self.phases.iter().map(|words| {
            let [
                fold,
                fold_pow_bits,
                ood_samples,
                pow_bits,
                draws,
                log_height,
            ] = words.map(|word| word as usize);
            Phase {
                fold,
                fold_pow_bits,
                ood_samples,
                pow_bits,
                draws,
                log_height,
            }
        })
    }

    /// The seeds, in order.
    #[must_use]
    pub const fn seeds(&self) -> Seeds<'a> {
        self.seeds
    }

    /// Variables that no phase folds: those of the final polynomial.
    #[must_use]
    pub fn final_variables(&self) -> usize {
        let folded = self.phases().map(|phase| phase.fold).sum();
        self.numbers.variables.saturating_sub(folded)
    }

    /// The digest of the key: Poseidon2 in the overwriting sponge with rate 8, over version, number
    /// of words and words, with zeros up to a multiple of 8; the capacity starts as a domain tag.
    ///
    /// A key is made of field elements of the run, so the hash of the run takes them as they are;
    /// Keccak would cost a machine that proves this computation two hundred times as much a block.
    #[must_use]
    pub fn digest<M: Modulus, P: Permutation>(&self, permutation: &P) -> Digest {
        let mut state = [0; WIDTH];
        let (rate, capacity) = state.split_at_mut(RATE);
        capacity.copy_from_slice(&DOMAIN);
        if let [version, length, ..] = rate {
            (*version, *length) = (KEY_VERSION, self.words.len() as u32);
        }
        permutation.permute::<M>(&mut state);
        let (blocks, rest) = self.words.as_chunks::<RATE>();
        for block in blocks {
            if let Some(rate) = state.first_chunk_mut::<RATE>() {
                *rate = *block;
            }
            permutation.permute::<M>(&mut state);
        }
        if !rest.is_empty() {
            let mut block = [0; RATE];
            for (slot, &word) in block.iter_mut().zip(rest) {
                *slot = word;
            }
            if let Some(rate) = state.first_chunk_mut::<RATE>() {
                *rate = block;
            }
            permutation.permute::<M>(&mut state);
        }
        *state.first_chunk().unwrap_or(&[0; RATE])
    }
}

/// The seeds of a key that are left.
#[derive(Clone, Copy, Debug)]
pub struct Seeds<'a> {
    rest: &'a [u32],
}

impl<'a> Seeds<'a> {
    /// The next seed.
    ///
    /// # Errors
    /// [`Malformed::Key`] when the key holds no whole seed any more.
    pub fn take(&mut self) -> Result<&'a [u32], Malformed> {
        let missing = Malformed::Key {
            what: "another seed",
            offset: 0,
        };
        let Some((&length, rest)) = self.rest.split_first() else {
            return Err(missing);
        };
        let (seed, rest) = rest.split_at_checked(length as usize).ok_or(missing)?;
        self.rest = rest;
        Ok(seed)
    }

    /// Checks that no seed is left.
    ///
    /// # Errors
    /// [`Malformed::Key`] otherwise.
    pub const fn finish(&self) -> Result<(), Malformed> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Malformed::Key {
                what: "no further seed",
                offset: 0,
            })
        }
    }
}
