//! The bytes of a proof: scalars, then Merkle openings.
//!
//! Integers are little-endian `u64`s, a list is its length followed by its elements, a scalar is 24
//! bytes. Two forms have the same scalars:
//!
//! * [`Form::Wire`]: one phase a level with the distinct rows in ascending order of position, short
//!   of their leading zero words, and the siblings of the pruned tree.
//! * [`Form::Raw`]: one entry a query in the order of sampling, each a full leaf image with its path.
//!
//! [`Proof::parse`] walks over everything once and allocates nothing. The counts themselves are
//! compared with derived ones when a level is opened.
//!
//! A *bare* body, [`bare`], is the wire form without any count: a reader derives every length. Its
//! bytes are those of profile `v1`, and one proof has one encoding.

use alloc::vec::Vec;

use prova_proof_file::{Section, Tape, TapeError};

use crate::error::Malformed;
use crate::field::{E, E_BYTES, from_bytes, to_limbs};
use crate::transcript::Transcript;

/// Bytes of a word, and of a written count.
const WORD: usize = 8;

/// How Merkle openings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Pruned: what is sent.
    Wire,
    /// One full path a query: what a recursive verifier reads.
    Raw,
}

/// The parts of a well-formed proof body, borrowed.
#[derive(Clone, Debug)]
pub struct Proof<'a> {
    form: Form,
    scalars: Tape<'a>,
    scalar_count: usize,
    openings: Tape<'a>,
    len: usize,
}

impl<'a> Proof<'a> {
    /// Splits a body and checks that its counts fit its bytes, to the last byte.
    ///
    /// # Errors
    /// A count larger than the bytes left allow, a body that ends early, bytes left over.
    pub fn parse(form: Form, body: &'a [u8]) -> Result<Self, TapeError> {
        let mut tape = Tape::new(Section::Body, body);
        let scalar_count = read_count(&mut tape, E_BYTES)?;
        let start = tape.position();
        tape.bytes(scalar_count.saturating_mul(E_BYTES))?;
        // A tape that ends with the scalars, and whose offsets count from the start of the body.
        let scalars_end = body.len().saturating_sub(tape.remaining());
        let mut scalars = Tape::new(Section::Body, body.get(..scalars_end).unwrap_or_default());
        scalars.bytes(start)?;
        let openings = tape.clone();
        match form {
            Form::Wire => skip_wire(&mut tape)?,
            Form::Raw => skip_raw(&mut tape)?,
        }
        tape.finish()?;
        Ok(Self {
            form,
            scalars,
            scalar_count,
            openings,
            len: body.len(),
        })
    }

    /// Parses a body of either form.
    ///
    /// # Errors
    /// What is wrong with the body as [`Form::Wire`], when it is neither.
    pub fn detect(body: &'a [u8]) -> Result<Self, TapeError> {
        Self::parse(Form::Wire, body).or_else(|wire| Self::parse(Form::Raw, body).map_err(|_| wire))
    }

    /// The form of the openings.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    /// Number of scalars.
    #[must_use]
    pub const fn scalar_count(&self) -> usize {
        self.scalar_count
    }

    /// Bytes of the whole body.
    #[must_use]
    pub const fn byte_len(&self) -> usize {
        self.len
    }

    /// A channel that reads the scalars, and the openings that go with them.
    #[must_use]
    pub fn channel<T>(&self, transcript: T) -> (Channel<'a, T>, Openings<'a>) {
        let channel = Channel {
            transcript,
            scalars: self.scalars.clone(),
            short_nonces: false,
        };
        let openings = Openings {
            form: self.form,
            counted: true,
            tape: self.openings.clone(),
        };
        (channel, openings)
    }
}

/// Splits a bare body: `scalar_count` scalars, a count that the verifier derived, and then for
/// every level the distinct rows in ascending order of position and the siblings of the pruned
/// tree. Nothing is allocated.
///
/// # Errors
/// [`TapeError::Exhausted`] when the body ends inside its scalars.
pub fn bare<T>(
    transcript: T,
    scalar_count: usize,
    body: &[u8],
) -> Result<(Channel<'_, T>, Openings<'_>), TapeError> {
    let mut openings = Tape::new(Section::Body, body);
    let scalars = openings.bytes(scalar_count.saturating_mul(E_BYTES))?;
    let channel = Channel {
        transcript,
        scalars: Tape::new(Section::Body, scalars),
        short_nonces: true,
    };
    let openings = Openings {
        form: Form::Wire,
        counted: false,
        tape: openings,
    };
    Ok((channel, openings))
}

/// The Merkle openings of a proof, read level by level by [`crate::merkle`].
#[derive(Clone, Debug)]
pub struct Openings<'a> {
    pub(crate) form: Form,
    /// Whether lists begin with their lengths.
    counted: bool,
    pub(crate) tape: Tape<'a>,
}

impl Openings<'_> {
    /// Reads the count in front of the openings: `levels` phases, or `queries` entries.
    ///
    /// # Errors
    /// Another count.
    pub fn begin(&mut self, levels: usize, queries: usize) -> Result<(), Malformed> {
        match self.form {
            Form::Wire => self.expect_count("opening phases", levels),
            Form::Raw => self.expect_count("openings", queries),
        }
    }

    /// Reads a count that the verifier derived, where there is one.
    pub(crate) fn expect_count(
        &mut self,
        what: &'static str,
        expected: usize,
    ) -> Result<(), Malformed> {
        if !self.counted {
            return Ok(());
        }
        let offset = self.tape.position();
        let got = self.tape.u64()?;
        if usize::try_from(got) == Ok(expected) {
            return Ok(());
        }
        Err(Malformed::Count {
            what,
            offset,
            expected,
            got,
        })
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// [`TapeError::Trailing`] when bytes are left.
    pub fn finish(self) -> Result<(), TapeError> {
        self.tape.finish()
    }
}

/// The verifier's side of the conversation: scalars are read from the proof and absorbed at once.
#[derive(Clone, Debug)]
pub struct Channel<'a, T> {
    transcript: T,
    scalars: Tape<'a>,
    /// Whether nonces are below `2^64`.
    short_nonces: bool,
}

impl<T: Transcript> Channel<'_, T> {
    /// Reads a scalar and absorbs it.
    ///
    /// # Errors
    /// [`TapeError::Exhausted`], as for the other readers.
    pub fn read(&mut self) -> Result<E, TapeError> {
        let value = self.read_silently()?;
        self.transcript.observe(value);
        Ok(value)
    }

    /// Reads and absorbs `N` scalars.
    ///
    /// # Errors
    /// [`TapeError::Exhausted`].
    pub fn read_array<const N: usize>(&mut self) -> Result<[E; N], TapeError> {
        let mut values = [E::default(); N];
        for value in &mut values {
            *value = self.read()?;
        }
        Ok(values)
    }

    /// Reads and absorbs `n` scalars; `n` is derived, and nothing is reserved for scalars that are
    /// not there.
    ///
    /// # Errors
    /// [`TapeError::Exhausted`].
    pub fn read_many(&mut self, n: usize) -> Result<Vec<E>, TapeError> {
        (0..n).map(|_| self.read()).collect()
    }

    /// Reads and absorbs an integer below 2^64.
    ///
    /// # Errors
    /// [`TapeError::Exhausted`]; [`TapeError::Invalid`] when a higher limb is not zero or the
    /// integer is not in `range`, which `expected` says in words.
    pub fn read_integer(
        &mut self,
        range: core::ops::RangeInclusive<u32>,
        expected: &'static str,
    ) -> Result<u32, TapeError> {
        let offset = self.scalars.position();
        let value = self.read()?;
        let value = self.short(offset, value)?;
        u32::try_from(value)
            .ok()
            .filter(|value| range.contains(value))
            .ok_or_else(|| self.scalars.invalid(offset, expected, value))
    }

    /// Reads and absorbs a digest: two scalars whose third limbs are zero.
    ///
    /// # Errors
    /// [`TapeError::Exhausted`]; [`TapeError::Invalid`] for a third limb that is not zero.
    pub fn read_digest(&mut self) -> Result<[u8; 32], TapeError> {
        let mut digest = [0; 32];
        for half in digest.as_chunks_mut::<16>().0 {
            let offset = self.scalars.position();
            let [low, high, third] = to_limbs(self.read()?);
            if third != 0 {
                let expected = "half a digest, whose third limb is zero";
                return Err(self.scalars.invalid(offset, expected, third));
            }
            *half = (u128::from(high) << 64 | u128::from(low)).to_le_bytes();
        }
        Ok(digest)
    }

    /// Reads a grinding nonce, absorbs it as one and says whether it is good for `bits` bits.
    ///
    /// # Errors
    /// [`TapeError::Exhausted`]; in a bare body [`TapeError::Invalid`] when a higher limb is not
    /// zero.
    pub fn read_grinding(&mut self, bits: u32) -> Result<bool, TapeError> {
        let offset = self.scalars.position();
        let nonce = self.read_silently()?;
        if self.short_nonces {
            self.short(offset, nonce)?;
        }
        Ok(self.transcript.check_grinding(nonce, bits))
    }

    /// Absorbs a value that the verifier computed.
    pub fn observe(&mut self, value: E) {
        self.transcript.observe(value);
    }

    /// Draws a challenge.
    pub fn sample(&mut self) -> E {
        self.transcript.sample()
    }

    /// Draws `n` challenges; `n` is derived.
    pub fn sample_many(&mut self, n: usize) -> Vec<E> {
        (0..n).map(|_| self.sample()).collect()
    }

    /// The transcript so far.
    pub const fn transcript(&self) -> &T {
        &self.transcript
    }

    /// Scalars that were not read yet.
    #[must_use]
    pub const fn remaining(&self) -> usize {
        self.scalars.remaining() / E_BYTES
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// [`TapeError::Trailing`] when scalars are left.
    pub fn finish(self) -> Result<(), TapeError> {
        self.scalars.finish()
    }

    fn read_silently(&mut self) -> Result<E, TapeError> {
        self.scalars.array().map(|bytes| from_bytes(&bytes))
    }

    /// The integer below `2^64` that a scalar at `offset` is.
    fn short(&self, offset: usize, value: E) -> Result<u64, TapeError> {
        let [value, high1, high2] = to_limbs(value);
        if (high1, high2) == (0, 0) {
            return Ok(value);
        }
        let limb = if high1 == 0 { high2 } else { high1 };
        let expected = "an integer whose second and third limbs are zero";
        Err(self.scalars.invalid(offset, expected, limb))
    }
}

/// Reads the length of a list whose elements take at least `least` bytes each.
fn read_count(tape: &mut Tape<'_>, least: usize) -> Result<usize, TapeError> {
    let offset = tape.position();
    let got = tape.u64()?;
    usize::try_from(got)
        .ok()
        .filter(|&count| {
            count
                .checked_mul(least)
                .is_some_and(|bytes| bytes <= tape.remaining())
        })
        .ok_or_else(|| tape.invalid(offset, "the length of a list that fits the bytes left", got))
}

/// Walks over a list of elements of `size` bytes.
fn skip_list(tape: &mut Tape<'_>, size: usize) -> Result<(), TapeError> {
    let count = read_count(tape, size)?;
    tape.bytes(count.saturating_mul(size)).map(|_| ())
}

fn skip_wire(tape: &mut Tape<'_>) -> Result<(), TapeError> {
    for _phase in 0..read_count(tape, 2 * WORD)? {
        for _row in 0..read_count(tape, WORD)? {
            skip_list(tape, WORD)?;
        }
        skip_list(tape, crate::merkle::DIGEST_BYTES)?;
    }
    Ok(())
}

fn skip_raw(tape: &mut Tape<'_>) -> Result<(), TapeError> {
    for _entry in 0..read_count(tape, 2 * WORD)? {
        skip_list(tape, WORD)?;
        skip_list(tape, crate::merkle::DIGEST_BYTES)?;
    }
    Ok(())
}
