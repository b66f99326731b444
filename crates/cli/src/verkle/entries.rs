//! Keys and values of a tree from files.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use clap::ValueEnum;
use prova_verkle::witness::{Key, Value};

use crate::error::Failure;
use crate::text::unhex;

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A key and a value a line.
    Csv,
    /// An object from keys to values.
    Json,
}

/// A key, its value, and where they stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: Value,
    /// For messages: `line 3` or `entry 3`.
    pub place: Place,
}

/// A place in a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file.
    Line(usize),
    /// An entry of a JSON object.
    Entry(usize),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Entry(number) => write!(f, "entry {number}"),
        }
    }
}

/// The longest line there can be with something to say in it.
const MAX_LINE: u64 = 1024;

/// Length of the file, before it is read.
///
/// # Errors
/// No such file, or a folder.
pub fn look(path: &Path) -> Result<u64, Failure> {
    let metadata = std::fs::metadata(path).map_err(|error| Failure::io("read", path, &error))?;
    if metadata.is_dir() {
        return Err(wrong(path, "is a folder, expected a file"));
    }
    Ok(metadata.len())
}

/// Reads keys and values.
///
/// # Errors
/// A file that cannot be read or has another format.
pub fn read(path: &Path, format: Option<Format>) -> Result<Vec<Entry>, Failure> {
    let json = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("json"));
    match format.unwrap_or(if json { Format::Json } else { Format::Csv }) {
        Format::Csv => csv(path),
        Format::Json => read_json(path),
    }
}

/// Reads keys, one a line.
///
/// # Errors
/// A file that cannot be read or has another format, or no keys.
pub fn read_keys(path: &Path) -> Result<Vec<Key>, Failure> {
    let mut keys = Vec::new();
    lines(path, |line, number| {
        let key = unhex(line).ok_or_else(|| {
            wrong(
                path,
                format_args!("line {number}: expected a key of 64 hexadecimal digits"),
            )
        })?;
        keys.push(key);
        Ok(())
    })?;
    if keys.is_empty() {
        return Err(wrong(path, "expected at least one key, got none"));
    }
    Ok(keys)
}

fn wrong(path: &Path, what: impl std::fmt::Display) -> Failure {
    Failure::malformed(format_args!("{}: {what}", path.display()))
}

fn csv(path: &Path) -> Result<Vec<Entry>, Failure> {
    let mut entries = Vec::new();
    lines(path, |line, number| {
        let pair = line
            .split_once(',')
            .map(|(key, value)| (key.trim(), value.trim()));
        if number == 1 && pair == Some(("key", "value")) {
            return Ok(());
        }
        let (key, value) = pair
            .and_then(|(key, value)| Some((unhex(key)?, unhex(value)?)))
            .ok_or_else(|| {
                let what = "expected KEY,VALUE of 64 hexadecimal digits each";
                wrong(path, format_args!("line {number}: {what}"))
            })?;
        let place = Place::Line(number);
        entries.push(Entry { key, value, place });
        Ok(())
    })?;
    Ok(entries)
}

/// Hands over every line that says something, trimmed, with its number from 1.
fn lines(
    path: &Path,
    mut line: impl FnMut(&str, usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let failed = |error| Failure::io("read", path, &error);
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let mut buffer = Vec::new();
    for number in 1.. {
        buffer.clear();
        let mut limited = (&mut reader).take(MAX_LINE);
        if limited.read_until(b'\n', &mut buffer).map_err(failed)? == 0 {
            break;
        }
        if buffer.len() as u64 == MAX_LINE {
            return Err(wrong(path, format_args!("line {number}: too long")));
        }
        let text = std::str::from_utf8(&buffer)
            .map_err(|_| wrong(path, format_args!("line {number}: not text")))?
            .trim();
        if !text.is_empty() && !text.starts_with('#') {
            line(text, number)?;
        }
    }
    Ok(())
}

/// An object's entries in the order of the file; `serde_json`'s own map would drop duplicates.
struct Entries(Vec<Entry>);

impl<'de> serde::Deserialize<'de> for Entries {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Entries;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object from keys to values")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Entries, A::Error> {
                use serde::de::Error;
                let word = |text: &str, what: &str, number: usize| {
                    unhex::<32>(text).ok_or_else(|| {
                        A::Error::custom(format_args!(
                            "entry {number}: expected a {what} of 64 hexadecimal digits"
                        ))
                    })
                };
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, String>()? {
                    let number = entries.len() + 1;
                    entries.push(Entry {
                        key: word(&key, "key", number)?,
                        value: word(&value, "value", number)?,
                        place: Place::Entry(number),
                    });
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

fn read_json(path: &Path) -> Result<Vec<Entry>, Failure> {
    let file = File::open(path).map_err(|error| Failure::io("read", path, &error))?;
    let entries: Entries =
        serde_json::from_reader(BufReader::new(file)).map_err(|error| wrong(path, error))?;
    Ok(entries.0)
}
