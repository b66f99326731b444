//! Plain-text layout of reports.

use std::fmt::Write;

/// Lines of `label  value`, the values aligned; a value's own line breaks are indented.
pub fn fields<L: AsRef<str>, V: AsRef<str>>(fields: &[(L, V)]) -> String {
    let width = fields
        .iter()
        .map(|(label, _)| label.as_ref().len())
        .max()
        .unwrap_or(0);
    let indent = format!("\n{:width$}  ", "");
    let lines: Vec<String> = fields
        .iter()
        .map(|(label, value)| {
            format!(
                "{:width$}  {}",
                label.as_ref(),
                value.as_ref().replace('\n', &indent)
            )
        })
        .collect();
    lines.join("\n")
}

/// A table with right-aligned columns, except the first.
pub fn table(headers: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = headers
        .iter()
        .map(|header| header.chars().count())
        .collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut line = String::new();
        for (index, (cell, &width)) in cells.zip(&widths).enumerate() {
            let _ = if index == 0 {
                write!(line, "{cell:width$}")
            } else {
                write!(line, "  {cell:>width$}")
            };
        }
        line.trim_end().to_string()
    };
    let mut lines = vec![line(&mut headers.iter().copied())];
    lines.extend(
        rows.iter()
            .map(|row| line(&mut row.iter().map(String::as_str))),
    );
    lines.join("\n")
}

/// A whole number with thousands separated.
pub fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 point`, `2 points`.
pub fn count(number: usize, singular: &str, plural: &str) -> String {
    let noun = if number == 1 { singular } else { plural };
    format!("{} {noun}", thousands(number as u64))
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
}

/// The bytes of a hexadecimal string of exactly `N` bytes, with or without `0x`.
pub fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if digits.len() != 2 * N || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut out = [0; N];
    for (byte, pair) in out.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(out)
}

/// A duration in milliseconds or seconds.
pub fn duration(time: std::time::Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 {
        format!("{:.2} ms", seconds * 1e3)
    } else {
        format!("{seconds:.3} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separates_thousands() {
        for (value, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(thousands(value), text);
        }
    }

    #[test]
    fn hex_round_trip() {
        let bytes = [0x00, 0xff, 0x1a];
        assert_eq!(hex(&bytes), "00ff1a");
        assert_eq!(unhex("0x00FF1a"), Some(bytes));
        assert_eq!(unhex::<3>("00ff1"), None);
        assert_eq!(unhex::<3>("00ff1g"), None);
        assert_eq!(unhex::<1>("+1"), None);
    }

    #[test]
    fn aligns() {
        let rows = [
            vec!["a".to_string(), "10".to_string()],
            vec!["bcd".to_string(), "5".to_string()],
        ];
        assert_eq!(table(&["x", "n"], &rows), "x     n\na    10\nbcd   5");
        assert_eq!(
            fields(&[("a", "1\n2"), ("long", "3")]),
            "a     1\n      2\nlong  3"
        );
    }
}
