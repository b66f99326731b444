//! The zerocheck: `a b + z` vanishes on all bits of all blocks.
//!
//! Six variables, the bits of a packed word, are skipped at once: the prover sends a polynomial of
//! degree 127 that vanishes on the nodes of the word's bits. The others are bound from the lowest.

use alloc::vec::Vec;

use prova_binary_pcs::field::{E, PrimeCharacteristicRing, from_limbs, phi8};
use prova_binary_pcs::poly::{Quadratic, dot};
use prova_binary_pcs::stream::Channel;
use prova_binary_pcs::transcript::Transcript;
use prova_proof_file::TapeError;

use super::skip::lagrange_weights;

/// Variables of a block above those of a word.
pub const BLOCK_VARIABLES: usize = 8;

/// Coordinates of the equality point that are constants. Their equality weights form geometric
/// progressions, and all 128 of them are independent over GF(2), which is what soundness needs.
pub const FIXED: usize = 7;

/// The four fixed coordinates outside the byte field are `t / (1 + t)` for `t = G, G^2, G^4, G^8`
/// with this `G`, the first digits of pi.
const PROGRESSION: E = from_limbs([
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7344,
    0xa409_3822_299f_31d0,
]);

/// What the zerocheck ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZerocheckClaims {
    /// The challenge for the skipped variables.
    pub skip: E,
    /// The challenges of the other variables of a block, lowest first.
    pub inner: [E; BLOCK_VARIABLES],
    /// The challenges of the variables that count blocks, lowest first.
    pub outer: Vec<E>,
    /// The claimed values of `A z`, `B z` and `z` there.
    pub values: [E; 3],
}

/// The fixed coordinates: bytes f7, 53, b5 (which are `t / (1 + t)` for `t = x, x^2, x^4` in the
/// byte field), then those of the progression.
pub fn fixed_coordinates() -> [E; FIXED] {
    let mut coordinates = [E::ZERO; FIXED];
    let (bytes, rest) = coordinates.split_at_mut(3);
    for (coordinate, byte) in bytes.iter_mut().zip([0xf7, 0x53, 0xb5]) {
        *coordinate = phi8(byte).into();
    }
    let mut t = PROGRESSION;
    for coordinate in rest {
        *coordinate = t * (E::ONE + t).invert_or_zero();
        t = t.square();
    }
    coordinates
}

/// Scalars that [`verify`] reads for `2^log_blocks` blocks.
#[must_use]
pub const fn scalar_count(log_blocks: usize) -> usize {
    let rounds = BLOCK_VARIABLES.saturating_add(log_blocks);
    rounds.saturating_mul(2).saturating_add(64 + 2)
}

/// Verifies the rounds for `2^log_blocks` blocks. Nothing can be found false here: the claims carry
/// every error into the lincheck.
///
/// # Errors
/// [`TapeError::Exhausted`].
pub fn verify<T: Transcript>(
    channel: &mut Channel<'_, T>,
    log_blocks: usize,
) -> Result<ZerocheckClaims, TapeError> {
    let drawn = (BLOCK_VARIABLES + log_blocks).saturating_sub(FIXED);
    let mut coordinates = Vec::from(fixed_coordinates());
    coordinates.extend(channel.sample_many(drawn));

    let sent = channel.read_array::<64>()?;
    let skip = channel.sample();
    // The first half of the nodes are those of the word's bits, where the polynomial is zero.
    let weights = lagrange_weights(7, skip);
    let mut claim = dot(&sent, weights.get(64..).unwrap_or_default());

    let mut challenges = Vec::with_capacity(coordinates.len());
    for &coordinate in &coordinates {
        let round = Quadratic::without_eq(claim, coordinate, channel.read_array()?);
        let challenge = channel.sample();
        claim = round.at(challenge);
        challenges.push(challenge);
    }
    let mut inner = [E::ZERO; BLOCK_VARIABLES];
    let (low, outer) = challenges.split_at(BLOCK_VARIABLES.min(challenges.len()));
    for (to, &from) in inner.iter_mut().zip(low) {
        *to = from;
    }
    let [a, b] = channel.read_array()?;
    Ok(ZerocheckClaims {
        skip,
        inner,
        outer: outer.to_vec(),
        values: [a, b, claim + a * b],
    })
}
