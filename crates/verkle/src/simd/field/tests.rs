use alloc::vec::Vec;
use std::vec;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::arm::Arm;
use crate::field::{BaseModulus, ScalarModulus};

/// Values about 0, the modulus, powers of two and limb boundaries, then random ones.
fn values<M: Modulus>(count: usize) -> Vec<Field<M>> {
    let mut values = vec![Field::ZERO, Field::ONE, -Field::ONE, Field::from_u64(2)];
    for bit in [
        12, 31, 32, 51, 52, 63, 64, 103, 104, 128, 155, 156, 192, 207, 208, 251,
    ] {
        let power = Field::from_u64(2).pow(&[bit]);
        values.extend([power, -power, power - Field::ONE, power + Field::ONE]);
        // The same boundaries in the Montgomery forms.
        for unit in [
            Field::from_mont([1, 0, 0, 0]),
            Field::from_mont(Field::<M>::R2),
        ] {
            values.extend([power * unit, power * unit - unit]);
        }
    }
    let mut rng = StdRng::seed_from_u64(1);
    while values.len() < count || values.len() % 8 != 0 {
        values.push(Field::from_le_bytes_reduced(&rng.random()));
    }
    values
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn stored<M: Modulus>(lanes: Lanes<M>) -> [Field<M>; 8] {
    assert_normalised(lanes);
    let mut out = [Field::ZERO; 8];
    lanes.store(&mut out);
    for value in out {
        assert_eq!(
            Field::from_le_bytes(&value.to_le_bytes()),
            Some(value),
            "not reduced"
        );
    }
    out
}

#[target_feature(enable = "avx512f")]
fn assert_normalised<M: Modulus>(lanes: Lanes<M>) {
    for limb in lanes.limbs {
        let high = _mm512_srli_epi64::<52>(limb);
        assert_eq!(
            _mm512_test_epi64_mask(high, high),
            0,
            "a limb has over 52 bits"
        );
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn against_plain<M: Modulus>() {
    let values = values::<M>(1000);
    for (a, b) in pairs(&values) {
        let (x, y) = (Lanes::load(&a), Lanes::load(&b));
        let each = |f: fn(Field<M>, Field<M>) -> Field<M>| core::array::from_fn(|i| f(a[i], b[i]));
        assert_eq!(stored(x), a);
        assert_eq!(stored(x.mul(y)), each(|a, b| a * b));
        assert_eq!(stored(x.square()), each(|a, _| a * a));
        assert_eq!(stored(x.add(y)), each(|a, b| a + b));
        assert_eq!(stored(x.sub::<16>(y)), each(|a, b| a - b));
        let (s, t) = (x.reduce(), y.reduce());
        assert_eq!(stored(s), a);
        assert_eq!(stored(s.sub_two::<4>(t, t)), each(|a, b| a - b - b));
        assert_eq!(stored(s.neg::<2>()), each(|a, _| -a));
        assert_eq!(stored(s.double()), each(|a, _| a + a));
        assert_eq!(stored(s.times5()), each(|a, _| Field::from_u64(5) * a));
        assert_eq!(
            stored(s.times5_plus(t)),
            each(|a, b| Field::from_u64(5) * a + b)
        );
        let odd: [Field<M>; 8] = core::array::from_fn(|i| if i % 2 == 1 { -a[i] } else { a[i] });
        assert_eq!(stored(s.neg_where::<2>(0b1010_1010)), odd);
        let zeros = (0..8)
            .filter(|i| a[*i].is_zero())
            .fold(0, |m, i| m | 1 << i);
        assert_eq!(s.is_zero(), zeros);
        assert_eq!(s.sub::<2>(s).is_zero(), 0xff);
        assert_eq!(
            stored(s.invert()),
            each(|a, _| a.invert().unwrap_or(Field::ZERO))
        );
    }
}

/// Every group of eight values, with itself and with shifted ones.
fn pairs<M: Modulus>(values: &[Field<M>]) -> Vec<([Field<M>; 8], [Field<M>; 8])> {
    let groups = values.as_chunks::<8>().0;
    let other = |i: usize| core::array::from_fn(|j| values[(8 * i + 11 * j + 5) % values.len()]);
    groups
        .iter()
        .enumerate()
        .flat_map(|(i, a)| [(*a, *a), (*a, other(i))])
        .collect()
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn integers<M: Modulus>() {
    for a in values::<M>(200).as_chunks::<8>().0 {
        let plain = a.map(Field::to_limbs);
        let lanes = Lanes::<M>::from_words(read_words(plain.each_ref()));
        let mut back = [[0; 4]; 8];
        write_words(lanes.to_words(), back.each_mut());
        assert_eq!(back, plain);
        assert_eq!(stored(Lanes::splat(a[3])), [a[3]; 8]);
        let limbs = Lanes::constant(a[3]);
        assert_eq!(stored(Lanes::splat_limbs(limbs)), [a[3]; 8]);
    }
}

/// Products at the limits of the stated bounds, where an error in them would show.
#[target_feature(enable = "avx512f,avx512ifma")]
fn bounds<M: Modulus>() {
    let minus_one = -Field::<M>::ONE;
    // Below 35 times the modulus and as large as the operations can make it: 33 moduli and more.
    let big = Lanes::zero().sub::<16>(Lanes::zero());
    let big = big
        .sub::<16>(Lanes::zero())
        .add(Lanes::splat(minus_one).reduce());
    assert_normalised(big);
    assert_eq!(stored(big), [minus_one; 8]);
    let one = Lanes::splat(minus_one).reduce();
    assert_eq!(stored(big.mul(one)), [Field::ONE; 8]);
    assert_eq!(stored(big.reduce()), [minus_one; 8]);
    let six = Lanes::zero().sub::<4>(Lanes::zero()).add(one);
    assert_eq!(stored(six.mul(six)), [Field::ONE; 8]);
    assert_eq!(stored(six.square()), [Field::ONE; 8]);
    // The largest integer of all.
    let most = Lanes::<M>::new([splat(MASK); 5]);
    let power = Field::from_u64(2).pow(&[260]);
    // It stands for (2^260 − 1)/2^260.
    let most_value = Field::ONE - power.invert().unwrap_or(Field::ZERO);
    assert_eq!(stored(most), [most_value; 8]);
    assert_eq!(stored(most.mul(one)), [-most_value; 8]);
}

#[test]
fn lanes_equal_the_plain_field() {
    if !Arm::Ifma.is_available() {
        return;
    }
    // SAFETY: the CPU has the features.
    unsafe {
        against_plain::<BaseModulus>();
        against_plain::<ScalarModulus>();
        integers::<BaseModulus>();
        integers::<ScalarModulus>();
        bounds::<BaseModulus>();
        bounds::<ScalarModulus>();
    }
}
