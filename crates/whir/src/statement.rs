//! What a WHIR proof proves: a committed table of columns takes these values at these points.

use alloc::vec::Vec;

use prova_proof_file::{Section, Tape, TapeError, TapeWriter};

use crate::params::Field;

/// Bytes of a Merkle root, in every hash suite.
pub const DIGEST_BYTES: usize = 32;

/// Shape of the committed table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Variables of each column; a column holds `2^num_variables` base-field values.
    pub num_variables: usize,
    /// Number of columns, at least 1.
    pub columns: usize,
}

impl Shape {
    /// Most columns a statement may have.
    pub const MAX_COLUMNS: usize = 1 << 12;
    /// Most variables a column may have.
    pub const MAX_VARIABLES: usize = 40;

    /// Variables of the stacked polynomial that is committed: columns one after another, padded
    /// with zero columns to a power of two.
    #[must_use]
    pub fn stacked_variables(&self) -> usize {
        let columns = self.columns.max(1).next_power_of_two();
        self.num_variables
            .saturating_add(usize::try_from(columns.trailing_zeros()).unwrap_or(0))
    }
}

/// Who chose the opening points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Points {
    /// The transcript, after it absorbed the commitment; the verifier draws them again.
    Drawn,
    /// The statement; the transcript absorbs them before it draws anything.
    Given,
}

/// Some columns opened at one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Opened columns: ascending, distinct, not empty.
    pub columns: Vec<usize>,
    /// With [`Points::Given`]: `num_variables` coordinates, coordinate 0 belonging to the highest
    /// index bit; each is `extension_degree` canonical coefficients. Empty with [`Points::Drawn`].
    pub point: Vec<u32>,
    /// One value a column, each `extension_degree` canonical coefficients.
    pub values: Vec<u32>,
}

/// The statement of a WHIR proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Shape of the table.
    pub shape: Shape,
    /// Merkle root of the committed codeword.
    pub commitment: [u8; DIGEST_BYTES],
    /// Where the points come from.
    pub points: Points,
    /// The openings, in transcript order; at least one.
    pub openings: Vec<Opening>,
}

struct Reader<'t, 'a> {
    tape: &'t mut Tape<'a>,
    modulus: u32,
}

impl Reader<'_, '_> {
    fn invalid(offset: usize, expected: &'static str, got: u64) -> TapeError {
        TapeError::Invalid {
            section: Section::Statement,
            offset,
            expected,
            got,
        }
    }

    fn number(
        &mut self,
        expected: &'static str,
        range: core::ops::RangeInclusive<usize>,
    ) -> Result<usize, TapeError> {
        let offset = self.tape.position();
        let value = usize::from(self.tape.u16()?);
        if range.contains(&value) {
            Ok(value)
        } else {
            Err(Self::invalid(offset, expected, value as u64))
        }
    }

    fn elements(&mut self, count: usize) -> Result<Vec<u32>, TapeError> {
        let bytes = self.tape.bytes(count.saturating_mul(4))?;
        let start = self.tape.position().saturating_sub(bytes.len());
        bytes
            .chunks_exact(4)
            .enumerate()
            .map(|(i, chunk)| {
                let value = <[u8; 4]>::try_from(chunk).map_or(u32::MAX, u32::from_le_bytes);
                if value < self.modulus {
                    Ok(value)
                } else {
                    let offset = start.saturating_add(i.saturating_mul(4));
                    Err(Self::invalid(
                        offset,
                        "a canonical field element",
                        u64::from(value),
                    ))
                }
            })
            .collect()
    }
}

impl Statement {
    /// Reads a statement section whose elements belong to `field` and its extension of degree
    /// `extension_degree`.
    ///
    /// # Errors
    /// Counts out of range, columns out of order, elements that are not canonical, missing or
    /// trailing bytes.
    pub fn from_bytes(
        bytes: &[u8],
        field: Field,
        extension_degree: usize,
    ) -> Result<Self, TapeError> {
        let mut tape = Tape::new(Section::Statement, bytes);
        let mut reader = Reader {
            tape: &mut tape,
            modulus: field.modulus(),
        };
        let num_variables = reader.number("at most 40 variables", 0..=Shape::MAX_VARIABLES)?;
        let columns = reader.number("1 to 4096 columns", 1..=Shape::MAX_COLUMNS)?;
        let points = match reader.number("points drawn (1) or given (2)", 1..=2)? {
            1 => Points::Drawn,
            _ => Points::Given,
        };
        let count = reader.number("at least one opening", 1..=usize::from(u16::MAX))?;
        let commitment = reader.tape.array::<DIGEST_BYTES>()?;
        let mut openings = Vec::new();
        for _ in 0..count {
            let opened = reader.number("at most as many columns as the table has", 0..=columns)?;
            let list = if opened == 0 {
                (0..columns).collect()
            } else {
                let mut list = Vec::new();
                for _ in 0..opened {
                    let floor = list.last().map_or(0, |last: &usize| last.saturating_add(1));
                    let last = columns.saturating_sub(1);
                    list.push(reader.number("ascending column indices", floor..=last)?);
                }
                if opened == columns {
                    let offset = reader.tape.position();
                    return Err(Reader::invalid(offset, "0 for all columns", opened as u64));
                }
                list
            };
            let coordinates = match points {
                Points::Drawn => 0,
                Points::Given => num_variables,
            };
            let point = reader.elements(coordinates.saturating_mul(extension_degree))?;
            let values = reader.elements(list.len().saturating_mul(extension_degree))?;
            openings.push(Opening {
                columns: list,
                point,
                values,
            });
        }
        tape.finish()?;
        Ok(Self {
            shape: Shape {
                num_variables,
                columns,
            },
            commitment,
            points,
            openings,
        })
    }

    /// The statement section.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = TapeWriter::new();
        self.write_shape(&mut out);
        out.bytes(&self.commitment);
        for opening in &self.openings {
            self.write_columns(&mut out, opening);
            for &element in opening.point.iter().chain(&opening.values) {
                out.u32(element);
            }
        }
        out.into_bytes()
    }

    /// Everything of the statement that is fixed before the commitment: shape, source of the
    /// points, and which columns each opening opens. The transcript absorbs these bytes first.
    #[must_use]
    pub fn schedule_bytes(&self) -> Vec<u8> {
        let mut out = TapeWriter::new();
        self.write_shape(&mut out);
        for opening in &self.openings {
            self.write_columns(&mut out, opening);
        }
        out.into_bytes()
    }

    fn write_shape(&self, out: &mut TapeWriter) {
        let points = match self.points {
            Points::Drawn => 1,
            Points::Given => 2,
        };
        for number in [
            self.shape.num_variables,
            self.shape.columns,
            points,
            self.openings.len(),
        ] {
            out.u16(short(number));
        }
    }

    fn write_columns(&self, out: &mut TapeWriter, opening: &Opening) {
        if opening.columns.len() == self.shape.columns {
            out.u16(0);
        } else {
            out.u16(short(opening.columns.len()));
            for &column in &opening.columns {
                out.u16(short(column));
            }
        }
    }
}

/// Counts are range-checked before a statement is built; saturation cannot be reached by one that
/// [`crate::Params`] accepts.
fn short(value: usize) -> u16 {
    u16::try_from(value).unwrap_or(u16::MAX)
}
