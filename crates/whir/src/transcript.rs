//! What the transcript absorbs around a `p3-whir` run; `docs/transcript-whir.md` lists it whole.

use p3_challenger::CanObserve;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

use alloc::vec::Vec;

use crate::params::Params;
use crate::statement::Statement;
use crate::suite::Suite;

/// First bytes of every transcript.
const DOMAIN: &[u8] = b"prova/whir/1";

/// Absorbs the domain, the parameters and the part of the statement that precedes the commitment.
///
/// Each string is preceded by its length (four bytes, little-endian) and goes in one field
/// element a byte.
pub fn begin<S: Suite, C: CanObserve<S::F>>(
    challenger: &mut C,
    params: &Params,
    statement: &Statement,
) {
    for bytes in [DOMAIN, &params.to_bytes(), &statement.schedule_bytes()] {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
        for &byte in length.iter().chain(bytes) {
            challenger.observe(S::F::from_u8(byte));
        }
    }
}

/// Absorbs given opening points, coefficient by coefficient.
pub fn observe_points<S: Suite, C: CanObserve<S::F>>(challenger: &mut C, points: &[Vec<S::EF>]) {
    for coordinate in points.iter().flatten() {
        for &coefficient in coordinate.as_basis_coefficients_slice() {
            challenger.observe(coefficient);
        }
    }
}
