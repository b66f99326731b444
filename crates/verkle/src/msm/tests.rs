use alloc::vec::Vec;
use std::vec;

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_ed_on_bls12_381_bandersnatch as ark;
use ark_ff::PrimeField;
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::digits::Windows;
use super::*;
use crate::curve::Plain;
use crate::element::{Commitment, Element};
use crate::field::{Fp, batch_invert};

const MINUS_ONE: Affine = Affine {
    x: Fp::ZERO,
    y: Fp::from_limbs([
        0xffff_ffff_0000_0000,
        0x53bd_a402_fffe_5bfe,
        0x3339_d808_09a1_d805,
        0x73ed_a753_299d_7d48,
    ]),
};

fn to_ark(point: &Affine) -> ark::EdwardsAffine {
    let coordinate = |c: Fp| ark::Fq::from_le_bytes_mod_order(&c.to_le_bytes());
    ark::EdwardsAffine::new_unchecked(coordinate(point.x), coordinate(point.y))
}

fn from_ark(point: ark::EdwardsProjective) -> Element {
    let point = point.into_affine();
    let coordinate = |c: ark::Fq| Fp::from_limbs(c.into_bigint().0);
    let (x, y) = point.xy().unwrap_or((ark::Fq::from(0), ark::Fq::from(1)));
    Element(
        Affine {
            x: coordinate(x),
            y: coordinate(y),
        }
        .extended(),
    )
}

fn ark_scalar(scalar: Fr) -> ark::Fr {
    ark::Fr::from_le_bytes_mod_order(&scalar.to_le_bytes())
}

/// The encoding of a sum, which must be a point: with X = Y = 0 it would equal everything.
fn encoded(sum: Extended) -> Commitment {
    assert!(!sum.y.is_zero() && !sum.z.is_zero(), "no point: {sum:?}");
    Element(sum).to_commitment()
}

/// What arkworks gives.
fn expected(points: &[Affine], scalars: &[Fr]) -> Commitment {
    let points: Vec<_> = points.iter().map(to_ark).collect();
    let scalars: Vec<_> = scalars.iter().map(|scalar| ark_scalar(*scalar)).collect();
    let sum = ark::EdwardsProjective::msm(&points, &scalars).expect("equal lengths");
    encoded(from_ark(sum).0)
}

/// Points of both representatives, with duplicates, negatives and both forms of the identity.
fn points(count: usize) -> Vec<Affine> {
    let generator = ark::EdwardsProjective::generator();
    let multiples: Vec<_> = (0..count as u64)
        .map(|i| generator * ark::Fr::from(i * i + 7))
        .collect();
    let mut elements: Vec<Extended> = multiples.iter().map(|p| from_ark(*p).0).collect();
    for i in (0..count).step_by(5) {
        elements[i] = -elements[i];
    }
    for i in (1..count).step_by(6) {
        elements[i] = elements[i / 2];
    }
    let mut inverses: Vec<Fp> = elements.iter().map(|e| e.z).collect();
    batch_invert(&mut inverses);
    let mut points: Vec<Affine> = elements
        .iter()
        .zip(inverses)
        .map(|(e, inverse)| Affine {
            x: e.x * inverse,
            y: e.y * inverse,
        })
        .collect();
    for i in (2..count).step_by(7) {
        // The other representative of the same class.
        points[i] = Affine {
            x: -points[i].x,
            y: -points[i].y,
        };
    }
    for i in (3..count).step_by(11) {
        points[i] = if i % 2 == 0 {
            Affine::IDENTITY
        } else {
            MINUS_ONE
        };
    }
    points
}

/// 0, ±1, powers of two and their neighbours, λ, and random scalars.
fn scalars(count: usize, seed: u64) -> Vec<Fr> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut random = || Fr::from_le_bytes_reduced(&rng.random());
    (0..count)
        .map(|i| {
            let power = Fr::from_u64(2).pow(&[i as u64 % 253]);
            match i % 9 {
                0 => Fr::ZERO,
                1 => Fr::ONE,
                2 => -Fr::ONE,
                3 => power,
                4 => -power,
                5 => power - Fr::ONE,
                _ => random(),
            }
        })
        .collect()
}

const ARMS: [Arm; 3] = [Arm::Portable, Arm::Adx, Arm::Ifma];

#[test]
fn products_equal_arkworks() {
    for count in [
        0, 1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 48, 49, 255, 256, 257, 1000, 5000, 9000,
    ] {
        let (points, scalars) = (points(count), scalars(count, count as u64));
        let expected = expected(&points, &scalars);
        for arm in ARMS {
            let got = encoded(msm(arm, &points, &scalars));
            assert_eq!(got, expected, "{arm:?}, {count}");
        }
    }
}

#[test]
fn the_shorter_list_counts() {
    let (points, scalars) = (points(40), scalars(40, 1));
    for arm in ARMS {
        let short = encoded(msm(arm, &points[..30], &scalars));
        assert_eq!(short, encoded(msm(arm, &points, &scalars[..30])));
        assert_eq!(short, expected(&points[..30], &scalars[..30]));
    }
}

#[test]
fn every_window_gives_the_same() {
    let (points, scalars) = (points(99), scalars(99, 2));
    let expected = expected(&points, &scalars);
    for width in 2..=13 {
        let got = pippenger::pippenger(Plain, width, &points, &scalars);
        assert_eq!(encoded(got), expected, "{width}");
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        if let Some(ifma) = crate::simd::Ifma::new(Arm::Ifma) {
            for glv in [false, true] {
                let plan = lanes::Plan { width, glv };
                let got = lanes::pippenger(ifma, plan, &points, &scalars);
                assert_eq!(encoded(got), expected, "{plan:?}");
            }
        }
    }
    assert_eq!(encoded(straus::straus(&points, &scalars)), expected);
}

#[test]
fn equal_terms() {
    let points = vec![points(1)[0]; 500];
    for scalar in [Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::from_u64(1 << 40)] {
        let scalars = vec![scalar; 500];
        let expected = expected(&points, &scalars);
        for arm in ARMS {
            assert_eq!(encoded(msm(arm, &points, &scalars)), expected, "{scalar:?}");
        }
    }
    // Everything cancels.
    let half = [
        scalars(100, 3),
        scalars(100, 3).into_iter().map(|s| -s).collect(),
    ]
    .concat();
    for arm in ARMS {
        assert_eq!(
            encoded(msm(arm, &points[..200], &half)),
            Commitment::IDENTITY
        );
    }
}

#[cfg(feature = "parallel")]
#[test]
fn threads_do_not_change_the_sum() {
    let (points, scalars) = (points(9000), scalars(9000, 4));
    for arm in ARMS {
        let with = |threads: usize, count: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let sum = pool
                .expect("a pool")
                .install(|| msm(arm, &points[..count], &scalars[..count]));
            encoded(sum)
        };
        for count in [9, 300, 9000] {
            assert_eq!(with(1, count), with(2, count));
            assert_eq!(with(1, count), with(5, count));
        }
    }
}

#[test]
fn single_products() {
    let points = points(60);
    for (point, scalar) in points.iter().zip(scalars(60, 5)) {
        let got = scalar_mul(&point.extended(), scalar);
        assert_eq!(encoded(got), expected(&[*point], &[scalar]));
        // From a point whose Z is not one.
        let sixfold = point.extended().double() + point.extended().double().double();
        let six_times = expected(&[*point], &[scalar * Fr::from_u64(6)]);
        assert_eq!(encoded(scalar_mul(&sixfold, scalar)), six_times);
    }
}

#[test]
fn digits_add_up() {
    for bits in [1, 100, 127, 252, 253] {
        for width in 2..=16 {
            let windows = Windows::new(width, bits);
            for scalar in scalars(120, 6) {
                let mut limbs = scalar.to_limbs();
                // The lowest bits, and all ones.
                for (i, limb) in limbs.iter_mut().enumerate() {
                    let kept = bits.saturating_sub(64 * i as u32);
                    let mask = if kept >= 64 {
                        u64::MAX
                    } else {
                        (1 << kept) - 1
                    };
                    *limb = if scalar == Fr::ONE {
                        mask
                    } else {
                        *limb & mask
                    };
                }
                let recoded = windows.recode(&limbs);
                let mut sum = Fr::ZERO;
                for window in (0..windows.count).rev() {
                    let digit = windows.digit(&recoded, window);
                    assert!(digit.unsigned_abs() as usize <= windows.half());
                    let magnitude = Fr::from_u64(u64::from(digit.unsigned_abs()));
                    sum = sum * Fr::from_u64(1 << width)
                        + if digit < 0 { -magnitude } else { magnitude };
                }
                assert_eq!(sum, Fr::from_limbs(limbs), "{bits} bits, width {width}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn random_products(seed: u64, count in 0usize..120) {
        let mut rng = StdRng::seed_from_u64(seed);
        let points = points(count);
        let scalars: Vec<Fr> = (0..count)
            .map(|_| Fr::from_le_bytes_reduced(&rng.random()))
            .collect();
        let expected = expected(&points, &scalars);
        for arm in ARMS {
            prop_assert_eq!(encoded(msm(arm, &points, &scalars)), expected);
        }
    }
}

#[test]
fn representatives_do_not_matter() {
    let ones = [Affine::IDENTITY, MINUS_ONE];
    for arm in ARMS {
        for scalar in scalars(20, 7) {
            let sum = msm(arm, &[ones, ones, ones].concat(), &[scalar; 6]);
            assert_eq!(encoded(sum), Commitment::IDENTITY);
        }
    }
}
