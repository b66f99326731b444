//! What is committed: a file of bytes, a file of field elements, or pseudo-random values.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use prova_whir::{Field, Shape};

use crate::error::Failure;
use crate::signals;

/// Bytes packed into one element: the largest number that fits every supported field.
const BYTES_PER_ELEMENT: u64 = 3;
/// Elements that hold the length of the input in bytes, 24 bits each.
const LENGTH_ELEMENTS: u64 = 2;
/// Bytes read at a time; a multiple of 3 and of 4.
const CHUNK: usize = 48 << 10;

/// How a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Any bytes, 3 to an element, after two elements that hold the length.
    #[default]
    Bytes,
    /// Little-endian 32-bit canonical field elements.
    U32,
}

/// Which values to commit to.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// File to commit to.
    #[arg(required_unless_present = "random", conflicts_with = "random")]
    pub input: Option<PathBuf>,
    /// Commit to pseudo-random values from this seed instead of a file.
    #[arg(long, value_name = "SEED", requires = "vars")]
    pub random: Option<u64>,
    /// How the file is read.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Columns the values are split into, one after another.
    #[arg(long, value_name = "C", default_value_t = 1)]
    pub columns: usize,
    /// Variables of each column, which holds 2^N values [default: the fewest that fit].
    #[arg(long, value_name = "N")]
    pub vars: Option<usize>,
}

/// How a file's bytes become values, for `--help`.
pub const FORMATS: &str = "\
INPUT FORMATS
  bytes  Any file. Elements 0 and 1 hold the length in bytes (low 24 bits, then high 24 bits);
         each further element holds 3 bytes, little-endian, the last one filled up with zeros.
         Two different files never give the same values.
  u32    4 bytes an element, little-endian, below the field's modulus. Values that fill a column
         up are zero: trailing zeros are not told from filling.

  E values in C columns: column i holds values i*L to (i+1)*L - 1 with L = ceil(E / C), and zeros
  up to 2^N.";

/// Where the values come from, known without reading them.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file.
    File {
        /// Its path.
        path: PathBuf,
        /// Its length in bytes.
        bytes: u64,
        /// How it is read.
        format: Format,
    },
    /// A seed.
    Random(u64),
}

/// An input that was looked at but not read.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where the values come from.
    pub source: Source,
    /// Shape of the table.
    pub shape: Shape,
    /// Values before filling with zeros.
    elements: u64,
}

impl InputArgs {
    /// Looks at the input; `first_fold` is the fewest variables a column may have.
    ///
    /// # Errors
    /// A file that is missing, empty, of the wrong length, or too large for the shape asked for.
    pub fn look(&self, first_fold: usize) -> Result<Input, Failure> {
        let columns = check_columns(self.columns)?;
        let (source, elements) = match (&self.input, self.random) {
            (Some(path), _) => look_at_file(path, self.format)?,
            (None, Some(seed)) => {
                let vars = check_vars(self.vars.unwrap_or(first_fold))?;
                (Source::Random(seed), columns << vars)
            }
            (None, None) => return Err(Failure::malformed("no input: give a file or --random")),
        };
        let needed = log2_ceil(elements.div_ceil(columns));
        let num_variables = check_vars(self.vars.unwrap_or(needed.max(first_fold)))?;
        if num_variables < needed {
            return Err(Failure::malformed(format_args!(
                "--vars {num_variables} is too small: {elements} values in {columns} columns need \
                 at least --vars {needed}"
            )));
        }
        let shape = Shape {
            num_variables,
            columns: self.columns,
        };
        Ok(Input {
            source,
            shape,
            elements,
        })
    }
}

/// The shape of `--vars` and `--columns` alone.
///
/// # Errors
/// A number out of range.
pub fn shape(vars: usize, columns: usize) -> Result<Shape, Failure> {
    check_columns(columns)?;
    Ok(Shape {
        num_variables: check_vars(vars)?,
        columns,
    })
}

fn check_columns(columns: usize) -> Result<u64, Failure> {
    if (1..=Shape::MAX_COLUMNS).contains(&columns) {
        return Ok(columns as u64);
    }
    Err(Failure::malformed(format_args!(
        "--columns is {columns}, expected 1 to 4096"
    )))
}

fn check_vars(vars: usize) -> Result<usize, Failure> {
    if vars <= Shape::MAX_VARIABLES {
        return Ok(vars);
    }
    Err(Failure::malformed(format_args!(
        "{vars} variables a column, expected at most 40"
    )))
}

fn look_at_file(path: &Path, format: Format) -> Result<(Source, u64), Failure> {
    let metadata = std::fs::metadata(path).map_err(|error| Failure::io("read", path, &error))?;
    let refuse = |what: &str| Failure::malformed(format_args!("{}: {what}", path.display()));
    if !metadata.is_file() {
        return Err(refuse("expected a regular file"));
    }
    let bytes = metadata.len();
    if bytes == 0 {
        return Err(refuse("the file is empty, expected at least one byte"));
    }
    let elements = match format {
        Format::Bytes if bytes >= 1 << 48 => return Err(refuse("expected less than 2^48 bytes")),
        Format::Bytes => LENGTH_ELEMENTS + bytes.div_ceil(BYTES_PER_ELEMENT),
        Format::U32 if !bytes.is_multiple_of(4) => {
            return Err(refuse(&format!(
                "the length is {bytes} bytes, expected a multiple of 4 with --format u32"
            )));
        }
        Format::U32 => bytes / 4,
    };
    Ok((
        Source::File {
            path: path.to_path_buf(),
            bytes,
            format,
        },
        elements,
    ))
}

fn log2_ceil(value: u64) -> usize {
    value.max(1).next_power_of_two().trailing_zeros() as usize
}

impl Input {
    /// Bytes of the table in memory.
    pub fn table_bytes(&self) -> u64 {
        (self.shape.columns as u64) << (self.shape.num_variables + 2)
    }

    /// What the values are, for people.
    pub fn describe(&self) -> String {
        match &self.source {
            Source::File { path, bytes, .. } => {
                format!(
                    "{} ({} bytes)",
                    path.display(),
                    crate::text::thousands(*bytes)
                )
            }
            Source::Random(seed) => format!("pseudo-random values of seed {seed}"),
        }
    }

    /// Reads the values: canonical, column after column, filled up with zeros.
    ///
    /// # Errors
    /// A file that cannot be read or changed meanwhile, a value that is not canonical, a signal.
    pub fn read(&self, field: Field) -> Result<Vec<u32>, Failure> {
        let size = usize::try_from(self.table_bytes() / 4)
            .map_err(|_| Failure::memory(self.table_bytes(), usize::MAX as u64))?;
        let mut values = Vec::new();
        values.try_reserve_exact(size).map_err(|_| {
            Failure::memory(
                self.table_bytes(),
                crate::machine::memory().total.unwrap_or(0),
            )
        })?;
        let mut columns = Columns {
            values,
            height: 1 << self.shape.num_variables,
            per_column: usize::try_from(self.elements.div_ceil(self.shape.columns as u64))
                .unwrap_or(usize::MAX),
            in_column: 0,
        };
        match &self.source {
            Source::File {
                path,
                bytes,
                format,
            } => {
                read_file(path, *bytes, *format, field, &mut columns)?;
            }
            Source::Random(seed) => draw(*seed, field, self.elements, &mut columns)?,
        }
        let mut values = columns.values;
        values.resize(size, 0);
        Ok(values)
    }
}

/// Values in their places; a column that has its share is filled up before the next begins.
struct Columns {
    values: Vec<u32>,
    height: usize,
    per_column: usize,
    in_column: usize,
}

impl Columns {
    fn push(&mut self, value: u32) {
        if self.in_column == self.per_column {
            let end = self.values.len().next_multiple_of(self.height);
            self.values.resize(end, 0);
            self.in_column = 0;
        }
        self.values.push(value);
        self.in_column += 1;
    }
}

fn read_file(
    path: &Path,
    bytes: u64,
    format: Format,
    field: Field,
    columns: &mut Columns,
) -> Result<(), Failure> {
    let failed = |error: &std::io::Error| Failure::io("read", path, error);
    let mut file = File::open(path).map_err(|error| failed(&error))?;
    if format == Format::Bytes {
        columns.push((bytes & 0xff_ffff) as u32);
        columns.push((bytes >> 24) as u32);
    }
    let mut chunk = vec![0; CHUNK];
    let mut done = 0_u64;
    while done < bytes {
        if signals::cancelled() {
            return Err(Failure::cancelled());
        }
        let length = usize::try_from(bytes - done).unwrap_or(CHUNK).min(CHUNK);
        let part = &mut chunk[..length];
        file.read_exact(part).map_err(|error| failed(&error))?;
        match format {
            Format::Bytes => part.chunks(3).for_each(|bytes| {
                let mut word = [0; 4];
                word[..bytes.len()].copy_from_slice(bytes);
                columns.push(u32::from_le_bytes(word));
            }),
            Format::U32 => {
                for (index, word) in part.as_chunks().0.iter().enumerate() {
                    let value = u32::from_le_bytes(*word);
                    if value >= field.modulus() {
                        return Err(Failure::malformed(format_args!(
                            "{}: the value at offset {} is {value}, expected a canonical element \
                             of {field}, below {}",
                            path.display(),
                            done + 4 * index as u64,
                            field.modulus()
                        )));
                    }
                    columns.push(value);
                }
            }
        }
        done += length as u64;
    }
    let more = file.read(&mut [0]).map_err(|error| failed(&error))?;
    if more != 0 {
        return Err(Failure::malformed(format_args!(
            "{}: the file grew while it was read, expected {bytes} bytes",
            path.display()
        )));
    }
    Ok(())
}

/// Values of a seed: the high halves of SplitMix64's outputs, scaled to the field.
fn draw(seed: u64, field: Field, count: u64, columns: &mut Columns) -> Result<(), Failure> {
    let modulus = u64::from(field.modulus());
    for index in 1..=count {
        if index & 0xf_ffff == 0 && signals::cancelled() {
            return Err(Failure::cancelled());
        }
        let mut z = seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        columns.push((((z >> 32) * modulus) >> 32) as u32);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_filled_up() {
        let mut columns = Columns {
            values: Vec::new(),
            height: 4,
            per_column: 3,
            in_column: 0,
        };
        (1..=7).for_each(|value| columns.push(value));
        assert_eq!(columns.values, [1, 2, 3, 0, 4, 5, 6, 0, 7]);
    }

    #[test]
    fn smallest_shape() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(log2_ceil), [0, 0, 1, 2, 2, 3]);
    }

    #[test]
    fn random_values_are_canonical_and_repeat() {
        let args = InputArgs {
            random: Some(7),
            vars: Some(6),
            columns: 2,
            ..InputArgs::default()
        };
        let input = args.look(4).ok().unwrap();
        let values = input.read(Field::BabyBear).ok().unwrap();
        assert_eq!(values.len(), 128);
        assert!(
            values
                .iter()
                .all(|&value| value < Field::BabyBear.modulus())
        );
        assert_eq!(values, input.read(Field::BabyBear).ok().unwrap());
    }
}
