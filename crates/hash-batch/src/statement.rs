//! What a batch proves.

use alloc::vec::Vec;

use prova_binary_pcs::merkle::{DIGEST_BYTES, Digest, hash, hash_equal};

/// Logarithm of the fewest instances of a batch.
pub const LEAST_LOG_INSTANCES: u32 = 3;
/// Logarithm of the most instances: what the largest commitment holds.
pub const MOST_LOG_INSTANCES: u32 = 20;
/// Bytes of a hashed message.
pub const MESSAGE_BYTES: usize = 64;

/// The statement of a batch. All hashes are unkeyed BLAKE2s-256 of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    kind: Kind,
    log_instances: u32,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Somebody knows messages of 64 bytes with these digests, in this order.
    Digests(Vec<Digest>),
    /// Somebody knows `2^log_leaves` messages of 64 bytes whose digests are the leaves of a binary
    /// tree with this root. An inner node is the hash of its children's 64 bytes; the height is part
    /// of the statement, so that leaves cannot be taken for nodes.
    MerkleRoot {
        /// Root of the tree.
        root: Digest,
        /// Logarithm of the number of leaves.
        log_leaves: u32,
    },
    /// Hashing 32 bytes `steps` times, each digest being the next message, leads from `start` to
    /// `end`.
    Chain {
        /// The first message.
        start: Digest,
        /// The last digest.
        end: Digest,
        /// Number of hashes.
        steps: u64,
    },
}

/// A statement has a size that no batch has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {what} from {least} to {most}, got {got}")]
pub struct StatementError {
    /// What is counted.
    pub what: &'static str,
    /// Least count.
    pub least: u64,
    /// Largest count.
    pub most: u64,
    /// The count.
    pub got: u64,
}

fn check(what: &'static str, got: u64, least: u64, most: u64) -> Result<u64, StatementError> {
    if (least..=most).contains(&got) {
        Ok(got)
    } else {
        Err(StatementError {
            what,
            least,
            most,
            got,
        })
    }
}

/// Logarithm of the instances that hold `count` compressions.
fn log_instances(count: u64) -> u32 {
    count
        .next_power_of_two()
        .trailing_zeros()
        .max(LEAST_LOG_INSTANCES)
}

impl Statement {
    /// A list of digests.
    ///
    /// # Errors
    /// An empty list, or one of more than `2^20` digests.
    pub fn digests(digests: Vec<Digest>) -> Result<Self, StatementError> {
        let count = u64::try_from(digests.len()).unwrap_or(u64::MAX);
        let count = check("digests", count, 1, 1 << MOST_LOG_INSTANCES)?;
        Ok(Self {
            kind: Kind::Digests(digests),
            log_instances: log_instances(count),
        })
    }

    /// A tree: one hash for every leaf and every inner node, and one instance that is not used.
    ///
    /// # Errors
    /// Fewer than four leaves, or more than `2^19`.
    pub fn merkle_root(root: Digest, log_leaves: u32) -> Result<Self, StatementError> {
        let (least, most) = (LEAST_LOG_INSTANCES - 1, MOST_LOG_INSTANCES - 1);
        check("log leaves", log_leaves.into(), least.into(), most.into())?;
        Ok(Self {
            kind: Kind::MerkleRoot { root, log_leaves },
            log_instances: log_leaves + 1,
        })
    }

    /// A chain; unused instances continue it.
    ///
    /// # Errors
    /// No step, or more than `2^20`.
    pub fn chain(start: Digest, end: Digest, steps: u64) -> Result<Self, StatementError> {
        let steps = check("steps", steps, 1, 1 << MOST_LOG_INSTANCES)?;
        Ok(Self {
            kind: Kind::Chain { start, end, steps },
            log_instances: log_instances(steps),
        })
    }

    /// What is stated.
    #[must_use]
    pub const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Logarithm of the number of instances.
    #[must_use]
    pub const fn log_instances(&self) -> u32 {
        self.log_instances
    }

    /// Bytes hashed by every instance: 64, or 32 along a chain.
    #[must_use]
    pub const fn message_bytes(&self) -> u64 {
        match self.kind {
            Kind::Chain { .. } => 32,
            _ => 64,
        }
    }

    /// What the transcript absorbs: the kind, its sizes and its data, lists by their hash.
    #[must_use]
    pub fn encoding(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match &self.kind {
            Kind::Digests(digests) => {
                bytes.push(0);
                let count = u64::try_from(digests.len()).unwrap_or(u64::MAX);
                bytes.extend(count.to_le_bytes());
                bytes.extend(list_hash(digests));
            }
            Kind::MerkleRoot { root, log_leaves } => {
                bytes.push(1);
                bytes.extend(u64::from(*log_leaves).to_le_bytes());
                bytes.extend(root);
            }
            Kind::Chain { start, end, steps } => {
                bytes.push(2);
                bytes.extend(steps.to_le_bytes());
                bytes.extend(start);
                bytes.extend(end);
            }
        }
        bytes
    }
}

/// Digests hashed together by [`list_hash`].
const FAN_IN: usize = 32;

/// The hash of a list of known length: lists of at most 32 digests are hashed as they are, of
/// longer ones every 32 digests are replaced by their hash, and so again. All full pieces of a
/// layer are hashed side by side.
fn list_hash(digests: &[Digest]) -> Digest {
    if digests.len() <= FAN_IN {
        return hash(digests.as_flattened());
    }
    let (full, rest) = digests.as_chunks::<FAN_IN>();
    let full = full.as_flattened().as_flattened();
    let mut layer = hash_equal(full, FAN_IN.saturating_mul(DIGEST_BYTES));
    if !rest.is_empty() {
        layer.push(hash(rest.as_flattened()));
    }
    list_hash(&layer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digest_of_a_list_is_absorbed() {
        for count in [1_u8, 31, 32, 33, 65] {
            let digests: Vec<Digest> = (0..count).map(|i| [i; 32]).collect();
            let statement = Statement::digests(digests.clone()).map(|s| s.encoding());
            for index in 0..digests.len() {
                let mut changed = digests.clone();
                if let Some(byte) = changed.get_mut(index).and_then(|d| d.get_mut(7)) {
                    *byte ^= 1;
                }
                assert_ne!(Statement::digests(changed).map(|s| s.encoding()), statement);
            }
        }
    }

    #[test]
    fn sizes_are_checked() {
        assert!(Statement::digests(Vec::new()).is_err());
        assert!(Statement::merkle_root([0; 32], 1).is_err());
        assert!(Statement::merkle_root([0; 32], 20).is_err());
        assert!(Statement::chain([0; 32], [0; 32], 0).is_err());
        assert!(Statement::chain([0; 32], [0; 32], (1 << 20) + 1).is_err());
        assert_eq!(
            Statement::chain([0; 32], [0; 32], 9).map(|s| s.log_instances()),
            Ok(4)
        );
        assert_eq!(
            Statement::merkle_root([0; 32], 2).map(|s| s.log_instances()),
            Ok(3)
        );
    }
}
