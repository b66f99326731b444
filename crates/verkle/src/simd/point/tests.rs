use alloc::vec::Vec;

use super::*;
use crate::arm::Arm;
use crate::crs::Crs;
use crate::curve::Plain;
use crate::element::Element;

/// Points with Z of one and others, of both representatives, and the identity.
fn points() -> Vec<(Affine, Extended)> {
    let mut points: Vec<Affine> = Crs::ethereum().points;
    for (i, point) in points.iter_mut().enumerate() {
        *point = match i % 7 {
            0 => Affine::IDENTITY,
            1 => Affine {
                x: Fp::ZERO,
                y: -Fp::ONE,
            },
            2 | 3 => Affine {
                x: -point.x,
                y: -point.y,
            },
            _ => *point,
        };
    }
    let mut other = Extended::IDENTITY;
    points
        .iter()
        .map(|point| {
            other = other.double() + point.extended();
            (*point, other)
        })
        .collect()
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn check(got: Points, expected: [Extended; 8]) {
    for (got, expected) in got.store().into_iter().zip(expected) {
        // The same representative, too.
        assert_eq!(got.x * expected.z, expected.x * got.z);
        assert_eq!(got.y * expected.z, expected.y * got.z);
        assert_eq!(got.x * got.y, got.t * got.z);
        assert!(!got.z.is_zero());
    }
}

/// The same element, from the modulus on and below twice the modulus: the most that is allowed.
#[target_feature(enable = "avx512f,avx512ifma")]
fn lifted(value: Base) -> Base {
    value.reduce().canonical().sub::<1>(Base::zero())
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn against_plain() {
    let points = points();
    for (i, eight) in points.as_chunks::<8>().0.iter().enumerate() {
        let (x, y) = load_affine(eight.each_ref().map(|(affine, _)| affine));
        let loaded = Points::load(eight.each_ref().map(|(_, extended)| extended));
        let addends = Addends::new(lifted(x), lifted(y), lifted(x.mul(y).mul(d())));
        let highest = Points {
            x: lifted(loaded.x),
            y: lifted(loaded.y),
            t: lifted(loaded.t),
            z: lifted(loaded.z),
        };
        check(loaded, eight.map(|(_, e)| e));
        check(Points::from_affine(x, y), eight.map(|(a, _)| a.extended()));
        // What doublings give is as good as what additions give.
        let twice = eight.map(|(_, e)| e.double());
        let once = eight.map(|(_, e)| e);
        for (lanes, plain) in [
            (loaded, once),
            (highest, once),
            (loaded.double(), twice),
            (highest.double(), twice),
        ] {
            check(lanes.double(), plain.map(|e| e.double()));
            let with = |f: &dyn Fn(usize) -> Extended| core::array::from_fn(f);
            let sum = lanes.add_addends(&addends);
            let expected = with(&|j| plain[j].add_addend(Plain, &eight[j].0.addend()));
            check(sum, expected);
            // Low enough to be packed.
            let mut rows = [Packed::identity(); 8];
            sum.pack(rows.each_mut());
            check(Points::unpack(rows.each_ref()), expected);
            check(
                lanes.add_addends(&addends.neg_where(0b0110_1001)),
                with(&|j| {
                    let negative = (0b0110_1001 >> j) & 1 == 1;
                    plain[j].add_signed(Plain, &eight[j].0.addend(), negative)
                }),
            );
            check(lanes.add(&lanes), plain.map(|e| e + e));
            let other = points[(8 * i + 40) % 248].1;
            let shifted = Points::load([&other; 8]);
            check(lanes.add(&shifted), plain.map(|e| e + other));
            check(lanes.add(&highest), with(&|j| plain[j] + once[j]));
            let sum = plain.into_iter().fold(Extended::IDENTITY, |a, b| a + b);
            assert_eq!(Element(lanes.sum_of_lanes()), Element(sum));
        }
        let mut rows = [Packed::identity(); 8];
        check(Points::unpack(rows.each_ref()), [Extended::IDENTITY; 8]);
        loaded.pack(rows.each_mut());
        check(Points::unpack(rows.each_ref()), eight.map(|(_, e)| e));
    }
}

/// Long chains, where coordinates beyond their bounds would show.
#[target_feature(enable = "avx512f,avx512ifma")]
fn chains() {
    let points = points();
    let (affine, extended) = points[4];
    let (x, y) = load_affine([&affine; 8]);
    let addends = Addends::new(x, y, x.mul(y).mul(d()));
    let (mut lanes, mut plain) = (Points::load([&extended; 8]), extended);
    for i in 0..600 {
        if i % 5 < 3 {
            (lanes, plain) = (lanes.double(), plain.double());
        } else {
            lanes = lanes.add_addends(&addends);
            plain = plain.add_addend(Plain, &affine.addend());
        }
    }
    check(lanes, [plain; 8]);
}

#[test]
fn lanes_equal_plain_points() {
    if !Arm::Ifma.is_available() {
        return;
    }
    // SAFETY: the CPU has the features.
    unsafe {
        against_plain();
        chains();
    }
}
