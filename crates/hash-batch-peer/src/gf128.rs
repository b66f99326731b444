//! GF(2^128) for bits and challenges: the folding commitment in the unique-decoding regime, without a
//! conjecture.

use p3_binary_field::{BinaryField2, BinaryField128, Ghash128};
use p3_binary_pcs::{
    BinaryPcsConfig, BinaryPcsParams, BooleanPcs, BooleanTracePcs, GroupedCodewordMmcs,
};
use p3_multi_stark::ReprBackend;
use p3_sumcheck::ring_switch::bits::BitRingSwitch;

use crate::PeerError;
use crate::config::{Merkle, merkle};
use crate::statement::Digest;
use crate::system::System;

type F = BinaryField128;
type Tree = GroupedCodewordMmcs<Merkle<F>>;

/// Bits first as GF(4) planes, then rounds in the polynomial basis, where products are cheap.
type Zerocheck = ReprBackend<BinaryField2, Ghash128>;

/// The peer over GF(2^128).
pub type Gf128 = System<F, F, BooleanPcs<F, Tree, Tree>, Zerocheck>;

/// Target of the commitment, in bits. The field leaves 125 bits less the logarithm of the codeword,
/// so at the largest batch there is nothing above.
const TARGET_BITS: usize = 97;

/// Variables folded between two commitments.
const FOLDING: usize = 3;

/// Proof-of-work before the queries, in bits.
const GRINDING_BITS: usize = 17;

/// Sets up the proof of these digests, whose stacked trace has `2^variables` bits.
///
/// # Errors
/// [`PeerError::Setup`].
pub fn system(
    digests: Vec<Digest>,
    variables: usize,
    log_inv_rate: usize,
) -> Result<Gf128, PeerError> {
    let params = BinaryPcsParams {
        log_inv_rate,
        pow_bits: GRINDING_BITS,
        security_level: TARGET_BITS,
    };
    let committed = variables - BitRingSwitch::<F>::ABSORBED;
    let config = BinaryPcsConfig::try_new_with_folding::<F, F>(committed, params, FOLDING)
        .map_err(|error| PeerError::Setup(error.to_string()))?;
    let tree = Tree::for_folding(merkle(0), &config);
    let commitment = BooleanTracePcs::new(config, tree.clone(), tree, variables)
        .map_err(|error| PeerError::Setup(error.to_string()))?;
    System::new(commitment, digests)
}
