use p3_baby_bear::BabyBear;
use p3_field::extension::{BinomialExtensionField, QuinticTrinomialExtensionField};
use p3_field::{BasedVectorSpace, ExtensionField, Field, PackedValue};
use p3_koala_bear::KoalaBear;
use rand::distr::{Distribution, StandardUniform};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::lanes::deinterleave_portable;
use super::*;

fn round_trip<F: Field, EF: ExtensionField<F>>()
where
    StandardUniform: Distribution<EF>,
{
    let mut rng = StdRng::seed_from_u64(1);
    for log_len in 0..=13 {
        let values: Vec<EF> = (0..1 << log_len).map(|_| rng.random()).collect();
        let mut planes = Planes::<F>::from_ext(&values);
        assert_eq!(planes.log_len(), log_len);
        assert_eq!(planes.to_ext::<EF>(), values);
        assert_eq!(planes.clone().to_ext::<EF>(), values);
        let mut rows = F::zero_vec(planes.degree() << log_len);
        planes.write_interleaved(&mut rows);
        let flat: Vec<F> = values
            .iter()
            .flat_map(|v| v.as_basis_coefficients_slice().to_vec())
            .collect();
        assert_eq!(rows, flat);
        let last = planes.len() - 1;
        planes.set(last, EF::GENERATOR);
        assert_eq!(planes.get::<EF>(last), EF::GENERATOR);
    }
}

#[test]
fn conversions_are_inverse_and_rows_are_value_major() {
    round_trip::<BabyBear, BinomialExtensionField<BabyBear, 4>>();
    round_trip::<BabyBear, BinomialExtensionField<BabyBear, 5>>();
    round_trip::<KoalaBear, BinomialExtensionField<KoalaBear, 4>>();
    round_trip::<KoalaBear, QuinticTrinomialExtensionField<KoalaBear>>();
}

#[test]
fn deinterleave_matches_the_array_form() {
    type P = <BabyBear as Field>::Packing;
    let mut rng = StdRng::seed_from_u64(2);
    let a = P::from_fn(|_| rng.random());
    let b = P::from_fn(|_| rng.random());
    assert_eq!(deinterleave(a, b), deinterleave_portable(a, b));
    let all: Vec<BabyBear> = a.as_slice().iter().chain(b.as_slice()).copied().collect();
    let (even, odd) = deinterleave(a, b);
    for i in 0..P::WIDTH {
        assert_eq!(even.as_slice()[i], all[2 * i]);
        assert_eq!(odd.as_slice()[i], all[2 * i + 1]);
    }
}

#[test]
fn matrix_multiplies() {
    type EF = QuinticTrinomialExtensionField<KoalaBear>;
    let mut rng = StdRng::seed_from_u64(3);
    let (r, x): (EF, EF) = (rng.random(), rng.random());
    let matrix = mul_matrix::<KoalaBear, EF, 5>(r);
    let coefficients: &[KoalaBear] = x.as_basis_coefficients_slice();
    let product = EF::from_basis_coefficients_fn(|k| {
        matrix[k]
            .iter()
            .zip(coefficients)
            .map(|(&m, &c)| m * c)
            .sum::<KoalaBear>()
    });
    assert_eq!(product, r * x);
}
