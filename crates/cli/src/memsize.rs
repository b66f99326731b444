//! Amounts of memory on the command line and in reports.

use std::fmt;
use std::str::FromStr;

/// A number of bytes, written `512MiB`, `4GiB`, `2GB` or `1000000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemSize(pub u64);

const UNITS: [(&str, u64); 14] = [
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("k", 1 << 10),
    ("m", 1 << 20),
    ("g", 1 << 30),
    ("t", 1 << 40),
    ("b", 1),
    ("", 1),
];

impl FromStr for MemSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!("expected a number of bytes such as 4GiB, 512MiB, 2GB or 1000000, got {text:?}")
        };
        let lower = text.trim().to_ascii_lowercase();
        let digits = lower
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(lower.len());
        let (number, unit) = lower.split_at(digits);
        let number: u64 = number.parse().map_err(|_| expected())?;
        let (_, factor) = UNITS
            .iter()
            .find(|(name, _)| *name == unit.trim())
            .ok_or_else(expected)?;
        number.checked_mul(*factor).map(Self).ok_or_else(expected)
    }
}

impl fmt::Display for MemSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
        for (name, shift) in units {
            if self.0 >> shift != 0 {
                return write!(f, "{:.2} {name}", self.0 as f64 / (1_u64 << shift) as f64);
            }
        }
        write!(f, "{} B", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::MemSize;

    #[test]
    fn parses_units() {
        let cases = [
            ("4GiB", 4 << 30),
            ("512 mib", 512 << 20),
            ("2GB", 2_000_000_000),
            ("3g", 3 << 30),
            ("17", 17),
            ("17B", 17),
        ];
        for (text, bytes) in cases {
            assert_eq!(text.parse(), Ok(MemSize(bytes)), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_not_a_size() {
        for text in ["", "GiB", "-1", "1.5GiB", "4 parsecs", "99999999999TiB"] {
            assert!(text.parse::<MemSize>().is_err(), "{text}");
        }
    }

    #[test]
    fn shows_two_decimals() {
        assert_eq!(MemSize(1536 << 20).to_string(), "1.50 GiB");
        assert_eq!(MemSize(12).to_string(), "12 B");
    }
}
