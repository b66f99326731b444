//! Hexadecimal text: lower case with a prefix `0x` when written; either case, the prefix optional,
//! when read.

use core::fmt;

use crate::error::HexError;

/// Reads `N` bytes.
///
/// # Errors
/// If the text has another length or other characters.
pub fn decode<const N: usize>(what: &'static str, text: &str) -> Result<[u8; N], HexError> {
    let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes();
    if digits.len() != 2 * N {
        let (expected, got) = (2 * N, digits.len());
        return Err(HexError::Length {
            what,
            expected,
            got,
        });
    }
    let mut bytes = [0; N];
    let pairs = digits.as_chunks::<2>().0;
    for (i, (byte, &[high, low])) in bytes.iter_mut().zip(pairs).enumerate() {
        let high = nibble(high).ok_or(HexError::Digit { at: 2 * i })?;
        let low = nibble(low).ok_or(HexError::Digit { at: 2 * i + 1 })?;
        *byte = (high << 4) | low;
    }
    Ok(bytes)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// Writes bytes.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, parts: &[&[u8]]) -> fmt::Result {
    f.write_str("0x")?;
    for byte in parts.iter().copied().flatten() {
        write!(f, "{byte:02x}")?;
    }
    Ok(())
}
