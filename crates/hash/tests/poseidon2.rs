//! The batched Poseidon2 against Plonky3's sponge and compression.

use p3_baby_bear::BabyBear;
use p3_koala_bear::KoalaBear;
use p3_poseidon2::ExternalLayerConstants;
use p3_symmetric::{
    CryptographicHasher, PaddingFreeSponge, PseudoCompressionFunction, TruncatedPermutation,
};
use prova_hash::{Poseidon2Field, Poseidon2Kernel};
use rand::distr::{Distribution, StandardUniform};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn element<F: Poseidon2Field<W>, const W: usize>(rng: &mut StdRng) -> F
where
    StandardUniform: Distribution<F>,
{
    // Zeros and the largest value exercise the edges of the lazy reductions.
    match rng.random_range(0..8) {
        0 => F::ZERO,
        1 => F::NEG_ONE,
        2 => F::ONE,
        _ => rng.random(),
    }
}

fn kernels<F: Poseidon2Field<W>, const W: usize>(rng: &mut StdRng) -> Vec<Poseidon2Kernel<F, W>>
where
    StandardUniform: Distribution<F> + Distribution<[F; W]>,
{
    let external = ExternalLayerConstants::new_from_rng(8, rng);
    let internal: Vec<F> = (0..13).map(|_| rng.random()).collect();
    vec![
        Poseidon2Kernel::grain(),
        Poseidon2Kernel::new(&external, &internal),
        Poseidon2Kernel::portable(&external, &internal),
    ]
}

fn rows<F: Poseidon2Field<W>, const W: usize, const RATE: usize>(seed: u64)
where
    StandardUniform: Distribution<F> + Distribution<[F; W]>,
{
    let mut rng = StdRng::seed_from_u64(seed);
    for kernel in kernels::<F, W>(&mut rng) {
        let sponge = PaddingFreeSponge::<F::Perm, W, RATE, 8>::new(kernel.permutation().clone());
        for width in (1..=70).chain([128, 320]) {
            let count = rng.random_range(1..40);
            let rows: Vec<F> = (0..width * count)
                .map(|_| element::<F, W>(&mut rng))
                .collect();
            let mut out = vec![[F::ZERO; 8]; count];
            kernel.hash_rows(&rows, width, &mut out);
            for (row, digest) in rows.chunks(width).zip(&out) {
                let expected: [F; 8] = sponge.hash_slice(row);
                assert_eq!(*digest, expected, "width {width}, {count} rows");
            }
        }
    }
}

#[test]
fn rows_match_baby_bear() {
    rows::<BabyBear, 16, 8>(1);
    rows::<BabyBear, 24, 16>(2);
}

#[test]
fn rows_match_koala_bear() {
    rows::<KoalaBear, 16, 8>(3);
    rows::<KoalaBear, 24, 16>(4);
}

fn nodes<F: Poseidon2Field<16>>(seed: u64)
where
    StandardUniform: Distribution<F> + Distribution<[F; 16]>,
{
    let mut rng = StdRng::seed_from_u64(seed);
    for kernel in kernels::<F, 16>(&mut rng) {
        let oracle = TruncatedPermutation::<F::Perm, 2, 8, 16>::new(kernel.permutation().clone());
        for count in (0..40).chain([1000]) {
            let mut digests = || -> Vec<[F; 8]> {
                (0..count)
                    .map(|_| core::array::from_fn(|_| element::<F, 16>(&mut rng)))
                    .collect()
            };
            let (left, right) = (digests(), digests());
            let mut out = vec![[F::ZERO; 8]; count];
            kernel.compress(&left, &right, &mut out);
            for i in 0..count {
                assert_eq!(out[i], oracle.compress([left[i], right[i]]));
            }
        }
    }
}

#[test]
fn nodes_match() {
    nodes::<BabyBear>(5);
    nodes::<KoalaBear>(6);
}
