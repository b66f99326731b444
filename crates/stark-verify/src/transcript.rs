//! The Fiat-Shamir transcript of `p3_challenger::SerializingChallenger32` over
//! `HashChallenger<u8, Keccak256Hash, 32>`, word by word.
//!
//! What is observed is collected; the first draw after it hashes the collection and leaves the
//! digest in its place, as the start of the next one. Bytes are drawn from the end of the digest.

use alloc::vec::Vec;

use crate::field::{Ext, P, from_canonical};
use prova_hash::shape::MerkleHash;

use crate::Digest;

pub(crate) struct Transcript<'a, H> {
    hash: &'a H,
    /// Observed since the last digest, that digest first.
    input: Vec<u32>,
    output: Digest,
    /// Words of `output` that have not been drawn.
    left: usize,
}

impl<'a, H: MerkleHash<Word = u32, Node = Digest>> Transcript<'a, H> {
    /// A transcript that has observed `start`.
    pub(crate) fn new(hash: &'a H, start: &Digest) -> Self {
        Self {
            hash,
            input: start.to_vec(),
            output: Digest::default(),
            left: 0,
        }
    }

    /// Observes words, as their little-endian bytes.
    pub(crate) fn observe(&mut self, words: &[u32]) {
        if !words.is_empty() {
            self.left = 0;
            self.input.extend_from_slice(words);
        }
    }

    fn flush(&mut self) {
        self.output = self.hash.leaf(&self.input);
        self.input.clear();
        self.input.extend_from_slice(&self.output);
        self.left = self.output.len();
    }

    /// Draws four bytes as a little-endian word. They come off the end of the digest.
    pub(crate) fn word(&mut self) -> u32 {
        if self.left == 0 {
            self.flush();
        }
        self.left = self.left.saturating_sub(1);
        self.output
            .get(self.left)
            .map_or(0, |word| word.swap_bytes())
    }

    /// Draws a number of `bits` bits, at most 31.
    pub(crate) fn bits(&mut self, bits: u32) -> usize {
        let bits = self.word() & 1u32.unbounded_shl(bits).wrapping_sub(1);
        usize::try_from(bits).unwrap_or(usize::MAX)
    }

    /// Draws an extension element, each coefficient by rejection.
    pub(crate) fn ext(&mut self) -> Ext {
        core::array::from_fn(|_| {
            loop {
                let word = self.word() & (u32::MAX >> 1);
                if word < P {
                    return from_canonical(word);
                }
            }
        })
    }

    /// Whether `nonce` is a proof of `bits` bits of work here. With none asked for, the transcript
    /// stays as it is. Otherwise what is pending is hashed first, so that a prover's candidates
    /// share that work.
    #[must_use]
    pub(crate) fn work(&mut self, bits: u32, nonce: u32) -> bool {
        if bits == 0 {
            return true;
        }
        if self.left == 0 {
            self.flush();
        }
        self.observe(&[nonce]);
        self.bits(bits) == 0
    }
}
