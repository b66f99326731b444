use p3_baby_bear::BabyBear;
use p3_field::TwoAdicField;
use p3_field::extension::{BinomialExtensionField, QuinticTrinomialExtensionField};
use p3_koala_bear::KoalaBear;
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::constraints::statement::{EqStatement, SelectStatement};
use p3_sumcheck::constraints::{Constraint, Statements};
use rand::distr::{Distribution, StandardUniform};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::select::MAX_SPLIT;
use super::*;

fn random<T>(rng: &mut StdRng, count: usize) -> Vec<T>
where
    StandardUniform: Distribution<T>,
{
    (0..count).map(|_| rng.random()).collect()
}

fn eq_weights<F: TwoAdicField, EF: ExtensionField<F>>()
where
    StandardUniform: Distribution<EF>,
{
    let mut rng = StdRng::seed_from_u64(31);
    for n in 0..=13 {
        for count in 0..=3 {
            let initial: Vec<EF> = random(&mut rng, 1 << n);
            let points: Vec<(Vec<EF>, EF)> = (0..count)
                .map(|_| (random(&mut rng, n), rng.random()))
                .collect();
            let mut want = initial.clone();
            for (point, scale) in &points {
                let weights = Poly::new_from_point(point, *scale);
                for (want, &weight) in want.iter_mut().zip(weights.as_slice()) {
                    *want += weight;
                }
            }
            let mut w = Planes::<F>::from_ext(&initial);
            let points: Vec<(&[EF], EF)> = points.iter().map(|(z, c)| (&z[..], *c)).collect();
            add_eq(&mut w, &points);
            assert_eq!(w.to_ext::<EF>(), want, "{n} {count}");
        }
    }
}

/// Both kinds of constraints, with every division of the index bits, against the stock combiner.
fn constraints<F: TwoAdicField, EF: ExtensionField<F>>()
where
    StandardUniform: Distribution<EF>,
{
    let mut rng = StdRng::seed_from_u64(32);
    for n in 0..=12 {
        for (log_rate, terms) in [(0, 20), (1, 81), (2, 1), (3, 30), (4, 9)] {
            let log_order = n + log_rate;
            let generator = F::two_adic_generator(log_order);
            let indices: Vec<usize> = (0..terms)
                .map(|_| rng.random_range(0..1usize << log_order))
                .collect();
            let challenge: EF = rng.random();
            let y: EF = rng.random();
            let point = Point::expand_from_univariate(y, n);

            let mut eq = EqStatement::initialize(n);
            eq.add_evaluated_constraint(point.clone(), EF::ZERO);
            let mut select = SelectStatement::<F, EF>::initialize(n);
            for &i in &indices {
                select.add_constraint(generator.exp_u64(i as u64), EF::ZERO);
            }
            let constraint = Constraint::<F, EF>::new_with_existing_claim(
                challenge,
                n,
                vec![Statements::Eq(eq), Statements::Select(select)],
            );
            let initial: Vec<EF> = random(&mut rng, 1 << n);
            let mut want = Poly::new(initial.clone());
            constraint.combine(&mut want, &mut EF::ZERO.clone());

            let mut powers = challenge.powers().skip(1);
            let eq = [(point.as_slice(), powers.next().expect("infinite"))];
            let terms: Vec<(usize, EF)> = indices.into_iter().zip(powers).collect();
            let select = Select {
                log_order,
                terms: &terms,
            };
            let mut plans = vec![None, Plan::choose::<F>(n, log_order, terms.len())];
            plans.extend((0..=MAX_SPLIT).map(|s| Plan::with_split::<F>(n, log_order, s)));
            for plan in plans {
                let mut w = Planes::<F>::from_ext(&initial);
                add_planned(&mut w, &eq, select, plan);
                assert_eq!(w.to_ext::<EF>(), want.as_slice(), "{n} {plan:?}");
            }
            let mut w = Planes::<F>::from_ext(&initial);
            add_constraints(&mut w, &eq, select);
            assert_eq!(w.to_ext::<EF>(), want.as_slice());
        }
    }
}

#[test]
fn eq_weights_match_stock() {
    eq_weights::<BabyBear, BinomialExtensionField<BabyBear, 4>>();
    eq_weights::<BabyBear, BinomialExtensionField<BabyBear, 5>>();
    eq_weights::<KoalaBear, BinomialExtensionField<KoalaBear, 4>>();
    eq_weights::<KoalaBear, QuinticTrinomialExtensionField<KoalaBear>>();
}

#[test]
fn constraints_match_stock() {
    constraints::<BabyBear, BinomialExtensionField<BabyBear, 4>>();
    constraints::<BabyBear, BinomialExtensionField<BabyBear, 5>>();
    constraints::<KoalaBear, BinomialExtensionField<KoalaBear, 4>>();
    constraints::<KoalaBear, QuinticTrinomialExtensionField<KoalaBear>>();
}
