//! What the device tests share. They open the first adapter the system lists and fail without one.

#![allow(dead_code)] // every test file uses a part

use p3_baby_bear::BabyBear;
use p3_field::extension::{BinomialExtensionField, QuinticTrinomialExtensionField};
use p3_field::{ExtensionField, TwoAdicField};
use p3_koala_bear::KoalaBear;
use prova_gpu::{Extension, Field, Gpu, Kit, Multiply, Options};
use prova_hash::HashField;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

pub type BabyBear4 = BinomialExtensionField<BabyBear, 4>;
pub type BabyBear5 = BinomialExtensionField<BabyBear, 5>;
pub type KoalaBear4 = BinomialExtensionField<KoalaBear, 4>;
pub type KoalaBear5 = QuinticTrinomialExtensionField<KoalaBear>;

/// The device under test.
pub fn gpu() -> Gpu {
    Gpu::open(&Options::default()).expect("the tests need a GPU adapter; a software one will do")
}

/// A kit for a field pair with the portable multiplication.
pub fn kit<F, EF>(gpu: &Gpu) -> Kit
where
    F: HashField + TwoAdicField,
    EF: ExtensionField<F>,
{
    kit_with::<F, EF>(gpu, Multiply::M16)
}

/// A kit with a given multiplication.
pub fn kit_with<F, EF>(gpu: &Gpu, multiply: Multiply) -> Kit
where
    F: HashField + TwoAdicField,
    EF: ExtensionField<F>,
{
    Kit::new(
        gpu.clone(),
        Field::of::<F>(),
        Extension::of::<F, EF>(),
        multiply,
    )
}

/// Pseudo-random elements.
pub fn elements<F: HashField>(seed: u64, count: usize) -> Vec<F> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..count)
        .map(|_| F::from_u32(rng.random_range(0..F::ORDER_U32)))
        .collect()
}

/// Pseudo-random extension elements.
pub fn extension_elements<F: HashField, EF: ExtensionField<F>>(seed: u64, count: usize) -> Vec<EF> {
    elements::<F>(seed, count * EF::DIMENSION)
        .chunks_exact(EF::DIMENSION)
        .map(|c| EF::from_basis_coefficients_fn(|i| c[i]))
        .collect()
}

/// Stored words of extension elements.
pub fn words<F: HashField, EF: ExtensionField<F>>(values: &[EF]) -> Vec<u32> {
    values
        .iter()
        .flat_map(|v| F::words(v.as_basis_coefficients_slice()))
        .copied()
        .collect()
}
