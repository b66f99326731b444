//! Decoding, normalising and mapping of many elements at once.

use alloc::vec::Vec;

use crate::arm::Arm;
use crate::chunks::for_chunks;
use crate::curve::{Affine, D};
use crate::element::{Commitment, Element, PointError, roots, to_scalar};
use crate::field::{Fp, Fr, batch_invert_with};

/// Elements that share an inversion.
const CHUNK: usize = 128;
/// Encodings that do. Each costs so much more that smaller chunks spread better over threads.
const DECODE_CHUNK: usize = 64;

impl Commitment {
    /// Decodes many encodings, each checked as [`Commitment::from_bytes`] does, with the fastest
    /// kernels this CPU can run.
    ///
    /// # Errors
    /// The index of the first bad encoding, and what is wrong with it.
    pub fn decode_all(encodings: &[[u8; 32]]) -> Result<Vec<Self>, (usize, PointError)> {
        Self::decode_all_with(Arm::best(), encodings)
    }

    /// [`Self::decode_all`] with kernels that are named; those that cannot run here are not taken.
    ///
    /// # Errors
    /// The index of the first bad encoding, and what is wrong with it.
    pub fn decode_all_with(
        arm: Arm,
        encodings: &[[u8; 32]],
    ) -> Result<Vec<Self>, (usize, PointError)> {
        let mut commitments = alloc::vec![Self::IDENTITY; encodings.len()];
        let errors = for_chunks(
            DECODE_CHUNK,
            encodings,
            &mut commitments,
            |start, encodings, commitments| {
                decode_chunk(arm, encodings, commitments)
                    .map_err(|(index, error)| (start + index, error))
            },
        );
        errors.into_iter().collect::<Result<(), _>>()?;
        Ok(commitments)
    }

    /// Encodes many elements, with one inversion a chunk.
    #[must_use]
    pub fn normalise(elements: &[Element]) -> Vec<Self> {
        let mut commitments = alloc::vec![Self::IDENTITY; elements.len()];
        for_chunks(
            CHUNK,
            elements,
            &mut commitments,
            |_, elements, commitments| {
                let inverses = inverses(elements.iter().map(|element| element.0.z));
                for ((commitment, element), inverse) in
                    commitments.iter_mut().zip(elements).zip(inverses)
                {
                    *commitment = Self::from_affine(Affine {
                        x: element.0.x * inverse,
                        y: element.0.y * inverse,
                    });
                }
            },
        );
        commitments
    }

    /// [`Commitment::map_to_scalar`] of many, with one inversion a chunk.
    #[must_use]
    pub fn map_all_to_scalar(commitments: &[Self]) -> Vec<Fr> {
        let mut scalars = alloc::vec![Fr::ZERO; commitments.len()];
        for_chunks(
            CHUNK,
            commitments,
            &mut scalars,
            |_, commitments, scalars| {
                let inverses = inverses(commitments.iter().map(|commitment| commitment.point.y));
                for ((scalar, commitment), inverse) in
                    scalars.iter_mut().zip(commitments).zip(inverses)
                {
                    *scalar = to_scalar(commitment.point.x * inverse);
                }
            },
        );
        scalars
    }
}

/// The inverses of at most [`CHUNK`] values.
fn inverses(values: impl ExactSizeIterator<Item = Fp>) -> [Fp; CHUNK] {
    let mut inverses = [Fp::ZERO; CHUNK];
    let mut products = [Fp::ZERO; CHUNK];
    let count = values.len().min(CHUNK);
    for (inverse, value) in inverses.iter_mut().zip(values) {
        *inverse = value;
    }
    batch_invert_with(&mut inverses[..count], &mut products);
    inverses
}

/// Decodes at most [`DECODE_CHUNK`] encodings.
fn decode_chunk(
    arm: Arm,
    encodings: &[[u8; 32]],
    commitments: &mut [Commitment],
) -> Result<(), (usize, PointError)> {
    // An x that is not canonical is an error; what becomes of the others is seen before that is
    // reported, since an earlier one may be worse.
    let mut xs = [Fp::ZERO; DECODE_CHUNK];
    let mut canonical = [true; DECODE_CHUNK];
    for ((x, canonical), bytes) in xs.iter_mut().zip(&mut canonical).zip(encodings) {
        match Fp::from_be_bytes(bytes) {
            Some(value) => *x = value,
            None => *canonical = false,
        }
    }
    let xs = &xs[..encodings.len()];
    let mut ys = [Err(PointError::NotOnCurve); DECODE_CHUNK];
    solve(arm, xs, &mut ys);
    for (index, commitment) in commitments.iter_mut().enumerate() {
        if !canonical[index] {
            return Err((index, PointError::NotCanonical));
        }
        let y = ys[index].map_err(|error| (index, error))?;
        *commitment = Commitment::from_root(&encodings[index], xs[index], y);
    }
    Ok(())
}

/// A y for every x, or what is wrong with the x.
fn solve(arm: Arm, xs: &[Fp], ys: &mut [Result<Fp, PointError>; DECODE_CHUNK]) {
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    if let Some(ifma) = crate::simd::Ifma::new(arm) {
        return ifma.solve(xs, ys);
    }
    #[cfg(not(all(feature = "simd", target_arch = "x86_64")))]
    let _ = arm;
    // Two at a time: a power is a chain of products, and one alone leaves the multiplier idle.
    let inverses = inverses(xs.iter().map(|x| Fp::ONE - D * x.square()));
    let groups = xs.chunks(2).zip(inverses.chunks(2)).zip(ys.chunks_mut(2));
    for ((xs, inverses), ys) in groups {
        let (mut characters, mut squares) = ([Fp::ONE; 2], [Fp::ONE; 2]);
        for (i, (x, inverse)) in xs.iter().zip(inverses).enumerate() {
            characters[i] = Affine::subgroup_character(*x);
            squares[i] = characters[i] * *inverse;
        }
        ys.copy_from_slice(&roots(characters, squares));
    }
}
