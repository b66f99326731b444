//! A proof as an `rkyv` archive, nested as Plonky3's types are.

use alloc::vec::Vec;

use rkyv::Archive as Rkyv;

/// Nodes and field elements as words.
#[derive(Rkyv, rkyv::Serialize)]
pub struct Archive {
    /// Public values.
    pub public: Vec<u32>,
    /// Commitments to trace and quotient.
    pub commitments: Vec<[u32; 8]>,
    /// Values at the out-of-domain points.
    pub opened: Vec<[u32; 4]>,
    /// Nonces.
    pub nonces: Vec<u32>,
    /// The final polynomial.
    pub final_poly: Vec<[u32; 4]>,
    /// Multi-openings of the input trees.
    pub inputs: Vec<Input>,
    /// Rounds of folding.
    pub rounds: Vec<Round>,
}

/// A multi-opening of an input tree.
#[derive(Rkyv, rkyv::Serialize)]
pub struct Input {
    /// Query by query.
    pub rows: Vec<Vec<u32>>,
    /// The siblings.
    pub siblings: Vec<[u32; 8]>,
}

/// A round of folding.
#[derive(Rkyv, rkyv::Serialize)]
pub struct Round {
    /// The round's commitment.
    pub commitment: Vec<[u32; 8]>,
    /// Query by query, the rest of the group.
    pub groups: Vec<Vec<[u32; 4]>>,
    /// The siblings.
    pub siblings: Vec<[u32; 8]>,
}
