//! GF(2^64) for bits and GF(2^192) for challenges: WHIR in the proven Johnson regime.

use p3_binary_field::{Poly64, Poly192};
use p3_binary_pcs::BooleanTraceCommitment;
use p3_binary_pcs::whir::{
    BinaryWhirDomain, BooleanWhirPcs, BooleanWhirProver, recommended_cap_height,
};
use p3_multi_stark::BooleanTensorBackend;
use p3_sumcheck::ring_switch::bits::BitRingSwitch;
use p3_whir::{FoldingFactor, ProtocolParameters, SecurityAssumption, WhirConfig};

use crate::PeerError;
use crate::config::{Challenger, Merkle, merkle};
use crate::statement::Digest;
use crate::system::System;

type F = Poly64;
type EF = Poly192;
type Domain = BinaryWhirDomain<F>;
type Commitment = BooleanWhirPcs<F, EF, Domain, Merkle<F>, Challenger<F>>;

/// The peer over GF(2^64) and GF(2^192).
pub type Gf192 = System<F, EF, Commitment, BooleanTensorBackend>;

/// Target of each error term, in bits; their sum is what [`crate::Peer::security_bits`] tells.
const TARGET_BITS: usize = 128;

/// Most proof-of-work of a round, in bits.
const GRINDING_BITS: usize = 17;

/// Variables folded first, and then each round.
const FOLDING: (usize, usize) = (6, 3);

/// Sets up the proof of these digests, whose stacked trace has `2^variables` bits.
///
/// # Errors
/// [`PeerError::Setup`].
pub fn system(
    digests: Vec<Digest>,
    variables: usize,
    log_inv_rate: usize,
) -> Result<Gf192, PeerError> {
    let failed = |error: &dyn std::fmt::Display| PeerError::Setup(error.to_string());
    let committed = variables - BitRingSwitch::<F, EF>::ABSORBED;
    let folding_factor = FoldingFactor::ConstantFromSecondRound(FOLDING.0, FOLDING.1);
    let (rounds, _) = folding_factor
        .compute_number_of_rounds(committed)
        .map_err(|error| failed(&error))?;
    let parameters = ProtocolParameters {
        starting_log_inv_rate: log_inv_rate,
        // The first domain shrinks by three bits, not by one as the published default has it: less to
        // encode and to hash, for somewhat more queries.
        round_log_inv_rates: (0..rounds)
            .map(|round| log_inv_rate + 3 + 2 * round)
            .collect(),
        folding_factor,
        soundness_type: SecurityAssumption::JohnsonBound,
        security_level: TARGET_BITS,
        pow_bits: GRINDING_BITS,
    };
    let domain = Domain::default();
    let config =
        WhirConfig::<EF, F, Challenger<F>>::new_with_domain(committed, parameters, &domain)
            .map_err(|error| failed(&error))?;
    let tree = merkle(recommended_cap_height(&config));
    let prover = BooleanWhirProver::new(config, domain, tree);
    let commitment = BooleanWhirPcs::new(prover, variables).map_err(|error| failed(&error))?;
    System::new(BooleanTraceCommitment::from_commitment(commitment), digests)
}
