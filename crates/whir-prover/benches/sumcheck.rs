//! Sumcheck, weight and evaluation kernels against their Plonky3 counterparts, on one thread.
//!
//! Both sides of a comparison alternate within one run; medians, their ratio and the ratio
//! of the fastest runs are printed.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use p3_baby_bear::{BabyBear, Poseidon2BabyBear};
use p3_challenger::DuplexChallenger;
use p3_field::extension::BinomialExtensionField;
use p3_field::{PrimeCharacteristicRing, TwoAdicField, dot_product};
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::SumcheckData;
use p3_sumcheck::constraints::statement::{EqStatement, SelectStatement};
use p3_sumcheck::constraints::{Constraint, Statements};
use p3_sumcheck::product_polynomial::ProductPolynomial;
use p3_sumcheck::strategy::{SumcheckProver, VariableOrder};
use prova_whir_prover::cpu::eval::{Functional, base_evals, compress, evaluate};
use prova_whir_prover::cpu::planes::{Order, Planes};
use prova_whir_prover::cpu::sumcheck::{bind_and_measure, measure};
use prova_whir_prover::cpu::weights::{Select, add_constraints, add_eq};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

type F = BabyBear;
type EF = BinomialExtensionField<BabyBear, 4>;

fn timed<T, R>(input: T, run: impl FnOnce(T) -> R) -> f64 {
    let start = Instant::now();
    let result = black_box(run(black_box(input)));
    let elapsed = start.elapsed().as_secs_f64();
    drop(result);
    elapsed * 1e3
}

/// Alternates the two sides; each gives the milliseconds of one run.
fn compare(name: &str, mut ours: impl FnMut() -> f64, mut stock: impl FnMut() -> f64) {
    let runs = 9;
    let (mut a, mut b) = (vec![], vec![]);
    ours();
    for _ in 0..runs {
        b.push(stock());
        a.push(ours());
    }
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let fastest = b[0] / a[0];
    let (a, b) = (a[runs / 2], b[runs / 2]);
    println!(
        "{name:44} ours {a:9.3} ms   stock {b:9.3} ms   ratio {:6.2} ({fastest:.2})",
        b / a
    );
}

fn table(rng: &mut StdRng, n: usize) -> Vec<EF> {
    (0..1 << n).map(|_| rng.random()).collect()
}

fn rounds(rng: &mut StdRng, n: usize) {
    let challenger =
        DuplexChallenger::<F, _, 16, 8>::new(Poseidon2BabyBear::<16>::new_from_rng_128(rng));
    let (f, w) = (table(rng, n), table(rng, n));
    let (pf, pw) = (Planes::<F>::from_ext(&f), Planes::<F>::from_ext(&w));
    let sum = dot_product(f.iter().copied(), w.iter().copied());
    for (order, stock) in [
        (Order::Suffix, VariableOrder::Suffix),
        (Order::Prefix, VariableOrder::Prefix),
    ] {
        let stock_poly = || match order {
            Order::Suffix => ProductPolynomial::<F, EF>::new_unpacked(
                stock,
                Poly::new(f.clone()),
                Poly::new(w.clone()),
            ),
            Order::Prefix => ProductPolynomial::<F, EF>::new_packed(
                stock,
                Poly::new(f.clone()).pack::<F, EF>(),
                Poly::new(w.clone()).pack::<F, EF>(),
            ),
        };
        let challenges: Vec<EF> = (0..n).map(|_| rng.random()).collect();
        compare(
            &format!("all rounds, n={n}, {order:?}"),
            || {
                timed((pf.clone(), pw.clone()), |(mut f, mut w)| {
                    let mut last: [EF; 2] = measure(&f, &w, order);
                    for &r in &challenges[..n - 1] {
                        last = bind_and_measure(&mut f, &mut w, r, order);
                    }
                    (f, w, last)
                })
            },
            || {
                let prover = SumcheckProver::new(stock_poly(), sum);
                timed(prover, |mut prover| {
                    let mut data = SumcheckData::default();
                    let r = prover.compute_sumcheck_polynomials(
                        &mut data,
                        &mut challenger.clone(),
                        n,
                        0,
                        None,
                    );
                    (prover, r)
                })
            },
        );
    }
}

fn weights(rng: &mut StdRng, n: usize, log_rate: usize, terms: usize) {
    let log_order = n + log_rate;
    let generator = F::two_adic_generator(log_order);
    let indices: Vec<usize> = (0..terms)
        .map(|_| rng.random_range(0..1 << log_order))
        .collect();
    let challenge: EF = rng.random();
    let mut statement = SelectStatement::<F, EF>::initialize(n);
    for &i in &indices {
        statement.add_constraint(generator.exp_u64(i as u64), EF::ZERO);
    }
    let constraint = Constraint::<F, EF>::new_with_existing_claim(
        challenge,
        n,
        vec![Statements::Select(statement)],
    );
    let selected: Vec<(usize, EF)> = indices
        .into_iter()
        .zip(challenge.powers().skip(1))
        .collect();
    let mut w = Planes::<F>::zeros(n, 4);
    let mut packed = Poly::new(vec![EF::ZERO; 1 << n]).pack::<F, EF>();
    compare(
        &format!("select weights, n={n}, rate={log_rate}, {terms} terms"),
        || {
            timed((), |()| {
                add_constraints(
                    &mut w,
                    &[],
                    Select {
                        log_order,
                        terms: &selected,
                    },
                );
            })
        },
        || {
            timed((), |()| {
                constraint.combine_packed(&mut packed, &mut EF::ZERO.clone());
            })
        },
    );
}

fn eq_weights(rng: &mut StdRng, n: usize, count: usize) {
    let points: Vec<Vec<EF>> = (0..count)
        .map(|_| (0..n).map(|_| rng.random()).collect())
        .collect();
    let challenge: EF = rng.random();
    let mut statement = EqStatement::initialize(n);
    for point in &points {
        statement.add_evaluated_constraint(Point::new(point.clone()), EF::ZERO);
    }
    let constraint =
        Constraint::<F, EF>::new_with_existing_claim(challenge, n, vec![Statements::Eq(statement)]);
    let scaled: Vec<(&[EF], EF)> = points
        .iter()
        .map(|p| &p[..])
        .zip(challenge.powers().skip(1))
        .collect();
    let mut w = Planes::<F>::zeros(n, 4);
    let mut packed = Poly::new(vec![EF::ZERO; 1 << n]).pack::<F, EF>();
    compare(
        &format!("eq weights, n={n}, {count} points"),
        || timed((), |()| add_eq(&mut w, &scaled)),
        || {
            timed((), |()| {
                constraint.combine_packed(&mut packed, &mut EF::ZERO.clone());
            })
        },
    );
}

fn evaluations(rng: &mut StdRng, n: usize) {
    let f = table(rng, n);
    let y: EF = rng.random();
    let point = Point::expand_from_univariate(y, n);
    let planes = Planes::<F>::from_ext(&f);
    let poly = Poly::new(f);
    compare(
        &format!("extension evaluation, n={n}"),
        || {
            timed((), |()| {
                evaluate(&planes, &[Functional::Multilinear(point.as_slice())])
            })
        },
        || timed((), |()| poly.eval_ext::<F>(&point)),
    );
    let f: Vec<F> = (0..1 << n).map(|_| rng.random()).collect();
    let poly = Poly::new(f.clone());
    for k in [1, 4, 6] {
        compare(
            &format!("base evaluation, n={n}, fold={k}"),
            || {
                timed((), |()| {
                    base_evals(&f, &[Functional::Multilinear(point.as_slice())], k)
                })
            },
            || timed((), |()| poly.eval_base(&point)),
        );
        let r: Vec<EF> = (0..k).map(|_| rng.random()).collect();
        let reversed = Point::new(r.iter().rev().copied().collect::<Vec<_>>());
        compare(
            &format!("compress, n={n}, fold={k}"),
            || timed((), |()| compress(&f, &r)),
            || timed((), |()| poly.compress_suffix(&reversed, EF::ONE)),
        );
    }
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread pool");
    let mut rng = StdRng::seed_from_u64(0);
    pool.install(|| {
        for n in [18, 20] {
            rounds(&mut rng, n);
            for (log_rate, terms) in [(1, 80), (2, 42), (3, 28)] {
                weights(&mut rng, n, log_rate, terms);
            }
            for count in [1, 3] {
                eq_weights(&mut rng, n, count);
            }
            evaluations(&mut rng, n);
        }
    });
}
