//! Sizes of the instance.

/// Bytes of a digest: a chain value, a tree node, half a public key.
pub const DIGEST_BYTES: usize = 16;
/// Bytes of a message. It is a digest already; the scheme signs nothing longer.
pub const MESSAGE_BYTES: usize = 32;
/// Bytes of the randomizer in a signature.
pub const RANDOMIZER_BYTES: usize = 24;
/// Bytes of the secret seed.
pub const SEED_BYTES: usize = 32;
/// Bits of one digit of an encoding.
pub const DIGIT_BITS: usize = 3;
/// Steps from the start of a chain to its end.
pub const CHAIN_STEPS: u8 = 7;
/// Chains of a one-time key, digits of an encoding.
pub const CHAINS: usize = 42;
/// The sum of the digits of an encoding.
pub const TARGET_SUM: u32 = 195;
/// Levels of the tree above its leaves; an epoch is a leaf's number.
pub const TREE_HEIGHT: usize = 32;
/// Bytes of a public key: root, then public parameter.
pub const PUBLIC_KEY_BYTES: usize = 2 * DIGEST_BYTES;
/// Bytes of a signature: chain values, randomizer, authentication path.
pub const SIGNATURE_BYTES: usize =
    CHAINS * DIGEST_BYTES + RANDOMIZER_BYTES + TREE_HEIGHT * DIGEST_BYTES;

const _: () = assert!(SIGNATURE_BYTES == 1208);

/// Chain steps of every verification.
pub const VERIFIER_STEPS: usize = CHAINS * CHAIN_STEPS as usize - TARGET_SUM as usize;

const _: () = assert!(VERIFIER_STEPS == 99);
