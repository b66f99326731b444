//! The verifying key: everything that depends on the constraints, their height and the parameters,
//! and nothing that depends on a proof.
//!
//! A key is little-endian words:
//!
//! | words | field |
//! |---|---|
//! | 8 | `prova-stark-verifying-key/1`, zeros: format, version, and the domain of its digest |
//! | 8 | name and version of the constraints, zeros |
//! | 1 | words of the whole key |
//! | 16 | the numbers of [`Params`], in the order of its fields |
//! | 8 a node | preprocessed commitment, if there are preprocessed columns |
//! | | seeds of the transcripts of the STARK, the openings and the folding, as they are observed |
//! | | zeros up to a multiple of four words |
//!
//! Its digest is Keccak-256 of all of it. A transcript starts with that digest, so a proof holds for
//! one key only, and a guest commits it, so that whoever reads the guest's output can compare it
//! with the digest of a key that they derived themselves. A key that came with a proof says nothing.

use alloc::vec::Vec;

use crate::error::Malformed;
use prova_hash::shape::MerkleHash;

use crate::Digest;
use crate::params::{PARAM_WORDS, Params, Shape};
use crate::tape::{as_words, split};

/// The first eight words: format, version and domain of the digest.
pub const KEY_TAG: [u8; 32] = *b"prova-stark-verifying-key/1\0\0\0\0\0";

/// Words before the parts whose length depends on the parameters.
const FIXED_WORDS: usize = 8 + 8 + 1 + PARAM_WORDS;

/// A verifying key, read in place.
#[derive(Clone, Debug)]
pub struct Key<'a> {
    words: &'a [u32],
    air: &'a [u32],
    pub(crate) shape: Shape,
    pub(crate) preprocessed: &'a [u32],
    /// Seeds of the transcripts of the STARK, of the openings, of the folding.
    pub(crate) seeds: [&'a [u32]; 3],
}

impl<'a> Key<'a> {
    /// Reads the key at the start of `bytes`, and returns what stands behind it.
    ///
    /// # Errors
    ///
    /// [`Malformed`], if it is not a key, has numbers out of range or another length than they
    /// make it.
    pub fn parse_prefix(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let total = bytes
            .get(4 * 16..)
            .and_then(|rest| rest.first_chunk())
            .map(|word| u32::from_le_bytes(*word))
            .and_then(|words| usize::try_from(words).ok()?.checked_mul(4))
            .ok_or(Malformed::NotAKey)?;
        let (key, rest) = bytes.split_at_checked(total).ok_or(Malformed::NotAKey)?;
        Ok((Self::parse(key)?, rest))
    }

    /// Reads a key.
    ///
    /// # Errors
    ///
    /// As of [`Self::parse_prefix`].
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let words = as_words("verifying key", bytes)?;
        let mut rest = words;
        let mut take = |count| split(&mut rest, count).ok_or(Malformed::NotAKey);
        let tag = take(8)?;
        if bytemuck::cast_slice::<u32, u8>(tag) != KEY_TAG {
            return Err(Malformed::NotAKey);
        }
        let air = take(8)?;
        let stated = take(1)?;
        let numbers = take(PARAM_WORDS)?.first_chunk().ok_or(Malformed::NotAKey)?;
        let shape = Shape::new(&Params::from_words(numbers)?);
        let expected = encoded_words(&shape);
        if words.len() != expected || stated.first().copied() != u32::try_from(expected).ok() {
            return Err(Malformed::Length {
                what: "verifying key",
                expected,
                got: words.len(),
            });
        }
        let preprocessed = take(shape.preprocessed_cap_words())?;
        let [stark, openings, folding] = shape.seed_words();
        let seeds = [take(stark)?, take(openings)?, take(folding)?];
        if rest.iter().any(|&word| word != 0) {
            return Err(Malformed::KeyPadding);
        }
        Ok(Self {
            words,
            air,
            shape,
            preprocessed,
            seeds,
        })
    }

    /// The numbers of the key.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.shape.params
    }

    /// Whether the key is for the constraints with this name.
    #[must_use]
    pub fn is_for(&self, name: &str) -> bool {
        let stated: &[u8] = bytemuck::cast_slice(self.air);
        air_name(name).is_some_and(|name| name == stated)
    }

    /// Keccak-256 of the key.
    pub fn digest<H: MerkleHash<Word = u32, Node = Digest>>(&self, hash: &H) -> Digest {
        hash.leaf(self.words)
    }
}

/// Words of an encoded key.
fn encoded_words(shape: &Shape) -> usize {
    shape
        .seed_words()
        .iter()
        .fold(FIXED_WORDS, |sum, words| sum.saturating_add(*words))
        .saturating_add(shape.preprocessed_cap_words())
        .next_multiple_of(4)
}

/// A name of constraints, padded to eight words. `None` if it is empty, too long or has zeros.
fn air_name(name: &str) -> Option<[u8; 32]> {
    if name.is_empty() || name.contains('\0') {
        return None;
    }
    let mut out = [0; 32];
    out.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
    Some(out)
}

/// A verifying key that owns its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    pub(crate) air: [u8; 32],
    pub(crate) params: Params,
    pub(crate) preprocessed: Vec<u32>,
    pub(crate) seeds: [Vec<u32>; 3],
}

impl VerifyingKey {
    /// The name and numbers of a key, without what is derived from them.
    #[cfg(feature = "host")]
    pub(crate) fn new(
        name: &str,
        params: Params,
        preprocessed: Vec<u32>,
        seeds: [Vec<u32>; 3],
    ) -> Option<Self> {
        Some(Self {
            air: air_name(name)?,
            params,
            preprocessed,
            seeds,
        })
    }

    /// The numbers of the key.
    #[must_use]
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// The key's encoding. Destructured, so that a new field cannot be forgotten.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self {
            air,
            params,
            preprocessed,
            seeds: [stark, openings, folding],
        } = self;
        let total = encoded_words(&Shape::new(params));
        let mut out = Vec::with_capacity(total.saturating_mul(4));
        out.extend_from_slice(&KEY_TAG);
        out.extend_from_slice(air);
        let total_word = u32::try_from(total).unwrap_or(u32::MAX);
        let words = [total_word]
            .into_iter()
            .chain(params.to_words())
            .chain(preprocessed.iter().copied())
            .chain(stark.iter().copied())
            .chain(openings.iter().copied())
            .chain(folding.iter().copied());
        out.extend(words.flat_map(u32::to_le_bytes));
        out.resize(total.saturating_mul(4), 0);
        out
    }
}
