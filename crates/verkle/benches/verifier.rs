//! Decoding and verification on one thread, by kernels.

use divan::{Bencher, black_box};
use prova_verkle::multiproof::{BatchItem, verify_batch};
use prova_verkle::{
    Arm, Commitment, Element, Fp, Fr, MultiProof, Opening, Polynomial, Query, ScalarBytes, Setup,
    Transcript, multiproof,
};

const ARMS: [Arm; 2] = [Arm::Portable, Arm::Ifma];
const LABEL: &[u8] = b"bench";

fn main() {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build_global()
        .expect("no pool yet");
    divan::main();
}

fn element() -> Fp {
    Fp::from(3).pow(&[0x1234_5678_9abc_def1, 77])
}

#[divan::bench]
fn invert(bencher: Bencher<'_, '_>) {
    let value = element();
    bencher.bench(|| black_box(value).invert());
}

#[divan::bench]
fn invert_by_fermat(bencher: Bencher<'_, '_>) {
    let minus_two = (Fp::ZERO - Fp::from(2)).to_limbs();
    let value = element();
    bencher.bench(|| black_box(value).pow(&minus_two));
}

#[divan::bench]
fn character(bencher: Bencher<'_, '_>) {
    let value = element();
    bencher.bench(|| black_box(value).is_square());
}

#[divan::bench]
fn square_root(bencher: Bencher<'_, '_>) {
    let value = element().square();
    bencher.bench(|| black_box(value).sqrt());
}

/// Distinct elements: multiples of the generator.
fn elements(count: usize) -> Vec<Element> {
    let step = Element::generator();
    core::iter::successors(Some(step.double()), |element| Some(*element + step))
        .take(count)
        .collect()
}

#[divan::bench(args = ARMS)]
fn decode_256(bencher: Bencher<'_, '_>, arm: Arm) {
    let commitments = Commitment::normalise(&elements(256));
    let encodings: Vec<[u8; 32]> = commitments.iter().map(|c| *c.as_bytes()).collect();
    bencher.bench_local(|| Commitment::decode_all_with(arm, &encodings).expect("valid"));
}

#[divan::bench]
fn normalise_256(bencher: Bencher<'_, '_>) {
    let elements = elements(256);
    bencher.bench_local(|| Commitment::normalise(&elements));
}

#[divan::bench]
fn map_256_to_scalar(bencher: Bencher<'_, '_>) {
    let commitments = Commitment::normalise(&elements(256));
    bencher.bench_local(|| Commitment::map_all_to_scalar(&commitments));
}

/// Openings of distinct polynomials with two values each, and their proof.
struct Case {
    commitments: Vec<Commitment>,
    values: Vec<[(u8, Fr); 2]>,
    proof: MultiProof,
}

impl Case {
    fn new(setup: &Setup, count: usize) -> Self {
        let values: Vec<[(u8, Fr); 2]> = (0..count)
            .map(|i| [(i as u8, Fr::from(i as u64 + 1)), (!i as u8, Fr::from(7))])
            .collect();
        let elements: Vec<Element> = values.iter().map(|v| setup.commit_sparse(v)).collect();
        let commitments = Commitment::normalise(&elements);
        let openings: Vec<Opening<'_>> = commitments
            .iter()
            .zip(&values)
            .map(|(commitment, values)| Opening {
                commitment,
                polynomial: Polynomial::Sparse(values),
                point: values[0].0,
            })
            .collect();
        let proof = multiproof::prove(setup, &mut Transcript::new(LABEL), &openings);
        Self {
            commitments,
            values,
            proof: proof.expect("proved"),
        }
    }

    fn queries(&self) -> Vec<Query<'_>> {
        let all = self.commitments.iter().zip(&self.values);
        all.map(|(commitment, [(point, value), _])| Query {
            commitment,
            point: *point,
            value: ScalarBytes::from(*value),
        })
        .collect()
    }
}

#[divan::bench(args = [1, 217, 2000])]
fn verify(bencher: Bencher<'_, '_>, count: usize) {
    let setup = Setup::ethereum();
    let case = Case::new(&setup, count);
    let queries = case.queries();
    bencher.bench_local(|| {
        let mut transcript = Transcript::new(LABEL);
        multiproof::verify(&setup, &mut transcript, &case.proof, &queries).expect("valid");
    });
}

#[divan::bench(args = [1, 16])]
fn verify_batch_of_217(bencher: Bencher<'_, '_>, proofs: usize) {
    let setup = Setup::ethereum();
    let case = Case::new(&setup, 217);
    let queries = case.queries();
    bencher.bench_local(|| {
        let mut transcripts = vec![Transcript::new(LABEL); proofs];
        let mut items: Vec<BatchItem<'_>> = transcripts
            .iter_mut()
            .map(|transcript| BatchItem {
                transcript,
                proof: &case.proof,
                queries: &queries,
            })
            .collect();
        verify_batch(&setup, &mut items).expect("valid");
    });
}
