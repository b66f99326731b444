//! Witnesses in JSON, as block files have them.
//!
//! Bytes are hexadecimal strings, with or without `0x`. Fields that are not known are skipped;
//! those that are must be there, once. What is allocated is bounded by the length of the text.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ExecutionWitness, StemDiff, VerkleProof, WitnessError};
use crate::field::Fr;

/// A block, or a witness alone: the fields of both.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    #[serde(default, deserialize_with = "some")]
    execution_witness: Option<ExecutionWitness>,
    #[serde(default, deserialize_with = "some")]
    state_diff: Option<Vec<StemDiff>>,
    #[serde(default, deserialize_with = "some")]
    verkle_proof: Option<VerkleProof>,
}

/// The part of a block that is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Block<'a> {
    execution_witness: &'a ExecutionWitness,
}

impl ExecutionWitness {
    /// Reads a block with a member `executionWitness`, or a witness alone.
    ///
    /// # Errors
    /// [`WitnessError::Json`], which names the member, what it should be, line and column.
    pub fn from_json(text: &[u8]) -> Result<Self, WitnessError> {
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let document: Document = serde_path_to_error::deserialize(&mut deserializer)
            .map_err(|error| json_error(&error.path().to_string(), error.inner()))?;
        deserializer
            .end()
            .map_err(|error| json_error(".", &error))?;
        let fail = |path: &str, message: &str| WitnessError::Json {
            path: path.into(),
            message: message.into(),
        };
        match (
            document.execution_witness,
            document.state_diff,
            document.verkle_proof,
        ) {
            (Some(witness), None, None) => Ok(witness),
            (None, Some(state_diff), Some(verkle_proof)) => Ok(Self {
                state_diff,
                verkle_proof,
            }),
            (Some(_), _, _) => Err(fail(
                ".",
                "expected `executionWitness` or `stateDiff` and `verkleProof`, got both",
            )),
            (None, Some(_), None) => Err(fail("verkleProof", "missing")),
            (None, None, Some(_)) => Err(fail("stateDiff", "missing")),
            (None, None, None) => Err(fail("executionWitness", "missing")),
        }
    }

    /// Writes a block with a member `executionWitness` and no other.
    #[must_use]
    pub fn to_json(&self) -> String {
        let block = Block {
            execution_witness: self,
        };
        // Strings, numbers and lists under string keys: there is nothing that could fail.
        serde_json::to_string_pretty(&block).unwrap_or_default()
    }
}

fn json_error(path: &str, error: &serde_json::Error) -> WitnessError {
    WitnessError::Json {
        path: path.into(),
        message: error.to_string(),
    }
}

/// A member that may be missing, but not null.
fn some<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Writes bytes as hexadecimal digits after `0x`.
struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn nibble(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

fn digits(text: &str) -> &[u8] {
    text.strip_prefix("0x").unwrap_or(text).as_bytes()
}

/// Fills `bytes` from exactly twice as many digits.
fn unhex(digits: &[u8], bytes: &mut [u8]) -> Option<()> {
    let (pairs, []) = digits.as_chunks::<2>() else {
        return None;
    };
    if pairs.len() != bytes.len() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = (nibble(*high)? << 4) | nibble(*low)?;
    }
    Some(())
}

/// Exactly N bytes.
struct Fixed<const N: usize>([u8; N]);

impl<'de, const N: usize> Deserialize<'de> for Fixed<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(FixedVisitor)
    }
}

struct FixedVisitor<const N: usize>;

impl<const N: usize> Visitor<'_> for FixedVisitor<N> {
    type Value = Fixed<N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} hexadecimal digits in a string", 2 * N)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        let digits = digits(text);
        if digits.len() != 2 * N {
            return Err(E::invalid_length(digits.len(), &self));
        }
        let mut bytes = [0; N];
        unhex(digits, &mut bytes)
            .map(|()| Fixed(bytes))
            .ok_or_else(|| E::invalid_value(Unexpected::Other("another character"), &self))
    }
}

/// A byte string of given length.
pub(super) mod bytes {
    use super::{Deserialize, Deserializer, Fixed, Hex, Serialize, Serializer};

    pub fn serialize<const N: usize, S: Serializer>(
        bytes: &[u8; N],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        Hex(bytes).serialize(serializer)
    }

    pub fn deserialize<'de, const N: usize, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[u8; N], D::Error> {
        Fixed::deserialize(deserializer).map(|fixed| fixed.0)
    }
}

/// A big-endian scalar, which must be canonical.
pub(super) mod scalar {
    use super::{Deserializer, Error, Fr, Serializer, Unexpected};

    pub fn serialize<S: Serializer>(bytes: &[u8; 32], serializer: S) -> Result<S::Ok, S::Error> {
        super::bytes::serialize(bytes, serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 32], D::Error> {
        let bytes = super::bytes::deserialize(deserializer)?;
        match Fr::from_be_bytes(&bytes) {
            Some(_) => Ok(bytes),
            None => Err(D::Error::invalid_value(
                Unexpected::Other("a larger integer"),
                &"an integer below the group's order",
            )),
        }
    }
}

/// A value or null.
pub(super) mod optional {
    use super::{Deserialize, Deserializer, Fixed, Hex, Serialize, Serializer};
    use crate::witness::Value;

    pub fn serialize<S: Serializer>(
        value: &Option<Value>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(|value| Hex(value)).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Value>, D::Error> {
        let value = Option::<Fixed<32>>::deserialize(deserializer)?;
        Ok(value.map(|fixed| fixed.0))
    }
}

/// A list of byte strings of given length.
pub(super) mod list {
    use super::{Deserialize, Deserializer, Fixed, Hex, Serializer, Vec};

    pub fn serialize<const N: usize, S: Serializer>(
        list: &[[u8; N]],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(list.iter().map(|bytes| Hex(bytes)))
    }

    pub fn deserialize<'de, const N: usize, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<[u8; N]>, D::Error> {
        let list = Vec::<Fixed<N>>::deserialize(deserializer)?;
        Ok(list.into_iter().map(|fixed| fixed.0).collect())
    }
}

/// A list of given length of byte strings of given length.
pub(super) mod array {
    use super::{Deserializer, Error, Serializer, Vec, format};

    pub fn serialize<const N: usize, const M: usize, S: Serializer>(
        array: &[[u8; N]; M],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        super::list::serialize(array, serializer)
    }

    pub fn deserialize<'de, const N: usize, const M: usize, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[[u8; N]; M], D::Error> {
        let list = super::list::deserialize(deserializer)?;
        list.try_into().map_err(|list: Vec<[u8; N]>| {
            D::Error::invalid_length(list.len(), &format!("a list of {M} byte strings").as_str())
        })
    }
}

/// A byte string of any length.
pub(super) mod string {
    use super::{
        Deserializer, Error, Hex, Serialize, Serializer, Unexpected, Vec, Visitor, digits, fmt,
        unhex,
    };

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        Hex(bytes).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_str(StringVisitor)
    }

    struct StringVisitor;

    impl Visitor<'_> for StringVisitor {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an even number of hexadecimal digits in a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
            let digits = digits(text);
            let mut bytes = alloc::vec![0; digits.len() / 2];
            unhex(digits, &mut bytes)
                .map(|()| bytes)
                .ok_or_else(|| E::invalid_value(Unexpected::Other("another string"), &self))
        }
    }
}

/// The last byte of a key: a number, or one or two hexadecimal digits after `0x` in a string.
pub(super) mod suffix {
    use super::{Deserializer, Error, Serializer, Unexpected, Visitor, fmt, nibble};

    pub fn serialize<S: Serializer>(suffix: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*suffix)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        deserializer.deserialize_any(SuffixVisitor)
    }

    struct SuffixVisitor;

    impl Visitor<'_> for SuffixVisitor {
        type Value = u8;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an integer below 256, or a string of 0x and one or two hexadecimal digits")
        }

        fn visit_u64<E: Error>(self, value: u64) -> Result<u8, E> {
            u8::try_from(value).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<u8, E> {
            let value = match text.strip_prefix("0x").map(str::as_bytes) {
                Some([digit]) => nibble(*digit),
                Some([high, low]) => nibble(*high).zip(nibble(*low)).map(|(h, l)| (h << 4) | l),
                _ => None,
            };
            value.ok_or_else(|| E::invalid_value(Unexpected::Other("another string"), &self))
        }
    }
}
