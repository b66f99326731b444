use p3_baby_bear::BabyBear;
use p3_field::extension::{BinomialExtensionField, QuinticTrinomialExtensionField};
use p3_koala_bear::KoalaBear;
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use rand::distr::{Distribution, StandardUniform};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;

fn random<T>(rng: &mut StdRng, count: usize) -> Vec<T>
where
    StandardUniform: Distribution<T>,
{
    (0..count).map(|_| rng.random()).collect()
}

fn horner<EF: Field>(f: &[EF], y: EF) -> EF {
    f.iter().rev().fold(EF::ZERO, |acc, &c| acc * y + c)
}

fn evaluations<F: Field, EF: ExtensionField<F>>()
where
    StandardUniform: Distribution<EF>,
{
    let mut rng = StdRng::seed_from_u64(21);
    for n in 0..=13 {
        let f: Vec<EF> = random(&mut rng, 1 << n);
        let y: EF = rng.random();
        let points = [random::<EF>(&mut rng, n), random::<EF>(&mut rng, n)];
        let ood = Point::expand_from_univariate(y, n);
        let got = evaluate(
            &Planes::<F>::from_ext(&f),
            &[
                Functional::Univariate(y),
                Functional::Multilinear(&points[0]),
                Functional::Multilinear(&points[1]),
                Functional::Multilinear(ood.as_slice()),
            ],
        );
        let poly = Poly::new(f.clone());
        let stock = |p: &Point<EF>| poly.eval_ext::<F>(p);
        let [a, b] = points.map(|p| stock(&Point::new(p)));
        assert_eq!(got, [horner(&f, y), a, b, stock(&ood)], "{n}");
        assert!(evaluate::<F, EF>(&Planes::from_ext(&f), &[]).is_empty());
    }
}

fn base_claims<F: Field, EF: ExtensionField<F>>()
where
    StandardUniform: Distribution<EF> + Distribution<F>,
{
    let mut rng = StdRng::seed_from_u64(22);
    for n in 0..=13 {
        let f: Vec<F> = random(&mut rng, 1 << n);
        let lifted: Vec<EF> = f.iter().map(|&c| EF::from(c)).collect();
        let y: EF = rng.random();
        let z: Vec<EF> = random(&mut rng, n);
        for k in 0..=n.min(9) {
            let got = base_evals(
                &f,
                &[Functional::Multilinear(&z), Functional::Univariate(y)],
                k,
            );
            let stock = Poly::new(f.clone()).eval_base(&Point::new(z.clone()));
            assert_eq!(got[0].value, stock, "{n} {k}");
            assert_eq!(got[1].value, horner(&lifted, y), "{n} {k}");
            let eq = Poly::new_from_point(&z[..n - k], EF::ONE);
            for j in 0..1 << k {
                let column = || (0..1 << (n - k)).map(|x| f[(x << k) + j]);
                let want: EF = column()
                    .zip(eq.as_slice())
                    .map(|(c, &weight)| weight * c)
                    .sum();
                assert_eq!(got[0].columns[j], want, "{n} {k} {j}");
                let column: Vec<EF> = column().map(EF::from).collect();
                assert_eq!(got[1].columns[j], horner(&column, y.exp_power_of_2(k)));
            }
        }
    }
}

fn compressions<F: Field, EF: ExtensionField<F>>()
where
    StandardUniform: Distribution<EF> + Distribution<F>,
{
    let mut rng = StdRng::seed_from_u64(23);
    for n in 0..=14 {
        let f: Vec<F> = random(&mut rng, 1 << n);
        for k in 0..=n.min(8) {
            let r: Vec<EF> = random(&mut rng, k);
            let mut want: Vec<EF> = f.iter().map(|&c| EF::from(c)).collect();
            for &r in &r {
                want = want.chunks(2).map(|p| p[0] + r * (p[1] - p[0])).collect();
            }
            assert_eq!(compress(&f, &r).to_ext::<EF>(), want, "{n} {k}");
            let point = Point::new(r.iter().rev().copied().collect::<Vec<_>>());
            let stock = Poly::new(f.clone()).compress_suffix(&point, EF::ONE);
            assert_eq!(stock.as_slice(), want, "{n} {k}");
        }
    }
}

macro_rules! for_all_fields {
    ($name:ident, $check:ident) => {
        #[test]
        fn $name() {
            $check::<BabyBear, BinomialExtensionField<BabyBear, 4>>();
            $check::<BabyBear, BinomialExtensionField<BabyBear, 5>>();
            $check::<KoalaBear, BinomialExtensionField<KoalaBear, 4>>();
            $check::<KoalaBear, QuinticTrinomialExtensionField<KoalaBear>>();
        }
    };
}
for_all_fields!(evaluations_match_horner_and_stock, evaluations);
for_all_fields!(base_claims_match_formula_and_stock, base_claims);
for_all_fields!(compression_matches_rounds_and_stock, compressions);
