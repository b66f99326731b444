//! The kernel against Plonky3's field.

use alloc::vec::Vec;

use p3_baby_bear::BabyBear;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

use crate::constraints::{Challenge, base, challenge, ext};
use crate::field::{
    EXT_ONE, EXT_ZERO, Ext, Factor, HALF, ONE, P, add, conjugates, dot, ext_add, ext_halve,
    ext_inverse, ext_mul, ext_scale, ext_shift, ext_sub, from_canonical, inverse, invert_all, mul,
    neg, sub, to_canonical,
};

/// Words of elements, the extremes among them often.
fn word() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0..P, 1 => Just(0), 1 => Just(P - 1), 1 => Just(ONE), 1 => Just(P - ONE)]
}

fn element() -> impl Strategy<Value = Ext> {
    [word(), word(), word(), word()]
}

#[test]
fn constants() {
    assert_eq!(base(ONE), BabyBear::ONE);
    assert_eq!(base(HALF), BabyBear::ONE.halve());
    assert_eq!(challenge(&EXT_ONE), Challenge::ONE);
    let x = challenge(&[0, ONE, 0, 0]);
    assert_eq!(ext(&(x * x * x * x)), [from_canonical(11), 0, 0, 0]);
    assert_eq!(base(P), BabyBear::ZERO);
}

/// All coefficients at their greatest: the sums of four products that come closest to overflow.
#[test]
fn greatest_sums() {
    let most = [P - 1; 4];
    let expected = challenge(&most) * challenge(&most);
    assert_eq!(challenge(&ext_mul(&most, &most)), expected);
    let row = [P - 1; 9];
    let expected = challenge(&most) * base(P - 1) * BabyBear::from_u8(9);
    assert_eq!(challenge(&dot(&[most; 9], &row)), expected);
}

proptest! {
    #[test]
    fn base_arithmetic(a in word(), b in word()) {
        let (x, y) = (base(a), base(b));
        prop_assert_eq!(base(add(a, b)), x + y);
        prop_assert_eq!(base(sub(a, b)), x - y);
        prop_assert_eq!(base(neg(a)), -x);
        prop_assert_eq!(base(mul(a, b)), x * y);
        prop_assert_eq!(base(inverse(a)), x.try_inverse().unwrap_or_default());
        prop_assert_eq!(to_canonical(a), x.as_canonical_u32());
        prop_assert_eq!(from_canonical(to_canonical(a)), a);
    }

    #[test]
    fn extension_arithmetic(a in element(), b in element(), c in word()) {
        let (x, y) = (challenge(&a), challenge(&b));
        prop_assert_eq!(challenge(&ext_add(&a, &b)), x + y);
        prop_assert_eq!(challenge(&ext_sub(&a, &b)), x - y);
        prop_assert_eq!(challenge(&ext_halve(&a)), x.halve());
        prop_assert_eq!(challenge(&ext_scale(&a, c)), x * base(c));
        prop_assert_eq!(challenge(&Factor::new(&a).times(&b)), x * y);
        prop_assert_eq!(challenge(&ext_shift(&a)), x * challenge(&[0, ONE, 0, 0]));
        prop_assert_eq!(challenge(&ext_inverse(&a)), x.try_inverse().unwrap_or_default());
    }

    #[test]
    fn conjugates_have_the_element_as_a_root(z in element()) {
        let z = challenge(&z);
        let [c0, c1, c2, c3] = conjugates(&ext(&z)).map(base);
        prop_assert_eq!((((z + c3) * z + c2) * z + c1) * z + c0, Challenge::ZERO);
        // A base element is a fourfold root.
        let [a, ..] = ext(&z);
        let [c0, c1, c2, c3] = conjugates(&[a, 0, 0, 0]).map(base);
        let x = base(a);
        prop_assert_eq!(c0, x.square().square());
        prop_assert_eq!(c1, -x.cube() * BabyBear::from_u8(4));
        prop_assert_eq!(c2, x.square() * BabyBear::from_u8(6));
        prop_assert_eq!(c3, -x * BabyBear::from_u8(4));
    }

    #[test]
    fn sums_of_products(pairs in prop::collection::vec((element(), word()), 0..12)) {
        let (factors, row): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
        let expected: Challenge = pairs.iter().map(|(c, v)| challenge(c) * base(*v)).sum();
        prop_assert_eq!(challenge(&dot(&factors, &row)), expected);
    }

    #[test]
    fn inverses_of_many(values in prop::collection::vec(word(), 0..9)) {
        let mut inverted = values.clone();
        let fine = invert_all(&mut inverted, &mut Vec::new());
        prop_assert_eq!(fine, values.iter().all(|&value| value != 0));
        if fine {
            for (a, b) in values.iter().zip(&inverted) {
                prop_assert_eq!(mul(*a, *b), ONE);
            }
        }
    }
}

#[test]
fn zero_has_no_inverse() {
    assert_eq!(ext_inverse(&EXT_ZERO), EXT_ZERO);
}
