use p3_baby_bear::{BabyBear, Poseidon2BabyBear};
use p3_challenger::fs::TranscriptField;
use p3_challenger::{DuplexChallenger, FieldChallenger, GrindingChallenger};
use p3_field::extension::{BinomialExtensionField, QuinticTrinomialExtensionField};
use p3_field::{ExtensionField, Field, dot_product};
use p3_koala_bear::{KoalaBear, Poseidon2KoalaBear};
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::SumcheckData;
use p3_sumcheck::product_polynomial::ProductPolynomial;
use p3_sumcheck::strategy::{SumcheckProver, VariableOrder};
use rand::distr::{Distribution, StandardUniform};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;

const MAX: usize = 13;

fn random<T>(rng: &mut StdRng, log_len: usize) -> Vec<T>
where
    StandardUniform: Distribution<T>,
{
    (0..1 << log_len).map(|_| rng.random()).collect()
}

fn stock(order: Order) -> VariableOrder {
    match order {
        Order::Suffix => VariableOrder::Suffix,
        Order::Prefix => VariableOrder::Prefix,
    }
}

/// Every round's message and the final values against the stock prover, on its transcript.
fn against_stock<F, EF, C>(challenger: &C)
where
    F: Field + TranscriptField,
    EF: ExtensionField<F>,
    C: FieldChallenger<F> + GrindingChallenger<Witness = F> + Clone,
    StandardUniform: Distribution<EF>,
{
    let mut rng = StdRng::seed_from_u64(11);
    for order in [Order::Suffix, Order::Prefix] {
        for log_len in 1..=MAX {
            let (f, w) = (
                random::<EF>(&mut rng, log_len),
                random::<EF>(&mut rng, log_len),
            );
            let sum = dot_product(f.iter().copied(), w.iter().copied());
            let poly = ProductPolynomial::<F, EF>::new_unpacked(
                stock(order),
                Poly::new(f.clone()),
                Poly::new(w.clone()),
            );
            let mut prover = SumcheckProver::new(poly, sum);
            let mut data = SumcheckData::default();
            let challenges = prover.compute_sumcheck_polynomials(
                &mut data,
                &mut challenger.clone(),
                log_len,
                0,
                None,
            );
            let want = data.polynomial_evaluations();

            let mut f = Planes::<F>::from_ext(&f);
            let mut w = Planes::<F>::from_ext(&w);
            assert_eq!(measure::<F, EF>(&f, &w, order), want[0]);
            for (round, &r) in challenges.iter().enumerate() {
                if round + 1 < log_len {
                    let got = bind_and_measure(&mut f, &mut w, r, order);
                    assert_eq!(got, want[round + 1], "{order:?} {log_len} {round}");
                    assert_eq!(measure::<F, EF>(&f, &w, order), got);
                } else {
                    bind(&mut f, r, order);
                    bind(&mut w, r, order);
                }
            }
            assert_eq!(f.to_ext::<EF>(), prover.evals().as_slice());
            assert_eq!(w.to_ext::<EF>(), prover.weights().as_slice());
        }
    }
}

/// A single binding against the formula.
fn bind_formula<F: Field, EF: ExtensionField<F>>()
where
    StandardUniform: Distribution<EF>,
{
    let mut rng = StdRng::seed_from_u64(12);
    for order in [Order::Suffix, Order::Prefix] {
        for log_len in 1..=15 {
            let f = random::<EF>(&mut rng, log_len);
            let r: EF = rng.random();
            let half = f.len() / 2;
            let want: Vec<EF> = (0..half)
                .map(|i| {
                    let (low, high) = pair(i, half, order);
                    f[low] + r * (f[high] - f[low])
                })
                .collect();
            let mut table = Planes::<F>::from_ext(&f);
            bind(&mut table, r, order);
            assert_eq!(table.to_ext::<EF>(), want, "{order:?} {log_len}");
        }
    }
}

#[test]
fn messages_match_the_stock_prover() {
    let mut rng = StdRng::seed_from_u64(10);
    let perm = Poseidon2BabyBear::<16>::new_from_rng_128(&mut rng);
    let challenger = DuplexChallenger::<BabyBear, _, 16, 8>::new(perm);
    against_stock::<BabyBear, BinomialExtensionField<BabyBear, 4>, _>(&challenger);
    against_stock::<BabyBear, BinomialExtensionField<BabyBear, 5>, _>(&challenger);
    let perm = Poseidon2KoalaBear::<16>::new_from_rng_128(&mut rng);
    let challenger = DuplexChallenger::<KoalaBear, _, 16, 8>::new(perm);
    against_stock::<KoalaBear, BinomialExtensionField<KoalaBear, 4>, _>(&challenger);
    against_stock::<KoalaBear, QuinticTrinomialExtensionField<KoalaBear>, _>(&challenger);
}

#[test]
fn bind_matches_the_formula() {
    bind_formula::<BabyBear, BinomialExtensionField<BabyBear, 4>>();
    bind_formula::<BabyBear, BinomialExtensionField<BabyBear, 5>>();
    bind_formula::<KoalaBear, BinomialExtensionField<KoalaBear, 4>>();
    bind_formula::<KoalaBear, QuinticTrinomialExtensionField<KoalaBear>>();
}
