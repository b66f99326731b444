//! What several test files need.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::Path;

use prova_verkle::{Commitment, Fr};
use serde_json::Value;

/// A vector file.
pub fn json(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("vectors")
        .join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// Bytes of a hexadecimal string, with or without 0x.
pub fn unhex(value: &Value) -> Vec<u8> {
    let text = value.as_str().expect("a string").trim_start_matches("0x");
    assert!(text.len().is_multiple_of(2), "odd number of digits: {text}");
    (0..text.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&text[i..i + 2], 16).expect("hexadecimal"))
        .collect()
}

/// 32 bytes of a hexadecimal string.
pub fn unhex32(value: &Value) -> [u8; 32] {
    unhex(value).try_into().expect("32 bytes")
}

/// A scalar written little-endian.
pub fn scalar_le(value: &Value) -> Fr {
    Fr::from_le_bytes(&unhex32(value)).expect("canonical")
}

/// A scalar written big-endian.
pub fn scalar_be(value: &Value) -> Fr {
    Fr::from_be_bytes(&unhex32(value)).expect("canonical")
}

/// A decoded commitment.
pub fn point(value: &Value) -> Commitment {
    Commitment::from_bytes(&unhex(value)).expect("an element")
}

/// 256 values by position.
pub fn polynomial(value: impl Fn(u64) -> u64) -> [Fr; 256] {
    core::array::from_fn(|i| Fr::from(value(i as u64)))
}
