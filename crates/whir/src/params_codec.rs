//! [`Params`] to and from the params section of a proof file.
//!
//! Thirteen fixed bytes, then the folding list and the rate list, each one byte an entry.

use alloc::vec::Vec;

use prova_proof_file::{Section, Tape, TapeError, TapeWriter};

use crate::params::{Field, Folding, HashSuite, Order, Params, Regime};

/// Longest folding or rate list a file may carry.
const MAX_ROUNDS: u8 = 64;

fn tag<T>(
    tape: &mut Tape<'_>,
    expected: &'static str,
    parse: impl Fn(u8) -> Option<T>,
) -> Result<T, TapeError> {
    let offset = tape.position();
    let byte = tape.u8()?;
    parse(byte).ok_or(TapeError::Invalid {
        section: Section::Params,
        offset,
        expected,
        got: u64::from(byte),
    })
}

fn list(tape: &mut Tape<'_>) -> Result<Vec<usize>, TapeError> {
    let count = tag(tape, "a list of at most 64 rounds", |n| {
        (n <= MAX_ROUNDS).then_some(n)
    })?;
    (0..count).map(|_| tape.u8().map(usize::from)).collect()
}

impl Params {
    /// Reads a params section; every byte must be used.
    ///
    /// Ranges that depend on each other are checked when the configuration is derived.
    ///
    /// # Errors
    /// A tag without meaning, a list that is too long, missing or trailing bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TapeError> {
        let mut owned = Tape::new(Section::Params, bytes);
        let tape = &mut owned;
        let field = tag(
            tape,
            "a field tag (1 babybear, 2 koalabear)",
            Field::from_tag,
        )?;
        let extension_degree = tag(tape, "extension degree 4 or 5", |d| {
            matches!(d, 4 | 5).then_some(usize::from(d))
        })?;
        let hash = tag(tape, "a hash suite tag (1 to 4)", HashSuite::from_tag)?;
        let order = tag(
            tape,
            "a variable order tag (1 suffix, 2 prefix)",
            Order::from_tag,
        )?;
        let regime = tag(
            tape,
            "a regime tag (1 unique, 2 johnson, 3 capacity)",
            Regime::from_tag,
        )?;
        let security_bits = usize::from(tape.u16()?);
        let pow_bits = usize::from(tape.u8()?);
        let log_inv_rate = usize::from(tape.u8()?);
        let folding_kind = tag(tape, "a folding tag (1 constant, 2 per round)", |t| {
            matches!(t, 1 | 2).then_some(t)
        })?;
        let folding = if folding_kind == 1 {
            Folding::Constant(usize::from(tape.u8()?))
        } else {
            Folding::PerRound(list(tape)?)
        };
        let round_log_inv_rates = list(tape)?;
        owned.finish()?;
        Ok(Self {
            field,
            extension_degree,
            hash,
            order,
            regime,
            security_bits,
            pow_bits,
            log_inv_rate,
            folding,
            round_log_inv_rates,
        })
    }

    /// The params section. Values too large for their byte saturate; such parameters are refused
    /// when the configuration is derived, so they never reach a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        fn byte(value: usize) -> u8 {
            u8::try_from(value).unwrap_or(u8::MAX)
        }
        fn list(out: &mut TapeWriter, values: &[usize]) {
            out.u8(byte(values.len()));
            for &value in values {
                out.u8(byte(value));
            }
        }
        let mut out = TapeWriter::new();
        out.u8(self.field.tag());
        out.u8(byte(self.extension_degree));
        out.u8(self.hash.tag());
        out.u8(self.order.tag());
        out.u8(self.regime.tag());
        out.u16(u16::try_from(self.security_bits).unwrap_or(u16::MAX));
        out.u8(byte(self.pow_bits));
        out.u8(byte(self.log_inv_rate));
        match &self.folding {
            Folding::Constant(k) => {
                out.u8(1);
                out.u8(byte(*k));
            }
            Folding::PerRound(ks) => {
                out.u8(2);
                list(&mut out, ks);
            }
        }
        list(&mut out, &self.round_log_inv_rates);
        out.into_bytes()
    }
}
