//! The lincheck: values of `A z`, `B z` and `z` become claims about the bits of the packed words.
//!
//! All blocks have the same matrices, so the check is about one block whose bits are extended over
//! the blocks. A third power of the batching challenge pins the constant wire of every block to one.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use prova_binary_pcs::field::{E, PrimeCharacteristicRing};
use prova_binary_pcs::poly::{Quadratic, dot, eq, eq_table};
use prova_binary_pcs::stream::Channel;
use prova_binary_pcs::transcript::Transcript;

use super::circuit::{ONE, WIRES, walk};
use super::skip::lagrange_weights;
use super::zerocheck::{BLOCK_VARIABLES, ZerocheckClaims};
use crate::error::{Outcome, Rejection, reject};

/// Claims about the bits of the packed words: bit `i` of the words, extended, is `bits[i]` at
/// `point`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitClaims {
    /// Variables of a block's words, then those that count blocks.
    pub point: Vec<E>,
    /// One value a bit.
    pub bits: [E; 64],
}

/// Scalars that [`verify`] reads.
pub const SCALARS: usize = 2 * BLOCK_VARIABLES + 64;

/// Verifies the sumcheck over the wires of a block and its closing identity.
///
/// # Errors
/// Too few scalars; [`Rejection::Lincheck`].
pub fn verify<T: Transcript>(
    channel: &mut Channel<'_, T>,
    zerocheck: &ZerocheckClaims,
) -> Outcome<BitClaims> {
    let alpha = channel.sample();
    let [a, b, c] = zerocheck.values;
    let mut claim = a + alpha * (b + alpha * (c + alpha));

    // Variables of the block's words are bound from the highest.
    let mut inner = [E::ZERO; BLOCK_VARIABLES];
    for coordinate in inner.iter_mut().rev() {
        let round = Quadratic::plain(claim, channel.read_array()?);
        *coordinate = channel.sample();
        claim = round.at(*coordinate);
    }
    let bits = channel.read_array::<64>()?;
    if claim != closing_value(zerocheck, alpha, &inner, &bits) {
        return reject(Rejection::Lincheck);
    }
    let point = inner.iter().chain(&zerocheck.outer).copied().collect();
    Ok(BitClaims { point, bits })
}

/// What the last claim must be: the batched matrices between the row weights of the zerocheck's
/// point and the claimed wires.
pub(crate) fn closing_value(
    zerocheck: &ZerocheckClaims,
    alpha: E,
    inner: &[E; BLOCK_VARIABLES],
    bits: &[E; 64],
) -> E {
    let skip = lagrange_weights(6, zerocheck.skip);
    let rows = outer_product(&eq_table(&zerocheck.inner), &skip);
    let wires = outer_product(&eq_table(inner), bits);
    let (mut a, mut b) = (E::ZERO, E::ZERO);
    walk(&wires, |row, a_row, b_row| {
        let weight = rows.get(row).copied().unwrap_or_default();
        a += weight * a_row;
        b += weight * b_row;
    });
    let c = eq(&zerocheck.inner, inner) * dot(&skip, bits);
    let one = wires.get(ONE).copied().unwrap_or_default();
    a + alpha * (b + alpha * (c + alpha * one))
}

/// `high[i] low[j]` at index `64 i + j`.
fn outer_product(high: &[E], low: &[E]) -> Box<[E; WIRES]> {
    let mut products = vec![E::ZERO; WIRES];
    for (row, &high) in products.as_chunks_mut::<64>().0.iter_mut().zip(high) {
        for (product, &low) in row.iter_mut().zip(low) {
            *product = high * low;
        }
    }
    // The length is that of the array, so the conversion cannot fail.
    products
        .into_boxed_slice()
        .try_into()
        .unwrap_or_else(|_| Box::new([E::ZERO; WIRES]))
}
