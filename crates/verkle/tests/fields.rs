//! Field operations against arkworks and against their definitions.

use ark_ed_on_bls12_381_bandersnatch::{Fq, Fr as ArkFr};
use ark_ff::{Field as _, PrimeField};
use proptest::prelude::*;
use prova_verkle::{BaseModulus, Field, Fp, Fr, Modulus, ScalarModulus, batch_invert};

/// Elements whose limbs are extreme in one way or another, and 0, ±1, ±2, ±1/2.
fn extremes<M: Modulus>() -> Vec<Field<M>> {
    let mut values = Vec::new();
    for bit in 0..255 {
        let mut limbs = [0; 4];
        limbs[bit / 64] = 1u64 << (bit % 64);
        let power = Field::from_limbs(limbs);
        values.extend([power, power - Field::ONE, -power, Field::ONE - power]);
    }
    for mask in 0..16u64 {
        let limbs = core::array::from_fn(|i| if mask >> i & 1 == 1 { u64::MAX } else { 0 });
        values.extend([Field::from_limbs(limbs), -Field::from_limbs(limbs)]);
    }
    values.push(fermat(Field::from(2)));
    for value in values.clone() {
        // The same in the form the limbs are held in: times 2^256.
        values.push(value * Field::from(2).pow(&[256]));
        values.push(value * Field::from(2).pow(&[256]).invert().expect("not zero"));
    }
    values
}

fn fermat<M: Modulus>(value: Field<M>) -> Field<M> {
    let mut exponent = M::MODULUS;
    exponent[0] -= 2;
    value.pow(&exponent)
}

fn check_inverse<M: Modulus>(value: Field<M>) {
    match value.invert() {
        None => assert!(value.is_zero()),
        Some(inverse) => {
            assert_eq!(inverse * value, Field::ONE, "{value:?}");
            assert_eq!(inverse, fermat(value), "{value:?}");
        }
    }
}

/// The square root and the character of `value`, by Euler's criterion and arkworks.
fn check_root(value: Fp) {
    let theirs = Fq::from_le_bytes_mod_order(&value.to_le_bytes());
    let square = !theirs.legendre().is_qnr();
    assert_eq!(value.is_square(), square, "{value:?}");
    assert_eq!(value.sqrt().is_some(), square, "{value:?}");
    if let Some(root) = value.sqrt() {
        assert_eq!(root.square(), value);
        let expected = theirs.sqrt().expect("a square");
        let root = Fq::from_le_bytes_mod_order(&root.to_le_bytes());
        assert!(root == expected || root == -expected, "{value:?}");
    }
}

#[test]
fn extreme_values() {
    for value in extremes::<ScalarModulus>() {
        check_inverse(value);
    }
    for value in extremes::<BaseModulus>() {
        check_inverse(value);
        check_root(value);
    }
    assert_eq!(Fp::ZERO.sqrt(), Some(Fp::ZERO));
}

/// The subgroup of order 2^32, where the table works: every order, and every digit of the
/// logarithm.
#[test]
fn roots_of_unity() {
    let mut exponent = Fp::from(7);
    let odd_part = [
        0xfffe_5bfe_ffff_ffff,
        0x09a1_d805_53bd_a402,
        0x299d_7d48_3339_d808,
        0x0000_0000_73ed_a753,
    ];
    // 7 is no square, so its odd part's power generates the subgroup.
    exponent = exponent.pow(&odd_part);
    for k in 0..32 {
        let root = exponent.pow(&[1 << k]);
        check_root(root);
        check_root(root.pow(&[3]));
        for digit in [1, 2, 127, 128, 254, 255] {
            check_root(root.pow(&[digit]));
        }
    }
    for j in 0..256 {
        check_root(exponent.pow(&[j << 24]));
        check_root(exponent.pow(&[j << 16 | 2]));
        check_root(exponent.pow(&[j << 8 | 4]));
        check_root(exponent.pow(&[j]));
    }
}

fn field<M: Modulus>() -> impl Strategy<Value = Field<M>> {
    any::<[u8; 32]>().prop_map(|bytes| Field::from_le_bytes_reduced(&bytes))
}

/// Few significant bits, to reach the last rounds of the algorithms directly.
fn short<M: Modulus>() -> impl Strategy<Value = Field<M>> {
    (any::<[u64; 4]>(), 0..256u32).prop_map(|(limbs, drop)| {
        let mut limbs = limbs;
        for (i, limb) in limbs.iter_mut().enumerate() {
            let keep = 256u32.saturating_sub(drop).saturating_sub(64 * i as u32);
            if keep < 64 {
                *limb &= (1 << keep) - 1;
            }
        }
        Field::from_limbs(limbs) * Field::from(2).pow(&[256]).invert().expect("not zero")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn inverses(a in field(), b in field(), c in short(), d in short()) {
        check_inverse::<ScalarModulus>(a);
        check_inverse::<BaseModulus>(b);
        check_inverse::<ScalarModulus>(c);
        check_inverse::<BaseModulus>(d);
        let theirs = ArkFr::from_le_bytes_mod_order(&a.to_le_bytes()).inverse();
        prop_assert_eq!(
            a.invert().map(|a| ArkFr::from_le_bytes_mod_order(&a.to_le_bytes())),
            theirs
        );
    }

    #[test]
    fn roots(a in field(), b in short()) {
        check_root(a);
        check_root(a.square());
        check_root(b);
        check_root(b.square());
    }

    #[test]
    fn batches(values in prop::collection::vec((any::<bool>(), field()), 0..40)) {
        let values: Vec<Fr> = values
            .into_iter()
            .map(|(zero, value)| if zero { Fr::ZERO } else { value })
            .collect();
        let mut inverses = values.clone();
        batch_invert(&mut inverses);
        for (inverse, value) in inverses.iter().zip(&values) {
            prop_assert_eq!(*inverse, value.invert().unwrap_or(Fr::ZERO));
        }
    }
}
