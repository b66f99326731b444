//! Statements with the compressions that make them true.

use crate::witness::Compression;
use prova_hash_batch::Digest;
use prova_hash_batch::statement::{Statement, StatementError};
use rayon::prelude::*;

/// A statement and the inputs of all its compressions, in the order of the instances. Instances
/// past the end are [`Compression::padding`].
#[derive(Clone, Debug)]
pub struct Batch {
    /// What the batch proves.
    pub statement: Statement,
    /// One compression an instance.
    pub compressions: Vec<Compression>,
}

/// A message of one block as words.
fn words(message: &[u8; 64]) -> [u32; 16] {
    let (chunks, _) = message.as_chunks::<4>();
    std::array::from_fn(|i| u32::from_le_bytes(chunks[i]))
}

/// The hash that a compression gives.
fn digest(compression: &Compression) -> Digest {
    let mut digest = [0; 32];
    for (bytes, word) in digest
        .as_chunks_mut()
        .0
        .iter_mut()
        .zip(compression.output())
    {
        *bytes = word.to_le_bytes();
    }
    digest
}

/// The hash of a message of 64 bytes.
fn hash_of(message: &[u8; 64]) -> Compression {
    Compression::single_block(words(message), 64)
}

impl Batch {
    /// The list of the digests of `messages`.
    ///
    /// # Errors
    /// See [`Statement::digests`].
    pub fn digests(messages: &[[u8; 64]]) -> Result<Self, StatementError> {
        let compressions: Vec<Compression> = messages.par_iter().map(hash_of).collect();
        let digests = compressions.par_iter().map(digest).collect();
        Ok(Self {
            statement: Statement::digests(digests)?,
            compressions,
        })
    }

    /// The tree over the digests of `messages`, whose number is a power of two. Instance `t` hashes
    /// node `t` in heap order, instance 0 is padding.
    ///
    /// # Errors
    /// See [`Statement::merkle_root`]; a number of messages that is not a power of two.
    pub fn merkle_tree(messages: &[[u8; 64]]) -> Result<Self, StatementError> {
        let leaves = messages.len();
        if !leaves.is_power_of_two() {
            let got = leaves as u64;
            let (least, most) = (got.next_power_of_two(), got.next_power_of_two());
            return Err(StatementError {
                what: "leaves",
                least,
                most,
                got,
            });
        }
        let mut compressions = vec![Compression::padding(); 2 * leaves];
        let (nodes, last) = compressions.split_at_mut(leaves);
        last.par_iter_mut()
            .zip(messages)
            .for_each(|(c, message)| *c = hash_of(message));
        let mut layer: Vec<Digest> = last.par_iter().map(digest).collect();
        while layer.len() > 1 {
            let width = layer.len() / 2;
            let row = &mut nodes[width..2 * width];
            row.par_iter_mut()
                .zip(layer.par_chunks(2))
                .for_each(|(node, children)| {
                    let mut message = [0; 64];
                    message.copy_from_slice(children.as_flattened());
                    *node = hash_of(&message);
                });
            layer = row.par_iter().map(digest).collect();
        }
        Ok(Self {
            statement: Statement::merkle_root(layer[0], leaves.ilog2())?,
            compressions,
        })
    }

    /// The chain of `steps` hashes from `start`, continued to fill all instances.
    ///
    /// # Errors
    /// See [`Statement::chain`].
    pub fn chain(start: Digest, steps: u64) -> Result<Self, StatementError> {
        let shape = Statement::chain(start, start, steps)?;
        let mut message = start;
        let mut compressions = Vec::with_capacity(1 << shape.log_instances());
        let mut end = start;
        for step in 0..1u64 << shape.log_instances() {
            let mut block = [0; 64];
            block[..32].copy_from_slice(&message);
            let compression = Compression::single_block(words(&block), 32);
            message = digest(&compression);
            compressions.push(compression);
            if step + 1 == steps {
                end = message;
            }
        }
        Ok(Self {
            statement: Statement::chain(start, end, steps)?,
            compressions,
        })
    }
}
