//! Vectors of 256 values from files, and the points they are opened at.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use prova_verkle::{Commitment, Element, Fr, Polynomial, Setup};
use serde_json::Value;

use crate::error::Failure;

/// Values of a vector.
const DOMAIN: usize = 256;
/// Bytes of a vector given by canonical little-endian scalars.
pub const SCALARS_LEN: usize = 32 * DOMAIN;
/// Bytes of a file that one value holds, so that every value is below the group's order.
const PACKED: usize = 31;
/// Commitment, scalars, point, value: the record of a prover in existing bindings.
const QUERY_LEN: usize = 32 + SCALARS_LEN + 1 + 32;

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Any bytes, 31 to a value; the first value is the length.
    Bytes,
    /// Vectors of 256 little-endian 32-byte scalars.
    Scalars,
    /// Records of 8,257 bytes: commitment, 256 scalars, point, value.
    Queries,
    /// JSON (see --help).
    Json,
}

/// Which vectors.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// File with the vectors.
    pub input: PathBuf,
    /// How the file is read [default: json for *.json, else bytes].
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// The JSON format, for `--help`.
pub const FORMATS: &str = "\
JSON INPUT (--format json)
  {\"polynomials\": [[1, \"0x2a\", …], {\"7\": 1, \"255\": \"0x2a\"}],
   \"openings\": [{\"polynomial\": 0, \"point\": 7}, …]}
  A polynomial is a list of at most 256 values, the rest zero, or an object from position to value.
  A value is an integer, or a hexadecimal integer in quotes, most significant digit first.
  Openings may be left out; --at then says where every polynomial is opened.";

/// One vector.
pub enum Vector {
    /// 256 canonical little-endian scalars.
    Bytes(Box<[u8; SCALARS_LEN]>),
    /// All 256 values.
    Dense(Box<[Fr; DOMAIN]>),
    /// The values that are not zero.
    Sparse(Vec<(u8, Fr)>),
}

impl Vector {
    /// The vector as the prover borrows it.
    pub fn polynomial(&self) -> Polynomial<'_> {
        match self {
            Self::Bytes(bytes) => Polynomial::Bytes(bytes),
            Self::Dense(values) => Polynomial::Dense(values),
            Self::Sparse(pairs) => Polynomial::Sparse(pairs),
        }
    }

    /// Its commitment.
    fn commit(&self, setup: &Setup) -> Element {
        match self {
            // Checked when it was read, so nothing is reduced.
            Self::Bytes(bytes) => {
                let words = bytes.as_chunks::<32>().0;
                let values: Vec<Fr> = words.iter().map(Fr::from_le_bytes_reduced).collect();
                setup.commit(&values)
            }
            Self::Dense(values) => setup.commit(&values[..]),
            Self::Sparse(pairs) => setup.commit_sparse(pairs),
        }
    }

    /// The value at a point.
    pub fn value(&self, point: u8) -> Fr {
        match self {
            Self::Bytes(bytes) => {
                let word = bytes.as_chunks::<32>().0.get(usize::from(point));
                word.map_or(Fr::ZERO, Fr::from_le_bytes_reduced)
            }
            Self::Dense(values) => values[usize::from(point)],
            Self::Sparse(pairs) => pairs
                .iter()
                .filter(|(position, _)| *position == point)
                .map(|(_, value)| *value)
                .sum(),
        }
    }
}

/// Vectors and what is opened of them.
pub struct Input {
    /// The vectors.
    pub vectors: Vec<Vector>,
    /// Which vector, at which point, in transcript order. Empty if the input does not say.
    pub openings: Vec<(usize, u8)>,
    /// Commitments that came with the vectors; ours are compared with them.
    claimed: Vec<Claim>,
    /// Length of the file.
    pub bytes: u64,
}

/// What a record of existing bindings says beside the vector.
struct Claim {
    commitment: [u8; 32],
    value: [u8; 32],
}

impl InputArgs {
    fn format(&self) -> Format {
        let json = self
            .input
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("json"));
        self.format
            .unwrap_or(if json { Format::Json } else { Format::Bytes })
    }

    /// Length of the file, before it is read.
    ///
    /// # Errors
    /// No such file, or a folder.
    pub fn look(&self) -> Result<u64, Failure> {
        let path = &self.input;
        let metadata =
            std::fs::metadata(path).map_err(|error| Failure::io("read", path, &error))?;
        if metadata.is_dir() {
            return Err(Failure::malformed(format_args!(
                "{} is a folder, expected a file",
                path.display()
            )));
        }
        Ok(metadata.len())
    }

    /// Reads the vectors.
    ///
    /// # Errors
    /// A file that cannot be read or has another format.
    pub fn read(&self) -> Result<Input, Failure> {
        let path = &self.input;
        let bytes = std::fs::read(path).map_err(|error| Failure::io("read", path, &error))?;
        let mut input = match self.format() {
            Format::Bytes => Input::of(packed(&bytes)),
            Format::Scalars => Input::of(scalars(path, &bytes)?),
            Format::Queries => queries(path, &bytes)?,
            Format::Json => json(path, &bytes)?,
        };
        input.bytes = bytes.len() as u64;
        if input.vectors.is_empty() {
            return Err(wrong(path, "expected at least one vector, got none"));
        }
        Ok(input)
    }
}

impl Input {
    fn of(vectors: Vec<Vector>) -> Self {
        Self {
            vectors,
            openings: Vec::new(),
            claimed: Vec::new(),
            bytes: 0,
        }
    }

    /// Opens every vector at every one of `points`, if the input does not say what to open.
    pub fn open_at(&mut self, points: &[u8]) {
        if self.openings.is_empty() {
            let vectors = 0..self.vectors.len();
            self.openings = vectors
                .flat_map(|vector| points.iter().map(move |point| (vector, *point)))
                .collect();
        }
    }

    /// Commits to every vector on the current thread pool.
    ///
    /// # Errors
    /// A record of existing bindings whose commitment or value is another.
    pub fn commit(&self, setup: &Setup) -> Result<Vec<Commitment>, Failure> {
        use rayon::prelude::*;
        let elements: Vec<Element> = self
            .vectors
            .par_iter()
            .map(|vector| vector.commit(setup))
            .collect();
        let commitments = Commitment::normalise(&elements);
        for (i, claim) in self.claimed.iter().enumerate() {
            let (vector, point) = self.openings[i];
            if commitments[vector].as_bytes() != &claim.commitment {
                return Err(Failure::malformed(format_args!(
                    "query {i}: the commitment is not that of its vector"
                )));
            }
            if self.vectors[vector].value(point).to_le_bytes() != claim.value {
                return Err(Failure::malformed(format_args!(
                    "query {i}: the value is not that of its vector at point {point}"
                )));
            }
        }
        Ok(commitments)
    }
}

fn wrong(path: &Path, what: impl std::fmt::Display) -> Failure {
    Failure::malformed(format_args!("{}: {what}", path.display()))
}

/// 31 bytes a value, after a value that holds their number.
fn packed(bytes: &[u8]) -> Vec<Vector> {
    let length = Fr::from_u64(bytes.len() as u64).to_le_bytes();
    let values = bytes.chunks(PACKED).map(|chunk| {
        let mut word = [0; 32];
        word[..chunk.len()].copy_from_slice(chunk);
        word
    });
    let words: Vec<[u8; 32]> = std::iter::once(length).chain(values).collect();
    words
        .chunks(DOMAIN)
        .map(|words| {
            let mut vector = Box::new([0; SCALARS_LEN]);
            let (place, _) = vector.as_chunks_mut::<32>();
            place[..words.len()].copy_from_slice(words);
            Vector::Bytes(vector)
        })
        .collect()
}

/// A vector of canonical scalars.
fn canonical(path: &Path, index: usize, bytes: &[u8; SCALARS_LEN]) -> Result<Vector, Failure> {
    let words = bytes.as_chunks::<32>().0;
    let bad = words
        .iter()
        .position(|word| Fr::from_le_bytes(word).is_none());
    match bad {
        None => Ok(Vector::Bytes(Box::new(*bytes))),
        Some(position) => Err(wrong(
            path,
            format_args!("vector {index}, value {position}: not below the group's order"),
        )),
    }
}

fn scalars(path: &Path, bytes: &[u8]) -> Result<Vec<Vector>, Failure> {
    let (vectors, rest) = bytes.as_chunks::<SCALARS_LEN>();
    if !rest.is_empty() {
        let what = format_args!(
            "expected a multiple of {SCALARS_LEN} bytes (256 scalars of 32), got {}",
            bytes.len()
        );
        return Err(wrong(path, what));
    }
    vectors
        .iter()
        .enumerate()
        .map(|(index, vector)| canonical(path, index, vector))
        .collect()
}

fn queries(path: &Path, bytes: &[u8]) -> Result<Input, Failure> {
    let (records, rest) = bytes.as_chunks::<QUERY_LEN>();
    if !rest.is_empty() {
        let what = format_args!(
            "expected a multiple of {QUERY_LEN} bytes (commitment, 256 scalars, point, value), got {}",
            bytes.len()
        );
        return Err(wrong(path, what));
    }
    let mut input = Input::of(Vec::with_capacity(records.len()));
    for (index, record) in records.iter().enumerate() {
        let (commitment, rest) = record.split_at(32);
        let (vector, rest) = rest.split_at(SCALARS_LEN);
        let (point, value) = rest.split_at(1);
        let length = "a record has this length";
        let vector = vector.try_into().expect(length);
        input.vectors.push(canonical(path, index, vector)?);
        input.openings.push((index, point[0]));
        input.claimed.push(Claim {
            commitment: commitment.try_into().expect(length),
            value: value.try_into().expect(length),
        });
    }
    Ok(input)
}

fn json(path: &Path, bytes: &[u8]) -> Result<Input, Failure> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| wrong(path, error))?;
    let list = |name: &str| match value.get(name) {
        None => Ok(None),
        Some(Value::Array(list)) => Ok(Some(list)),
        Some(_) => Err(wrong(path, format_args!("{name}: expected a list"))),
    };
    let polynomials = list("polynomials")?
        .ok_or_else(|| wrong(path, "polynomials: expected a list, got nothing"))?;
    let vectors = polynomials
        .iter()
        .enumerate()
        .map(|(i, value)| {
            vector(value).map_err(|what| wrong(path, format_args!("polynomials[{i}]{what}")))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut input = Input::of(vectors);
    for (i, opening) in list("openings")?.into_iter().flatten().enumerate() {
        let number = |name: &str, below: usize| {
            opening
                .get(name)
                .and_then(Value::as_u64)
                .and_then(|value| usize::try_from(value).ok())
                .filter(|value| *value < below)
                .ok_or_else(|| {
                    let what =
                        format_args!("openings[{i}].{name}: expected an integer below {below}");
                    wrong(path, what)
                })
        };
        let polynomial = number("polynomial", input.vectors.len())?;
        let point = number("point", DOMAIN)?;
        input.openings.push((polynomial, point as u8));
    }
    Ok(input)
}

fn vector(value: &Value) -> Result<Vector, String> {
    match value {
        Value::Array(list) if list.len() > DOMAIN => Err(format!(
            ": expected at most {DOMAIN} values, got {}",
            list.len()
        )),
        Value::Array(list) => {
            let mut values = Box::new([Fr::ZERO; DOMAIN]);
            for (i, (place, value)) in values.iter_mut().zip(list).enumerate() {
                *place = scalar(value).map_err(|what| format!("[{i}]: {what}"))?;
            }
            Ok(Vector::Dense(values))
        }
        Value::Object(map) => {
            let pair = |(key, value): (&String, &Value)| {
                let position = key
                    .parse()
                    .map_err(|_| format!(".{key}: expected a position from 0 to 255"))?;
                let value = scalar(value).map_err(|what| format!(".{key}: {what}"))?;
                Ok((position, value))
            };
            map.iter()
                .map(pair)
                .collect::<Result<_, String>>()
                .map(Vector::Sparse)
        }
        _ => Err(": expected a list or an object".to_string()),
    }
}

/// An integer, or a hexadecimal one in quotes.
fn scalar(value: &Value) -> Result<Fr, String> {
    let expected = "expected an integer below 2^64 or a hexadecimal integer such as \"0x2a\"";
    if let Some(small) = value.as_u64() {
        return Ok(Fr::from_u64(small));
    }
    let digits = value
        .as_str()
        .and_then(|text| text.strip_prefix("0x"))
        .filter(|digits| (1..=64).contains(&digits.len()))
        .ok_or(expected)?;
    let bytes = crate::text::unhex::<32>(&format!("{digits:0>64}")).ok_or(expected)?;
    Fr::from_be_bytes(&bytes).ok_or_else(|| "not below the group's order".to_string())
}

/// A list of points and ranges of points, such as `0,7,200-255`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Points(pub Vec<u8>);

impl std::str::FromStr for Points {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut points = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let point = |text: &str| {
                text.trim().parse::<u8>().map_err(|_| {
                    format!("expected points from 0 to 255 such as 0,7,200-255, got {part:?}")
                })
            };
            let (first, last) = (point(first)?, point(last)?);
            if first > last {
                return Err(format!("expected an ascending range, got {part:?}"));
            }
            points.extend(first..=last);
        }
        Ok(Self(points))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points() {
        let parse = |text: &str| text.parse::<Points>().map(|points| points.0);
        assert_eq!(parse("0"), Ok(vec![0]));
        assert_eq!(parse("3,1, 254-255"), Ok(vec![3, 1, 254, 255]));
        for bad in ["", "256", "-1", "3-1", "a", "1,,2", "1-"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn packing_holds_every_byte() {
        for length in [0_usize, 1, 30, 31, 32, 255 * 31, 255 * 31 + 1, 600 * 31] {
            let bytes: Vec<u8> = (0..length).map(|i| (i % 251) as u8 + 1).collect();
            let vectors = packed(&bytes);
            assert_eq!(vectors.len(), (1 + length.div_ceil(31)).div_ceil(256));
            let words: Vec<[u8; 32]> = vectors
                .iter()
                .flat_map(|vector| (0..=255).map(|i| vector.value(i).to_le_bytes()))
                .collect();
            assert_eq!(words[0][..8], (length as u64).to_le_bytes());
            let unpacked: Vec<u8> = words[1..].iter().flat_map(|w| w[..31].to_vec()).collect();
            assert_eq!(unpacked[..length], bytes);
            assert!(unpacked[length..].iter().all(|byte| *byte == 0));
        }
    }

    #[test]
    fn scalars_in_json() {
        let parse = |text: &str| scalar(&serde_json::from_str(text).expect("JSON"));
        assert_eq!(parse("42"), Ok(Fr::from_u64(42)));
        assert_eq!(parse("\"0x2a\""), Ok(Fr::from_u64(42)));
        let order = "1cfb69d4ca675f520cce760202687600ff8f87007419047174fd06b52876e7e1";
        assert!(parse(&format!("\"0x{order}\"")).is_err());
        for bad in ["-1", "1.5", "\"2a\"", "\"0x\"", "\"0xzz\"", "null", "[1]"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
