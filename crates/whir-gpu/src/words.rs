//! Between field elements and the words a device holds.

use p3_field::BasedVectorSpace;
use prova_hash::HashField;
use prova_whir_prover::ProverSuite;
use prova_whir_prover::error::{DeviceError, DeviceErrorKind};

/// The words of extension elements, coefficients lowest first.
pub fn extension_words<S: ProverSuite>(values: &[S::EF]) -> Vec<u32> {
    let mut words = Vec::with_capacity(values.len() * degree::<S>());
    for value in values {
        words.extend_from_slice(S::F::words(value.as_basis_coefficients_slice()));
    }
    words
}

/// The degree of the challenge field.
pub const fn degree<S: ProverSuite>() -> usize {
    <S::EF as BasedVectorSpace<S::F>>::DIMENSION
}

fn corrupt() -> DeviceError {
    DeviceError::new(
        DeviceErrorKind::Validation,
        "it returned words that are no field elements",
    )
}

/// Base-field elements of words from a device.
///
/// # Errors
/// A word that is not below the modulus.
pub fn elements<S: ProverSuite>(words: &[u32]) -> Result<&[S::F], DeviceError> {
    S::F::from_words(words).ok_or_else(corrupt)
}

/// Extension elements of words from a device.
///
/// # Errors
/// As [`elements`].
pub fn extension_elements<S: ProverSuite>(words: &[u32]) -> Result<Vec<S::EF>, DeviceError> {
    Ok(elements::<S>(words)?
        .chunks_exact(degree::<S>())
        .map(|coefficients| S::EF::from_basis_coefficients_fn(|i| coefficients[i]))
        .collect())
}

/// A digest of words from a device.
///
/// # Errors
/// Words that are no digest.
pub fn digest<S: ProverSuite>(words: &[u32; 8]) -> Result<S::Digest, DeviceError> {
    S::digest_from_words(words).ok_or_else(corrupt)
}
