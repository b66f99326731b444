//! Vectors, and what several suites need.
#![allow(dead_code)]

use prova_xmss::{PublicKey, Signature, hex};
use serde_json::Value;

/// Cases of a file under `vectors/`.
pub fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a vector file");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    json["cases"].as_array().expect("a list").clone()
}

pub fn bytes(value: &Value) -> Vec<u8> {
    let text = value
        .as_str()
        .expect("a string")
        .strip_prefix("0x")
        .expect("0x");
    let byte = |i| u8::from_str_radix(&text[i..i + 2], 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(byte).collect()
}

pub fn array<const N: usize>(value: &Value) -> [u8; N] {
    hex::decode("value", value.as_str().expect("a string")).expect("hexadecimal")
}

pub fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().expect("a number")).expect("32 bits")
}

/// Key, epoch, message and signature of the accepted verification vector.
pub fn valid() -> (PublicKey, u32, [u8; 32], Signature) {
    let cases = cases("ethereum/verify.json");
    let case = cases
        .iter()
        .find(|c| c["output"] == true)
        .expect("an accepted case");
    let input = &case["input"];
    let key = PublicKey::from_bytes(&bytes(&input["public_key"])).expect("a key");
    let signature = Signature::from_bytes(&bytes(&input["signature"])).expect("a signature");
    (
        key,
        number(&input["epoch"]),
        array(&input["message"]),
        signature,
    )
}

/// The seed of the published key generation cases.
pub fn seed() -> [u8; 32] {
    core::array::from_fn(|i| i as u8)
}
