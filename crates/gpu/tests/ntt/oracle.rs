//! Codewords as Plonky3 computes them, and the comparison.

use p3_dft::{Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_field::TwoAdicField;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use prova_gpu::ntt::{Kind, Ntt, Pass, Shape, plan};
use prova_gpu::{Cost, Kit};
use prova_hash::HashField;

use crate::common::elements;

/// The low `bits` bits of `i`, reversed.
pub fn reverse(i: usize, bits: usize) -> usize {
    i.reverse_bits()
        .checked_shr(usize::BITS - bits as u32)
        .unwrap_or(0)
}

/// The stored codeword: the stock transform of the zero-padded matrix, rows bit-reversed.
pub fn reference<F: HashField + TwoAdicField>(message: &[F], shape: Shape) -> Vec<F> {
    let mut padded = message.to_vec();
    padded.resize(message.len() << shape.log_inv_rate, F::ZERO);
    let dft = Radix2DFTSmallBatch::<F>::default();
    let natural = dft
        .dft_batch(RowMajorMatrix::new(padded, shape.width))
        .to_row_major_matrix()
        .values;
    let bits = shape.log_rows + shape.log_inv_rate;
    let mut stored = vec![F::ZERO; natural.len()];
    for (i, row) in natural.chunks_exact(shape.width).enumerate() {
        stored[reverse(i, bits) * shape.width..][..shape.width].copy_from_slice(row);
    }
    stored
}

/// Encodes all cosets into one buffer and compares, by given passes or the planned ones.
pub fn check<F: HashField + TwoAdicField>(
    kit: &Kit,
    ntt: &Ntt,
    shape: Shape,
    passes: Option<&[Pass]>,
) {
    let words = shape.words();
    let message = elements::<F>(shape.log_rows as u64, words as usize);
    let uploaded = kit.gpu.upload(F::words(&message)).unwrap();
    let codeword = kit.gpu.buffer(words << shape.log_inv_rate).unwrap();
    let cosets: Vec<_> = (0..1 << shape.log_inv_rate)
        .map(|j| {
            let block = reverse(j, shape.log_inv_rate) as u64;
            (j, codeword.slice(block * words, words))
        })
        .collect();
    let _ = kit.gpu.take_ledger();
    let mut recorder = kit.gpu.record();
    let message_slice = uploaded.slice(0, words);
    match passes {
        Some(passes) => ntt.encode_by(&mut recorder, &message_slice, shape, &cosets, None, passes),
        None => ntt
            .encode(&mut recorder, &message_slice, shape, &cosets, None)
            .map(|hashed| assert!(!hashed)),
    }
    .unwrap();
    let ticket = recorder.read(&codeword.slice(0, words << shape.log_inv_rate));
    let back = recorder.finish().unwrap();
    let planned = plan(shape, cosets.len(), &kit.gpu.limits());
    let passes = passes.unwrap_or(&planned);
    let cost = passes.iter().fold(Cost::default(), |sum, p| sum + p.cost);
    assert_eq!(kit.gpu.ledger().cost("ntt"), cost, "{shape:?} {passes:?}");
    let expected = reference(&message, shape);
    assert!(
        back.get(ticket) == F::words(&expected),
        "{shape:?} {passes:?}"
    );
}

/// A codeword's shape.
pub fn shape(log_rows: usize, width: usize, log_inv_rate: usize) -> Shape {
    Shape {
        log_rows,
        width,
        log_inv_rate,
    }
}

/// Passes of given kinds and bits.
pub fn passes(shape: Shape, list: &[(usize, Kind)]) -> Vec<Pass> {
    let mut done = 0;
    list.iter()
        .map(|&(bits, kind)| {
            let pass = Pass::new(shape, done, bits, kind, 1 << shape.log_inv_rate);
            done += bits;
            pass
        })
        .collect()
}
