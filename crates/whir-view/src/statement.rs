//! The statement section, in place. `docs/proof-files.md` gives its bytes.

use crate::error::{Malformed, Rejected};
use crate::field::{Modulus, from_canonical};
use crate::key::{Key, Numbers};
use crate::sponge::Digest;

/// Bytes of shape, source of the points and number of openings.
const SHAPE: usize = 8;
/// Bytes of the commitment.
const COMMITMENT: usize = 32;

/// A statement whose form was checked once.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    bytes: &'a [u8],
    numbers: Numbers,
}

/// One opening of a statement.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// The count of columns (0 for all of them) and their indices, two bytes each.
    schedule: &'a [u8],
    /// Coordinates of a given point, four bytes a coefficient; empty when points are drawn.
    point: &'a [u8],
    /// A value a column, likewise.
    values: &'a [u8],
    columns: usize,
}

/// The words of a slice of canonical little-endian elements, in Montgomery form.
fn elements<M: Modulus>(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let words = bytes.as_chunks::<4>().0;
    words
        .iter()
        .map(|word| from_canonical::<M>(u32::from_le_bytes(*word)))
}

/// The extension elements of a slice of canonical little-endian coefficients.
fn extension_elements<M: Modulus, const D: usize>(
    bytes: &[u8],
) -> impl DoubleEndedIterator<Item = [u32; D]> {
    let words = bytes.as_chunks::<4>().0.as_chunks::<D>().0;
    words
        .iter()
        .map(|words| words.map(|word| from_canonical::<M>(u32::from_le_bytes(word))))
}

impl<'a> Opening<'a> {
    /// The opened columns, ascending.
    pub fn columns(&self) -> impl Iterator<Item = usize> + use<'a> {
        let listed = self.schedule.get(2..).unwrap_or_default().as_chunks().0;
        let all = if listed.is_empty() { self.columns } else { 0 };
        (0..all).chain(
            listed
                .iter()
                .map(|index| usize::from(u16::from_le_bytes(*index))),
        )
    }

    /// The coordinates of a given point.
    pub fn point<M: Modulus, const D: usize>(
        &self,
    ) -> impl DoubleEndedIterator<Item = [u32; D]> + use<'a, M, D> {
        extension_elements::<M, D>(self.point)
    }

    /// The claimed values, one a column.
    pub fn values<M: Modulus, const D: usize>(
        &self,
    ) -> impl DoubleEndedIterator<Item = [u32; D]> + use<'a, M, D> {
        extension_elements::<M, D>(self.values)
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Cursor<'a> {
    fn error(&self, what: &'static str) -> Malformed {
        Malformed::Statement {
            what,
            offset: self.position,
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let taken = rest.get(..count).ok_or_else(|| self.error("more bytes"))?;
        self.position += count;
        Ok(taken)
    }

    fn number(&mut self) -> Result<usize, Malformed> {
        match self.take(2)? {
            [low, high] => Ok(usize::from(u16::from_le_bytes([*low, *high]))),
            _ => Err(self.error("two bytes")),
        }
    }

    fn elements(&mut self, count: usize, modulus: u32) -> Result<&'a [u8], Malformed> {
        let taken = self.take(4 * count)?;
        let words = taken.as_chunks::<4>().0;
        if words
            .iter()
            .any(|word| u32::from_le_bytes(*word) >= modulus)
        {
            return Err(self.error("canonical field elements"));
        }
        Ok(taken)
    }

    /// The columns of an opening as they stand, and how many they are.
    fn schedule(&mut self, columns: usize) -> Result<(&'a [u8], usize), Malformed> {
        let start = self.position;
        let listed = self.number()?;
        if listed != 0 && listed >= columns {
            return Err(self.error("fewer columns than the table has, or 0 for all"));
        }
        let mut floor = 0;
        for _ in 0..listed {
            let column = self.number()?;
            if !(floor..columns).contains(&column) {
                return Err(self.error("ascending column indices"));
            }
            floor = column + 1;
        }
        let schedule = self.bytes.get(start..self.position).unwrap_or_default();
        Ok((schedule, if listed == 0 { columns } else { listed }))
    }

    fn opening<M: Modulus>(&mut self, numbers: &Numbers) -> Result<Opening<'a>, Malformed> {
        let degree = numbers.degree as usize;
        let (schedule, columns) = self.schedule(numbers.columns)?;
        let coordinates = if numbers.given_points {
            numbers.column_variables
        } else {
            0
        };
        Ok(Opening {
            schedule,
            point: self.elements(coordinates * degree, M::P)?,
            values: self.elements(columns * degree, M::P)?,
            columns,
        })
    }
}

impl<'a> Statement<'a> {
    /// Checks a statement section against a key: first its shape and columns, which must be the
    /// key's, then that it is whole and canonical.
    ///
    /// # Errors
    /// [`Rejected::OtherSchedule`], [`Malformed::Statement`].
    pub fn parse<M: Modulus>(bytes: &'a [u8], key: &Key<'_>) -> Result<Self, crate::Error> {
        let numbers = key.numbers;
        let mut cursor = Cursor { bytes, position: 0 };
        let mut wanted = key.schedule.iter();
        let mut same = |bytes: &[u8]| {
            let matches = bytes
                .iter()
                .all(|byte| wanted.next() == Some(&u32::from(*byte)));
            if matches {
                Ok(())
            } else {
                Err(Rejected::OtherSchedule)
            }
        };
        same(cursor.take(SHAPE)?)?;
        cursor.take(COMMITMENT)?;
        for _ in 0..numbers.openings {
            let opening = cursor.opening::<M>(&numbers)?;
            same(opening.schedule)?;
        }
        if wanted.next().is_some() {
            return Err(Rejected::OtherSchedule.into());
        }
        if cursor.position != bytes.len() {
            return Err(cursor.error("the end of the section").into());
        }
        Ok(Self { bytes, numbers })
    }

    /// The section.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The commitment in Montgomery form.
    ///
    /// # Errors
    /// [`Rejected::Commitment`] when a word is not canonical.
    pub fn commitment<M: Modulus>(&self) -> Result<Digest, Rejected> {
        let bytes = self
            .bytes
            .get(SHAPE..SHAPE + COMMITMENT)
            .unwrap_or_default();
        let words = bytes.as_chunks::<4>().0;
        if words.iter().any(|word| u32::from_le_bytes(*word) >= M::P) {
            return Err(Rejected::Commitment);
        }
        let mut digest = Digest::default();
        for (slot, word) in digest.iter_mut().zip(elements::<M>(bytes)) {
            *slot = word;
        }
        Ok(digest)
    }

    /// The openings, in order. None of them fails: the section was read once.
    pub fn openings<M: Modulus>(&self) -> impl Iterator<Item = Opening<'a>> + use<'a, M> {
        let numbers = self.numbers;
        let mut cursor = Cursor {
            bytes: self.bytes,
            position: SHAPE + COMMITMENT,
        };
        (0..numbers.openings).map_while(move |_| cursor.opening::<M>(&numbers).ok())
    }
}
