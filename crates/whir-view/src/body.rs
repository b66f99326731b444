//! The proof body as words, checked once and then read in place.
//!
//! The order is that of `prova-whir`'s `body` module.

use alloc::vec::Vec;

use crate::error::Malformed;
use crate::key::{Key, Phase};
use crate::sponge::RATE;

/// The words of one phase, canonical.
#[derive(Clone, Copy, Debug)]
pub struct PhaseWords<'a> {
    /// The key's numbers.
    pub shape: Phase,
    /// Round polynomials of the sumcheck before the queries: `h(0)` and `h(inf)` a round.
    pub sumcheck: &'a [u32],
    /// A nonce a round of it, or none.
    pub sumcheck_nonces: &'a [u32],
    /// Root of the codeword committed next; empty in the last phase.
    pub root: &'a [u32],
    /// Answers at the out-of-domain points of that codeword.
    pub ood_answers: &'a [u32],
    /// The nonce before the queries, or none.
    pub nonce: &'a [u32],
    /// Opened rows, one a query.
    pub rows: &'a [u32],
    /// Merkle siblings.
    pub siblings: &'a [u32],
}

/// A whole body.
#[derive(Clone, Debug)]
pub struct Body<'a> {
    /// Answers at the out-of-domain points of the first commitment.
    pub ood_answers: &'a [u32],
    /// The phases.
    pub phases: Vec<PhaseWords<'a>>,
    /// Evaluations of the final polynomial.
    pub final_poly: &'a [u32],
    /// Round polynomials of the closing sumcheck.
    pub final_sumcheck: &'a [u32],
    /// Its nonces.
    pub final_nonces: &'a [u32],
}

struct Tape<'a> {
    words: &'a [u32],
    position: usize,
    modulus: u32,
}

impl<'a> Tape<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u32], Malformed> {
        let (taken, rest) = self
            .words
            .split_at_checked(count)
            .ok_or(Malformed::BodyTooShort {
                expected: count,
                offset: self.position,
                got: self.words.len(),
            })?;
        self.words = rest;
        self.position += count;
        Ok(taken)
    }

    /// `count` canonical words.
    fn elements(&mut self, count: usize) -> Result<&'a [u32], Malformed> {
        let start = self.position;
        let taken = self.take(count)?;
        let (blocks, rest) = taken.as_chunks::<8>();
        let modulus = self.modulus;
        let canonical = |words: &[u32]| words.iter().fold(true, |ok, &word| ok & (word < modulus));
        if blocks.iter().fold(true, |ok, block| ok & canonical(block)) & canonical(rest) {
            return Ok(taken);
        }
        let bad = taken.iter().take_while(|word| **word < modulus).count();
        Err(Malformed::NotCanonical {
            offset: start + bad,
        })
    }

    fn sumcheck(
        &mut self,
        rounds: usize,
        pow_bits: usize,
        degree: usize,
    ) -> Result<(&'a [u32], &'a [u32]), Malformed> {
        let polynomials = self.elements(2 * degree * rounds)?;
        let nonces = self.elements(if pow_bits == 0 { 0 } else { rounds })?;
        Ok((polynomials, nonces))
    }

    fn siblings(&mut self, phase: &Phase) -> Result<&'a [u32], Malformed> {
        let offset = self.position;
        let got = self.take(1)?.first().map_or(0, |&count| count as usize);
        let expected = phase.max_siblings();
        if got > expected {
            return Err(Malformed::Siblings {
                expected,
                got,
                offset,
            });
        }
        self.elements(RATE * got)
    }
}

impl<'a> Body<'a> {
    /// Cuts a body into the parts that the key tells of; every word must be used, and be a
    /// canonical element of the field with this modulus.
    ///
    /// # Errors
    /// [`Malformed`], at the first word that does not fit.
    pub fn parse(words: &'a [u32], key: &Key<'_>, modulus: u32) -> Result<Self, Malformed> {
        let degree = key.numbers.degree as usize;
        let mut tape = Tape {
            words,
            position: 0,
            modulus,
        };
        let ood_answers = tape.elements(degree * key.numbers.ood_samples)?;
        let mut phases = Vec::with_capacity(key.numbers.phases);
        let mut final_poly: &[u32] = &[];
        let last = key.numbers.phases - 1;
        let first = key.phases().next();
        let (fold, pow) = first.map_or((0, 0), |phase| (phase.fold, phase.fold_pow_bits));
        let mut sumcheck = tape.sumcheck(fold, pow, degree)?;
        let mut next = key.phases().skip(1);
        for (index, shape) in key.phases().enumerate() {
            let (mut root, mut ood_answers): (&[u32], &[u32]) = (&[], &[]);
            if index == last {
                final_poly = tape.elements(degree << key.final_variables())?;
            } else {
                root = tape.elements(RATE)?;
                ood_answers = tape.elements(degree * shape.ood_samples)?;
            }
            let nonce = tape.elements(usize::from(shape.pow_bits != 0))?;
            let width = if index == 0 { 1 } else { degree };
            let rows = tape.elements(shape.rows().saturating_mul(width << shape.fold))?;
            let siblings = tape.siblings(&shape)?;
            let (sumcheck, sumcheck_nonces) = match next.next() {
                Some(next) => core::mem::replace(
                    &mut sumcheck,
                    tape.sumcheck(next.fold, next.fold_pow_bits, degree)?,
                ),
                None => sumcheck,
            };
            phases.push(PhaseWords {
                shape,
                sumcheck,
                sumcheck_nonces,
                root,
                ood_answers,
                nonce,
                rows,
                siblings,
            });
        }
        let (final_sumcheck, final_nonces) =
            tape.sumcheck(key.final_variables(), key.numbers.final_pow_bits, degree)?;
        if tape.words.is_empty() {
            Ok(Self {
                ood_answers,
                phases,
                final_poly,
                final_sumcheck,
                final_nonces,
            })
        } else {
            Err(Malformed::BodyTooLong {
                got: tape.words.len(),
            })
        }
    }
}
