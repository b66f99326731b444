//! Verification of one signature.

use crate::blake2s::{Blake2s, Compress};
use crate::encoding::{Digits, encode_with};
use crate::error::{LengthError, Rejected, VerifyError};
use crate::layout::{Ethereum, Layout, Purpose};
use crate::params::{CHAIN_STEPS, MESSAGE_BYTES};
use crate::tweak::{Sponge, Words, node, step, to_bytes, to_words};
use crate::types::{PublicKey, Signature};

impl PublicKey {
    /// Whether `signature` is one of this key for `message` at `epoch`.
    ///
    /// # Errors
    /// If it is not.
    pub fn verify(
        &self,
        epoch: u32,
        message: &[u8; MESSAGE_BYTES],
        signature: &Signature,
    ) -> Result<(), Rejected> {
        verify_with::<Ethereum>(&mut Blake2s, self, epoch, message, signature)
    }
}

/// As [`PublicKey::verify`], in any layout and over any compression function.
///
/// An admissible signature costs exactly 133 hash calls of 144 compressions together, right or
/// wrong; another costs the encoding alone, one call of two compressions.
///
/// # Errors
/// If the signature is not valid.
pub fn verify_with<L: Layout>(
    hasher: &mut impl Compress,
    key: &PublicKey,
    epoch: u32,
    message: &[u8; MESSAGE_BYTES],
    signature: &Signature,
) -> Result<(), Rejected> {
    let parameter = to_words(&key.parameter);
    let digits = encode_with::<L>(hasher, parameter, epoch, message, &signature.randomizer)?;
    let leaf = leaf::<L>(hasher, parameter, epoch, &digits, signature);
    let root = climb::<L>(hasher, parameter, epoch, leaf, signature);
    if to_bytes(root) == key.root {
        Ok(())
    } else {
        Err(Rejected::Root)
    }
}

/// As [`PublicKey::verify`], on raw bytes.
///
/// # Errors
/// If a length is wrong, or the signature not valid.
pub fn verify_bytes(
    key: &[u8],
    epoch: u32,
    message: &[u8],
    signature: &[u8],
) -> Result<(), VerifyError> {
    let key = PublicKey::from_bytes(key)?;
    let message = message.try_into().map_err(|_| LengthError {
        what: "message",
        expected: MESSAGE_BYTES,
        got: message.len(),
    })?;
    let signature = Signature::from_bytes(signature)?;
    Ok(key.verify(epoch, message, &signature)?)
}

/// The leaf over the ends of all chains, each walked from its digit's position.
fn leaf<L: Layout>(
    hasher: &mut impl Compress,
    parameter: Words,
    epoch: u32,
    digits: &Digits,
    signature: &Signature,
) -> Words {
    let mut ends = [[0; 4]; crate::params::CHAINS];
    let values = signature.chains.iter().zip(digits);
    for ((end, (value, &digit)), chain) in ends.iter_mut().zip(values).zip(0u32..) {
        *end = (digit..CHAIN_STEPS).fold(to_words(value), |value, position| {
            step::<L>(
                hasher,
                parameter,
                8 * chain + u32::from(position),
                epoch,
                value,
            )
        });
    }
    let mut sponge = Sponge::new(hasher, L::tweak(Purpose::Leaf, 0, epoch), parameter);
    for end in ends {
        sponge.push(end);
    }
    sponge.finish()
}

/// The root that the leaf and the path give.
fn climb<L: Layout>(
    hasher: &mut impl Compress,
    parameter: Words,
    epoch: u32,
    leaf: Words,
    signature: &Signature,
) -> Words {
    let mut index = epoch;
    signature
        .path
        .iter()
        .zip(1u32..)
        .fold(leaf, |own, (sibling, level)| {
            let sibling = to_words(sibling);
            let (left, right) = if index & 1 == 0 {
                (own, sibling)
            } else {
                (sibling, own)
            };
            index >>= 1;
            node::<L>(hasher, parameter, level, index, left, right)
        })
}
